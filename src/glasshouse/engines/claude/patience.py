"""Waiting for a person: with the process, or without it as soon as nothing needs it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from glasshouse.core.ports import Call, Run
from glasshouse.engines.claude.activity import Activity

# A call is heard of before what it asks, or a moment later.
_CALL_HEARD_S = 2.0


@dataclass(frozen=True)
class Patience:
    """`defer`: whether a question may let its process go at once. `hot_s`: how long a permission prompt holds one."""

    defer: bool
    hot_s: float


class Waiting:
    """In one process."""

    def __init__(self, run: Run, activity: Activity, patience: Patience) -> None:
        self.patience = patience
        # Set when nothing but a person is waited for, and no process is needed for that.
        self.let_go = asyncio.Event()
        # The one call that Claude Code keeps for us.
        self.kept: str | None = None
        self._run = run
        self._activity = activity
        self._hot: set[str] = set()

    async def settled(self, call: Call) -> Call:
        return call if call.is_settled else await self._run.settled(call.call_id)

    async def settled_or_free(self, call: Call) -> Call:
        """Unsettled, and then Claude Code is free to keep it, if nothing runs in the background.

        The end of what does would wake Claude Code, and lose what it keeps: with that the process waits, and is let go
        once nothing runs any more."""
        if call.is_settled or not self._activity.background:
            return call
        call = await self._settled_unless(call, lambda: not self._activity.background and not self._others(call))
        if not call.is_settled:
            self.let_go.set()
        return await self.settled(call)

    async def settled_hot(self, call: Call, agent_id: str | None = None) -> Call:
        """The process waits for a while, and is let go then, unless a sub-agent or something else would go with it."""
        if call.is_settled:
            return call
        self._hot.add(call.call_id)
        try:
            if agent_id is not None:
                return await self._run.settled(call.call_id)
            try:
                async with asyncio.timeout(self.patience.hot_s):
                    return await self._run.settled(call.call_id)
            except TimeoutError:
                pass
            call = await self._settled_unless(call, lambda: self._nothing_else_runs(call.call_id))
            if not call.is_settled:
                self.let_go.set()
            return await self.settled(call)
        finally:
            self._hot.discard(call.call_id)

    async def until_heard_of(self, call_id: str) -> None:
        """So that the log has a call before what it asks."""
        try:
            async with asyncio.timeout(_CALL_HEARD_S):
                await self._activity.when(lambda: call_id in self._activity.calls)
        except TimeoutError:
            return

    async def _settled_unless(self, call: Call, holds: Callable[[], bool]) -> Call:
        answered = asyncio.ensure_future(self._run.settled(call.call_id))
        quiet = asyncio.ensure_future(self._activity.when(holds))
        try:
            await asyncio.wait({answered, quiet}, return_when=asyncio.FIRST_COMPLETED)
            return answered.result() if answered.done() else call
        finally:
            answered.cancel()
            quiet.cancel()

    def _others(self, call: Call) -> list[str]:
        waiting = {*self._hot, self.kept, call.call_id}
        return [each for each in self._activity.calls if each not in self._activity.results and each not in waiting]

    def _nothing_else_runs(self, call_id: str) -> bool:
        waiting = {*self._hot, self.kept}
        others = [each for each in self._activity.open_before(call_id) if each not in waiting]
        return not others and not self._activity.background
