"""What people say to a task that has not ended: taken once, served or refused, and told at every step."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.bench import PATIENCE_S, Bench, opened

from glasshouse.contract import errors
from glasshouse.contract.ids import new_id
from glasshouse.contract.instruction import ChangeRequest, MessageMode, MessageRequest, ReceiptState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.admission import TaskPolicy
from glasshouse.core.instructions import News
from glasshouse.core.ports import InstructionRecord, Run, TaskRecord
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import Gate, ScriptedEngine, listens, says, waits_at


async def say(bench: Bench, task: TaskRecord, content: str, mode: str = "queue", id: str | None = None) -> str:
    request = MessageRequest(content=content, mode=MessageMode(mode), message_id=id)
    return (await bench.instructions.message(task.task_id, request)).instruction_id


async def receipts(bench: Bench, task: TaskRecord, message_id: str) -> list[str]:
    told = [event["metadata"] for event in await bench.events(task) if event["type"] == "info"]
    return [each["receipt"] for each in told if each.get("message_id") == message_id]


async def texts(bench: Bench, task: TaskRecord) -> list[str]:
    return [event["content"] for event in await bench.events(task) if event["type"] == "text"]


async def test_a_message_is_in_the_stream_once_and_its_receipts_follow(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path, ScriptedEngine(listens()))) as bench:
        await bench.begin()
        task = await bench.admit()
        message = await say(bench, task, "and this", "steer")
        await bench.ended(task)

        assert await receipts(bench, task, message) == ["accepted", "delivered", "consumed"]
        shown = [event["metadata"]["message"] for event in await bench.events(task) if "message" in _metadata(event)]
        assert [(each["content"], each["mode"]) for each in shown] == [("and this", "steer")]
        assert await texts(bench, task) == ["and this"]


class CountingStore(MemoryStore):
    readings = 0

    async def instructions(self, *given: Any, **named: Any) -> Any:
        self.readings += 1
        return await super().instructions(*given, **named)


async def test_a_log_that_is_known_to_hold_nothing_is_not_read_again_until_something_is_said(tmp_path: Path) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def asks_often(run: Run) -> None:
        assert not await run.instructions()
        before = store.readings
        assert [await run.instructions() for _ in range(5)] == [()] * 5
        assert store.readings == before
        asked.set()
        await go_on.wait()
        [message] = await run.instructions()
        await run.note([message], ReceiptState.CONSUMED)

    store = CountingStore()
    async with opened(Bench(tmp_path, ScriptedEngine(asks_often), store=store)) as bench:
        await bench.begin()
        task = await bench.admit()
        async with asyncio.timeout(PATIENCE_S):
            await asked.wait()
        message = await say(bench, task, "after all")
        go_on.set()
        await bench.ended(task)

        assert await receipts(bench, task, message) == ["accepted", "consumed"]


def test_what_is_being_said_while_the_log_is_read_is_looked_for_again() -> None:
    news = News()
    news.is_being_said()
    news.nothing_was_found(news.before_reading())
    assert not news.is_silent
    news.was_said()
    assert not news.is_silent

    before = news.before_reading()
    news.is_being_said()
    news.nothing_was_found(before)
    assert not news.is_silent
    # Nobody says whether it was written: whoever wrote it was cancelled.
    news.nothing_was_found(news.before_reading())
    assert not news.is_silent


def test_what_was_read_when_all_was_said_holds() -> None:
    news = News()
    news.is_being_said()
    news.was_said()
    news.nothing_was_found(news.before_reading())
    assert news.is_silent


def _metadata(event: dict[str, Any]) -> dict[str, Any]:
    return event.get("metadata") or {}


async def test_the_same_message_is_taken_once_and_another_under_its_id_refused(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path, ScriptedEngine(listens()))) as bench:
        task = await bench.admit()
        ids = {await say(bench, task, "once", id="0" * 8 + "-0000-4000-8000-000000000000") for _ in range(3)}
        assert len(ids) == 1
        with pytest.raises(errors.MessageConflict):
            await say(bench, task, "other", id=next(iter(ids)))
        with pytest.raises(errors.MessageConflict):
            await say(bench, task, "once", "steer", id=next(iter(ids)))
        await bench.begin()
        await bench.ended(task)

        assert await texts(bench, task) == ["once"]
        # Said again when all is over, it is as it was.
        again = MessageRequest(content="once", mode=MessageMode.QUEUE, message_id=next(iter(ids)))
        assert (await bench.instructions.message(task.task_id, again)).receipt is ReceiptState.CONSUMED


async def test_the_same_message_at_once_through_many_doors_is_one(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path, ScriptedEngine(listens()))) as bench:
        task, id = await bench.admit(), new_id()
        await asyncio.gather(*(say(bench, task, "once", id=id) for _ in range(20)))
        await bench.begin()
        await bench.ended(task)

        assert await receipts(bench, task, id) == ["accepted", "delivered", "consumed"]


async def test_an_ended_task_takes_nothing_more_and_an_unknown_one_is_not_found(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        await bench.begin()
        task = await bench.do()
        with pytest.raises(errors.TaskEnded):
            await say(bench, task, "too late")
        with pytest.raises(errors.TaskEnded):
            await bench.instructions.change(task.task_id, ChangeRequest(model="m"))
        with pytest.raises(errors.TaskNotFound):
            await say(bench, replace(task, task_id=new_id()), "nobody")


async def test_a_message_between_the_engines_end_and_the_tasks_is_served(tmp_path: Path) -> None:
    async def said_at_last(run: Run) -> None:
        if not run.task.continued:
            await say(bench, task, "one more thing")

    async with opened(Bench(tmp_path, ScriptedEngine(listens(0), said_at_last))) as bench:
        task = await bench.admit()
        await bench.begin()
        await bench.ended(task)

        assert await texts(bench, task) == ["one more thing"]
        assert len(await bench.ends(task)) == 1
        assert [told.continued for told in bench.engine.told] == [False, True]


async def test_an_engine_that_never_takes_a_message_does_not_run_for_ever(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path, ScriptedEngine(says("deaf")))) as bench:
        task = await bench.admit()
        message = await say(bench, task, "hello?")
        await bench.begin()
        ended = await bench.ended(task)

        assert ended.status is TaskStatus.COMPLETED
        assert await receipts(bench, task, message) == ["accepted", "refused"]


async def test_ends_and_messages_at_once_leave_none_without_its_fate(tmp_path: Path) -> None:
    # faults: F7
    async with opened(Bench(tmp_path, ScriptedEngine(listens(0)))) as bench:
        await bench.begin()
        for number in range(200):
            task = await bench.admit()
            ids: list[str] = []

            async def talk(task: TaskRecord = task, ids: list[str] = ids, number: int = number) -> None:
                for _ in range(number % 7):
                    await asyncio.sleep(0)
                for each in range(5):
                    try:
                        ids.append(await say(bench, task, f"{each}"))
                    except errors.TaskEnded:
                        return

            stop = bench.execution.stop(task.task_id) if number % 3 == 0 else asyncio.sleep(0)
            await asyncio.gather(talk(), stop)
            await bench.ended(task)

            assert len(await bench.ends(task)) == 1
            fates = [(await receipts(bench, task, each))[-1] for each in ids]
            assert set(fates) <= {"consumed", "refused"}
            if (await bench.now(task)).status is TaskStatus.COMPLETED:
                assert set(fates) <= {"consumed"}
            assert not await bench.instructions.open(task)
            assert (await bench.events(task))[-1]["type"] == "complete"


async def test_what_a_dead_server_left_is_refused_or_known_to_be_consumed(tmp_path: Path) -> None:
    store, gate = MemoryStore(), Gate()

    async def delivers(run: Run) -> None:
        [first, second, _] = await run.instructions()
        await run.note([first, second], ReceiptState.DELIVERED)

    async with opened(Bench(tmp_path, ScriptedEngine(delivers, waits_at(gate)), store=store)) as bench:
        task = await bench.admit()
        ids = [await say(bench, task, content) for content in ("heard", "lost", "waits")]
        await bench.begin()
        await gate.reached.wait()
    async with opened(Bench(tmp_path, store=store)) as bench:
        bench.engine.heard = ["heard"]
        await bench.recover()

        assert (await bench.now(task)).status is TaskStatus.INTERRUPTED
        last = [(await receipts(bench, task, each))[-1] for each in ids]
        assert last == ["consumed", "refused", "refused"]
        reasons = [_metadata(event)["reason"] for event in await bench.events(task) if "reason" in _metadata(event)]
        assert "the conversation does not have it" in reasons[0] and "did not go on" in reasons[1]


# --- another mode, another model


async def change(bench: Bench, task: TaskRecord, **fields: Any) -> InstructionRecord:
    return await bench.instructions.change(task.task_id, ChangeRequest(**fields))


async def test_a_change_before_the_start_holds_from_it_on(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        task = await bench.admit(permission_mode="plan", model="first")
        assert (await change(bench, task, permission_mode="acceptEdits")).receipt is ReceiptState.ACCEPTED
        await change(bench, task, model="second")
        await change(bench, task, model="third")
        await bench.begin()
        await bench.ended(task)

        [told] = bench.engine.told
        assert (told.permission_mode, told.model) == ("acceptEdits", "third")
        assert told.mode_changed_at is not None
        changes = [_metadata(event)["receipt"] for event in await bench.events(task) if "change" in _metadata(event)]
        assert changes == ["accepted"] * 3 + ["consumed"] * 3


async def test_who_changes_something_hears_whether_the_running_task_took_it(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def takes_the_first(run: Run) -> None:
        begun.set()
        for fate in (ReceiptState.CONSUMED, ReceiptState.REFUSED):
            while not (found := await run.instructions()):
                await run.instructed()
            await run.note(found, fate, None if fate is ReceiptState.CONSUMED else "no")

    async with opened(Bench(tmp_path, ScriptedEngine(takes_the_first))) as bench:
        await bench.begin()
        task = await bench.admit()
        async with asyncio.timeout(PATIENCE_S):
            await begun.wait()
            assert (await change(bench, task, model="one")).receipt is ReceiptState.CONSUMED
            refused = await change(bench, task, model="two")
        assert (refused.receipt, refused.reason) == (ReceiptState.REFUSED, "no")
        await bench.ended(task)


async def test_bypassing_is_taken_only_where_the_operator_allows_it(tmp_path: Path) -> None:
    async with opened(Bench(tmp_path)) as bench:
        task = await bench.admit()
        with pytest.raises(errors.InvalidRequest):
            await change(bench, task, permission_mode="bypassPermissions")
    async with opened(Bench(tmp_path, policy=TaskPolicy(allow_bypass=True))) as bench:
        task = await bench.admit()
        assert (await change(bench, task, permission_mode="bypassPermissions")).receipt is ReceiptState.ACCEPTED
