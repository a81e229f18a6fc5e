"""What all runs share."""

import asyncio
from pathlib import Path

from glasshouse.contract.phrase import Language
from glasshouse.core.ports import Processes
from glasshouse.engines.claude.patience import Patience
from glasshouse.engines.claude.trust import ProjectTrust


class Workplace:
    def __init__(
        self,
        *,
        processes: Processes,
        files: Path,
        language: Language,
        concurrent_starts: int,
        start_timeout_s: float,
        defer: bool,
        hot_s: float,
        trust: ProjectTrust,
    ) -> None:
        self.processes = processes
        self.files = files
        self.language: Language = language
        self.starts = asyncio.Semaphore(concurrent_starts)
        self.start_timeout_s = start_timeout_s
        self.patience = Patience(defer=defer, hot_s=hot_s)
        self.trust = trust
