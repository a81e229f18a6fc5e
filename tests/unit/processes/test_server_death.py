"""When the server dies, its runs die with it, and before they can tell."""

import os
import signal
import subprocess
import threading

import pytest
from tests.unit.processes.support import ALL_WAYS, RUNAWAYS, Place, Server, said

from glasshouse.adapters.processes import SupervisedProcesses, proc, supervisor


async def test_after_the_server_alone_is_killed_nothing_of_its_runs_is_left(server: Server, place: Place) -> None:
    # faults: I3
    server.tell(f"start {place.program(f'{ALL_WAYS}{chr(10)}sleep 600')}")
    assert sorted(await said(server.process, len(RUNAWAYS))) == sorted(RUNAWAYS)
    await server.kill()
    assert place.is_empty_within(5)
    await server.process.wait()


@pytest.mark.parametrize(("way", "closed"), [("start", 0), ("bare", 5)])
async def test_a_program_does_not_see_its_input_end_when_the_server_is_killed(
    server: Server, place: Place, way: str, closed: int
) -> None:
    for _ in range(5):
        server.tell(f"{way} {place.program('echo ready; cat >/dev/null; touch $0.closed')}")
    assert await said(server.process, 5) == ["ready"] * 5
    await server.kill()
    assert place.is_empty_within(5)
    await server.process.wait()
    assert len(list(place.path.glob("*.closed"))) == closed


async def test_a_sweep_finds_what_was_left_by_a_server_that_was_killed_with_its_supervisors(
    server: Server, place: Place, processes: SupervisedProcesses
) -> None:
    # faults: I3
    server.tell(f"start {place.program('(setsid sleep 600 &); setsid sleep 600 & echo ready; exec sleep 600')}")
    await said(server.process, 1)
    running = proc.running()
    supervisors = [pid for pid in place.left() if running[pid].name == supervisor.NAME]
    assert len(supervisors) == 1
    server.process.send_signal(signal.SIGSTOP)
    for pid in supervisors:
        os.kill(pid, signal.SIGKILL)
    await server.kill()
    left = place.left()
    assert len(left) >= 2
    assert await processes.sweep() >= 2
    assert place.left() == []
    assert await processes.sweep() == 0
    await server.process.wait()


async def test_a_run_survives_the_thread_that_started_it(processes: SupervisedProcesses, place: Place) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def begin() -> None:
        environment = {**os.environ, **processes.environment("run-1", "/bin/cat")}
        pipe = subprocess.PIPE
        run = subprocess.Popen([processes.launcher], env=environment, cwd=place.path, stdin=pipe, stdout=pipe)
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write(b"ready\n")
        run.stdin.flush()
        assert run.stdout.readline() == b"ready\n"
        started.append(run)

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    with started[0] as run:
        assert run.communicate(b"still here\n", timeout=20)[0] == b"still here\n"
    assert run.returncode == 0
