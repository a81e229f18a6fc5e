"""The sub-agents and the background work of one Claude Code, as its messages tell of them.

Their start and their end are events of the log; how they get on is passed on live, and put into the log now and then
for who comes later.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from claude_agent_sdk import (
    Message,
    SystemMessage,
    TaskNotificationMessage,
    TaskProgressMessage,
    TaskStartedMessage,
    TaskUpdatedMessage,
)
from claude_agent_sdk.types import TERMINAL_TASK_STATUSES

from glasshouse.contract.agent import AgentReport, AgentState, BackgroundReport
from glasshouse.contract.events import AgentProgress, Info, Stamp
from glasshouse.contract.phrase import Language, Phrase

NOTED_EVERY_S = 10.0
# An event is no place for a whole report; the agent's own words are in the log.
_LONGEST = 500

_AGENTS = frozenset({"local_agent", "remote_agent", "in_process_teammate", "local_workflow"})
_STATES = {
    "completed": AgentState.COMPLETED,
    "failed": AgentState.FAILED,
    "stopped": AgentState.STOPPED,
    "killed": AgentState.STOPPED,
}
_AGENT_IS = {
    AgentState.RUNNING: Phrase("子代理运行中：{what}", "A sub-agent is at work: {what}"),
    AgentState.COMPLETED: Phrase("子代理已完成：{what}", "A sub-agent has finished: {what}"),
    AgentState.FAILED: Phrase("子代理失败：{what}", "A sub-agent has failed: {what}"),
    AgentState.STOPPED: Phrase("子代理已停止：{what}", "A sub-agent was stopped: {what}"),
}
_BACKGROUND_IS = {
    AgentState.RUNNING: Phrase("后台任务运行中：{what}", "At work in the background: {what}"),
    AgentState.COMPLETED: Phrase("后台任务已结束：{what}", "Done in the background: {what}"),
    AgentState.FAILED: Phrase("后台任务失败：{what}", "Failed in the background: {what}"),
    AgentState.STOPPED: Phrase("后台任务已停止：{what}", "Stopped in the background: {what}"),
}
_LEFT = Phrase("任务结束，后台任务随之停止：{what}", "Stopped in the background with the task that ends: {what}")

_Report = AgentReport | BackgroundReport


class Agents:
    def __init__(
        self, stamp: Callable[[], Stamp], language: Language, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._stamp = stamp
        self._language: Language = language
        self._now = now
        # In the log as running, in the order in which they began.
        self._running: dict[str, _Report] = {}
        self._noted_at: dict[str, float] = {}
        # Started in the foreground: of no interest, unless they are put into the background later.
        self._in_front: dict[str, BackgroundReport] = {}
        # The end is told twice, the second time with what came of it; or only once.
        self._ending: dict[str, AgentState] = {}

    def is_running(self, agent_id: str) -> bool:
        """False once its end is in the log."""
        return agent_id in self._running

    def events(self, message: Message) -> Iterator[Info | AgentProgress]:
        if isinstance(message, TaskNotificationMessage):
            self._ending.pop(message.task_id, None)
            yield from self._ended(message.task_id, _STATES[message.status], message)
            return
        for task_id, state in list(self._ending.items()):
            del self._ending[task_id]
            yield from self._ended(task_id, state)
        match message:
            case TaskUpdatedMessage(status=str(status)) if status in TERMINAL_TASK_STATUSES:
                self._ending[message.task_id] = _STATES[status]
            case TaskStartedMessage():
                yield from self._started(message)
            case TaskProgressMessage():
                yield from self._progress(message)
            case SystemMessage(subtype="background_tasks_changed"):
                yield from self._in_background(message.data)

    def left(self) -> Iterator[Info]:
        """The process has ended, and with it whatever was still at work."""
        for task_id, report in list(self._running.items()):
            state = self._ending.get(task_id, AgentState.STOPPED)
            phrase = _LEFT if isinstance(report, BackgroundReport) and task_id not in self._ending else None
            yield self._info(report.model_copy(update={"state": state}), phrase)
        self._running.clear()

    # --- what is heard of one

    def _started(self, message: TaskStartedMessage) -> Iterator[Info]:
        data = message.data
        if message.task_type not in _AGENTS:
            report = _background(data)
            if not data.get("is_backgrounded"):
                self._in_front[message.task_id] = report
            elif message.task_id not in self._running:
                yield from self._began(message.task_id, report)
            return
        yield from self._began(
            message.task_id,
            AgentReport(
                agent_id=message.task_id,
                tool_use_id=message.tool_use_id,
                parent=data.get("parent_task_id"),
                type=data.get("subagent_type") or message.task_type,
                description=message.description[:_LONGEST],
                state=AgentState.RUNNING,
                background=bool(data.get("is_backgrounded")),
            ),
        )

    def _in_background(self, data: Mapping[str, Any]) -> Iterator[Info]:
        for task in data.get("tasks") or ():
            task_id = str(task.get("task_id"))
            known = self._running.get(task_id)
            if task.get("task_type") in _AGENTS:
                if isinstance(known, AgentReport):
                    self._running[task_id] = known.model_copy(update={"background": True})
            elif known is None and task_id in self._in_front:
                yield from self._began(task_id, self._in_front.pop(task_id))

    def _began(self, task_id: str, report: _Report) -> Iterator[Info]:
        self._running[task_id] = report
        self._noted_at[task_id] = self._now()
        yield self._info(report)

    def _progress(self, message: TaskProgressMessage) -> Iterator[Info | AgentProgress]:
        known = self._running.get(message.task_id)
        if not isinstance(known, AgentReport):
            return
        told = {**_figures(message.usage), "last_tool": message.last_tool_name or known.last_tool}
        self._running[message.task_id] = report = known.model_copy(update=told)
        yield AgentProgress(content=message.description[:_LONGEST], agent=report, **self._stamp())
        if self._now() - self._noted_at[message.task_id] >= NOTED_EVERY_S:
            self._noted_at[message.task_id] = self._now()
            yield self._info(report)

    def _ended(self, task_id: str, state: AgentState, message: TaskNotificationMessage | None = None) -> Iterator[Info]:
        self._in_front.pop(task_id, None)
        known = self._running.get(task_id)
        if known is None:
            return
        told: dict[str, Any] = {"state": state}
        if message is not None:
            told["summary"] = message.summary[:_LONGEST] or None
            if isinstance(known, AgentReport):
                told |= _figures(message.usage or {})
        yield self._info(known.model_copy(update=told))
        # From here on it is in the log.
        del self._running[task_id]

    def _info(self, report: _Report, phrase: Phrase | None = None) -> Info:
        is_agent = isinstance(report, AgentReport)
        phrase = phrase or (_AGENT_IS if is_agent else _BACKGROUND_IS)[report.state]
        metadata = {"agent" if is_agent else "background": report.model_dump(mode="json", exclude_none=True)}
        return Info(content=phrase.say(self._language, what=report.description), metadata=metadata, **self._stamp())


def _background(data: Mapping[str, Any]) -> BackgroundReport:
    return BackgroundReport(
        background_id=str(data.get("task_id")),
        tool_use_id=data.get("tool_use_id"),
        agent=data.get("parent_task_id"),
        kind=str(data.get("task_type")),
        description=str(data.get("description") or "")[:_LONGEST],
        state=AgentState.RUNNING,
    )


def _figures(usage: Mapping[str, Any]) -> dict[str, int]:
    names = {"tool_uses": "steps", "total_tokens": "tokens", "duration_ms": "duration_ms"}
    return {ours: usage[theirs] for theirs, ours in names.items() if isinstance(usage.get(theirs), int)}
