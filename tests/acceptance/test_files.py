"""Files looked at over a raw socket: hostile paths arrive as they were sent, and no byte from outside goes back."""

import asyncio
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.acceptance.support.api import WITHIN_S, Api

from glasshouse.testing.server_process import KEY, ServerProcess

CANARY = b"the canary"


async def got(server: ServerProcess, target: bytes) -> tuple[int, bytes]:
    """The target goes over the wire byte for byte."""
    host, _, port = server.url.removeprefix("http://").partition(":")
    async with asyncio.timeout(WITHIN_S):
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            head = f" HTTP/1.1\r\nHost: {host}:{port}\r\nX-API-Key: {KEY}\r\nConnection: close\r\n\r\n"
            writer.write(b"GET " + target + head.encode())
            answer = await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()
    return int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2]


@pytest.fixture
def secret(api: Api) -> Path:
    """Beside the directory, with its name for a beginning."""
    sibling = api.directory.with_name(f"{api.directory.name}-secret")
    sibling.mkdir()
    (sibling / "canary").write_bytes(CANARY)
    (api.directory / "link").symlink_to(sibling)
    (api.directory / "good").write_bytes(CANARY)
    return sibling


# faults: B1 B2 B3
async def test_no_writing_of_a_path_leads_outside(api: Api, server: ServerProcess, secret: Path) -> None:
    directory = quote(str(api.directory)).encode()
    inside = await got(server, b"/api/file?working_dir=%s&path=good" % directory)
    assert inside[0] == 200
    assert CANARY in inside[1]
    name = quote(secret.name)
    outside = (
        *(f"../{name}/canary", f"..%2f{name}%2fcanary", f"%2e%2e/{name}/canary", f"%252e%252e%252f{name}/canary"),
        *(
            f"./x/../../{name}/canary",
            f"..%5c{name}%5ccanary",
            f"%c0%ae%c0%ae/{name}/canary",
            f"good/../../{name}/canary",
        ),
        *("link/canary", "link", f"{secret}/canary", f"/{secret}/canary", "/etc/passwd", "//etc/passwd", "~/.bashrc"),
        *("good%00", "%00", "%ff%fe", "C:%5cWindows", "x" * 5000, "/proc/self/environ", "good%0a"),
    )
    for path in outside:
        status, body = await got(server, b"/api/file?working_dir=%s&path=%s" % (directory, path.encode()))
        assert 400 <= status < 500, (path, status)
        assert CANARY not in body, path


# faults: B1 B2
async def test_no_writing_of_a_directory_does_either(api: Api, server: ServerProcess, secret: Path) -> None:
    parent = str(api.directory.parent)
    for directory in (
        *(f"{secret}/../..", f"{api.directory}/../{secret.name}/..%2f..", f"{parent}%2f..", "/etc", "/proc/self/root"),
        *("%ff", "%00", "~", ".", "", "x" * 5000),
    ):
        for door in ("file?path=canary", "files?q=canary", "commands?q=x"):
            status, body = await got(server, f"/api/{door}&working_dir={directory}".encode())
            assert 400 <= status < 500, (door, directory, status)
            assert CANARY not in body
