"""When to look, and where: on the kernel's word, on a request, and from time to time, since neither tells of all."""

import asyncio
import os
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from glasshouse.adapters.session_index.folders import Changes, Folders, Mark
from glasshouse.adapters.session_index.inotify import Inotify

# A flood of small writes is looked at so often.
_AT_MOST_EVERY_S = 0.1
# With the kernel's word, and without; and never more of the time than this part of it.
_EVERY_S, _EVERY_DEAF_S = 5.0, 0.5
_SHARE_OF_TIME = 0.02


class Lookout:
    def __init__(self, homes: Sequence[Folders]) -> None:
        self._homes = homes
        self._inotify: Inotify | None = None
        self._roots: frozenset[str] = frozenset()
        self._bell = asyncio.Event()
        self._everything = True
        self._dirty: set[str] = set()
        self._looking: Collection[str] | None = ()
        self._is_looking = False
        self._asked: list[asyncio.Future[None]] = []
        self._served: list[asyncio.Future[None]] = []
        self._looked_at = 0.0
        self._look_everywhere_at = 0.0

    def begin(self) -> None:
        try:
            self._inotify = Inotify()
        except OSError:
            return
        asyncio.get_running_loop().add_reader(self._inotify.descriptor, self._bell.set)

    def end(self) -> None:
        self._go_deaf()
        for request in (*self._asked, *self._served):
            request.cancel()

    async def seen(self, patience_s: float) -> None:
        """Until all that is on the disk now has been looked at and taken in, or patience is over."""
        self._listen()
        if not self._hears_all():
            self._everything = True
        if not (self._everything or self._dirty or self._is_looking):
            return
        request = asyncio.get_running_loop().create_future()
        self._asked.append(request)
        self._bell.set()
        await asyncio.wait((request,), timeout=patience_s)

    async def wait(self, *, idle: bool) -> bool:
        """True: it is time to look. False, unless idle: there is time for something else."""
        while True:
            self._bell.clear()
            self._listen()
            now = time.monotonic()
            if now >= self._look_everywhere_at:
                self._everything = True
            something = self._everything or bool(self._dirty)
            if something and (self._asked or now >= self._looked_at + _AT_MOST_EVERY_S):
                self._begin_to_look()
                return True
            if not idle:
                return False
            until = self._looked_at + _AT_MOST_EVERY_S if something else self._look_everywhere_at
            try:
                async with asyncio.timeout(until - now):
                    await self._bell.wait()
            except TimeoutError:
                pass

    def changes(self) -> tuple[dict[str, Mark], list[str]]:
        """Blocking: the files that changed, the newest first, and those that are gone."""
        everywhere = self._looking is None
        begun = time.monotonic()
        found: list[Changes] = []
        for home in self._homes:
            if everywhere:
                self._watch(home)
            folders = None if self._looking is None else [one for one in self._looking if home.holds(one)]
            found.append(home.look(folders))
        if everywhere:
            least = _EVERY_S if self._hears_all() else _EVERY_DEAF_S
            self._look_everywhere_at = begun + max(least, (time.monotonic() - begun) / _SHARE_OF_TIME)
        marks = {path: mark for changes in found for path, mark in changes.marks.items()}
        newest_first = sorted(marks.items(), key=lambda item: item[1][3], reverse=True)
        return dict(newest_first), [path for changes in found for path in changes.gone]

    def looked(self) -> None:
        """What was found has been taken in."""
        self._is_looking = False
        self._looked_at = time.monotonic()
        for request in self._served:
            if not request.done():
                request.set_result(None)
        self._served = []

    def look_again(self) -> None:
        """It could not be taken in."""
        self._is_looking = False
        self._everything = True
        self._asked, self._served = [*self._served, *self._asked], []

    def _begin_to_look(self) -> None:
        self._looking = None if self._everything else self._dirty
        self._everything, self._dirty = False, set()
        self._served, self._asked = self._asked, []
        self._is_looking = True

    def _listen(self) -> None:
        if self._inotify is None:
            return
        try:
            heard = self._inotify.heard()
        except OSError:
            self._go_deaf()
            return
        if heard is None or not self._roots.isdisjoint(heard):
            self._everything = True
        else:
            self._dirty.update(heard)

    def _hears_all(self) -> bool:
        """What is not there yet cannot be watched; where it then is, nothing of it is known."""
        return self._inotify is not None and all(
            home.root in self._roots or not os.path.lexists(home.root) for home in self._homes
        )

    def _watch(self, home: Folders) -> None:
        """Before it is looked at, so that nothing comes between."""
        if self._inotify is None:
            return
        try:
            if Path(home.root).is_dir():
                self._inotify.watch(home.root)
                self._roots |= {home.root}
            for folder in home.names():
                self._inotify.watch(folder)
        except FileNotFoundError:
            self._everything = True
        except OSError:  # the kernel watches no more for this user
            self._roots = frozenset()

    def _go_deaf(self) -> None:
        if self._inotify is not None:
            asyncio.get_running_loop().remove_reader(self._inotify.descriptor)
            self._inotify.close()
            self._inotify = None
