"""Links told from the beginnings and the ends of their lines, where these are as Claude Code always writes them.

Most of a transcript is the output of tools, which the chain has nothing of. What is between a line's beginning and its
end is believed here: who shows the record reads it, and finds out if it is another (`Scan.is_strict`).
"""

import re

from glasshouse.claude_home.conversation.skeleton import ASSISTANT, RESULT, SHOWN, TALK, Ties

# No other text can hold it: in a string its quotes are escaped. Twice in a line, a stub stands before a record.
_LINK = b'{"parentUuid":'
_BEGINNING = re.compile(
    rb'\{"parentUuid":(?:null|"([^"\\]*)"),"isSidechain":false,'
    rb'(?:(?:"promptId":"[^"\\]*",)?"type":"user","message":\{"role":"user","content":\[\{'
    rb'"tool_use_id":"(?P<result>[^"\\]*)","type":"tool_result",'
    # What the model says begins with a letter that is no blank, or is looked at whole.
    rb'|"message":\{(?:"model":"[^"\\]*",)?"id":"([^"\\]*)","type":"message","role":"assistant",'
    rb'(?:"model":"[^"\\]*",)?(?:"container":null,)?"content":\[\{"type":'
    rb'(?:"tool_use","id":"(?P<call>[^"\\]*)"|"(?:text","text|thinking","thinking)":"(?P<said>[!#-\[\]-~\xe4-\xe9]))'
    rb'|"attachment":\{"type":"(?!queued_command")(?P<attached>))'
)
_NEXT_CALL = b'_use","id":"'
_NEXT_RESULT = b'"type":"tool_result"'
_UUID = b'"uuid":"'
_UUID_OF_RESULT = b'}]},"uuid":"'
_MOMENT = b'","timestamp":"'
# Where these stand, counted from `_UUID`: the id's beginning and end, and what is behind the moment.
_ID, _ID_END = len(_UUID), len(_UUID) + 36
_MOMENT_END = _ID_END + len(_MOMENT)
_REST = _MOMENT_END + len("2026-01-01T00:00:00.000Z")
_END = re.compile(
    rb'"(?:,"(?!isMeta"|teamName"|uuid"|parentUuid"|isSidechain"|agentId"|type")\w+":'
    rb'(?:"[^"\\]*"|-?[\d.]+|true|false|null))*\}'
)
_MOST_ENDS = 100
_BRACE = ord("}")
_SAID = SHOWN | TALK | ASSISTANT
_ANSWERED = SHOWN | TALK | RESULT


# Of kinds that are no link, whatever is in them.
_BESIDE = re.compile(rb'\{"type":"(?!(?:user|assistant|system|attachment|progress)")[\w-]+"')


# A line: where it begins and ends, and its ties; empty where it is no link. None: look at it closely.
Glance = tuple[int, int, Ties | tuple[()] | None]


class Glances:
    def __init__(self) -> None:
        # In one file most lines end alike.
        self._ends: set[bytes] = set()

    def lines(self, text: bytes, stop: int) -> list[Glance] | None:
        """Of the whole lines before `stop`. None: in one of them a record stands behind a stub."""
        found: list[Glance] = []
        take, find, starts, beside = found.append, text.find, text.startswith, _BESIDE.match
        links = place = 0
        while place < stop:
            begin, end = place, find(b"\n", place)
            place = end + 1
            if starts(_LINK, begin):
                links += 1
                take((begin, end, self._ties(text, begin, end)))
            elif text[end - 1] == _BRACE and beside(text, begin, end):
                take((begin, end, ()))
            else:
                take((begin, end, None))
        return found if text.count(_LINK, 0, stop) == links else None

    def _ties(self, text: bytes, begin: int, end: int) -> Ties | None:
        found = _BEGINNING.match(text, begin, end)
        if found is None or text[end - 1] != _BRACE:
            return None
        parent, result, message, call, _, _ = found.groups()
        inside, find, starts = found.end(), text.find, text.startswith
        if result is not None:
            at = find(_UUID_OF_RESULT, inside, end) + 4
            if at < 4 or not starts(_MOMENT, at + _ID_END) or find(_NEXT_RESULT, inside, at) >= 0:
                return None
            return text[at + _ID : at + _ID_END], parent, _ANSWERED, None, result
        at = text.rfind(_UUID, inside, end)
        rest = text[at + _REST : end]
        if not starts(_MOMENT, at + _ID_END) or not (rest in self._ends or self._ends_well(rest)):
            return None
        if message is None:
            is_one = starts(b'"type":"attachment",', at - 20)
            return (text[at + _ID : at + _ID_END], parent, 0, None, None) if is_one else None
        is_one = starts(b'"type":"assistant",', at - 19) and find(_NEXT_CALL, inside, at) < 0
        return (text[at + _ID : at + _ID_END], parent, _SAID, message, call) if is_one else None

    def _ends_well(self, rest: bytes) -> bool:
        if not _END.fullmatch(rest):
            return False
        if len(self._ends) < _MOST_ENDS:
            self._ends.add(rest)
        return True
