"""What is under way in one Claude Code, as its messages tell: calls without a result, and tasks in the background."""

import asyncio
from collections.abc import Callable

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    SystemMessage,
    TaskNotificationMessage,
    TaskUpdatedMessage,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)


class Activity:
    def __init__(self) -> None:
        self.calls: dict[str, ToolUseBlock] = {}
        self.results: set[str] = set()
        self.background: set[str] = set()
        self._news = asyncio.Event()

    def see(self, message: Message) -> None:
        match message:
            case AssistantMessage(content=blocks):
                self.calls.update({block.id: block for block in blocks if isinstance(block, ToolUseBlock)})
            case UserMessage():
                self.results.update(results_in(message))
            case TaskNotificationMessage() | TaskUpdatedMessage():
                pass
            case SystemMessage(subtype="background_tasks_changed"):
                self.background = {str(task.get("task_id")) for task in message.data.get("tasks") or ()}
            case _:
                return
        self._news.set()
        self._news = asyncio.Event()

    def open_before(self, call_id: str) -> list[str]:
        """Calls that began earlier and may still run: those that come after it have to wait for it."""
        earlier = list(self.calls)
        if call_id in self.calls:
            earlier = earlier[: earlier.index(call_id)]
        return [each for each in earlier if each not in self.results]

    async def when(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._news.wait()


def results_in(message: Message) -> list[str]:
    if not isinstance(message, UserMessage) or isinstance(message.content, str):
        return []
    return [block.tool_use_id for block in message.content if isinstance(block, ToolResultBlock)]
