"""The port `WorkingTrees`, for a directory in which one file differs and cannot be put back."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from glasshouse.contract.phrase import Phrase
from glasshouse.core.ports import ChangeStatus, Comparison, NotRestored, TreeChange, TreeFile

CHANGE = TreeChange(b"a", None, ChangeStatus.MODIFIED, TreeFile("100644", "0"), TreeFile("100644", "1"), 1, 1)


class _Comparison:
    recorded_at = "2026-01-01T00:00:00.000Z"
    changes: Sequence[TreeChange] = (CHANGE,)

    async def patch(self, changes: Sequence[TreeChange], limit: int) -> bytes:
        return b""

    async def changed_at(self, change: TreeChange) -> float:
        return 0.0

    async def restore(self, change: TreeChange) -> None:
        raise NotRestored(Phrase("不行", "no"))


class OneChange:
    async def remember(self, session_id: str, working_dir: str) -> None:
        pass

    @asynccontextmanager
    async def compare(self, session_id: str, working_dir: str) -> AsyncIterator[Comparison]:
        yield _Comparison()

    async def forget(self, session_id: str) -> None:
        pass
