"""Disks that fill up, and a write-ahead log that must not grow for ever."""

import asyncio
import resource
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from glasshouse.adapters.store.sqlite import SqliteStore, checkpoints
from glasshouse.core.ports import Append, Entry, StoreUnavailable, StoreUnusable

BODY = b"x" * 4_000
MEGABYTE = 1024 * 1024


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def append(store: SqliteStore, number: int, *, by_person: bool = False) -> int:
    return await store.append(Append("s", [Entry(f"task {number}", BODY)] * 10, by_person=by_person))


async def fill_up(store: SqliteStore) -> int:
    """The last acknowledged number, once the store has refused twice."""
    last = 0
    refusals = 0
    while refusals < 2:
        try:
            last = await append(store, last, by_person=refusals == 1)
        except StoreUnavailable:
            refusals += 1
    return last


async def check_recovery(store: SqliteStore, last: int) -> None:
    """Nothing half written, nothing given that was not acknowledged, and it goes on where it was."""
    assert last > 0
    assert (await store.bounds("s")).last == last
    assert await append(store, last) == last + 10
    frames = await store.read("s", after=0, limit=100_000)
    assert [frame.seq for frame in frames] == list(range(1, last + 11))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small disk takes root")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_full_disk_refuses_and_takes_again_when_there_is_room(small_disk: Path) -> None:
    # faults: I5
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * MEGABYTE)
    async with opened(small_disk / "glasshouse.db") as store:
        last = await fill_up(store)
        ballast.unlink()
        await check_recovery(store, last)
    async with opened(small_disk / "glasshouse.db") as store:
        assert (await store.bounds("s")).last == last + 10


async def test_a_write_that_fails_refuses_and_the_next_may_do(tmp_path: Path) -> None:
    # faults: I5
    async with opened(tmp_path / "glasshouse.db") as store:
        with files_no_larger_than(2 * MEGABYTE):
            last = await fill_up(store)
        await check_recovery(store, last)


async def test_a_read_only_disk_is_refused_by_name(small_disk: Path) -> None:
    # faults: I5, I6
    path = small_disk / "glasshouse.db"
    async with opened(path) as store:
        await append(store, 0)
    await asyncio.to_thread(subprocess.run, ["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreUnusable, match=str(path)):
        await SqliteStore(path).open()


def times_begun(wal: Path) -> int:
    """The counter in the log's header, one more each time that it starts from its front."""
    with wal.open("rb") as file:
        return int.from_bytes(file.read(16)[12:])


async def test_the_write_ahead_log_starts_anew_under_a_writer_that_never_rests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "EVERY", 50)
    monkeypatch.setattr(checkpoints, "LONG", 400)
    path = tmp_path / "glasshouse.db"
    wal = Path(f"{path}-wal")
    async with opened(path) as store:
        await append(store, 0)
        goal = times_begun(wal) + 5

        async def write() -> None:
            while times_begun(wal) < goal:
                await append(store, 0)

        async with asyncio.timeout(60):
            await asyncio.gather(*(write() for _ in range(20)))
