"""What is told to Claude Code once a person has answered: as a call's answer, or as a message if the call is lost."""

import json
from collections.abc import Sequence
from typing import Any

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.core.ports import AnsweredBy, Call, QuestionRecord
from glasshouse.core.questions.answers import words_of
from glasshouse.engines.claude.asking import ALLOW, ALLOW_SESSION, KEEP_PLANNING, canonical
from glasshouse.engines.claude.catalogue import ASK_USER_QUESTION

DECLINED = Phrase("用户没有回答这个问题{why}。", "The user declined to answer{why}.")
DENIED = Phrase("用户没有允许 {tool}{why}。", "The user did not allow {tool}{why}.")
NOT_APPROVED = Phrase("用户要求继续完善计划{why}。", "The user asks you to keep planning{why}.")
GIVEN_BEFORE = Phrase(
    "{tool} 的这次调用已经获准过一次，结果未知，不会自动再执行。请先查明它做了什么。",
    "This call of {tool} was allowed once already, and what came of it is unknown: it is not run again by itself. Look "
    "first what it has done.",
)
WITHDRAWN = Phrase(
    "这个问题没有得到回答，已经作废：提问的任务已经结束。",
    "This question was not answered and no longer stands: the task that asked it has ended.",
)
OVER_LIMIT = Phrase(
    "没有再向用户提问：已达到多轮问答上限。请根据已有的信息完成任务，并说明你作了哪些假设。",
    "The user was not asked: the limit of question rounds is reached. Finish with what you know, and say what you "
    "have assumed.",
)
ANOTHER_WAITS = Phrase(
    "另一个问题正在等待回答；得到回答后请再问这一个。", "Another question is waiting; ask this one again after it."
)
_WHY = Phrase("，理由：{reason}", ", saying: {reason}")

_LOST = Phrase(
    "在你等待用户时，你的进程结束了。以下是等到的结果：",
    "Your process ended while you waited for the user. This is what came of it:",
)
_ASKED = Phrase("你问过：{question}\n用户的回答：{answer}", "You asked: {question}\nThe user answered: {answer}")
_APPROVED = Phrase(
    "用户允许了 {tool}，它还没有执行。要执行，请完全按以下输入再调用一次，不会再询问：\n{input}",
    "The user allowed {tool}; it has not run yet. To run it, call it again with precisely this input, and it will not "
    "ask again:\n{input}",
)
_PLAN_APPROVED = Phrase("用户批准了你的计划。现在请照它去做。", "The user approved your plan. Carry it out now.")
_GO_ON = Phrase("请继续。", "Go on.")


def is_declined(call: Call) -> bool:
    return not any(record.state is QuestionState.ANSWERED for record in call.roots)


def is_withdrawn(call: Call) -> bool:
    """It went with its task, or its task went on without it."""
    by_nobody = (AnsweredBy.TASK_END, AnsweredBy.NOBODY)
    return is_declined(call) and any(record.answered_by in by_nobody for record in call.roots)


def declined_words(call: Call, language: Language) -> str:
    reason = next((record.reason for record in call.roots if record.reason), None)
    return DECLINED.say(language, why=why(reason, language))


def why(reason: str | None, language: Language) -> str:
    return _WHY.say(language, reason=reason) if reason else ""


def answers_for_claude(call: Call, language: Language) -> dict[str, Any]:
    """The input of AskUserQuestion with its answers: labels and a person's own words, several joined."""
    tool_input = dict(call.roots[0].memo["input"])
    return {**tool_input, "answers": {record.question.question_text: _told(record, language) for record in call.roots}}


def rich_result(call: Call, language: Language) -> str:
    """Of our own tool: 003's JSON for one flat question, 002's sentence and the answers by id for an array."""
    answers = {record.question_id: record.answer for record in call.records if record.state is QuestionState.ANSWERED}
    first = call.roots[0]
    if "questions" not in first.memo["input"]:
        follow_ups = {name: answer for name, answer in answers.items() if name != first.question_id}
        told = {"question_id": first.question_id, "answer": first.answer}
        return json.dumps({**told, **({"answers": follow_ups} if follow_ups else {})}, ensure_ascii=False)
    said = ", ".join(f'"{r.question.question_text}"="{_told(r, language)}"' for r in call.records)
    sentence = f"User has answered your questions: {said}. You can now continue with the user's answers in mind."
    return f"{sentence}\n{json.dumps(answers, ensure_ascii=False)}"


def message_about(calls: Sequence[Call], language: Language) -> str:
    """For a Claude Code that has lost the calls. In a tag, as Claude Code's own notes to the model are."""
    parts = [_LOST.say(language), *(_part(call, language) for call in calls), _GO_ON.say(language)]
    body = "\n\n".join(parts)
    return f"<glasshouse-answers>\n{body}\n</glasshouse-answers>"


def go_on(language: Language) -> str:
    return f"<glasshouse-answers>\n{_GO_ON.say(language)}\n</glasshouse-answers>"


def is_allowed(record: QuestionRecord) -> bool:
    return record.state is QuestionState.ANSWERED and record.answer in (ALLOW, ALLOW_SESSION)


def allowed_input(record: QuestionRecord) -> dict[str, Any]:
    """What runs: as it was shown, or as the person edited it."""
    return dict(record.updated_input if record.updated_input is not None else record.subject["tool_input"])


def denial_words(record: QuestionRecord, language: Language) -> str:
    told = why(record.reason, language)
    if record.kind is QuestionKind.PLAN_APPROVAL:
        return NOT_APPROVED.say(language, why=told)
    return DENIED.say(language, tool=record.subject["tool_name"], why=told)


def is_approved(record: QuestionRecord) -> bool:
    return record.state is QuestionState.ANSWERED and record.answer != KEEP_PLANNING


def _part(call: Call, language: Language) -> str:
    record = call.roots[0]
    if record.kind is QuestionKind.PERMISSION:
        if not is_allowed(record):
            return denial_words(record, language)
        tool, shown = record.subject["tool_name"], canonical(allowed_input(record))
        return _APPROVED.say(language, tool=tool, input=shown)
    if record.kind is QuestionKind.PLAN_APPROVAL:
        return _PLAN_APPROVED.say(language) if is_approved(record) else denial_words(record, language)
    return "\n".join(
        _ASKED.say(language, question=each.question.question_text, answer=_told(each, language))
        for each in call.records
    )


def _told(record: QuestionRecord, language: Language) -> str:
    if record.state is not QuestionState.ANSWERED:
        return DECLINED.say(language, why=why(record.reason, language))
    return words_of(record.question, record.answer)


def tool_of(call: Call) -> str:
    record = call.roots[0]
    return str(record.memo.get("tool") or record.subject.get("tool_name") or ASK_USER_QUESTION)
