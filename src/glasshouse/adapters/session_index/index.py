"""The port `SessionIndex` over Claude Code's transcripts: one task follows the disk, readers answer beside it.

Each turn of that task looks where something happened, reads what grew, and writes it down; when nothing happens it
makes a few more transcripts searchable.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import orjson

from glasshouse.adapters.session_index import book
from glasshouse.adapters.session_index.changed import Listener, Listeners
from glasshouse.adapters.session_index.diggers import DiggerDied, Diggers
from glasshouse.adapters.session_index.folders import Folders, Mark, session_of
from glasshouse.adapters.session_index.lookout import Lookout
from glasshouse.adapters.session_index.pages import Pages
from glasshouse.adapters.session_index.rows import summary_of
from glasshouse.adapters.session_index.search import found_in
from glasshouse.claude_home.digesting import Found, Job
from glasshouse.core.ports import DirectorySessions, Indexed, SessionQuery, SessionSummary, StoreUnavailable

log = logging.getLogger(__name__)

# Less is read in a thread, more in processes.
_LITTLE = 4 * 1024 * 1024
# What is made searchable in one turn: others wait so long at the most.
_AT_ONCE = 16 * 1024 * 1024
_WRITTEN_AT_ONCE_FILES, _WRITTEN_AT_ONCE_PIECES = 100, 64
_AFTER_TROUBLE_S = 2.0


class TranscriptIndex:
    def __init__(self, path: Path, *, roots: Mapping[bool, Path]) -> None:
        """`roots`: where transcripts are, of the user's own home and (True) of the demo model's."""
        self._pages = Pages(path)
        self._homes = {offline: Folders(root) for offline, root in roots.items()}
        self._lookout = Lookout(list(self._homes.values()))
        self._diggers = Diggers()
        self._listeners = Listeners()
        # Those whose texts have not been read, the newest first.
        self._unsearchable: dict[str, Mark] = {}
        self._total = self._listed = 0
        self._built = False
        self._following: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await self._pages.open()
        files = await self._pages.readers.all(lambda row: row, book.FILES)
        # Of tens of thousands: the loop does not wait for it.
        await asyncio.to_thread(self._learn, files)
        self._total = self._listed = len(files)

    def _learn(self, files: Iterable[tuple[Any, ...]]) -> None:
        for path, offline, dev, ino, size, mtime_ns, is_unsearchable in files:
            mark = dev, ino, size, mtime_ns
            self._homes[bool(offline)].learn(path, mark)
            if is_unsearchable:
                self._unsearchable[path] = mark

    async def follow(self) -> None:
        self._lookout.begin()
        self._following = asyncio.create_task(self._follow())

    async def close(self) -> None:
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        self._lookout.end()
        self._listeners.close()
        await self._diggers.rest()
        await self._pages.close()

    # --- what it answers

    async def fresh(self, patience_s: float) -> Indexed:
        await self._lookout.seen(patience_s)
        return Indexed(self._total, self._listed, self._total - len(self._unsearchable))

    async def directories(self) -> Sequence[DirectorySessions]:
        return await self._pages.readers.all(lambda row: DirectorySessions(*row), book.DIRECTORIES)

    async def page(self, query: SessionQuery) -> Sequence[SessionSummary]:
        statement, bound = book.page(query)

        def found(connection: apsw.Connection) -> list[SessionSummary]:
            rows = [summary_of(row) for row in connection.execute(statement, bound)]
            if not query.words:
                return rows
            return [replace(one, found_in=found_in(connection, one, query.words)) for one in rows]

        return await self._pages.readers.do(found)

    async def get(self, session_id: str) -> SessionSummary | None:
        return await self._pages.readers.one(summary_of, book.ONE, session_id)

    async def known(self, session_ids: Collection[str]) -> Collection[str]:
        wanted = orjson.dumps([*session_ids]).decode()
        return set(await self._pages.readers.all(lambda row: str(row[0]), book.KNOWN, wanted))

    def subscribe(self) -> Listener:
        return self._listeners.join()

    # --- how it follows

    async def _follow(self) -> None:
        while True:
            try:
                if await self._lookout.wait(idle=not self._unsearchable):
                    await self._look()
                    self._lookout.looked()
                else:
                    await self._make_searchable()
                continue
            except (apsw.CorruptError, apsw.NotADBError) as damage:
                log.error("the index of sessions is damaged, and made again: %s", damage)
                await self._begin_again()
            except (apsw.Error, StoreUnavailable, OSError, DiggerDied) as trouble:
                log.error("the index of sessions cannot be kept up to date: %s", trouble)
            except Exception:  # it must not end in silence, and leave lists as they were for ever
                log.exception("the index of sessions cannot be kept up to date")
            self._lookout.look_again()
            await asyncio.sleep(_AFTER_TROUBLE_S)

    async def _begin_again(self) -> None:
        await self._pages.make_again()
        for home in self._homes.values():
            home.forget()
        self._unsearchable.clear()
        self._total = self._listed = 0

    async def _look(self) -> None:
        changed, gone = await asyncio.to_thread(self._lookout.changes)
        new = await asyncio.to_thread(lambda: sum(self._mark(path) is None for path in changed))
        self._total = self._listed + new - len(gone)
        news = await self._news([*changed, *gone])
        if gone:
            await self._pages.write(lambda connection: book.forget(connection, gone))
            for path in gone:
                self._forgotten(path)
        if changed:
            await self._take(changed)
        if news:
            self._listeners.tell(news)
        if not self._unsearchable:
            await self._diggers.rest()
        self._built = True

    async def _take(self, changed: Mapping[str, Mark]) -> None:
        little = sum(mark[2] for mark in changed.values()) <= _LITTLE
        jobs = await self._pages.readers.do(lambda connection: book.jobs_for(connection, changed, texts_of_new=little))
        await self._dig(jobs, sum(changed[job.path][2] - job.offset for job in jobs))

    async def _make_searchable(self) -> None:
        batch: dict[str, Mark] = {}
        size = 0
        for path, mark in islice(self._unsearchable.items(), 64):
            batch[path] = mark
            size += mark[2]
            if size > _AT_ONCE:
                break
        await self._dig([Job(path, texts=True) for path in batch], size)
        for path in batch:
            # What could not be read goes to the end of the line, or is gone.
            if (mark_left := self._unsearchable.pop(path, None)) is not None and self._mark(path) is not None:
                self._unsearchable[path] = mark_left
        if not self._unsearchable:
            await self._diggers.rest()

    async def _dig(self, jobs: Sequence[Job], size: int) -> None:
        """Read, and write down."""
        if size <= _LITTLE:
            for job in jobs:
                await self._write(await self._diggers.here(job))
            return
        waiting: list[Found] = []
        pieces = 0
        async with aclosing(self._diggers.far(jobs)) as parts:
            async for part in parts:
                waiting.append(part)
                pieces += len(part.texts)
                if len(waiting) >= _WRITTEN_AT_ONCE_FILES or pieces >= _WRITTEN_AT_ONCE_PIECES:
                    await self._write(waiting)
                    waiting, pieces = [], 0
        await self._write(waiting)

    async def _write(self, found: Sequence[Found]) -> None:
        try:
            await self._pages.write(lambda connection: book.save(connection, found, self._is_offline))
        except (ValueError, TypeError, apsw.ConstraintError, apsw.TooBigError, apsw.MismatchError) as fault:
            # What cannot be written of one transcript must not cost the others.
            if len({part.path for part in found}) > 1:
                for part in found:
                    await self._write([part])
                return
            last = found[-1]
            found = [Found(last.path, anew=True, is_last=True, mark=last.mark, fault=repr(fault))]
        for part in found:
            if part.fault is not None:
                log.error("a transcript cannot be read, and is in no list: %s", part.fault, extra={"path": part.path})
            if not part.is_last:
                continue
            if not part.mark:
                self._forgotten(part.path)
                continue
            dev, ino, size, mtime_ns = part.mark
            mark = dev, ino, size, mtime_ns
            self._listed += self._mark(part.path) is None
            self._home(part.path).learn(part.path, mark)
            if part.searched or not part.offset:
                self._unsearchable.pop(part.path, None)
            elif part.anew:
                self._unsearchable[part.path] = mark

    def _forgotten(self, path: str) -> None:
        self._listed -= self._mark(path) is not None
        self._home(path).learn(path, None)
        self._unsearchable.pop(path, None)

    async def _news(self, paths: Collection[str]) -> dict[str, str | None]:
        """Where the sessions are that will have changed. At first none has: they were only not known."""
        if not paths or not self._built:
            return {}
        session_ids = dict.fromkeys(session_of(path) for path in paths)
        wanted = orjson.dumps([*session_ids]).decode()
        places = await self._pages.readers.all(lambda row: (row[0], row[1]), book.PLACES, wanted)
        return {**session_ids, **dict(places)}

    def _mark(self, path: str) -> Mark | None:
        return self._home(path).mark(path)

    def _home(self, path: str) -> Folders:
        return self._homes[self._is_offline(path)]

    def _is_offline(self, path: str) -> bool:
        return self._homes[True].holds(path)
