"""What is let in, under which identity, and what is refused with which error."""

import asyncio
import os
from pathlib import Path

import pytest
from tests.support.bench import Bench, asked, opened

from glasshouse.contract.errors import (
    InvalidRequest,
    ResumeConflict,
    SessionBusy,
    SessionNotFound,
    TaskConflict,
    ToolsInvalid,
    WorkingDirInvalid,
)
from glasshouse.contract.ids import new_id
from glasshouse.contract.task import TaskStatus
from glasshouse.core.admission import TaskPolicy
from glasshouse.core.ports import KnownSession
from glasshouse.testing.scripted_engine import Gate, ScriptedEngine, waits_at


class TestTheFirstEvent:
    async def test_it_says_what_was_asked_before_anything_runs(self, bench: Bench) -> None:
        task = await bench.admit("list the files", tools=["Read"], model="opus", permission_mode="plan")

        [first] = await bench.events(task)
        assert first["type"] == "info"
        assert first["metadata"] == {
            "session_id": task.session_id,
            "task_id": task.task_id,
            "engine": "claude",
            "model": "opus",
            "working_dir": str(bench.work),
            "tools": ["Read"],
            "permission_mode": "plan",
            "prompt": "list the files",
        }
        assert first["timestamp"] == task.created_at == "2026-01-02T03:04:05.678Z"

    async def test_what_is_not_known_yet_is_null(self, bench: Bench) -> None:
        [first] = await bench.events(await bench.admit())

        assert first["metadata"]["model"] is None
        assert first["metadata"]["tools"] is None

    async def test_it_says_loudly_that_the_model_is_the_demo(self, bench: Bench) -> None:
        bench.engine.is_offline = True

        [first] = await bench.events(await bench.admit())

        assert first["metadata"]["offline"] is True
        assert "offline demo model" in first["content"]


class TestOneTaskIdIsOneTask:
    async def test_the_same_request_again_gives_the_first_task(self, bench: Bench) -> None:
        task_id = new_id()

        first = await bench.admission.admit(asked("a", task_id=task_id), deltas=False)
        again = await bench.admission.admit(asked("a", task_id=task_id), deltas=False)

        assert (first.is_new, again.is_new) == (True, False)
        assert again.record.session_id == first.record.session_id

    async def test_how_the_caller_listens_makes_no_other_request(self, bench: Bench) -> None:
        task_id = new_id()
        await bench.admit("a", task_id=task_id)

        again = await bench.admission.admit(asked(" a ", task_id=task_id, wait_s=0, on_disconnect="stop"), deltas=True)

        assert not again.is_new

    async def test_the_id_in_capitals_is_the_same_id(self, bench: Bench) -> None:
        task_id = new_id()
        await bench.admit("a", task_id=task_id)

        assert not (await bench.admission.admit(asked("a", task_id=task_id.upper()), deltas=False)).is_new

    @pytest.mark.parametrize(
        "change",
        [{"prompt": "b"}, {"tools": []}, {"model": "haiku"}, {"queue": True}, {"timeout_s": 5}, {"max_turns": 1}],
    )
    async def test_another_body_under_the_same_id_is_a_conflict(self, bench: Bench, change: dict[str, object]) -> None:
        task_id = new_id()
        await bench.admit("a", task_id=task_id)

        with pytest.raises(TaskConflict):
            await bench.admit(**{"prompt": "a", "task_id": task_id, **change})  # type: ignore[arg-type]

    async def test_twenty_at_once_start_one_task(self, running: Bench) -> None:
        request = asked("a", task_id=new_id())

        admitted = await asyncio.gather(*(running.admission.admit(request, deltas=False) for _ in range(20)))
        await running.ended(admitted[0].record)

        assert sum(one.is_new for one in admitted) == 1
        assert len({one.record.session_id for one in admitted}) == 1
        assert len(running.engine.told) == 1

    async def test_an_ended_task_is_given_again_too(self, running: Bench) -> None:
        task_id = new_id()
        ended = await running.do("a", task_id=task_id)

        again = await running.admission.admit(asked("a", task_id=task_id), deltas=False)

        assert again.record == ended
        assert again.record.status is TaskStatus.COMPLETED


class TestOneTaskASession:
    async def test_a_second_task_is_refused_while_the_first_is_not_over(self, running: Bench) -> None:
        gate = Gate()
        running.engine.script = (waits_at(gate),)
        first = await running.admit()
        await gate.reached.wait()

        with pytest.raises(SessionBusy):
            await running.admit(resume=first.session_id)

        gate.open()
        await running.ended(first)
        assert (await running.do(resume=first.session_id)).status is TaskStatus.COMPLETED

    async def test_with_queue_it_waits_its_turn(self, running: Bench) -> None:
        gate = Gate()
        running.engine.plays("first", waits_at(gate))
        first = await running.admit("first")
        second = await running.admit("second", resume=first.session_id, queue=True)
        await gate.reached.wait()

        assert (await running.now(second)).status is TaskStatus.QUEUED
        gate.open()
        await running.ended(second)
        assert [task.prompt for task in running.engine.told] == ["first", "second"]

    async def test_of_twenty_at_once_one_gets_the_session(self, running: Bench) -> None:
        session_id = running.knows_session(running.work)
        running.engine.script = (waits_at(Gate()),)

        results = await asyncio.gather(
            *(running.admit(f"{n}", resume=session_id) for n in range(20)), return_exceptions=True
        )

        assert sum(isinstance(result, SessionBusy) for result in results) == 19

    async def test_tasks_of_different_sessions_run_side_by_side(self, running: Bench) -> None:
        gates = [Gate(), Gate()]
        running.engine.plays("a", waits_at(gates[0]))
        running.engine.plays("b", waits_at(gates[1]))

        await running.admit("a")
        await running.admit("b")

        await asyncio.gather(*(gate.reached.wait() for gate in gates))


class TestContinuing:
    async def test_a_session_of_elsewhere_can_be_resumed(self, bench: Bench) -> None:
        session_id = bench.knows_session(bench.work)

        task = await bench.admit(resume=session_id)

        assert task.session_id == session_id
        assert await bench.store.session(session_id) is not None

    async def test_resuming_works_in_the_sessions_own_directory(self, bench: Bench) -> None:
        session_id = bench.knows_session(bench.directory("project"))

        assert (await bench.admit(resume=session_id)).working_dir == str(bench.work / "project")

    async def test_naming_the_same_directory_in_other_words_is_no_conflict(self, bench: Bench) -> None:
        project = bench.directory("project")
        session_id = bench.knows_session(project)

        task = await bench.admit(resume=session_id, working_dir=f"{project}/../project/")

        assert task.working_dir == str(project)

    async def test_naming_another_directory_is_a_conflict(self, bench: Bench) -> None:
        session_id = bench.knows_session(bench.directory("a"))

        with pytest.raises(ResumeConflict):
            await bench.admit(resume=session_id, working_dir=str(bench.directory("b")))

    async def test_a_session_that_nobody_knows_is_not_found(self, bench: Bench) -> None:
        with pytest.raises(SessionNotFound):
            await bench.admit(resume=new_id())

    async def test_a_session_whose_directory_is_gone_says_so(self, bench: Bench) -> None:
        session_id = bench.knows_session(bench.work / "gone")

        with pytest.raises(WorkingDirInvalid):
            await bench.admit(resume=session_id)

    @pytest.mark.parametrize("place", ["/etc", "/", "relative", "", "/a\0b", "/tmp"])
    async def test_a_session_outside_the_allowed_directories_is_not_found(self, bench: Bench, place: str) -> None:
        session_id = new_id()
        bench.sessions.add(KnownSession(session_id, place, False))

        with pytest.raises(SessionNotFound):
            await bench.admit(resume=session_id)

    async def test_a_session_in_a_loop_of_links_is_refused(self, bench: Bench) -> None:
        loop = bench.work / "loop"
        loop.symlink_to(loop)
        session_id = bench.knows_session(loop)

        with pytest.raises((SessionNotFound, WorkingDirInvalid)):
            await bench.admit(resume=session_id)

    async def test_continuing_takes_the_newest_session_of_that_very_directory(self, bench: Bench) -> None:
        bench.knows_session(bench.directory("a/b"))
        bench.knows_session(bench.directory("a"))
        newest = bench.knows_session(bench.directory("a"))
        bench.knows_session(bench.directory("a/b"))

        task = await bench.admit(continue_conversation=True, working_dir=str(bench.work / "a"))

        assert task.session_id == newest

    async def test_continuing_where_nothing_was_begun_is_not_found(self, bench: Bench) -> None:
        bench.knows_session(bench.directory("a"))

        with pytest.raises(SessionNotFound):
            await bench.admit(continue_conversation=True)

    async def test_the_demo_never_continues_a_real_session(self, bench: Bench) -> None:
        bench.knows_session(bench.work, offline=False)
        bench.engine.is_offline = True

        with pytest.raises(SessionNotFound):
            await bench.admit(continue_conversation=True)

    async def test_a_resumed_demo_session_stays_the_demo(self, bench: Bench) -> None:
        session_id = bench.knows_session(bench.work, offline=True)

        assert (await bench.admit(resume=session_id)).offline


class TestWorkingDirectory:
    async def test_the_default_is_used_when_none_is_named(self, bench: Bench) -> None:
        assert (await bench.admit()).working_dir == str(bench.work)

    async def test_links_are_resolved(self, bench: Bench) -> None:
        (bench.work / "link").symlink_to(bench.directory("real"))

        assert (await bench.admit(working_dir=str(bench.work / "link"))).working_dir == str(bench.work / "real")

    async def test_every_bad_directory_has_the_same_error(self, bench: Bench) -> None:
        (bench.work / "file").write_text("")
        (bench.work / "out").symlink_to("/tmp")
        bad = ("relative", "/etc", f"{bench.work}/file", f"{bench.work}/none", f"{bench.work}/out", "~", "--version")

        for path in bad:
            with pytest.raises(WorkingDirInvalid) as refusal:
                await bench.admit(working_dir=path)
            assert refusal.value.detail == ""

    async def test_a_name_that_is_no_utf8_is_refused(self, bench: Bench) -> None:
        not_text = Path(os.fsdecode(b"\xff"))
        bench.directory(str(not_text))
        (bench.work / "odd").symlink_to(bench.work / not_text)

        with pytest.raises(WorkingDirInvalid):
            await bench.admit(working_dir=str(bench.work / "odd"))


class TestTools:
    async def test_a_tool_that_the_engine_does_not_know_is_named(self, bench: Bench) -> None:
        with pytest.raises(ToolsInvalid) as refusal:
            await bench.admit(tools=["Read", "Nope", "--version"])

        assert refusal.value.detail == "Nope, --version"

    async def test_the_operators_list_bounds_what_may_be_named(self, tmp_path: Path) -> None:
        policy = TaskPolicy(allowed_tools=frozenset({"Read"}))
        async with opened(Bench(tmp_path, policy=policy)) as bench:
            with pytest.raises(ToolsInvalid) as refusal:
                await bench.admit(tools=["Read", "Bash", "Bash"])

            assert refusal.value.detail == "Bash"
            assert (await bench.admit(tools=["Read"])).request["tools"] == ["Read"]

    async def test_millions_of_wrong_names_are_refused_in_a_short_sentence(self, tmp_path: Path) -> None:
        policy = TaskPolicy(allowed_tools=frozenset({"Read"}))
        async with opened(Bench(tmp_path, policy=policy)) as bench:
            with pytest.raises(ToolsInvalid) as refusal:
                await bench.admit(tools=[f"x{n}\n" for n in range(200_000)])

            assert len(refusal.value.detail) < 500
            assert "\n" not in refusal.value.detail

    async def test_no_tools_is_not_the_same_as_unnamed_tools(self, bench: Bench) -> None:
        assert (await bench.admit(tools=[])).request["tools"] == []
        assert (await bench.admit()).request["tools"] is None


class TestBypass:
    async def test_it_wants_the_operators_leave(self, bench: Bench) -> None:
        with pytest.raises(InvalidRequest, match="permission_mode"):
            await bench.admit(permission_mode="bypassPermissions")

    async def test_with_it_the_task_is_admitted(self, tmp_path: Path) -> None:
        engine = ScriptedEngine()
        async with opened(Bench(tmp_path, engine, policy=TaskPolicy(allow_bypass=True))) as bench:
            await bench.begin()
            await bench.do(permission_mode="bypassPermissions")

        assert engine.told[0].permission_mode == "bypassPermissions"
