"""What people read, in the two languages that Glasshouse speaks."""

from typing import Literal, NamedTuple

Language = Literal["zh", "en"]


class Phrase(NamedTuple):
    """One sentence in both languages; `{fields}` are filled in. Declared beside the code that says it."""

    zh: str
    en: str

    def say(self, language: Language, **fields: object) -> str:
        return (self.zh if language == "zh" else self.en).format(**fields)
