"""What can truly be said of a text without understanding it: its size, its headings, what it defines."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from glasshouse.contract.phrase import Language, Phrase

READ_AT_MOST = 2_000

# As the tool Read numbers them.
_NUMBERED = re.compile(r"^\s*(\d+)[\t→](.*)$")
_SHOWN = 8

_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$")
_DEFINITION = re.compile(r"^(?:export |pub |async |static )*(?:def|class|function|func|fn|struct|interface) +(\w+)")
_MARKDOWN = {".md", ".markdown"}

LINES = Phrase("行数：{lines}，其中空行 {blank}。", "Lines: {lines}, of which blank: {blank}.")
LINES_READ = Phrase(
    "我只读了前 {lines} 行，其中空行 {blank}。", "I read only its first {lines} lines, of which blank: {blank}."
)
FIRST_HEADING = Phrase("第一个标题是“{heading}”。", "Its first heading is “{heading}”.")
HEADINGS = Phrase("标题（{count}）：{names}。", "Headings ({count}): {names}.")
DEFINITIONS = Phrase("定义的名字（{count}）：{names}。", "Names that it defines ({count}): {names}.")
FIRST_LINE = Phrase("第一行文字是：`{line}`", "Its first line of text is: `{line}`")
EMPTY = Phrase("文件是空的。", "The file is empty.")


@dataclass(frozen=True, slots=True)
class FileFacts:
    lines: int
    blank: int
    cut: bool
    first_line: str
    headings: tuple[str, ...]
    definitions: tuple[str, ...]

    def told(self, language: Language) -> list[str]:
        if not self.lines:
            return [EMPTY.say(language)]
        told = [(LINES_READ if self.cut else LINES).say(language, lines=self.lines, blank=self.blank)]
        if self.headings:
            told.append(FIRST_HEADING.say(language, heading=self.headings[0]))
            told.append(HEADINGS.say(language, count=len(self.headings), names=_names(self.headings, language)))
        if self.definitions:
            told.append(
                DEFINITIONS.say(language, count=len(self.definitions), names=_names(self.definitions, language))
            )
        if not self.headings and not self.definitions and self.first_line:
            told.append(FIRST_LINE.say(language, line=self.first_line[:120]))
        return told


def read_facts(path: str, read: str) -> FileFacts:
    """From what the tool Read gave for the file."""
    lines = [match[2] for line in read.splitlines() if (match := _NUMBERED.match(line))]
    if lines and not lines[-1]:
        lines.pop()  # behind the last line feed there is no line
    markdown = PurePosixPath(path).suffix.lower() in _MARKDOWN
    pattern = _HEADING if markdown else _DEFINITION
    names = tuple(match[1] for line in lines if (match := pattern.match(line)))
    return FileFacts(
        lines=len(lines),
        blank=sum(not line.strip() for line in lines),
        cut=len(lines) >= READ_AT_MOST,
        first_line=next((line.strip() for line in lines if line.strip()), ""),
        headings=names if markdown else (),
        definitions=() if markdown else names,
    )


def _names(names: tuple[str, ...], language: Language) -> str:
    shown = ("、" if language == "zh" else ", ").join(names[:_SHOWN])
    return f"{shown} …" if len(names) > _SHOWN else shown
