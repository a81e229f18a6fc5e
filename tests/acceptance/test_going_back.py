"""What a session changed, and the way back: a real server, the real Claude Code, real git."""

import json
from typing import Any

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import Api
from tests.acceptance.support.model import ModelInThread
from tests.acceptance.support.obedient import runs
from tests.support.repository import Repo


async def diff_of(api: Api, session_id: str, **query: str) -> dict[str, Any]:
    response = await api.http.get(f"/api/sessions/{session_id}/diff", params=query)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def post(api: Api, url: str, status: int = 200, **body: Any) -> dict[str, Any]:
    response = await api.http.post(url, json=body)
    assert response.status_code == status, response.text
    answer: dict[str, Any] = response.json()
    return answer


async def test_what_commands_changed_is_shown_and_put_back(api: Api) -> None:
    repo = Repo(api.directory)
    repo.write("kept", "1\n", commit=True)
    repo.write("kept", "edited by me\n")
    repo.write("mine", "untracked\n")
    done = await api.run(runs(["echo two > kept", "rm mine", "echo new > 'with space'"]))
    found = await diff_of(api, done["session_id"])

    assert [(file["status"], file["path"]) for file in found["files"]] == [
        ("modified", "kept"),
        ("deleted", "mine"),
        ("added", "with space"),
    ]
    assert "-edited by me\n+two\n" in found["files"][0]["diff"]
    url = f"/api/sessions/{done['session_id']}/revert"
    for file in found["files"][:2]:
        await post(api, url, path=file["path"], expected=file["state"])
    assert (repo.root / "kept").read_text() == "edited by me\n"
    assert (repo.root / "mine").read_text() == "untracked\n"
    repo.write("with space", "edited since\n")
    refused = await post(api, url, 409, path="with space", expected=found["files"][2]["state"])
    assert refused["error"] == "file_changed"
    assert repo.git("status", "--short") == ' M kept\n?? mine\n?? "with space"\n'


async def test_what_was_at_the_beginning_is_known_after_a_crash(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    repo = Repo(api.directory)
    repo.write("a", "1\n", commit=True)
    done = await api.run(runs(["echo 2 > a"]))
    server.kill()
    repo.write("b", "meanwhile\n")
    api = api_of(server.start())
    assert [file["path"] for file in (await diff_of(api, done["session_id"]))["files"]] == ["a", "b"]


# faults: B10 C3
async def test_what_a_repository_would_run_does_not_run(api: Api) -> None:
    canary = api.directory.parent / f"canary-{api.directory.name}"
    repo = Repo(api.directory)
    program = repo.write("program", f"#!/bin/sh\necho ran >> {canary}\ncat\n")
    program.chmod(0o755)
    repo.write("a.txt", "1\n")
    done = await api.run(
        runs(
            [
                f"git config core.fsmonitor {program}",
                f"git config filter.x.clean {program}",
                f"git config diff.external {program}",
                "echo '* filter=x' > .gitattributes; echo 2 > a.txt",
            ]
        )
    )
    # Claude Code looks at the repository by itself, with git as it is.
    canary.unlink(missing_ok=True)
    found = await diff_of(api, done["session_id"])
    a = next(file for file in found["files"] if file["path"] == "a.txt")
    await post(api, f"/api/sessions/{done['session_id']}/revert", path="a.txt", expected=a["state"])
    assert not canary.exists()


async def test_a_fork_from_an_earlier_message_over_a_crash(
    start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    server = start_server()
    api = api_of(server)
    first = await api.run("the first thing-1")
    session_id = first["session_id"]
    await api.run("the second thing-1", resume=session_id)
    [transcript] = server.home.glob(f"claude/projects/*/{session_id}.jsonl")
    lines = [json.loads(line) for line in transcript.read_text().splitlines()]
    [message] = [
        line["uuid"] for line in lines if line["type"] == "user" and line["message"]["content"] == "the second thing-1"
    ]
    before = transcript.read_bytes()
    back = await post(api, f"/api/sessions/{session_id}/rewind", message_id=message)
    assert back["conversation"]["prompt"] == "the second thing-1"
    # Claude Code, whose process was let go for it, notes at its end where it stands; nothing is said or taken back.
    after = transcript.read_bytes()
    assert after.startswith(before)
    assert not any("uuid" in json.loads(line) for line in after[len(before) :].splitlines())
    server.kill()

    api = api_of(server.start())
    third = await api.run("the third thing-1", resume=back["session_id"])
    assert third["session_id"] == back["session_id"] != session_id
    told = str(model.heard("the third thing-1")[-1])
    assert "the first thing-1" in told and "the second thing-1" not in told
    await api.run("the fourth thing-1", resume=session_id)
    told = str(model.heard("the fourth thing-1")[-1])
    assert "the second thing-1" in told and "the third thing-1" not in told
