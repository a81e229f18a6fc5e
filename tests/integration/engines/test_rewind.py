"""Going back, with the real Claude Code: forks, in place, files by its own checkpoints, a question asked again."""

import json
from typing import Any

import pytest
from tests.integration.engines.house import House, living
from tests.integration.engines.stage import Stage
from tests.integration.engines.test_questions import asks, no_process, plays

from glasshouse.contract.errors import (
    MessageNotFound,
    QuestionNotFound,
    RewindRefused,
    SessionBusy,
    SessionNotFound,
)
from glasshouse.contract.ids import new_id
from glasshouse.contract.rewind import RewindRequest
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import TaskRecord
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.offline_model import Call, Say

ONE, TWO, THREE = "Step one.", "Step two.", "Step three."


def lines(stage: Stage, session_id: str) -> list[dict[str, Any]]:
    [file] = stage.home.transcripts_dir.glob(f"*/{session_id}.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


def prompt_id(stage: Stage, task: TaskRecord, text: str) -> str:
    """Of the last message that a person sent with this text."""
    found = [
        line["uuid"]
        for line in lines(stage, task.session_id)
        if line["type"] == "user" and line["message"]["content"] == text
    ]
    return str(found[-1])


def heard(stage: Stage) -> str:
    """All that the model was told with its last request."""
    return json.dumps(stage.asked[-1]["messages"])


def writes(stage: Stage, name: str, content: str) -> Call:
    return Call("Write", {"file_path": str(stage.project / name), "content": content})


async def done(house: House, prompt: str, session_id: str | None = None, **fields: Any) -> TaskRecord:
    task = await house.ended(await house.admit(prompt, session_id=session_id, **fields))
    assert task.status is TaskStatus.COMPLETED, await house.events(task)
    return task


async def two_steps(house: House) -> TaskRecord:
    """Each writes a file with the editing tool."""
    stage = house.stage
    plays(stage, (writes(stage, "a.txt", "one\n"),), Say("Did one."), prompt=ONE)
    plays(
        stage,
        (Call("Read", {"file_path": str(stage.project / "a.txt")}),),
        (writes(stage, "a.txt", "two\n"), writes(stage, "b.txt", "b\n")),
        Say("Did two."),
        prompt=TWO,
    )
    plays(stage, Say("Did three."), prompt=THREE)
    task = await done(house, ONE, permission_mode="acceptEdits")
    return await done(house, TWO, task.session_id, permission_mode="acceptEdits")


class TestTheConversation:
    async def test_a_fork_goes_on_from_before_the_message(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            back = await house.back(task, message_id=prompt_id(stage, task, TWO))
            assert back.forked and back.session_id not in (None, task.session_id)
            assert back.conversation is not None and back.conversation.prompt == TWO

            fork = await done(house, THREE, back.session_id)

            assert "Did one." in heard(stage) and TWO not in heard(stage)
            assert {line["sessionId"] for line in lines(stage, fork.session_id) if "sessionId" in line} == {
                back.session_id
            }
            again = await done(house, THREE, back.session_id)
            assert heard(stage).count("Did three.") == 1 and again.session_id == back.session_id
            await done(house, THREE, task.session_id)
            assert "Did two." in heard(stage)

    async def test_the_cost_of_a_fork_is_its_own(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            back = await house.back(task, message_id=prompt_id(stage, task, TWO))
            fork = await done(house, THREE, back.session_id)
            plain = await done(house, THREE)
            assert fork.result is not None and plain.result is not None and task.result is not None
            assert fork.result.cost_usd is not None and plain.result.cost_usd is not None
            assert fork.result.cost_usd < 2 * plain.result.cost_usd

    async def test_in_place_the_session_goes_on_from_there(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            before = len(lines(stage, task.session_id))
            back = await house.back(task, message_id=prompt_id(stage, task, TWO), fork=False)
            assert (back.forked, back.session_id) == (False, task.session_id)
            assert len(lines(stage, task.session_id)) == before

            await done(house, THREE, task.session_id)
            assert "Did one." in heard(stage) and TWO not in heard(stage)
            await done(house, THREE, task.session_id)
            assert heard(stage).count("Did three.") == 1 and TWO not in heard(stage)

    async def test_a_process_that_was_kept_does_not_go_on_after_it(self, stage: Stage) -> None:
        async with living(stage, warm=2) as house:
            task = await two_steps(house)
            await house.back(task, message_id=prompt_id(stage, task, TWO), fork=False)
            await done(house, THREE, task.session_id)
            assert "Did one." in heard(stage) and TWO not in heard(stage)
            await done(house, THREE, task.session_id)
            assert heard(stage).count("Did three.") == 1 and TWO not in heard(stage)

    async def test_twice_in_place(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            for _ in range(2):
                await house.back(task, message_id=prompt_id(stage, task, TWO), fork=False)
                await done(house, TWO, task.session_id, permission_mode="acceptEdits")
                assert heard(stage).count(TWO) == 1

    async def test_before_the_first_message_a_fork_is_a_new_session(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            first = prompt_id(stage, task, ONE)
            with pytest.raises(RewindRefused, match="first message"):
                await house.back(task, message_id=first, fork=False)
            back = await house.back(task, message_id=first)
            assert back.conversation is not None and back.conversation.kept == 0
            await done(house, THREE, back.session_id)
            assert "Did one." not in heard(stage)

    async def test_a_session_of_a_terminal(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
        async with living(stage, MemoryStore()) as other:
            back = await other.back(task, message_id=prompt_id(stage, task, TWO))
            await done(other, THREE, back.session_id)
            assert "Did one." in heard(stage) and TWO not in heard(stage)

    async def test_what_is_no_message_of_a_person(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            results = [
                line["uuid"]
                for line in lines(stage, task.session_id)
                if line["type"] == "assistant"
                or (line["type"] == "user" and line["message"]["content"] not in (ONE, TWO))
            ]
            assert results
            for name in (*results, new_id()):
                with pytest.raises(MessageNotFound):
                    await house.back(task, message_id=name)

    async def test_a_dry_run_changes_nothing(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            message = prompt_id(stage, task, TWO)
            events = len(await house.store.read(task.session_id, after=0, limit=1000))
            back = await house.back(task, message_id=message, restore="both", dry_run=True)
            assert (back.session_id, back.dry_run) == (None, True)
            assert back.files is not None and sorted(back.files.files) == ["a.txt", "b.txt"]
            assert (stage.project / "a.txt").read_text() == "two\n" and (stage.project / "b.txt").exists()
            assert len(await house.store.read(task.session_id, after=0, limit=1000)) == events


class TestFiles:
    async def test_they_are_as_they_were_when_the_message_was_sent(self, stage: Stage) -> None:
        (stage.project / "a.txt").unlink(missing_ok=True)
        async with living(stage) as house:
            task = await two_steps(house)
            back = await house.back(task, message_id=prompt_id(stage, task, TWO), restore="files")
            assert (back.forked, back.session_id) == (False, task.session_id)
            assert back.files is not None and sorted(back.files.files) == ["a.txt", "b.txt"]
            assert (stage.project / "a.txt").read_text() == "one\n" and not (stage.project / "b.txt").exists()
            assert no_process(house)

            await done(house, THREE, task.session_id)
            assert "Did two." in heard(stage)

    async def test_both(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            back = await house.back(task, message_id=prompt_id(stage, task, ONE), restore="both")
            assert not (stage.project / "a.txt").exists() and back.forked
            await done(house, THREE, back.session_id)
            assert "Did one." not in heard(stage)

    async def test_a_link_in_a_files_place_is_left(self, stage: Stage) -> None:
        canary = stage.root / "canary"
        canary.write_text("precious\n")
        async with living(stage) as house:
            task = await two_steps(house)
            (stage.project / "a.txt").unlink()
            (stage.project / "a.txt").symlink_to(canary)
            await house.back(task, message_id=prompt_id(stage, task, TWO), restore="files")
            assert canary.read_text() == "precious\n"

    async def test_in_a_fork_that_has_not_begun_there_are_none(self, stage: Stage) -> None:
        async with living(stage) as house:
            task = await two_steps(house)
            message = prompt_id(stage, task, TWO)
            back = await house.back(task, message_id=message)
            with pytest.raises(MessageNotFound):
                await house.rewind.back(
                    back.session_id or "", _asked(message_id=message, restore="files"), language="en"
                )


class TestAQuestion:
    async def test_it_is_asked_again_in_a_fork_and_the_model_goes_on_from_its_answer(self, stage: Stage) -> None:
        plays(stage, (Say("I ask."), asks("Colour?")), Say("Thanks."))
        async with living(stage) as house:
            task = await house.admit()
            [question] = await house.asked(task)
            await house.answer(question, "Red")
            await house.ended(task)

            back = await house.back(task, question_id=question.question_id)
            assert back.forked and back.question_ids == ["toolu_q:1"] and no_process(house)
            again = await _task(house, back.task_id)
            assert again.status is TaskStatus.WAITING
            [asked] = await house.asked(again)
            assert asked.question == question.question and asked.session_id == back.session_id
            await house.answer(asked, "Blue")
            ended = await house.ended(again)

            assert ended.status is TaskStatus.COMPLETED, await house.events(ended)
            assert (await house.record(asked)).way == "message"
            said = heard(stage)
            assert "Blue" in said and '=\\"Red\\"' not in said
            assert (await house.record(question)).answer == "Red"

    async def test_in_place_it_has_a_number(self, stage: Stage) -> None:
        plays(stage, (Say("I ask."), asks("Colour?")), Say("Thanks."))
        async with living(stage) as house:
            task = await house.admit()
            [question] = await house.asked(task)
            await house.answer(question, "Red")
            await house.ended(task)
            for number, colour in ((2, "Blue"), (3, "Red")):
                back = await house.back(task, question_id="toolu_q:1", fork=False)
                assert back.question_ids == [f"toolu_q:1#{number}"]
                again = await _task(house, back.task_id)
                [asked] = await house.asked(again)
                await house.answer(asked, colour)
                ended = await house.ended(again)
                assert ended.status is TaskStatus.COMPLETED, await house.events(ended)
                assert (await house.record(asked)).way == "message"
                assert colour in heard(stage) and '=\\"Red\\"' not in heard(stage)

    async def test_it_waits_over_a_restart(self, stage: Stage) -> None:
        plays(stage, (Say("I ask."), asks("Colour?")), Say("Thanks."))
        store = MemoryStore()
        async with living(stage, store) as house:
            task = await house.admit()
            [question] = await house.asked(task)
            await house.answer(question, "Red")
            await house.ended(task)
            back = await house.back(task, question_id=question.question_id)
        async with living(stage, store) as house:
            again = await _task(house, back.task_id)
            [asked] = await house.asked(again)
            await house.answer(asked, "Blue")
            assert (await house.ended(again)).status is TaskStatus.COMPLETED

    @pytest.mark.parametrize("fork", [True, False])
    async def test_an_answer_that_a_server_did_not_live_to_bring_is_brought_by_the_next(
        self, stage: Stage, fork: bool
    ) -> None:
        plays(stage, (Say("I ask."), asks("Colour?")), Say("Thanks."))
        store = MemoryStore()
        async with living(stage, store) as house:
            task = await house.admit()
            [question] = await house.asked(task)
            await house.answer(question, "Red")
            await house.ended(task)
            back = await house.back(task, question_id=question.question_id, fork=fork)
            again = await _task(house, back.task_id)
            [asked] = await house.asked(again)
            await house.answer(asked, "Blue")
        before = len(stage.asked)
        async with living(stage, store) as house:
            ended = await house.ended(again)
            assert ended.status is TaskStatus.COMPLETED, await house.events(ended)
            assert (await house.record(asked)).way == "message"
        assert len(stage.asked) > before or "Blue" in heard(stage)
        assert "Blue" in heard(stage) and '=\\"Red\\"' not in heard(stage)

    async def test_several_of_one_call_and_declined(self, stage: Stage) -> None:
        plays(stage, (asks("Colour?", "Depth?"),), Say("Thanks."))
        async with living(stage) as house:
            task = await house.admit()
            for question in await house.asked(task, 2):
                await house.answer(question, "Red")
            await house.ended(task)
            back = await house.back(task, question_id="toolu_q:2")
            again = await _task(house, back.task_id)
            first, second = await house.asked(again, 2)
            await house.answer(second, {"other": "deep"})
            await house.answer(first, None, reason="no colour")
            ended = await house.ended(again)
            assert ended.status is TaskStatus.COMPLETED, await house.events(ended)
            assert "deep" in heard(stage) and "no colour" in heard(stage)

    async def test_what_cannot_be_asked_again(self, stage: Stage) -> None:
        plays(stage, (Say("I ask."), asks("Colour?")), Say("Thanks."))
        async with living(stage) as house:
            task = await house.admit()
            [question] = await house.asked(task)
            with pytest.raises(SessionBusy):
                await house.back(task, question_id=question.question_id)
            await house.answer(question, "Red")
            await house.ended(task)
            with pytest.raises(QuestionNotFound):
                await house.back(task, question_id="toolu_q:2")
            with pytest.raises(RewindRefused, match="not to a question"):
                await house.back(task, question_id=question.question_id, restore="both")
            with pytest.raises(SessionNotFound):
                await house.rewind.back(new_id(), _asked(question_id="q"), language="en")


def _asked(**fields: Any) -> RewindRequest:
    return RewindRequest(**fields)


async def _task(house: House, task_id: str | None) -> TaskRecord:
    found = await house.store.task(task_id or "")
    assert found is not None
    return found
