"""What a task costs, while it runs and over all its processes, and whether that is still within its budget.

Claude Code counts for a session, and goes on from what it has written into the transcript; so what is counted here is
how much its total has grown since a process began. A killed one takes its part of the total along: what was seen of it
is kept in the log, message by message.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from claude_agent_sdk import AssistantMessage, Message, ResultMessage

from glasshouse.contract.phrase import Language
from glasshouse.contract.task import Failure
from glasshouse.core.ports import EngineTask, Figures, Outcome, Run
from glasshouse.engines.claude.bounds import budget_exceeded
from glasshouse.engines.claude.process import Usage
from glasshouse.engines.claude.turn import Turn

# In the session's memory: how far Claude Code had counted when it was last heard.
_TOTAL_COST = "total_cost_usd"


class Meter:
    """Of one task, in one process."""

    def __init__(self, run: Run, task: EngineTask, begins_at_usd: float) -> None:
        """`begins_at_usd` is what Claude Code has counted for the session before this process."""
        self.spent_out = asyncio.Event()
        self._run = run
        self._task = task
        known = task.engine_state.get(_TOTAL_COST)
        # A process that was let go counted on for a moment after it was last heard; that is this task's still.
        heard_less = task.continued and isinstance(known, float) and known < begins_at_usd
        self._begins_at = known if heard_less and isinstance(known, float) else begins_at_usd
        self._total: float | None = None
        self._news = asyncio.Event()

    @property
    def cost_usd(self) -> float | None:
        """Of the whole task; None: not known."""
        if self._task.offline:
            # What the demo model's words would have cost is nobody's cost.
            return 0.0
        if self._total is None:
            return self._task.figures.cost_usd
        # It begins again where the process before could not write down how far it was.
        grown = self._total - self._begins_at if self._total >= self._begins_at else self._total
        return (self._task.figures.cost_usd or 0.0) + grown

    @property
    def total_usd(self) -> float:
        """How far Claude Code has counted for the session, as far as it was heard."""
        return self._begins_at if self._total is None else self._total

    def hear(self, message: Message) -> None:
        if isinstance(message, ResultMessage) and message.total_cost_usd is not None:
            self._count(message.total_cost_usd)
        elif isinstance(message, AssistantMessage):
            self._news.set()

    async def watch(self, usage: Callable[[], Awaitable[Usage | None]]) -> None:
        """Keep in the log what the task costs while it runs, as far as that can be asked for. Until cancelled."""
        while not self._task.offline:
            await self._news.wait()
            self._news.clear()
            heard = await usage()
            if heard is None:
                return
            before = self.cost_usd
            self._count(heard.total_usd)
            if self.cost_usd != before:
                await self._run.spent(Figures(self.cost_usd, self._task.figures.num_turns))
            if heard.by_plan:
                return

    def on(self, outcome: Outcome, turn: Turn, language: Language) -> Outcome:
        """With its figures; a failure if they are over the budget."""
        over = outcome.failure is Failure.BUDGET_EXCEEDED or (outcome.failure is None and self.spent_out.is_set())
        if over and not self._run.stop.is_set():
            outcome = budget_exceeded(self._task, self.cost_usd, language)
        earlier = self._task.figures.num_turns
        state = outcome.engine_state
        if self._total is not None:
            state = {**(self._task.engine_state if state is None else state), _TOTAL_COST: self._total}
        return replace(
            outcome,
            cost_usd=self.cost_usd,
            num_turns=earlier if turn.result is None else (earlier or 0) + turn.num_turns,
            engine_state=state,
        )

    def _count(self, total_usd: float) -> None:
        self._total = total_usd
        budget, cost = self._task.max_budget_usd, self.cost_usd
        if budget is not None and cost is not None and cost >= budget:
            self.spent_out.set()
