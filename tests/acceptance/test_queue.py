"""One running task a session: the second is told so, or waits its turn, also over a crash."""

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import Api
from tests.acceptance.support.obedient import steps
from tests.acceptance.support.processes import until

GATE = "$ echo first >> ledger; until [ -e go ]; do sleep 0.05; done"
SECOND = "$ echo second >> ledger"


async def test_a_busy_session_refuses_a_second_task(api: Api) -> None:
    first = await api.begin(GATE)
    refused = await api.post("hello", resume=first["session_id"])
    assert (refused.status_code, refused.json()["error"]) == (409, "session_busy")
    (api.directory / "go").touch()
    assert (await api.ended(first["task_id"]))["status"] == "completed"


async def test_a_task_in_the_queue_runs_in_its_turn(api: Api) -> None:
    first = await api.begin(GATE)
    await until((api.directory / "ledger").exists)
    second = await api.begin(SECOND, resume=first["session_id"], queue=True)
    third = await api.begin("$ echo third >> ledger", resume=first["session_id"], queue=True)
    assert (await api.state(second["task_id"]))["status"] == "queued"
    (api.directory / "go").touch()
    assert (await api.ended(third["task_id"]))["status"] == "completed"
    assert (api.directory / "ledger").read_text().split() == ["first", "second", "third"]
    for task in (first, second, third):
        events = await api.events(task["task_id"])
        assert {event.data["task_id"] for event in events} == {task["task_id"]}
        assert events[-1].metadata["status"] == "completed"


async def test_a_task_in_the_queue_can_be_stopped_before_it_begins(api: Api) -> None:
    first = await api.begin(GATE)
    await until((api.directory / "ledger").exists)
    second = await api.begin(SECOND, resume=first["session_id"], queue=True)
    assert (await api.stop(second["task_id"]))["status"] == "cancelled"
    (api.directory / "go").touch()
    assert (await api.ended(first["task_id"]))["status"] == "completed"
    assert (await api.run("hello", resume=first["session_id"]))["success"] is True
    assert (api.directory / "ledger").read_text().split() == ["first"]


# faults: I1
async def test_a_task_in_the_queue_survives_a_crash_and_runs(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    first = await api.begin(GATE)
    await until((api.directory / "ledger").exists)
    second = await api.begin(steps(SECOND), resume=first["session_id"], queue=True)
    server.kill()
    api = api_of(server.start())
    assert (await api.ended(second["task_id"]))["status"] == "completed"
    assert (await api.state(first["task_id"]))["status"] == "interrupted"
    assert (api.directory / "ledger").read_text().split() == ["first", "second"]
