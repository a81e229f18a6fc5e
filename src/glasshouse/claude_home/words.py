"""The words of one and two characters in a text, which an index of trigrams does not hold.

Chinese, Japanese and Korean have no blanks between their words: every character and every two neighbours are one.
Elsewhere a word is what stands alone.
"""

import re
from itertools import pairwise

_WIDE = "\u2e80-\ud7ff\uf900-\uffef\U00020000-\U0003ffff"
_WIDE_RUN = re.compile(f"[{_WIDE}]+")
_AT_ITS_EDGE = re.compile(f"(?<=[{_WIDE}])[^\\W{_WIDE}]|[^\\W{_WIDE}](?=[{_WIDE}])")
_ALONE = re.compile(r"(?<!\w)\w{1,2}(?!\w)")


def short_words(text: str) -> str:
    """Each once, with blanks between them."""
    words = set(_ALONE.findall(text))
    if not text.isascii():
        for run in _WIDE_RUN.findall(text):
            words.update(run)
            words.update(map("".join, pairwise(run)))
        for edge in _AT_ITS_EDGE.finditer(text):
            start, end = edge.span()
            words.update((text[max(0, start - 1) : end], text[start : end + 1]))
    return " ".join(words)
