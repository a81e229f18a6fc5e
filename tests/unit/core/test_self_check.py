"""The self-check finds out what an engine does not do, says so, and looks once at each build of its program."""

from collections.abc import Awaitable, Callable

import pytest
from tests.support.bench import Bench

from glasshouse.contract.events import Info
from glasshouse.contract.question import Option, Question, QuestionKind, QuestionType
from glasshouse.contract.self_check import Behaviour, Finding, SelfCheck
from glasshouse.contract.task import Failure
from glasshouse.core import rehearsal
from glasshouse.core.ports import Asking, Outcome, Run
from glasshouse.core.questions.trust import trust_asking
from glasshouse.core.rehearsal import LISTEN, Stage, rehearse
from glasshouse.core.self_check import SelfChecks
from glasshouse.testing.scripted_engine import WAITING, Gate, asks, calls, fails, listens, says, waits_at


def stage(bench: Bench) -> Stage:
    return Stage(
        admission=bench.admission,
        execution=bench.execution,
        desk=bench.desk,
        instructions=bench.instructions,
        store=bench.store,
        sessions=bench.sessions,
        engine=bench.engine,
        working_dir=bench.work,
    )


def asking(kind: QuestionKind = QuestionKind.QUESTION) -> Asking:
    options = (Option(id="one", label="One"), Option(id="deny", label="No"), Option(id="allow", label="Yes"))
    question = Question(
        question_id="q", question_text="?", type=QuestionType.MULTIPLE_CHOICE, options=options, allow_other=True
    )
    return Asking(call_id="c", questions=(question,), kind=kind)


async def findings(bench: Bench) -> dict[Behaviour, Finding]:
    await bench.begin()
    played = await rehearse(stage(bench))
    assert [each.behaviour for each in played.findings] == list(Behaviour)
    return {each.behaviour: each for each in played.findings}


async def test_an_engine_that_fails_is_not_tried_further(bench: Bench) -> None:
    bench.engine.script = (fails(Failure.ENGINE_FAILED, "it is broken"),)
    found = await findings(bench)
    assert not any(each.holds for each in found.values())
    assert "it is broken" in found[Behaviour.WORKS].detail
    assert len(bench.engine.told) == 1


async def test_one_that_asks_nobody_is_found_out(bench: Bench) -> None:
    """As earlier versions of Claude Code, which answered their questions themselves."""
    bench.engine.script = (says("I answered it myself"),)
    found = await findings(bench)
    for behaviour in (Behaviour.ASKS, Behaviour.KEEPS_A_QUESTION, Behaviour.ASKS_FOR_PERMISSION):
        assert found[behaviour].detail == "went on without asking anybody"
    assert found[Behaviour.WORKS].holds


async def test_a_question_whose_answer_went_another_way_was_not_kept(bench: Bench) -> None:
    bench.engine.plays(rehearsal.ASK, asks(asking()))
    found = await findings(bench)
    assert found[Behaviour.ASKS].holds
    assert not found[Behaviour.KEEPS_A_QUESTION].holds
    assert "hot" in found[Behaviour.KEEPS_A_QUESTION].detail


async def test_a_question_that_came_back_by_a_resume_was_kept(bench: Bench) -> None:
    async def resumes(run: Run) -> Outcome | None:
        if not run.task.continued:
            await run.ask(asking())
            return WAITING
        await run.told("c", "resumed")
        return None

    bench.engine.plays(rehearsal.ASK, resumes)
    assert (await findings(bench))[Behaviour.KEEPS_A_QUESTION].holds


async def test_what_ran_although_it_was_denied_is_found_out(bench: Bench) -> None:
    async def runs(_: Run) -> None:
        (bench.work / rehearsal.SHOWN_FILE).touch()

    bench.engine.plays(rehearsal.WRITE, asks(asking(QuestionKind.PERMISSION)), runs)
    found = await findings(bench)
    assert found[Behaviour.ASKS_FOR_PERMISSION].detail == "ran what was denied"


async def test_a_tool_that_nobody_knows_is_named(bench: Bench) -> None:
    async def reports(run: Run) -> None:
        metadata = {"claude_code_version": "9.9.9", "tools": ["Bash", "Teleport"]}
        await run.emit(Info(content="ready", metadata=metadata, **run.stamp()))

    bench.engine.plays(rehearsal.GREET, reports)
    found = await findings(bench)
    assert found[Behaviour.TOOLS_ARE_KNOWN].detail == "not in the catalogue: Teleport"
    assert found[Behaviour.WORKS].detail == "9.9.9"


async def test_one_that_takes_a_message_in_is_told_from_one_that_is_deaf(bench: Bench) -> None:
    bench.engine.plays(LISTEN, calls("Bash", "t1"), listens())
    assert (await findings(bench))[Behaviour.TAKES_A_MESSAGE].holds
    bench.engine.plays(LISTEN, calls("Bash", "t1"), says("deaf"))
    assert not (await findings(bench))[Behaviour.TAKES_A_MESSAGE].holds


async def test_one_that_stops_is_seen_to_stop(bench: Bench) -> None:
    bench.engine.plays(rehearsal.LINGER, calls("Bash", "t"), waits_at(Gate()))
    assert (await findings(bench))[Behaviour.STOPS].holds


async def test_one_that_runs_a_hook_before_it_asks_is_found_out(bench: Bench) -> None:
    async def careless(run: Run) -> None:
        if not (bench.work / ".claude" / "settings.json").exists():
            return
        (bench.work / rehearsal.HOOK_FILE).touch()
        call = await run.ask(trust_asking(run.task.task_id, "/w", "d", (), "en"))
        await run.settled(call.call_id)
        await run.told(call.call_id, "started")

    bench.engine.plays(rehearsal.GREET, careless)
    found = await findings(bench)
    assert found[Behaviour.RUNS_NOTHING_UNTRUSTED].detail == "ran a hook that is not trusted"
    assert not (bench.work / ".claude").exists()


@pytest.mark.parametrize("notices", [True, False])
async def test_one_that_takes_up_a_changed_setting_is_found_out(
    bench: Bench, notices: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rehearsal, "_SEEN_S", 0.2)

    async def sees(run: Run) -> None:
        if notices:
            await run.emit(Info(content="", metadata={"notice": "settings_not_trusted"}, **run.stamp()))

    bench.engine.plays(rehearsal.WORK_ON, calls("Bash", "t"), sees, waits_at(Gate()))
    found = (await findings(bench))[Behaviour.TAKES_UP_NO_CHANGE]
    assert found.holds is notices, found.detail


class Kept:
    def __init__(self, report: SelfCheck | None = None) -> None:
        self.report = report

    def self_check(self) -> SelfCheck | None:
        return self.report

    def remember_self_check(self, report: SelfCheck) -> None:
        self.report = report


def a_report(build: str = "this", *, keeps: bool = True) -> SelfCheck:
    findings = tuple(Finding(behaviour=each, holds=keeps or each != "keeps_a_question") for each in Behaviour)
    return SelfCheck(program="/claude", build=build, version="1", checked_at="now", findings=findings)


class Looked:
    def __init__(self, report: SelfCheck | None) -> None:
        self.times = 0
        self.report = report

    async def __call__(self) -> SelfCheck:
        self.times += 1
        if self.report is None:
            raise RuntimeError("the check itself broke")
        return self.report


def checks(
    looked: Callable[[], Awaitable[SelfCheck]], kept: Kept, told: list[bool], *, auto: bool = True
) -> SelfChecks:
    return SelfChecks(by_itself=auto, build=lambda: "this", examine=looked, memory=kept, defer=told.append)


async def test_a_build_is_looked_at_once() -> None:
    looked, kept, told = Looked(a_report()), Kept(), list[bool]()
    await checks(looked, kept, told).run()
    again = checks(looked, kept, told)
    await again.run()
    assert (looked.times, told, again.state) == (1, [True, True], "done")


async def test_another_build_is_looked_at_again() -> None:
    looked, kept, told = Looked(a_report()), Kept(a_report("earlier", keeps=False)), list[bool]()
    await checks(looked, kept, told).run()
    assert (looked.times, told) == (1, [True])


async def test_one_that_keeps_no_question_is_not_left_with_any() -> None:
    told = list[bool]()
    await checks(Looked(a_report(keeps=False)), Kept(), told).run()
    assert told == [False]


async def test_what_doctor_found_holds_where_nothing_looks_by_itself() -> None:
    looked, told = Looked(a_report()), list[bool]()
    off = checks(looked, Kept(), told, auto=False)
    await off.run()
    assert (looked.times, told, off.state) == (0, [], "off")
    await checks(looked, Kept(a_report(keeps=False)), told, auto=False).run()
    assert (looked.times, told) == (0, [False])


async def test_a_check_that_breaks_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    told, kept = list[bool](), Kept()
    broken = checks(Looked(None), kept, told)
    await broken.run()
    assert (broken.state, broken.report, told, kept.report) == ("failed", None, [], None)
    assert "glasshouse doctor" in caplog.text


def test_all_must_hold() -> None:
    assert a_report().holds
    assert not a_report(keeps=False).holds
    assert not a_report(keeps=False).has(Behaviour.KEEPS_A_QUESTION)
