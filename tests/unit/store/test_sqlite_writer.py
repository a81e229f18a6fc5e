"""The one writer: what waits is one commit, and what fails takes nothing else with it."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import pytest

from glasshouse.adapters.store.sqlite.file import DatabaseFile
from glasshouse.adapters.store.sqlite.writer import Job, Statement, Writer
from glasshouse.core.ports import Append, Blob, Entry, StoreUnavailable, TaskIs, TaskMoved


class Recorder:
    """Takes the writer's reports, and what SQLite had been told of the disk at each."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.batches: list[list[Job]] = []
        self.synchronous: list[int] = []

    def __call__(self, jobs: Sequence[Job]) -> None:
        self.batches.append(list(jobs))
        self.synchronous.append(self.connection.pragma("synchronous"))


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = DatabaseFile(tmp_path / "glasshouse.db").open()
    yield connection
    connection.close()


def appending(text: str, **rest: object) -> Append:
    return Append("s", (Entry("t", text.encode()),), **rest)  # type: ignore[arg-type]


async def written(connection: apsw.Connection, *steps: Append | Statement) -> tuple[Writer, Recorder, list[Job]]:
    """All of them waiting when the writer starts."""
    recorder = Recorder(connection)
    writer = Writer(connection, recorder, lambda: None)
    jobs = [Job(step, asyncio.get_running_loop().create_future()) for step in steps]
    for job in jobs:
        writer.put(job)
    writer.start()
    await asyncio.to_thread(writer.stop)
    return writer, recorder, jobs


def log(connection: apsw.Connection) -> list[tuple[int, bytes]]:
    return list(connection.execute("SELECT seq, body FROM event ORDER BY seq"))


async def test_all_that_waits_is_one_commit_and_one_report(connection: apsw.Connection) -> None:
    writer, recorder, jobs = await written(connection, *(appending(str(number)) for number in range(500)))
    assert writer.commits == 1
    assert recorder.batches == [jobs]
    assert [job.taken and job.taken.last for job in jobs] == list(range(1, 501))
    assert log(connection) == [(number + 1, str(number).encode()) for number in range(500)]


async def test_an_act_of_a_person_takes_its_whole_commit_to_the_disk(connection: apsw.Connection) -> None:
    normal, full = 1, 2
    for steps, level in (
        ([appending("a"), appending("b")], normal),
        ([appending("a"), appending("b", by_person=True)], full),
        ([appending("c")], normal),
        ([appending("d", by_person=True)], full),
        ([Statement("DELETE FROM sign_in WHERE token_hash = ?", ("one",))], full),
        ([appending("e")], normal),
    ):
        _, recorder, _ = await written(connection, *steps)
        assert recorder.synchronous == [level]


async def test_one_writer_goes_back_and_forth_between_the_levels(connection: apsw.Connection) -> None:
    recorder = Recorder(connection)
    reported = asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()

    def report(jobs: Sequence[Job]) -> None:
        recorder(jobs)
        loop.call_soon_threadsafe(reported.release)

    writer = Writer(connection, report, lambda: None)
    writer.start()
    for by_person in (True, False, True, False):
        writer.put(Job(appending("x", by_person=by_person), loop.create_future()))
        await reported.acquire()
    await asyncio.to_thread(writer.stop)
    assert recorder.synchronous == [2, 1, 2, 1]


async def test_numbers_are_not_given_twice_after_their_events_are_removed(connection: apsw.Connection) -> None:
    await written(connection, appending("a"), appending("b"))
    connection.execute("DELETE FROM event")
    _, _, jobs = await written(connection, appending("c"))
    assert jobs[0].taken is not None
    assert log(connection) == [(3, b"c")]


async def test_a_step_that_cannot_be_written_fails_alone(connection: apsw.Connection) -> None:
    poison = Append("s\ud800", (Entry("t", b"x"),))
    _, recorder, jobs = await written(connection, appending("a"), poison, appending("b"))
    assert [job.problem is None for job in jobs] == [True, False, True]
    assert isinstance(jobs[1].problem, UnicodeEncodeError)
    assert jobs[1].taken is None
    assert recorder.batches == [jobs]
    assert log(connection) == [(1, b"a"), (2, b"b")]


async def test_a_refusal_costs_no_second_commit(connection: apsw.Connection) -> None:
    refused = appending("no", expect=(TaskIs("t", frozenset(), 0),))
    writer, _, jobs = await written(connection, appending("a"), refused, appending("b"))
    assert writer.commits == 1
    assert isinstance(jobs[1].problem, TaskMoved)
    assert log(connection) == [(1, b"a"), (2, b"b")]


async def test_what_does_not_fit_on_the_disk_fails_whole_and_what_fits_goes_on(connection: apsw.Connection) -> None:
    # faults: I5
    connection.pragma("max_page_count", connection.pragma("page_count") + 8)
    large = Append("s", (Entry("t", b"large", blobs=(Blob("hash", b"x" * 100_000),)),))
    _, _, jobs = await written(connection, appending("a"), large, appending("b"))
    assert isinstance(jobs[1].problem, StoreUnavailable)
    assert [job.problem for job in (jobs[0], jobs[2])] == [None, None]
    assert log(connection) == [(1, b"a"), (2, b"b")]
    connection.pragma("max_page_count", 1_000_000)
    _, _, jobs = await written(connection, large)
    assert jobs[0].problem is None
    assert log(connection)[-1] == (3, b"large")


async def test_a_blob_is_stored_once_and_known_by_each_session_that_uses_it(connection: apsw.Connection) -> None:
    blob = Blob("hash", b"content")
    steps = (Append(session, (Entry("t", b"x", blobs=(blob,)),)) for session in ("one", "one", "other"))
    await written(connection, *steps)
    assert connection.execute("SELECT count(*) FROM blob").get == 1
    assert list(connection.execute("SELECT session_id FROM blob_use ORDER BY 1")) == [("one",), ("other",)]
