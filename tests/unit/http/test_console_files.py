"""The console's files: who gets which of them, in what form, and for how long."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support.served import Served

from glasshouse.entrypoints.http import console

ROUTER = Path(__file__).parents[3] / "web" / "src" / "app" / "router.tsx"
PAGE = "<!doctype html><title>Glasshouse</title>"
SCRIPT = "export const answer = 42;"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small console in place of the built one."""
    folder = tmp_path / "console"
    (folder / "assets").mkdir(parents=True)
    (folder / ".made-from").write_text("a digest")
    (folder / "index.html").write_text(PAGE)
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "assets" / "app-1.js").write_text(SCRIPT)
    (folder / "assets" / "app-1.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    monkeypatch.setattr(console, "_FOLDER", folder)
    console._built.cache_clear()
    yield folder
    console._built.cache_clear()


@pytest.fixture
def stranger(served: Served, folder: Path) -> httpx.AsyncClient:
    """Without a key."""
    return served.client(())


@pytest.mark.parametrize("path", ["/", "/sign-in", "/examples", "/session/0b3c"])
async def test_every_route_of_the_app_shows_its_page(stranger: httpx.AsyncClient, path: str) -> None:
    answer = await stranger.get(path, headers={"accept": "text/html,application/xhtml+xml"})

    assert (answer.status_code, answer.text) == (200, PAGE)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/icon.svg", "/assets/app-1.js"])
async def test_head_tells_what_get_would(stranger: httpx.AsyncClient, path: str) -> None:
    assert (await stranger.head(path)).headers["content-type"] == (await stranger.get(path)).headers["content-type"]


def test_the_routes_are_those_of_the_app() -> None:
    paths = re.findall(r'\bpath: "([^"]+)"', ROUTER.read_text())

    assert sorted(re.sub(r"\$(\w+)", "{}", path) for path in paths) == sorted(
        re.sub(r"{\w+}", "{}", route) for route in console.ROUTES
    )


async def test_a_program_that_wants_no_page_gets_none(stranger: httpx.AsyncClient) -> None:
    answer = await stranger.get("/", headers={"accept": "application/json"})

    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


async def test_a_file_with_a_hash_in_its_name_is_kept_for_ever(stranger: httpx.AsyncClient) -> None:
    answer = await stranger.get("/assets/app-1.js")

    assert answer.text == SCRIPT
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_script_may_be_named_by_our_own_pages_only(stranger: httpx.AsyncClient) -> None:
    assert (await stranger.get("/assets/app-1.js")).headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, br", "gzip"), ("*", "gzip"), ("GZIP;q=0.5", "gzip"), ("gzip;q=0", None), ("br", None), ("", None)],
)
async def test_it_is_sent_compressed_to_whom_that_suits(
    stranger: httpx.AsyncClient, accepted: str, encoding: str | None
) -> None:
    answer = await stranger.get("/assets/app-1.js", headers={"accept-encoding": accepted})

    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["vary"] == "accept-encoding"
    assert answer.text == SCRIPT


@pytest.mark.parametrize(
    "path",
    [
        "/assets/none.js",
        "/assets/app-1.js.gz",
        "/assets/..%2findex.html",
        "/assets/%2e%2e/.made-from",
        "/assets/a/b.js",
    ],
)
async def test_what_the_build_does_not_have_is_not_found(stranger: httpx.AsyncClient, path: str) -> None:
    assert (await stranger.get(path)).status_code == 404


@pytest.mark.parametrize("path", ["/index.html", "/.made-from", "/session/", "/session/a/b", "/history", "/docs"])
async def test_anything_else_wants_the_key(stranger: httpx.AsyncClient, path: str) -> None:
    assert (await stranger.get(path)).status_code == 401


async def test_a_build_that_goes_away_later_is_still_served(stranger: httpx.AsyncClient, folder: Path) -> None:
    await stranger.get("/")
    (folder / "assets" / "app-1.js").unlink()

    assert (await stranger.get("/assets/app-1.js")).text == SCRIPT


@pytest.mark.parametrize(("language", "said"), [("zh", "控制台尚未构建"), ("en", "The console has not been built")])
async def test_without_a_build_the_page_says_what_to_run(
    stranger: httpx.AsyncClient, folder: Path, language: str, said: str
) -> None:
    (folder / "index.html").unlink()

    answer = await stranger.get("/", headers={"accept-language": language})

    assert answer.status_code == 503
    assert said in answer.text
    assert "./glasshouse" in answer.text
    assert (await stranger.get("/assets/app-1.js")).status_code == 404


async def test_a_build_that_comes_later_is_found_without_a_restart(stranger: httpx.AsyncClient, folder: Path) -> None:
    (folder / "index.html").unlink()
    await stranger.get("/")
    (folder / "index.html").write_text(PAGE)

    assert (await stranger.get("/")).text == PAGE


async def test_the_built_page_holds_no_script_and_no_style_of_its_own(served: Served) -> None:
    async with served.client(()) as stranger:
        page = (await stranger.get("/")).text

    assert re.findall(r"<script(?![^>]*\bsrc=\"/assets/)", page) == []
    assert re.findall(r"<style| style=| on\w+=|data:|//", page) == []
