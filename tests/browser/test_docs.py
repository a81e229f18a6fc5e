"""`/docs` in Chromium, with no network and under our own policy."""

from playwright.sync_api import expect
from tests.browser.conftest import Watched

from glasshouse.testing.server_process import KEY, ServerProcess


def _open(watched: Watched) -> None:
    page = watched.page
    page.request.post("/api/login", data={"key": KEY})
    page.goto("/docs")
    expect(page.locator(".opblock").first).to_be_visible()


def test_the_documentation_shows_every_operation(watched: Watched) -> None:
    _open(watched)
    paths = watched.page.locator(".opblock-summary-path").all_inner_texts()
    shown = {path.replace("\u200b", "") for path in paths}
    described = watched.page.request.get("/openapi.json").json()["paths"]
    assert shown == set(described)
    assert watched.foreign == []
    assert watched.complaints == []


def test_an_operation_can_be_opened_and_tried(watched: Watched, server: ServerProcess) -> None:
    _open(watched)
    page = watched.page
    page.locator(".opblock-summary-path", has_text="status").first.click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    answer = page.locator(".live-responses-table .response").first
    expect(answer).to_contain_text("200")
    expect(answer).to_contain_text(str(server.workspace))
    assert watched.foreign == []
    assert watched.complaints == []


def test_the_request_of_a_task_is_described(watched: Watched) -> None:
    _open(watched)
    page = watched.page
    page.locator("[id*='run_task']").first.click()
    expect(page.get_by_text("permission_mode").first).to_be_visible()
    assert watched.foreign == []
    assert watched.complaints == []


def test_the_documentation_wants_the_key(watched: Watched) -> None:
    response = watched.page.goto("/docs")
    assert response is not None and response.status == 401
