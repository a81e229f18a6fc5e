"""Servers beside and inside each other: no sweep ends what is another's."""

import shlex

from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import Api
from tests.acceptance.support.processes import until, working_in

GATE = "$ touch begun; until [ -e go ]; do sleep 0.05; done; echo went"


# faults: I3
async def test_the_sweep_of_one_server_leaves_anothers_tasks_alone(
    api: Api, start_server: StartServer, api_of: ApiOf
) -> None:
    task = await api.begin(GATE)
    await until((api.directory / "begun").exists)
    neighbour = start_server()
    other = await api_of(neighbour).begin(GATE)
    await until((neighbour.workspace / "begun").exists)
    neighbour.kill()
    neighbour.start()
    assert (await api_of(neighbour).state(other["task_id"]))["status"] == "interrupted"
    assert (await api.state(task["task_id"]))["status"] == "running"
    (api.directory / "go").touch()
    assert (await api.ended(task["task_id"]))["result"]["message"] == "went"


# faults: I3
async def test_a_server_inside_a_task_does_not_end_the_one_outside(
    api: Api, start_server: StartServer, api_of: ApiOf
) -> None:
    inner = start_server("inner")
    inner.stop()
    assignments = [f"{name}={shlex.quote(value)}" for name, value in inner.environment.items()]
    start = shlex.join(["cd", str(inner.workspace)]) + "; exec env " + " ".join(assignments + inner.command)
    # In the task's own directory is only who waits; the inner server works in its own.
    task = await api.begin(f"$ ( {start} ) >/dev/null 2>&1")
    await until((inner.data / "server.json").exists)
    inner_api = api_of(inner)
    assert (await inner_api.run("$ echo inner"))["message"] == "inner"
    assert (await api.state(task["task_id"]))["status"] == "running"
    left = await inner_api.begin(GATE)
    await until((inner.workspace / "begun").exists)

    assert (await api.stop(task["task_id"]))["status"] == "cancelled"
    assert working_in(inner.home) == {}
    inner.start()
    assert (await api_of(inner).state(left["task_id"]))["status"] == "interrupted"
