"""A session's conversation as a file to keep: Markdown for people, JSON for programs; made while it is sent."""

import asyncio
import html
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import orjson

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.core.conversation import Source
from glasshouse.core.ports import WholeMessage

# What of one text goes into the Markdown; the JSON has all of it.
_TEXT_LIMIT = 20_000
_SUMMARY_LIMIT = 100

_SESSION = Phrase("会话", "Session")
_DIRECTORY = Phrase("工作目录", "Working directory")
_ROUND = Phrase("第 {number} 轮", "Round {number}")
_AGENT = Phrase("子代理：{name}", "Sub-agent: {name}")
_THINKING = Phrase("思考过程", "Thinking")
_RESULT = Phrase("结果", "Result")
_FAILED = Phrase("失败", "Failed")
_COMPACTED = Phrase("对话在此压缩", "The conversation was compacted here")
_SUMMARY = Phrase("此前对话的摘要", "Summary of what was said before")
_INJECTED = Phrase("系统消息", "Notice")
_STEERED = Phrase("执行中补充", "Sent while it worked")
_CUT = Phrase("……（还有 {count} 个字符，见 JSON 导出）", "… ({count} characters more, see the JSON export)")
_IMAGE = Phrase("图片", "image")


async def as_json(source: Source) -> AsyncIterator[bytes]:
    """One object: the conversation, and those of the sub-agents, every message whole."""
    session = source.session
    head = {"session_id": session.session_id, "working_dir": session.working_dir, "offline": session.offline}
    yield orjson.dumps(head)[:-1] + b',"messages":'
    async for piece in _list(source, None):
        yield piece
    yield b',"agents":['
    for number, agent in enumerate(source.agents):
        told = orjson.dumps(agent.model_dump(exclude_none=True))
        yield (b"," if number else b"") + told[:-1] + b',"messages":'
        async for piece in _list(source, agent.agent_id):
            yield piece
        yield b"}"
    yield b"]}\n"


async def _list(source: Source, agent: str | None) -> AsyncIterator[bytes]:
    separator = b"["
    async for batch in source.everything(agent):
        for message in batch:
            yield separator
            separator = b",\n"
            async for piece in pieces_of(message):
                yield piece
    yield b"]" if separator != b"[" else b"[]"


async def pieces_of(message: WholeMessage) -> AsyncIterator[bytes]:
    pieces = message.pieces()
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece


async def as_markdown(source: Source, language: Language) -> AsyncIterator[bytes]:
    session = source.session
    yield (
        f"# {_SESSION.say(language)} {session.session_id}\n\n{_DIRECTORY.say(language)}: {_code(session.working_dir)}\n"
    ).encode()
    writer = _Writer(language)
    async for batch in source.everything():
        for message in batch:
            yield writer.message(message.fields).encode()
    for agent in source.agents:
        name = " ".join((agent.description or agent.agent_type or agent.agent_id).split())[:_SUMMARY_LIMIT]
        yield f"\n---\n\n## {_AGENT.say(language, name=_escaped(name))}\n".encode()
        writer = _Writer(language, numbered=False)
        async for batch in source.everything(agent.agent_id):
            for message in batch:
                yield writer.message(message.fields).encode()


class _Writer:
    def __init__(self, language: Language, *, numbered: bool = True) -> None:
        self._language: Language = language
        self._numbered = numbered
        self._round = 0

    def message(self, fields: Mapping[str, Any]) -> str:
        parts = []
        if self._numbered and fields["round"] != self._round:
            self._round = fields["round"]
            parts.append(f"## {_ROUND.say(self._language, number=self._round)}")
        if fields["kind"] == "compaction":
            return "".join(f"\n{part}\n" for part in [*parts, f"*{_COMPACTED.say(self._language)}*", "---"])
        if fields["kind"] == "steered":
            parts.append(f"*{_STEERED.say(self._language)}*")
        for block in fields["content"]:
            parts.extend(self._block(block, fields))
        return "".join(f"\n{part}\n" for part in parts)

    def _block(self, block: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[str]:
        say = self._language
        match block:
            case {"type": "text", "text": str(text)}:
                yield self._text(self._cut(text), fields)
            case {"type": "thinking", "thinking": str(text)}:
                yield _folded(_THINKING.say(say), _quoted(self._cut(text)))
            case {"type": "tool_use" | "server_tool_use", "name": name, "input": given}:
                summary = f"{name} · {_gist(given)}" if _gist(given) else str(name)
                yield _folded(summary, _fenced(self._cut(_pretty(given)), "json"))
            case {"type": "tool_result"}:
                state = _FAILED if block.get("is_error") else _RESULT
                name = block.get("tool_name")
                summary = f"{state.say(say)} · {name}" if name else state.say(say)
                yield _folded(summary, _fenced(self._cut(self._words(block.get("content"))), ""))
            case {"type": kind}:
                yield f"*[{_IMAGE.say(say) if kind == 'image' else _escaped(str(kind))}]*"

    def _text(self, text: str, fields: Mapping[str, Any]) -> str:
        match fields["role"], fields["kind"]:
            case _, "summary":
                return _folded(_SUMMARY.say(self._language), _quoted(text))
            case _, "injected":
                return _folded(_INJECTED.say(self._language), _fenced(text, ""))
            case "user", _:
                return _quoted(text)
        return text

    def _words(self, content: object) -> str:
        if isinstance(content, str):
            return content
        parts = content if isinstance(content, list) else ()
        return "\n".join(self._part(part) for part in parts)

    def _part(self, part: object) -> str:
        match part:
            case {"type": "text", "text": str(text)}:
                return text
            case {"type": "image"}:
                return f"[{_IMAGE.say(self._language)}]"
            case {"type": kind}:
                return f"[{kind}]"
        return str(part)

    def _cut(self, text: str) -> str:
        rest = len(text) - _TEXT_LIMIT
        return text if rest <= 0 else f"{text[:_TEXT_LIMIT]}\n{_CUT.say(self._language, count=rest)}"


def _gist(given: object) -> str:
    """The one argument that says what a call is about."""
    if not isinstance(given, dict):
        return ""
    for name in ("command", "file_path", "notebook_path", "path", "pattern", "url", "query", "description", "skill"):
        if isinstance(value := given.get(name), str) and value.strip():
            line = " ".join(value.split())
            return line if len(line) <= _SUMMARY_LIMIT else line[:_SUMMARY_LIMIT] + "…"
    return ""


def _pretty(given: object) -> str:
    return orjson.dumps(given, option=orjson.OPT_INDENT_2).decode()


def _folded(summary: str, inside: str) -> str:
    return f"<details>\n<summary>{_escaped(summary)}</summary>\n\n{inside}\n\n</details>"


def _fenced(text: str, kind: str) -> str:
    """A fence longer than any in the text, so that nothing of it gets out."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in text.splitlines()) or ">"


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)
