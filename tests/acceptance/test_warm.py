"""A server keeps processes for the next turn, and takes them along when it goes, however it goes."""

import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.api import Api
from tests.acceptance.support.processes import below, command_of, kill, until, working_in

from glasshouse.engines.claude import bundled_cli
from glasshouse.testing.server_process import ServerProcess

CLI = (bundled_cli() or Path()).resolve()
KEPT = {"GLASSHOUSE_WARM_PROCESSES": "2", "GLASSHOUSE_TRUST": "always"}


def claude_codes(server: ServerProcess) -> set[int]:
    found = set()
    for pid in below(server.pid):
        with suppress(OSError):
            if Path(f"/proc/{pid}/exe").readlink() == CLI:
                found.add(pid)
    return found


async def _with_two(server: ServerProcess, api: Api) -> tuple[dict[str, object], set[int]]:
    """A session's process, and the one for the next session."""
    answer = await api.run("hello")
    await until(lambda: len(claude_codes(server)) == 2)
    return answer, claude_codes(server)


async def test_the_next_turn_and_the_next_session_need_no_new_process(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server(**KEPT)
    api = api_of(server)
    first, two = await _with_two(server, api)
    again = await api.run("$ echo well", resume=first["session_id"])
    assert (again["status"], again["message"]) == ("completed", "well")
    assert claude_codes(server) == two
    assert again["session_id"] == first["session_id"]
    assert [event.type for event in await api.events(again["task_id"])].count("complete") == 1


async def test_stopping_a_task_that_has_ended_leaves_its_session_ready(
    start_server: StartServer, api_of: ApiOf
) -> None:
    server = start_server(**KEPT)
    api = api_of(server)
    first, two = await _with_two(server, api)
    await api.stop(str(first["task_id"]))
    assert claude_codes(server) == two


def _killed(server: ServerProcess) -> None:
    server.kill()


def _ended(server: ServerProcess) -> None:
    server.signal(signal.SIGTERM)
    assert server.wait() == 0


# faults: I3 J1
@pytest.mark.parametrize("goes", [_killed, _ended])
async def test_a_server_that_goes_takes_them_along(
    goes: Callable[[ServerProcess], None], start_server: StartServer, api_of: ApiOf
) -> None:
    server = start_server(**KEPT)
    api = api_of(server)
    first, _ = await _with_two(server, api)
    goes(server)
    await until(lambda: not working_in(server.workspace), within_s=10)
    assert "Traceback" not in server.log

    api = api_of(server.start())
    again = await api.run("$ echo well", resume=first["session_id"])
    assert (again["status"], again["message"]) == ("completed", "well")


# faults: I3
async def test_a_start_ends_kept_processes_that_lost_their_supervisor(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server(**KEPT)
    api = api_of(server)
    await _with_two(server, api)
    everybody = [server.pid, *below(server.pid)]
    programs = claude_codes(server)
    for pid in everybody:
        kill(pid, signal.SIGSTOP)
    for pid in set(everybody) - programs:
        kill(pid)
    server.kill()
    server.start()
    assert programs.isdisjoint(working_in(server.workspace))


async def test_none_is_kept_where_the_operator_wants_none(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server(GLASSHOUSE_WARM_PROCESSES="0", GLASSHOUSE_TRUST="always")
    await api_of(server).run("hello")
    assert claude_codes(server) == set()
    assert working_in(Path(server.workspace)) == {server.pid: command_of(server.pid)}


# faults: I3 H5
async def test_cancelled_tasks_leave_neither_processes_nor_open_files(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server(**KEPT, GLASSHOUSE_RATE_LIMIT="0")
    api = api_of(server)
    counted = []
    for _ in range(10):
        session = (await api.run("hello"))["session_id"]
        for prompt in ("slowly 60", "$ setsid sleep 98765 & touch begun; wait"):
            task = await api.begin(prompt, resume=session)
            await api.stop(task["task_id"])
        counted.append(_open_files(server))
    await until(lambda: _open_files(server) <= counted[1] + 5)
    assert "sleep 98765" not in " ".join(working_in(server.workspace).values())
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    assert working_in(server.home) == {}


def _open_files(server: ServerProcess) -> int:
    return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))
