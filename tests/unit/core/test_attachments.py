"""Files that come with a prompt: under safe names, kept before their task, gone with their session."""

import asyncio
import base64
import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.support.bench import Bench, opened

from glasshouse.adapters.attachments import AttachmentFolders
from glasshouse.contract.errors import SessionBusy, TaskConflict
from glasshouse.contract.ids import new_id
from glasshouse.core.attachments import folder_of, safe_names, sweep
from glasshouse.core.ports import AttachedFile, StoreUnavailable
from glasshouse.testing.memory_store import MemoryStore
from glasshouse.testing.scripted_engine import Gate, ScriptedEngine, waits_at


def file(name: str, content: bytes = b"hello", media_type: str = "text/plain") -> dict[str, Any]:
    return {"name": name, "media_type": media_type, "data": base64.b64encode(content).decode()}


def content(kept: AttachedFile) -> bytes:
    return Path(kept.path).read_bytes()


# faults: B6 B10
@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("notes.txt", "notes.txt"),
        ("文档 一.md", "文档 一.md"),
        ("../../etc/passwd", "passwd"),
        ("a/b", "b"),
        ("C:\\dir\\c.txt", "c.txt"),
        ("a\0b.txt", "ab.txt"),
        (".", "attachment"),
        ("..", "attachment"),
        ("/", "attachment"),
        ("   ", "attachment"),
        (".bashrc", "bashrc"),
        ("-rf", "rf"),
        ("~root", "root"),
        ('x\r\nSet-Cookie: a"b', "xSet-Cookie_ a_b"),
        ("\u202egpj.exe", "gpj.exe"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("$(touch x) `y`; *", "_(touch x) _y__ _"),
        ("e\u0301.txt", "\u00e9.txt"),
        ("x" * 255, "x" * 120),
        ("长" * 200 + ".png", "长" * 40 + ".png"),
    ],
)
def test_a_name_is_made_safe(name: str, safe: str) -> None:
    assert safe_names([name]) == [safe]
    assert len(safe.encode()) < 255


def test_no_two_files_have_one_name_on_any_file_system() -> None:
    assert safe_names(["a.txt", "x/a.txt", "A.TXT", "a (2).txt"]) == [
        "a.txt",
        "a (2).txt",
        "A (3).TXT",
        "a (2) (2).txt",
    ]


async def test_the_engine_is_told_where_they_are_and_the_first_event_what_they_are(running: Bench) -> None:
    task = await running.do(attachments=[file("../a.txt", b"one"), file("a.txt", b"two", "text/x-other")])

    one, two = running.engine.told[0].attachments
    assert [content(each) for each in (one, two)] == [b"one", b"two"]
    assert (one.name, two.name) == ("a.txt", "a (2).txt")
    assert Path(one.path).is_relative_to(running.engine.told[0].readable[0])
    assert not Path(one.path).is_relative_to(running.work)
    first, *_ = await running.events(task)
    assert first["metadata"]["attachments"] == [
        {"name": "../a.txt", "media_type": "text/plain", "size": 3, "sha256": hashlib.sha256(b"one").hexdigest()},
        {"name": "a.txt", "media_type": "text/x-other", "size": 3, "sha256": hashlib.sha256(b"two").hexdigest()},
    ]
    for told in (first["metadata"], task.request):
        assert base64.b64encode(b"one").decode() not in str(told)


async def test_only_their_user_can_read_them(bench: Bench) -> None:
    previous = os.umask(0)
    try:
        await bench.admit(attachments=[file("a.txt")])
    finally:
        os.umask(previous)
    for path in (bench.root / "attachments").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


async def test_the_same_task_has_the_same_files(bench: Bench) -> None:
    task_id = new_id()
    first = await bench.admit(task_id=task_id, attachments=[file("a.txt")])

    assert (await bench.admit(task_id=task_id, attachments=[file("a.txt")])).session_id == first.session_id
    for other in ([file("a.txt", b"other")], [file("b.txt")], [file("a.txt", media_type="text/html")], []):
        with pytest.raises(TaskConflict):
            await bench.admit(task_id=task_id, attachments=other)


# faults: B7 I1
async def test_a_task_that_waits_in_line_has_them_after_a_restart(tmp_path: Path) -> None:
    store = MemoryStore()
    async with opened(Bench(tmp_path, store=store)) as bench:
        task = await bench.admit(attachments=[file("a.txt", b"still here")])
    async with opened(Bench(tmp_path, store=store)) as bench:
        assert await sweep(bench.attachments, store) == 0
        await bench.queue.put(task)
        await bench.begin()
        await bench.ended(task)
        assert content(bench.engine.told[0].attachments[0]) == b"still here"


# faults: B7
async def test_what_no_task_came_to_use_is_removed_at_a_start(bench: Bench) -> None:
    used = await bench.admit(attachments=[file("a.txt")])
    await bench.attachments.keep(used.session_id, "f" * 32, {"never.txt": b"admitted"})
    await bench.attachments.keep(new_id(), "f" * 32, {"never.txt": b"admitted"})
    half = bench.root / "attachments" / ".making" / "killed"
    half.mkdir()
    (half / "half.txt").write_bytes(b"ha")

    assert await sweep(bench.attachments, bench.store) == 2

    left = [path.name for path in (bench.root / "attachments").rglob("*") if path.is_file()]
    assert left == ["a.txt"]


async def test_a_busy_session_keeps_nothing(tmp_path: Path) -> None:
    gate = Gate()
    async with opened(Bench(tmp_path, ScriptedEngine(waits_at(gate)))) as bench:
        await bench.begin()
        task = await bench.admit()
        with pytest.raises(SessionBusy):
            await bench.admit(resume=task.session_id, attachments=[file("a.txt")])
        assert not (tmp_path / "attachments").exists()


async def test_two_of_the_same_at_once_are_kept_once(tmp_path: Path) -> None:
    folders = AttachmentFolders(tmp_path)
    session, facts = new_id(), [{"name": "a"}]
    files = {"a": b"x" * 1_000_000}

    await asyncio.gather(*(folders.keep(session, folder_of(facts), files) for _ in range(8)))

    assert await folders.kept() == {session: [folder_of(facts)]}
    assert content(AttachedFile("a", "", 0, f"{folders.path(session, folder_of(facts))}/a")) == files["a"]


# faults: I5
async def test_a_disk_that_takes_nothing_refuses_the_task(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(StoreUnavailable):
        await AttachmentFolders(tmp_path / "file").keep(new_id(), "f", {"a": b"x"})


async def test_they_go_with_their_session(running: Bench) -> None:
    task = await running.do(attachments=[file("a.txt")])
    await running.attachments.forget(task.session_id)
    assert await running.attachments.kept() == {}
