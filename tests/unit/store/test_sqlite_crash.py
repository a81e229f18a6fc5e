"""A writer that is killed at any moment: what it acknowledged is there, under its number."""

import random
import subprocess
import sys
from pathlib import Path

from glasshouse.adapters.store.sqlite.file import DatabaseFile

WRITER = """
import asyncio, os, sys
from pathlib import Path
from glasshouse.adapters.store.sqlite import SqliteStore
from glasshouse.core.ports import Append, Entry

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    await store.open()

    async def write(writer):
        number = 0
        while True:
            body = f"{os.getpid()}.{writer}.{number}".encode()
            last = await store.append(Append("s", [Entry("t", body), Entry("t", body)], by_person=number % 50 == 0))
            os.write(1, b"%d %s\\n" % (last, body))
            number += 1

    await asyncio.gather(*(write(writer) for writer in range(8)))

asyncio.run(main())
"""
KILLS = 6


def killed_after(path: Path, acknowledgements: int) -> dict[int, bytes]:
    """What the writer had said of itself when it was killed: number by number, what stands there."""
    told: list[bytes] = []
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            told.append(line)
            if len(told) == acknowledgements:
                writer.kill()
    whole = (line.split() for line in told if line.endswith(b"\n"))
    return {int(number): body for number, body in whole}


def test_every_acknowledged_event_survives_the_death_of_its_writer(tmp_path: Path) -> None:
    # faults: I1
    path = tmp_path / "glasshouse.db"
    moments = random.Random(7)
    acknowledged: dict[int, bytes] = {}
    for _ in range(KILLS):
        acknowledged |= killed_after(path, moments.randint(1, 3000))
        file = DatabaseFile(path)
        connection = file.open()
        kept = dict(connection.execute("SELECT seq, body FROM event"))
        last = connection.execute("SELECT last FROM log").get
        assert connection.execute("PRAGMA integrity_check").get == "ok"
        file.close(connection)
        assert sorted(kept) == list(range(1, last + 1))
        assert {number: kept.get(number) for number in acknowledged} == acknowledged
        assert all(kept[number] == kept[number + 1] for number in range(1, last, 2))
