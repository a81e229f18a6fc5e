"""What a line is, told from its first bytes where it is written as Claude Code always writes it.

A transcript is mostly the output of tools, which no list shows; to parse all of it is what costs. `BEGINNING` matches
from the line's start on, through nothing but plain pairs, so that nothing inside of a text can look like it. The last
group that matched says what the line is; who finds no match reads the whole line.
"""

import re

BEGINNING = re.compile(
    # What stands beside the chain.
    rb'\{"(?:type":"(?P<plain>)|parentUuid":(?:null|"[^"]*"),(?:"logicalParentUuid":"[^"]*",)?"isSidechain":(?:true(?P<side>),|false,'
    rb"(?:"
    # What a person typed, or the results of a call.
    rb'(?:"promptId":"[^"]*",)?"type":"user","message":\{"role":"user","content":(?:"(?P<typed>)|\[\{'
    rb'"tool_use_id":"(?P<result>[^"\\]*)","type":"tool_result",)'
    # What the model says, or calls; it writes no other scalars here.
    rb'|"message":\{(?:"(?:id|type|role|model)":"[^"]*",){4}(?:"container":null,)?"content":\[\{'
    rb'"type":(?:"(?:text|thinking)(?P<said>)",|"tool_use","id":"(?P<id>[^"\\]*)","name":"(?P<called>[^"\\]*)",'
    rb'"input":\{(?:"replace_all":(?:true|false),)?(?:"(?:file_path|notebook_path)":"(?P<path>[^"\\]*)")?(?P<tool>))'
    # What the CLI adds for the model; but a message sent into a running turn comes like this, too.
    rb'|"attachment":\{"type":"(?!queued_command")(?P<attached>)'
    rb")))"
)
CALL = b'"type":"tool_use"'
RESULT = b'"type":"tool_result"'
FAILED = b'"is_error":true'
COST = b'{"type":"cost-state",'
SNAPSHOT = b'{"type":"file-history-snapshot",'
# Of the plain lines all others tell a list nothing: the first letters of their kinds, and where these stand.
NAMED_AT = len(b'{"type":"')
TELLING = frozenset((b"cust", b'tag"', b"file", b"user", b"assi", b"atta", b"cost"))
NOTHING_TRACKED = b'"trackedFileBackups":{}'


def is_message(beginning: bytes) -> bool:
    """Of a line that nobody holds whole."""
    found = BEGINNING.match(beginning)
    return found is not None and found.lastgroup in ("typed", "result", "said", "tool")
