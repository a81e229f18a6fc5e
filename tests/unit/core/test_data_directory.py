"""A server's own place on disk: private whatever the umask, locked, with a key and codes of its own."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from glasshouse.adapters.data_directory import (
    CODE_LIFETIME_S,
    DataDirectory,
    DataDirectoryInUse,
    DataDirectoryUnusable,
)


@pytest.fixture
def data(tmp_path: Path) -> DataDirectory:
    data = DataDirectory(tmp_path / "data")
    data.prepare()
    return data


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


# faults: K1
class TestPrivacy:
    @pytest.mark.usefixtures("open_umask")
    def test_all_of_it_is_the_users_alone(self, tmp_path: Path) -> None:
        data = DataDirectory(tmp_path / "share" / "glasshouse")
        data.prepare()
        data.lock()
        data.identity()
        data.api_key()
        data.new_code()
        data.announce({"url": "http://127.0.0.1:8000"})

        for path in (data.path, *data.path.rglob("*")):
            expected = 0o700 if path.is_dir() else 0o600
            assert stat.S_IMODE(path.stat().st_mode) == expected, path

    def test_what_was_too_open_is_shut_again(self, data: DataDirectory) -> None:
        data.api_key()
        data.path.chmod(0o755)
        (data.path / "api-key").chmod(0o644)

        data.prepare()
        data.api_key()

        assert stat.S_IMODE(data.path.stat().st_mode) == 0o700
        assert stat.S_IMODE((data.path / "api-key").stat().st_mode) == 0o600

    def test_every_installation_has_a_key_of_its_own(self, tmp_path: Path) -> None:
        keys = set()
        for name in "ab":
            data = DataDirectory(tmp_path / name)
            data.prepare()
            keys.add(data.api_key())

        assert len(keys) == 2
        assert all(len(key) >= 32 for key in keys)

    def test_a_key_stays_the_same(self, data: DataDirectory) -> None:
        assert data.api_key() == data.api_key() == DataDirectory(data.path).api_key()
        assert data.identity() == DataDirectory(data.path).identity()

    def test_an_empty_key_file_is_no_key(self, data: DataDirectory) -> None:
        (data.path / "api-key").write_text("\n")

        assert len(data.api_key()) >= 32


class TestLock:
    def test_a_second_server_is_refused(self, data: DataDirectory) -> None:
        data.lock()

        with pytest.raises(DataDirectoryInUse, match="another Glasshouse works on"):
            DataDirectory(data.path).lock()

    def test_an_address_counts_only_while_a_server_is_at_home(self, data: DataDirectory) -> None:
        data.announce({"url": "http://127.0.0.1:8000"})
        assert DataDirectory(data.path).announced() is None

        data.lock()
        assert DataDirectory(data.path).announced() == {"url": "http://127.0.0.1:8000"}
        data.withdraw()
        assert DataDirectory(data.path).announced() is None

    def test_asking_for_the_address_takes_no_lock(self, data: DataDirectory) -> None:
        DataDirectory(data.path).announced()

        data.lock()

    def test_nobody_is_at_home_where_nothing_is(self, tmp_path: Path) -> None:
        assert DataDirectory(tmp_path / "none").announced() is None


class TestUnusable:
    def test_a_file_in_its_place_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "data").write_text("")

        with pytest.raises(DataDirectoryUnusable, match="GLASSHOUSE_DATA_DIR"):
            DataDirectory(tmp_path / "data").prepare()

    def test_a_file_where_a_directory_should_be_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "codes").write_text("")

        with pytest.raises(DataDirectoryUnusable, match="cannot be used"):
            DataDirectory(tmp_path / "data").prepare()

    def test_a_lock_that_cannot_be_opened_is_said(self, data: DataDirectory) -> None:
        (data.path / "lock").mkdir()

        with pytest.raises(DataDirectoryUnusable, match="cannot be used"):
            data.lock()

    @pytest.mark.parametrize("name", ["api-key", "id"])
    def test_a_file_that_is_no_text_is_said(self, data: DataDirectory, name: str) -> None:
        (data.path / name).write_bytes(b"\xff\xfe")

        with pytest.raises(DataDirectoryUnusable, match=name):
            data.api_key() if name == "api-key" else data.identity()


class TestCodes:
    def test_a_code_is_good_once(self, data: DataDirectory) -> None:
        code = data.new_code()

        assert data.spend_code(code)
        assert not data.spend_code(code)

    def test_a_code_made_by_another_process_is_good(self, data: DataDirectory) -> None:
        assert data.spend_code(DataDirectory(data.path).new_code())

    def test_two_at_once_spend_it_once(self, data: DataDirectory) -> None:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(50):
                code = data.new_code()
                assert sum(pool.map(data.spend_code, [code] * 8)) == 1

    @pytest.mark.parametrize(("age", "good"), [(0, True), (CODE_LIFETIME_S - 5, True), (CODE_LIFETIME_S + 5, False)])
    def test_it_is_good_for_ten_minutes(self, data: DataDirectory, age: int, good: bool) -> None:
        code = data.new_code()
        [path] = (data.path / "codes").iterdir()
        made_at = path.stat().st_mtime - age
        os.utime(path, (made_at, made_at))

        assert data.spend_code(code) is good

    def test_old_ones_are_cleared_away(self, data: DataDirectory) -> None:
        data.new_code()
        [path] = (data.path / "codes").iterdir()
        os.utime(path, (0, 0))

        data.new_code()

        assert not path.exists()

    def test_many_links_made_and_spent_at_once_do_not_hinder_each_other(self, data: DataDirectory) -> None:
        def make_and_spend(_: int) -> bool:
            return data.spend_code(data.new_code())

        with ThreadPoolExecutor(16) as pool:
            assert all(pool.map(make_and_spend, range(300)))

    def test_a_code_is_not_written_down(self, data: DataDirectory) -> None:
        code = data.new_code()

        for path in data.path.rglob("*"):
            assert code not in path.name
            assert path.is_dir() or code not in path.read_text()
