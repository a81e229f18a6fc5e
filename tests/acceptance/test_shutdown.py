"""The server is told to end: quickly, with code 0, with everything let go, and with every task's state kept."""

import asyncio
import signal
from contextlib import AsyncExitStack

import pytest
from tests.acceptance.conftest import ApiOf, StartServer
from tests.acceptance.support.processes import below, command_of, kill, until, working_in
from tests.acceptance.support.stubborn import STUBBORN, begun
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from glasshouse.testing.server_process import ServerProcess

ENDS_WITHIN_S = 10.0
READERS = 20


# faults: J1
async def test_an_end_lets_every_reader_and_every_process_go(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    task = await api.begin(STUBBORN)
    await begun(server.workspace)
    async with AsyncExitStack() as readers:
        streams = [await readers.enter_async_context(api.follow(task["task_id"])) for _ in range(READERS)]
        sockets = [await readers.enter_async_context(_socket(server)) for _ in range(READERS)]
        for stream in streams:
            await stream.first("tool_use")
        for socket in sockets:
            await socket.send('{"op": "subscribe", "session_id": "*"}')
            await socket.recv()
        server.signal(signal.SIGTERM)
        async with asyncio.timeout(ENDS_WITHIN_S):
            ended, codes, seen = await asyncio.gather(
                asyncio.to_thread(server.wait),
                asyncio.gather(*(_close_code(socket) for socket in sockets)),
                asyncio.gather(*(stream.rest() for stream in streams)),
            )
    assert ended == 0
    assert codes == [1012] * READERS
    assert all(events == seen[0] for events in seen)
    assert "complete" not in {event.type for event in seen[0]}
    assert working_in(server.home) == {}
    assert "Traceback" not in server.log

    api = api_of(server.start())
    events = await api.events(task["task_id"])
    assert events[: len(seen[0])] == seen[0]
    assert events[-1].metadata["status"] == "interrupted"
    assert [event.type for event in events].count("complete") == 1
    assert (api.directory / "ledger").read_text() == "ran\n"


# faults: J2
@pytest.mark.parametrize(
    "signals",
    [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGINT), (signal.SIGHUP,)],
    ids=["twice-TERM", "twice-INT", "HUP"],
)
async def test_an_impatient_end_is_a_clean_one(
    signals: tuple[signal.Signals, ...], start_server: StartServer, api_of: ApiOf
) -> None:
    server = start_server()
    task = await api_of(server).begin(STUBBORN)
    await begun(server.workspace)
    for number in signals:
        server.signal(number)
    async with asyncio.timeout(ENDS_WITHIN_S):
        assert await asyncio.to_thread(server.wait) == 0
    assert "Traceback" not in server.log
    await until(lambda: not working_in(server.home), within_s=5)
    state = await api_of(server.start()).state(task["task_id"])
    assert state["status"] == "interrupted"


# faults: J3
async def test_while_it_ends_it_takes_nothing_new(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    await api.begin(STUBBORN)
    await begun(server.workspace)
    # A Claude Code that does not answer makes the end take long enough to look at it.
    for pid in below(server.pid):
        if "--output-format" in command_of(pid) and "launcher" not in command_of(pid):
            kill(pid, signal.SIGSTOP)
    server.signal(signal.SIGTERM)
    while (ready := await api.http.get("/ready")).status_code == 200:
        pass
    refused = await api.post("hello")
    assert (ready.status_code, refused.status_code) == (503, 503)
    assert refused.json()["error"] == "unavailable"
    assert int(refused.headers["retry-after"]) > 0
    async with asyncio.timeout(ENDS_WITHIN_S):
        assert await asyncio.to_thread(server.wait) == 0
    assert working_in(server.home) == {}


# faults: J4
async def test_a_server_that_slept_goes_on(start_server: StartServer, api_of: ApiOf) -> None:
    server = start_server()
    api = api_of(server)
    async with api.stream("$ touch begun; until [ -e go ]; do sleep 0.05; done; echo ran >> ledger") as stream:
        await until((api.directory / "begun").exists)
        server.signal(signal.SIGSTOP)
        (api.directory / "go").touch()
        await until((api.directory / "ledger").exists)
        server.signal(signal.SIGCONT)
        events = await stream.rest()
    assert events[-1].metadata["status"] == "completed"
    assert (api.directory / "ledger").read_text() == "ran\n"


def _socket(server: ServerProcess) -> connect:
    address = server.url.replace("http://", "ws://") + "/api/events/ws"
    return connect(address, additional_headers=server.headers, proxy=None)


async def _close_code(socket: ClientConnection) -> int | None:
    try:
        while True:
            await socket.recv()
    except ConnectionClosed:
        return socket.close_code
