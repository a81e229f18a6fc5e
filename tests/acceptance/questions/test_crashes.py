"""A server, its Claude Code, or both are killed at every moment between a question and its answer; nothing is lost."""

import json
import os
from itertools import product

import pytest
from tests.acceptance.questions.lives import ASKS, QUESTION, Lives

from glasshouse.testing.offline_model import Call, Say

AFTER_THE_RECORD = ("recorded", "deferred", "answered", "presented", "given")
EVERY_DEATH = list(product(AFTER_THE_RECORD, ("server", "cli", "both"), ("auto", "never")))
# What a gate has time for; `GLASSHOUSE_TEST_EVERY_DEATH=1` has them all.
DEATHS = [
    (point, who, defer)
    for point, who, defer in EVERY_DEATH
    if os.environ.get("GLASSHOUSE_TEST_EVERY_DEATH")
    or (who == "server" and (defer == "auto" or point in ("recorded", "presented", "given")))
    or (defer == "auto" and point == "presented")
]


@pytest.mark.parametrize(("point", "who", "defer"), DEATHS)
async def test_a_question_survives_a_death(lives: Lives, point: str, who: str, defer: str) -> None:
    lives.plays((lives.notes("before"), ASKS), (lives.notes("after"),), Say("Thanks."))
    report = await lives.live(point=point, who=who, defer=defer)

    # Without deferring nothing is ever deferred, and no process is started for an answer unless one died.
    assert (lives.root / "died").exists() or (defer == "never" and point in ("deferred", "answered"))
    log = (lives.root / "log.txt").read_text()
    assert report["status"] == "completed", (report, log)
    assert [(q["answer"], q["state"]) for q in report["questions"]] == [("Red", "answered")]
    assert all(q["way"] for q in report["questions"])
    assert r'"Colour?\"=\"Red' in lives.heard or "The user answered: Red" in lives.heard
    # Claude Code notes what it does a moment later: killed itself, it forgets what it did in that moment.
    once = who == "server"
    assert set(lives.ledger) <= {"before", "after"} and (not once or len(set(lives.ledger)) == len(lives.ledger))
    # Cut off while it goes on, it is left to the model whether to try again.
    assert lives.ledger[-1:] == ["after"] or point == "given"


async def test_what_was_done_between_two_questions_is_not_done_again(lives: Lives) -> None:
    second = Call("AskUserQuestion", QUESTION, id="toolu_second")
    lives.plays((ASKS,), (lives.notes("between"),), (second,), (lives.notes("after"),), Say("Thanks."))
    report = await lives.live(point="second recorded")

    assert (lives.root / "died").exists()
    assert report["status"] == "completed", report
    assert [q["state"] for q in report["questions"]] == ["answered"] * 2
    assert lives.ledger == ["between", "after"]


@pytest.mark.parametrize("point", ["permission asked", "permission answered"])
async def test_a_permission_survives_the_servers_death_and_is_carried_out_once(lives: Lives, point: str) -> None:
    lives.plays((lives.notes("one"),), (lives.notes("one"),), Say("Thanks."))
    report = await lives.live(point=point, tools=None)

    assert (lives.root / "died").exists()
    assert report["status"] == "completed", report
    assert [(q["state"], q["way"]) for q in report["questions"]] == [("answered", "spent")]
    assert lives.ledger == ["one"]


@pytest.mark.parametrize(
    ("point", "who", "end"),
    [
        ("permission given", "server", "interrupted"),
        ("ran", "server", "interrupted"),
        ("permission given", "cli", "failed"),
    ],
)
async def test_what_was_given_and_has_no_result_is_not_run_again(lives: Lives, point: str, who: str, end: str) -> None:
    lives.plays((lives.notes("one"),), Say("Thanks."))
    report = await lives.live(point=point, who=who, tools=None)

    assert (lives.root / "died").exists()
    assert report["status"] == end
    assert lives.ledger in ([], ["one"])


@pytest.mark.parametrize("who", ["server", "cli"])
async def test_a_plans_approval_survives_a_death(lives: Lives, who: str) -> None:
    lives.plays((Call("ExitPlanMode", {"plan": "1."}, id="toolu_p"),), (lives.notes("one"),), Say("Thanks."))
    tools = ["Bash", "ExitPlanMode"]
    report = await lives.live(point="permission answered", who=who, permission_mode="plan", tools=tools)

    assert (lives.root / "died").exists()
    assert report["status"] == "completed", report
    # Claude Code alone may die between the approval and its being given.
    assert [q["way"] for q in report["questions"]] in (["message"], *([["live"]] if who == "cli" else []))
    assert lives.ledger == ["one"]


async def test_a_server_that_dies_before_the_record_leaves_an_interrupted_task(lives: Lives) -> None:
    lives.plays((lives.notes("before"), ASKS), Say("Thanks."))
    report = await lives.live(point="before the record")

    assert report["status"] == "interrupted" and report["questions"] == []


# faults: B10 D6
@pytest.mark.parametrize(
    ("point", "answer"),
    [("trust asked", "trust"), ("trust answered", "trust"), ("answered", "without"), ("started", "trust")],
)
async def test_the_question_of_trust_survives_the_servers_death(lives: Lives, point: str, answer: str) -> None:
    (lives.root / "project" / ".claude").mkdir(parents=True)
    command = {"type": "command", "command": f"echo hook >> {lives.root}/hooks"}
    hooks = {"hooks": {"UserPromptSubmit": [{"hooks": [command]}]}}
    (lives.root / "project" / ".claude" / "settings.json").write_text(json.dumps(hooks))
    lives.plays((lives.notes("one"),), Say("Thanks."))
    report = await lives.live(point=point, answer=answer, trust="ask")

    assert (lives.root / "died").exists()
    assert report["status"] == "completed", (report, (lives.root / "log.txt").read_text())
    [question] = report["questions"]
    assert (question["answer"], question["state"], question["way"]) == (answer, "answered", "started")
    assert lives.ledger == ["one"]
    ran = (lives.root / "hooks").read_text().split() if (lives.root / "hooks").exists() else []
    assert ran == (["hook"] if answer == "trust" else [])


async def test_a_death_before_the_question_of_trust_is_recorded_leaves_nothing_that_ran(lives: Lives) -> None:
    (lives.root / "project").mkdir()
    (lives.root / "project" / ".mcp.json").write_text("damaged")
    lives.plays(Say("Thanks."))
    report = await lives.live(point="before the record", trust="ask")

    assert (lives.root / "died").exists()
    assert report["status"] == "interrupted" and report["questions"] == []
    assert not lives.model.requests
