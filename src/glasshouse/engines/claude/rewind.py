"""The way back, as Claude Code has it: points of its transcripts, and its own checkpoints of files."""

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.points import at_call, before_message, newest_message
from glasshouse.contract.phrase import Phrase
from glasshouse.core.ports import (
    ConversationPoint,
    FilesBack,
    KnownSession,
    ModelEndpoint,
    NoWayBack,
    Processes,
)
from glasshouse.engines.claude import environment
from glasshouse.engines.claude.asking import base_of
from glasshouse.engines.claude.failures import LastWords
from glasshouse.engines.claude.program import claude_code

# With the SDK, which is slow to import.
_PROCESS = "glasshouse.engines.claude.process"
_CHECKPOINTS = "glasshouse.engines.claude.checkpoint_options"
_START_TIMEOUT_S = 30.0
_ANSWER_S = 60.0

NONE_THERE = Phrase(
    "Claude Code 没有为这条消息保存文件检查点", "Claude Code has kept no checkpoint of files at this message"
)
OUTSIDE = Phrase("有文件在允许的目录之外：{path}", "a file is outside the allowed directories: {path}")
BROKEN = Phrase("Claude Code 未能恢复文件：{words}", "Claude Code could not put the files back: {words}")


class ClaudeWaysBack:
    """The port `WaysBack`."""

    def __init__(
        self,
        *,
        home: ClaudeHome,
        offline_home: ClaudeHome,
        processes: Processes,
        environment: Mapping[str, str],
        offline_model: Callable[[], Awaitable[ModelEndpoint]],
        cli: Path | None = None,
    ) -> None:
        self._homes = {False: home, True: offline_home}
        self._processes = processes
        self._environment = environment
        self._offline_model = offline_model
        self._cli = cli

    async def newest_message(self, session_id: str, dropped: Sequence[tuple[int, int]], *, offline: bool) -> str | None:
        return await asyncio.to_thread(newest_message, self._homes[offline], session_id, dropped)

    async def before_message(self, session_id: str, message_id: str, *, offline: bool) -> ConversationPoint | None:
        return await asyncio.to_thread(before_message, self._homes[offline], session_id, message_id)

    async def at_call(self, session_id: str, call_id: str, *, offline: bool) -> ConversationPoint | None:
        return await asyncio.to_thread(at_call, self._homes[offline], session_id, base_of(call_id))

    async def files_before(
        self, session: KnownSession, message_id: str, may_write: Callable[[str], bool] | None
    ) -> FilesBack:
        """One process of the session, with no prompt, no settings, no tools; it writes no message."""
        module = await asyncio.to_thread(importlib.import_module, _PROCESS)
        options = await asyncio.to_thread(importlib.import_module, _CHECKPOINTS)
        run_id = str(uuid4())
        variables = await self._variables(session)
        heard = LastWords(variables)
        marker = self._processes.environment(run_id, str(self._cli or claude_code()))
        process = module.ClaudeProcess(
            options.checkpoint_options(
                session, launcher=self._processes.launcher, variables={**variables, **marker}, hear=heard.hear
            ),
            # It asks nobody for anything.
            None,
            processes=self._processes,
            run_id=run_id,
        )
        try:
            async with asyncio.timeout(_ANSWER_S):
                await process.start(_START_TIMEOUT_S)
                return await self._back(process, message_id, may_write)
        except (module.Broken, module.NotReady, TimeoutError) as problem:
            words = str(heard) or str(problem) or type(problem).__name__
            raise NoWayBack(BROKEN, words=words) from None
        finally:
            await process.end(0)

    async def _back(self, process: Any, message_id: str, may_write: Callable[[str], bool] | None) -> FilesBack:
        told = await process.rewind_files(message_id, dry_run=True)
        if not told.get("canRewind"):
            raise NoWayBack(NONE_THERE)
        files = [str(file) for file in told.get("filesChanged") or ()]
        skipped = 0
        if may_write is not None:
            for file in files:
                if not await asyncio.to_thread(may_write, file):
                    raise NoWayBack(OUTSIDE, path=file)
            done = await process.rewind_files(message_id, dry_run=False)
            if not done.get("canRewind"):
                raise NoWayBack(BROKEN, words=done.get("error"))
            skipped = int(done.get("skippedLinks") or 0)
        return FilesBack(files, told.get("insertions"), told.get("deletions"), skipped)

    async def _variables(self, session: KnownSession) -> dict[str, str]:
        home = self._homes[session.offline]
        if not session.offline:
            return {**environment.for_every_run(self._environment), **home.environment}
        demo = await self._offline_model()
        return {**environment.for_the_demo_model(demo, self._environment, ()), **home.environment}
