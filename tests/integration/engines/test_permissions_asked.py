"""Permission prompts and plans on the real Claude Code: answered while their process waits, and after it was let go."""

from typing import Any

from tests.integration.engines.house import House, living
from tests.integration.engines.stage import PROMPT, Stage

from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.offline_model import Call, Say, played


def plays(stage: Stage, *replies: Any, prompt: str = PROMPT) -> None:
    stage.scripts[:] = [played(prompt, *replies), *stage.scripts]


def notes(stage: Stage, word: str, id: str = "toolu_b") -> Call:
    return Call("Bash", {"command": f"echo {word} >> {stage.project}/ledger", "description": "note"}, id=id)


def ledger(stage: Stage) -> list[str]:
    path = stage.project / "ledger"
    return path.read_text().split() if path.exists() else []


def no_process(house: House) -> bool:
    return not list((house.stage.root / "runs").glob("*"))


async def test_allowed_once_it_runs_once_and_asks_again_the_next_time(stage: Stage) -> None:
    plays(stage, (notes(stage, "one", "toolu_1"),), (notes(stage, "one", "toolu_2"),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit()
        for _ in range(2):
            [question] = await house.asked(task)
            assert question.kind is QuestionKind.PERMISSION
            assert question.subject["tool_name"] == "Bash" and "ledger" in question.subject["tool_input"]["command"]
            await house.answer(question, "allow")
            await house.until_settled_by(task, question)
        assert (await house.ended(task)).status is TaskStatus.COMPLETED
        assert ledger(stage) == ["one", "one"]


async def test_denied_it_does_not_run_and_the_model_hears_why(stage: Stage) -> None:
    plays(stage, (notes(stage, "one"),), Say("As you like."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.answer(question, "deny", reason="not on a Friday")
        await house.ended(task)

        assert ledger(stage) == []
        assert "not on a Friday" in (await house.results(task))["toolu_b"]


async def test_what_was_edited_is_what_runs(stage: Stage) -> None:
    plays(stage, (notes(stage, "one"),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        edited = {"command": f"echo two >> {stage.project}/ledger", "description": "note"}
        await house.answer(question, "allow", updated_input=edited)
        await house.ended(task)

        assert ledger(stage) == ["two"]
        assert (await house.record(question)).updated_input == edited


async def test_allowed_for_the_session_holds_in_its_later_processes_and_in_no_settings_file(stage: Stage) -> None:
    plays(stage, (notes(stage, "one", "toolu_1"),), (notes(stage, "one", "toolu_2"),), Say("Done."))
    plays(stage, (notes(stage, "one", "toolu_3"),), Say("Done again."), prompt="Again.")
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.answer(question, "allow_session")
        await house.ended(task)
        later = await house.admit("Again.", session_id=task.session_id)
        ended = await house.ended(later)

        assert ended.result is not None and ended.result.message == "Done again."
        assert ledger(stage) == ["one"] * 3
        assert not list(stage.project.rglob("settings*.json"))


async def test_a_prompt_that_waits_long_lets_its_process_go_and_is_carried_out_when_allowed(stage: Stage) -> None:
    plays(stage, (notes(stage, "one", "toolu_1"),), (notes(stage, "one", "toolu_2"),), Say("Done."))
    async with living(stage, hot_s=0.1) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.until_left(task)
        assert no_process(house)
        await house.answer(question, "allow")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert ledger(stage) == ["one"]
        assert (await house.record(question)).way == "spent"


async def test_an_approval_is_good_for_precisely_that_call(stage: Stage) -> None:
    plays(stage, (notes(stage, "one", "toolu_1"),), (notes(stage, "two", "toolu_2"),), Say("Done."))
    async with living(stage, hot_s=0.1) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.until_left(task)
        await house.answer(question, "allow")
        [other] = await house.asked(task)
        await house.until_left(task)
        assert "two" in other.subject["tool_input"]["command"]
        assert ledger(stage) == []
        await house.answer(other, "deny")
        await house.ended(task)

        assert ledger(stage) == []
        assert (await house.record(question)).way is None


async def test_denied_after_its_process_was_let_go(stage: Stage) -> None:
    plays(stage, (notes(stage, "one", "toolu_1"),), Say("As you like."))
    async with living(stage, hot_s=0.1) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.until_left(task)
        await house.answer(question, None, reason="no")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED and ledger(stage) == []
        assert (await house.record(question)).way == "message"


async def test_a_plan_that_is_approved_is_carried_out(stage: Stage) -> None:
    plan = Call("ExitPlanMode", {"plan": "1. Note it."}, id="toolu_p")
    plays(stage, (notes(stage, "early", "toolu_0"),), (plan,), (notes(stage, "one"),), Say("Done."))
    async with living(stage) as house:
        task = await house.admit(permission_mode="plan", tools=("Bash", "ExitPlanMode"))
        [question] = await house.asked(task)
        assert question.kind is QuestionKind.PLAN_APPROVAL and question.subject["plan"] == "1. Note it."
        await house.answer(question, "approve")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert ledger(stage) == ["one"]


async def test_a_plan_is_kept_on_with_a_word(stage: Stage) -> None:
    plays(stage, (Call("ExitPlanMode", {"plan": "1."}, id="toolu_p"),), Say("Better."))
    async with living(stage) as house:
        task = await house.admit(permission_mode="plan")
        [question] = await house.asked(task)
        await house.answer(question, "keep_planning", reason="think of the tests")
        await house.ended(task)

        assert "think of the tests" in (await house.results(task))["toolu_p"]


async def test_a_plan_approved_after_its_process_was_let_go(stage: Stage) -> None:
    write = Call("Write", {"file_path": str(stage.project / "a.txt"), "content": "x"}, id="toolu_w")
    plays(stage, (Call("ExitPlanMode", {"plan": "1."}, id="toolu_p"),), (write,), Say("Done."))
    async with living(stage, hot_s=0.1) as house:
        task = await house.admit(permission_mode="plan")
        [question] = await house.asked(task)
        await house.until_left(task)
        await house.answer(question, "approve_accept_edits")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert (stage.project / "a.txt").read_text() == "x"


async def test_it_asks_again_if_the_file_has_changed_since_it_was_shown(stage: Stage) -> None:
    path = stage.project / "a.txt"
    write = Call("Write", {"file_path": str(path), "content": "x"}, id="toolu_w")
    plays(stage, (write,), Say("Done."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        path.write_text("by another hand")
        await house.answer(question, "allow")
        [again] = await house.asked(task)
        assert again.question_id == "toolu_w#2:1"
        await house.answer(again, "deny")
        await house.ended(task)

        assert path.read_text() == "by another hand"


async def test_a_sub_agents_prompt_names_it(stage: Stage) -> None:
    plays(stage, (notes(stage, "sub", "toolu_s"),), Say("Found."), prompt="Look around.")
    agent = {"description": "look", "prompt": "Look around.", "subagent_type": "general-purpose"}
    plays(stage, (Call("Agent", agent, id="toolu_a"),), Say("Done."))
    async with living(stage, hot_s=0.1) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        assert question.subject["agent_id"]
        assert not no_process(house)
        await house.answer(question, "allow")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED and ledger(stage) == ["sub"]


async def test_stopping_a_task_that_waits_takes_its_question_along(stage: Stage) -> None:
    plays(stage, (notes(stage, "one"),), Say("Never."))
    async with living(stage) as house:
        task = await house.admit()
        [question] = await house.asked(task)
        await house.execution.stop(task.task_id)

        assert (await house.ended(task)).status is TaskStatus.CANCELLED
        assert (await house.record(question)).state is QuestionState.CANCELLED
        assert no_process(house) and ledger(stage) == []


async def test_a_server_that_leaves_in_order_leaves_the_prompt_open(stage: Stage) -> None:
    plays(stage, (notes(stage, "one", "toolu_1"),), (notes(stage, "one", "toolu_2"),), Say("Done."))
    store = MemoryStore()
    async with living(stage, store) as house:
        task = await house.admit()
        [question] = await house.asked(task)
    async with living(stage, store) as house:
        [question] = await house.asked(task)
        assert no_process(house)
        await house.answer(question, "allow")
        ended = await house.ended(task)

        assert ended.status is TaskStatus.COMPLETED and ledger(stage) == ["one"]
