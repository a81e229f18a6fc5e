"""Ending a run ends all that it started, however it tried to leave, and nothing else."""

import asyncio
import sys

import pytest
from tests.unit.processes.support import ALL_WAYS, RUNAWAYS, Place, Start, said

from glasshouse.adapters.processes import SupervisedProcesses, proc, supervised
from glasshouse.core.ports import ProcessesRemain


async def test_whatever_a_run_started_is_gone(start: Start, place: Place, processes: SupervisedProcesses) -> None:
    # faults: I3
    process = await start(place.program(f"{ALL_WAYS}\nsleep 600"))
    assert sorted(await said(process, len(RUNAWAYS))) == sorted(RUNAWAYS)
    assert len(place.left()) > len(RUNAWAYS)
    await processes.end("run-1")
    assert place.left() == []
    await process.wait()


async def test_what_the_program_leaves_behind_is_gone_when_it_has_ended(start: Start, place: Place) -> None:
    # faults: I3
    process = await start(place.program(f"{ALL_WAYS}\nread word; exit 3"))
    await said(process, len(RUNAWAYS))
    assert process.stdin is not None
    process.stdin.close()
    assert await process.wait() == 3
    assert place.left() == []


async def test_a_chain_of_processes_that_fork_and_exit_is_ended(
    start: Start, place: Place, processes: SupervisedProcesses
) -> None:
    # faults: I3
    rolling = place.path / "rolling.py"
    rolling.write_text("import os\nprint('rolling', flush=True)\nwhile True:\n    if os.fork(): os._exit(0)\n")
    process = await start(place.program(f"{sys.executable} -IS {rolling} & exec sleep 600"))
    await said(process, 1)
    await processes.end("run-1")
    assert place.left() == []
    await process.wait()


async def test_many_processes_that_fork_on_are_ended(
    start: Start, place: Place, processes: SupervisedProcesses
) -> None:
    # faults: I3
    # At most 2 ** 8, each of which lives on.
    growing = "import os, time\nfor _ in range(8): os.fork()\nprint('grown', flush=True)\ntime.sleep(600)\n"
    (place.path / "growing.py").write_text(growing)
    process = await start(place.program(f"{sys.executable} -IS growing.py & exec sleep 600"))
    await said(process, 1)
    await processes.end("run-1")
    assert place.left() == []
    await process.wait()


async def test_an_innocent_process_beside_survives(start: Start, place: Place, processes: SupervisedProcesses) -> None:
    # faults: I3
    innocent = await asyncio.create_subprocess_exec("sleep", "600", cwd=place.path)
    process = await start(place.program("echo ready; exec sleep 600"))
    await said(process, 1)
    await processes.end("run-1")
    assert place.left() == [innocent.pid]
    await process.wait()
    innocent.kill()
    await innocent.wait()


async def test_only_the_run_that_is_named_ends(start: Start, place: Place, processes: SupervisedProcesses) -> None:
    first, second = [
        await start(place.program("echo ready; exec sleep 600"), run_id=run_id) for run_id in ("run-1", "run-11")
    ]
    await said(first, 1)
    await said(second, 1)
    await processes.end("run-1")
    await first.wait()
    assert second.returncode is None
    assert len(place.left()) == 2
    await processes.end("run-11")
    assert place.left() == []
    await second.wait()


async def test_a_run_of_another_data_directory_survives(
    start: Start, place: Place, processes: SupervisedProcesses, other_processes: SupervisedProcesses
) -> None:
    # faults: I3
    process = await start(place.program("echo ready; exec sleep 600"), by=other_processes)
    await said(process, 1)
    await processes.end("run-1")
    assert await processes.sweep() == 0
    assert len(place.left()) == 2
    assert await other_processes.sweep() == 2
    assert place.left() == []
    await process.wait()


async def test_ending_a_run_that_is_not_there_does_nothing(processes: SupervisedProcesses) -> None:
    await processes.end("run-1")


async def test_a_supervisor_that_is_stopped_is_ended_too(
    start: Start, place: Place, processes: SupervisedProcesses
) -> None:
    process = await start(place.program("echo ready; kill -STOP $PPID; exec sleep 600"))
    await said(process, 1)
    await processes.end("run-1")
    assert place.left() == []
    await process.wait()


async def test_what_cannot_be_ended_is_named(
    start: Start, place: Place, processes: SupervisedProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = await start(place.program("echo ready; exec sleep 600"))
    await said(process, 1)
    with monkeypatch.context() as patch:
        patch.setattr(proc, "kill", lambda process: None)
        patch.setattr(supervised, "_DEADLINE_S", 0.2)
        with pytest.raises(ProcessesRemain) as refusal:
            await processes.end("run-1")
    assert set(refusal.value.pids) == set(place.left())
    await processes.end("run-1")
    await process.wait()


_TREE = "sh -c 'echo child; sleep 600 & wait' &"


async def test_a_program_and_what_is_below_it_are_no_strays(
    start: Start, place: Place, processes: SupervisedProcesses
) -> None:
    process = await start(place.program(f"{_TREE} wait"))
    await said(process, 1)
    assert await processes.strays("run-1") == []
    await processes.end("run-1")
    assert await processes.strays("run-1") == []
    await process.wait()


@pytest.mark.parametrize("way", ["orphan", "orphan without environment"])
async def test_who_has_left_the_program_is_a_stray(
    start: Start, place: Place, processes: SupervisedProcesses, way: str
) -> None:
    # faults: I3
    process = await start(place.program(f"{_TREE}\n{RUNAWAYS[way]}\nwait"))
    await said(process, 2)
    async with asyncio.timeout(10):
        # Its parent is about to leave it.
        while not (strays := await processes.strays("run-1")):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    [stray] = strays
    assert stray in place.left()
    assert await processes.strays("run-2") == []
    await processes.end("run-1")
    await process.wait()
