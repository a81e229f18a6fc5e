"""Questions on the real Claude Code: asked, left, answered, and gone on with."""

import json
from typing import Any

import pytest
from tests.integration.engines.house import House, living
from tests.integration.engines.stage import PROMPT, Stage

from glasshouse.contract.errors import RecursiveLimitExceeded
from glasshouse.contract.question import QuestionType
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import AnsweredBy
from glasshouse.core.settings import Defer
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.offline_model import Call, Say, demo_scripts, examples, played

EITHER_WAY = pytest.mark.parametrize("defer", ["auto", "never"])


def asks(*texts: str, id: str = "toolu_q", multi: bool = False) -> Call:
    options = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
    questions = [{"question": text, "header": "H", "multiSelect": multi, "options": options} for text in texts]
    return Call("AskUserQuestion", {"questions": questions}, id=id)


def plays(stage: Stage, *replies: Any, prompt: str = PROMPT) -> None:
    stage.scripts[:] = [played(prompt, *replies), *stage.scripts]


def no_process(house: House) -> bool:
    return not list((house.stage.root / "runs").glob("*"))


async def test_a_question_holds_no_process_and_its_answer_goes_on(stage: Stage) -> None:
    plays(stage, (Say("I ask."), asks("Colour?")), Say("Red it is."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.until_left(task)
        assert no_process(house)
        record = await house.store.task(task.task_id)
        assert record is not None and record.status is TaskStatus.WAITING

        await house.answer(question, "Red")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED and ended.result is not None
        assert ended.result.message == "Red it is."
        assert '"Colour?"="Red"' in (await house.results(task))["toolu_q"]
        assert (await house.record(question)).way == "resumed"
        [result] = await house.events(task, "tool_result")
        assert result["tool_name"] == "AskUserQuestion"


@EITHER_WAY
async def test_several_questions_of_one_call_are_one_group_and_go_back_together(stage: Stage, defer: Defer) -> None:
    plays(stage, (asks("Colour?", "Depth?"),), Say("Thanks."))
    async with living(stage, defer=defer) as house:
        task = await house.admit()
        first, second = await house.asked(task, 2)
        await house.answer(second, {"other": "very deep"})
        assert (await house.store.task(task.task_id)).status is TaskStatus.WAITING  # type: ignore[union-attr]
        await house.answer(first, "Blue")
        await house.ended(task)

        told = (await house.results(task))["toolu_q"]
        assert '"Colour?"="Blue"' in told and '"Depth?"="very deep"' in told
        assert (first.question_id, second.question_id) == ("toolu_q:1", "toolu_q:2")


@EITHER_WAY
async def test_several_options_are_joined_as_claude_code_does(stage: Stage, defer: Defer) -> None:
    plays(stage, (asks("Colours?", multi=True),), Say("Thanks."))
    async with living(stage, defer=defer) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.answer(question, ["Red", "Blue"])
        await house.ended(task)

        assert '"Colours?"="Red, Blue"' in (await house.results(task))["toolu_q"]


async def test_a_repeated_text_is_asked_anew(stage: Stage) -> None:
    plays(stage, (asks("Again?", id="toolu_1"),), (asks("Again?", id="toolu_2"),), Say("Enough."))
    async with living(stage) as house:
        task = await house.admit()
        for expected, answer in (("toolu_1:1", "Red"), ("toolu_2:1", "Blue")):
            [question] = await house.asked(task)
            assert question.question_id == expected
            await house.answer(question, answer)
            await house.until_left(task)
        await house.ended(task)

        results = await house.results(task)
        assert '="Red"' in results["toolu_1"] and '="Blue"' in results["toolu_2"]


@EITHER_WAY
async def test_a_declined_question_says_so_and_why(stage: Stage, defer: Defer) -> None:
    plays(stage, (asks("Colour?"),), Say("As you like."))
    async with living(stage, defer=defer) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.answer(question, None, reason="none of these")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        [result] = await house.events(task, "tool_result")
        assert result["is_error"] and "declined" in result["content"] and "none of these" in result["content"]


async def test_an_answer_that_comes_before_the_run_has_ended(stage: Stage) -> None:
    plays(stage, (asks("Colour?"),), Say("Thanks."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.answer(question, "Red")
        ended = await house.ended(task)

        assert ended.result is not None and ended.result.message == "Thanks."
        assert '="Red"' in (await house.results(task))["toolu_q"]


@EITHER_WAY
async def test_beside_other_tools_each_runs_once(stage: Stage, defer: Defer) -> None:
    ledger = stage.project / "ledger"
    bash = [Call("Bash", {"command": f"echo {n} >> {ledger}", "description": "note"}, id=f"toolu_b{n}") for n in (1, 2)]
    plays(stage, (bash[0], asks("Colour?"), bash[1]), Say("Thanks."))
    async with living(stage, defer=defer) as house:
        task = await house.admit(tools=("Bash",))
        [question] = await house.asked(task)
        if defer == "auto":
            await house.until_left(task)
        await house.answer(question, "Red")
        ended = await house.ended(task)

        assert ended.result is not None and ended.result.message == "Thanks."
        assert sorted(ledger.read_text().split()) == ["1", "2"]
        assert '="Red"' in (await house.results(task))["toolu_q"]


async def test_of_two_questions_in_one_message_the_second_is_asked_after_the_first(stage: Stage) -> None:
    both = (asks("One?", id="toolu_1"), asks("Two?", id="toolu_2"))
    plays(stage, both, (asks("Two?", id="toolu_3"),), Say("Thanks."))
    async with living(stage) as house:
        task = await house.admit()
        for expected in ("One?", "Two?"):
            [question] = await house.asked(task)
            assert question.question.question_text == expected
            await house.until_left(task)
            await house.answer(question, "Red")
        ended = await house.ended(task)

        assert ended.result is not None and ended.result.message == "Thanks."
        assert "Another question is waiting" in (await house.results(task))["toolu_2"]


async def test_malformed_questions_go_back_and_reach_nobody(stage: Stage) -> None:
    wrong = Call("mcp__glasshouse__ask_user_question", {"question_text": "?", "type": "checkbox"}, id="toolu_w")
    plays(stage, (wrong,), Say("Sorry."))
    async with living(stage) as house:
        task = await house.admit()
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert "a choice needs options" in (await house.results(task))["toolu_w"]


@EITHER_WAY
async def test_ten_times_it_may_ask_and_the_eleventh_is_refused_kindly(stage: Stage, defer: Defer) -> None:
    calls = [asks("Again?", id=f"toolu_{number}") for number in range(1, 12)]
    plays(stage, *((call,) for call in calls), Say("I assume."))
    async with living(stage, defer=defer) as house:
        task = await house.admit()
        for call in calls[:10]:
            [question] = await house.asked(task)
            assert question.call_id == call.id
            await house.answer(question, "Red")
            await house.until_settled_by(task, question)
        ended = await house.ended(task)

        assert ended.result is not None and ended.result.message == "I assume."
        results = await house.results(task)
        assert [id for id, told in results.items() if "limit of question rounds" in told] == ["toolu_11"]
        *asked, refused = await house.questions(task)
        assert {question.answered_by for question in asked} == {AnsweredBy.PERSON}
        assert refused.answered_by is AnsweredBy.LIMIT
        [told] = [event for event in await house.events(task, "info") if event["metadata"].get("notice")]
        assert told["metadata"] == {"notice": "question_limit", "limit": 10}
        with pytest.raises(RecursiveLimitExceeded):
            await house.answer(refused, "Red")


async def test_without_deferring_the_process_waits(stage: Stage) -> None:
    both = (asks("One?", id="toolu_1"), asks("Two?", id="toolu_2"))
    plays(stage, both, Say("Thanks."))
    async with living(stage, defer="never") as house:
        task = await house.admit()
        one, two = await house.asked(task, 2)
        assert not no_process(house)
        await house.answer(two, "Blue")
        await house.answer(one, "Red")
        await house.ended(task)

        results = await house.results(task)
        assert '="Red"' in results["toolu_1"] and '="Blue"' in results["toolu_2"]
        assert (await house.record(one)).way == "live"


async def test_questions_stay_on_offer_where_no_tool_is(stage: Stage) -> None:
    plays(stage, (asks("Colour?"),), Say("Thanks."))
    async with living(stage) as house:
        task = await house.admit(tools=())

        [question] = await house.asked(task)
        await house.answer(question, "Red")
        await house.ended(task)

        assert stage.tools_offered == set()


async def test_a_question_waits_with_its_process_while_a_command_runs_in_the_background(stage: Stage) -> None:
    gate = stage.project / "gate"
    serve = {"command": f"until test -e {gate}; do sleep 0.1; done", "description": "x", "run_in_background": True}
    plays(stage, (Call("Bash", serve, id="toolu_b"),), (asks("Colour?"),), Say("Thanks."))
    async with living(stage) as house:
        task = await house.admit(tools=("Bash",))
        [question] = await house.asked(task)
        assert not no_process(house)
        gate.touch()
        await house.until_left(task)
        assert no_process(house)
        await house.answer(question, "Red")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert ended.result is not None and ended.result.message == "Thanks."
        assert (await house.record(question)).way == "message"
        assert "The user answered: Red" in str(stage.asked[-1]["messages"])


async def test_a_new_prompt_is_not_lost_to_the_question_of_a_task_that_was_stopped(stage: Stage) -> None:
    plays(stage, (asks("Colour?"),), Say("Never said."))
    plays(stage, Say("Here I am."), prompt="Next.")
    async with living(stage) as house:
        task = await house.admit()
        await house.asked(task)
        await house.until_left(task)
        await house.execution.stop(task.task_id)
        after = await house.admit("Next.", session_id=task.session_id)
        ended = await house.ended(after)

        assert ended.result is not None and ended.result.message == "Here I am."
        said = [event["content"] for event in await house.events(after, "text")]
        assert said == ["Here I am."]


async def test_a_question_out_of_time_is_asked_again_before_the_next_prompt(stage: Stage) -> None:
    plays(stage, (asks("Colour?"),), Say("Red then."))
    plays(stage, Say("Here I am."), prompt="Next.")
    async with living(stage, question_timeout_s=1000.0) as house:
        task = await house.admit()
        await house.asked(task)
        await house.until_left(task)
        await house.let_time_pass(2000.0)
        assert (await house.ended(task)).status is TaskStatus.FAILED

        after = await house.admit("Next.", session_id=task.session_id)
        [question] = await house.asked(after)
        assert question.question_id == "toolu_q:1#2"
        await house.until_left(after)
        assert no_process(house)
        await house.answer(question, "Red")
        ended = await house.ended(after)

        assert ended.result is not None and ended.result.message == "Here I am."
        assert '="Red"' in (await house.results(after))["toolu_q"]


async def test_without_deferring_a_question_out_of_time_is_asked_again_before_the_next_prompt(stage: Stage) -> None:
    plays(stage, (asks("Colour?"),), Say("Never said."))
    plays(stage, Say("Here I am."), prompt="Next.")
    async with living(stage, defer="never", question_timeout_s=1000.0) as house:
        task = await house.admit()
        await house.asked(task)
        await house.let_time_pass(2000.0)
        assert (await house.ended(task)).status is TaskStatus.FAILED

        after = await house.admit("Next.", session_id=task.session_id)
        [question] = await house.asked(after)
        assert question.question_id == "toolu_q:1#2"
        await house.until_left(after)
        assert no_process(house)
        await house.answer(question, "Red")
        ended = await house.ended(after)

        assert ended.result is not None and ended.result.message == "Here I am."
        assert (await house.record(question)).way == "message"
        assert "The user answered: Red" in str(stage.asked[-1]["messages"])
        # Once, and no more.
        later = await house.ended(await house.admit("Next.", session_id=task.session_id))
        assert later.status is TaskStatus.COMPLETED


async def test_the_first_answer_of_a_task_is_not_sent_twice_where_the_call_was_lost(stage: Stage) -> None:
    plays(stage, (asks("Colour?"),), Say("Thanks."))
    store = MemoryStore()
    async with living(stage, store, defer="never") as house:
        task = await house.admit()
        [question] = await house.asked(task)
    async with living(stage, store, defer="never") as house:
        await house.answer(question, "Red")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert (await house.record(question)).way == "message"
        assert str(stage.asked[-1]["messages"]).count("The user answered: Red") == 1


async def test_the_demo_asks_three_questions_and_writes_from_the_answers(stage: Stage) -> None:
    stage.scripts[:] = demo_scripts()
    example = next(each for each in examples("zh") if each.id == "ask_first")
    async with living(stage) as house:
        task = await house.admit(example.prompt, tools=example.tools)
        kind, parts, name = await house.asked(task, 3)
        assert parts.question.type is QuestionType.CHECKBOX
        await house.answer(kind, "便条")
        await house.answer(parts, ["待办清单", "一条分隔线"])
        await house.answer(name, {"other": "小明"})
        ended = await house.ended(task)

        assert ended.result is not None and "**小明**" in ended.result.message
        text = (stage.project / "glasshouse_greeting.md").read_text()
        assert text == "# 便条\n\n致小明：\n\n- [ ] \n- [ ] \n- [ ] \n\n---\n"


async def test_a_call_that_claude_code_does_not_present_is_answered_by_a_message(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glasshouse.engines.claude.drive._PRESENT_S", 0.5)
    plays(stage, (asks("Colour?"),), Say("Thanks."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.until_left(task)
        # It looks for what it kept in the last megabyte only.
        [transcript] = stage.home.transcripts_dir.rglob("*.jsonl")
        with transcript.open("a") as file:
            file.write(json.dumps({"type": "summary", "summary": "x" * 1_200_000}) + "\n")
        await house.answer(question, "Red")
        ended = await house.ended(task)

        assert ended.result is not None and ended.result.message == "Thanks."
        assert (await house.record(question)).way == "message"
        assert "The user answered: Red" in str(stage.asked[-1]["messages"])
