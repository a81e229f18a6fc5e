"""The one end of a task, as a step of the log."""

from collections.abc import Sequence
from dataclasses import replace

from glasshouse.contract.events import Complete, CompleteMetadata, DurableEvent, Error, ErrorMetadata
from glasshouse.contract.phrase import Language
from glasshouse.contract.task import Failure, TaskResult, TaskStatus
from glasshouse.core import messages
from glasshouse.core.encoding import entry_of
from glasshouse.core.lifecycle import at_work, moved, still
from glasshouse.core.live import Reason
from glasshouse.core.ports import (
    Append,
    Figures,
    InstructionRecord,
    OpenInstructionsAre,
    Outcome,
    QuestionIsPending,
    QuestionRecord,
    SessionRecord,
    TaskRecord,
)
from glasshouse.core.times import timestamp
from glasshouse.core.work import Work


def judged(outcome: Outcome, reason: Reason | None, timeout_s: float, language: Language) -> Outcome:
    """An engine only knows that it was stopped; why, and so how the task ended, is known here."""
    if not outcome.stopped or reason not in (Reason.TIMED_OUT, Reason.UNANSWERED):
        return outcome
    timed_out = messages.TIMED_OUT.say(language, seconds=timeout_s)
    return Outcome(
        message=timed_out if reason is Reason.TIMED_OUT else messages.UNANSWERED.say(language),
        failure=Failure.TASK_TIMEOUT,
        cost_usd=outcome.cost_usd,
        num_turns=outcome.num_turns,
        engine_state=outcome.engine_state,
    )


def end_of_task(
    record: TaskRecord,
    outcome: Outcome,
    work: Work,
    *,
    now: str,
    duration_ms: int | None,
    language: Language,
    session: SessionRecord | None = None,
    questions: Sequence[QuestionRecord] = (),
    instructions: Sequence[InstructionRecord] = (),
    changes: Sequence[DurableEvent] = (),
    status: TaskStatus | None = None,
) -> Append:
    """The step that ends a task: its error if it has one, its `complete`, its record, its session's memory, and the
    questions and instructions that it takes along, which were all that was open, with the `changes` that tell of
    them."""
    if status is None:
        status = status_of(outcome)
    figures = figures_of(outcome, record.figures)
    result = TaskResult(
        success=status is TaskStatus.COMPLETED,
        message=outcome.message,
        cost_usd=figures.cost_usd,
        duration_ms=duration_ms,
        num_turns=figures.num_turns,
        files_changed=work.files_changed,
        tools_used=work.tools_used,
        error=outcome.failure,
    )
    metadata = CompleteMetadata(
        session_id=record.session_id,
        status=status,
        is_error=status is not TaskStatus.COMPLETED,
        cost_usd=figures.cost_usd,
        duration_ms=duration_ms,
        num_turns=figures.num_turns,
        files_changed=work.files_changed,
        tools_used=work.tools_used,
        unknown=work.open_calls,
    )
    ids = {"session_id": record.session_id, "task_id": record.task_id}
    events: list[DurableEvent] = [*changes]
    if outcome.failure is not None:
        content = outcome.message or messages.FAILED[outcome.failure].say(language)
        lifts_at = None if outcome.limit is None else outcome.limit.lifts_at
        reason = ErrorMetadata(
            error=outcome.failure, detail=outcome.detail, lifts_at=None if lifts_at is None else timestamp(lifts_at)
        )
        events.append(Error(content=content, timestamp=now, metadata=reason, **ids))
    events.append(Complete(content=messages.ENDED[status].say(language), timestamp=now, metadata=metadata, **ids))
    if session is not None:
        session = None if outcome.engine_state is None else replace(session, engine_state=outcome.engine_state)
    return Append(
        record.session_id,
        entries=[entry_of(event) for event in events],
        task=moved(record, status, ended_at=now, result=result, figures=figures),
        session=session,
        questions=questions,
        instructions=instructions,
        expect=(
            at_work(record) if record.status in (TaskStatus.RUNNING, TaskStatus.WAITING) else still(record),
            OpenInstructionsAre(record.task_id, frozenset(each.instruction_id for each in instructions)),
            *(QuestionIsPending(question.session_id, question.question_id) for question in questions),
        ),
    )


def figures_of(outcome: Outcome, known: Figures) -> Figures:
    """An engine that broke has none to tell; what it told while it ran is known."""
    return Figures(
        cost_usd=known.cost_usd if outcome.cost_usd is None else outcome.cost_usd,
        num_turns=known.num_turns if outcome.num_turns is None else outcome.num_turns,
    )


def status_of(outcome: Outcome) -> TaskStatus:
    if outcome.failure is not None:
        return TaskStatus.FAILED
    return TaskStatus.CANCELLED if outcome.stopped else TaskStatus.COMPLETED
