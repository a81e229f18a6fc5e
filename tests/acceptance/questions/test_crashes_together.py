"""A server is killed while several things are asked at once; each is answered, and what may run runs once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from tests.acceptance.questions.lives import ASKS, PROMPT, QUESTION, Lives

from glasshouse.testing.offline_model import Call, Conversation, Part, Reply, Say, Whole

EITHER_WAY = pytest.mark.parametrize("defer", ["auto", "never"])
SECOND = {"questions": [{**QUESTION["questions"][0], "question": "Depth?"}]}


@dataclass(frozen=True)
class Persistent:
    """Calls all at once; then again, one by one, what nothing has come of."""

    message: Sequence[Part]

    def reply(self, conversation: Conversation) -> Reply | None:
        if conversation.prompt != PROMPT:
            return None
        if not conversation.replies:
            return self.message
        calls = (part for part in self.message if isinstance(part, Call))
        left = (call for call in calls if not _has_come_of(call, conversation))
        # `<id>_1` would be taken for the first one's: Claude Code then withholds what came of it.
        again = next((replace(call, id=f"{call.id}{conversation.replies}") for call in left), None)
        return (again or Say("Thanks."),)


def _has_come_of(call: Call, conversation: Conversation) -> bool:
    if call.tool == "Bash":
        return any(result.tool == "Bash" and not result.is_error for result in conversation.results)
    text = call.input["questions"][0]["question"]
    told = any(f'"{text}"="Red"' in result.text for result in conversation.results)
    return told or f"You asked: {text}\nThe user answered: Red" in conversation.late_answers


def plays(lives: Lives, *message: Part) -> None:
    lives.scripts[:] = [Persistent(message)]


@EITHER_WAY
@pytest.mark.parametrize(
    ("order", "point"),
    [
        ("question first", "permission asked"),
        ("permission first", "permission asked"),
        ("permission first", "recorded"),
    ],
)
async def test_a_question_and_a_permission_in_one_message(lives: Lives, order: str, point: str, defer: str) -> None:
    both = (ASKS, replace(lives.notes("one"), id="toolu_b"))
    plays(lives, *(both if order == "question first" else reversed(both)))
    report = await lives.live(point=point, defer=defer, tools=None)

    assert (lives.root / "died").exists()
    assert report["status"] == "completed", (report, (lives.root / "log.txt").read_text())
    assert {question["state"] for question in report["questions"]} == {"answered"}
    assert report["message"] == "Thanks."
    assert lives.ledger == ["one"]


@pytest.mark.parametrize(("defer", "point"), [("auto", "recorded"), ("never", "second recorded")])
async def test_two_questions_in_one_message(lives: Lives, defer: str, point: str) -> None:
    plays(lives, ASKS, Call("AskUserQuestion", SECOND, id="toolu_second"))
    report = await lives.live(point=point, defer=defer)

    assert (lives.root / "died").exists()
    assert report["status"] == "completed", (report, (lives.root / "log.txt").read_text())
    assert [(question["answer"], question["state"]) for question in report["questions"]] == [("Red", "answered")] * 2
    assert report["message"] == "Thanks."


@pytest.mark.parametrize("point", ["permission asked", "permission answered"])
async def test_what_is_allowed_runs_once_though_claude_code_alone_dies(lives: Lives, point: str) -> None:
    # Answered at the moment of the death, it may have been given to nobody: it is asked again, or the task has failed.
    plays(lives, replace(lives.notes("one"), id="toolu_b"))
    report = await lives.live(point=point, who="cli", tools=None)

    assert (lives.root / "died").exists()
    ends = ["completed"] if point == "permission asked" else ["completed", "failed"]
    assert report["status"] in ends, report
    assert report["questions"] and all(question["way"] for question in report["questions"])
    assert lives.ledger == (["one"] if report["status"] == "completed" else [])


@EITHER_WAY
async def test_a_question_beside_a_command_in_a_message_without_a_stream(lives: Lives, defer: str) -> None:
    plays(lives, Whole(), ASKS, replace(lives.notes("one"), id="toolu_b"))
    report = await lives.live(point="recorded", defer=defer)

    assert (lives.root / "died").exists()
    assert report["status"] == "completed", (report, (lives.root / "log.txt").read_text())
    assert [(question["answer"], question["state"]) for question in report["questions"]] == [("Red", "answered")]
    assert report["message"] == "Thanks."
    assert lives.ledger == ["one"]
