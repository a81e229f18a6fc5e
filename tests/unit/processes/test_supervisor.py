"""What a program sees of the supervisor that starts it: nothing."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from contextlib import suppress

import pytest
from tests.unit.processes.support import IDENTITY, Place, Start, said

from glasshouse.adapters.processes import SupervisedProcesses


async def _output(process: Process, data: bytes = b"") -> tuple[bytes, bytes]:
    async with asyncio.timeout(30):
        return await process.communicate(data)


async def test_the_exit_code_of_the_program_is_passed_on(start: Start, place: Place) -> None:
    process = await start(place.program("exit 37"))
    assert await process.wait() == 37


async def test_a_program_that_dies_by_a_signal_is_seen_to_die_by_it(start: Start, place: Place) -> None:
    process = await start(place.program("kill -SEGV $$"))
    assert await process.wait() == -signal.SIGSEGV
    assert not list(place.path.glob("core*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_reaches_the_program_and_not_its_children(
    start: Start, place: Place, number: signal.Signals
) -> None:
    child = "sh -c 'trap \"echo child was hit\" TERM INT HUP; echo child; sleep 600 & wait' &"
    answer = f"trap 'echo told; exit 5' {number.name.removeprefix('SIG')}"
    process = await start(place.program(f"{child}\n{answer}\necho ready\nwhile :; do wait; done"))
    assert sorted(await said(process, 2)) == ["child", "ready"]
    process.send_signal(number)
    assert await said(process, 1) == ["told"]
    assert await process.wait() == 5


async def test_a_signal_that_the_program_does_not_expect_ends_it(start: Start, place: Place) -> None:
    process = await start(place.program("echo ready; exec sleep 600"))
    await said(process, 1)
    process.terminate()
    assert await process.wait() == -signal.SIGTERM


async def test_a_program_that_signals_its_process_group_does_not_hit_the_supervisor(start: Start, place: Place) -> None:
    process = await start(place.program("env -i setsid sleep 600 & kill -KILL 0"))
    assert await process.wait() == -signal.SIGKILL
    assert place.left() == []


async def test_a_megabyte_passes_both_ways(start: Start) -> None:
    data = os.urandom(1 << 20)
    process = await start("/bin/cat")
    output, errors = await _output(process, data)
    assert output == data
    assert errors == b""


async def test_standard_error_is_the_programs_own(start: Start, place: Place) -> None:
    process = await start(place.program("echo out; echo err >&2"))
    assert await _output(process) == (b"out\n", b"err\n")


async def test_the_end_of_the_input_is_seen_while_the_server_lives(start: Start, place: Place) -> None:
    process = await start(place.program("cat >/dev/null; echo closed"))
    assert await _output(process, b"last words") == (b"closed\n", b"")


async def test_a_program_that_closes_its_output_and_lives_is_seen_to_do_so(
    start: Start, place: Place, processes: SupervisedProcesses
) -> None:
    process = await start(place.program("exec >/dev/null 2>&1; exec sleep 600"))
    assert process.stdout is not None
    async with asyncio.timeout(20):
        assert await process.stdout.read() == b""
    assert process.returncode is None
    await processes.end("run-1")


async def test_a_program_that_closes_its_input_and_lives_breaks_the_servers_pipe(
    start: Start, place: Place, processes: SupervisedProcesses
) -> None:
    process = await start(place.program("exec <&-; echo shut; exec sleep 600"))
    await said(process, 1)
    assert process.stdin is not None
    async with asyncio.timeout(20):
        while not process.stdin.is_closing():
            process.stdin.write(b"x" * 65536)
            with suppress(BrokenPipeError, ConnectionResetError):
                await process.stdin.drain()
            await asyncio.sleep(0)
    await processes.end("run-1")


async def test_arguments_arrive_as_they_are(start: Start) -> None:
    given = ["--version", "", "a b", "'\"$(touch canary)`\\", "ü\n", "-c"]
    show = "import os, sys; sys.stdout.buffer.write(b'|'.join(map(os.fsencode, sys.argv[1:])))"
    output, _ = await _output(await start(sys.executable, "-c", show, *given))
    assert output == "|".join(given).encode()


async def test_the_environment_is_as_given_but_for_what_the_launcher_needed(
    start: Start, processes: SupervisedProcesses
) -> None:
    more = {"odd.name": "kept", "LC_ALL": "C"}
    process = await start("/usr/bin/env", "-0", environment=more)
    output, _ = await _output(process)
    seen = dict(entry.split("=", 1) for entry in output.decode().rstrip("\0").split("\0"))
    assert seen == {**os.environ, **more, f"GLASSHOUSE_RUN_{IDENTITY}": "run-1"}


async def test_the_program_has_no_descriptors_but_three_and_no_blocked_signal(start: Start) -> None:
    show = "import os, signal; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1], signal.pthread_sigmask(0, ()))"
    output, _ = await _output(await start(sys.executable, "-IS", "-c", show))
    assert output == b"[0, 1, 2] set()\n"


async def test_a_program_that_cannot_be_started_says_so(start: Start, place: Place) -> None:
    process = await start(str(place.path / "missing"))
    _, errors = await _output(process)
    assert process.returncode == 127
    assert b"cannot start" in errors
    assert b"No such file" in errors


async def test_the_launcher_without_a_server_says_whose_it_is(processes: SupervisedProcesses) -> None:
    process = await asyncio.create_subprocess_exec(processes.launcher, stderr=asyncio.subprocess.PIPE)
    _, errors = await process.communicate()
    assert process.returncode == 1
    assert b"only a Glasshouse server" in errors


async def test_nothing_is_started_for_a_server_that_died_meanwhile(start: Start, place: Place) -> None:
    process = await start(place.program("echo started"), environment={"GLASSHOUSE_RUN_SERVER": "1"})
    assert await _output(process) == (b"", b"glasshouse: the server is gone\n")
    assert process.returncode == 1
