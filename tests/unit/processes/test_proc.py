"""A process is known by its number and its start together."""

import asyncio
import dataclasses
import os
import signal
from asyncio.subprocess import PIPE
from pathlib import Path

from glasshouse.adapters.processes import proc


async def test_a_process_that_got_the_number_of_another_is_not_hit() -> None:
    # faults: I3
    child = await asyncio.create_subprocess_exec("sleep", "600")
    found = proc.process_of(child.pid)
    assert found is not None
    earlier = dataclasses.replace(found, started=found.started - 1)
    with proc.handle(earlier) as descriptor:
        assert descriptor is None
    proc.kill(earlier)
    assert proc.process_of(child.pid) == found
    proc.kill(found)
    assert await child.wait() == -signal.SIGKILL


def test_who_has_ended_and_was_not_waited_for_does_not_run() -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert child not in proc.running()
    os.waitpid(child, 0)


async def test_a_name_with_brackets_and_blanks_is_read(tmp_path: Path) -> None:
    script = tmp_path / ") S 1 (x) 2"
    script.write_text("#!/bin/sh\necho\nread x\n")
    script.chmod(0o700)
    child = await asyncio.create_subprocess_exec(script, stdin=PIPE, stdout=PIPE)
    assert child.stdout is not None
    await child.stdout.readline()
    found = proc.process_of(child.pid)
    assert found is not None
    assert (found.name, found.parent) == (script.name, os.getpid())
    await child.communicate(b"")
