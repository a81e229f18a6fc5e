"""What an MCP server asks of a person comes to the desk like any other question, on the real Claude Code."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.integration.engines.house import House, living
from tests.integration.engines.stage import PROMPT, Stage

from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import AnsweredBy, QuestionRecord, TaskRecord
from glasshouse.testing.offline_model import Call, Say, played


def plays(stage: Stage, tool: str, *after: Any) -> None:
    server = {
        "type": "stdio",
        "command": sys.executable,
        "args": [str(Path(__file__).with_name("eliciting_server.py")), str(stage.root / "answered")],
    }
    stage.user_has_mcp_server(server)
    stage.scripts[:] = [played(PROMPT, (Call(f"mcp__mine__{tool}", {}, id="toolu_e"),), *after, Say("Done."))]


async def begun(house: House, tool: str) -> TaskRecord:
    return await house.admit(tools=(f"mcp__mine__{tool}",))


def told(stage: Stage) -> Any:
    return json.loads((stage.root / "answered").read_text())


async def test_a_form_is_asked_field_by_field_and_answered_whole(stage: Stage) -> None:
    plays(stage, "form")
    async with living(stage) as house:
        task = await begun(house, "form")
        fields = await house.asked(task, 3)
        assert [field.kind for field in fields] == [QuestionKind.ELICITATION] * 3
        assert [field.question.question_text for field in fields] == ["Name", "age", "sure"]
        event = (await house.events(task, "ask_user_question"))[0]["question"]
        assert (event["mcp_server"], event["message"], event["group"]["total"]) == ("mine", "Who are you?", 3)
        for field, answer in zip(fields, ["Zoë <b>", "many", True], strict=True):
            await house.answer(field, answer)
        again = await until_asked_again(house, task, fields)
        for field, answer in zip(again, ["Zoë <b>", "33", True], strict=True):
            await house.answer(field, answer)
        ended = await house.ended(task)

    assert ended.status is TaskStatus.COMPLETED
    assert told(stage) == {"action": "accept", "content": {"name": "Zoë <b>", "age": 33, "sure": True}}


async def until_asked_again(house: House, task: TaskRecord, before: list[QuestionRecord]) -> list[QuestionRecord]:
    async with asyncio.timeout(30):
        while True:
            found = await house.asked(task, 3)
            if {each.question_id for each in found}.isdisjoint(each.question_id for each in before):
                return found
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(("answer", "action"), [("accept", "accept"), ("decline", "decline"), (None, "decline")])
async def test_a_page_to_open_is_shown_whole(stage: Stage, answer: str | None, action: str) -> None:
    plays(stage, "page")
    async with living(stage) as house:
        task = await begun(house, "page")
        [question] = await house.asked(task)
        assert question.subject["url"] == "https://example.invalid/sign-in"
        await house.answer(question, answer)
        ended = await house.ended(task)

    assert ended.status is TaskStatus.COMPLETED
    assert told(stage) == {"action": action}


async def test_a_server_that_no_longer_wants_to_know_takes_its_question_back(stage: Stage) -> None:
    plays(stage, "impatient")
    async with living(stage) as house:
        task = await begun(house, "impatient")
        ended = await house.ended(task)
        questions = await house.questions(task)

    assert ended.status is TaskStatus.COMPLETED
    assert {(each.state, each.answered_by) for each in questions} <= {(QuestionState.CANCELLED, AnsweredBy.NOBODY)}


async def test_stop_ends_it_and_the_server_is_told(stage: Stage) -> None:
    plays(stage, "form")
    async with living(stage) as house:
        task = await begun(house, "form")
        fields = await house.asked(task, 3)
        await house.execution.stop(task.task_id)
        ended = await house.ended(task)
        after = [await house.record(field) for field in fields]

    assert ended.status is TaskStatus.CANCELLED
    assert {each.answered_by for each in after} <= {AnsweredBy.TASK_END, AnsweredBy.NOBODY}
    assert not (stage.root / "answered").exists() or told(stage)["action"] == "cancel"


async def test_an_answer_that_outlives_its_server_goes_as_a_message(stage: Stage) -> None:
    # faults: D6
    plays(stage, "form")
    async with living(stage) as house:
        task = await begun(house, "form")
        fields = await house.asked(task, 3)
    async with living(stage, house.store) as later:
        for field, answer in zip(fields, ["Zoë", "3", True], strict=True):
            await later.answer(field, answer)
        ended = await later.ended(task)
        ways = {(await later.record(field)).way for field in fields}

    assert ended.status is TaskStatus.COMPLETED
    assert ways == {"message"}
    assert "Zoë" in json.dumps(stage.asked[-1], ensure_ascii=False)
