"""Which records are the conversation that is shown: the branch that ends newest, with what its parallel calls left off.

They are shown in the order of the file. Of what is added to a file nothing comes before what was shown already, so a
place in the file stays a place in the conversation.
"""

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import compress

from glasshouse.claude_home.conversation.skeleton import (
    ASSISTANT,
    LOST_PARENT,
    NO_PARENT,
    PROMPT,
    RESULT,
    SHOWN,
    TALK,
    WORDS,
    Skeleton,
)


@dataclass(frozen=True, slots=True)
class Chain:
    """`members` are records in the order of the file; `begins` those of them that begin a round."""

    members: "array[int]"
    begins: "array[int]"

    def round_of(self, member: int) -> int:
        return bisect_right(self.begins, member)

    def parent_of(self, node: int, skeleton: Skeleton) -> int | None:
        """The nearest message above, across the records that are none."""
        climbed: set[int] = set()
        above = skeleton.parent[node]
        while above >= 0 and above not in climbed:
            if above in self:
                return above
            climbed.add(above)
            above = skeleton.parent[above]
        place = self.behind(node)
        return self.members[place - 1] if above == LOST_PARENT and place else None

    def __contains__(self, node: int) -> bool:
        place = self.behind(node)
        return place < len(self.members) and self.members[place] == node

    def behind(self, node: int) -> int:
        """The place of the first member at or behind the record."""
        return bisect_left(self.members, node)


def chain_of(skeleton: Skeleton, agent: int | None = 0) -> Chain:
    """Of the conversation itself, of one side chain, or (None) of a file that holds nothing else."""
    mine = _Branch(skeleton, agent)
    leaf = mine.newest_leaf()
    if leaf is not None:
        mine.walk(leaf)
        mine.put_back()
    flags, taken = skeleton.flags, mine.taken
    members = array("I", [node for node, is_taken in enumerate(taken) if is_taken and flags[node] & SHOWN])
    begins = array("I", [node for node in members if flags[node] & PROMPT])
    return Chain(members, begins or array("I", (node for node in members if flags[node] & WORDS)))


class _Branch:
    def __init__(self, skeleton: Skeleton, agent: int | None) -> None:
        self._of = skeleton
        self._agent = agent
        self.taken = bytearray(len(skeleton))

    def _is_mine(self, node: int) -> bool:
        return self._agent is None or self._of.agent[node] == self._agent

    def newest_leaf(self) -> int | None:
        """The newest words that a branch ends with; if all records go round in circles, the newest words."""
        parent, flags = self._of.parent, self._of.flags
        has_child = bytearray(len(parent))
        for above, agent in zip(parent, self._of.agent, strict=True):
            if above >= 0 and (agent == self._agent or self._agent is None):
                has_child[above] = 1
        seen = bytearray(len(parent))
        best = newest = -1
        for end in range(len(parent) - 1, -1, -1):
            if end <= best:
                break
            if not self._is_mine(end):
                continue
            if flags[end] & TALK:
                newest = max(newest, end)
            node = NO_PARENT if has_child[end] else end
            while node >= 0 and not seen[node]:
                seen[node] = 1
                if flags[node] & TALK:
                    best = max(best, node)
                    break
                node = self._above(node)
        found = best if best >= 0 else newest
        return found if found >= 0 else None

    def walk(self, leaf: int) -> None:
        node, taken, parent = leaf, self.taken, self._of.parent
        while node >= 0 and not taken[node]:
            taken[node] = 1
            above = parent[node]
            node = self._above(node) if above == LOST_PARENT else above

    def _above(self, node: int) -> int:
        above = self._of.parent[node]
        if above != LOST_PARENT:
            return above
        # Its line is damaged: what stands before that one is most likely what it hung on.
        before = node - 1
        while before >= 0 and not self._is_mine(before):
            before -= 1
        return before

    def put_back(self) -> None:
        """Calls made at once are chained one after another, but each result hangs on its own call, and the
        conversation goes on from one of the results: the walk misses the calls behind that one, and the other results.
        """
        skeleton, taken = self._of, self.taken
        flags = skeleton.flags
        responses = set(compress(skeleton.message, taken)) - {0}
        for node, response in enumerate(skeleton.message):
            if response and not taken[node] and response in responses and self._is_mine(node):
                taken[node] = 1
        called: set[int] = set()
        answered: set[int] = set()
        for node, first in enumerate(skeleton.call):
            if first and taken[node]:
                (called if flags[node] & ASSISTANT else answered).update(self._calls(node))
        open_calls = called - answered
        if not open_calls:
            return
        # Of several results of one call the newest holds: the earlier ones stand for processes that ended.
        for node in range(len(taken) - 1, -1, -1):
            if open_calls and flags[node] & RESULT and not taken[node] and self._is_mine(node):
                closed = open_calls.intersection(self._calls(node))
                taken[node] = bool(closed)
                open_calls -= closed

    def _calls(self, node: int) -> tuple[int, ...]:
        first = self._of.call[node]
        return (first, *self._of.more_calls.get(node, ())) if first else ()
