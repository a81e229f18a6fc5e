"""How a process begins: with the prompt, or where its session stopped to wait for a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from glasshouse.claude_home.unfinished import Unfinished
from glasshouse.contract.ids import uuid_of
from glasshouse.contract.instruction import ReceiptState
from glasshouse.contract.phrase import Language
from glasshouse.contract.question import QuestionKind
from glasshouse.contract.task import PermissionMode
from glasshouse.core.ports import AttachedFile, Call, EngineTask, InstructionRecord, QuestionRecord, Run
from glasshouse.engines.claude.answering import go_on, is_allowed, is_approved, message_about, tool_of
from glasshouse.engines.claude.asking import APPROVE_ACCEPT_EDITS, base_of
from glasshouse.engines.claude.grants import SessionGrants

RESUMED, MESSAGE = "resumed", "message"


@dataclass(frozen=True, slots=True)
class Present:
    """Claude Code is left to present the call that it kept; nothing is said to it."""

    call_id: str


@dataclass(frozen=True, slots=True)
class Say:
    """`told` are the calls whose answers this brings."""

    text: str
    uuid: str
    told: tuple[str, ...] = ()
    files: tuple[AttachedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Beginning:
    steps: Sequence[Present | Say]
    # Allowed, and not run: good for the same call once more.
    approved: Sequence[Call]
    grants: SessionGrants
    # The questions about the session's directory that were answered.
    trusted: Sequence[QuestionRecord]
    # Of the calls that were asked before, by their ids.
    tools: Mapping[str, str]


async def beginning_of(run: Run, task: EngineTask, left: Unfinished, language: Language) -> Beginning:
    await note_heard(run, left)
    calls = await _untold(run, task, left)
    lost = [call for call in calls if base_of(call.call_id) != left.deferred]
    steps: list[Present | Say] = []
    if left.deferred is not None:
        steps.append(Present(left.deferred))
    if lost:
        steps.append(_answers(task, lost, left, language))
    elif not _is_prompted(task, left):
        steps.append(Say(task.prompt, uuid_of(task.task_id), files=task.attachments))
    elif not steps and not any(each.mode is not None for each in await run.instructions()):
        steps.append(Say(go_on(language), uuid_of(task.task_id, "on", str(len(left.messages)))))
    answered = await run.answered(QuestionKind.PERMISSION, QuestionKind.TRUST)
    return Beginning(
        steps,
        approved=[call for call in calls if _is_approval(call)],
        grants=SessionGrants.of(each for each in answered if each.kind is QuestionKind.PERMISSION),
        trusted=[each for each in answered if each.kind is QuestionKind.TRUST],
        tools={base_of(call.call_id): tool_of(call) for call in calls},
    )


async def note_heard(run: Run, left: Unfinished) -> None:
    """Messages that an earlier process was told, and that its conversation holds, are not told again."""
    told = [each for each in await run.instructions() if each.receipt is ReceiptState.DELIVERED]
    await run.note(heard_of(told, left), ReceiptState.CONSUMED)


def heard_of(told: Sequence[InstructionRecord], left: Unfinished) -> Sequence[InstructionRecord]:
    """Up to the last that the conversation holds: where Claude Code made one prompt of several, it names that one."""
    places = [
        place
        for place, each in enumerate(told, 1)
        if each.mode is not None and uuid_of(each.task_id, each.instruction_id) in left.messages
    ]
    return [each for each in told[: max(places, default=0)] if each.mode is not None]


async def _untold(run: Run, task: EngineTask, left: Unfinished) -> list[Call]:
    """Where the transcript has the result of a call, or the message with its answer, it was told."""
    untold = []
    for call in await run.open_calls() if task.continued else ():
        if base_of(call.call_id) in left.results:
            await run.told(call.call_id, RESUMED)
        elif not _is_approval(call) and uuid_of(task.task_id, call.call_id) in left.messages:
            await run.told(call.call_id, MESSAGE)
        elif call.is_settled:
            untold.append(call)
    return untold


def _answers(task: EngineTask, lost: Sequence[Call], left: Unfinished, language: Language) -> Say:
    text = message_about(lost, language)
    # An approval stays open until it is spent, and is told again as often as it takes.
    told = tuple(call.call_id for call in lost if not _is_approval(call))
    if not _is_prompted(task, left):
        return Say(f"{task.prompt}\n\n{text}", uuid_of(task.task_id), told, task.attachments)
    return Say(text, uuid_of(task.task_id, told[0] if told else str(len(left.messages))), told)


async def with_approved_mode(run: Run, task: EngineTask) -> EngineTask:
    """A plan that was approved is carried out in the mode that the approval named."""
    for call in await run.answered(QuestionKind.PLAN_APPROVAL) if task.continued else ():
        if call.task_id == task.task_id and is_approved(call) and _is_newer(call, task):
            mode: PermissionMode = "acceptEdits" if call.answer == APPROVE_ACCEPT_EDITS else "default"
            task = replace(task, permission_mode=mode)
    return task


def _is_prompted(task: EngineTask, left: Unfinished) -> bool:
    return task.prompted or uuid_of(task.task_id) in left.messages


def _is_newer(approval: QuestionRecord, task: EngineTask) -> bool:
    """Than what a person has changed the mode to."""
    return task.mode_changed_at is None or (approval.answered_at or "") > task.mode_changed_at


def _is_approval(call: Call) -> bool:
    return call.roots[0].kind is QuestionKind.PERMISSION and is_allowed(call.roots[0])
