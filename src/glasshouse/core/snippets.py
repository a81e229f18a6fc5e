"""Where words stand in a text, for whoever shows it."""

import re
from collections.abc import Sequence

from glasshouse.contract.session import Snippet


def snippet_of(text: str, words: Sequence[str]) -> Snippet:
    """`matches` do not overlap, and stand in order."""
    longest_first = sorted(words, key=len, reverse=True)
    wanted = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    return Snippet(text=text, matches=[found.span() for found in wanted.finditer(text)])
