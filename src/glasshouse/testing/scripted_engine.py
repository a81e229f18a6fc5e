"""An engine without processes: it plays a script of steps, for trying and testing all that stands around an engine."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from glasshouse.contract.command import Command
from glasshouse.contract.events import Text, TextDelta, Thinking, ToolResult, ToolUse
from glasshouse.contract.ids import new_id
from glasshouse.contract.instruction import ReceiptState
from glasshouse.contract.phrase import Language
from glasshouse.contract.task import EngineName, Failure, Limit, TaskRequest
from glasshouse.core.ports import (
    Asking,
    EngineTask,
    Figures,
    InstructionRecord,
    LimitHit,
    Outcome,
    Run,
    TaskRecord,
    ToolInfo,
)

# A step may end the task with an outcome; a script that comes to its end is a success.
Step = Callable[[Run], Awaitable[Outcome | None]]

STOPPED = Outcome(message="stopped", stopped=True)
WAITING = Outcome(message="", waiting=True)
SUCCESS = Outcome(message="done", cost_usd=0.25, num_turns=1)


class ScriptedEngine:
    name: EngineName = "claude"

    def __init__(self, *script: Step, tools: Sequence[str] = ("Bash", "Read", "Write"), offline: bool = False) -> None:
        self.script: tuple[Step, ...] = script
        self.scripts: dict[str, tuple[Step, ...]] = {}
        self.is_offline = offline
        self.told: list[EngineTask] = []
        self.let_gone: list[str] = []
        # What its agent's own record holds of what was said to it.
        self.heard: list[str] = []
        self._tools = tuple(tools)

    def plays(self, prompt: str, *script: Step) -> None:
        """For tasks with this prompt; all others play `script`."""
        self.scripts[prompt] = script

    async def run(self, run: Run) -> Outcome:
        self.told.append(run.task)
        await run.prepared()
        script = self.scripts.get(run.task.prompt, self.script)
        begin = run.task.engine_state.get("step", 0) if run.task.continued else 0
        for number, step in enumerate(script[begin:], begin):
            outcome = await step(run)
            if outcome is not None:
                return replace(outcome, engine_state={"step": number}) if outcome.waiting else outcome
        return SUCCESS

    async def has_heard(self, task: TaskRecord, messages: Sequence[InstructionRecord]) -> Sequence[InstructionRecord]:
        return [each for each in messages if each.content in self.heard]

    def tools(self) -> Sequence[ToolInfo]:
        return [ToolInfo(name, f"what {name} does") for name in self._tools]

    def knows_tool(self, name: str) -> bool:
        return name in self._tools

    def commands(self, working_dir: Path, language: Language) -> Sequence[Command]:
        return ()

    def offline(self) -> bool:
        return self.is_offline

    def new_session(self, request: TaskRequest, working_dir: str, *, deltas: bool, offline: bool) -> str:
        return new_id()

    async def let_go(self, session_id: str) -> None:
        self.let_gone.append(session_id)

    async def close(self) -> None:
        pass

    def prepare(self) -> None:
        pass


class Gate:
    """A point where scripts wait. It says when it is reached, and is opened from outside."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self._opened = asyncio.Event()

    def open(self) -> None:
        self._opened.set()

    async def passed(self) -> None:
        self.reached.set()
        await self._opened.wait()


def says(text: str, *more: str) -> Step:
    async def step(run: Run) -> None:
        for content in (text, *more):
            await run.emit(Text(content=content, **run.stamp()))

    return step


def thinks(text: str) -> Step:
    async def step(run: Run) -> None:
        await run.emit(Thinking(content=text, **run.stamp()))

    return step


def types(*pieces: str) -> Step:
    """Shows a text while it is being typed, then says it whole."""

    async def step(run: Run) -> None:
        for piece in pieces:
            run.show(TextDelta(content=piece, **run.stamp()))
        await run.emit(Text(content="".join(pieces), **run.stamp()))

    return step


def calls(tool: str, tool_use_id: str, tool_input: Mapping[str, Any] | None = None) -> Step:
    async def step(run: Run) -> None:
        call = ToolUse(
            content=tool, tool_name=tool, tool_input=dict(tool_input or {}), tool_use_id=tool_use_id, **run.stamp()
        )
        await run.emit(call)

    return step


def gets(tool_use_id: str, result: str = "", *, files_changed: list[str] | None = None) -> Step:
    async def step(run: Run) -> None:
        await run.emit(
            ToolResult(
                content=result, tool_use_id=tool_use_id, is_error=False, files_changed=files_changed, **run.stamp()
            )
        )

    return step


def waits_at(gate: Gate) -> Step:
    """Until the gate is opened or the task is told to stop."""

    async def step(run: Run) -> Outcome | None:
        passing, stopping = asyncio.ensure_future(gate.passed()), asyncio.ensure_future(run.stop.wait())
        try:
            await asyncio.wait((passing, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            passing.cancel()
            stopping.cancel()
        return STOPPED if run.stop.is_set() else None

    return step


def deaf_at(gate: Gate) -> Step:
    """Until the gate is opened, whoever says stop."""

    async def step(run: Run) -> None:
        await gate.passed()

    return step


def asks(asking: Asking) -> Step:
    """Stays while it waits for the answers; then it says them."""

    async def step(run: Run) -> Outcome | None:
        await run.ask(asking)
        settling, stopping = asyncio.ensure_future(run.settled(asking.call_id)), asyncio.ensure_future(run.stop.wait())
        try:
            await asyncio.wait((settling, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            settling.cancel()
            stopping.cancel()
        if run.stop.is_set():
            return STOPPED
        await _repeat_answers(run, asking.call_id, "hot")
        return None

    return step


def asks_and_leaves(asking: Asking) -> Step:
    """Nothing of it waits: it is taken up again with the answers, and says them."""

    async def step(run: Run) -> Outcome | None:
        call = await run.ask(asking)
        if not call.is_settled:
            return WAITING
        await _repeat_answers(run, asking.call_id, "cold")
        return None

    return step


async def _repeat_answers(run: Run, call_id: str, way: str) -> None:
    call = await run.call(call_id)
    answers = {} if call is None else {record.question_id: record.answer for record in call.records}
    await run.emit(Text(content=json.dumps(answers, ensure_ascii=False), **run.stamp()))
    await run.told(call_id, way)


def listens(count: int = 1) -> Step:
    """Until so many messages were said, which it repeats; as many as there are where it is 0."""

    async def step(run: Run) -> Outcome | None:
        left = count
        while True:
            for message in [each for each in await run.instructions() if each.mode is not None]:
                await run.note([message], ReceiptState.DELIVERED)
                await run.note([message], ReceiptState.CONSUMED)
                await run.emit(Text(content=message.content, **run.stamp()))
                left -= 1
            if left <= 0:
                return None
            if await _is_stopped_before(run, run.instructed()):
                return STOPPED

    return step


def spends(cost_usd: float) -> Step:
    """What it has cost so far, told while it runs."""

    async def step(run: Run) -> None:
        await run.spent(Figures(cost_usd, run.task.figures.num_turns))

    return step


async def _is_stopped_before(run: Run, happening: Coroutine[Any, Any, None]) -> bool:
    happens, stopping = asyncio.ensure_future(happening), asyncio.ensure_future(run.stop.wait())
    try:
        await asyncio.wait((happens, stopping), return_when=asyncio.FIRST_COMPLETED)
    finally:
        happens.cancel()
        stopping.cancel()
    return run.stop.is_set()


def fails(failure: Failure, message: str = "") -> Step:
    async def step(run: Run) -> Outcome:
        return Outcome(message=message, failure=failure)

    return step


def is_limited(kind: Limit = Limit.USAGE, lifts_at: datetime | None = None, *, times: int = 1) -> Step:
    """The model does not answer, so often."""
    left = times

    async def step(run: Run) -> Outcome | None:
        nonlocal left
        if left == 0:
            return None
        left -= 1
        return Outcome(message="limited", failure=Failure.USAGE_LIMIT, limit=LimitHit(kind, lifts_at))

    return step


def breaks(fault: Exception) -> Step:
    """The engine itself has a fault."""

    async def step(run: Run) -> None:
        raise fault

    return step


def ends(outcome: Outcome) -> Step:
    async def step(run: Run) -> Outcome:
        return outcome

    return step
