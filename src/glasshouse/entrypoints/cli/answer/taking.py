"""What a person says to the questions of one asking, taken together as the body of one answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.question import Answer, Question, QuestionKind, QuestionReport, QuestionType
from glasshouse.core.questions.answers import default_of, opened_by, words_of
from glasshouse.entrypoints.cli.answer import keys
from glasshouse.entrypoints.cli.answer.plain import plain
from glasshouse.entrypoints.cli.answer.shown import labels_of, option_lines

_NOT_A_NUMBER = Phrase(
    "没有这个选项；输入 1 到 {last} 的编号。", "There is no such option; type a number from 1 to {last}."
)
_YES_OR_NO = Phrase("输入 y 或 n。", "Type y or n.")
_NEEDED = Phrase("这个问题必须回答。", "This one must be answered.")
_OWN_WORDS = Phrase("自己写 > ", "In your own words > ")
_REASON = Phrase("附一句话（可不填）> ", "A word with it (or nothing) > ")
_YES, _NO = frozenset({"y", "yes", "是", "1", "true"}), frozenset({"n", "no", "否", "2", "false"})
_APPROVALS = frozenset({QuestionKind.PERMISSION, QuestionKind.PLAN_APPROVAL})
# What to do instead goes with it.
_WITH_A_WORD = frozenset({"deny", "keep_planning"})


class _Declined(Exception):
    """By the person."""


class LeftForLater(Exception):
    """By the person; it waits on."""


class _Unfit(Exception):
    """What was said is no answer; the text says what would be one."""


@dataclass
class Taken:
    """`answers` by question, in the order of asking."""

    answers: dict[str, Answer] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    reason: str = ""
    is_declined: bool = False


def take(call: Sequence[QuestionReport], language: Language, is_over: Callable[[], bool]) -> Taken:
    """Raises LeftForLater, keys.Over, EOFError."""
    try:
        taken = _asked(call, language, is_over)
    except _Declined:
        nothing: dict[str, Answer] = dict.fromkeys(each.question_id for each in call)
        return Taken(answers=nothing, reason=_ask_reason(language), is_declined=True)
    if call[0].kind in _APPROVALS and taken.answers[call[0].question_id] in _WITH_A_WORD:
        taken.reason = _ask_reason(language)
    return taken


def _asked(call: Sequence[QuestionReport], language: Language, is_over: Callable[[], bool]) -> Taken:
    taken = Taken()
    waiting: list[Question] = list(call)
    head = call[0]
    while waiting:
        question = waiting.pop(0)
        # Before it is shown: what is typed as soon as it can be read counts.
        keys.forget_typed()
        if question is not head:
            print("\n" + plain(question.question_text))
        print("\n".join(option_lines(question, language)), end="\n\n", flush=True)
        answer = _answer(question, language, is_over, has_default=head.kind is not QuestionKind.PERMISSION)
        taken.answers[question.question_id] = answer
        taken.words.append(words_of(question, answer))
        waiting[:0] = opened_by(question, answer)
    return taken


def _ask_reason(language: Language) -> str:
    return keys.ask_line(_REASON.say(language)).strip()


def _answer(question: Question, language: Language, is_over: Callable[[], bool], *, has_default: bool) -> Answer:
    """Asked until it is one."""
    while True:
        said = _said(question, language, is_over, has_default=has_default)
        _heed(question, said)
        try:
            return _read(question, said, language)
        except _Unfit as why:
            print(why)


def _said(question: Question, language: Language, is_over: Callable[[], bool], *, has_default: bool) -> str:
    if question.type is QuestionType.TEXT:
        return keys.ask_line()
    default = default_of(question) if has_default else None
    ids = ["true", "false"] if question.type is QuestionType.BOOLEAN else [option.id for option in question.options]
    chosen = [str(each).lower() if isinstance(each, bool) else each for each in _parts(default)]
    said = keys.ask_choice(
        labels_of(question, language),
        several=question.type is QuestionType.CHECKBOX,
        pointed=ids.index(chosen[0]) if len(chosen) == 1 else None,
        is_over=is_over,
    ).strip()
    if said == "" and chosen:
        return ",".join(str(ids.index(each) + 1) for each in chosen)
    return said


def _parts(answer: Answer) -> list[Any]:
    if answer is None:
        return []
    return answer if isinstance(answer, list) else [answer]


def _heed(question: Question, said: str) -> None:
    word = said.strip().lower()
    if question.type is QuestionType.TEXT:
        # One that must be given could otherwise not be the letter alone.
        word = word.removeprefix("/") if word.startswith("/") else ""
    if word == "c":
        raise _Declined
    if word == "s":
        raise LeftForLater


def _read(question: Question, said: str, language: Language) -> Answer:
    if said.strip() == "":
        if question.required:
            raise _Unfit(_NEEDED.say(language))
        return [] if question.type is QuestionType.CHECKBOX else ""
    match question.type:
        case QuestionType.TEXT:
            return said
        case QuestionType.BOOLEAN:
            if said.lower() not in _YES | _NO:
                raise _Unfit(_YES_OR_NO.say(language))
            return said.lower() in _YES
        case QuestionType.MULTIPLE_CHOICE:
            return _chosen(question, said, language)
        case QuestionType.CHECKBOX:
            parts = said.replace("，", ",").replace("、", ",").replace(" ", ",").split(",")
            return [_chosen(question, part, language) for part in dict.fromkeys(filter(None, parts))]


def _chosen(question: Question, number: str, language: Language) -> str | dict[str, Any]:
    last = len(question.options) + question.allow_other
    if not number.isascii() or not number.isdigit() or not 1 <= int(number[:4]) <= last:
        raise _Unfit(_NOT_A_NUMBER.say(language, last=last))
    if int(number) > len(question.options):
        return {"other": keys.ask_line(_OWN_WORDS.say(language))}
    return question.options[int(number) - 1].id
