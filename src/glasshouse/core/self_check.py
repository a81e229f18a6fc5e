"""When the self-check runs: once for each build of the agent's program, after the server is ready; and what follows."""

import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from glasshouse.contract.self_check import Behaviour, SelfCheck, SelfCheckState

log = logging.getLogger(__name__)


class Memory(Protocol):
    """Where the newest report is kept over restarts."""

    def self_check(self) -> SelfCheck | None: ...

    def remember_self_check(self, report: SelfCheck) -> None: ...


class SelfChecks:
    def __init__(
        self,
        *,
        by_itself: bool,
        build: Callable[[], str | None],
        examine: Callable[[], Awaitable[SelfCheck]],
        memory: Memory,
        defer: Callable[[bool], None],
    ) -> None:
        """`defer` is told whether questions may be left to the agent while they wait."""
        self._build = build
        self._examine = examine
        self._memory = memory
        self._defer = defer
        self._by_itself = by_itself
        self.state: SelfCheckState = "pending" if by_itself else "off"
        self.report: SelfCheck | None = None

    async def run(self) -> None:
        """What is known of this build, or found out now."""
        build = self._build()
        remembered = self._memory.self_check()
        if remembered is not None and remembered.build == build:
            self._conclude(remembered)
        elif self._by_itself and build is not None:
            await self._find_out()

    async def _find_out(self) -> None:
        self.state = "running"
        try:
            report = await self._examine()
            self._memory.remember_self_check(report)
        except Exception:  # a check that breaks says nothing of the agent, and must not disturb the server
            log.exception("the self-check broke; `glasshouse doctor` runs it again")
            self.state = "failed"
            return
        self._conclude(report)

    def _conclude(self, report: SelfCheck) -> None:
        self.report, self.state = report, "done"
        self._defer(report.has(Behaviour.KEEPS_A_QUESTION))
        for finding in report.findings:
            if not finding.holds:
                log.warning("this Claude Code does not do what is relied on: %s: %s", finding.behaviour, finding.detail)
