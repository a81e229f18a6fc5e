"""What one act does to an asking call: which questions it settles, and which it opens. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from glasshouse.contract.errors import InvalidAnswer
from glasshouse.contract.question import Door, QuestionKind, QuestionState, QuestionType
from glasshouse.core.ports import AnsweredBy, QuestionRecord
from glasshouse.core.questions.answers import default_of, opened_by, read_answer
from glasshouse.core.questions.records import Act, follow_up_of, settled

PENDING, ANSWERED = QuestionState.PENDING, QuestionState.ANSWERED
CANCELLED, TIMEOUT = QuestionState.CANCELLED, QuestionState.TIMEOUT


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it came in. `answer` None declines; `answers` are those to other questions of the same call."""

    answer: Any
    door: Door
    answers: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None
    updated_input: Mapping[str, Any] | None = None
    # The task is not to go on, but to end.
    stop: bool = False


class Change(NamedTuple):
    """Records that are new or different, in the order of asking; `cleaned`: control characters were taken out."""

    records: Sequence[QuestionRecord]
    cleaned: bool = False


def holds(record: QuestionRecord) -> bool:
    """Whether its call waits for it: an optional follow-up is waited for only as long as something else is."""
    return record.state is PENDING and (record.parent_id is None or record.question.required)


def answer(
    call: Sequence[QuestionRecord], record: QuestionRecord, given: Given, *, at: str, due: float | None
) -> Change:
    """Raises InvalidAnswer, and then nothing has changed."""
    if record.question_id in given.answers:
        raise InvalidAnswer(f"answers: {record.question_id} ×2")
    act = Act(AnsweredBy.PERSON, at, given.door)
    answers = {**given.answers, record.question_id: given.answer}
    waiting = [record, *(each for each in call if each.state is PENDING and each.question_id in given.answers)]
    changed: list[QuestionRecord] = []
    cleaned = False
    while waiting:
        each = waiting.pop(0)
        # What was said beside the answer goes with it.
        beside: dict[str, Any] = {}
        if each is record:
            beside = {"reason": given.reason, "updated_input": given.updated_input, "ends_task": given.stop}
        if each.question_id not in answers:
            changed.append(each)
        elif (value := answers.pop(each.question_id)) is None:
            changed.append(settled(each, CANCELLED, act, **beside))
        else:
            read = read_answer(each.question, value)
            cleaned = cleaned or read.cleaned
            done = settled(each, ANSWERED, act, answer=read.answer, **beside)
            changed.append(done)
            opened = opened_by(each.question, read.answer)
            waiting.extend(follow_up_of(done, question, asked_at=at, due=due) for question in opened)
    if answers:
        raise InvalidAnswer(f"answers: {', '.join(sorted(answers))[:200]}")
    if given.updated_input is not None and not _allows(changed[0]):
        raise InvalidAnswer("updated_input: permission, allow / allow_session")
    return Change(_without_idle(call, changed, at), cleaned)


def time_out(call: Sequence[QuestionRecord], *, at: str) -> Change:
    """The declared defaults, if everything required has one; else nothing is answered."""
    by_default, by_nobody = Act(AnsweredBy.DEFAULT, at), Act(AnsweredBy.NOBODY, at)
    pending = [record for record in call if record.state is PENDING]
    waiting = list(pending)
    changed: list[QuestionRecord] = []
    while waiting:
        each = waiting.pop(0)
        default = default_of(each.question)
        if default is None and each.question.required:
            return Change([settled(record, TIMEOUT, by_nobody) for record in pending])
        if default is None and each.parent_id is not None:
            changed.append(each)
            continue
        if default is None:
            default = [] if each.question.type is QuestionType.CHECKBOX else ""
        done = settled(each, ANSWERED, by_default, answer=default)
        changed.append(done)
        opened = opened_by(each.question, default)
        waiting.extend(follow_up_of(done, question, asked_at=at, due=None) for question in opened)
    return Change(_without_idle(call, changed, at))


def withdraw(call: Sequence[QuestionRecord], *, at: str) -> Change | None:
    """Nobody answers what waits of it; None if nothing does."""
    nobody = Act(AnsweredBy.NOBODY, at)
    pending = [settled(record, CANCELLED, nobody) for record in call if record.state is PENDING]
    return Change(pending) if pending else None


def _allows(record: QuestionRecord) -> bool:
    return record.kind is QuestionKind.PERMISSION and record.answer in ("allow", "allow_session")


def _without_idle(
    call: Sequence[QuestionRecord], changed: Sequence[QuestionRecord], at: str
) -> Sequence[QuestionRecord]:
    """Once nothing holds the call, optional follow-ups that waited go, and new ones do not come."""
    after = {record.question_id: record for record in (*call, *changed)}
    if any(holds(record) for record in after.values()):
        return changed
    known = {record.question_id for record in call}
    idle = [record for record in after.values() if record.state is PENDING and record.question_id in known]
    nobody = Act(AnsweredBy.NOBODY, at)
    return [
        *(record for record in changed if record.state is not PENDING),
        *(settled(record, CANCELLED, nobody) for record in idle),
    ]
