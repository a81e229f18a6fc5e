"""How often somebody may ask: so many times in any window, told apart by a key, on the monotonic clock."""

import math
from collections import deque

from glasshouse.core.ports import Clock

WINDOW_S = 60.0
_KEYS_KEPT = 10_000


class SlidingWindow:
    def __init__(self, limit: int, clock: Clock, window_s: float = WINDOW_S) -> None:
        """`limit` 0 is no limit."""
        self._limit = limit
        self._clock = clock
        self._window_s = window_s
        self._taken: dict[str, deque[float]] = {}

    def full(self, key: str) -> int | None:
        """Seconds until the next is free, or None if one is free now. Takes nothing."""
        if not self._limit:
            return None
        taken = self._recent(key)
        if taken is None or len(taken) < self._limit:
            return None
        return max(1, math.ceil(taken[0] + self._window_s - self._clock.monotonic()))

    def take(self, key: str) -> int | None:
        """Take one: None if it was free, else the seconds until one will be."""
        wait = self.full(key)
        if wait is None and self._limit:
            if len(self._taken) >= _KEYS_KEPT:
                self._forget_old()
            self._taken.setdefault(key, deque()).append(self._clock.monotonic())
        return wait

    def _recent(self, key: str) -> deque[float] | None:
        taken = self._taken.get(key)
        if taken is None:
            return None
        horizon = self._clock.monotonic() - self._window_s
        while taken and taken[0] <= horizon:
            taken.popleft()
        if not taken:
            del self._taken[key]
            return None
        return taken

    def _forget_old(self) -> None:
        for key in list(self._taken):
            self._recent(key)
        while len(self._taken) >= _KEYS_KEPT:
            del self._taken[next(iter(self._taken))]
