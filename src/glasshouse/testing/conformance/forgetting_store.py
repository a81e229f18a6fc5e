"""What every store keeps of the port's promises about what is forgotten."""

import hashlib
from abc import ABC, abstractmethod

import pytest

from glasshouse.contract.ids import new_id
from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import TaskStatus
from glasshouse.core.ports import Append, Blob, Bounds, Entry, SessionIsFree, SessionRecord, Store, TaskIsNew
from glasshouse.testing.conformance.question_store import a_question
from glasshouse.testing.conformance.store import a_task, numbers

OLD, CUT, NEW = "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"
COMPLETED = TaskStatus.COMPLETED


def said(at: str, task_id: str | None = None, *blobs: Blob) -> Entry:
    return Entry(task_id, b'{"type": "info", "timestamp": "%s"}' % at.encode(), blobs=blobs)


def a_blob(text: str) -> Blob:
    return Blob(hashlib.sha256(text.encode()).hexdigest(), text.encode())


class ForgettingStoreConformance(ABC):
    """Give it a fixture `store`, an open one with nothing in it."""

    @abstractmethod
    async def reopened(self, store: Store) -> Store: ...

    async def test_a_session_is_quiet_when_its_last_event_is_old(self, store: Store) -> None:
        old, new, both = new_id(), new_id(), new_id()
        await store.append(Append(old, (said(OLD), said(OLD))))
        await store.append(Append(new, (said(NEW),)))
        await store.append(Append(both, (said(OLD), said(NEW))))
        assert await store.quiet_sessions(CUT) == [old]

    async def test_all_of_a_forgotten_session_is_gone_and_nothing_of_others(self, store: Store) -> None:
        gone, other = new_id(), new_id()
        shared, own = a_blob("shared"), a_blob("own")
        tasks = {each: a_task(each, COMPLETED) for each in (gone, other)}
        questions = {each: a_question(each, "q", state=QuestionState.ANSWERED) for each in (gone, other)}
        for each, blobs in ((gone, (shared, own)), (other, (shared,))):
            await store.append(
                Append(
                    each,
                    (said(OLD, tasks[each].task_id, *blobs),),
                    task=tasks[each],
                    session=SessionRecord(each, "claude", "/work", OLD, False),
                    questions=(questions[each],),
                )
            )
        assert await store.forget(gone, CUT)
        after = await self.reopened(store)
        try:
            for session_id, is_kept in ((gone, False), (other, True)):
                assert bool(await after.read(session_id, after=0, limit=10)) is is_kept
                assert (await after.task(tasks[session_id].task_id) is not None) is is_kept
                assert (await after.session(session_id) is not None) is is_kept
                assert (await after.question(session_id, "q") is not None) is is_kept
                assert len(await after.tasks(statuses=frozenset({COMPLETED}), session_id=session_id)) == is_kept
            assert await after.blob(own.sha256) is None
            assert await after.blob(shared.sha256) == b"shared"
            assert await after.quiet_sessions(CUT) == [other]
        finally:
            await after.close()

    @pytest.mark.parametrize(
        "status", [TaskStatus.QUEUED, TaskStatus.RUNNING, TaskStatus.WAITING, TaskStatus.PARKED], ids=str
    )
    async def test_a_session_with_a_task_that_has_not_ended_is_kept(self, store: Store, status: TaskStatus) -> None:
        session = new_id()
        task = a_task(session, status)
        await store.append(Append(session, (said(OLD, task.task_id),), task=task))
        assert await store.quiet_sessions(CUT) == []
        assert not await store.forget(session, CUT)
        assert await store.task(task.task_id) is not None

    async def test_a_session_with_a_question_that_waits_is_kept(self, store: Store) -> None:
        session = new_id()
        await store.append(Append(session, (said(OLD),), questions=(a_question(session, "q"),)))
        assert await store.quiet_sessions(CUT) == []
        assert not await store.forget(session, CUT)
        assert await store.question(session, "q") is not None

    async def test_what_was_touched_meanwhile_is_kept(self, store: Store) -> None:
        session = new_id()
        await store.append(Append(session, (said(OLD),)))
        assert await store.quiet_sessions(CUT) == [session]
        await store.append(Append(session, (said(NEW),)))
        assert not await store.forget(session, CUT)
        assert numbers(await store.read(session, after=0, limit=10)) == [1, 2]

    async def test_numbers_are_not_given_again(self, store: Store) -> None:
        session = new_id()
        await store.append(Append(session, tuple(said(OLD) for _ in range(5_000))))
        assert await store.forget(session, CUT)
        assert await store.bounds(session) == Bounds(first=5_001, last=5_000)
        task = a_task(session)
        step = Append(session, (said(NEW),), task=task, expect=(TaskIsNew(task.task_id), SessionIsFree(session)))
        assert await store.append(step) == 5_001
        assert numbers(await store.read(session, after=0, limit=10)) == [5_001]

    async def test_a_task_id_is_free_again(self, store: Store) -> None:
        session = new_id()
        task = a_task(session, COMPLETED)
        await store.append(Append(session, (said(OLD, task.task_id),), task=task, expect=(TaskIsNew(task.task_id),)))
        assert await store.forget(session, CUT)
        await store.append(Append(session, (said(NEW, task.task_id),), task=task, expect=(TaskIsNew(task.task_id),)))
        again = await store.task(task.task_id)
        assert again is not None
        assert (again.first_seq, again.last_seq) == (2, 2)

    async def test_nobody_is_forgotten_twice(self, store: Store) -> None:
        session = new_id()
        assert not await store.forget(session, CUT)
        await store.append(Append(session, (said(OLD),)))
        assert await store.forget(session, CUT)
        assert not await store.forget(session, CUT)
