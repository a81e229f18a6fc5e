"""The console as a person meets it: what can be done on its pages, and where to look."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from playwright.sync_api import Locator, Page, TimeoutError, expect
from tests.browser.conftest import Watched

from glasshouse.testing.server_process import KEY

STOP, SEND = "停止", "发送"
_SEEN_AT_WORK_MS = 5_000


class Console:
    """Signed in by key. `open` is given what a person would have chosen before; no `tools` are Claude Code's own."""

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self.page: Page = watched.page
        self.url = watched.url
        self.field = self.page.locator("#content textarea")
        # How it stands, in a sentence: its word is the bold one.
        self.status = self.page.locator("#content section p:has(> b)")
        self.log = self.page.get_by_role("log")
        self.rows = self.log.locator("[data-index]")

    def open(
        self,
        path: str = "/",
        *,
        tools: Sequence[str] | None = ("Bash",),
        permission_mode: str = "default",
        language: str = "zh",
        working_dir: str | None = None,
    ) -> "Console":
        self.page.request.post(f"{self.url}/api/login", data={"key": KEY})
        self._choose("localStorage", "preferences", {"language": language})
        draft = {"tools": tools, "permissionMode": permission_mode}
        if working_dir is not None:
            draft["workingDir"] = working_dir
        self._choose("sessionStorage", "draft", draft)
        self.page.goto(f"{self.url}{path}")
        expect(self.field).to_be_visible()
        return self

    def _choose(self, storage: str, name: str, state: Mapping[str, object]) -> None:
        key, value = json.dumps(f"glasshouse.{name}"), json.dumps(json.dumps({"state": state, "version": 0}))
        self.page.add_init_script(f"{storage}.getItem({key}) ?? {storage}.setItem({key}, {value})")

    def send(self, prompt: str) -> None:
        self.field.fill(prompt)
        self.field.press("Enter")

    def run(self, prompt: str) -> None:
        """To its end."""
        self.send(prompt)
        # Waited for in the page itself, frame by frame: `expect` looks once a second. A task of a kept process may be
        # over before a frame has shown the field off.
        with suppress(TimeoutError):
            self.page.locator("#content textarea:disabled").wait_for(timeout=_SEEN_AT_WORK_MS)
        self.page.locator("#content textarea:enabled").wait_for()

    def stands(self, word: str) -> None:
        self.status.locator("b", has_text=re.compile(f"^{word}$")).wait_for()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def texts(self) -> list[str]:
        return self.rows.all_inner_texts()

    @property
    def session_id(self) -> str:
        expect(self.page).to_have_url(re.compile("/session/"))
        return self.page.url.rpartition("/")[2]
