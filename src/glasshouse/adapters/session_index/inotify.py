"""The kernel's word on which folders to look at. It is there before the write that caused it returns.

Only a hint all the same: another machine's writes to a shared disk are not in it, and other systems have none.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Collection

_NONBLOCK, _CLOEXEC = os.O_NONBLOCK, os.O_CLOEXEC
_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO = 0x2, 0x4, 0x8, 0x40, 0x80
_CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _IGNORED, _ONLYDIR, _DONT_FOLLOW = 0x4000, 0x8000, 0x01000000, 0x02000000
_INTERESTING = (
    _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
)
_EVENT = struct.Struct("iIII")
_READ = 256 * 1024


class Inotify:
    """Raises OSError where the kernel has none, or no more of it."""

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise OSError("no inotify here")
        self._library = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self._checked(self._library.inotify_init1(_NONBLOCK | _CLOEXEC))
        self._folders: dict[int, str] = {}

    def watch(self, folder: str) -> None:
        """Watched already, it is watched once all the same."""
        watch = self._checked(
            self._library.inotify_add_watch(
                self.descriptor, os.fsencode(folder), _INTERESTING | _ONLYDIR | _DONT_FOLLOW
            )
        )
        self._folders[watch] = folder

    def heard(self) -> Collection[str] | None:
        """The folders in which something happened, up to this moment; None: too much, look everywhere."""
        folders: set[str] = set()
        lost = False
        while events := self._events():
            for watch, mask in events:
                lost = lost or bool(mask & _OVERFLOW)
                folder = self._folders.get(watch)
                if folder is not None:
                    folders.add(folder)
                if mask & _IGNORED:
                    self._folders.pop(watch, None)
        return None if lost else folders

    def close(self) -> None:
        os.close(self.descriptor)

    def _events(self) -> list[tuple[int, int]]:
        try:
            data = os.read(self.descriptor, _READ)
        except BlockingIOError:
            return []
        events: list[tuple[int, int]] = []
        place = 0
        while place < len(data):
            watch, mask, _, length = _EVENT.unpack_from(data, place)
            events.append((watch, mask))
            place += _EVENT.size + length
        return events

    def _checked(self, result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result
