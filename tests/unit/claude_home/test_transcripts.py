"""Which conversations there are, told from the transcripts that Claude Code leaves."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import pytest

from glasshouse.claude_home import ClaudeHome, Transcripts
from glasshouse.core.ports import KnownSession


class Homes:
    def __init__(self, root: Path) -> None:
        self.user = ClaudeHome.at(root / "claude")
        self.offline = ClaudeHome.at(root / "offline")
        self.sessions = Transcripts(home=self.user, offline_home=self.offline)
        self._written = 0

    def write(
        self,
        working_dir: str,
        *,
        offline: bool = False,
        folder: str | None = None,
        name: str | None = None,
        lines: Sequence[object] | None = None,
    ) -> str:
        session_id = str(uuid4())
        home = self.offline if offline else self.user
        directory = home.transcripts_dir / (folder or working_dir.replace("/", "-"))
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{name or session_id}.jsonl"
        path.write_text("".join(_line(line) for line in ([message(working_dir)] if lines is None else lines)))
        self._written += 1
        os.utime(path, (self._written, self._written))
        return session_id


def message(working_dir: str, **more: object) -> dict[str, object]:
    return {"type": "user", "isSidechain": False, "cwd": working_dir, "message": {"role": "user"}, **more}


def _line(line: object) -> str:
    return (line if isinstance(line, str) else json.dumps(line)) + "\n"


@pytest.fixture
def homes(tmp_path: Path) -> Homes:
    return Homes(tmp_path)


async def test_a_session_is_found_by_its_id_with_its_directory(homes: Homes) -> None:
    session = homes.write("/work/a")

    assert await homes.sessions.find(session) == KnownSession(session, "/work/a", offline=False)


async def test_a_demo_session_is_known_as_one(homes: Homes) -> None:
    session = homes.write("/work/a", offline=True)

    assert await homes.sessions.find(session) == KnownSession(session, "/work/a", offline=True)


async def test_the_newest_is_the_one_in_which_somebody_spoke_last(homes: Homes) -> None:
    """A process that leaves long after writes down what it has cost."""
    cost = {"type": "cost-state", "totalCostUSD": 1}
    newest = homes.write("/work/a", lines=[message("/work/a", timestamp="2026-01-02T00:00:00.000Z")])
    homes.write("/work/a", lines=[message("/work/a", timestamp="2026-01-01T00:00:00.000Z"), cost])
    for path in homes.user.transcripts_dir.glob("*/*.jsonl"):
        left = 1.8e9 if path.stem == newest else 1.9e9
        os.utime(path, (left, left))

    found = await homes.sessions.newest("/work/a", offline=False)
    assert found is not None and found.session_id == newest


async def test_the_newest_is_the_one_last_written_to(homes: Homes) -> None:
    homes.write("/work/a")
    newest = homes.write("/work/a")
    homes.write("/work/b")

    found = await homes.sessions.newest("/work/a", offline=False)
    assert found is not None and found.session_id == newest


async def test_demo_sessions_and_real_ones_are_never_mixed(homes: Homes) -> None:
    real = homes.write("/work/a")
    homes.write("/work/a", offline=True)

    found = await homes.sessions.newest("/work/a", offline=False)
    assert found is not None and found.session_id == real
    assert await homes.sessions.newest("/work/b", offline=True) is None


async def test_two_directories_that_share_a_folder_are_told_apart(homes: Homes) -> None:
    one = homes.write("/a/b-c", folder="-a-b-c")
    other = homes.write("/a/b/c", folder="-a-b-c")

    for directory, session in (("/a/b-c", one), ("/a/b/c", other)):
        found = await homes.sessions.newest(directory, offline=False)
        assert found == KnownSession(session, directory, offline=False)


@pytest.mark.parametrize(
    ("directory", "folder"),
    [
        ("/w/项目", "-w---"),
        ("/w/🐟", "-w---"),
        ("/w/a.b_c", "-w-a-b-c"),
        ("/w/" + "x" * 300, "-w-" + "x" * 197 + "-k3j2h1"),
    ],
)
async def test_folders_of_unusual_directories_are_found(homes: Homes, directory: str, folder: str) -> None:
    session = homes.write(directory, folder=folder)

    found = await homes.sessions.newest(directory, offline=False)
    assert found is not None and found.session_id == session


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([], id="empty"),
        pytest.param([{"type": "queue-operation"}, {"type": "summary", "cwd": "/work/a"}], id="no message"),
        pytest.param([message("/work/a", isSidechain=True)], id="a side chain"),
        pytest.param([message("/work/a", isMeta=True)], id="only about itself"),
        pytest.param(["{", "[]", "\0\0\0", '"text"'], id="damaged"),
    ],
)
async def test_a_file_without_a_real_message_is_no_session(homes: Homes, lines: list[object]) -> None:
    session = homes.write("/work/a", lines=lines)

    assert await homes.sessions.find(session) is None
    assert await homes.sessions.newest("/work/a", offline=False) is None


async def test_damaged_lines_do_not_hide_a_session(homes: Homes) -> None:
    # faults: E1 E2
    lines = ["\0" * 300, '{"type": "user", "cwd"', "", "[" * 100_000, message("/work/a", text="\ud800", number=10**400)]
    session = homes.write("/work/a", lines=lines)

    assert await homes.sessions.find(session) is not None


async def test_the_directory_is_the_one_that_the_session_began_in(homes: Homes) -> None:
    session = homes.write("/work/a", lines=[message("/work/a"), message("/work/b")])

    assert await homes.sessions.newest("/work/b", offline=False) is None
    found = await homes.sessions.find(session)
    assert found is not None and found.working_dir == "/work/a"


async def test_files_of_sub_agents_are_no_sessions(homes: Homes) -> None:
    homes.write("/work/a", name="agent-1234")

    assert await homes.sessions.newest("/work/a", offline=False) is None


@pytest.mark.parametrize("session_id", ["../../x", "..", "", "agent-1", "A" * 36, "/etc/passwd"])
async def test_what_is_no_session_id_is_not_looked_for(homes: Homes, session_id: str) -> None:
    # faults: E5
    homes.write("/work/a")

    assert await homes.sessions.find(session_id) is None


async def test_links_that_lead_out_are_passed_over(homes: Homes, tmp_path: Path) -> None:
    # faults: E5
    session = str(uuid4())
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / f"{session}.jsonl").write_text(_line(message("/work/a")))
    homes.write("/work/a")
    folder = homes.user.transcripts_dir / "-work-a"
    (folder / f"{session}.jsonl").symlink_to(outside / f"{session}.jsonl")
    (homes.user.transcripts_dir / "-work-linked").symlink_to(outside)

    assert await homes.sessions.find(session) is None
    assert await homes.sessions.newest("/work/linked", offline=False) is None


async def test_a_pipe_in_the_place_of_a_transcript_does_not_block(homes: Homes) -> None:
    homes.write("/work/a")
    session = str(uuid4())
    os.mkfifo(homes.user.transcripts_dir / "-work-a" / f"{session}.jsonl")

    assert await homes.sessions.find(session) is None


async def test_no_home_means_no_sessions(tmp_path: Path) -> None:
    nowhere = ClaudeHome.at(tmp_path / "nowhere")
    sessions = Transcripts(home=nowhere, offline_home=nowhere)

    assert await sessions.find(str(uuid4())) is None
    assert await sessions.newest("/work/a", offline=False) is None
