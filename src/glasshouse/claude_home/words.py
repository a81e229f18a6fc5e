"""The words of one and two characters in a text, which an index of trigrams does not hold.

Chinese, Japanese and Korean have no blanks between their words: every character and every two neighbours are one.
Elsewhere a word is what stands alone.
"""

import re
from itertools import pairwise

_WIDE = "\u2e80-\ud7ff\uf900-\uffef\U00020000-\U0003ffff"
# Compiled when they are first needed: a process that reads no texts starts without them.
_WIDE_RUN = f"[{_WIDE}]+"
_AT_ITS_EDGE = f"(?<=[{_WIDE}])[^\\W{_WIDE}]|[^\\W{_WIDE}](?=[{_WIDE}])"
_ALONE = r"(?<!\w)\w{1,2}(?!\w)"


def short_words(text: str) -> str:
    """Each once, with blanks between them."""
    words = set(re.findall(_ALONE, text))
    if not text.isascii():
        for run in re.findall(_WIDE_RUN, text):
            words.update(run)
            words.update(map("".join, pairwise(run)))
        for edge in re.finditer(_AT_ITS_EDGE, text):
            start, end = edge.span()
            words.update((text[max(0, start - 1) : end], text[start : end + 1]))
    return " ".join(words)
