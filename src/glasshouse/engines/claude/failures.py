"""What can go wrong with a Claude Code, as sentences that a person can act on."""

from collections import deque
from collections.abc import Mapping

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.task import Failure
from glasshouse.core.ports import Outcome

NOT_STARTED = Phrase("Claude Code 未能启动：{reason}", "Claude Code did not start: {reason}")
NOT_FOUND = Phrase("找不到可执行的 Claude Code：{path}", "There is no Claude Code to execute at {path}")
TOO_SLOW = Phrase(
    "Claude Code 在 {seconds:g} 秒内没有完成启动{said}", "Claude Code did not get ready within {seconds:g} s{said}"
)
TOO_OLD = Phrase(
    "Claude Code {version} 太旧：至少需要 {oldest}", "Claude Code {version} is too old: at least {oldest} is needed"
)
DIED = Phrase("Claude Code 意外结束：{reason}", "Claude Code ended unexpectedly: {reason}")
NO_RESULT = Phrase("没有给出结果", "it gave no result")
EXIT_CODE = Phrase("退出代码 {code}", "exit code {code}")
MAX_TURNS = Phrase("已达到最大回合数（{turns}）", "The task used up its {turns} turns")
BUDGET_EXCEEDED = Phrase(
    "已超出预算：预算 ${budget:g}，已花费 ${cost:.4f}", "The budget of ${budget:g} is used up: it has cost ${cost:.4f}"
)
USAGE_LIMIT = Phrase("已达到用量上限：{words}", "The usage limit is reached: {words}")
LIFTS = Phrase("；{until} 解除", "; it lifts at {until}")
OVERLOADED = Phrase("模型过载：{words}", "The model is overloaded: {words}")
NO_CREDENTIALS = Phrase(
    "没有可用的凭据（{words}）。登录：运行 glasshouse claude 并输入 /login；或在启动服务前设置 ANTHROPIC_API_KEY；"
    "也可以用 --offline 启动，试用离线演示模型。",
    "There are no valid credentials ({words}). Sign in: run glasshouse claude and enter /login; or set "
    "ANTHROPIC_API_KEY before the server starts; or start with --offline to try the offline demo model.",
)
NONE_FOUND = Phrase("一个也没有找到", "none were found")
MODEL_FAILED = Phrase("模型调用失败：{words}", "The model's call failed: {words}")

_LINES_KEPT = 20
_LINE_LIMIT = 500
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD", "HEADERS")
_SHORTEST_SECRET = 8


class LastWords:
    """The last lines of a process's stderr, without the secrets that its environment holds."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._secrets = [
            value
            for name, value in environment.items()
            if name.upper().endswith(_SECRET_NAMES) and len(value) >= _SHORTEST_SECRET
        ]

    def hear(self, line: str) -> None:
        for secret in self._secrets:
            line = line.replace(secret, "••••")
        self._lines.append(line[:_LINE_LIMIT])

    def forget(self) -> None:
        """What was said before belongs to another task."""
        self._lines.clear()

    def __str__(self) -> str:
        return "\n".join(self._lines)


def engine_failed(language: Language, sentence: Phrase, detail: str = "", **fields: object) -> Outcome:
    return Outcome(sentence.say(language, **fields), failure=Failure.ENGINE_FAILED, detail=detail or None)


def no_credentials(language: Language, words: str) -> Outcome:
    return Outcome(NO_CREDENTIALS.say(language, words=words), failure=Failure.NO_CREDENTIALS, detail=words)
