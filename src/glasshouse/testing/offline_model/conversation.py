"""What a script sees of a request: the person's last prompt, and what came of it so far."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glasshouse.contract.phrase import Language

# Claude Code puts texts of its own among what the person wrote, and so do we.
_INJECTED = re.compile(
    r"<(?P<tag>system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|task-notification|glasshouse-answers|glasshouse-attachments)>.*?</(?P=tag)>"
    r"|\[Request interrupted by user[^\]]*\]"
    r"|^(?:Continue from where you left off|Tools? loaded)\.$",
    re.DOTALL,
)
_LATE_ANSWERS = re.compile(r"<glasshouse-answers>(.*?)</glasshouse-answers>", re.DOTALL)
_ATTACHED = re.compile(r"<glasshouse-attachments>(.*?)</glasshouse-attachments>", re.DOTALL)
_ADDED_TO_RESULTS = re.compile(
    r"</?tool_use_error>|\s*<system-reminder>(?:(?!<system-reminder>).)*</system-reminder>\s*$", re.DOTALL
)
# Claude Code's own words in the model's place, where a turn was cut off.
_PUT_IN = "No response requested."
_DEFERRED = re.compile(r"deferred tools are now available via ToolSearch[^\n]*\n((?:[\w-]+(?:\n|$))*)")

# A tool result says that it is an error, not of which kind. What a tool itself reports when it ran and failed:
_RAN_AND_FAILED = re.compile(r"Exit code \d+|E[A-Z]{3,}: |File does not exist|Command timed out")
_NOT_ALLOWED = re.compile(
    r"permission|permit|approv|den(?:y|ied)|not allowed|refus|declin|blocked|forbid|disabled|unavailable"
    r"|not available|no such tool|权限|允许|拒绝|批准|禁止|未获准|不可用",
    re.IGNORECASE,
)

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class ToolResult:
    tool: str
    text: str
    is_error: bool

    @property
    def denied(self) -> bool:
        """It did not run because it may not, rather than ran and failed."""
        return self.is_error and not _RAN_AND_FAILED.match(self.text) and bool(_NOT_ALLOWED.search(self.text))


@dataclass(frozen=True, slots=True)
class Conversation:
    """`replies` counts the model's own since the prompt; `results` are the tool results since then, oldest first.

    Of the `deferred` tools only the names are known; they are called once ToolSearch has put them among `tools`.
    `late_answers` is what a person answered to a call that was lost meanwhile.
    """

    prompt: str
    language: Language
    replies: int
    tools: frozenset[str]
    deferred: frozenset[str]
    results: tuple[ToolResult, ...]
    late_answers: str = ""
    # What came with the prompt: the paths of files, and how many images could be seen.
    attached: tuple[str, ...] = ()
    images: int = 0

    def result_of(self, tool: str) -> ToolResult | None:
        return next((result for result in reversed(self.results) if result.tool == tool), None)


Block = Mapping[str, Any]
Turn = tuple[str, str | Sequence[Block]]


def read_conversation(turns: Sequence[Turn], tools: Iterable[str], otherwise: Language) -> Conversation:
    """`turns` are role and content as the Messages API has them; `otherwise` is for a prompt of no language."""
    prompt, replies = "", 0
    deferred: set[str] = set()
    calls: dict[str, str] = {}
    results: list[ToolResult] = []
    late_answers: list[str] = []
    attached: list[str] = []
    images = 0
    for role, content in turns:
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if role == "assistant":
            replies += _texts(blocks) != [_PUT_IN]
            calls.update({block["id"]: block["name"] for block in blocks if block.get("type") == "tool_use"})
        elif role == "system":
            deferred.update(
                name for text in _texts(blocks) for names in _DEFERRED.findall(text) for name in names.split()
            )
        elif role == "user":
            results.extend(_result(block, calls) for block in blocks if block.get("type") == "tool_result")
            if asked := _own_words(blocks):
                prompt, replies = asked, 0
                results.clear()
                late_answers.clear()
                attached = [path for text in _texts(blocks) for path in _attached_in(text)]
                images = sum(block.get("type") == "image" for block in blocks)
            late_answers.extend(told for text in _texts(blocks) for told in _LATE_ANSWERS.findall(text))
    return Conversation(
        prompt,
        _language(prompt, otherwise),
        replies,
        frozenset(tools),
        frozenset(deferred),
        tuple(results),
        "\n".join(late_answers),
        tuple(attached),
        images,
    )


def _attached_in(text: str) -> list[str]:
    listed = "\n".join(_ATTACHED.findall(text))
    return re.findall(r"^- (.+) \([^()]*\)$", listed, re.MULTILINE)


def _own_words(blocks: Sequence[Block]) -> str:
    words = (_INJECTED.sub("", text.strip()).strip() for text in _texts(blocks))
    return "\n".join(text for text in words if text)


def _texts(blocks: Sequence[Block]) -> list[str]:
    return [block["text"] for block in blocks if block.get("type") == "text"]


def _result(block: Block, calls: Mapping[str, str]) -> ToolResult:
    content = block.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(_texts(content))
    text = _ADDED_TO_RESULTS.sub("", content).strip("\n")
    return ToolResult(calls.get(block["tool_use_id"], ""), text, bool(block.get("is_error")))


def _language(prompt: str, otherwise: Language) -> Language:
    if _CHINESE.search(prompt):
        return "zh"
    return "en" if _LATIN.search(prompt) else otherwise
