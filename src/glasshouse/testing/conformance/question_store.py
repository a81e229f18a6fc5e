"""What every store keeps of the port's promises about questions."""

import asyncio
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import pytest

from glasshouse.contract.ids import new_id
from glasshouse.contract.question import Door, Option, Question, QuestionKind, QuestionState, QuestionType
from glasshouse.core.ports import (
    AnsweredBy,
    Append,
    Closed,
    Entry,
    QuestionExists,
    QuestionIsNew,
    QuestionIsPending,
    QuestionRecord,
    QuestionSettled,
    Store,
    TrustDecision,
    TrustRecord,
)

PENDING, ANSWERED = QuestionState.PENDING, QuestionState.ANSWERED
ALL = frozenset(QuestionState)
PATIENCE_S = 20.0


def a_question(session_id: str, question_id: str | None = None, **fields: Any) -> QuestionRecord:
    question_id = question_id or new_id()
    question = Question(
        question_id=question_id,
        question_text="哪一个？",
        type=QuestionType.MULTIPLE_CHOICE,
        options=(Option(id="a", label="„A“"), Option(id="b", label="B", default=True)),
        follow_up_questions={"a": (Question(question_id=f"{question_id}/why", question_text="?", type="text"),)},
    )
    record = QuestionRecord(
        session_id=session_id,
        question_id=question_id,
        task_id=new_id(),
        kind=QuestionKind.QUESTION,
        call_id=new_id(),
        question=question,
        round=1,
        asked_at="2026-01-02T03:04:05.678Z",
    )
    return replace(record, **fields)


def asked(*records: QuestionRecord) -> Append:
    session_id = records[0].session_id
    new = [QuestionIsNew(session_id, record.question_id) for record in records]
    return Append(session_id, entries=(Entry(None, b"asked"),), questions=records, expect=new)


def answered(record: QuestionRecord, answer: str = "a") -> Append:
    done = replace(record, state=ANSWERED, answer=answer, answered_by=AnsweredBy.PERSON, door=Door.API)
    waits = QuestionIsPending(record.session_id, record.question_id)
    return Append(
        record.session_id, entries=(Entry(None, b"answered"),), questions=(done,), expect=(waits,), by_person=True
    )


def decided(directory: str, digest: str, **fields: Any) -> TrustRecord:
    known = {"decision": TrustDecision.TRUST, "decided_at": "2026-01-02T00:00:00.000Z"}
    return TrustRecord(directory, digest, session_id="s", question_id="q", **{**known, **fields})


class QuestionStoreConformance(ABC):
    """Give it a fixture `store`, an open one with nothing in it."""

    @abstractmethod
    async def reopened(self, store: Store) -> Store:
        """The store after the end of its process: closed, and opened anew on what it kept."""

    async def test_a_question_is_found_as_it_was_written(self, store: Store) -> None:
        plain = a_question(new_id())
        full = a_question(
            plain.session_id,
            "x#2 „列“",
            task_id=None,
            kind=QuestionKind.PERMISSION,
            index=2,
            total=3,
            parent_id="x",
            state=ANSWERED,
            due_at_uptime_s=1.5,
            subject={"tool_input": {"command": "ls\u2028"}},
            memo={"by_model": True},
            answer={"other": "<T> & \t„"},
            answered_at="2026-01-02T03:04:06.000Z",
            answered_by=AnsweredBy.PERSON,
            door=Door.CONSOLE,
            reason="weil",
            updated_input={"command": "ls -l"},
            way="resumed",
        )
        await store.append(asked(plain, full))
        assert await store.question(plain.session_id, plain.question_id) == plain
        assert await store.question(plain.session_id, full.question_id) == full
        assert await store.question(new_id(), plain.question_id) is None

    async def test_an_id_is_new_once_in_a_session(self, store: Store) -> None:
        first = a_question(new_id(), "x")
        await store.append(asked(first))
        with pytest.raises(QuestionExists) as refusal:
            await store.append(asked(a_question(first.session_id, "y"), a_question(first.session_id, "x")))
        assert refusal.value.record == first
        assert await store.question(first.session_id, "y") is None
        await store.append(asked(a_question(new_id(), "x")))

    async def test_of_fifty_answers_at_once_one_is_taken_and_all_others_see_it(self, store: Store) -> None:
        # faults: D2
        record = a_question(new_id())
        await store.append(asked(record))
        outcomes = await asyncio.gather(
            *(store.append(answered(record, str(number))) for number in range(50)), return_exceptions=True
        )
        assert outcomes.count(2) == 1
        refusals = [outcome for outcome in outcomes if isinstance(outcome, QuestionSettled)]
        winner = await store.question(record.session_id, record.question_id)
        assert winner is not None
        assert winner.answer == str(outcomes.index(2))
        assert [refusal.record for refusal in refusals] == [winner] * 49

    async def test_a_question_that_nobody_asked_does_not_wait(self, store: Store) -> None:
        with pytest.raises(QuestionSettled) as refusal:
            await store.append(answered(a_question(new_id())))
        assert refusal.value.record is None

    async def test_a_call_is_found_whole_in_the_order_of_asking(self, store: Store) -> None:
        session, call = new_id(), new_id()
        records = [a_question(session, str(number), call_id=call) for number in range(5)]
        await store.append(asked(*records))
        await store.append(asked(a_question(session), a_question(session)))
        done = answered(records[2])
        await store.append(done)
        found = await store.questions_of_call(session, call)
        assert list(found) == [*records[:2], *done.questions, *records[3:]]
        assert list(await store.questions_of_call(new_id(), call)) == []

    async def test_pages_follow_one_another_in_the_order_of_asking(self, store: Store) -> None:
        session = new_id()
        records = [a_question(session, str(number)) for number in range(7)]
        for record in records:
            await store.append(asked(record))
        for record in records[::2]:
            await store.append(answered(record))
        seen: list[str] = []
        after: int | None = 0
        while after is not None:
            page, after = await store.questions(states=ALL, limit=2, after=after)
            assert len(page) <= 2
            seen.extend(record.question_id for record in page)
        assert seen == [record.question_id for record in records]
        page, after = await store.questions(states=frozenset({PENDING}), limit=3)
        assert ([record.question_id for record in page], after) == (["1", "3", "5"], None)

    async def test_a_list_is_of_a_session_of_a_task_or_of_all(self, store: Store) -> None:
        here, there = a_question(new_id()), a_question(new_id())
        of_program = a_question(here.session_id, task_id=None)
        await store.append(asked(here, of_program))
        await store.append(asked(there))

        async def listed(**only: str) -> list[QuestionRecord]:
            page, _ = await store.questions(states=ALL, limit=10, **only)  # type: ignore[arg-type]
            return list(page)

        assert await listed() == [here, of_program, there]
        assert await listed(session_id=here.session_id) == [here, of_program]
        assert await listed(task_id=there.task_id or "") == [there]
        assert await listed(session_id=here.session_id, task_id=here.task_id or "") == [here]
        assert await listed(session_id=here.session_id, task_id=there.task_id or "") == []

    async def test_opening_is_what_waits_and_has_follow_ups(self, store: Store) -> None:
        here, there = a_question(new_id()), a_question(new_id())
        plain = a_question(here.session_id)
        plain = replace(plain, question=plain.question.model_copy(update={"follow_up_questions": {}}))
        settled = a_question(here.session_id)
        await store.append(asked(here, plain, settled))
        await store.append(asked(there))
        await store.append(answered(settled))
        assert list(await store.opening_questions(here.session_id)) == [here]

    async def test_due_is_what_waits_beyond_its_time(self, store: Store) -> None:
        session = new_id()
        early, late = a_question(session, due_at_uptime_s=10.0), a_question(session, due_at_uptime_s=20.0)
        settled = a_question(session, due_at_uptime_s=5.0)
        await store.append(asked(early, late, settled, a_question(session)))
        await store.append(answered(settled))
        assert list(await store.due_questions(9.9)) == []
        assert list(await store.due_questions(10.0)) == [early]
        assert list(await store.due_questions(100.0)) == [early, late]

    async def test_rounds_are_counted_in_the_session(self, store: Store) -> None:
        session = new_id()
        assert await store.asking_rounds(session) == 0
        await store.append(asked(a_question(session, round=1), a_question(session, round=1)))
        await store.append(asked(a_question(session, round=2), a_question(session, round=0)))
        assert await store.asking_rounds(session) == 2
        assert await store.asking_rounds(new_id()) == 0

    async def test_questions_of_trust_are_found_among_all_that_wait(self, store: Store) -> None:
        about: dict[str, Any] = {"kind": QuestionKind.TRUST, "subject": {"directory": "/work"}}
        first, other, settled = (a_question(new_id(), **about) for _ in range(3))
        for each in (first, a_question(new_id()), settled, other):
            await store.append(asked(each))
        await store.append(answered(settled))
        assert list(await store.trust_questions()) == [first, other]

    async def test_what_was_decided_about_a_directory_is_kept_with_its_answer(self, store: Store) -> None:
        question = a_question(new_id(), kind=QuestionKind.TRUST)
        await store.append(asked(question))
        old, new = decided("/work 目录", "a"), decided("/work 目录", "b", decided_at="2026-01-03T00:00:00.000Z")
        elsewhere = decided("/else", "a", decision=TrustDecision.WITHOUT)
        await store.append(replace(answered(question), trust=[old, new, elsewhere]))
        with pytest.raises(QuestionSettled):
            await store.append(replace(answered(question), trust=[decided("/work 目录", "c")]))
        again = replace(old, decision=TrustDecision.WITHOUT)
        await store.append(Append(new_id(), trust=[again]))
        after = await self.reopened(store)
        try:
            assert await after.trust("/work 目录", "a") == again
            assert await after.trust("/work 目录", "c") is None
            assert list(await after.trusts()) == [elsewhere, new, again]
            assert await after.forget_trust("/work 目录") == 2
            assert await after.forget_trust("/nowhere") == 0
            assert list(await after.trusts()) == [elsewhere]
        finally:
            await after.close()

    async def test_uptime_never_goes_back(self, store: Store) -> None:
        assert await store.uptime_s() == 0.0
        await store.note_uptime(7.5)
        await store.note_uptime(3.0)
        assert await store.uptime_s() == 7.5

    async def test_who_listens_hears_of_every_question_and_every_change(self, store: Store) -> None:
        changes = store.subscribe_questions()
        try:
            one, other = a_question(new_id()), a_question(new_id())
            await store.append(asked(one))
            await store.append(asked(other))
            done = answered(one)
            await store.append(done)
            with pytest.raises(QuestionSettled):
                await store.append(answered(one))
            heard: list[QuestionRecord] = []
            async with asyncio.timeout(PATIENCE_S):
                while len(heard) < 3:
                    heard.extend(await changes.next())
            assert heard == [one, other, *done.questions]
        finally:
            changes.close()
        with pytest.raises(Closed):
            await changes.next()

    async def test_a_question_waits_on_after_a_restart(self, store: Store) -> None:
        # faults: D3 D6
        waiting, settled = a_question(new_id(), due_at_uptime_s=1.0), a_question(new_id())
        await store.append(asked(waiting))
        await store.append(asked(settled))
        done = answered(settled)
        await store.append(done)
        await store.note_uptime(12.0)
        after = await self.reopened(store)
        try:
            assert await after.question(waiting.session_id, waiting.question_id) == waiting
            assert await after.uptime_s() == 12.0
            assert list(await after.due_questions(12.0)) == [waiting]
            with pytest.raises(QuestionSettled) as refusal:
                await after.append(answered(settled, "b"))
            assert refusal.value.record == done.questions[0]
            with pytest.raises(QuestionExists):
                await after.append(asked(waiting))
            await after.append(answered(waiting))
        finally:
            await after.close()
