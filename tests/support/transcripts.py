"""Transcripts written line by line, as Claude Code writes them."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from glasshouse.claude_home import ClaudeHome
from glasshouse.claude_home.conversation import ConversationReader
from glasshouse.core.ports import MessagesFound, MessagesWanted

Message = dict[str, Any]


class Written:
    """A transcript; each line hangs on the one before it, unless it is told otherwise."""

    def __init__(self, home: ClaudeHome, working_dir: Path, session_id: str | None = None) -> None:
        self.session_id = session_id or str(uuid4())
        self.working_dir = working_dir
        self.path = home.transcripts_dir / "-project" / f"{self.session_id}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.last: str | None = None
        self._second = 0

    def raw(self, content: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(content)

    def line(self, kind: str, *, parent: str | None = "last", uuid: str | None = None, **more: Any) -> str:
        self._second += 1
        uuid = uuid or str(uuid4())
        fields = {
            "parentUuid": self.last if parent == "last" else parent,
            "isSidechain": False,
            "type": kind,
            "uuid": uuid,
            "timestamp": f"2026-01-01T00:{self._second // 60 % 60:02}:{self._second % 60:02}.000Z",
            "cwd": str(self.working_dir),
            "sessionId": self.session_id,
            **more,
        }
        self.raw(json.dumps(fields, ensure_ascii=False).encode() + b"\n")
        self.last = uuid
        return uuid

    def prompt(self, content: Any = "do it", **more: Any) -> str:
        """What a person asks: a round begins."""
        return self.user(content, permissionMode="default", **more)

    def user(self, content: Any, **more: Any) -> str:
        return self.line("user", message={"role": "user", "content": content}, **more)

    def says(self, content: Any, *, message_id: str | None = None, **more: Any) -> str:
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        message = {"id": message_id or f"msg_{uuid4().hex}", "role": "assistant", "model": "m", "content": blocks}
        return self.line("assistant", message=message, **more)

    def calls(self, call_id: str, tool: str = "Bash", given: Any = None, **more: Any) -> str:
        return self.says([{"type": "tool_use", "id": call_id, "name": tool, "input": given or {}}], **more)

    def result(self, call_id: str, content: Any = "done", **more: Any) -> str:
        return self.user([{"type": "tool_result", "tool_use_id": call_id, "content": content}], **more)

    def beside(self, kind: str = "attachment", **more: Any) -> str:
        """A link of the chain that is no message."""
        return self.line(kind, **more)


class Library:
    """A home with transcripts, and their reader."""

    def __init__(self, root: Path) -> None:
        self.home = ClaudeHome.at(root / "claude")
        self.work = root / "work"
        self.reader = ConversationReader(home=self.home, offline_home=ClaudeHome.at(root / "offline"))

    def new(self) -> Written:
        return Written(self.home, self.work)

    async def page(self, written: Written, **wanted: Any) -> MessagesFound:
        found = await self.reader.page(written.session_id, MessagesWanted(**{"limit": 200, **wanted}), offline=False)
        assert found is not None
        return found

    async def messages(self, written: Written, **wanted: Any) -> list[Message]:
        """From the first to the last, or the other way round, by pages."""
        messages: list[Message] = []
        cursor = None
        while True:
            page = await self.page(written, cursor=cursor, **wanted)
            messages += [json.loads(body) for body in page.bodies]
            if (cursor := page.next_cursor) is None:
                return messages

    async def texts(self, written: Written, **wanted: Any) -> list[str]:
        return [text_of(message) for message in await self.messages(written, **wanted)]


def text_of(message: Message) -> str:
    """What a message says, in one short text."""
    (block, *_) = message["content"]
    match block:
        case {"type": "tool_use", "id": call}:
            return f"call {call}"
        case {"type": "tool_result", "tool_use_id": call}:
            return f"result {call}"
    return str(block.get("text") or block.get("thinking") or block["type"])
