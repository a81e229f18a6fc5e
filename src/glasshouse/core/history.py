"""Sessions to look through: those that the index of transcripts knows, and those of ours that none is written of yet.

What a person may not see is in no list and no count: `VisibleSessions` says what that is.
"""

import asyncio
import base64
import binascii
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from dataclasses import dataclass

from glasshouse.contract.errors import InvalidRequest, SessionNotFound, Unavailable
from glasshouse.contract.fork import ForkedFrom
from glasshouse.contract.ids import is_uuid
from glasshouse.contract.session import Progress, Project, ProjectList, Session, SessionChange, SessionPage
from glasshouse.core.ports import (
    Clock,
    DirectorySessions,
    Indexed,
    SessionIndex,
    SessionQuery,
    SessionRecord,
    SessionSummary,
    Store,
    TaskRecord,
)
from glasshouse.core.snippets import snippet_of
from glasshouse.core.visible import VisibleSessions

TITLE_LENGTH = 50
# A list is whole, or says how far it is after so long; one session is worth more patience.
_PATIENCE_S, _PATIENCE_FOR_ONE_S = 2.0, 20.0
# Links change, and so does what they lead to.
_COVERED_FOR_S = 10.0
_WORDS = 8


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is asked for. `since` and `until` are moments as all doors write them."""

    project: str | None = None
    text: str = ""
    since: str | None = None
    until: str | None = None
    tool: str | None = None
    min_cost: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.text.replace("\0", " ").split()[:_WORDS])


class History:
    def __init__(self, *, store: Store, index: SessionIndex, visible: VisibleSessions, clock: Clock) -> None:
        self._store = store
        self._index = index
        self._visible = visible
        self._clock = clock
        # Each with the time until which that is believed.
        self._covered: dict[str, tuple[bool, float]] = {}

    async def projects(self) -> ProjectList:
        indexed = await self._index.fresh(_PATIENCE_S)
        found: dict[str, Project] = {}
        for each in await self._visible_directories():
            found[each.working_dir] = Project(
                path=each.working_dir, session_count=each.count, last_active=each.active_at
            )
        for session in await self._unwritten():
            before = found.get(session.project_path)
            found[session.project_path] = Project(
                path=session.project_path,
                session_count=1 + (before.session_count if before else 0),
                last_active=max(session.last_active, before.last_active if before else ""),
            )
        newest_first = sorted(found.values(), key=lambda project: project.last_active, reverse=True)
        return ProjectList(projects=newest_first, indexing=_indexing(indexed))

    async def sessions(self, wanted: Wanted, *, cursor: str | None, limit: int) -> SessionPage:
        after = None if cursor is None else _place(cursor)
        indexed = await self._index.fresh(_PATIENCE_S)
        written = await self._written(wanted, after, limit + 1)
        unwritten = [session for session in await self._unwritten() if _fits(session, wanted, after)]
        found = sorted((*written, *unwritten), key=_order, reverse=True)
        page = await self._with_tasks(found[:limit])
        return SessionPage(
            sessions=page,
            next_cursor=_cursor(page[-1]) if len(found) > limit else None,
            indexing=_indexing(indexed),
            searched=_progress(indexed.searchable, indexed.total) if wanted.words else None,
        )

    async def session(self, session_id: str) -> Session:
        """Raises SessionNotFound."""
        if not is_uuid(session_id):
            raise SessionNotFound
        session_id = session_id.lower()
        await self._visible.find(session_id)
        await self._index.fresh(_PATIENCE_FOR_ONE_S)
        summary = await self._index.get(session_id)
        record = await self._store.session(session_id)
        if summary is not None:
            found = _session(summary, ()).model_copy(update={"forked_from": _forked_from(record)})
        elif record is not None:
            found = await self._unwritten_one(record, await self._current_task(session_id))
        else:
            # It is on the disk, and was not reached yet.
            raise Unavailable(retry_after_s=5)
        return (await self._with_tasks([found]))[0]

    async def changes(self) -> AsyncGenerator[SessionChange, None]:
        """What changes from now on, of what people may see."""
        changes = self._index.subscribe()
        try:
            while True:
                for session_id, was_in in (await changes.next()).items():
                    if (change := await self._change(session_id, was_in)) is not None:
                        yield change
        finally:
            changes.close()

    # --- where its parts come from

    async def _written(self, wanted: Wanted, after: tuple[str, str] | None, limit: int) -> list[Session]:
        visible = [each.working_dir for each in await self._visible_directories()]
        query = SessionQuery(
            working_dirs=[each for each in visible if wanted.project in (None, each)],
            limit=limit,
            words=wanted.words,
            since=wanted.since,
            until=wanted.until,
            tool=wanted.tool,
            min_cost=wanted.min_cost,
            costly=await self._costly(wanted.min_cost),
            after=after,
        )
        return [_session(summary, wanted.words) for summary in await self._index.page(query)]

    async def _costly(self, least: float | None) -> Collection[str]:
        if least is None:
            return ()
        return [session_id for session_id, cost in (await self._store.costs()).items() if cost >= least]

    async def _unwritten(self) -> list[Session]:
        """Sessions of ours without a transcript: queued, at their first words, or ended before these."""
        records = {record.session_id: record for record in await self._store.sessions()}
        for session_id in await self._index.known(list(records)):
            records.pop(session_id, None)
        covered = await self._covering({record.working_dir for record in records.values()})
        records = {each.session_id: each for each in records.values() if each.working_dir in covered}
        tasks = await self._store.current_tasks(list(records)) if records else {}
        return [await self._unwritten_one(record, tasks.get(session_id)) for session_id, record in records.items()]

    async def _unwritten_one(self, record: SessionRecord, task: TaskRecord | None) -> Session:
        session = _unwritten(record, task)
        if session.title or record.forked_from is None:
            return session
        # Nobody has said anything in it: until then it is called what it comes from.
        source = await self._index.get(record.forked_from.session_id)
        return session if source is None else session.model_copy(update={"title": source.title})

    async def _current_task(self, session_id: str) -> TaskRecord | None:
        return (await self._store.current_tasks((session_id,))).get(session_id)

    async def _with_tasks(self, sessions: Sequence[Session]) -> list[Session]:
        """What the log knows beside the transcripts: the state of tasks, and what they cost."""
        tasks = await self._store.current_tasks([session.id for session in sessions])
        unknown = [session.id for session in sessions if session.cost_usd is None and session.id in tasks]
        costs: Mapping[str, float] = await self._store.costs(unknown) if unknown else {}
        return [
            session.model_copy(
                update={
                    "cost_usd": costs.get(session.id) if session.cost_usd is None else session.cost_usd,
                    **({"status": task.status, "task_id": task.task_id} if (task := tasks.get(session.id)) else {}),
                }
            )
            for session in sessions
        ]

    async def _change(self, session_id: str, was_in: str | None) -> SessionChange | None:
        summary = await self._index.get(session_id)
        place = was_in if summary is None else summary.working_dir
        if place is None or not await self._covering({place}):
            return None
        if summary is None:
            return SessionChange(id=session_id, project_path=place, gone=True)
        return SessionChange(
            id=session_id,
            project_path=summary.working_dir,
            title=summary.title,
            message_count=summary.message_count,
            last_active=summary.active_at,
        )

    # --- what people may see

    async def _visible_directories(self) -> list[DirectorySessions]:
        directories = await self._index.directories()
        covered = await self._covering({each.working_dir for each in directories})
        return [each for each in directories if each.working_dir in covered]

    async def _covering(self, working_dirs: Collection[str]) -> Collection[str]:
        now = self._clock.monotonic()
        unknown = [each for each in working_dirs if each not in self._covered or self._covered[each][1] < now]
        if unknown:
            answers = await asyncio.to_thread(lambda: [self._visible.covers(each) for each in unknown])
            until = now + _COVERED_FOR_S
            self._covered.update((each, (answer, until)) for each, answer in zip(unknown, answers, strict=True))
        return {each for each in working_dirs if self._covered[each][0]}


def _session(summary: SessionSummary, words: Sequence[str]) -> Session:
    return Session(
        id=summary.session_id,
        title=summary.title,
        project_path=summary.working_dir,
        timestamp=summary.began_at,
        last_active=summary.active_at,
        message_count=summary.message_count,
        tools_used=list(summary.tools_used),
        files_changed=list(summary.files_changed),
        cost_usd=summary.cost_usd,
        model=summary.model,
        git_branch=summary.git_branch,
        tags=list(summary.tags),
        offline=summary.offline,
        damaged_lines=summary.damaged_lines,
        snippet=None if summary.found_in is None else snippet_of(summary.found_in, words),
    )


def _unwritten(record: SessionRecord, task: TaskRecord | None) -> Session:
    title = str(task.request.get("prompt", "")) if task else ""
    moments = (record.created_at, *((task.created_at, task.started_at, task.ended_at) if task else ()))
    return Session(
        id=record.session_id,
        title=title[:TITLE_LENGTH].rstrip(),
        project_path=record.working_dir,
        timestamp=record.created_at,
        last_active=max(moment for moment in moments if moment),
        message_count=0,
        engine=record.engine,
        offline=record.offline,
        has_transcript=False,
        forked_from=_forked_from(record),
    )


def _forked_from(record: SessionRecord | None) -> ForkedFrom | None:
    point = None if record is None else record.forked_from
    return None if point is None else ForkedFrom(session_id=point.session_id, message_id=point.message_id)


def _fits(session: Session, wanted: Wanted, after: tuple[str, str] | None) -> bool:
    """Of a session that nothing is written of: it has used no tool, and cost nothing that anybody knows."""
    return (
        wanted.tool is None
        and wanted.min_cost is None
        and wanted.project in (None, session.project_path)
        and (wanted.since is None or session.last_active >= wanted.since)
        and (wanted.until is None or session.timestamp <= wanted.until)
        and all(word.casefold() in session.title.casefold() for word in wanted.words)
        and (after is None or _order(session) < after)
    )


def _order(session: Session) -> tuple[str, str]:
    return session.last_active, session.id


def _cursor(session: Session) -> str:
    return base64.urlsafe_b64encode(" ".join(_order(session)).encode()).decode().rstrip("=")


def _place(cursor: str) -> tuple[str, str]:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        raise InvalidRequest("cursor") from None
    moment, _, session_id = text.partition(" ")
    if not is_uuid(session_id):
        raise InvalidRequest("cursor")
    return moment, session_id


def _indexing(indexed: Indexed) -> Progress | None:
    return _progress(indexed.listed, indexed.total)


def _progress(done: int, total: int) -> Progress | None:
    return None if done >= total else Progress(done=done, total=total)
