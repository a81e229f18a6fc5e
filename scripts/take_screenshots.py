"""`scripts/screenshots`: what the console looks like, from tasks that really run, into docs/screenshots."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, Page, async_playwright
from scripts.screenshot_story import BREAKS, COMMAND, LASTS, MENDS, PROJECT, SCRIPTS

from glasshouse.contract.phrase import Language
from glasshouse.testing.offline_model import OfflineModel
from glasshouse.testing.server_process import KEY, ServerProcess, running_server

_FOLDER = Path(__file__).parent.parent / "docs" / "screenshots"
_CHROMIUM = os.environ.get("GLASSHOUSE_TEST_CHROMIUM", "/usr/bin/chromium")
_LARGEST = 150_000
_WINDOW = {"width": 1280, "height": 800}
_PHONE = {"width": 390, "height": 844}
_THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


async def main() -> None:
    _FOLDER.mkdir(parents=True, exist_ok=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        await _first_run(browser)
        for language in ("zh", "en"):
            await _tasks(browser, language)
        await browser.close()


async def _first_run(browser: Browser) -> None:
    async with _server({"GLASSHOUSE_OFFLINE": "always"}) as server, _console(browser, server, "zh") as console:
        await console.page.get_by_role("button", name="列出文件").wait_for()
        await console.shoot("first-run")


async def _tasks(browser: Browser, language: Language) -> None:
    model = OfflineModel(SCRIPTS)
    endpoint = await model.start()
    real = {
        "GLASSHOUSE_OFFLINE": "never",
        "ANTHROPIC_BASE_URL": endpoint.url,
        "ANTHROPIC_API_KEY": endpoint.key,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    async with _server(real) as server, _console(browser, server, language, ["Read", "Edit", "Bash"]) as console:
        await console.send(MENDS.say(language))
        await console.ended()
        await console.shoot("done" if language == "zh" else "done.en")
        # The README in English has one picture.
        if language == "zh":
            await console.send(LASTS.say(language))
            await console.page.get_by_text("运行中").first.wait_for()
            await console.page.get_by_text(COMMAND).last.wait_for()
            await console.shoot("running")
            await console.shoot("phone", _PHONE)
            await console.page.get_by_role("button", name="停止").click()
            await console.ended()
            await console.send(BREAKS.say(language))
            await console.ended()
            await console.shoot("failed")
    await model.stop()


@dataclass(frozen=True, slots=True)
class _Console:
    page: Page
    language: Language

    async def send(self, prompt: str) -> None:
        await self.page.locator("textarea").fill(prompt)
        await self.page.keyboard.press("Enter")
        await self.page.locator("textarea:disabled").wait_for()

    async def ended(self) -> None:
        await self.page.locator("textarea:enabled").wait_for()

    async def shoot(self, name: str, size: Mapping[str, int] = _WINDOW) -> None:
        await self.page.set_viewport_size({"width": size["width"], "height": size["height"]})
        for theme in _THEMES:
            await self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            # The frame after the one that the new colours began in.
            await self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            picture = _FOLDER / f"{name}-{theme}.png"
            taken = await self.page.screenshot(path=picture, animations="disabled")
            assert len(taken) <= _LARGEST, f"{picture.name} has {len(taken)} bytes"
            print(f"{picture.name}: {len(taken):,} bytes")


@asynccontextmanager
async def _console(
    browser: Browser, server: ServerProcess, language: Language, tools: Sequence[str] | None = None
) -> AsyncIterator[_Console]:
    context = await browser.new_context(base_url=server.url)
    context.set_default_timeout(60_000)
    page = await context.new_page()
    await page.request.post("/api/login", data={"key": KEY})
    await page.add_init_script(_stored("localStorage", "preferences", {"language": language}))
    await page.add_init_script(_stored("sessionStorage", "draft", {"tools": tools}))
    await page.goto("/")
    await page.locator("textarea").wait_for()
    yield _Console(page, language)
    await context.close()


def _stored(storage: str, name: str, state: Mapping[str, object]) -> str:
    """Sets what a person would have chosen, unless the page has already kept something."""
    value = json.dumps(json.dumps({"state": state, "version": 0}))
    return f"{storage}.getItem('glasshouse.{name}') ?? {storage}.setItem('glasshouse.{name}', {value})"


@asynccontextmanager
async def _server(environment: Mapping[str, str]) -> AsyncIterator[ServerProcess]:
    with tempfile.TemporaryDirectory(prefix="demo-") as home:
        project = Path(home) / "work" / "orders"
        for name, text in PROJECT.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        environment = {"WORKING_DIR": str(project), "CLAUDE_CONFIG_DIR": f"{home}/claude", **environment}
        with running_server(Path(home), environment=environment) as server:
            yield server


if __name__ == "__main__":
    asyncio.run(main())
