"""Where a task may work: hostile paths over a raw socket, with nothing in between that would tidy them up."""

import asyncio
import json
import os

import pytest
from tests.acceptance.support.api import Api

from glasshouse.testing.server_process import KEY, ServerProcess

INVALID = "working_dir_invalid"


class RawDoor:
    """One connection, and bytes."""

    def __init__(self, server: ServerProcess) -> None:
        self._host, _, port = server.url.removeprefix("http://").partition(":")
        self._port = int(port)

    async def post(self, body: bytes) -> tuple[int, bytes]:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        head = (
            f"POST /api/task HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nX-API-Key: {KEY}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            writer.write(head.encode() + body)
            answer = await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()
        return int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2]

    async def work_in(self, directory: str | bytes) -> tuple[int, str]:
        text = directory if isinstance(directory, bytes) else json.dumps(directory).encode()
        status, body = await self.post(b'{"prompt": "$ touch canary", "tools": ["Bash"], "working_dir": %s}' % text)
        answer = json.loads(body)
        return status, answer.get("error") or answer["status"]


@pytest.fixture
def door(server: ServerProcess) -> RawDoor:
    return RawDoor(server)


async def test_the_attack_works_where_it_is_allowed(api: Api, door: RawDoor) -> None:
    assert await door.work_in(str(api.directory)) == (200, "completed")
    assert (api.directory / "canary").exists()


# faults: B1
async def test_a_sibling_whose_name_begins_alike_is_outside(server: ServerProcess, door: RawDoor) -> None:
    sibling = server.workspace.with_name(f"{server.workspace.name}-secret")
    sibling.mkdir()
    assert await door.work_in(str(sibling)) == (400, INVALID)
    assert await door.work_in(f"{server.workspace}/../{sibling.name}") == (400, INVALID)
    assert list(sibling.iterdir()) == []


# faults: B2
@pytest.mark.parametrize(
    "path",
    [
        *("", ".", "..", "../..", "/", "//", "//etc", "/etc", "/etc/", "/etc/.", "/./etc", "/tmp/../etc"),
        *("~", "~root", "$HOME", "%2e%2e", "%2e%2e%2f", "%252e%252e", "..\\..", "C:\\", "\\\\host\\share"),
        *("/root", "/proc", "/proc/self/root", "/proc/self/fd", "/dev", "/dev/fd", "/sys", "/run"),
        *("/usr", "/bin", "/lib", "/var/lib", "/boot", "/sbin", "/var/run", "/no/such/place", "file:///etc", "-"),
        *("--version", "/etc\n", " /etc", "/etc ", "/\u202eetc", "/ｅｔｃ", "/etc/passwd", "/\u0085"),
    ],
)
async def test_a_path_that_leads_elsewhere_is_refused(door: RawDoor, path: str) -> None:
    assert await door.work_in(path) == (400, INVALID)


# faults: B2
@pytest.mark.parametrize(
    "literal",
    [
        b'"/tmp\\u0000/etc"',
        b'"/\\ud800"',
        b'"/\xc0\xae\xc0\xae/etc"',
        b'"/tmp/\xff"',
        b'"/' + b"a" * 5000 + b'"',
        b'"/' + b"a/" * 2000 + b'"',
        b'"/' + b"../" * 1300 + b'etc"',
        b"5",
        b'["/etc"]',
        b"{}",
    ],
)
async def test_bytes_that_are_no_path_are_refused(door: RawDoor, literal: bytes) -> None:
    status, code = await door.work_in(literal)
    assert (status, code) in {(400, INVALID), (422, "invalid_request")}


# faults: B3 B5
async def test_links_and_what_is_no_directory_are_refused(api: Api, door: RawDoor) -> None:
    here = api.directory
    (here / "out").symlink_to("/etc")
    (here / "up").symlink_to("..")
    (here / "loop").symlink_to("loop")
    (here / "dangling").symlink_to("nowhere")
    (here / "root").symlink_to("/proc/self/root")
    (here / "file").write_text("")
    os.mkfifo(here / "fifo")
    for name in ("out", "out/ssl", "up/../..", "loop", "dangling", "root", "root/etc", "file", "file/", "fifo"):
        assert await door.work_in(f"{here}/{name}") == (400, INVALID), name


async def test_a_link_that_stays_inside_is_followed(api: Api) -> None:
    (api.directory / "real").mkdir()
    (api.directory / "link").symlink_to("real")
    task = await api.begin("hello", working_dir=str(api.directory / "link"))
    assert task["working_dir"] == str(api.directory / "real")
    await api.ended(task["task_id"])


async def test_what_is_sensitive_inside_stays_shut(api: Api, server: ServerProcess, door: RawDoor) -> None:
    for name in (".ssh", ".aws/cli", ".gnupg", ".kube", ".docker"):
        (api.directory / name).mkdir(parents=True)
        assert await door.work_in(str(api.directory / name)) == (400, INVALID), name
    for own in (server.data, server.data / "codes", server.home / "claude"):
        assert await door.work_in(str(own)) == (400, INVALID), own


async def test_a_refusal_does_not_tell_what_is_there(api: Api) -> None:
    """No oracle: what does not exist and what is forbidden read the same."""
    refused = [await api.post("hello", working_dir=path) for path in ("/etc", "/no/such/place", "/etc/passwd")]
    assert len({response.content for response in refused}) == 1
