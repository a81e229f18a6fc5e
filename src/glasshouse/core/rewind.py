"""Going back in a session: its conversation in a fork or in place, its files, or to a question that is asked again.

Nothing is written to the engine's own records: what is decided here is kept in the session's record, and its engine
does it with the next task.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import PurePath
from typing import Any

from glasshouse.contract.errors import (
    MessageNotFound,
    QuestionNotFound,
    RewindRefused,
    SessionBusy,
)
from glasshouse.contract.events import Info
from glasshouse.contract.ids import new_id
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import QuestionKind
from glasshouse.contract.rewind import ConversationBack, FilesChange, RewindRequest, Rewound
from glasshouse.contract.task import TaskStatus
from glasshouse.core import messages
from glasshouse.core.admission import accepted_event
from glasshouse.core.encoding import entry_of
from glasshouse.core.forking import first_step, forked
from glasshouse.core.ports import (
    Append,
    Asking,
    Clock,
    ConversationPoint,
    Entry,
    FilesBack,
    ForkPoint,
    KnownSession,
    NoWayBack,
    QuestionIsNew,
    QuestionRecord,
    SessionIsFree,
    SessionRecord,
    SessionTaken,
    Store,
    TaskIsNew,
    TaskQueue,
    TaskRecord,
    WaysBack,
)
from glasshouse.core.questions.desk import Desk
from glasshouse.core.questions.forms import asked_again, first_asked, unnumbered
from glasshouse.core.rewindings import RewoundTo, rewound
from glasshouse.core.times import timestamp
from glasshouse.core.visible import VisibleSession, VisibleSessions
from glasshouse.core.workplaces import Workplaces, check_free

FIRST = Phrase(
    "这是会话的第一条消息，只能在新会话中重新开始", "it is the session's first message: only a fork can begin anew"
)
NO_FILES = Phrase("文件只能恢复到某条用户消息，而不是某个问题", "files go back to a message, not to a question")
OTHER_KIND = Phrase("只有模型提出的问题可以重新提问", "only a question that a model asked can be asked again")
NOT_IN_CONVERSATION = Phrase("会话记录中已没有这个问题", "the conversation no longer has this question")


class Rewind:
    def __init__(
        self,
        *,
        store: Store,
        queue: TaskQueue,
        desk: Desk,
        visible: VisibleSessions,
        ways_back: WaysBack,
        workplaces: Workplaces,
        let_go: Callable[[str], Awaitable[None]],
        clock: Clock,
        language: Language,
    ) -> None:
        """`let_go` ends what an engine keeps of a session between its tasks: it knows nothing of a way back."""
        self._store = store
        self._queue = queue
        self._desk = desk
        self._visible = visible
        self._ways_back = ways_back
        self._workplaces = workplaces
        self._let_go = let_go
        self._clock = clock
        self._language: Language = language

    async def back(self, session_id: str, asked: RewindRequest, *, language: Language) -> Rewound:
        """Raises SessionNotFound, SessionBusy, MessageNotFound, QuestionNotFound, RewindRefused."""
        session = await self._visible.find(session_id)
        async with self._free(session, touches_files=asked.restore != "conversation" and not asked.dry_run):
            if not asked.dry_run:
                await self._let_go(session.session_id)
            try:
                if asked.question_id is not None:
                    return await self._to_question(session, asked, asked.question_id)
                return await self._to_message(session, asked, asked.message_id or "")
            except NoWayBack as refused:
                raise RewindRefused(refused.say(language)) from None
            except SessionTaken:
                raise SessionBusy from None

    @asynccontextmanager
    async def _free(self, session: VisibleSession, *, touches_files: bool) -> AsyncIterator[None]:
        """Files of a directory are everybody's who works in it; a conversation is its session's alone."""
        if touches_files:
            async with self._workplaces.alone(session.session_id, session.working_dir):
                yield
            return
        await check_free(self._store, session.session_id)
        yield

    # --- to a message

    async def _to_message(self, session: VisibleSession, asked: RewindRequest, message_id: str) -> Rewound:
        point = await self._ways_back.before_message(session.session_id, message_id, offline=session.offline)
        if point is None:
            raise MessageNotFound
        moves = asked.restore != "files"
        if moves and not asked.fork and point.at is None:
            raise NoWayBack(FIRST)
        files = await self._files(session, asked, message_id)
        told: dict[str, Any] = {"message_id": message_id, "restore": asked.restore}
        if files is not None:
            told["files"] = _in(session, files)
        going_on = await self._moved(session, asked, point, told) if moves else session.session_id
        if not moves and not asked.dry_run:
            await self._tell(session.session_id, messages.FILES_BACK, told)
        return Rewound(
            dry_run=asked.dry_run,
            session_id=going_on,
            forked=moves and asked.fork,
            conversation=ConversationBack(kept=point.kept, prompt=point.prompt) if moves else None,
            files=_shown(session, files),
        )

    async def _files(self, session: VisibleSession, asked: RewindRequest, message_id: str) -> FilesBack | None:
        if asked.restore == "conversation":
            return None
        known = KnownSession(session.session_id, session.working_dir, session.offline)
        may_write = None if asked.dry_run else self._visible.covers
        return await self._ways_back.files_before(known, message_id, may_write)

    async def _moved(
        self, session: VisibleSession, asked: RewindRequest, point: ConversationPoint, told: dict[str, Any]
    ) -> str | None:
        """The session that goes on from there."""
        if asked.dry_run:
            return None if asked.fork else session.session_id
        record = await self._visible.record(session.session_id, self._now())
        if not asked.fork:
            await self._store.append(self._in_place(record, point, told))
            return session.session_id
        fork = self._fork(record, point)
        told = {**told, "session_id": session.session_id, "fork": fork.session_id}
        await self._store.append(first_step(fork, self._language, rewind=told))
        await self._tell(session.session_id, messages.FORK_BEGUN, told)
        return fork.session_id

    def _in_place(self, record: SessionRecord, point: ConversationPoint, told: dict[str, Any]) -> Append:
        assert point.at is not None
        return Append(
            record.session_id,
            entries=[self._event(record.session_id, messages.REWOUND, told)],
            session=rewound(record, RewoundTo(point.at, point.dropped)),
            expect=[SessionIsFree(record.session_id)],
            by_person=True,
        )

    def _fork(self, record: SessionRecord, point: ConversationPoint) -> SessionRecord:
        return forked(record, ForkPoint(record.session_id, point.at), self._now())

    # --- to a question

    async def _to_question(self, session: VisibleSession, asked: RewindRequest, question_id: str) -> Rewound:
        question = await self._store.question(session.session_id, question_id)
        task = None if question is None or question.task_id is None else await self._store.task(question.task_id)
        if question is None:
            raise QuestionNotFound
        if task is None or question.kind is not QuestionKind.QUESTION:
            raise NoWayBack(OTHER_KIND)
        if asked.restore != "conversation":
            raise NoWayBack(NO_FILES)
        point = await self._ways_back.at_call(session.session_id, question.call_id, offline=session.offline)
        if point is None:
            raise NoWayBack(NOT_IN_CONVERSATION)
        calls = await self._store.questions_of_call(session.session_id, question.call_id)
        roots = [each for each in calls if each.parent_id is None]
        waiting, going_on = None, session.session_id if not asked.fork else None
        if not asked.dry_run:
            waiting = await self._asked_again(session, asked, task, roots, point)
            going_on = waiting[0].session_id
        return Rewound(
            dry_run=asked.dry_run,
            session_id=going_on,
            forked=asked.fork,
            conversation=ConversationBack(kept=point.kept),
            task_id=None if waiting is None else waiting[0].task_id,
            question_ids=[] if waiting is None else [each.question_id for each in waiting[1]],
        )

    async def _asked_again(
        self,
        session: VisibleSession,
        asked: RewindRequest,
        earlier: TaskRecord,
        roots: Sequence[QuestionRecord],
        point: ConversationPoint,
    ) -> tuple[TaskRecord, Sequence[QuestionRecord]]:
        """A task that begins by waiting for the same question: no process is needed until it is answered."""
        record = await self._visible.record(session.session_id, self._now())
        told = {"question_id": roots[0].question_id, "session_id": session.session_id}
        if asked.fork:
            begun = self._fork(record, point)
            asking = _asking(roots, 1)
            told["fork"] = begun.session_id
        else:
            begun = rewound(record, RewoundTo(point.at or "", point.dropped))
            asking = _asking(roots, await self._next_number(roots[0]))
        task = self._waiting_task(earlier, begun)
        questions, notices = await self._desk.asked_with(task, asking)
        first = entry_of(accepted_event(task, self._language, rewind=told))
        await self._store.append(
            Append(
                begun.session_id,
                entries=[first, *notices],
                task=task,
                session=begun,
                questions=questions,
                expect=[
                    TaskIsNew(task.task_id),
                    SessionIsFree(begun.session_id),
                    *(QuestionIsNew(each.session_id, each.question_id) for each in questions),
                ],
                by_person=True,
            )
        )
        if asked.fork:
            await self._tell(session.session_id, messages.FORK_BEGUN, told)
        await self._queue.put(task)
        return task, questions

    def _waiting_task(self, earlier: TaskRecord, session: SessionRecord) -> TaskRecord:
        """As the one that asked: the same prompt, which the conversation has already, and the same bounds."""
        now = self._now()
        task_id = new_id()
        ours = {"task_id": task_id, "resume": session.session_id, "continue_conversation": False, "prompted": True}
        return TaskRecord(
            task_id=task_id,
            session_id=session.session_id,
            engine=session.engine,
            status=TaskStatus.WAITING,
            working_dir=session.working_dir,
            request={**earlier.request, **ours},
            created_at=now,
            offline=session.offline,
            deltas=earlier.deltas,
            # It has been taken up, as far as anybody needs to know: its answer is what it goes on with.
            generation=1,
            started_at=now,
        )

    async def _next_number(self, question: QuestionRecord) -> int:
        for number in count(2):
            name = asked_again(first_asked(question.question), number).question_id
            if await self._store.question(question.session_id, name) is None:
                return number
        raise AssertionError("numbers do not end")

    # --- small parts

    async def _tell(self, session_id: str, said: Phrase, told: dict[str, Any]) -> None:
        await self._store.append(Append(session_id, entries=[self._event(session_id, said, told)], by_person=True))

    def _event(self, session_id: str, said: Phrase, told: dict[str, Any]) -> Entry:
        return entry_of(
            Info(
                content=said.say(self._language),
                timestamp=self._now(),
                session_id=session_id,
                task_id=None,
                metadata={"rewind": told},
            )
        )

    def _now(self) -> str:
        return timestamp(self._clock.now())


def _asking(roots: Sequence[QuestionRecord], number: int) -> Asking:
    """The call as it first was, for the so many-th time."""
    first = roots[0]
    call_id = unnumbered(first.call_id)
    return Asking(
        call_id=call_id if number == 1 else f"{call_id}#{number}",
        questions=[asked_again(first_asked(each.question), number) for each in roots],
        kind=first.kind,
        subject=first.subject,
        memo={name: value for name, value in first.memo.items() if name != "by_model"},
    )


def _shown(session: VisibleSession, files: FilesBack | None) -> FilesChange | None:
    if files is None:
        return None
    return FilesChange(
        files=_in(session, files),
        insertions=files.insertions,
        deletions=files.deletions,
        skipped_links=files.skipped_links,
    )


def _in(session: VisibleSession, files: FilesBack) -> list[str]:
    below = PurePath(session.working_dir)
    paths = map(PurePath, files.files)
    return [str(path.relative_to(below) if path.is_relative_to(below) else path) for path in paths]
