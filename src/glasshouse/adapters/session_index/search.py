"""Words in titles and texts: how they are asked for, and the text around the first of them."""

import re

import apsw

from glasshouse.core.ports import SessionSummary

_TRIGRAM = 3
_PIECES_LOOKED_AT = 400
_BEFORE, _AFTER = 40, 120

_IN_TEXT = "SELECT rowid FROM text WHERE text MATCH :{0}"
_AMONG_SHORT = "SELECT rowid FROM short WHERE short MATCH :{0}"
_HAS_WORD = """
(instr(folded_title, :{0}_folded) OR id IN (SELECT file FROM piece WHERE id IN ({1})))
"""


def has_word(word: str, name: str) -> tuple[str, dict[str, str]]:
    """A condition on a file, and what is bound in it."""
    pieces = (_IN_TEXT if len(word) >= _TRIGRAM else _AMONG_SHORT).format(name)
    # A phrase: nothing in it is an operator.
    phrase = '"{}"'.format(word.replace('"', '""'))
    return _HAS_WORD.format(name, pieces), {name: phrase, f"{name}_folded": word.casefold()}


def found_in(connection: apsw.Connection, one: SessionSummary, words: tuple[str, ...]) -> str | None:
    """The text around the first word that the title has not."""
    missing = [word for word in words if word.casefold() not in one.title.casefold()]
    if not missing:
        return None
    wanted = re.compile(_pattern(missing[0]), re.IGNORECASE)
    bodies = connection.execute(
        "SELECT body FROM text WHERE rowid IN (SELECT piece.id FROM piece JOIN file ON file.id = piece.file "
        "WHERE session_id = ? AND shown ORDER BY piece.id LIMIT ?)",
        (one.session_id, _PIECES_LOOKED_AT),
    )
    for (body,) in bodies:
        if found := wanted.search(body):
            return _around(body, *found.span())
    return None


def _pattern(word: str) -> str:
    # As the index has it: a short word of letters stands alone.
    if len(word) < _TRIGRAM and word.isascii():
        return rf"(?<!\w){re.escape(word)}(?!\w)"
    return re.escape(word)


def _around(text: str, start: int, end: int) -> str:
    first, last = max(0, start - _BEFORE), min(len(text), end + _AFTER)
    shown = " ".join(text[first:last].split())
    return f"{'…' if first else ''}{shown}{'…' if last < len(text) else ''}"
