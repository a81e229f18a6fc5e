"""Foreign text on a terminal: words and nothing else. What would steer it, or turn text round, is spelt out."""

import unicodedata

# Control characters, those that format (bidirectional ones among them), halves of pairs, line and paragraph separators.
_STEERS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Holds an emoji of several signs together.
_JOINER = "\u200d"
_WIDE = frozenset({"W", "F"})


def plain(text: str) -> str:
    """One line: a line break is spelt out, too."""
    return "".join(_spelt(sign) for sign in text.replace("\t", "    "))


def plain_lines(text: str) -> list[str]:
    return [plain(line) for line in text.replace("\r\n", "\n").split("\n")]


def fitted(text: str, columns: int) -> str:
    """What of it fits into so many columns; signs of the East take two."""
    taken = 0
    for place, sign in enumerate(text):
        taken += 2 if unicodedata.east_asian_width(sign) in _WIDE else 0 if unicodedata.combining(sign) else 1
        if taken > columns:
            return text[:place]
    return text


def _spelt(sign: str) -> str:
    if sign == _JOINER or unicodedata.category(sign) not in _STEERS:
        return sign
    number = ord(sign)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
