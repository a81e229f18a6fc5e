"""What an MCP server wants to know of a person: its form as questions, and their answers as its form's content."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import Option, Question, QuestionKind, QuestionState, QuestionType
from glasshouse.core.ports import Asking, Call, QuestionRecord, Run
from glasshouse.engines.claude.answering import is_declined, is_withdrawn

ACCEPT, DECLINE, CANCEL = "accept", "decline", "cancel"
LIVE = "live"

_OPEN = Phrase(
    "MCP 服务器 {server} 请你打开一个网页：{message}", "The MCP server {server} asks you to open a page: {message}"
)
_AGREE = Phrase("MCP 服务器 {server}：{message}", "The MCP server {server}: {message}")
_OPENED = Phrase("已打开并同意", "Opened it, and agree")
_ACCEPTED = Phrase("同意", "Agree")
_DECLINED = Phrase("拒绝", "Decline")
_NUMBER = Phrase("数字", "a number")
_WHOLE = Phrase("整数", "a whole number")
_AT_LEAST = Phrase("不小于 {bound}", "at least {bound}")
_AT_MOST = Phrase("不大于 {bound}", "at most {bound}")
_LONG_AT_LEAST = Phrase("至少 {bound} 个字符", "at least {bound} characters")
_LONG_AT_MOST = Phrase("最多 {bound} 个字符", "at most {bound} characters")
_DEFAULT = Phrase("默认：{value}", "default: {value}")
_NOT_SO = Phrase("上次的回答不符合要求（{what}）。", "The last answer did not fit ({what}).")

_FORMATS = {"email": "name@example.com", "uri": "https://…", "date": "2026-01-31", "date-time": "2026-01-31T08:00:00Z"}
_BOUNDS = {"minimum": _AT_LEAST, "maximum": _AT_MOST, "minLength": _LONG_AT_LEAST, "maxLength": _LONG_AT_MOST}
_MOST_FIELDS = 50


class Elicitations:
    """Of one task. Their servers wait with the process: where that dies, so does the call that led to them."""

    def __init__(self, run: Run, language: Language) -> None:
        self._run = run
        self._language: Language = language
        # Under which call each is asked at this moment.
        self._calls: dict[str, str] = {}

    async def answer(self, name: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """What goes back to the server."""
        problem = ""
        number = 1
        while True:
            call_id = name if number == 1 else f"{name}#{number}"
            self._calls[name] = call_id
            asking = elicitation_asking(call_id, request, self._language, problem)
            await self._run.ask(asking)
            call = await self._run.settled(call_id)
            await self._run.told(call_id, LIVE)
            if is_withdrawn(call):
                return {"action": CANCEL}
            if is_declined(call) or _lacks_something(call):
                return {"action": DECLINE}
            if request.get("mode") == "url" or not _properties(request):
                return {"action": call.roots[0].answer}
            try:
                return {"action": ACCEPT, "content": content_of(call, request)}
            except ValueError as wrong:
                problem = str(wrong)
                number += 1

    async def withdraw(self, name: str) -> None:
        await self._run.withdraw(self._calls.get(name, name))


def elicitation_asking(call_id: str, request: Mapping[str, Any], language: Language, problem: str = "") -> Asking:
    """One question a field, in the server's order; where there is no field, whether the person agrees."""
    server, message = str(request.get("mcp_server_name", "")), str(request.get("message", ""))
    url = request.get("url") if request.get("mode") == "url" else None
    subject = {"mcp_server": server, "message": message, **({"url": str(url)} if url is not None else {})}
    properties = {} if url is not None else _properties(request)
    if properties:
        required = request["requested_schema"].get("required") or ()
        questions = [
            _field(
                f"{call_id}:{place}",
                name,
                schema,
                language,
                required=name in required,
                problem=problem if place == 1 else "",
            )
            for place, (name, schema) in enumerate(properties.items(), 1)
        ]
    else:
        text = (_AGREE if url is None else _OPEN).say(language, server=server, message=message)
        agree = _ACCEPTED if url is None else _OPENED
        options = (Option(id=ACCEPT, label=agree.say(language)), Option(id=DECLINE, label=_DECLINED.say(language)))
        questions = [
            Question(
                question_id=f"{call_id}:1",
                question_text=text,
                type=QuestionType.MULTIPLE_CHOICE,
                description=None if url is None else str(url),
                options=options,
            )
        ]
    return Asking(call_id, questions, QuestionKind.ELICITATION, by_model=False, subject=subject, memo={"tool": server})


def content_of(call: Call, request: Mapping[str, Any]) -> dict[str, Any]:
    """Raises ValueError: an answer is not what its field takes."""
    content = {}
    for record, (name, schema) in zip(call.roots, _properties(request).items(), strict=True):
        if record.state is QuestionState.ANSWERED and record.answer not in ("", []):
            content[name] = _value(record, schema)
    return content


def _value(record: QuestionRecord, schema: Mapping[str, Any]) -> Any:
    answer = record.answer
    kind = schema.get("type")
    if kind in ("integer", "number") and isinstance(answer, str):
        value = _number(answer.strip(), kind)
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            raise ValueError(answer)
        return value
    fits = not isinstance(answer, str) or schema.get("minLength", 0) <= len(answer) <= schema.get("maxLength", 10_000)
    if record.question.type is QuestionType.TEXT and not fits:
        raise ValueError(answer)
    return answer


def _number(text: str, kind: str) -> int | float:
    try:
        value = int(text) if kind == "integer" else float(text)
    except ValueError:
        raise ValueError(text) from None
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _properties(request: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    schema = request.get("requested_schema")
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(found, Mapping):
        return {}
    order = request.get("property_order") or list(found)
    names = [name for name in dict.fromkeys((*order, *found)) if isinstance(found.get(name), Mapping)]
    return {name: found[name] for name in names[:_MOST_FIELDS]}


def _lacks_something(call: Call) -> bool:
    return any(record.question.required and record.state is not QuestionState.ANSWERED for record in call.roots)


def _field(
    question_id: str, name: str, schema: Mapping[str, Any], language: Language, *, required: bool, problem: str
) -> Question:
    hints = [_NOT_SO.say(language, what=problem)] if problem else []
    hints += [str(schema["description"])] if schema.get("description") else []
    kind, options = _type_and_options(schema)
    if kind is QuestionType.TEXT:
        hints += _hints(schema, language)
    return Question(
        question_id=question_id,
        question_text=str(schema.get("title") or name)[:10_000] or question_id,
        type=kind,
        description="\n".join(hints)[:10_000] or None,
        options=options,
        required=required,
    )


def _type_and_options(schema: Mapping[str, Any]) -> tuple[QuestionType, tuple[Option, ...]]:
    if schema.get("type") == "boolean":
        default = schema.get("default")
        if not isinstance(default, bool):
            return QuestionType.BOOLEAN, ()
        return QuestionType.BOOLEAN, tuple(
            Option(id=each, label=each, default=each == str(default).lower()) for each in ("true", "false")
        )
    if schema.get("type") == "array" and isinstance(schema.get("items"), Mapping):
        chosen = schema.get("default") or ()
        if options := _options(schema["items"], "anyOf", chosen):
            return QuestionType.CHECKBOX, options
    elif options := _options(schema, "oneOf", (schema.get("default"),)):
        return QuestionType.MULTIPLE_CHOICE, options
    return QuestionType.TEXT, ()


def _options(schema: Mapping[str, Any], titled: str, chosen: Sequence[Any]) -> tuple[Option, ...]:
    """The two ways in which a schema lists them: bare, with or without names beside; and each with its title."""
    if isinstance(values := schema.get("enum"), list):
        names = schema.get("enumNames") or values
        pairs = list(zip(values, names, strict=False))
    elif isinstance(listed := schema.get(titled), list):
        pairs = [(each.get("const"), each.get("title")) for each in listed if isinstance(each, Mapping)]
    else:
        return ()
    known = dict.fromkeys((str(value), str(label or value)) for value, label in pairs if value not in (None, ""))
    return tuple(Option(id=value, label=label, default=value in chosen) for value, label in known)


def _hints(schema: Mapping[str, Any], language: Language) -> Iterator[str]:
    parts = []
    if schema.get("type") in ("number", "integer"):
        parts.append((_WHOLE if schema["type"] == "integer" else _NUMBER).say(language))
    parts += [phrase.say(language, bound=schema[name]) for name, phrase in _BOUNDS.items() if name in schema]
    if schema.get("format") in _FORMATS:
        parts.append(_FORMATS[schema["format"]])
    if schema.get("default") not in (None, ""):
        parts.append(_DEFAULT.say(language, value=schema["default"]))
    if parts:
        yield ", ".join(parts)
