"""A Claude Code home full of conversations, as years of work would leave it: made in seconds, the same every time."""

import json
import os
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

_WORDS = (
    *("the", "server", "reads", "every", "event", "from", "its", "log", "before", "it", "listens", "so", "nothing"),
    *("is", "lost", "a", "test", "fails", "because", "parser", "branch", "deploy", "cache", "index", "query", "token"),
    *("worker", "retry", "schema", "column", "request", "answer", "handler", "budget", "please", "rename", "this"),
    *("function", "and", "explain", "why", "config", "pipeline", "commit", "merge", "release", "latency", "memory"),
)
_SENTENCES = (
    "请先检查数据库连接再重启服务。",
    "这个函数在空列表时会抛出异常，需要修复。",
    "把日志按任务编号分开保存，方便以后搜索。",
    "测试已经全部通过，可以合并分支。",
    "用户登录之后页面没有刷新，是缓存的问题。",
)
_TOOLS = ("Bash", "Read", "Edit", "Grep", "Glob", "Write", "TodoWrite", "mcp__github__search_issues")
_BEGUN = datetime(2026, 3, 1, tzinfo=UTC)
# One session is as large as the largest that people have.
_LARGEST_LINES = 3_700


@dataclass(frozen=True, slots=True)
class Corpus:
    config_dir: Path
    sessions: int
    bytes: int
    lines: int
    # Stands in the text of so many sessions.
    rare_word: str
    rare_in: int

    @property
    def files(self) -> list[Path]:
        return sorted((self.config_dir / "projects").glob("*/*.jsonl"))


def make_corpus(config_dir: Path, *, sessions: int = 2_000, lines: int = 130, rare_in: int = 7) -> Corpus:
    """About 430 MB with the defaults."""
    source = random.Random(1)
    texts = [_text(source, source.choice((40, 120, 300, 900))) for _ in range(400)]
    outputs = [_json(_text(source, source.choice((100, 300, 900, 3_800))))[1:-1] for _ in range(300)]
    size = count = 0
    for number in range(sessions):
        project = f"/home/somebody/work/project-{number % 40}"
        folder = config_dir / "projects" / project.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        wanted = _LARGEST_LINES if number == 0 else max(4, int(source.expovariate(1 / lines)))
        begun = _BEGUN + timedelta(minutes=90 * number)
        session = _Session(source, project, begun, texts, outputs)
        if number % max(1, sessions // rare_in) == 0 and number // max(1, sessions // rare_in) < rare_in:
            session.word = "xylophonist"
        content = session.write(wanted)
        path = folder / f"{session.id}.jsonl"
        path.write_bytes(content)
        ended = begun + timedelta(hours=1)
        os.utime(path, (ended.timestamp(), ended.timestamp()))
        size += len(content)
        count += content.count(b"\n")
    return Corpus(config_dir, sessions, size, count, "xylophonist", min(rare_in, sessions))


def _text(source: random.Random, letters: int) -> str:
    parts: list[str] = []
    left = letters
    while left > 0:
        part = source.choice(_SENTENCES) if source.random() < 0.08 else " ".join(source.choices(_WORDS, k=9))
        parts.append(part)
        left -= len(part) + 1
    return "\n".join(parts)


def _json(value: object) -> str:
    """As JavaScript writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class _Session:
    def __init__(
        self, source: random.Random, project: str, begun: datetime, texts: list[str], outputs: list[str]
    ) -> None:
        self._source = source
        self._project = project
        self._texts = texts
        self._outputs = outputs
        self._now = begun
        self._parent: str | None = None
        self._lines: list[str] = []
        self._cost = 0.0
        self.id = self._uuid()
        self.word = ""

    def write(self, lines: int) -> bytes:
        while len(self._lines) < lines:
            self._round()
        return "".join(self._lines).encode()

    def _round(self) -> None:
        prompt = f"{self._source.choice(self._texts)[:400]} {self.word}"
        self._plain("queue-operation", operation="enqueue", timestamp=self._time(), content=prompt)
        self._user({"role": "user", "content": prompt}, ',"permissionMode":"default","promptSource":"sdk"')
        self._attachment()
        self._plain("file-history-snapshot", messageId=self._parent, snapshot=self._snapshot(), isSnapshotUpdate=False)
        for _ in range(self._source.randint(1, 9)):
            self._call()
        self._assistant(_json([{"type": "text", "text": self._source.choice(self._texts)}]))
        self._cost += 0.0123
        self._plain("last-prompt", lastPrompt=prompt, leafUuid=self._parent)
        self._plain("cost-state", totalCostUSD=self._cost, totalAPIDuration=3800, totalLinesAdded=12)

    def _call(self) -> None:
        tool, call_id = self._source.choice(_TOOLS), f"toolu_{self._source.getrandbits(96):024x}"
        path = f"{self._project}/src/module_{self._source.randrange(30)}.py"
        if self._source.random() < 0.3:
            thought = {"type": "thinking", "thinking": self._source.choice(self._texts), "signature": "x" * 300}
            self._assistant(_json([thought]))
        given = {"file_path": path, "command": "python -m pytest -q tests", "description": "Run the tests"}
        self._assistant(_json([{"type": "tool_use", "id": call_id, "name": tool, "input": given}]))
        output = self._source.choice(self._outputs)
        content = f'[{{"tool_use_id":"{call_id}","type":"tool_result","content":"{output}"}}]'
        told = f'{{"type":"text","file":{{"filePath":"{path}","content":"{output}","numLines":12}}}}'
        self._user(f'{{"role":"user","content":{content}}}', f',"toolUseResult":{told}')

    def _snapshot(self) -> dict[str, object]:
        files = {f"src/module_{self._source.randrange(30)}.py": {"backupFileName": "a@v1", "version": 1}}
        return {"messageId": self._parent, "trackedFileBackups": files, "timestamp": self._time()}

    def _user(self, message: dict[str, str] | str, more: str) -> None:
        said = message if isinstance(message, str) else _json(message)
        self._line(f'"promptId":"{self._uuid()}","type":"user","message":{said}', more)

    def _assistant(self, content: str) -> None:
        usage = (
            '{"input_tokens":3038,"cache_creation_input_tokens":0,"cache_read_input_tokens":18211,"output_tokens":411}'
        )
        self._line(
            f'"message":{{"id":"msg_{self._source.getrandbits(96):024x}","type":"message","role":"assistant",'
            f'"model":"claude-opus-5-5","content":{content},"stop_reason":"tool_use","stop_sequence":null,"usage":{usage}'
            '},"requestId":"req_011CVHcaTfyKqqRq8bYvvqSK","type":"assistant"',
            "",
        )

    def _attachment(self) -> None:
        rendered = _json(self._source.choice(self._texts))
        self._line(
            f'"attachment":{{"type":"todo_reminder","content":[]}},"type":"attachment","rendered":[{rendered}]', ""
        )

    def _line(self, what: str, more: str) -> None:
        parent = "null" if self._parent is None else f'"{self._parent}"'
        self._parent = self._uuid()
        self._lines.append(
            f'{{"parentUuid":{parent},"isSidechain":false,{what},"uuid":"{self._parent}","timestamp":"{self._time()}"'
            f'{more},"userType":"external","entrypoint":"cli","cwd":"{self._project}","sessionId":"{self.id}",'
            '"version":"2.1.327","gitBranch":"main"}\n'
        )

    def _plain(self, kind: str, **fields: object) -> None:
        line = {"type": kind, "sessionId": self.id, **fields}
        self._lines.append(_json(line) + "\n")

    def _time(self) -> str:
        self._now += timedelta(seconds=2)
        return self._now.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def _uuid(self) -> str:
        return str(UUID(int=self._source.getrandbits(128), version=4))
