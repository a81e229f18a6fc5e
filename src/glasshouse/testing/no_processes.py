"""The port `Processes` for engines that start none."""

from collections.abc import Mapping, Sequence


class NoProcesses:
    launcher = "/bin/false"

    def environment(self, run_id: str, program: str) -> Mapping[str, str]:
        return {}

    async def end(self, run_id: str, *, leave_s: float = 0.0) -> None:
        pass

    async def strays(self, run_id: str) -> Sequence[int]:
        return ()

    async def sweep(self) -> int:
        return 0
