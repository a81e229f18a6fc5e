"""What a task showed while it ran and what history shows later are the same messages."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.conftest import ApiOf, environment_for
from tests.acceptance.support.api import Api
from tests.acceptance.support.model import model_in_thread
from tests.acceptance.support.processes import left_in

from glasshouse.contract.message import MessagePage
from glasshouse.testing.offline_model import Call, Say, Think, played
from glasshouse.testing.server_process import ServerProcess, running_server

LONG = ("long enough to be cut " * 10_000).strip()
QUESTION = {
    "questions": [
        {
            "question": "Which?",
            "header": "Pick",
            "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}],
            "multiSelect": False,
        }
    ]
}
AGENT = {"description": "look", "prompt": "Look there.", "subagent_type": "general-purpose"}
SCRIPTS = (
    played(
        "Do it all.",
        (
            Think("Let me see."),
            Say("Three at once."),
            Call("Bash", {"command": "sleep 0.3; echo one", "description": "x"}, id="toolu_1"),
            Call("Bash", {"command": "echo two", "description": "y"}, id="toolu_2"),
            Call("Bash", {"command": "false", "description": "z"}, id="toolu_3"),
        ),
        (Say("I ask."), Call("AskUserQuestion", QUESTION, id="toolu_q")),
        (Call("Agent", {**AGENT, "run_in_background": False}, id="toolu_a"),),
        (Call("Write", {"file_path": "long.txt", "content": LONG}, id="toolu_w"),),
        (Say("All done."),),
    ),
    played(
        "Look there.",
        (Think("Where?"), Say("Here."), Call("Bash", {"command": "echo seen", "description": "s"}, id="toolu_s")),
        (Say("I saw it."),),
    ),
    played("And again.", (Think("Once more."), Say("Again."))),
)


@pytest.fixture(scope="module")
def teller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("teller")
    with (
        model_in_thread(SCRIPTS) as model,
        running_server(home, environment=environment_for(model, home)) as running,
    ):
        yield running
    left = left_in(home)
    assert not left


@pytest.fixture
def api(teller: ServerProcess, api_of: ApiOf) -> Api:
    return api_of(teller)


async def page(api: Api, session_id: str, **query: Any) -> dict[str, Any]:
    response = await api.http.get(f"/api/sessions/{session_id}/messages", params=query)
    assert response.status_code == 200, response.text
    MessagePage.model_validate_json(response.content)
    found: dict[str, Any] = response.json()
    return found


async def messages(api: Api, session_id: str, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        one = await page(api, session_id, limit=3, **cursor, **query)
        found += one["messages"]
        if one["next_cursor"] is None:
            return found
        cursor = {"cursor": one["next_cursor"]}


async def played_live(api: Api) -> tuple[str, list[dict[str, Any]]]:
    """A task of everything, answered by a person, and a second one; the session and all events of both."""
    tools = ["Bash", "Agent", "Write"]
    response = await api.post("Do it all.", tools=tools, wait_s=30)
    assert response.status_code == 202, response.text
    state = response.json()
    (question,) = state["questions"]
    answer = {"session_id": state["session_id"], "question_id": question["question_id"], "answer": "B"}
    answered = await api.http.post("/api/task/answer", json=answer)
    assert answered.status_code == 200, answered.text
    events = await api.events(state["task_id"])
    again = await api.run("And again.", resume=state["session_id"])
    events += await api.events(again["task_id"])
    return state["session_id"], [event.data for event in events]


def shown(events: list[dict[str, Any]], caller: str | None) -> list[tuple[Any, ...]]:
    """What the live stream showed of a model and its tools, field by field."""
    facts: list[tuple[Any, ...]] = []
    for event in events:
        if event["type"] not in ("text", "thinking", "tool_use", "tool_result"):
            continue
        if event.get("parent_tool_use_id") != caller:
            continue
        place = (event["type"], event["uuid"], event.get("message_id"), event.get("block"))
        match event["type"]:
            case "tool_use":
                facts.append((*place, event["tool_use_id"], event["tool_name"], _bounded(event["tool_input"])))
            case "tool_result":
                result = (event["tool_use_id"], event["tool_name"], event["is_error"], event["content"])
                facts.append((*place, *result))
            case _:
                facts.append((*place, event["content"]))
    return facts


def told(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """The same of history."""
    facts: list[tuple[Any, ...]] = []
    for message in found:
        for number, block in enumerate(message["content"]):
            block_number = None if message.get("block") is None else message["block"] + number
            place = (block["type"], message["uuid"], message.get("message_id"), block_number)
            match block["type"]:
                case "tool_use":
                    facts.append((*place, block["id"], block["name"], _bounded(block["input"])))
                case "tool_result":
                    result = (block["tool_use_id"], block["tool_name"], block["is_error"], _text(block["content"]))
                    facts.append((*place, *result))
                case kind if message["role"] == "assistant":
                    facts.append((*place, block[kind]))
    return facts


def _bounded(given: dict[str, Any]) -> dict[str, Any]:
    """A text that was cut is cut at its own length in either; the whole is compared by itself."""
    return {name: value[:1000] if isinstance(value, str) else value for name, value in given.items()}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


async def test_live_and_history_are_the_same_messages_field_by_field(api: Api) -> None:
    session_id, events = await played_live(api)

    found = await messages(api, session_id)
    about = await page(api, session_id)

    assert told(found) == shown(events, None)
    assert {fact[0] for fact in told(found)} == {"text", "thinking", "tool_use", "tool_result"}
    prompts = [message for message in found if message.get("input_type") == "text"]
    assert [(message["round"], message["content"]) for message in prompts] == [
        (1, [{"type": "text", "text": "Do it all."}]),
        (2, [{"type": "text", "text": "And again."}]),
    ]
    assert about["rounds"] == 2 and about["total"] == len(found) and about["damaged"] is None
    known = {message["uuid"] for message in found}
    assert all(message["parentUuid"] in known for message in found[1:])
    assert await messages(api, session_id, order="desc") == found[::-1]

    (agent,) = about["agents"]
    inside = await messages(api, session_id, agent=agent["agent_id"])
    assert agent["parent_tool_use_id"] == "toolu_a"
    assert told(inside) == shown(events, "toolu_a") != []

    (written,) = (event for event in events if event.get("tool_use_id") == "toolu_w" and event["type"] == "tool_use")
    (cut,) = written["truncated"].values()
    blob = await api.http.get(f"/api/blobs/{cut['sha256']}")
    one = await api.http.get(f"/api/sessions/{session_id}/messages/{written['uuid']}")
    assert one.json()["content"][0]["input"]["content"] == blob.text == LONG


async def test_an_export_has_all_of_it(api: Api) -> None:
    session_id, events = await played_live(api)

    as_json = await api.http.get(f"/api/sessions/{session_id}/export", params={"format": "json"})
    as_text = await api.http.get(f"/api/sessions/{session_id}/export", headers={"Accept-Language": "en"})

    whole = as_json.json()
    assert told(whole["messages"]) == shown(events, None)
    assert [told(agent["messages"]) for agent in whole["agents"]] == [shown(events, "toolu_a")]
    assert LONG in as_json.text
    assert as_json.headers["content-disposition"] == f'attachment; filename="session-{session_id}.json"'
    text, _, inside = as_text.text.partition("## Sub-agent: look")
    places = [
        text.index(part)
        for part in (
            *("## Round 1", "> Do it all.", "<summary>Thinking</summary>", "Three at once.", "echo one"),
            *("<summary>Failed · Bash</summary>", "All done.", "## Round 2", "> And again."),
        )
    ]
    assert inside.index("> Look there.") < inside.index("I saw it.")
    assert places == sorted(places)
    assert as_text.headers["content-disposition"] == f'attachment; filename="session-{session_id}.md"'


async def test_a_session_is_renamed_and_tagged_in_its_own_transcript(api: Api, teller: ServerProcess) -> None:
    session_id = (await api.run("And again."))["session_id"]
    (transcript,) = (teller.home / "claude" / "projects").glob(f"*/{session_id}.jsonl")
    before = transcript.read_bytes()

    response = await api.http.patch(f"/api/sessions/{session_id}", json={"title": " My  work ", "tags": ["a", "b c"]})

    assert response.status_code == 200, response.text
    assert response.json() == {"session_id": session_id, "title": "My work", "tags": ["a", "b c"]}
    assert transcript.read_bytes().startswith(before)
    added = [json.loads(line) for line in transcript.read_bytes()[len(before) :].splitlines()]
    assert [(line["type"], line.get("customTitle") or line.get("tag")) for line in added] == [
        ("custom-title", "My work"),
        ("tag", "a, b c"),
    ]
    # Claude Code goes on with it, and what was written is no message.
    await api.run("And again.", resume=session_id)
    assert [message["round"] for message in await messages(api, session_id)] == [1, 1, 1, 2, 2, 2]


async def test_a_session_is_not_renamed_while_a_task_is_at_it(api: Api) -> None:
    state = (await api.post("Do it all.", tools=["Bash"], wait_s=30)).json()
    assert state["status"] == "waiting"

    refused = await api.http.patch(f"/api/sessions/{state['session_id']}", json={"title": "x"})
    await api.stop(state["task_id"])
    taken = await api.http.patch(f"/api/sessions/{state['session_id']}", json={"tags": []})

    assert (refused.status_code, refused.json()["error"]) == (409, "session_busy")
    assert taken.json() == {"session_id": state["session_id"], "title": None, "tags": []}


async def test_the_demo_models_sessions_are_read_too(demo: Api) -> None:
    answer = await demo.run("Explain a file in this directory", tools=["Bash", "Read"])

    found = await messages(demo, answer["session_id"])
    named = await demo.http.patch(f"/api/sessions/{answer['session_id']}", json={"title": "demo"})

    assert [message["role"] for message in found[:2]] == ["user", "assistant"]
    assert found[-1]["content"][-1]["text"] == answer["message"]
    assert named.status_code == 200


# faults: E5
async def test_a_session_outside_the_allowed_directories_cannot_be_read(
    api: Api, teller: ServerProcess, tmp_path: Path
) -> None:
    session_id = (await api.run("And again."))["session_id"]
    (transcript,) = (teller.home / "claude" / "projects").glob(f"*/{session_id}.jsonl")
    hidden = f"{session_id[:-12]}{'0' * 12}"
    outside = transcript.read_text().replace(str(api.directory), str(tmp_path)).replace(session_id, hidden)
    transcript.with_name(f"{hidden}.jsonl").write_text(outside)

    for path in ("/messages", f"/messages/{session_id}", "/export", "/export?format=json"):
        control = await api.http.get(f"/api/sessions/{session_id}{path}")
        assert control.status_code == (404 if path == f"/messages/{session_id}" else 200)
        response = await api.http.get(f"/api/sessions/{hidden}{path}")
        assert (response.status_code, response.json()["error"]) == (404, "session_not_found")
    refused = await api.http.patch(f"/api/sessions/{hidden}", json={"title": "x"})
    assert (refused.status_code, refused.json()["error"]) == (404, "session_not_found")
    assert transcript.with_name(f"{hidden}.jsonl").read_text() == outside


async def test_a_compaction_of_the_real_claude_code_shows_both_sides(api: Api) -> None:
    session_id = (await api.run("And again."))["session_id"]
    for prompt in ("/compact", "What was it?"):
        await api.run(prompt, resume=session_id)

    found = await messages(api, session_id)

    kinds = [(message["kind"], message["round"]) for message in found]
    boundary = kinds.index(("compaction", 1))
    assert kinds[:boundary] == [("message", 1)] * 3 and kinds[boundary + 1] == ("summary", 1)
    assert found[boundary]["compaction"]["trigger"] == "manual"
    assert [message["round"] for message in found if message.get("input_type") == "text"][-1] == 3
    assert found[-1]["role"] == "assistant"
