"""One Claude Code process and all that it starts: begun, spoken with, and certainly ended."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, CLIConnectionError, Message, ProcessError
from claude_agent_sdk.types import McpServerStatus

from glasshouse.contract.task import PermissionMode
from glasshouse.core.ports import Processes
from glasshouse.engines.claude.wire import Wire

# What it logs as an error it also raises, and the end of a process that was stopped is none.
logging.getLogger("claude_agent_sdk").setLevel(logging.CRITICAL)

# What the SDK does after the end of its process; it takes some milliseconds. One that left at its start without a
# word is still awaited by the SDK, for a minute.
_LEAVE_S = 2.0


@dataclass(frozen=True, slots=True)
class Usage:
    """`total_usd` of the session. `by_plan`: a subscription pays, and to ask for it asks its provider, too."""

    total_usd: float
    by_plan: bool


class NotReady(Exception):
    """It ran for the whole of its time to start and was not ready."""


class Broken(Exception):
    """It did not start, or ended, or said what cannot be understood. `exit_code` where it ended with one."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(str(problem))
        self.exit_code = problem.exit_code if isinstance(problem, ProcessError) else None


class Declined(Exception):
    """It goes on, and does not do what it was asked to."""


class ClaudeProcess:
    def __init__(self, options: ClaudeAgentOptions, wire: Wire | None, *, processes: Processes, run_id: str) -> None:
        self._client = ClaudeSDKClient(options, wire)
        self._processes = processes
        self._run_id = run_id
        self._connecting: asyncio.Task[None] | None = None

    async def start(self, timeout_s: float) -> None:
        """Raises NotReady, Broken."""
        self._connecting = asyncio.create_task(self._client.connect())
        # Not cancelled when it is late: to be sure, its process has to end first.
        await asyncio.wait({self._connecting}, timeout=timeout_s)
        if not self._connecting.done():
            raise NotReady
        if problem := self._connecting.exception():
            raise _broken(problem) from problem

    async def mcp_servers(self) -> Sequence[McpServerStatus]:
        """Raises Broken."""
        try:
            return (await self._client.get_mcp_status())["mcpServers"]
        except Exception as problem:  # the SDK raises bare ones for what the CLI refuses
            raise Broken(problem) from problem

    async def rewind_files(self, message_id: str, *, dry_run: bool) -> Mapping[str, Any]:
        """What the CLI says to it, which may be that it cannot. Raises Broken."""
        # The SDK's own method has no preview, and drops the answer.
        query = self._client._query
        assert query is not None
        request = {"subtype": "rewind_files", "user_message_id": message_id, "dry_run": dry_run}
        try:
            said: Mapping[str, Any] = await query._send_control_request(request)
        except Exception as problem:  # as above
            raise Broken(problem) from problem
        return said

    async def usage(self) -> Usage | None:
        """What the session has cost up to now; None where that cannot be asked for."""
        try:
            # The SDK has no name for this request. Without the flag every transcript of a week would be read.
            request = {"subtype": "get_usage", "skip_behaviors": True}
            told = await self._client._query._send_control_request(request)  # type: ignore[union-attr]
            return Usage(float(told["session"]["total_cost_usd"]), bool(told.get("rate_limits_available")))
        except Exception:  # older and newer ones may not know it, and one that is ended does not answer
            return None

    async def ask(self, prompt: str | list[dict[str, Any]], uuid: str, *, priority: str | None = None) -> None:
        """`priority` next: it joins the running turn. Raises Broken."""
        urgency = {} if priority is None else {"priority": priority}

        async def message() -> AsyncIterator[dict[str, object]]:
            yield {
                "type": "user",
                "uuid": uuid,
                "message": {"role": "user", "content": prompt},
                "parent_tool_use_id": None,
                **urgency,
            }

        try:
            await self._client.query(message())
        except Exception as problem:  # the pipe's own errors come as they are
            raise Broken(problem) from problem

    async def messages(self) -> AsyncGenerator[Message]:
        """Until its end. Raises Broken."""
        async with aclosing(cast("AsyncGenerator[Message]", self._client.receive_messages())) as messages:
            while True:
                try:
                    message = await anext(messages)
                except StopAsyncIteration:
                    return
                except Exception as problem:  # as above
                    raise Broken(problem) from problem
                yield message

    async def withdraw(self, uuid: str) -> bool:
        """Take back what it was told and has not taken in; whether it is gone, or is known to be taken in already."""
        query = self._client._query
        if query is None:
            return False
        request = {"subtype": "cancel_async_message", "message_uuid": uuid}
        try:
            return "cancelled" in (await query._send_control_request(request) or {})
        except Exception as problem:  # as below: an older CLI does not know it, a dead one does not answer
            logging.getLogger(__name__).info("a message could not be taken back: %s", problem)
            return False

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Raises Declined, Broken."""
        await self._change(self._client.set_permission_mode(mode))

    async def set_model(self, model: str) -> None:
        """Raises Declined, Broken."""
        await self._change(self._client.set_model(model))

    async def _change(self, asking: Awaitable[None]) -> None:
        try:
            await asking
        except (CLIConnectionError, ProcessError) as gone:
            raise Broken(gone) from gone
        except Exception as declined:  # the SDK raises bare ones for what the CLI refuses
            raise Declined(str(declined)) from declined

    async def interrupt(self) -> None:
        await self._client.interrupt()

    async def stop_agent(self, agent_id: str) -> None:
        """A background task, too. Raises Broken."""
        try:
            await self._client.stop_task(agent_id)
        except Exception as problem:  # as above
            raise Broken(problem) from problem

    async def end(self, grace_s: float, *, by_signal_s: float = 0.0) -> None:
        """Let it leave by itself for so long, or at a signal; then end whatever is left. Raises ProcessesRemain."""
        leaving = {asyncio.create_task(self._client.disconnect())} if grace_s else set()
        if leaving:
            await asyncio.wait(leaving, timeout=grace_s)
        try:
            await self._processes.end(self._run_id, leave_s=by_signal_s)
        finally:
            leaving = leaving or {asyncio.create_task(self._client.disconnect())}
            if self._connecting is not None:
                leaving.add(self._connecting)
            _, stuck = await asyncio.wait(leaving, timeout=_LEAVE_S)
            for task in stuck:
                task.cancel()
            await asyncio.gather(*leaving, return_exceptions=True)


def _broken(problem: BaseException) -> Broken:
    return Broken(problem if isinstance(problem, Exception) else RuntimeError(repr(problem)))
