"""What was said in a session, from our own log: the port `Conversations` for what no engine keeps a transcript of.

The log is read through for each page; its events say already what a message says, one block each.
"""

from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from glasshouse.contract.errors import NotFound, PositionGone, PositionInvalid
from glasshouse.contract.message import ConversationAgent
from glasshouse.core.encoding import bounded_json, whole_json
from glasshouse.core.ports import Frame, MessagesFound, MessagesWanted, Store, WholeMessage

_PAGE = 500
_BATCH = 50
_PAGE_BYTES = 1024 * 1024
# Events begin with what they are, so that most are passed over unparsed.
_SAID = (b'{"type":"text"', b'{"type":"thinking"', b'{"type":"tool_use"', b'{"type":"tool_result"', b'{"type":"info"')


@dataclass(slots=True)
class _Passage:
    """The log while it is read: which round it is in, what called what, who started whom."""

    agent: str | None
    round: int = 0
    last: str | None = None
    agents: dict[str, ConversationAgent] = field(default_factory=dict)
    agent_calls: dict[str, ConversationAgent] = field(default_factory=dict)
    # Messages to a task under way that its agent has not taken in.
    told: dict[str, dict[str, Any]] = field(default_factory=dict)

    def message(self, frame: Frame) -> dict[str, Any] | None:
        if not frame.body.startswith(_SAID):
            return None
        event = orjson.loads(frame.body)
        speaker = event.get("parent_tool_use_id")
        if speaker is not None and speaker not in self.agents:
            self.agents[speaker] = ConversationAgent(agent_id=speaker, parent_tool_use_id=speaker)
        message = (_prompt(event) or self._told(event)) if event["type"] == "info" else _words(event)
        if message is None or speaker != self.agent:
            return None
        uuid = message.pop("uuid", None) or event.get("uuid") or f"{event['session_id']}:{frame.seq}"
        self.round += message.pop("begins", False)
        about = {
            "kind": "message",
            "timestamp": event["timestamp"],
            "uuid": uuid,
            "parentUuid": self.last,
            "round": self.round,
            "agent_id": speaker,
        }
        carried = {name: event.get(name) for name in ("message_id", "block", "parent_tool_use_id")}
        self.last = uuid
        whole = message | about | carried
        return {name: value for name, value in whole.items() if value is not None or name == "parentUuid"}

    def _told(self, event: dict[str, Any]) -> dict[str, Any] | None:
        """A message to the task, where its agent took it in; one that was refused was not said."""
        metadata = event.get("metadata", {})
        message_id = metadata.get("message_id")
        if message_id is None:
            return None
        if metadata["receipt"] == "accepted":
            self.told[message_id] = {
                "uuid": metadata["message"]["uuid"],
                "begins": metadata["message"]["mode"] == "queue",
                "role": "user",
                "content": [{"type": "text", "text": metadata["message"]["content"]}],
                "input_type": "text",
                "truncated": _moved(event, {"/metadata/message/content": "/content/0/text"}),
            }
        return self.told.pop(message_id, None) if metadata["receipt"] == "consumed" else None


def _prompt(event: dict[str, Any]) -> dict[str, Any] | None:
    prompt = event.get("metadata", {}).get("prompt")
    if not isinstance(prompt, str):
        return None
    return {
        "uuid": event["task_id"],
        "begins": True,
        "role": "user",
        "content": [{"type": "text", "text": prompt}],
        "input_type": "text",
        "truncated": _moved(event, {"/metadata/prompt": "/content/0/text"}),
    }


def _words(event: dict[str, Any]) -> dict[str, Any]:
    match event["type"]:
        case "tool_use":
            block = {
                "type": "tool_use",
                "id": event["tool_use_id"],
                "name": event["tool_name"],
                "input": event["tool_input"],
            }
            places = {"/tool_input": "/content/0/input"}
        case "tool_result":
            names = ("type", "tool_use_id", "tool_name", "is_error", "content")
            block = {name: event[name] for name in names if event.get(name) is not None}
            places = {"/content": "/content/0/content"}
        case kind:
            block = {"type": kind, kind: event["content"]}
            places = {"/content": f"/content/0/{kind}"}
    is_result = event["type"] == "tool_result"
    return {
        "role": "user" if is_result else "assistant",
        "content": [block],
        "input_type": "tool_result" if is_result else None,
        "truncated": _moved(event, places),
    }


def _moved(event: dict[str, Any], places: dict[str, str]) -> dict[str, Any] | None:
    """What was cut from the event, at its place in the message."""
    moved = {
        new + pointer.removeprefix(old): cut
        for pointer, cut in (event.get("truncated") or {}).items()
        for old, new in places.items()
        if pointer == old or pointer.startswith(old + "/")
    }
    return moved or None


class LoggedConversations:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def page(self, session_id: str, wanted: MessagesWanted, *, offline: bool = False) -> MessagesFound | None:
        after, before = await self._span(session_id, wanted)
        passage = _Passage(wanted.agent)
        kept: deque[tuple[int, bytes]] = deque()
        size = total = 0
        more = False
        async for seq, message in self._messages(session_id, passage):
            total += 1
            if not after < seq < before or (more and not wanted.newest_first):
                continue
            if len(kept) >= wanted.limit or size >= _PAGE_BYTES:
                more = True
                if not wanted.newest_first:
                    continue
                size -= len(kept.popleft()[1])
            kept.append((seq, bounded_json(message)[0]))
            size += len(kept[-1][1])
        if wanted.agent is not None and wanted.agent not in passage.agents:
            raise NotFound
        if wanted.newest_first:
            kept.reverse()
        return MessagesFound(
            bodies=[body for _, body in kept],
            next_cursor=f"log-{kept[-1][0]}" if more else None,
            total=total,
            rounds=passage.round,
            agents=list(passage.agents.values()),
        )

    async def message(
        self, session_id: str, uuid: str, *, offline: bool = False, agent: str | None = None
    ) -> WholeMessage | None:
        async for _, message in self._messages(session_id, _Passage(agent)):
            if message["uuid"] == uuid:
                return await self._whole(message)
        return None

    async def agents(self, session_id: str, *, offline: bool = False) -> Sequence[ConversationAgent] | None:
        passage = _Passage(None)
        async for _ in self._messages(session_id, passage):
            pass
        return list(passage.agents.values())

    async def everything(
        self, session_id: str, *, offline: bool = False, agent: str | None = None
    ) -> AsyncIterator[Sequence[WholeMessage]]:
        batch: list[WholeMessage] = []
        async for _, message in self._messages(session_id, _Passage(agent)):
            batch.append(await self._whole(message))
            if len(batch) >= _BATCH:
                yield batch
                batch = []
        yield batch

    async def _span(self, session_id: str, wanted: MessagesWanted) -> tuple[int, int]:
        bounds = await self._store.bounds(session_id)
        if wanted.cursor is None:
            return 0, bounds.last + 1
        kind, _, number = wanted.cursor.partition("-")
        if kind != "log" or not number.isdecimal() or len(number) > 18:
            raise PositionInvalid("cursor")
        if not bounds.first <= int(number) <= bounds.last:
            raise PositionGone
        return (0, int(number)) if wanted.newest_first else (int(number), bounds.last + 1)

    async def _messages(self, session_id: str, passage: _Passage) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        position = 0
        while frames := await self._store.read(session_id, after=position, limit=_PAGE):
            for frame in frames:
                position = frame.seq or position
                if (message := passage.message(frame)) is not None:
                    yield position, message

    async def _whole(self, message: dict[str, Any]) -> WholeMessage:
        """With its strings as they were before their events were cut."""
        for pointer, cut in message.pop("truncated", {}).items():
            content = await self._store.blob(cut["sha256"])
            if content is not None:
                _put(message, pointer, content.decode(errors="replace"))

        def pieces() -> Iterator[bytes]:
            yield whole_json(message)

        return WholeMessage(message, pieces)


def _put(value: Any, pointer: str, text: str) -> None:
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
    for part in way:
        value = value[int(part) if isinstance(value, list) else part]
    key = int(last) if isinstance(value, list) else last
    # Where a whole branch was left out, what is kept of it is JSON.
    value[key] = text if isinstance(value[key], str) else orjson.loads(text)
