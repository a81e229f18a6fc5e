"""When a process that is kept is let go: on what it says, and on what becomes of its place."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest
from claude_agent_sdk import AssistantMessage, Message, RateLimitEvent, RateLimitInfo, SystemMessage, TextBlock

from glasshouse.claude_home import ClaudeHome
from glasshouse.core.ports import EngineTask
from glasshouse.engines.claude.connection import Connection
from glasshouse.engines.claude.launch import launch_for
from glasshouse.engines.claude.trust import Standing
from glasshouse.engines.claude.warm import Asked, Warm

ENDED = object()


class ToldConnection:
    """Says what it is given to say, and remembers how it was ended."""

    def __init__(self) -> None:
        self.process = self
        self.is_reused = False
        self.grace_s: float | None = None
        self.over = asyncio.Event()
        self.heard: asyncio.Queue[object] = asyncio.Queue()

    def lead_nowhere(self) -> None:
        pass

    async def messages(self) -> AsyncGenerator[Message]:
        while (message := await self.heard.get()) is not ENDED:
            yield cast("Message", message)
            self.heard.task_done()

    async def end(self, grace_s: float, *, by_signal_s: float = 0.0) -> None:
        self.grace_s = grace_s
        self.over.set()

    async def is_over(self) -> None:
        async with asyncio.timeout(10):
            await self.over.wait()


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    task = EngineTask("t", "s", "x", str(tmp_path), None, None, "default", None, None, False, False, {})
    home = ClaudeHome.at(tmp_path / "claude")
    launch = launch_for(task, home=home, project=Standing(trusted=False), demo=None, server_environment={})
    return Asked(launch.of_process, frozenset())


async def kept(warm: Warm, asked: Asked, session_id: str = "one") -> ToldConnection:
    connection = ToldConnection()
    await warm.keep(session_id, cast("Connection", connection), asked)
    return connection


def state(name: str) -> SystemMessage:
    return SystemMessage("session_state_changed", {"state": name})


LIMIT = RateLimitEvent(RateLimitInfo(status="allowed"), "u", "s")
WORK: list[Any] = [
    state("running"),
    SystemMessage("background_tasks_changed", {"tasks": [{"task_id": "a"}]}),
    SystemMessage("task_notification", {}),
    AssistantMessage(content=[TextBlock("By the way")], model="m"),
    ENDED,
]
NEWS: list[Any] = [
    LIMIT,
    state("idle"),
    SystemMessage("background_tasks_changed", {"tasks": []}),
    SystemMessage("status", {}),
]


@pytest.mark.parametrize("message", WORK)
async def test_one_that_works_by_itself_or_ends_is_let_go(asked: Asked, message: object) -> None:
    warm = Warm(most=2, idle_s=60)
    connection = await kept(warm, asked)
    connection.heard.put_nowait(message)
    await connection.is_over()

    assert "one" not in warm and await warm.take("one", asked) is None


async def test_news_of_other_things_is_no_work(asked: Asked) -> None:
    warm = Warm(most=2, idle_s=60)
    connection = await kept(warm, asked)
    for message in NEWS:
        connection.heard.put_nowait(message)
    async with asyncio.timeout(10):
        await connection.heard.join()

    assert await warm.take("one", asked) is cast("Connection", connection)
    assert connection.is_reused and connection.grace_s is None


async def test_one_that_is_taken_is_not_there_for_another(asked: Asked) -> None:
    warm = Warm(most=2, idle_s=60)
    connection = await kept(warm, asked)

    assert await warm.take("one", asked) is cast("Connection", connection)
    assert await warm.take("one", asked) is None
    await warm.close()
    assert connection.grace_s is None, "whoever has taken it ends it"


async def test_of_too_many_the_longest_unused_goes(asked: Asked) -> None:
    warm = Warm(most=2, idle_s=60)
    first, second = await kept(warm, asked, "one"), await kept(warm, asked, "two")
    assert await warm.take("one", asked)
    await warm.keep("one", cast("Connection", first), asked)
    await kept(warm, asked, "three")
    await second.is_over()

    assert "one" in warm and "three" in warm and "two" not in warm
    await warm.close()


async def test_after_the_end_nothing_is_kept(asked: Asked) -> None:
    warm = Warm(most=2, idle_s=60)
    first = await kept(warm, asked)
    await warm.close()
    late = await kept(warm, asked, "two")

    assert first.over.is_set() and late.over.is_set()


async def test_it_has_time_to_leave_unless_somebody_else_has_spoken(asked: Asked) -> None:
    warm = Warm(most=2, idle_s=60)
    connection = await kept(warm, asked, "00000000-0000-4000-8000-000000000001")
    await warm.let_go("00000000-0000-4000-8000-000000000001")
    assert connection.grace_s

    connection = await kept(warm, asked, "00000000-0000-4000-8000-000000000002")
    folder = asked.launch.home.transcripts_dir / "-work"
    folder.mkdir(parents=True)
    (folder / "00000000-0000-4000-8000-000000000002.jsonl").write_text('{"type": "user", "uuid": "u"}\n')
    await warm.let_go("00000000-0000-4000-8000-000000000002")
    assert connection.grace_s == 0
