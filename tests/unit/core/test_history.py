"""History over the log and an index: what is in lists, in which order, and what is hidden from them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.bench import Bench, opened

from glasshouse.contract.errors import InvalidRequest, SessionNotFound
from glasshouse.contract.fork import ForkedFrom
from glasshouse.contract.ids import new_id
from glasshouse.contract.session import SessionPage
from glasshouse.core.history import Wanted
from glasshouse.core.ports import Append, ForkPoint, KnownSession, SessionRecord
from glasshouse.testing.conformance.session_index import a_session


async def page(bench: Bench, *, cursor: str | None = None, limit: int = 50, **wanted: Any) -> SessionPage:
    return await bench.history.sessions(Wanted(**wanted), cursor=cursor, limit=limit)


def written(bench: Bench, number: int, **fields: Any) -> str:
    session = a_session(number, **{"working_dir": str(bench.work), **fields})
    bench.index.add(session)
    bench.sessions.add(KnownSession(session.session_id, session.working_dir, False))
    return session.session_id


async def test_a_session_is_listed_before_anything_of_it_is_written(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        task = await bench.admit("x" * 60)
        (session,) = (await page(bench)).sessions
        assert (session.id, session.title, session.has_transcript) == (task.session_id, "x" * 50, False)
        assert (session.status, session.task_id, session.message_count) == ("queued", task.task_id, 0)
        assert await bench.history.session(task.session_id) == session
        (project,) = (await bench.history.projects()).projects
        assert (project.path, project.session_count) == (str(bench.work), 1)
        await bench.begin()
        await bench.ended(task)
        assert (await page(bench)).sessions[0].status == "completed"


async def test_a_fork_that_has_not_begun_is_called_as_what_it_comes_from(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        fork = await bench.forks.fork(written(bench, 1, title="About plums"))
        assert (await bench.history.session(fork.session_id)).title == "About plums"
        assert [each.title for each in (await page(bench, text="plums")).sessions] == 2 * ["About plums"]
        await bench.admit("About pears", resume=fork.session_id)
        assert (await bench.history.session(fork.session_id)).title == "About pears"


async def test_written_and_unwritten_sessions_share_pages_and_counts(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        old = [written(bench, number) for number in (1, 2, 3)]
        ours = (await bench.admit()).session_id
        found: list[str] = []
        cursor = None
        while True:
            answer = await page(bench, cursor=cursor, limit=2)
            found += [session.id for session in answer.sessions]
            if (cursor := answer.next_cursor) is None:
                break
        assert sorted(found) == sorted([*old, ours])
        assert [one for one in found if one != ours] == old[::-1]
        (project,) = (await bench.history.projects()).projects
        assert project.session_count == 4


async def test_once_it_is_written_a_session_is_there_once_with_its_task(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        task = await bench.admit()
        written(bench, 1, session_id=task.session_id)
        (session,) = (await page(bench)).sessions
        assert (session.has_transcript, session.status, session.message_count) == (True, "queued", 2)


async def test_a_fork_says_where_it_begins_before_and_after_it_is_written(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        source = written(bench, 1, title="Fix the parser")
        fork = SessionRecord(
            *(new_id(), "claude", str(bench.work), "2026-01-01T00:00:00.000Z", False),
            forked_from=ForkPoint(source, "m1"),
        )
        await bench.store.append(Append(fork.session_id, session=fork))
        told = ForkedFrom(session_id=source, message_id="m1")
        listed = {session.id: session for session in (await page(bench)).sessions}
        assert listed.keys() == {source, fork.session_id}
        assert (listed[fork.session_id].title, listed[fork.session_id].forked_from) == ("Fix the parser", told)
        assert await bench.history.session(fork.session_id) == listed[fork.session_id]
        written(bench, 2, session_id=fork.session_id)
        assert (await bench.history.session(fork.session_id)).forked_from == told
        assert (await bench.history.session(source)).forked_from is None


# faults: E5
async def test_what_is_outside_the_allowed_directories_is_in_no_list_and_no_count(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        seen, hidden = written(bench, 1), written(bench, 2, working_dir="/elsewhere")
        strange = written(bench, 3, working_dir="/nul\0")
        beside = written(bench, 4, working_dir=f"{bench.work}-beside")
        assert [session.id for session in (await page(bench)).sessions] == [seen]
        assert (await page(bench, project="/elsewhere")).sessions == []
        assert [project.path for project in (await bench.history.projects()).projects] == [str(bench.work)]
        for session_id in (hidden, strange, beside, "x", "../../x"):
            with pytest.raises(SessionNotFound):
                await bench.history.session(session_id)


async def test_a_link_that_is_moved_out_hides_its_sessions_in_a_while(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        link = bench.work / "link"
        link.symlink_to(bench.directory("inside"))
        written(bench, 1, working_dir=str(link))
        assert len((await page(bench)).sessions) == 1
        link.unlink()
        link.symlink_to(tmp_path)
        bench.clock.pass_by(60)
        assert (await page(bench)).sessions == []


async def test_an_unwritten_session_is_found_by_its_prompt_and_has_used_no_tool(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        await bench.admit("Fix the parser")
        assert len((await page(bench, text="parser FIX")).sessions) == 1
        assert (await page(bench, text="absent")).sessions == []
        assert (await page(bench, tool="Read")).sessions == []
        assert (await page(bench, min_cost=0.0)).sessions == []


async def test_a_list_that_is_not_whole_says_so(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        written(bench, 1)
        assert (await page(bench)).indexing is None
        bench.index.missing = 3
        answer = await page(bench, text="number")
        assert answer.indexing is not None and answer.searched is not None
        assert (answer.indexing.done, answer.indexing.total) == (1, 4)
        assert (answer.searched.done, answer.searched.total) == (1, 4)


@pytest.mark.parametrize("cursor", ["x", "", "e30", "MjAyNiB4", "\u00e9", "A" * 99])
async def test_a_cursor_that_is_none_is_refused(tmp_path: Path, cursor: str) -> None:
    async with opened(Bench(tmp_path)) as bench:
        with pytest.raises(InvalidRequest):
            await page(bench, cursor=cursor)


async def test_changes_are_told_of_what_may_be_seen(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        changes = bench.history.changes()
        first = changes.__anext__()
        written(bench, 1)  # nobody listens yet
        hidden = written(bench, 2, working_dir="/elsewhere")
        waiting = asyncio.ensure_future(first)
        await asyncio.sleep(0)
        bench.index.remove(hidden)
        seen = written(bench, 3)
        change = await waiting
        assert (change.id, change.gone) == (seen, False)
        bench.index.remove(seen)
        change = await anext(changes)
        assert (change.id, change.project_path, change.gone) == (seen, str(bench.work), True)
        await changes.aclose()
