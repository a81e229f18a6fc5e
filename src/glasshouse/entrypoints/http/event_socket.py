"""The console's socket: many sessions over one connection, each with its own cursor.

Client: {"op": "subscribe", "session_id", "after"}, unsubscribe, ping. Server: {"session_id", "seq", "event"}, live
{"session_id", "live"}, {"op": "reset" | "subscribed" | "pong" | "error"}. The session `*` has the state of
every task and question, and `session_changed` when a transcript appears, grows or goes.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from contextlib import aclosing, suppress
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, StrictInt, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from glasshouse.contract.ids import Uuid
from glasshouse.contract.question import QuestionState
from glasshouse.contract.task import TaskState
from glasshouse.core.execution import Execution
from glasshouse.core.history import History
from glasshouse.core.lifecycle import UNENDED
from glasshouse.core.ports import Closed, Frame, Lagged, QuestionChanges, QuestionRecord, Store, TaskChanges
from glasshouse.core.questions.desk import Desk
from glasshouse.core.streams import PAGE, tail

log = logging.getLogger(__name__)

SUBSCRIPTION_LIMIT = 64
ALL = "*"
_INTERNAL_ERROR, _SERVICE_RESTART = 1011, 1012
_PENDING = frozenset({QuestionState.PENDING})
# For tabs and badges; who shows the question has these from its event.
_AT_LENGTH = {"options", "follow_up_questions", "tool_input", "updated_input", "plan", "runs"}


class _Frame(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Subscribe(_Frame):
    op: Literal["subscribe"]
    session_id: Uuid | Literal["*"]
    after: Annotated[StrictInt, Field(ge=0)] = 0


class Unsubscribe(_Frame):
    op: Literal["unsubscribe"]
    session_id: Uuid | Literal["*"]


class Ping(_Frame):
    op: Literal["ping"]


_client_frame: TypeAdapter[Subscribe | Unsubscribe | Ping] = TypeAdapter(
    Annotated[Subscribe | Unsubscribe | Ping, Field(discriminator="op")]
)


async def _first_end(*pumps: Coroutine[Any, Any, None]) -> None:
    """Until one of them ends, as it does."""
    tasks = [asyncio.create_task(pump) for pump in pumps]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class EventSocket:
    def __init__(self, websocket: WebSocket, store: Store, execution: Execution, desk: Desk, history: History) -> None:
        self._websocket = websocket
        self._store = store
        self._execution = execution
        self._desk = desk
        self._history = history
        self._pumps: dict[str, asyncio.Task[None]] = {}
        # Whole messages, one after another, whichever subscription they come from.
        self._sending = asyncio.Lock()

    async def serve(self) -> None:
        await self._websocket.accept()
        try:
            while True:
                await self._take(await self._websocket.receive())
        except WebSocketDisconnect:
            pass
        finally:
            pumps = list(self._pumps.values())
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _take(self, message: Any) -> None:
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code") or 1000)
        try:
            frame = _client_frame.validate_json(message.get("text") or message.get("bytes") or b"")
        except ValidationError:
            await self._say({"op": "error", "code": "bad_frame"})
            return
        match frame:
            case Ping():
                await self._say({"op": "pong"})
            case Unsubscribe():
                await self._drop(frame.session_id)
            case Subscribe():
                await self._subscribe(frame.session_id, frame.after)

    async def _subscribe(self, session_id: str, after: int) -> None:
        await self._drop(session_id)
        if len(self._pumps) >= SUBSCRIPTION_LIMIT:
            await self._say({"op": "error", "code": "too_many_subscriptions", "session_id": session_id})
            return
        self._pumps[session_id] = asyncio.create_task(self._attend(session_id, after))

    async def _drop(self, session_id: str) -> None:
        pump = self._pumps.pop(session_id, None)
        if pump is not None:
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)

    async def _attend(self, session_id: str, after: int) -> None:
        try:
            await (self._watch_all() if session_id == ALL else self._watch_session(session_id, after))
        except Closed:
            await self._close(_SERVICE_RESTART)
        except (WebSocketDisconnect, RuntimeError, OSError):
            pass  # the client went while we wrote to it; `serve` is told so, too
        except Exception:  # a fault, the store's perhaps: the client must not wait for what will never come
            log.exception("subscription failed", extra={"session_id": session_id})
            await self._close(_INTERNAL_ERROR)
        finally:
            if self._pumps.get(session_id) is asyncio.current_task():
                del self._pumps[session_id]

    async def _close(self, code: int) -> None:
        with suppress(RuntimeError):  # another subscription has closed the socket already
            await self._websocket.close(code)

    async def _watch_session(self, session_id: str, after: int) -> None:
        bounds = await self._store.bounds(session_id)
        if after > bounds.last:
            await self._say({"op": "error", "code": "position_invalid", "session_id": session_id})
            return
        if after + 1 < bounds.first:
            await self._reset(session_id)
            return
        await self._say({"op": "subscribed", "session_id": session_id, "last": bounds.last})
        try:
            async with aclosing(tail(self._store, session_id, after=after)) as batches:
                async for frames in batches:
                    await self._deliver(session_id, frames)
        except Lagged:
            await self._reset(session_id)

    async def _watch_all(self) -> None:
        """What waits and works now, then every change."""
        tasks, questions = self._store.subscribe_tasks(), self._store.subscribe_questions()
        try:
            await self._say({"op": "subscribed", "session_id": ALL, "last": None})
            waiting = await self._show_pending()
            for task in await self._store.tasks(statuses=UNENDED):
                await self._show_task(self._execution.state_with(task, waiting.get(task.task_id, ())))
            await _first_end(self._pass_on_tasks(tasks), self._pass_on_questions(questions), self._pass_on_sessions())
        except Lagged:
            await self._say({"op": "reset", "session_id": ALL, "first": None, "last": None})
        finally:
            tasks.close()
            questions.close()

    async def _show_pending(self) -> dict[str | None, list[QuestionRecord]]:
        by_task: dict[str | None, list[QuestionRecord]] = {}
        after: int | None = 0
        while after is not None:
            page, after = await self._store.questions(states=_PENDING, limit=PAGE, after=after)
            for question in page:
                by_task.setdefault(question.task_id, []).append(question)
                await self._show_question(question)
        return by_task

    async def _pass_on_tasks(self, changes: TaskChanges) -> None:
        while True:
            for task in await changes.next():
                await self._show_task(await self._execution.state(task))

    async def _pass_on_questions(self, changes: QuestionChanges) -> None:
        while True:
            for question in await changes.next():
                await self._show_question(question)

    async def _pass_on_sessions(self) -> None:
        async with aclosing(self._history.changes()) as changes:
            async for change in changes:
                await self._say({"session_id": ALL, "session_changed": change.model_dump(mode="json")})

    async def _show_task(self, state: TaskState) -> None:
        await self._say({"session_id": ALL, "task": state.model_dump(mode="json")})

    async def _show_question(self, question: QuestionRecord) -> None:
        report = self._desk.report(question).model_dump(mode="json", exclude=_AT_LENGTH)
        await self._say({"session_id": ALL, "question": report})

    async def _reset(self, session_id: str) -> None:
        bounds = await self._store.bounds(session_id)
        await self._say({"op": "reset", "session_id": session_id, "first": bounds.first, "last": bounds.last})

    async def _deliver(self, session_id: str, frames: Sequence[Frame]) -> None:
        name = session_id.encode()
        for frame in frames:
            if frame.seq is None:
                text = b'{"session_id":"%s","live":%s}' % (name, frame.body)
            else:
                text = b'{"session_id":"%s","seq":%d,"event":%s}' % (name, frame.seq, frame.body)
            await self._send(text)

    async def _say(self, message: dict[str, Any]) -> None:
        await self._send(orjson.dumps(message))

    async def _send(self, text: bytes) -> None:
        async with self._sending:
            await self._websocket.send({"type": "websocket.send", "text": text.decode()})
