"""What is asked beside something else: a permission in the same message, in a stream or without one, many answers."""

import asyncio
from itertools import permutations
from typing import Any

import pytest
from tests.integration.engines.house import House, living
from tests.integration.engines.stage import PROMPT, Stage

from glasshouse.contract.errors import AlreadyAnswered
from glasshouse.contract.question import Door, QuestionKind
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import QuestionRecord, TaskRecord
from glasshouse.core.questions.settling import Given
from glasshouse.core.settings import Defer
from glasshouse.testing.offline_model import Call, Part, Say, Whole, played

OPTIONS = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
QUESTION = {"questions": [{"question": "Colour?", "header": "H", "multiSelect": False, "options": OPTIONS}]}
ASKS = Call("AskUserQuestion", QUESTION, id="toolu_q")
EITHER_WAY = pytest.mark.parametrize("defer", ["auto", "never"])


def notes(stage: Stage, word: str, id: str = "toolu_b") -> Call:
    return Call("Bash", {"command": f"echo {word} >> {stage.project}/ledger", "description": "note"}, id=id)


def ledger(stage: Stage) -> list[str]:
    return (stage.project / "ledger").read_text().split()


def plays(stage: Stage, *replies: tuple[Part, ...]) -> None:
    stage.scripts[:] = [played(PROMPT, *replies)]


async def answered(house: House, task: TaskRecord) -> TaskRecord:
    """At its end: whatever it asked until then was answered, once."""
    ended = asyncio.create_task(house.ended(task))
    while not ended.done():
        for question in await house.questions(task, pending=True):
            await house.answer(question, "Red" if question.kind is QuestionKind.QUESTION else "allow")
        await asyncio.wait({ended}, timeout=0.05)
    return ended.result()


@EITHER_WAY
@pytest.mark.parametrize("begun", [(), (Whole(),)], ids=["streamed", "whole"])
@pytest.mark.parametrize("order", list(permutations((0, 1))), ids=["question-first", "permission-first"])
async def test_a_question_and_a_permission_in_one_message_are_both_answered(
    stage: Stage, order: tuple[int, ...], begun: tuple[Part, ...], defer: Defer
) -> None:
    calls = (ASKS, notes(stage, "one"))
    plays(stage, (*begun, *(calls[place] for place in order)), (Say("Done."),))
    async with living(stage, defer=defer) as house:
        task = await house.admit()
        ended = await answered(house, task)

        assert ended.status is TaskStatus.COMPLETED
        assert ended.result is not None and ended.result.message == "Done."
        assert '="Red"' in (await house.results(task))["toolu_q"]
        assert ledger(stage) == ["one"]
        assert len(await house.questions(task)) == 2


@EITHER_WAY
async def test_asked_in_a_message_without_a_stream_it_waits_with_its_process(stage: Stage, defer: Defer) -> None:
    plays(stage, (Whole(), ASKS, notes(stage, "one"), notes(stage, "two", "toolu_c")), (Say("Done."),))
    async with living(stage, defer=defer) as house:
        task = await house.admit(tools=("Bash",))
        [question] = await house.asked(task)
        assert [request["stream"] for request in stage.asked[-2:]] == [True, False]
        # What Claude Code was told to put off it asks all the same.
        assert list((stage.root / "runs").glob("*"))
        await house.answer(question, "Red")
        ended = await house.ended(task)

        assert ended.result is not None and ended.result.message == "Done."
        assert '="Red"' in (await house.results(task))["toolu_q"]
        assert ledger(stage) == ["one", "two"]
        assert (await house.record(question)).way == "live"


# faults: D2
@EITHER_WAY
async def test_of_fifty_answers_at_once_from_two_doors_claude_code_gets_the_one_that_won(
    stage: Stage, defer: Defer
) -> None:
    plays(stage, (ASKS,), (Say("Done."),))
    async with living(stage, defer=defer) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        outcomes = await asyncio.gather(*(_at_door(house, question, number) for number in range(50)))
        await house.ended(task)

        [winner] = [number for number, outcome in enumerate(outcomes) if outcome is None]
        won = await house.record(question)
        assert (won.answer, won.door) == ({"other": f"colour {winner}"}, _door(winner).value)
        assert [outcome for outcome in outcomes if outcome is not None] == [won.door] * 49
        assert f'="colour {winner}"' in (await house.results(task))["toolu_q"]


def _door(number: int) -> Door:
    return Door.CONSOLE if number % 2 else Door.API


async def _at_door(house: House, question: QuestionRecord, number: int) -> Any:
    """The door that was first, None if it was this one."""
    given = Given({"other": f"colour {number}"}, _door(number), {})
    try:
        await house.desk.answer(question.session_id, question.question_id, given)
    except AlreadyAnswered as other:
        return other.winner["door"]
    return None
