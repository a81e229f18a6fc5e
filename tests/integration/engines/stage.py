"""A project, a home, the offline model and real processes: what a Claude engine needs, and a run that writes down."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from glasshouse.adapters.processes import SupervisedProcesses
from glasshouse.claude_home import ClaudeHome
from glasshouse.contract.events import DurableEvent, Info, LiveEvent, Stamp, Text, ToolResult
from glasshouse.contract.instruction import ReceiptState
from glasshouse.contract.phrase import Language
from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.contract.task import PermissionMode
from glasshouse.core.ports import (
    AnsweredBy,
    Asking,
    Call,
    EngineTask,
    Figures,
    InstructionRecord,
    ModelEndpoint,
    Outcome,
    QuestionRecord,
    TrustMemory,
)
from glasshouse.core.settings import Defer, Offline, Trust
from glasshouse.engines.claude import ClaudeEngine, ClaudeWaysBack
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.offline_model import OfflineModel, Reply, Script, played
from glasshouse.testing.offline_model.reply import Part

E = TypeVar("E", bound=DurableEvent)

PROMPT = "Do it."
# Always on offer.
QUESTIONS = frozenset({"AskUserQuestion", "mcp__glasshouse__ask_user_question"})


class RecordedRun:
    """The port `Run`, for one task without a log; whatever is asked, the person declines."""

    def __init__(self, task: EngineTask) -> None:
        self.task = task
        self.stop = asyncio.Event()
        self.events: list[DurableEvent] = []
        self.shown: list[LiveEvent] = []
        self.heard = 0
        self.figures: list[Figures] = []
        self.outcome = Outcome("")
        self.asked: list[Asking] = []
        self.said_to_it: dict[str, InstructionRecord] = {}
        self._said = asyncio.Event()
        self._calls: dict[str, Call] = {}
        self._news = asyncio.Condition()

    def stamp(self) -> Stamp:
        moment = "2026-01-01T00:00:00.000Z"
        return {"session_id": self.task.session_id, "task_id": self.task.task_id, "timestamp": moment}

    async def emit(self, event: DurableEvent) -> None:
        self.events.append(event)
        async with self._news:
            self._news.notify_all()

    def show(self, event: LiveEvent) -> None:
        self.shown.append(event)

    async def spent(self, figures: Figures) -> None:
        self.figures.append(figures)

    def alive(self) -> None:
        self.heard += 1

    def stops_agents_by(self, stop: Callable[[str], Awaitable[None]]) -> None:
        self.stop_agent = stop

    async def prepared(self) -> None:
        pass

    async def told(self, call_id: str, way: str) -> None:
        pass

    async def ask(self, asking: Asking) -> Call:
        records = [
            QuestionRecord(
                session_id=self.task.session_id,
                question_id=question.question_id,
                task_id=self.task.task_id,
                kind=asking.kind,
                call_id=asking.call_id,
                question=question,
                round=1,
                asked_at="",
                subject=asking.subject,
                memo=asking.memo,
                state=QuestionState.CANCELLED,
                answered_by=AnsweredBy.PERSON,
                reason="I would rather not",
            )
            for question in asking.questions
        ]
        self.asked.append(asking)
        self._calls[asking.call_id] = declined = Call(asking.call_id, records)
        return declined

    async def call(self, call_id: str) -> Call | None:
        return self._calls.get(call_id)

    async def settled(self, call_id: str) -> Call:
        return self._calls[call_id]

    async def withdraw(self, call_id: str) -> None:
        pass

    async def open_calls(self) -> Sequence[Call]:
        return []

    async def answered(self, *kinds: QuestionKind) -> Sequence[QuestionRecord]:
        return []

    async def unanswered(self, kind: QuestionKind) -> Sequence[QuestionRecord]:
        return []

    async def until(self, holds: Callable[[], bool]) -> None:
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(holds), 30)

    async def instructions(self) -> Sequence[InstructionRecord]:
        return [each for each in self.said_to_it.values() if each.is_open]

    async def instructed(self) -> None:
        await self._said.wait()
        self._said.clear()

    async def note(
        self, instructions: Sequence[InstructionRecord], receipt: ReceiptState, reason: str | None = None
    ) -> None:
        for each in instructions:
            self.said_to_it[each.instruction_id] = replace(each, receipt=receipt, reason=reason)

    async def until_told(self, kind: type[E]) -> E:
        async with self._news:
            await self._news.wait_for(lambda: self.all(kind))
        return self.all(kind)[0]

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def said(self) -> list[str]:
        return [event.content for event in self.all(Text)]

    @property
    def reported(self) -> dict[str, Any]:
        """What Claude Code said of itself at its start."""
        return next(info.metadata for info in self.all(Info) if "claude_code_version" in info.metadata)

    def noticed(self, notice: str) -> Info:
        return next(info for info in self.all(Info) if info.metadata.get("notice") == notice)

    @property
    def result(self) -> ToolResult:
        [only] = self.all(ToolResult)
        return only


@dataclass
class Stage:
    """The model stands for the real one, but for tasks that are begun offline."""

    root: Path
    processes: SupervisedProcesses
    model: OfflineModel
    endpoint: ModelEndpoint
    scripts: list[Script]

    def __post_init__(self) -> None:
        self.project = self.root / "project"
        self.home = ClaudeHome.at(self.root / "claude")
        self.offline_home = ClaudeHome.at(self.root / "offline")
        self.project.mkdir(exist_ok=True)
        self.home.config_dir.mkdir(exist_ok=True)

    def engine(
        self,
        *,
        trust: Trust = "never",
        offline: Offline = "auto",
        language: Language = "en",
        cli: Path | None = None,
        environment: Mapping[str, str] | None = None,
        start_timeout_s: float = 30.0,
        defer: Defer = "auto",
        hot_s: float = 600.0,
        trust_memory: TrustMemory | None = None,
        warm: int = 0,
        warm_idle_s: float = 300.0,
        allow_bypass: bool = False,
    ) -> ClaudeEngine:
        return ClaudeEngine(
            home=self.home,
            offline_home=self.offline_home,
            run_files=self.root / "runs",
            processes=self.processes,
            environment={"ANTHROPIC_API_KEY": self.endpoint.key} if environment is None else environment,
            language=language,
            trust=trust,
            trust_memory=trust_memory or MemoryStore(),
            offline=offline,
            offline_model=self.model.start,
            cli=cli,
            start_timeout_s=start_timeout_s,
            defer=defer,
            hot_s=hot_s,
            warm=warm,
            warm_idle_s=warm_idle_s,
            allow_bypass=allow_bypass,
        )

    def ways_back(self) -> ClaudeWaysBack:
        return ClaudeWaysBack(
            home=self.home,
            offline_home=self.offline_home,
            processes=self.processes,
            environment={"ANTHROPIC_API_KEY": self.endpoint.key},
            offline_model=self.model.start,
        )

    def run(
        self,
        *replies: Reply | Part,
        prompt: str = PROMPT,
        tools: tuple[str, ...] | None = None,
        tools_bound: tuple[str, ...] | None = None,
        permission_mode: PermissionMode = "default",
        max_turns: int | None = None,
        max_budget_usd: float | None = None,
        deltas: bool = False,
        offline: bool = False,
        after: RecordedRun | None = None,
        working_dir: Path | None = None,
        session_id: str | None = None,
    ) -> RecordedRun:
        """A run whose prompt the model answers so; `after` another one in the same session."""
        if replies:
            self.scripts[:] = [played(prompt, *replies), *self.scripts]
        return RecordedRun(
            EngineTask(
                task_id=str(uuid4()),
                session_id=after.task.session_id if after else session_id or str(uuid4()),
                prompt=prompt,
                working_dir=str(working_dir or self.project),
                tools=tools,
                tools_bound=tools_bound,
                permission_mode=permission_mode,
                model=None,
                max_turns=max_turns,
                max_budget_usd=max_budget_usd,
                deltas=deltas,
                offline=offline,
                engine_state=(after.outcome.engine_state or {}) if after else {},
            )
        )

    async def do(self, run: RecordedRun, engine: ClaudeEngine | None = None) -> RecordedRun:
        run.outcome = await (engine or self.engine()).run(run)
        return run

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of what the model was asked, oldest first."""
        return [request.body for request in self.model.requests if request.path == "/v1/messages"]

    @property
    def tools_offered(self) -> set[str]:
        """Beside the questions, which are always on offer."""
        offered = {tool["name"] for tool in self.asked[-1].get("tools") or []}
        assert offered >= QUESTIONS
        return offered - QUESTIONS

    def user_has_mcp_server(self, server: Mapping[str, Any], name: str = "mine") -> None:
        self.home.state_file.write_text(json.dumps({"mcpServers": {name: server}}))


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
