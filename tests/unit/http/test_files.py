"""Files of a working directory through the door: completed and looked at, and nothing outside of it."""

import base64
import os
import socket
import subprocess
from pathlib import Path

import httpx
import pytest
from tests.support.served import Served


@pytest.fixture
def work(served: Served) -> Path:
    return served.bench.work.resolve()


def written(path: Path, content: str | bytes = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


async def completed(client: httpx.AsyncClient, directory: Path, typed: str = "") -> list[str]:
    answer = await client.get("/api/files", params={"working_dir": str(directory), "q": typed})
    assert answer.status_code == 200, answer.text
    files: list[str] = answer.json()["files"]
    return files


async def looked_at(client: httpx.AsyncClient, directory: Path, path: str) -> httpx.Response:
    return await client.get("/api/file", params={"working_dir": str(directory), "path": path})


def known_to_git(directory: Path) -> None:
    for command in (("init", "--quiet"), ("add", ".")):
        subprocess.run(["git", *command], cwd=directory, check=True, timeout=20)


async def test_files_are_completed(client: httpx.AsyncClient, work: Path) -> None:
    for name in ("src/main.py", "src/other.py", "README.md"):
        written(work / name)
    assert await completed(client, work, "ma") == ["src/main.py"]
    assert await completed(client, work) == ["src/", "README.md", "src/main.py", "src/other.py"]


async def test_a_text_is_shown_as_it_is(client: httpx.AsyncClient, work: Path) -> None:
    written(work / "a" / "文.txt", "<b>一</b>\r\n")
    answer = await looked_at(client, work, "a/文.txt")
    assert answer.json() == {
        "path": "a/文.txt",
        "size": 12,
        "encoding": "utf-8",
        "content": "<b>一</b>\r\n",
        "truncated": False,
    }
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_an_absolute_path_inside_is_taken_too(client: httpx.AsyncClient, work: Path) -> None:
    assert (await looked_at(client, work, str(written(work / "a")))).json()["path"] == "a"


async def test_what_is_no_text_comes_as_base64(client: httpx.AsyncClient, work: Path) -> None:
    written(work / "image.png", b"\x89PNG\0\xff")
    shown = (await looked_at(client, work, "image.png")).json()
    assert (shown["encoding"], base64.b64decode(shown["content"])) == ("base64", b"\x89PNG\0\xff")


@pytest.mark.parametrize(
    ("content", "encoding", "length"),
    [("é" * 700_000, "utf-8", 524_288), ("a" + "é" * 700_000, "utf-8", 524_288), (b"\xff\0" * 700_000, "base64", 0)],
    ids=["text", "text cut within a character", "no text"],
)
async def test_of_what_is_large_only_the_beginning_is_shown(
    client: httpx.AsyncClient, work: Path, content: str | bytes, encoding: str, length: int
) -> None:
    size = written(work / "large", content).stat().st_size
    shown = (await looked_at(client, work, "large")).json()
    assert (shown["size"], shown["encoding"], len(shown["content"]), shown["truncated"]) == (
        size,
        encoding,
        length,
        True,
    )


async def test_a_link_that_stays_inside_is_followed(client: httpx.AsyncClient, work: Path) -> None:
    written(work / "real" / "file", "here")
    (work / "link").symlink_to("real")
    shown = (await looked_at(client, work, "link/file")).json()
    assert (shown["path"], shown["content"]) == ("real/file", "here")


# faults: B1 B2 B3 B10
async def test_nothing_outside_is_shown(client: httpx.AsyncClient, work: Path) -> None:
    secret = written(work.parent / f"{work.name}-secret" / "canary", "canary")
    links: dict[str, str | Path] = {
        "final": secret,
        "folder": secret.parent,
        "dangling": "nowhere",
        "loop": "loop",
        "root": "/proc/self/root",
    }
    for name, target in links.items():
        (work / name).symlink_to(target)
    hostile = (
        *(f"../{secret.parent.name}/canary", str(secret), "final", "folder/canary", "dangling", "loop", "loop/x"),
        *("root/etc/passwd", "/etc/passwd", "~/.bashrc", "..", ".", "", "/", "//etc/passwd", "..\\canary", "C:\\x"),
        *("%2e%2e/canary", "%252e%252e/canary", "a\0b", "x" * 5000, "missing"),
    )
    for path in hostile:
        answer = await looked_at(client, work, path)
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found"), path
        assert "canary" not in answer.text


# faults: B1 B3
async def test_nor_is_what_is_allowed_elsewhere(client: httpx.AsyncClient, work: Path) -> None:
    written(work / "other" / "file")
    written(work / "here" / "own")
    (work / "here" / "link").symlink_to("../other")
    known_to_git(work / "here")
    (work / "here" / "own").unlink()
    for path in ("../other/file", "link/file", str(work / "other" / "file")):
        assert (await looked_at(client, work / "here", path)).status_code == 404, path
    assert await completed(client, work / "here") == ["link"]


# faults: B1
async def test_outside_the_allowed_directories_nothing_is_listed(client: httpx.AsyncClient, work: Path) -> None:
    sibling = written(work.parent / f"{work.name}-secret" / "canary").parent
    for directory in (str(sibling), "/etc", "relative", f"{work}/../{sibling.name}", "a\0b"):
        for address in ("/api/files", "/api/file", "/api/commands"):
            answer = await client.get(address, params={"working_dir": directory, "path": "canary"})
            assert (answer.status_code, answer.json()["error"]) == (400, "working_dir_invalid"), (address, directory)


# faults: B5
async def test_only_plain_files_are_opened(client: httpx.AsyncClient, work: Path) -> None:
    os.mkfifo(work / "fifo")
    (work / "folder").mkdir()
    written(work.parent / "elsewhere")
    os.link(work.parent / "elsewhere", work / "hard")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(work / "socket"))
        for name in ("fifo", "folder", "folder/", "hard", "socket", "fifo/x"):
            assert (await looked_at(client, work, name)).status_code == 404, name


async def test_what_is_shut_is_neither_named_nor_shown(client: httpx.AsyncClient, work: Path) -> None:
    written(work / ".ssh" / "id_key")
    written(work / "key")
    assert await completed(client, work, "key") == ["key"]
    assert (await looked_at(client, work, ".ssh/id_key")).status_code == 404


async def test_a_folder_that_became_a_link_names_nothing(client: httpx.AsyncClient, work: Path) -> None:
    """faults: B3 (git goes on knowing what was in it, and what is gone)"""
    for name in ("folder/known", "gone", "here"):
        written(work / name)
    known_to_git(work)
    (work / "folder").rename(work.parent / "outside")
    (work / "folder").symlink_to("../outside")
    (work / "gone").unlink()
    assert "here" in await completed(client, work)
    assert await completed(client, work, "known") == await completed(client, work, "gone") == []


async def test_nor_where_it_leads_to_what_is_allowed(client: httpx.AsyncClient, work: Path) -> None:
    written(work / "here" / "folder" / "known")
    known_to_git(work / "here")
    (work / "here" / "folder").rename(work / "elsewhere")
    (work / "here" / "folder").symlink_to("../elsewhere")
    assert await completed(client, work / "here", "known") == []
