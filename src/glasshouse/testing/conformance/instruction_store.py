"""What every store keeps of the port's promises about instructions."""

import asyncio
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import pytest

from glasshouse.contract.ids import new_id
from glasshouse.contract.instruction import MessageMode, ReceiptState
from glasshouse.core.ports import (
    Append,
    Entry,
    InstructionExists,
    InstructionIsNew,
    InstructionRecord,
    InstructionsMoved,
    OpenInstructionsAre,
    Store,
)

CONSUMED, REFUSED = ReceiptState.CONSUMED, ReceiptState.REFUSED


def a_message(task_id: str | None = None, **fields: Any) -> InstructionRecord:
    record = InstructionRecord(
        task_id=task_id or new_id(),
        instruction_id=new_id(),
        session_id=new_id(),
        accepted_at="2026-01-02T03:04:05.678Z",
        mode=MessageMode.STEER,
        content="„注意“ <b> \u2028",
    )
    return replace(record, **fields)


def said(*records: InstructionRecord) -> Append:
    new = [InstructionIsNew(record.task_id, record.instruction_id) for record in records]
    return Append(records[0].session_id, entries=(Entry(None, b"said"),), instructions=records, expect=new)


def ends(task_id: str, session_id: str, *open_ones: InstructionRecord) -> Append:
    """A step that takes along these, and no others."""
    expected = OpenInstructionsAre(task_id, frozenset(each.instruction_id for each in open_ones))
    refused = [replace(each, receipt=REFUSED, reason="over") for each in open_ones]
    return Append(session_id, entries=(Entry(None, b"over"),), instructions=refused, expect=[expected])


class InstructionStoreConformance(ABC):
    """`store` is a fixture: open, empty. `reopened` closes it and opens it again, as another start would."""

    @abstractmethod
    async def reopened(self, store: Store) -> Store: ...

    async def test_instructions_are_found_as_they_were_in_the_order_of_their_acceptance(self, store: Store) -> None:
        first = a_message()
        others = [
            replace(first, instruction_id=new_id(), mode=MessageMode.QUEUE),
            replace(first, instruction_id=new_id(), mode=None, content="", permission_mode="plan", model="m"),
        ]
        for record in (first, *others):
            await store.append(said(record))
        await store.append(said(a_message()))
        done = replace(first, receipt=CONSUMED)
        await store.append(Append(first.session_id, instructions=[done]))

        assert await store.instruction(first.task_id, first.instruction_id) == done
        assert await store.instruction(new_id(), first.instruction_id) is None
        assert await store.instructions(first.task_id) == [done, *others]
        accepted = frozenset({ReceiptState.ACCEPTED})
        assert await store.instructions(first.task_id, receipts=accepted) == others

    async def test_an_instruction_is_accepted_once(self, store: Store) -> None:
        first = a_message()
        await store.append(said(first))
        with pytest.raises(InstructionExists) as refusal:
            await store.append(said(replace(first, content="another")))

        assert refusal.value.record == first
        assert (await store.bounds(first.session_id)).last == 1

    async def test_an_end_takes_along_all_that_is_open_or_does_not_happen(self, store: Store) -> None:
        first = a_message()
        second = replace(first, instruction_id=new_id())
        await store.append(said(first))
        await store.append(said(second))
        with pytest.raises(InstructionsMoved):
            await store.append(ends(first.task_id, first.session_id, first))
        with pytest.raises(InstructionsMoved):
            await store.append(ends(first.task_id, first.session_id))
        await store.append(ends(first.task_id, first.session_id, first, second))

        assert {each.receipt for each in await store.instructions(first.task_id)} == {REFUSED}
        await store.append(ends(first.task_id, first.session_id))

    async def test_of_a_message_and_an_end_at_once_one_is_first(self, store: Store) -> None:
        for _ in range(20):
            message = a_message()
            _, end = await asyncio.gather(
                store.append(said(message)),
                store.append(ends(message.task_id, message.session_id)),
                return_exceptions=True,
            )
            told = [frame.body for frame in await store.read(message.session_id, after=0, limit=9)]

            assert told == ([b"said"] if isinstance(end, InstructionsMoved) else [b"over", b"said"])

    async def test_instructions_outlive_the_server(self, store: Store) -> None:
        message = a_message()
        await store.append(said(message))
        again = await self.reopened(store)
        try:
            assert await again.instructions(message.task_id) == [message]
            with pytest.raises(InstructionsMoved):
                await again.append(ends(message.task_id, message.session_id))
            with pytest.raises(InstructionExists):
                await again.append(said(message))
        finally:
            if again is not store:
                await again.close()
