"""The index on real transcripts: what lists say of them, while they grow, are replaced, and go."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import apsw
import pytest
from tests.support.terminal import Transcript

from glasshouse.adapters.session_index import TranscriptIndex, book, lookout
from glasshouse.adapters.session_index import index as index_module
from glasshouse.core.ports import Closed, SessionQuery, SessionSummary

PATIENCE_S = 30.0
EVERYWHERE = ("/work/a", "/work/b")


class Desk:
    """Transcripts, and the index over them."""

    def __init__(self, root: Path) -> None:
        self.projects = root / "claude" / "projects"
        self.offline = root / "offline" / "projects"
        self.file = root / "sessions.db"
        self.index = self.another()

    def another(self) -> TranscriptIndex:
        return TranscriptIndex(self.file, roots={False: self.projects, True: self.offline})

    def transcript(self, cwd: str = "/work/a", *, session_id: str = "") -> Transcript:
        return Transcript(self.projects, cwd, session_id)

    async def page(self, *words: str, limit: int = 50, **fields: object) -> list[SessionSummary]:
        await self.index.fresh(PATIENCE_S)
        return list(await self.index.page(SessionQuery(EVERYWHERE, limit, words=words, **fields)))  # type: ignore[arg-type]

    async def ids(self, *words: str, **fields: object) -> list[str]:
        return [one.session_id for one in await self.page(*words, **fields)]  # type: ignore[arg-type]

    async def searchable(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            # Nothing tells when that is done: it happens behind everything else.
            while (indexed := await self.index.fresh(PATIENCE_S)).searchable < indexed.total:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@asynccontextmanager
async def running(index: TranscriptIndex) -> AsyncIterator[TranscriptIndex]:
    await index.open()
    await index.follow()
    try:
        yield index
    finally:
        async with asyncio.timeout(PATIENCE_S):
            await index.close()


@pytest.fixture
def made(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
async def desk(made: Desk) -> AsyncIterator[Desk]:
    async with running(made.index):
        yield made


@pytest.fixture(params=["with the kernel's word", "without"])
async def any_desk(made: Desk, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    if request.param == "without":

        def none() -> None:
            raise OSError("no inotify here")

        monkeypatch.setattr(lookout, "Inotify", none)
    async with running(made.index):
        yield made


async def test_there_is_nothing_without_a_home(any_desk: Desk) -> None:
    assert await any_desk.page() == []
    assert await any_desk.index.directories() == []


async def test_a_list_has_what_is_on_the_disk_when_it_is_asked_for(any_desk: Desk) -> None:
    assert await any_desk.ids() == []
    one = any_desk.transcript().prompt("the first")
    (seen,) = await any_desk.page()
    assert (seen.session_id, seen.title, seen.message_count) == (one.id, "the first", 1)
    for number in range(2, 20):
        one.says(f"answer {number}")
        (seen,) = await any_desk.page()
        assert seen.message_count == number


async def test_the_last_active_comes_first_page_by_page(desk: Desk) -> None:
    sessions = [desk.transcript().prompt(f"number {n}", timestamp=f"2026-11-{n:02d}T10:00:00Z") for n in range(1, 8)]
    newest_first = [one.id for one in reversed(sessions)]
    found = await desk.page(limit=3)
    assert [one.session_id for one in found] == newest_first[:3]
    after = (found[-1].active_at, found[-1].session_id)
    assert await desk.ids(after=after) == newest_first[3:]
    assert await desk.ids(since="2026-11-06T00:00:00.000Z") == newest_first[:2]
    assert await desk.ids(until="2026-11-02T00:00:00.000Z") == newest_first[-1:]


async def test_lists_can_be_of_a_tool_and_of_a_cost(desk: Desk) -> None:
    reads = desk.transcript().prompt("a").calls("Read").cost(0.5)
    writes = desk.transcript().prompt("b").calls("Write")
    assert await desk.ids(tool="Read") == [reads.id]
    assert await desk.ids(tool="R%") == []
    assert await desk.ids(min_cost=0.5) == [reads.id]
    assert await desk.ids(min_cost=0.6) == []
    assert set(await desk.ids(min_cost=0.5, costly=[writes.id])) == {reads.id, writes.id}


async def test_directories_that_share_a_folder_are_told_apart(desk: Desk) -> None:
    desk.transcript("/work/a-b").prompt("dashed")
    nested = desk.transcript("/work/a/b").prompt("nested")
    desk.transcript("/work/a/b").prompt("nested too")
    assert nested.path.parent == desk.transcript("/work/a-b").path.parent
    await desk.index.fresh(PATIENCE_S)
    counts = {one.working_dir: one.count for one in await desk.index.directories()}
    assert counts == {"/work/a-b": 1, "/work/a/b": 2}


# faults: E6
async def test_what_is_replaced_truncated_or_deleted_is_seen_so(any_desk: Desk, tmp_path: Path) -> None:
    one = any_desk.transcript().prompt("before").says("a").says("heliotrope")
    assert await any_desk.ids("heliotrope") == [one.id]
    one.path.write_bytes(b"")
    assert await any_desk.ids() == []
    one.prompt("in the same place")
    assert (await any_desk.page())[0].title == "in the same place"
    assert await any_desk.ids("heliotrope") == []
    other = Transcript(tmp_path / "elsewhere", "/work/a").prompt("another file").says("b")
    other.path.replace(one.path)
    (seen,) = await any_desk.page()
    assert (seen.title, seen.message_count) == ("another file", 2)
    one.path.unlink()
    assert await any_desk.ids() == []
    assert (await any_desk.index.fresh(PATIENCE_S)).total == 0


# faults: E6
async def test_a_text_of_the_same_length_in_the_same_file_is_seen(desk: Desk) -> None:
    one = desk.transcript().prompt("aaaa")
    assert (await desk.page())[0].title == "aaaa"
    content = one.path.read_bytes()
    one.path.write_bytes(content.replace(b"aaaa", b"bbbb"))
    assert (await desk.page())[0].title == "bbbb"


# faults: E5
async def test_links_and_foreign_files_are_in_no_list(desk: Desk, tmp_path: Path) -> None:
    outside = Transcript(tmp_path / "outside", "/work/a").prompt("outside")
    folder = desk.transcript().prompt("inside").path.parent
    (folder / f"{uuid4()}.jsonl").symlink_to(outside.path)
    (desk.projects / "linked").symlink_to(outside.path.parent)
    (folder / "agent-12.jsonl").write_bytes(outside.path.read_bytes())
    (folder / f"{uuid4()}.jsonl").mkdir()
    os.mkfifo(folder / f"{uuid4()}.jsonl")
    assert [one.title for one in await desk.page()] == ["inside"]


async def test_the_projects_directory_itself_may_be_a_link(tmp_path: Path) -> None:
    real = Transcript(tmp_path / "real", "/work/a").prompt("hello")
    made = Desk(tmp_path)
    made.projects.parent.mkdir()
    made.projects.symlink_to(tmp_path / "real")
    made.index = made.another()
    async with running(made.index):
        assert await made.ids() == [real.id]
        real.says("more")
        assert (await made.page())[0].message_count == 2


async def test_of_two_files_of_a_session_one_is_shown(desk: Desk) -> None:
    one = desk.transcript("/work/a").prompt("here")
    other = desk.transcript("/work/b", session_id=one.id)
    other.prompt("later, there", timestamp="2026-12-01T00:00:00Z")
    assert [seen.title for seen in await desk.page()] == ["later, there"]
    other.path.unlink()
    assert [seen.title for seen in await desk.page()] == ["here"]


async def test_sessions_of_the_demo_model_say_so(desk: Desk) -> None:
    Transcript(desk.offline, "/work/a").prompt("demo")
    desk.transcript().prompt("real")
    assert {one.title: one.offline for one in await desk.page()} == {"demo": True, "real": False}


async def test_a_session_without_a_message_is_in_no_list(desk: Desk) -> None:
    desk.transcript().line({"type": "mode", "mode": "default"}).raw(b"rubbish\n")
    assert await desk.ids() == []


async def test_all_is_there_after_a_restart_and_what_grew_meanwhile(made: Desk) -> None:
    one, gone = made.transcript().prompt("kept 数据"), made.transcript().prompt("gone")
    async with running(made.index):
        assert len(await made.ids()) == 2
    one.says("meanwhile")
    gone.path.unlink()
    made.index = made.another()
    async with running(made.index):
        (seen,) = await made.page("meanwhile")
        assert (seen.session_id, seen.message_count) == (one.id, 2)
        assert await made.ids("数据") == [one.id]


@pytest.mark.parametrize("harm", ["other version", "rubbish", "cut"])
async def test_an_index_that_is_none_is_made_again(made: Desk, harm: str) -> None:
    one = made.transcript().prompt("kept")
    async with running(made.index):
        assert await made.ids() == [one.id]
    if harm == "other version":
        with sqlite3.connect(made.file) as connection:
            connection.execute("PRAGMA user_version = 999")
        connection.close()
    elif harm == "rubbish":
        made.file.write_bytes(b"not a database" * 1000)
    else:
        os.truncate(made.file, 4096)
    made.index = made.another()
    async with running(made.index):
        assert await made.ids() == [one.id]


async def test_an_index_that_breaks_while_it_is_used_is_made_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    one = desk.transcript().prompt("before")
    assert await desk.ids() == [one.id]
    saving, broken = book.save, [apsw.CorruptError("malformed")]

    def save(*given: Any) -> None:
        if broken:
            raise broken.pop()
        saving(*given)

    monkeypatch.setattr(book, "save", save)
    one.says("more")
    (seen,) = await desk.page()
    assert seen.message_count == 2


async def test_a_transcript_that_cannot_be_taken_in_costs_no_other(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = desk.transcript().prompt("bad"), desk.transcript().prompt("good")
    saving = book.save

    def save(connection: Any, found: Any, is_offline: Any) -> None:
        saving(connection, found, is_offline)
        if str(bad.path) in {part.path for part in found}:
            raise ValueError("what nobody thought of")

    monkeypatch.setattr(book, "save", save)
    assert await desk.ids() == [good.id]
    good.says("more")
    (seen,) = await desk.page()
    assert seen.message_count == 2


async def test_much_is_read_by_processes_which_then_go(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_LITTLE", 0)
    wanted = {desk.transcript().prompt(f"title {n}").says(f"the word w{n}w").id for n in range(30)}
    assert set(await desk.ids()) == wanted
    await desk.searchable()
    assert [one.title for one in await desk.page("w17w")] == ["title 17"]
    desk.transcript().prompt("one more").says("the word w30w")
    await desk.searchable()
    assert [one.title for one in await desk.page("w30w")] == ["one more"]
    assert not _children()


# faults: E3
async def test_a_huge_line_stops_nobody(desk: Desk) -> None:
    ordinary = desk.transcript().prompt("ordinary")
    huge = desk.transcript().prompt("huge").calls("Bash", "b1").result("b1", "x" * 50_000_000).says("after it")
    assert {one.session_id: one.message_count for one in await desk.page()} == {ordinary.id: 1, huge.id: 4}
    await desk.searchable()
    assert await desk.ids("after it") == [huge.id]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("heliotrope",), {"one"}),
        (("HELIO",), {"one"}),
        (("liotro",), {"one"}),
        (("缓存的问题",), {"two"}),
        (("缓存",), {"two"}),
        (("存",), {"two"}),
        (("go",), {"one"}),
        (("one",), {"one", "two"}),
        (("heliotrope", "go"), {"one"}),
        (("heliotrope", "缓存"), set()),
        (('"heliotrope', "OR"), set()),
        (("helio*",), set()),
        (("NEAR(x)",), set()),
        (("$(touch", "x)"), set()),
        (("';--",), set()),
        (("->",), set()),
        (("%",), set()),
        (("b\u00e4r",), {"two"}),
        (("tool-output",), set()),
    ],
)
# faults: C1
async def test_a_search_finds_words_of_any_length_and_nothing_else(
    desk: Desk, words: tuple[str, ...], found: set[str]
) -> None:
    desk.transcript().prompt("one").says("a heliotrope, written in go").calls("Bash", "b1").result("b1", "tool-output")
    desk.transcript().prompt("two").says("是缓存的问题。 Ein Bär, not one")
    assert {one.title for one in await desk.page(*words)} == found


async def test_a_found_session_shows_where(desk: Desk) -> None:
    desk.transcript().prompt("title with lavender").says("x " * 100 + "then the heliotrope blooms" + " y" * 200)
    (seen,) = await desk.page("heliotrope")
    assert seen.found_in is not None
    assert seen.found_in.startswith("…x") and seen.found_in.endswith("y…") and "the heliotrope blooms" in seen.found_in
    (seen,) = await desk.page("lavender")
    assert seen.found_in is None


async def test_who_listens_is_told_what_appears_grows_and_goes(any_desk: Desk) -> None:
    await any_desk.index.fresh(PATIENCE_S)
    changes = any_desk.index.subscribe()

    async def told(change: Callable[[], object]) -> set[str]:
        change()
        async with asyncio.timeout(PATIENCE_S):
            return set(await changes.next())

    one = any_desk.transcript()
    assert await told(lambda: one.prompt("hello")) == {one.id}
    assert await told(lambda: one.says("more")) == {one.id}
    assert await told(one.path.unlink) == {one.id}
    changes.close()
    with pytest.raises(Closed):
        await changes.next()


async def test_what_was_there_before_is_no_change(made: Desk) -> None:
    made.transcript().prompt("old")
    changes = made.index.subscribe()
    async with running(made.index):
        await made.index.fresh(PATIENCE_S)
        new = made.transcript().prompt("new")
        async with asyncio.timeout(PATIENCE_S):
            assert set(await changes.next()) == {new.id}


async def test_who_has_no_patience_is_told_how_far_it_is(made: Desk) -> None:
    made.transcript().prompt("hello")
    await made.index.open()
    indexed = await made.index.fresh(0)
    assert indexed.listed == 0
    await made.index.close()


def _children() -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "stat").read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
                command = (entry / "cmdline").read_bytes()
                found += [int(entry.name)] if b"digesting" in command else []
        except OSError:
            continue
    return found
