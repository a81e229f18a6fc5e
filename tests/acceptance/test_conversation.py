"""Going on with a session: the model sees what was said before, and the session's directory stays its own."""

from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import Api
from tests.acceptance.support.model import ModelInThread


async def test_a_resumed_session_knows_what_was_said(api: Api, model: ModelInThread) -> None:
    first = await api.run("the word is heliotrope-1")
    second = await api.run("what was the word? ask-1", resume=first["session_id"])
    assert second["session_id"] == first["session_id"]
    assert second["task_id"] != first["task_id"]
    assert "heliotrope-1" in str(model.heard("ask-1")[-1])


async def test_a_new_task_knows_nothing_of_others(api: Api, model: ModelInThread) -> None:
    first = await api.run("the word is heliotrope-2")
    second = await api.run("what was the word? ask-2")
    assert second["session_id"] != first["session_id"]
    assert "heliotrope-2" not in str(model.heard("ask-2")[-1])


async def test_directories_that_share_a_transcript_folder_are_told_apart(api: Api, model: ModelInThread) -> None:
    dashed, nested = _made(api.directory / "a" / "b-c"), _made(api.directory / "a" / "b" / "c")
    first = await api.run("in the dashed one", working_dir=dashed)
    second = await api.run("in the nested one", working_dir=nested)
    again = await api.run("go on-3", working_dir=dashed, continue_conversation=True)
    assert again["session_id"] == first["session_id"]
    said = str(model.heard("go on-3")[-1])
    assert "in the dashed one" in said and "in the nested one" not in said
    again = await api.run("go on-4", working_dir=nested, continue_conversation=True)
    assert again["session_id"] == second["session_id"]


async def test_the_newest_session_of_the_directory_is_continued(api: Api) -> None:
    await api.run("older")
    newer = await api.run("newer")
    assert (await api.run("go on", continue_conversation=True))["session_id"] == newer["session_id"]


async def test_there_is_nothing_to_continue_in_a_fresh_directory(api: Api) -> None:
    _is_error(await api.post("go on", continue_conversation=True), 404, "session_not_found")


async def test_a_session_is_not_resumed_in_another_directory(api: Api) -> None:
    first = await api.run("here")
    elsewhere = _made(api.directory / "elsewhere")
    refused = await api.post("there", resume=first["session_id"], working_dir=elsewhere)
    _is_error(refused, 422, "resume_conflict")
    unsaid = await api.http.post("/api/task", json={"prompt": "here again", "resume": first["session_id"]})
    assert unsaid.json()["session_id"] == first["session_id"]


async def test_the_two_ways_of_going_on_exclude_each_other(api: Api) -> None:
    _is_error(await api.post("x", resume=str(uuid4()), continue_conversation=True), 422, "resume_conflict")


@pytest.mark.parametrize(
    ("session_id", "status", "code"),
    [
        (str(uuid4()), 404, "session_not_found"),
        ("../../etc/passwd", 422, "invalid_request"),
        ("--version", 422, "invalid_request"),
        ("", 422, "invalid_request"),
    ],
)
async def test_a_session_that_is_none_is_refused(api: Api, session_id: str, status: int, code: str) -> None:
    _is_error(await api.post("x", resume=session_id), status, code)


async def test_a_session_whose_directory_is_gone_is_refused(api: Api) -> None:
    directory = api.directory / "short-lived"
    first = await api.run("here", working_dir=_made(directory))
    directory.rmdir()
    body = {"prompt": "again", "resume": first["session_id"]}
    _is_error(await api.http.post("/api/task", json=body), 400, "working_dir_invalid")


# faults: E5
async def test_a_session_outside_the_allowed_directories_is_hidden(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    inside, outside = server.workspace, server.home / "other"
    server.stop()
    server.environment["GLASSHOUSE_ALLOWED_DIRS"] = f"{inside}:{_made(outside)}"
    first = await api_of(server.start()).run("there", working_dir=str(outside))
    server.stop()
    server.environment["GLASSHOUSE_ALLOWED_DIRS"] = str(inside)
    api = api_of(server.start())
    body = {"prompt": "again", "resume": first["session_id"]}
    _is_error(await api.http.post("/api/task", json=body), 404, "session_not_found")
    refused = await api.post("go on", working_dir=str(outside), continue_conversation=True)
    _is_error(refused, 400, "working_dir_invalid")


def _made(directory: Path) -> str:
    directory.mkdir(parents=True)
    return str(directory)


def _is_error(response: httpx.Response, status: int, code: str) -> None:
    assert (response.status_code, response.json()["error"]) == (status, code)
