"""What a session can do, one after another: rewound and forked, kept and parked, with its directory gone; real servers,
the real Claude Code.
"""

import asyncio
import shutil
import signal
import time
from typing import Any

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import WITHIN_S, Api
from tests.acceptance.support.model import ModelInThread
from tests.acceptance.support.obedient import steps
from tests.acceptance.support.processes import below, kill, until
from tests.acceptance.test_fork import conversation, forked
from tests.acceptance.test_limits import once_tried, until_parked
from tests.acceptance.test_messages import receipts, said
from tests.acceptance.test_warm import KEPT, claude_codes


async def message_saying(api: Api, session_id: str, prompt: str) -> str:
    answer = await api.http.get(f"/api/sessions/{session_id}/messages", params={"limit": 200})
    assert answer.status_code == 200, answer.text
    found = [each["uuid"] for each in answer.json()["messages"] if prompt in str(each["content"])]
    return str(found[0])


async def rewound(api: Api, session_id: str, prompt: str, **how: Any) -> dict[str, Any]:
    body = {"message_id": await message_saying(api, session_id, prompt), **how}
    answer = await api.http.post(f"/api/sessions/{session_id}/rewind", json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_a_session_that_was_rewound_in_place_is_forked_where_it_goes_on(
    start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    server = start_server(**KEPT)
    api = api_of(server)
    session_id = (await api.run("say plum-r"))["session_id"]
    await api.run("say pear-r", resume=session_id)
    await rewound(api, session_id, "say pear-r", fork=False)

    fork = await forked(api, session_id)
    await api.run("what is in the fork-r?", resume=fork["session_id"])
    told = conversation(model, "what is in the fork-r?")
    assert "plum-r" in told and "pear-r" not in told

    # What is said from there on is forked again as ever.
    await api.run("say quince-r", resume=session_id)
    again = await forked(api, session_id)
    answer = await api.run("what is in the other fork-r?", resume=again["session_id"])
    assert answer["success"], answer
    told = conversation(model, "what is in the other fork-r?")
    assert "plum-r" in told and "quince-r" in told and "pear-r" not in told


# faults: I1
async def test_what_was_dropped_does_not_come_back_with_the_death_of_everything(
    start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    server = start_server()
    api = api_of(server)
    session_id = (await api.run("say plum-d"))["session_id"]
    await api.run("say pear-d", resume=session_id)
    await rewound(api, session_id, "say pear-d", fork=False)
    task = await api.begin(steps("say quince-d", "slowly 30"), resume=session_id)
    async with api.follow(task["task_id"]) as stream:
        await stream.first("tool_result")
    # Claude Code first, so that it cannot note anything.
    everybody = [server.pid, *below(server.pid)]
    for pid in everybody:
        kill(pid, signal.SIGSTOP)
    for pid in (*claude_codes(server), *everybody):
        kill(pid)
    server.kill()

    api = api_of(server.start())
    fork = await forked(api, session_id)
    for session, asked in ((session_id, "what is there-d?"), (fork["session_id"], "what is in the fork-d?")):
        answer = await api.run(asked, resume=session)
        assert answer["success"], answer
        told = conversation(model, asked)
        assert "plum-d" in told and "pear-d" not in told


async def test_a_kept_process_goes_when_its_session_is_rewound_and_the_next_is_kept_again(
    start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    server = start_server(**{**KEPT, "GLASSHOUSE_WARM_PROCESSES": "1"})
    api = api_of(server)
    session_id = (await api.run("say plum-k"))["session_id"]
    await api.run("say pear-k", resume=session_id)
    before = claude_codes(server)
    assert before
    await rewound(api, session_id, "say pear-k", fork=False)
    assert claude_codes(server) == set()

    await api.run("say quince-k", resume=session_id)
    [kept] = claude_codes(server)
    await api.run("what was said-k?", resume=session_id)
    assert claude_codes(server) == {kept}
    told = conversation(model, "what was said-k?")
    assert "plum-k" in told and "quince-k" in told and "pear-k" not in told
    # And back again, over what the kept process had said.
    await rewound(api, session_id, "say quince-k", fork=False)
    await api.run("and now-k?", resume=session_id)
    told = conversation(model, "and now-k?")
    assert "plum-k" in told and "quince-k" not in told and "what was said-k" not in told


async def test_a_directory_that_was_made_anew_is_not_worked_in_by_the_old_process(
    start_server: StartServer, api_of: ApiOf
) -> None:
    server = start_server(**KEPT)
    api = api_of(server)
    api.directory = server.workspace / "again"
    api.directory.mkdir()
    session_id = (await api.run("$ touch old"))["session_id"]
    await until(lambda: len(claude_codes(server)) == 2)
    shutil.rmtree(api.directory)
    api.directory.mkdir()
    again = await api.run("$ pwd -P > new; cat new", resume=session_id)
    assert (again["status"], again["message"]) == ("completed", str(api.directory)), again
    assert (api.directory / "new").read_text().strip() == str(api.directory)
    another = await api.run("$ pwd -P > newer; cat newer")
    assert (another["status"], another["message"]) == ("completed", str(api.directory)), another


async def test_a_parked_task_is_told_more_and_given_another_model_and_has_both_when_it_goes_on(
    start_server: StartServer, api_of: ApiOf, model: ModelInThread
) -> None:
    api = api_of(start_server(**KEPT))
    lifts = int(time.time()) + 8
    session_id = (await api.run("say before-p"))["session_id"]
    begun = await api.begin(
        steps("$ echo one >> ledger", f"limited until {lifts}"),
        resume=session_id,
        on_limit="park",
    )
    await until_parked(api, begun["task_id"])
    steered = await said(api, begun["task_id"], "Mind the parked gap.", "steer")
    queued = await said(api, begun["task_id"], "What is next, parked?", "queue")
    changed = await api.http.patch(f"/api/task/{begun['task_id']}", json={"model": "claude-haiku-4-5"})
    assert changed.status_code == 202, changed.text
    refused = await api.http.post(
        f"/api/sessions/{session_id}/rewind",
        json={"message_id": await message_saying(api, session_id, "say before-p"), "fork": False},
    )
    assert (refused.status_code, refused.json()["error"]) == (409, "session_busy")
    async with asyncio.timeout(WITHIN_S):
        while (await api.state(begun["task_id"]))["status"] != "completed":
            assert (await api.http.post(f"/api/task/{begun['task_id']}/continue")).status_code == 200
            await once_tried(api, begun["task_id"])
    assert (api.directory / "ledger").read_text() == "one\n"
    events = await api.events(begun["task_id"])
    assert [receipts(events, each)[-1] for each in (steered, queued)] == ["consumed", "consumed"]
    asked = [body["model"] for body in model.heard("What is next, parked?") if body.get("tools")]
    assert set(asked) == {"claude-haiku-4-5"}
    assert [event.type for event in events].count("complete") == 1


async def test_of_a_session_whose_directory_is_gone_all_is_told_but_no_task_begins(api: Api) -> None:
    done = await api.run(steps("$ echo 1 > a", "say gone-d"))
    session_id = done["session_id"]
    api.directory.rename(api.directory.with_name(f"{api.directory.name}-away"))
    url = f"/api/sessions/{session_id}"
    for path in (url, f"{url}/messages", f"{url}/export", f"{url}/agents", f"{url}/diff", f"{url}/dialog"):
        answer = await api.http.get(path)
        assert answer.status_code == 200, (path, answer.text)
    assert (await api.http.get(f"{url}/diff")).json()["available"] is False
    for path, body in (
        ("revert", {"path": "a"}),
        ("rewind", {"message_id": await message_saying(api, session_id, "gone-d"), "restore": "files"}),
    ):
        answer = await api.http.post(f"{url}/{path}", json=body)
        assert 400 <= answer.status_code < 500, (path, answer.text)
    answer = await api.post("go on", resume=session_id, working_dir=None)
    assert (answer.status_code, answer.json()["error"]) == (400, "working_dir_invalid")
    fork = await forked(api, session_id)
    answer = await api.post("go on", resume=fork["session_id"], working_dir=None)
    assert (answer.status_code, answer.json()["error"]) == (400, "working_dir_invalid")
    api.directory.with_name(f"{api.directory.name}-away").rename(api.directory)
    assert (await api.run("go on", resume=fork["session_id"]))["success"]


async def test_a_task_whose_directory_went_while_it_waited_in_line_says_so(api: Api) -> None:
    async with api.stream('$ until [ -e go ]; do sleep 0.05; done; cd /; rm -r -- "$OLDPWD"') as stream:
        await stream.first("tool_use")
        session_id = stream.seen[0].data["session_id"]
        queued = await api.begin("go on", resume=session_id, queue=True)
        (api.directory / "go").touch()
        await stream.rest()
    state = await api.ended(queued["task_id"])
    assert state["status"] == "failed", state
    assert str(api.directory) in state["result"]["message"], state
    api.directory.mkdir()
