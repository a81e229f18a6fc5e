"""Our own tool ask_user_question on the real Claude Code: its forms, its follow-ups, its templates."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.integration.engines.house import living
from tests.integration.engines.stage import PROMPT, Stage

from glasshouse.contract.question import Question
from glasshouse.contract.task import TaskStatus
from glasshouse.testing.offline_model import Call, Conversation, Reply, Say, played

TOOL = "mcp__glasshouse__ask_user_question"
FLAT = {
    "question_id": "auth",
    "question_text": "How to sign in?",
    "type": "multiple_choice",
    "options": [{"id": "oauth", "label": "OAuth"}, {"id": "none", "label": "Not at all"}],
    "follow_up_questions": {
        "oauth": [
            {
                "question_id": "providers",
                "question_text": "Which providers?",
                "type": "checkbox",
                "options": [{"id": "google", "label": "Google"}, {"id": "github", "label": "GitHub"}],
            }
        ]
    },
}


def plays(stage: Stage, *replies: Any, prompt: str = PROMPT) -> None:
    stage.scripts[:] = [played(prompt, *replies), *stage.scripts]


async def test_it_is_on_offer_at_once(stage: Stage) -> None:
    await stage.do(stage.run(Say("Yes.")))

    assert TOOL in {tool["name"] for tool in stage.asked[-1]["tools"]}


@pytest.mark.parametrize("defer", ["auto", "never"])
async def test_a_flat_question_is_answered_as_003_says(stage: Stage, defer: Any) -> None:
    plays(stage, (Call(TOOL, FLAT, id="toolu_r"),), Say("Thanks."))
    async with living(stage, defer=defer) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        assert question.question_id == "auth"
        await house.answer(question, "oauth")
        [follow_up] = await house.asked(task)
        await house.answer(follow_up, ["github"])
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        told = json.loads((await house.results(task))["toolu_r"])
        assert told == {"question_id": "auth", "answer": "oauth", "answers": {"providers": ["github"]}}


async def test_an_array_is_answered_as_002_says_with_the_answers_by_id(stage: Stage) -> None:
    questions = [
        {"question_id": "port", "question_text": "Which port?", "type": "text"},
        {"question": "Sure?", "type": "boolean", "question_id": "sure"},
        {"question": "Same?", "type": "text"},
        {"question": "Same?", "type": "text"},
    ]
    plays(stage, (Call(TOOL, {"questions": questions}, id="toolu_r"),), Say("Thanks."))
    async with living(stage) as house:
        task = await house.admit()
        asked = await house.asked(task, 4)
        for question, answer in zip(asked, ("8080", True, "one", "two"), strict=True):
            await house.answer(question, answer)
        await house.ended(task)

        sentence, answers = (await house.results(task))["toolu_r"].split("\n")
        assert sentence.startswith('User has answered your questions: "Which port?"="8080", "Sure?"="true"')
        told = json.loads(answers)
        assert told == {"port": "8080", "sure": True, "toolu_r:3": "one", "toolu_r:4": "two"}


async def test_a_template_is_asked_by_its_id_and_again_under_a_number(stage: Stage) -> None:
    template = Question.model_validate({"question_id": "port", "question_text": "Which port?", "type": "text"})
    asks = [Call(TOOL, {"question_id": "port"}, id=f"toolu_{n}") for n in (1, 2)]
    plays(stage, (asks[0],), (asks[1],), Say("Thanks."))
    async with living(stage) as house:
        task = await house.admit(questions=(template,))
        for expected in ("port", "port#2"):
            [question] = await house.asked(task)
            assert (question.question_id, question.question.question_text) == (expected, "Which port?")
            await house.answer(question, "80")
            await house.until_settled_by(task, question)
        await house.ended(task)

        assert json.loads((await house.results(task))["toolu_2"]) == {"question_id": "port#2", "answer": "80"}


async def test_a_template_that_nobody_gave_is_told(stage: Stage) -> None:
    plays(stage, (Call(TOOL, {"question_id": "port"}, id="toolu_r"),), Say("Sorry."))
    async with living(stage) as house:
        task = await house.admit()
        await house.ended(task)

        assert "no question of the request has this id" in (await house.results(task))["toolu_r"]


async def test_a_sub_agents_question_waits_with_its_process(stage: Stage) -> None:
    plays(stage, (Call(TOOL, FLAT, id="toolu_r"),), Say("Found."), prompt="Look around.")
    agent = {"description": "look", "prompt": "Look around.", "subagent_type": "general-purpose"}
    plays(stage, (Call("Agent", agent, id="toolu_a"),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        assert list((stage.root / "runs").glob("*"))
        await house.answer(question, "none")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert json.loads((await house.results(task))["toolu_r"]) == {"question_id": "auth", "answer": "none"}


@pytest.mark.parametrize("tool", [TOOL, "AskUserQuestion"])
async def test_a_mode_that_asks_for_no_permission_still_asks_questions(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    monkeypatch.setenv("IS_SANDBOX", "1")
    options = [{"label": "OAuth", "description": "1"}, {"label": "None", "description": "2"}]
    asks = {"questions": [{"question": "How?", "header": "H", "multiSelect": False, "options": options}]}
    plays(stage, (Call(tool, asks, id="toolu_r"),), Say("Thanks."))
    async with living(stage) as house:
        task = await house.admit(permission_mode="bypassPermissions")
        [question] = await house.asked(task)
        await house.until_left(task)
        await house.answer(question, "OAuth")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert '"How?"="OAuth"' in (await house.results(task))["toolu_r"]


class InTurn:
    """Whatever the prompt has become: a skill's name stands for its text."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = replies

    def reply(self, conversation: Conversation) -> Reply:
        return self._replies[conversation.replies]


async def test_the_skill_that_ships_tells_the_model_to_ask_and_its_example_can_be_asked(stage: Stage) -> None:
    shipped = Path(__file__).parents[3] / "docs" / "skills" / "ask-the-user"
    shutil.copytree(shipped, stage.project / ".claude" / "skills" / shipped.name)
    skill = (shipped / "SKILL.md").read_text()
    [example] = re.findall(r"```json\n(.*?)```", skill, re.DOTALL)
    stage.scripts[:] = [InTurn((Call(TOOL, json.loads(example), id="toolu_1"),), (Say("Done."),))]
    async with living(stage, trust="ask") as house:
        # A skill is text: its directory is not asked about.
        task = await house.admit("/ask-the-user write a report")
        [question] = await house.asked(task)
        assert question.question_id == "format"
        await house.answer(question, "html")
        assert (await house.ended(task)).status is TaskStatus.COMPLETED
    told = str(stage.asked[-1]["messages"])
    assert "Ask nothing that the files already answer" in told and "write a report" in told
    assert '"format": "html"' in told
