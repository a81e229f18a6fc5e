"""From a request to a task that is in the log: everything that can be refused is refused here, nothing is run."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from glasshouse.contract.errors import (
    InvalidRequest,
    ResumeConflict,
    SessionBusy,
    SessionNotFound,
    TaskConflict,
    ToolsInvalid,
    WorkingDirInvalid,
)
from glasshouse.contract.events import Info
from glasshouse.contract.ids import new_id
from glasshouse.contract.phrase import Language
from glasshouse.contract.task import PermissionMode, TaskRequest, TaskStatus
from glasshouse.core import attachments as kept_files
from glasshouse.core import messages
from glasshouse.core.directories import Directories
from glasshouse.core.encoding import entry_of
from glasshouse.core.ports import (
    Append,
    Attachments,
    Clock,
    Engine,
    Expectation,
    SessionIsFree,
    SessionRecord,
    Sessions,
    SessionTaken,
    Store,
    TaskExists,
    TaskIsNew,
    TaskQueue,
    TaskRecord,
)
from glasshouse.core.questions.forms import templates_of
from glasshouse.core.times import timestamp
from glasshouse.core.visible import VisibleSessions
from glasshouse.core.workplaces import check_free

_SHOWN_NAMES, _SHOWN_LETTERS = 5, 60


@dataclass(frozen=True)
class TaskPolicy:
    """What the operator bounds."""

    allowed_tools: frozenset[str] | None = None
    allow_bypass: bool = False


class Admitted(NamedTuple):
    record: TaskRecord
    is_new: bool


class _Place(NamedTuple):
    """The conversation that a task joins, and where it works."""

    session_id: str
    working_dir: str
    offline: bool
    known: bool


class Admission:
    def __init__(
        self,
        *,
        store: Store,
        queue: TaskQueue,
        sessions: Sessions,
        visible: VisibleSessions,
        engines: Mapping[str, Engine],
        attachments: Attachments,
        directories: Directories,
        policy: TaskPolicy,
        clock: Clock,
        language: Language,
    ) -> None:
        self._store = store
        self._queue = queue
        self._sessions = sessions
        self._visible = visible
        self._engines = engines
        self._attachments = attachments
        self._directories = directories
        self._policy = policy
        self._clock = clock
        self._language = language

    async def admit(self, request: TaskRequest, *, deltas: bool) -> Admitted:
        """The same `task_id` with the same body gives the first task again. Raises GlasshouseError."""
        if request.task_id is not None:
            existing = await self._store.task(request.task_id)
            if existing is not None:
                return Admitted(_same(existing, request), False)
        engine = self._engines[request.engine]
        self._check_tools(engine, request)
        templates_of(request.questions)
        place = await self._place(engine, request, deltas)
        record = self._record(request, place, deltas)
        if request.attachments:
            await self._keep_attachments(request, record)
        expect: list[Expectation] = [TaskIsNew(record.task_id)]
        if not request.queue:
            expect.append(SessionIsFree(record.session_id))
        step = Append(
            session_id=record.session_id,
            entries=(entry_of(accepted_event(record, self._language)),),
            task=record,
            session=None if place.known else _session(record),
            expect=expect,
            by_person=True,
        )
        try:
            seq = await self._store.append(step)
        except TaskExists as other:
            return Admitted(_same(other.record, request), False)
        except SessionTaken:
            raise SessionBusy from None
        await self._queue.put(record)
        return Admitted(replace(record, first_seq=seq, last_seq=seq), True)

    async def _keep_attachments(self, request: TaskRequest, record: TaskRecord) -> None:
        """Before the task: what no task comes to use after all, the next start removes."""
        if not request.queue:
            await check_free(self._store, record.session_id)
        await kept_files.keep(self._attachments, record.session_id, request)

    def check_mode(self, mode: PermissionMode) -> None:
        """Raises InvalidRequest."""
        if mode == "bypassPermissions" and not self._policy.allow_bypass:
            raise InvalidRequest("permission_mode")

    def _check_tools(self, engine: Engine, request: TaskRequest) -> None:
        self.check_mode(request.permission_mode)
        allowed = self._policy.allowed_tools
        wrong = [
            tool
            for tool in dict.fromkeys(request.tools or ())
            if not engine.knows_tool(tool) or (allowed is not None and tool not in allowed)
        ]
        if wrong:
            raise ToolsInvalid(_in_short(wrong))

    async def _place(self, engine: Engine, request: TaskRequest, deltas: bool) -> _Place:
        if request.resume is not None:
            return await self._resumed(request.resume, request.working_dir)
        asked_for = request.working_dir if request.working_dir is not None else str(self._directories.default)
        working_dir = await self._directory(asked_for)
        if not request.continue_conversation:
            offline = engine.offline()
            session_id = engine.new_session(request, working_dir, deltas=deltas, offline=offline)
            return _Place(session_id, working_dir, offline, known=False)
        newest = await self._sessions.newest(working_dir, offline=engine.offline())
        if newest is None:
            raise SessionNotFound
        known = await self._store.session(newest.session_id) is not None
        return _Place(newest.session_id, working_dir, newest.offline, known)

    async def _resumed(self, session_id: str, asked_for: str | None) -> _Place:
        found = await self._visible.find(session_id)
        working_dir = await self._directory(found.working_dir)
        if asked_for is not None and await self._directory(asked_for) != working_dir:
            raise ResumeConflict
        return _Place(session_id, working_dir, found.offline, found.known)

    async def _directory(self, text: str) -> str:
        path = await asyncio.to_thread(self._directories.guard.check, text)
        if not _is_text(str(path)):
            raise WorkingDirInvalid
        return str(path)

    def _record(self, request: TaskRequest, place: _Place, deltas: bool) -> TaskRecord:
        return TaskRecord(
            task_id=request.task_id or new_id(),
            session_id=place.session_id,
            engine=request.engine,
            status=TaskStatus.QUEUED,
            working_dir=place.working_dir,
            request=request.identity(),
            created_at=timestamp(self._clock.now()),
            offline=place.offline,
            deltas=deltas,
        )


def accepted_event(record: TaskRecord, language: Language, **more: Any) -> Info:
    """The first of a task: what was asked. What is not known yet is null."""
    sentence = messages.STARTED_OFFLINE if record.offline else messages.STARTED
    asked = record.request
    metadata: dict[str, Any] = {
        "session_id": record.session_id,
        "task_id": record.task_id,
        "engine": record.engine,
        "model": asked["model"],
        "working_dir": record.working_dir,
        "tools": asked["tools"],
        "permission_mode": asked["permission_mode"],
        "prompt": asked["prompt"],
        **more,
    }
    if attached := asked.get("attachments"):
        metadata["attachments"] = attached
    if record.offline:
        metadata["offline"] = True
    return Info(
        content=sentence.say(language),
        timestamp=record.created_at,
        session_id=record.session_id,
        task_id=record.task_id,
        metadata=metadata,
    )


def _session(record: TaskRecord) -> SessionRecord:
    return SessionRecord(
        session_id=record.session_id,
        engine=record.engine,
        working_dir=record.working_dir,
        created_at=record.created_at,
        offline=record.offline,
    )


def _same(existing: TaskRecord, request: TaskRequest) -> TaskRecord:
    if existing.request != request.identity():
        raise TaskConflict
    return existing


def _in_short(names: Sequence[str]) -> str:
    """The first of them, on one line: they come from the caller, and may be millions."""
    shown = ", ".join(name[:_SHOWN_LETTERS] for name in names[:_SHOWN_NAMES])
    more = ", …" if len(names) > _SHOWN_NAMES else ""
    return "".join(letter for letter in shown + more if letter.isprintable())


def _is_text(path: str) -> bool:
    """A name on disk may hold bytes that are no UTF-8; such a path cannot be said in JSON."""
    return not any("\ud800" <= letter <= "\udfff" for letter in path)
