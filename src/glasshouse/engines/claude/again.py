"""What nobody answered in time is asked again in the session's next task, before its prompt is sent."""

from contextlib import suppress

from glasshouse.claude_home.unfinished import Unfinished
from glasshouse.contract.errors import QuestionInvalid
from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.core.ports import Call, Run
from glasshouse.engines.claude.asking import asking_again, base_of


async def times_of(run: Run, call_id: str) -> list[Call]:
    """The call as Claude Code knows it, and as often as it was asked again."""
    times: list[Call] = []
    while found := await run.call(call_id if not times else f"{call_id}#{len(times) + 1}"):
        times.append(found)
    return times


async def asked_in(run: Run, times: list[Call]) -> Call:
    """The last of these times, or once more where that was in vain and in an earlier task. Raises QuestionInvalid."""
    last = times[-1]
    if last.roots[0].task_id == run.task.task_id or not _is_out_of_time(last):
        return last
    return await run.ask(asking_again(times[0], 1 + len(times)))


async def waits_first(run: Run, left: Unfinished) -> bool:
    """Whether a person is asked before there is a process: of what Claude Code asked, and has lost.

    What it kept it presents by itself; what was left behind by a rewinding nobody is to answer."""
    waits = False
    unanswered = await run.unanswered(QuestionKind.QUESTION)
    for call_id in dict.fromkeys(base_of(record.call_id) for record in unanswered):
        if call_id == left.deferred or call_id not in left.asked - left.results:
            continue
        # Its new id may be somebody else's by now; the prompt is not to wait for that.
        with suppress(QuestionInvalid):
            call = await asked_in(run, await times_of(run, call_id))
            waits = waits or not call.is_settled
    return waits


def _is_out_of_time(call: Call) -> bool:
    return any(record.state is QuestionState.TIMEOUT for record in call.roots)
