"""A server that runs as a task of another one: each ends its own, the outer one all that is below it."""

from tests.unit.processes.support import IDENTITY, OTHER_IDENTITY, Place, StartServer, said

from glasshouse.adapters.processes import SupervisedProcesses


async def test_an_inner_server_ends_its_own_runs_and_the_outer_one_all(
    start_server: StartServer, place: Place, processes: SupervisedProcesses
) -> None:
    inner = await start_server(identity=OTHER_IDENTITY, below=processes)
    inner.tell(f"start {place.program('echo ready; exec sleep 600')}")
    await said(inner.process, 1)
    everything = len(place.left())
    inner.tell("end")
    assert await said(inner.process, 1) == ["ended"]
    assert len(place.left()) == everything - 2
    assert inner.process.returncode is None
    inner.tell(f"start {place.program('echo ready; exec sleep 600')}")
    await said(inner.process, 1)
    await processes.end("run-1")
    assert place.left() == []
    await inner.process.wait()


async def test_an_inner_server_spares_itself_and_what_it_is_below(
    start_server: StartServer, place: Place, processes: SupervisedProcesses
) -> None:
    inner = await start_server(identity=IDENTITY, below=processes)
    inner.tell("sweep")
    assert await said(inner.process, 1) == ["swept 0"]
    inner.tell("end")
    assert await said(inner.process, 1) == ["ended"]
    assert len(place.left()) == 2
    await processes.end("run-1")
    assert place.left() == []
    await inner.process.wait()
