"""What Claude Code is told of answers, in each form."""

import json
from typing import Any

import pytest

from glasshouse.contract.question import QuestionKind, QuestionState
from glasshouse.core.ports import AnsweredBy, Asking, Call, QuestionRecord
from glasshouse.engines.claude import answering
from glasshouse.engines.claude.asking import asking_again, permission_asking, plan_asking, question_asking

OPTIONS = [{"label": "Red"}, {"label": "Blue"}]
RICH = "mcp__glasshouse__ask_user_question"


def answered(asking: Asking, *answers: Any, **fields: Any) -> Call:
    """None declines."""
    return Call(
        asking.call_id,
        [
            QuestionRecord(
                session_id="s",
                question_id=question.question_id,
                task_id="t",
                kind=asking.kind,
                call_id=asking.call_id,
                question=question,
                round=1,
                asked_at="",
                index=index,
                total=len(asking.questions),
                state=QuestionState.CANCELLED if answer is None else QuestionState.ANSWERED,
                answered_by=AnsweredBy.PERSON,
                answer=answer,
                subject=asking.subject,
                memo=asking.memo,
                **fields,
            )
            for index, (question, answer) in enumerate(zip(asking.questions, answers, strict=True), 1)
        ],
    )


def asked(*texts: str, multi: bool = False) -> Asking:
    questions = [{"question": text, "multiSelect": multi, "options": OPTIONS} for text in texts]
    return question_asking("c", "AskUserQuestion", {"questions": questions}, {})


def permission(**tool_input: Any) -> Asking:
    return permission_asking("c", "Bash", tool_input, agent_id=None, reason=None, rules=(), file=None, language="en")


@pytest.mark.parametrize(
    ("answer", "told"), [("Red", "Red"), ({"other": "Grün"}, "Grün"), (["Red", {"other": "Grün"}], "Red, Grün")]
)
def test_labels_and_own_words_are_told_as_a_person_would_say_them(answer: Any, told: str) -> None:
    call = answered(asked("Colour?", multi=isinstance(answer, list)), answer)

    assert answering.answers_for_claude(call, "en")["answers"] == {"Colour?": told}


def test_one_that_was_declined_among_several_reads_as_declined() -> None:
    call = answered(asked("One?", "Two?"), "Red", None, reason="no idea")

    told = answering.answers_for_claude(call, "en")["answers"]
    assert told == {"One?": "Red", "Two?": "The user declined to answer, saying: no idea."}
    assert not answering.is_declined(call)


def test_all_declined_is_a_sentence() -> None:
    call = answered(asked("One?"), None)

    assert answering.is_declined(call) and answering.declined_words(call, "zh") == "用户没有回答这个问题。"


def test_the_flat_form_is_answered_by_its_id() -> None:
    asking = question_asking("c", RICH, {"question_id": "q", "question_text": "?", "type": "text"}, {})

    assert json.loads(answering.rich_result(answered(asking, "8080"), "en")) == {"question_id": "q", "answer": "8080"}


def test_the_message_names_the_exact_call_that_was_allowed() -> None:
    message = answering.message_about([answered(permission(command="ls"), "allow")], "en")

    assert "Bash" in message and '{"command":"ls"}' in message
    assert message.startswith("<glasshouse-answers>") and message.endswith("</glasshouse-answers>")


def test_the_message_says_what_was_edited_and_what_was_denied() -> None:
    edited = answered(permission(command="ls"), "allow", updated_input={"command": "ls -a"})
    denied = answered(permission(command="rm"), "deny", reason="never")

    message = answering.message_about([edited, denied], "en")
    assert '{"command":"ls -a"}' in message and "did not allow Bash, saying: never" in message


@pytest.mark.parametrize(("answer", "approved"), [("approve", True), ("keep_planning", False), (None, False)])
def test_a_plan_is_approved_by_nothing_but_a_yes(answer: Any, approved: bool) -> None:
    call = answered(plan_asking("c", "1.", "en"), answer)

    assert call.roots[0].kind is QuestionKind.PLAN_APPROVAL
    assert answering.is_approved(call.roots[0]) is approved


def test_asked_again_the_same_questions_have_new_ids() -> None:
    again = asking_again(answered(asked("One?", "Two?"), None, None), 2)

    assert (again.call_id, [q.question_id for q in again.questions]) == ("c#2", ["c:1#2", "c:2#2"])
