"""The database's file: whole or refused, never silently empty."""

import asyncio
import os
import stat
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from glasshouse.adapters.store.sqlite import SqliteStore
from glasshouse.adapters.store.sqlite.file import APPLICATION_ID, DatabaseFile
from glasshouse.adapters.store.sqlite.schema import STEPS
from glasshouse.core.ports import Append, Entry, StoreUnusable

NEXT_STEP = "CREATE TABLE later (x)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "glasshouse.db"


def fill(path: Path, events: int = 100) -> None:
    async def run() -> None:
        store = SqliteStore(path)
        await store.open()
        await store.append(Append("s", [Entry("t", b"x" * 1000) for _ in range(events)]))
        await store.close()

    asyncio.run(run())


def crash(path: Path) -> None:
    """As a killed server leaves it: in use, with its newest commit in the write-ahead log only."""
    with closing(DatabaseFile(path).open()) as connection:
        connection.execute("INSERT INTO log VALUES ('newest', 7)")
        left = contents(path)
    for name, content in left.items():
        (path.parent / name).write_bytes(content)


def contents(path: Path) -> dict[str, bytes]:
    """Of all files but the index of the write-ahead log, which is made anew at each start."""
    return {part.name: part.read_bytes() for part in path.parent.iterdir() if not part.name.endswith("-shm")}


def refusal(path: Path) -> str:
    """What is said; and all is left as it was."""
    before = contents(path)
    with pytest.raises(StoreUnusable) as refused:
        DatabaseFile(path).open()
    after = contents(path)
    assert {name: after[name] for name in before} == before
    assert str(path) in str(refused.value)
    return str(refused.value)


async def test_only_the_owner_may_read_it_whatever_the_umask_is(path: Path) -> None:
    # faults: K1
    before = os.umask(0)
    try:
        store = SqliteStore(path)
        await store.open()
        await store.append(Append("s", [Entry("t", b"x")]))
        modes = {stat.S_IMODE(part.stat().st_mode) for part in path.parent.iterdir()}
        assert {part.suffix for part in path.parent.iterdir()} >= {".db", ".db-wal", ".db-shm"}
        await store.close()
    finally:
        os.umask(before)
    assert modes == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_clean_end_leaves_one_file(path: Path) -> None:
    fill(path)
    assert [part.name for part in path.parent.iterdir()] == [path.name]


def test_it_says_whose_it_is(path: Path) -> None:
    fill(path)
    with closing(apsw.Connection(str(path))) as connection:
        assert connection.pragma("application_id") == APPLICATION_ID
        assert connection.pragma("user_version") == len(STEPS)
        assert connection.pragma("journal_mode") == "wal"


def test_a_making_that_was_cut_short_is_made_anew(path: Path) -> None:
    path.parent.mkdir()
    Path(f"{path}.new").write_bytes(b"half")
    fill(path)
    assert [part.name for part in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("kept", [0, 10, 4096, -4096])
def test_a_truncated_file_is_refused(path: Path, kept: int) -> None:
    # faults: I6
    fill(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    refusal(path)


def test_a_file_truncated_after_a_crash_is_refused(path: Path) -> None:
    # faults: I6
    fill(path)
    crash(path)
    path.write_bytes(path.read_bytes()[:-4096])
    assert "damaged" in refusal(path)


def test_a_file_of_something_else_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"my dear diary\n" * 1000)
    assert "not a database" in refusal(path)


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    assert "not a database of Glasshouse" in refusal(path)


def test_a_newer_version_is_refused(path: Path) -> None:
    # faults: I6
    fill(path)
    with closing(DatabaseFile(path, (*STEPS, NEXT_STEP)).open()):
        pass
    Path(f"{path}-in-use").unlink()
    assert "newer Glasshouse" in refusal(path)


def test_a_lost_write_ahead_log_is_noticed(path: Path) -> None:
    # faults: I6
    fill(path)
    crash(path)
    Path(f"{path}-wal").unlink()
    assert "glasshouse.db-wal is missing" in refusal(path)


def test_a_lost_database_is_not_begun_anew_beside_its_write_ahead_log(path: Path) -> None:
    # faults: I6
    fill(path)
    crash(path)
    path.unlink()
    assert "is missing, but it was in use" in refusal(path)


def test_a_crash_alone_is_no_reason_to_refuse(path: Path) -> None:
    fill(path)
    crash(path)
    with closing(DatabaseFile(path).open()) as connection:
        assert dict(connection.execute("SELECT * FROM log")) == {"s": 100, "newest": 7}


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "glasshouse.db"
    with pytest.raises(StoreUnusable, match=str(path)):
        DatabaseFile(path).open()


def test_an_old_sqlite_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # faults: I6
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(StoreUnusable, match=r"3\.51\.2 is too old"):
        DatabaseFile(path).open()


def test_an_older_version_is_brought_forward_after_a_backup(path: Path) -> None:
    fill(path)
    file = DatabaseFile(path, (*STEPS, NEXT_STEP, "INSERT INTO later VALUES (5)"))
    with closing(file.open()) as connection:
        assert connection.pragma("user_version") == len(STEPS) + 2
        assert connection.execute("SELECT x FROM later").get == 5
        assert connection.execute("SELECT count(*) FROM event").get == 100
    backup = Path(f"{path}.version-{len(STEPS)}")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with closing(apsw.Connection(str(backup))) as connection:
        assert connection.pragma("user_version") == len(STEPS)
        assert connection.execute("SELECT count(*) FROM event").get == 100


def test_a_step_forward_that_fails_changes_nothing(path: Path) -> None:
    # faults: I2
    fill(path)
    with pytest.raises(StoreUnusable, match="cannot be used"):
        DatabaseFile(path, (*STEPS, f"{NEXT_STEP}; INSERT INTO nowhere VALUES (1)")).open()
    with closing(DatabaseFile(path).open()) as connection:
        assert connection.pragma("user_version") == len(STEPS)
        assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'later'").get == 0
