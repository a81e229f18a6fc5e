"""A command that leaves a child and, in a session of its own, a grandchild; each says who it is in a file."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_BEGUN_WITHIN_S = 60.0


@dataclass(frozen=True)
class Stubborn:
    folder: Path

    @property
    def command(self) -> str:
        note = f"echo $$ > {self.folder}/$$ && mv {self.folder}/$$ {self.folder}"
        grandchild = f"setsid sh -c '{note}/grandchild; exec sleep 300'"
        return f"{grandchild} & sh -c '{note}/child; exec sleep 300' & wait"

    async def child(self) -> int:
        return await self._noted("child")

    async def grandchild(self) -> int:
        return await self._noted("grandchild")

    async def _noted(self, name: str) -> int:
        """Once it runs."""
        path = self.folder / name
        async with asyncio.timeout(_BEGUN_WITHIN_S):
            while not path.exists():  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return int(path.read_text())


@contextmanager
def stubborn() -> Iterator[Stubborn]:
    with tempfile.TemporaryDirectory() as folder:
        yield Stubborn(Path(folder))
