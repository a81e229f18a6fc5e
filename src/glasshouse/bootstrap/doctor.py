"""The self-check: a Glasshouse of its own in a temporary directory, with the real agent and a model that rehearses."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from glasshouse.adapters.clock import SystemClock
from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.bootstrap.services import Services
from glasshouse.contract.self_check import SelfCheck
from glasshouse.core.rehearsal import Stage, rehearse
from glasshouse.core.settings import Settings
from glasshouse.core.times import timestamp
from glasshouse.engines.claude.program import build_of, claude_code
from glasshouse.testing.offline_model import Script
from glasshouse.testing.offline_model.rehearsal import rehearsal_scripts


class Build(Protocol):
    def __call__(
        self,
        settings: Settings,
        data: DataDirectory,
        environment: Mapping[str, str],
        *,
        scripts: Sequence[Script],
    ) -> Services: ...


async def examine(build: Build, environment: Mapping[str, str]) -> SelfCheck:
    """Takes some seconds. Leaves nothing behind, and touches nothing of the user's."""
    program = claude_code()
    with tempfile.TemporaryDirectory(prefix="glasshouse-self-check-") as scratch:
        work = Path(scratch) / "work"
        work.mkdir()
        data = DataDirectory(Path(scratch) / "data")
        data.prepare()
        settings = Settings(
            offline="always", working_dir=str(work), trust="ask", self_check="never", language="en", rate_limit=0
        )
        services = build(settings, data, environment, scripts=rehearsal_scripts())
        await services.start()
        try:
            played = await rehearse(
                Stage(
                    admission=services.admission,
                    execution=services.execution,
                    desk=services.desk,
                    instructions=services.instructions,
                    store=services.store,
                    sessions=services.sessions,
                    engine=services.engines["claude"],
                    working_dir=work,
                )
            )
        finally:
            await services.drain()
            await services.close()
    return SelfCheck(
        program=str(program),
        build=build_of(program) or "",
        version=played.version,
        checked_at=timestamp(SystemClock().now()),
        findings=played.findings,
    )
