"""`glasshouse answer`: what waits is asked in a terminal, answered there, and told to have been."""

import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.acceptance.conftest import environment_for
from tests.acceptance.support.model import ModelInThread, model_in_thread
from tests.acceptance.support.obedient import Obedient
from tests.acceptance.support.processes import left_in
from tests.acceptance.support.terminal import DOWN, ENTER, UP, WITHIN_S, Terminal, answering

from glasshouse.testing.offline_model import Call, Say, played
from glasshouse.testing.server_process import ServerProcess, running_server

ASKS, ASKS_TWICE = "Ask me a colour.", "Ask me twice."
STEERS = "\x1b]0;owned\x07 \x9b2J \u202egpj.exe \u2028 end"


def _asking(text: str, *labels: str) -> Call:
    options = [{"label": label, "description": f"what {label} means"} for label in labels]
    question = {"question": text, "header": "Choice", "multiSelect": False, "options": options}
    return Call("AskUserQuestion", {"questions": [question]})


SCRIPTS = [
    played(ASKS, _asking("Which colour?", "Red", "Blue"), Say("Thank you.")),
    played(
        ASKS_TWICE, _asking("Which colour?", "Red", "Blue"), _asking("Which shade?", "dark", "light"), Say("Thanks.")
    ),
]


@pytest.fixture(scope="module")
def model() -> Iterator[ModelInThread]:
    with model_in_thread([*SCRIPTS, Obedient()]) as running:
        yield running


@pytest.fixture(scope="module")
def asking(model: ModelInThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("terminal")
    with running_server(home, environment=environment_for(model, home)) as running:
        yield running
    left = left_in(home)
    assert not left


@pytest.fixture
def client(asking: ServerProcess) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=asking.url, headers=asking.headers, timeout=WITHIN_S, trust_env=False) as client:
        yield client


def _begun(client: httpx.Client, prompt: str) -> dict[str, Any]:
    state: dict[str, Any] = client.post("/api/task", json={"prompt": prompt, "wait_s": 0}).json()
    return state


def _ended(client: httpx.Client, task: dict[str, Any]) -> dict[str, Any]:
    with client.stream("GET", f"/api/task/{task['task_id']}/stream") as stream:
        stream.read()
    state: dict[str, Any] = client.get(f"/api/task/{task['task_id']}").json()
    return state


def _questions(client: httpx.Client, task: dict[str, Any]) -> list[dict[str, Any]]:
    page = client.get("/api/questions", params={"session_id": task["session_id"], "state": "all"}).json()
    questions: list[dict[str, Any]] = page["questions"]
    return questions


def _program_asks(client: httpx.Client, **question: Any) -> dict[str, Any]:
    task = client.post("/api/task", json={"prompt": "hello"}).json()
    asked = client.post("/api/questions", json={"session_id": task["session_id"], "question": question})
    assert asked.status_code == 201, asked.text
    report: dict[str, Any] = asked.json()
    return report


def _piped(server: ServerProcess, said: str, *arguments: str) -> str:
    ended = subprocess.run(
        answering(server, "--once", *arguments),
        input=said,
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def test_arrows_and_enter_choose_and_the_task_goes_on(asking: ServerProcess, client: httpx.Client) -> None:
    with Terminal(asking) as terminal:
        terminal.until("Nothing waits for you yet")
        task = _begun(client, ASKS_TWICE)
        shown = terminal.until("later)")
        assert "Round 1/1: Which colour?" in shown
        assert "1) Red - what Red means" in shown and "2) Blue - what Blue means" in shown
        terminal.until("> ")
        terminal.press(DOWN + DOWN)
        terminal.until("> 2) Blue")
        terminal.press(ENTER)
        terminal.until("Running: Blue...")

        terminal.until("Round 2/2: Which shade?")
        terminal.press("9" + ENTER)
        terminal.until("type a number from 1 to 3")
        terminal.press(UP + UP)
        terminal.until("> 2) light")
        terminal.press(ENTER)
        terminal.until("Running: light...")
        assert _ended(client, task)["status"] == "completed"
        terminal.interrupt()
        assert terminal.end() == 0
    assert [(each["answer"], each["answered_by"], each["door"]) for each in _questions(client, task)] == [
        ("Blue", "person", "cli"),
        ("light", "person", "cli"),
    ]


def test_declined_with_a_word_the_model_hears_it(
    asking: ServerProcess, client: httpx.Client, model: ModelInThread
) -> None:
    task = _begun(client, ASKS)
    with Terminal(asking, "--session", task["session_id"]) as terminal:
        terminal.until("Which colour?")
        terminal.until("> ")
        terminal.press("c" + ENTER)
        terminal.until("(or nothing) > ")
        terminal.press("colours are for later" + ENTER)
        terminal.until("Declined.")
    assert _ended(client, task)["status"] == "completed"
    assert model.heard("colours are for later")


def test_a_permission_is_given_by_its_number_and_never_by_enter_alone(
    asking: ServerProcess, client: httpx.Client
) -> None:
    task = _begun(client, "$ touch granted")
    with Terminal(asking, "--session", task["session_id"]) as terminal:
        assert "Bash $ touch granted" in terminal.until("1) Allow once")
        terminal.until("> ")
        terminal.press(ENTER)
        terminal.until("must be answered")
        assert not (asking.workspace / "granted").exists()
        terminal.press("1" + ENTER)
        terminal.until("Running: Allow once...")
    assert _ended(client, task)["status"] == "completed"
    assert (asking.workspace / "granted").exists()


def test_what_was_typed_before_a_question_was_there_is_no_answer_to_it(
    asking: ServerProcess, client: httpx.Client
) -> None:
    with Terminal(asking) as terminal:
        terminal.until("Nothing waits for you yet")
        terminal.press("1" + ENTER)
        task = _begun(client, "$ touch early")
        terminal.until("> ")
        terminal.press("3" + ENTER)
        terminal.until("(or nothing) > ")
        terminal.press(ENTER)
        terminal.until("Running: Deny...")
    assert _ended(client, task)["status"] == "completed"
    assert not (asking.workspace / "early").exists()


def test_what_is_settled_elsewhere_meanwhile_is_told(asking: ServerProcess, client: httpx.Client) -> None:
    report = _program_asks(client, question_text="Deploy?", type="boolean")
    with Terminal(asking, "--session", report["session_id"]) as terminal:
        terminal.until("> ")
        body = {"session_id": report["session_id"], "question_id": report["question_id"], "answer": True}
        assert client.post("/api/task/answer", json=body).status_code == 200
        terminal.until("It was settled elsewhere (api).")


# faults: C6
def test_nothing_that_is_asked_steers_the_terminal(asking: ServerProcess, client: httpx.Client) -> None:
    options = [{"id": "a", "label": f"label {STEERS}", "description": STEERS}]
    report = _program_asks(
        client, question_text=f"Sure? {STEERS}", type="multiple_choice", description=STEERS, options=options
    )
    said = _piped(asking, "1\n", "--session", report["session_id"])
    assert "Sure? \\x1b]0;owned\\x07 \\x9b2J \\u202egpj.exe \\u2028 end" in said
    assert "Taken: label" in said
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\u2028"} & set(said)


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        ({"type": "text"}, "\nc\n", "c"),
        ({"type": "text", "required": False}, "\n", ""),
        ({"type": "boolean"}, "maybe\nN\n", False),
        (
            {"type": "checkbox", "options": ["x", "y", "z"], "allow_other": True},
            "3, 4 1\nmy own\n",
            ["z", {"other": "my own"}, "x"],
        ),
        ({"type": "multiple_choice", "options": ["x", "y"]}, "3\n2\n", "y"),
    ],
)
def test_every_kind_is_answered_without_a_terminal_too(
    asking: ServerProcess, client: httpx.Client, question: dict[str, Any], said: str, answer: object
) -> None:
    options = [{"id": label, "label": label} for label in question.get("options", ())]
    report = _program_asks(client, question_text="Well?", **{**question, **({"options": options} if options else {})})
    assert "Well?" in _piped(asking, said, "--session", report["session_id"])
    [asked] = _questions(client, report)
    assert (asked["answer"], asked["door"]) == (answer, "cli")


def test_what_an_answer_asks_next_goes_with_it_and_what_is_left_waits_on(
    asking: ServerProcess, client: httpx.Client
) -> None:
    follow_up = {"question_id": "far", "question_text": "How far?", "type": "text"}
    report = _program_asks(
        client,
        question_text="Go?",
        type="multiple_choice",
        options=[{"id": "yes", "label": "Yes", "default": True}, {"id": "no", "label": "No"}],
        follow_up_questions={"yes": [follow_up]},
    )
    assert _piped(asking, "s\n", "--session", report["session_id"]).count("Go?") == 1
    assert [each["state"] for each in _questions(client, report)] == ["pending"]
    said = _piped(asking, "\nas far as it goes\n", "--session", report["session_id"])
    assert "1) Yes (default)" in said and "How far?" in said
    assert [each["answer"] for each in _questions(client, report)] == ["yes", "as far as it goes"]
    assert _piped(asking, "", "--session", report["session_id"]) == "Nothing waits for you.\n"
