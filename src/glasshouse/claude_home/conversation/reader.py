"""The port `Conversations` over transcripts: pages from places in the file, so that no file is ever held whole."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

from glasshouse.claude_home.conversation.agents import AgentFile, agent_files
from glasshouse.claude_home.conversation.chain import Chain
from glasshouse.claude_home.conversation.large import shortened
from glasshouse.claude_home.conversation.message import calls_with_names, message_of
from glasshouse.claude_home.conversation.scan import OpenFile, Record, Scans
from glasshouse.claude_home.home import ClaudeHome
from glasshouse.claude_home.transcripts import find_transcript
from glasshouse.contract.errors import NotFound, PositionGone, PositionInvalid
from glasshouse.contract.message import ConversationAgent, Damage
from glasshouse.core.encoding import bounded_json, whole_json
from glasshouse.core.ports import MessagesFound, MessagesWanted, WholeMessage

# A page ends with the message that reaches this.
PAGE_BYTES = 1024 * 1024
_BATCH = 50
# What of a line is looked at to know it again.
_KNOWN_BY = 512


class ConversationReader:
    def __init__(self, *, home: ClaudeHome, offline_home: ClaudeHome) -> None:
        self._homes = {False: home, True: offline_home}
        self._scans = Scans()

    async def page(self, session_id: str, wanted: MessagesWanted, *, offline: bool) -> MessagesFound | None:
        return await asyncio.to_thread(self._page, session_id, wanted, offline)

    async def message(
        self, session_id: str, uuid: str, *, offline: bool, agent: str | None = None
    ) -> WholeMessage | None:
        return await asyncio.to_thread(self._message, session_id, uuid, offline, agent)

    async def agents(self, session_id: str, *, offline: bool) -> Sequence[ConversationAgent] | None:
        told = await asyncio.to_thread(self._told, session_id, offline)
        return None if told is None else told.agents

    async def everything(
        self, session_id: str, *, offline: bool, agent: str | None = None
    ) -> AsyncIterator[Sequence[WholeMessage]]:
        told = await asyncio.to_thread(self._told, session_id, offline, agent)
        if told is None:
            return
        messages = (told.whole(node) for node in told.chain.members)
        while batch := await asyncio.to_thread(lambda: list(islice(messages, _BATCH))):
            yield [message for message in batch if message is not None]

    def _page(self, session_id: str, wanted: MessagesWanted, offline: bool) -> MessagesFound | None:
        told = self._told(session_id, offline, wanted.agent)
        found = None if told is None else told.page(wanted)
        if told is None or not told.file.is_misread:
            return found
        self._scans.distrust(told.file.path)
        return self._page(session_id, wanted, offline)

    def _message(self, session_id: str, uuid: str, offline: bool, agent: str | None) -> WholeMessage | None:
        told = self._told(session_id, offline, agent)
        node = None if told is None else told.file.skeleton.find(uuid)
        return None if told is None or node is None else told.whole(node)

    def _told(self, session_id: str, offline: bool, agent: str | None = None) -> "_Told | None":
        transcript = find_transcript(self._homes[offline], session_id)
        file = None if transcript is None else self._scans.open(transcript.path)
        if transcript is None or file is None:
            return None
        others = agent_files(transcript)
        if agent is None:
            return _Told(file, file.chain(0), others)
        for other in others:
            if other.told.agent_id == agent and (own := self._scans.open(other.path)) is not None:
                return _Told(own, own.chain(None), others, other.told)
        if agent in file.skeleton.agents[1:]:
            chain = file.chain(file.skeleton.agents.index(agent))
            return _Told(file, chain, others, ConversationAgent(agent_id=agent))
        raise NotFound


@dataclass
class _Told:
    """A conversation in its file, as it is at this moment."""

    file: OpenFile
    chain: Chain
    others: list[AgentFile]
    speaker: ConversationAgent | None = None
    # The tools of calls, as far as they were looked up.
    _names: dict[str, str | None] = field(default_factory=dict)
    _last: tuple[int, str] | None = None
    # Newest first, a record is looked at as a parent, and is the next to be shown.
    _looked_at: tuple[int, Record] | None = None

    @property
    def agents(self) -> list[ConversationAgent]:
        told = [other.told for other in self.others]
        known = {one.agent_id for one in told}
        within = (ConversationAgent(agent_id=name) for name in self.file.skeleton.agents[1:] if name not in known)
        return told if self.speaker is not None else [*told, *within]

    def page(self, wanted: MessagesWanted) -> MessagesFound:
        members = self.chain.members
        start = self._start(wanted)
        order = range(start - 1, -1, -1) if wanted.newest_first else range(start, len(members))
        bodies: list[bytes] = []
        size = 0
        for place in order:
            if len(bodies) >= wanted.limit or size >= PAGE_BYTES:
                break
            start = place if wanted.newest_first else place + 1
            if (body := self._bounded(members[place])) is not None:
                bodies.append(body)
                size += len(body)
        rest = start if wanted.newest_first else len(members) - start
        last = start if wanted.newest_first else start - 1
        damage = self.file.damage
        return MessagesFound(
            bodies=bodies,
            next_cursor=self._cursor(members[last]) if rest > 0 else None,
            total=len(members),
            rounds=len(self.chain.begins),
            agents=self.agents,
            damaged=None if damage is None else Damage(lines=damage[0], first_line=damage[1]),
        )

    def _start(self, wanted: MessagesWanted) -> int:
        """The place before which (newest first) or from which the page is to be read."""
        members = self.chain.members
        if wanted.cursor is None:
            return len(members) if wanted.newest_first else 0
        offset, known_by = _parsed(wanted.cursor)
        node = self.file.node_at(offset)
        if node is None or self._known_by(node) != known_by:
            raise PositionGone
        return self.chain.behind(node if wanted.newest_first else node + 1)

    def _cursor(self, node: int) -> str:
        return f"{self.file.skeleton.offset[node]:x}-{self._known_by(node):x}"

    def _known_by(self, node: int) -> int:
        skeleton = self.file.skeleton
        return zlib.crc32(self.file.read(skeleton.offset[node], min(skeleton.length[node], _KNOWN_BY)))

    def _bounded(self, node: int) -> bytes | None:
        record = self._record(node)
        message = self._built(record, node)
        if message is None:
            return None
        notes: dict[str, int] = {}
        if record.outline is not None:
            message = shortened(message, record.outline, notes)
        body, blobs = bounded_json(message)
        if not notes and not blobs:
            return body
        value = orjson.loads(body)
        sizes = {place: cut["bytes"] for place, cut in value.get("truncated", {}).items()} | notes
        # No blob is kept of it: the file has it.
        value["truncated"] = {place: {"bytes": size} for place, size in sizes.items()}
        return orjson.dumps(value)

    def whole(self, node: int) -> WholeMessage | None:
        record = self._record(node)
        message = self._built(record, node)
        if message is None:
            return None
        found = record.outline
        if found is None:
            return WholeMessage(message, lambda: iter((whole_json(message),)))
        fields = shortened(message, found, {})

        def pieces() -> Iterator[bytes]:
            return found.whole(whole_json(message), self.file.read)

        return WholeMessage(fields, pieces)

    def _record(self, node: int) -> Record:
        if self._looked_at is None or self._looked_at[0] != node:
            self._looked_at = node, self.file.record(node)
        return self._looked_at[1]

    def _built(self, record: Record, node: int) -> dict[str, Any] | None:
        speaker = self.speaker
        self._names.update(calls_with_names(record.value))
        parent = self._parent_of(node)
        self._last = node, str(record.value.get("uuid"))
        return message_of(
            record.value,
            round_number=self.chain.round_of(node),
            parent=parent,
            name_of=lambda call_id: self._name_of(call_id, node),
            agents={other.told.parent_tool_use_id or "": other.told.agent_id for other in self.others},
            agent_id=None if speaker is None else speaker.agent_id,
            parent_tool_use_id=None if speaker is None else speaker.parent_tool_use_id,
        )

    def _parent_of(self, node: int) -> str | None:
        above = self.chain.parent_of(node, self.file.skeleton)
        if above is None:
            return None
        if self._last is not None and self._last[0] == above:
            return self._last[1]
        uuid = self._record(above).value.get("uuid")
        return uuid if isinstance(uuid, str) else None

    def _name_of(self, call_id: str, result: int) -> str | None:
        if call_id not in self._names:
            caller = self.file.skeleton.caller_of(call_id, result)
            names = {} if caller is None else calls_with_names(self._record(caller).value)
            self._names[call_id] = names.get(call_id)
        return self._names[call_id]


def _parsed(cursor: str) -> tuple[int, int]:
    try:
        offset, known_by = (int(part, 16) for part in cursor.split("-"))
    except ValueError:
        raise PositionInvalid("cursor") from None
    return offset, known_by
