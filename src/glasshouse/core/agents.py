"""The sub-agents and the background work of a session: folded from its events, joined with what the engine keeps."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from glasshouse.contract.agent import Agent, AgentReport, AgentState, AgentTree, Background, BackgroundReport
from glasshouse.contract.errors import AgentNotFound, GlasshouseError
from glasshouse.contract.events import Complete, Event, Info, ToolUse, any_event
from glasshouse.contract.phrase import Language
from glasshouse.contract.question import Door
from glasshouse.core import messages
from glasshouse.core.execution import Execution
from glasshouse.core.ports import AgentFiles, Store
from glasshouse.core.questions.desk import Desk
from glasshouse.core.questions.settling import Given
from glasshouse.core.streams import PAGE
from glasshouse.core.visible import VisibleSessions

# What tells of agents; whatever else a long session holds need not be read.
_MARKS = (b'"agent":{', b'"background":{', b'"type":"complete"', b'"parent_tool_use_id":"')
# Agents begin agents some levels deep; whoever writes files may write others.
_DEEPEST = 20


class AgentFold:
    """Pure: events in their order, then what they come to."""

    def __init__(self) -> None:
        self.agents: dict[str, Agent] = {}
        self.background: dict[str, Background] = {}
        self._by_call: dict[str, str] = {}

    def see(self, event: Event) -> None:
        match event:
            case Info(metadata={"agent": dict(report)}):
                self._see_agent(event, AgentReport.model_validate(report))
            case Info(metadata={"background": dict(report)}):
                self._see_background(event, BackgroundReport.model_validate(report))
            case ToolUse(parent_tool_use_id=str(call)) if call in self._by_call:
                self._see_step(self._by_call[call], event.tool_name)
            case Complete():
                self._see_end(event)

    def _see_agent(self, event: Info, report: AgentReport) -> None:
        known = self.agents.get(report.agent_id)
        # Reports come now and then, steps one by one.
        steps = report.steps if known is None else max(report.steps, known.steps)
        self.agents[report.agent_id] = Agent(
            **{**report.model_dump(), "steps": steps},
            task_id=event.task_id,
            started_at=event.timestamp if known is None else known.started_at,
            ended_at=None if report.state is AgentState.RUNNING else event.timestamp,
        )
        if report.tool_use_id is not None:
            self._by_call[report.tool_use_id] = report.agent_id

    def _see_background(self, event: Info, report: BackgroundReport) -> None:
        known = self.background.get(report.background_id)
        self.background[report.background_id] = Background(
            **report.model_dump(),
            task_id=event.task_id or "",
            started_at=event.timestamp if known is None else known.started_at,
            ended_at=None if report.state is AgentState.RUNNING else event.timestamp,
        )

    def _see_step(self, agent_id: str, tool: str) -> None:
        agent = self.agents[agent_id]
        self.agents[agent_id] = agent.model_copy(update={"steps": agent.steps + 1, "last_tool": tool})

    def _see_end(self, event: Complete) -> None:
        """Nothing of a task runs on after it, whatever was heard of it last."""
        ended = {"state": AgentState.STOPPED, "ended_at": event.timestamp}
        for agents in (self.agents, self.background):
            for key, each in agents.items():
                if each.task_id == event.task_id and each.state is AgentState.RUNNING:
                    agents[key] = each.model_copy(update=ended)  # type: ignore[assignment]


def joined(told: Iterable[Agent], kept: Iterable[Agent]) -> list[Agent]:
    """What was told here, with what only the files know of the same agents; and those that began elsewhere."""
    found = {agent.agent_id: agent for agent in told}
    for agent in kept:
        ours = found.get(agent.agent_id)
        if ours is None:
            found[agent.agent_id] = agent
        else:
            known = {"model": agent.model, "usage": agent.usage, "summary": ours.summary or agent.summary}
            found[agent.agent_id] = ours.model_copy(update=known)
    return sorted(found.values(), key=lambda agent: agent.started_at or "")


def tree_of(agents: Sequence[Agent]) -> list[Agent]:
    """Each below the one that started it; what has no place in the tree stands at its root."""
    by_id = {agent.agent_id: agent for agent in agents}
    children: dict[str | None, list[Agent]] = {}
    for agent in agents:
        children.setdefault(_place(agent, by_id), []).append(agent)

    def grown(parent: str | None) -> list[Agent]:
        return [each.model_copy(update={"agents": grown(each.agent_id)}) for each in children.get(parent, ())]

    return grown(None)


def below(agents: Mapping[str, Agent], agent_id: str) -> set[str]:
    """The agent, and all that it began, and they."""
    found, news = set[str](), {agent_id}
    while news:
        found |= news
        news = {each.agent_id for each in agents.values() if each.parent in news} - found
    return found


def _place(agent: Agent, by_id: dict[str, Agent]) -> str | None:
    above = agent.parent
    for _ in range(_DEEPEST):
        if above is None:
            return agent.parent
        if above not in by_id:
            return agent.parent if above != agent.parent else None
        above = by_id[above].parent
    return None


class SessionAgents:
    def __init__(
        self,
        *,
        store: Store,
        files: AgentFiles,
        visible: VisibleSessions,
        execution: Execution,
        desk: Desk,
        language: Language,
    ) -> None:
        self._store = store
        self._files = files
        self._visible = visible
        self._execution = execution
        self._desk = desk
        self._language: Language = language

    async def tree(self, session_id: str) -> AgentTree:
        """Raises SessionNotFound."""
        session = await self._visible.find(session_id)
        fold = await self._folded(session.session_id)
        agents = joined(fold.agents.values(), await self._files.of(session.session_id))
        return AgentTree(
            session_id=session.session_id, agents=tree_of(agents), background=list(fold.background.values())
        )

    async def stop(self, session_id: str, agent_id: str, door: Door) -> AgentState:
        """Stop an agent or a background task; how it stands then. Raises SessionNotFound, AgentNotFound."""
        session = await self._visible.find(session_id)
        fold = await self._folded(session.session_id)
        found = _named(fold, agent_id)
        if found is None:
            kept = {agent.agent_id: agent.state for agent in await self._files.of(session.session_id)}
            if agent_id not in kept:
                raise AgentNotFound
            return kept[agent_id]
        if found.state is AgentState.RUNNING and found.task_id is not None:
            await self._decline(found.task_id, below(fold.agents, agent_id), door)
            await self._execution.stop_agent(found.task_id, agent_id)
            found = _named(await self._folded(session.session_id), agent_id) or found
        return found.state

    async def _decline(self, task_id: str, agent_ids: set[str], door: Door) -> None:
        """Who stops agents wants nothing of what they ask; nobody would be there to hear of an answer."""
        task = await self._store.task(task_id)
        for question in await self._desk.pending(task) if task is not None else ():
            if question.subject.get("agent_id") in agent_ids:
                given = Given(answer=None, door=door, answers={}, reason=messages.AGENT_STOPPED.say(self._language))
                # Answered, or gone with its task, at this very moment.
                with suppress(GlasshouseError):
                    await self._desk.answer(question.session_id, question.question_id, given)

    async def _folded(self, session_id: str) -> AgentFold:
        fold = AgentFold()
        position = 0
        while page := await self._store.read(session_id, after=position, limit=PAGE):
            for frame in page:
                if any(mark in frame.body for mark in _MARKS):
                    fold.see(any_event.validate_json(frame.body))
            position = page[-1].seq or position
        return fold


def _named(fold: AgentFold, agent_id: str) -> Agent | Background | None:
    return fold.agents.get(agent_id) or fold.background.get(agent_id)
