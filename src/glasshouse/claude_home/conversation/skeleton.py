"""Where each record of a transcript begins, and how the records hang together: some fifty bytes for each of them.

It grows with its file: only what was added is read. What a record says is read again, from its place, when it is shown.
"""

from array import array
from typing import Any

from glasshouse.claude_home.conversation.kinds import LINKS, begins_round, calls_in, content_of, kind_of, results_in

# What is known of a link, as bits.
SHOWN = 1
TALK = 2  # somebody's words or results: a conversation can end with it
ASSISTANT = 4
RESULT = 8
PROMPT = 16  # begins a round
WORDS = 32  # would begin one in a transcript of before there was `permissionMode`

NO_PARENT = -1
LOST_PARENT = -2

# Parents nearly always stand close before their children; those further away are looked for, so often at the most.
_RECENT = 20_000
_MOST_FAR = 2_000
_MOST_AGENTS = 10_000


def identity(name: str | bytes) -> int:
    return hash(name.encode(errors="surrogatepass") if isinstance(name, str) else name)


# A link's, as they stand in its line: its uuid and its parent's, its flags, the message's id and the call's.
Ties = tuple[bytes, bytes | None, int, bytes | None, bytes | None]


class Skeleton:
    """`agent` is 0 for the conversation itself, else the place of the side chain's name in `agents`."""

    def __init__(self) -> None:
        self.offset = array("Q")
        self.length = array("I")
        self.flags = array("B")
        self.parent = array("i")
        self.agent = array("H")
        # Identities as hashes: 64 bits, of a kind that nobody can foresee.
        self.uuid = array("q")
        self.message = array("q")
        self.call = array("q")
        # Of records with more than one call or result, those after the first.
        self.more_calls: dict[int, tuple[int, ...]] = {}
        self.agents: list[str] = [""]
        self._place_of: dict[str, int] = {}
        self.damaged = 0
        self.first_damaged = 0
        self._recent: dict[int, int] = {}
        self._lost: dict[int, list[int]] = {}
        self._far = 0

    def __len__(self) -> int:
        return len(self.offset)

    def find(self, uuid: str) -> int | None:
        """The last record of this uuid."""
        sought = identity(uuid)
        for node in range(len(self) - 1, -1, -1) if sought in self.uuid else ():
            if self.uuid[node] == sought:
                return node
        return None

    def caller_of(self, call_id: str, result: int | None = None) -> int | None:
        """The record that made the call; mostly its result hangs on it."""
        sought = identity(call_id)
        above = NO_PARENT if result is None else self.parent[result]
        if above >= 0 and self.call[above] == sought and self.flags[above] & ASSISTANT:
            return above
        start = 0
        while True:
            try:
                node = self.call.index(sought, start)
            except ValueError:
                return next((node for node, calls in list(self.more_calls.items()) if sought in calls), None)
            if node >= len(self):
                return None
            if self.flags[node] & ASSISTANT:
                return node
            start = node + 1

    def damage(self, line: int) -> None:
        self.damaged += 1
        self.first_damaged = self.first_damaged or line

    def add(self, record: dict[str, Any], offset: int, length: int) -> None:
        get = record.get
        uuid = get("uuid")
        if get("type") not in LINKS or not isinstance(uuid, str):
            return
        flags, message, calls = _traits(record)
        node = len(self)
        parent = self._parent(record, node)
        aside = get("isSidechain") or get("teamName")
        if len(calls) > 1:
            self.more_calls[node] = calls[1:]
        self.parent.append(parent)
        self.length.append(length)
        self.flags.append(flags)
        self.agent.append(self._agent(record, parent, uuid) if aside else 0)
        self.message.append(message)
        self.call.append(calls[0] if calls else 0)
        self._put(identity(uuid), offset)

    def tie(self, ties: Ties, begin: int, end: int) -> None:
        """A link of the conversation itself, of which no more needs to be known."""
        uuid, parent, flags, message, call = ties
        above = NO_PARENT if parent is None else self._recent.get(hash(parent))
        if above is None:
            above = self._far_parent(hash(parent), len(self.offset))
        self.parent.append(above)
        self.length.append(end - begin)
        self.flags.append(flags)
        self.agent.append(0)
        self.message.append(hash(message) if message else 0)
        self.call.append(0 if call is None else hash(call))
        self._put(hash(uuid), begin)

    def _put(self, uuid: int, offset: int) -> None:
        node = len(self.offset)
        self.uuid.append(uuid)
        # Last: from here on the record is there for those who read meanwhile.
        self.offset.append(offset)
        if self._lost and uuid in self._lost:
            for child in self._lost.pop(uuid):
                self.parent[child] = node
        self._recent[uuid] = node
        if len(self._recent) > 2 * _RECENT:
            self._recent = {self.uuid[one]: one for one in range(node + 1 - _RECENT, node + 1)}

    def _parent(self, record: dict[str, Any], node: int) -> int:
        parent = record.get("parentUuid")
        if record.get("type") == "system" and not parent:
            # A compaction begins a chain of its own, and says which one it goes on with.
            parent = record.get("logicalParentUuid")
            if not parent:
                return LOST_PARENT if record.get("subtype") == "compact_boundary" else NO_PARENT
        if not isinstance(parent, str):
            return NO_PARENT
        sought = identity(parent)
        found = self._recent.get(sought)
        return self._far_parent(sought, node) if found is None else found

    def _far_parent(self, sought: int, node: int) -> int:
        found = None
        if node > _RECENT and self._far < _MOST_FAR:
            self._far += 1
            found = _last_index(self.uuid, sought)
        if found is None:
            self._lost.setdefault(sought, []).append(node)
            return LOST_PARENT
        return found

    def _agent(self, record: dict[str, Any], parent: int, uuid: str) -> int:
        name = record.get("agentId")
        if not isinstance(name, str):
            # Older side chains have no name: they are told apart by where they begin.
            if parent >= 0 and self.agent[parent]:
                return self.agent[parent]
            name = uuid
        return self._named(name)

    def _named(self, name: str) -> int:
        place = self._place_of.get(name)
        if place is None and len(self.agents) < _MOST_AGENTS:
            place = self._place_of[name] = len(self.agents)
            self.agents.append(name)
        return len(self.agents) - 1 if place is None else place


def _last_index(identities: "array[int]", sought: int) -> int | None:
    try:
        return identities.index(sought)
    except ValueError:
        return None


def _traits(record: dict[str, Any]) -> tuple[int, int, tuple[int, ...]]:
    content = content_of(record)
    kind = kind_of(record, content)
    if kind is None:
        return 0, 0, ()
    flags = (SHOWN if content else 0) | (0 if kind == "compaction" else TALK)
    if record["type"] == "assistant":
        message = record.get("message")
        named = message.get("id") if isinstance(message, dict) else None
        calls = tuple(map(identity, calls_in(content)))
        return flags | ASSISTANT, identity(named) if isinstance(named, str) and named else 0, calls
    results = tuple(map(identity, results_in(content)))
    if results:
        flags |= RESULT
    elif kind == "message":
        flags |= PROMPT if begins_round(record, content) else WORDS
    return flags, 0, results
