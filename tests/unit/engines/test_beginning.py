"""How a process begins, from what the log and the transcript say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from tests.unit.engines.test_answering import answered, asked, permission

from glasshouse.claude_home.unfinished import Unfinished
from glasshouse.contract.ids import uuid_of
from glasshouse.contract.instruction import MessageMode, ReceiptState
from glasshouse.contract.question import QuestionKind
from glasshouse.core.ports import Call, EngineTask, InstructionRecord, QuestionRecord, Run
from glasshouse.engines.claude.beginning import Beginning, Present, Say, beginning_of, with_approved_mode
from glasshouse.engines.claude.grants import Approvals

TASK = EngineTask("t", "s", "Do it.", "/work", None, None, "default", None, None, False, False, {}, continued=True)


class Log:
    """What a run's log says of its calls; the rest of the port is not needed here."""

    def __init__(self, *calls: Call, answered: Sequence[QuestionRecord] = ()) -> None:
        self.calls = list(calls)
        self.ways: dict[str, str] = {}
        self._answered = answered
        self.said: list[InstructionRecord] = []

    async def open_calls(self) -> Sequence[Call]:
        return [call for call in self.calls if call.call_id not in self.ways]

    async def told(self, call_id: str, way: str) -> None:
        self.ways[call_id] = way

    async def answered(self, *kinds: QuestionKind) -> Sequence[QuestionRecord]:
        return [record for record in self._answered if record.kind in kinds]

    async def instructions(self) -> Sequence[InstructionRecord]:
        return [each for each in self.said if each.is_open]

    async def note(
        self, instructions: Sequence[InstructionRecord], receipt: ReceiptState, reason: str | None = None
    ) -> None:
        ids = {each.instruction_id for each in instructions}
        self.said = [replace(each, receipt=receipt) if each.instruction_id in ids else each for each in self.said]

    @property
    def run(self) -> Run:
        return cast("Run", self)


async def begun(log: Log, left: Unfinished, task: EngineTask = TASK) -> Beginning:
    return await beginning_of(log.run, task, left, "en")


async def prompt_of(task: EngineTask = TASK) -> Say:
    [step] = (await begun(Log(), Unfinished(), replace(task, continued=False))).steps
    assert isinstance(step, Say)
    return step


async def heard(*more: str) -> frozenset[str]:
    """The messages of a transcript that has the task's prompt."""
    return frozenset({(await prompt_of()).uuid, *more})


async def test_a_fork_that_has_the_prompt_is_told_the_answer_alone() -> None:
    call = answered(asked("Colour?"), "Red")
    [step] = (await begun(Log(call), Unfinished(), replace(TASK, prompted=True))).steps
    assert isinstance(step, Say)
    assert TASK.prompt not in step.text and "Red" in step.text and step.told == (call.call_id,)


async def test_a_task_begins_with_its_prompt() -> None:
    step = await prompt_of()

    assert (step.text, step.told) == ("Do it.", ())


async def test_a_call_of_an_earlier_task_is_settled_before_the_prompt() -> None:
    new = replace(TASK, task_id="another", continued=False)
    steps = (await begun(Log(), Unfinished(True, deferred="toolu_old"), new)).steps

    assert steps[0] == Present("toolu_old")
    assert isinstance(steps[1], Say) and steps[1].text == "Do it."


async def test_a_call_that_was_kept_is_left_to_be_presented() -> None:
    call = answered(asked("Colour?"), "Red")
    begin = await begun(Log(call), Unfinished(True, messages=await heard(), deferred="c"))

    assert begin.steps == [Present("c")] and begin.tools == {"c": "AskUserQuestion"}


async def test_a_call_that_was_lost_is_answered_by_a_message() -> None:
    call = answered(asked("Colour?"), "Red")
    [step] = (await begun(Log(call), Unfinished(True, messages=await heard()))).steps

    assert isinstance(step, Say) and step.told == ("c",)
    assert "You asked: Colour?\nThe user answered: Red" in step.text and "Do it." not in step.text


async def test_without_a_transcript_all_begins_anew_with_the_answers() -> None:
    call = answered(asked("Colour?"), "Red")
    [step] = (await begun(Log(call), Unfinished())).steps

    assert isinstance(step, Say) and step.text.startswith("Do it.\n\n") and "The user answered: Red" in step.text


async def test_what_the_transcript_has_is_told_already() -> None:
    log = Log(answered(asked("Colour?"), "Red"))
    [step] = (await begun(log, Unfinished(True, frozenset({"c"}), await heard()))).steps

    assert log.ways == {"c": "resumed"}
    assert isinstance(step, Say) and step.told == () and "Go on." in step.text


async def test_a_message_that_arrived_is_not_sent_again() -> None:
    call = answered(asked("Colour?"), "Red")
    [sent] = (await begun(Log(call), Unfinished(True, messages=await heard()))).steps
    assert isinstance(sent, Say)
    log = Log(call)
    await begun(log, Unfinished(True, messages=await heard(sent.uuid)))

    assert log.ways == {"c": "message"}


async def test_an_approval_is_named_and_stays_open_until_it_is_spent() -> None:
    call = answered(permission(command="ls"), "allow")
    log = Log(call)
    begin = await begun(log, Unfinished(True, messages=await heard()))

    [step] = begin.steps
    assert isinstance(step, Say) and step.told == () and '{"command":"ls"}' in step.text
    assert begin.approved == [call] and log.ways == {}


async def test_an_approval_is_spent_once_and_on_nothing_else() -> None:
    log = Log()
    approvals = Approvals(log.run, [answered(permission(command="ls", timeout=1), "allow")])

    assert not await approvals.spend("Bash", {"command": "ls"})
    assert not await approvals.spend("Read", {"command": "ls", "timeout": 1})
    assert await approvals.spend("Bash", {"timeout": 1, "command": "ls"})
    assert log.ways == {"c": "spent"}
    assert not await approvals.spend("Bash", {"command": "ls", "timeout": 1})


async def test_what_was_allowed_for_the_session_is_found_in_the_log() -> None:
    once = answered(permission(command="once"), "allow").roots
    always = answered(permission(command="always"), "allow_session").roots
    grants = (await begun(Log(answered=[*once, *always]), Unfinished())).grants

    assert grants.hold_for("Bash", {"command": "always"})
    assert not grants.hold_for("Bash", {"command": "once"})


async def test_an_approved_plan_is_carried_out_in_the_mode_that_was_approved() -> None:
    def plan(answer: Any, task_id: str = "t") -> Log:
        from_plan = answered(permission(command="x"), answer).roots[0]
        return Log(answered=[replace(from_plan, kind=QuestionKind.PLAN_APPROVAL, task_id=task_id)])

    planning = replace(TASK, permission_mode="plan")
    assert (await with_approved_mode(plan("approve").run, planning)).permission_mode == "default"
    assert (await with_approved_mode(plan("approve_accept_edits").run, planning)).permission_mode == "acceptEdits"
    assert (await with_approved_mode(plan("keep_planning").run, planning)).permission_mode == "plan"
    assert (await with_approved_mode(plan("approve", "another").run, planning)).permission_mode == "plan"


# --- messages that people sent meanwhile


def said(*contents: str, receipt: ReceiptState = ReceiptState.DELIVERED) -> list[InstructionRecord]:
    return [
        InstructionRecord("t", f"m-{content}", "s", "", mode=MessageMode.STEER, content=content, receipt=receipt)
        for content in contents
    ]


def receipts(log: Log) -> list[str]:
    return [each.receipt.value for each in log.said]


async def test_a_message_that_the_transcript_has_is_consumed_and_those_before_it_too() -> None:
    log = Log()
    log.said = said("a", "b", "c")
    left = Unfinished(True, messages=await heard(uuid_of("t", "m-b")))
    begin = await begun(log, left)

    assert receipts(log) == ["consumed", "consumed", "delivered"]
    assert begin.steps == []


async def test_a_message_that_never_left_the_log_is_not_consumed_by_a_later_one() -> None:
    log = Log()
    log.said = [*said("a", receipt=ReceiptState.ACCEPTED), *said("b")]
    await begun(log, Unfinished(True, messages=await heard(uuid_of("t", "m-b"))))

    assert receipts(log) == ["accepted", "consumed"]


async def test_a_message_takes_the_place_of_the_word_to_go_on() -> None:
    log = Log()
    log.said = said("a", receipt=ReceiptState.ACCEPTED)

    assert (await begun(log, Unfinished(True, messages=await heard()))).steps == []


@pytest.mark.parametrize(("changed_at", "mode"), [("2026-01-01", "default"), ("2026-01-03", "plan")])
async def test_of_an_approved_plan_and_a_changed_mode_the_later_holds(changed_at: str, mode: str) -> None:
    plan = answered(asked("Plan?"), "approve").roots[0]
    approved = replace(plan, kind=QuestionKind.PLAN_APPROVAL, task_id="t", answered_at="2026-01-02")
    task = replace(TASK, permission_mode="plan", mode_changed_at=changed_at)

    assert (await with_approved_mode(Log(answered=[approved]).run, task)).permission_mode == mode
