"""What Claude Code's calls ask of a person, as the desk takes it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from glasshouse.contract.errors import QuestionInvalid
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import Option, Question, QuestionKind, QuestionType
from glasshouse.core.ports import Asking, Call
from glasshouse.core.questions import forms
from glasshouse.engines.claude.catalogue import ASK_USER_QUESTION, OUR_QUESTION

ALLOW, ALLOW_SESSION, DENY = "allow", "allow_session", "deny"
APPROVE, APPROVE_ACCEPT_EDITS, KEEP_PLANNING = "approve", "approve_accept_edits", "keep_planning"
QUESTION_TOOLS = frozenset({ASK_USER_QUESTION, OUR_QUESTION})

_MAY_IT = Phrase("允许使用 {tool} 吗？", "May {tool} be used?")
_PERMISSION_OPTIONS = {
    ALLOW: Phrase("允许一次", "Allow once"),
    ALLOW_SESSION: Phrase("在本会话中都允许", "Allow for this session"),
    DENY: Phrase("拒绝", "Deny"),
}
_IS_IT_GOOD = Phrase("批准这个计划吗？", "Do you approve this plan?")
_PLAN_OPTIONS = {
    APPROVE: Phrase("批准", "Approve"),
    APPROVE_ACCEPT_EDITS: Phrase("批准，并自动接受文件修改", "Approve, and accept edits of files"),
    KEEP_PLANNING: Phrase("继续计划", "Keep planning"),
}


def question_asking(
    call_id: str, tool: str, tool_input: Mapping[str, Any], templates: Mapping[str, Question]
) -> Asking:
    """Raises QuestionInvalid."""
    if tool == ASK_USER_QUESTION:
        questions = forms.from_claude(call_id, tool_input)
    elif set(tool_input) == {"question_id"}:
        questions = [_template(str(tool_input["question_id"]), templates)]
    else:
        questions = forms.from_rich(call_id, tool_input)
    return Asking(call_id, questions, memo={"tool": tool, "input": dict(tool_input)})


def permission_asking(
    call_id: str,
    tool: str,
    tool_input: Mapping[str, Any],
    *,
    agent_id: str | None,
    reason: str | None,
    rules: Sequence[str],
    file: str | None,
    language: Language,
) -> Asking:
    """`rules` are what Claude Code itself would remember of an allowance for the session; if none, only this call.
    `file` tells what the call's file holds while it is asked."""
    scope = ", ".join(rules) or f"{tool}({canonical(tool_input)[:200]})"
    subject = {"tool_name": tool, "tool_input": dict(tool_input), "agent_id": agent_id, "scope": scope}
    text = _MAY_IT.say(language, tool=tool)
    question = _choice(call_id, text, _PERMISSION_OPTIONS, language, description=reason)
    return Asking(
        call_id, [question], QuestionKind.PERMISSION, subject=subject, memo={"rules": list(rules), "file": file}
    )


def plan_asking(call_id: str, plan: str, language: Language) -> Asking:
    question = _choice(call_id, _IS_IT_GOOD.say(language), _PLAN_OPTIONS, language)
    return Asking(call_id, [question], QuestionKind.PLAN_APPROVAL, subject={"plan": plan})


def asking_again(call: Call, number: int) -> Asking:
    """The questions of a call that nobody answered in time, under new ids."""
    first = call.roots[0]
    questions = [forms.asked_again(record.question, number) for record in call.roots]
    return Asking(f"{base_of(call.call_id)}#{number}", questions, first.kind, subject=first.subject, memo=first.memo)


def base_of(call_id: str) -> str:
    """As Claude Code knows it: asked again, the desk has it under a number."""
    return call_id.split("#", 1)[0]


def canonical(tool_input: Mapping[str, Any]) -> str:
    """The same text for the same input."""
    return json.dumps(tool_input, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _template(question_id: str, templates: Mapping[str, Question]) -> Question:
    if question_id not in templates:
        known = ", ".join(templates) or "none"
        raise QuestionInvalid(f"{question_id}: no question of the request has this id (known: {known})")
    return templates[question_id]


def _choice(
    call_id: str, text: str, options: Mapping[str, Phrase], language: Language, *, description: str | None = None
) -> Question:
    return Question(
        question_id=f"{call_id}:1",
        question_text=text,
        type=QuestionType.MULTIPLE_CHOICE,
        description=description,
        options=tuple(Option(id=name, label=label.say(language)) for name, label in options.items()),
    )
