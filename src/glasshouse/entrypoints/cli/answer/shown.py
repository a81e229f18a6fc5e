"""A question as lines of a terminal."""

import json
from collections.abc import Iterator, Sequence

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import Question, QuestionKind, QuestionReport, QuestionType
from glasshouse.entrypoints.cli.answer.plain import plain, plain_lines

YES, NO = Phrase("是", "Yes"), Phrase("否", "No")
OTHER = Phrase("其他（自己写）", "Other (in your own words)")
_ROUND = Phrase("第 {round}/{total} 轮：", "Round {round}/{total}: ")
_OF = Phrase("会话 {session}", "session {session}")
_WAITING = Phrase("等待你的回答：{count} 项", "Waiting for you: {count}")
_DEFAULT = Phrase("（默认）", " (default)")
_OPTIONAL = Phrase("（选填，直接按 Enter 跳过）", " (optional: Enter leaves it empty)")
_WOULD_RUN = Phrase("将要执行：", "Would run:")
_FROM_SERVER = Phrase("MCP 服务器 {server}：", "MCP server {server}:")
_PAGE = Phrase("网页：{url}", "Page: {url}")
_CARRIES = Phrase("{directory} 自带：", "{directory} carries:")
_HOW = {
    QuestionType.MULTIPLE_CHOICE: Phrase(
        "输入编号，或用 ↑↓ 选择，Enter 确认 · c 取消 · s 先跳过",
        "A number, or up and down, then Enter · c declines · s leaves it for later",
    ),
    QuestionType.CHECKBOX: Phrase(
        "输入编号，如 1,3；或用 ↑↓ 移动、空格选择，Enter 确认 · c 取消 · s 先跳过",
        "Numbers, such as 1,3, or up, down and Space, then Enter · c declines · s leaves it for later",
    ),
    QuestionType.BOOLEAN: Phrase("y 或 n · c 取消 · s 先跳过", "y or n · c declines · s leaves it for later"),
    # In a text the letters are text.
    QuestionType.TEXT: Phrase("输入文字 · /c 取消 · /s 先跳过", "Your words · /c declines · /s leaves it for later"),
}


def waiting_lines(waiting: Sequence[QuestionReport], language: Language) -> Iterator[str]:
    yield _WAITING.say(language, count=len(waiting))
    for report in waiting:
        session = _OF.say(language, session=report.session_id[:8])
        yield f"  - {plain(subject(report).split(chr(10), 1)[0])} ({session})"


def subject(report: QuestionReport) -> str:
    if report.kind is not QuestionKind.PERMISSION:
        return report.question_text
    tool_input = report.tool_input or {}
    words = next((tool_input[name] for name in ("command", "file_path", "url") if name in tool_input), "")
    return f"{report.tool_name or ''} {words}".strip()


def head_lines(report: QuestionReport, rounds: int, language: Language) -> Iterator[str]:
    """What stands above the questions of one asking."""
    if report.kind is QuestionKind.ELICITATION:
        yield _FROM_SERVER.say(language, server=plain(report.mcp_server or "?"))
        yield from _indented(report.message or "")
        if report.url is not None:
            yield _PAGE.say(language, url=plain(report.url))
    if report.kind is QuestionKind.PERMISSION:
        yield _WOULD_RUN.say(language)
        yield from _indented(_call(report))
    if report.plan is not None:
        yield from _indented(report.plan)
    if report.runs is not None:
        yield _CARRIES.say(language, directory=plain(report.directory or "?"))
        for each in report.runs:
            words = each if isinstance(each, str) else f"{each.kind} {each.path} {each.name}\n{each.what}".rstrip()
            yield from _indented(words)
        if report.runs_total is not None and report.runs_total > len(report.runs):
            yield f"  … {report.runs_total}"
    if report.round is not None:
        said = _ROUND.say(language, round=report.round, total=max(rounds, report.round))
        yield said + plain(report.question_text)
    else:
        yield plain(report.question_text)


def option_lines(question: Question, language: Language) -> Iterator[str]:
    if question.description:
        yield from _indented(question.description)
    for number, label in enumerate(labels_of(question, language), 1):
        option = question.options[number - 1] if number <= len(question.options) else None
        more = f" - {plain(option.description)}" if option is not None and option.description else ""
        default = _DEFAULT.say(language) if option is not None and option.default else ""
        yield f"{number}) {label}{more}{default}"
    how = _HOW[question.type].say(language)
    yield f"({how}){'' if question.required else _OPTIONAL.say(language)}"


def labels_of(question: Question, language: Language) -> list[str]:
    if question.type is QuestionType.BOOLEAN:
        return [YES.say(language), NO.say(language)]
    if not question.type.is_choice:
        return []
    labels = [plain(option.label) for option in question.options]
    return [*labels, OTHER.say(language)] if question.allow_other else labels


def _call(report: QuestionReport) -> str:
    tool_input = report.tool_input or {}
    if isinstance(command := tool_input.get("command"), str):
        return f"{report.tool_name} $ {command}"
    return f"{report.tool_name} {json.dumps(tool_input, ensure_ascii=False, indent=2)}"


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}" for line in plain_lines(text))
