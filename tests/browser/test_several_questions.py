"""What waits, where it is more than one thing: rounds, programs, sub-agents, MCP servers; and the ways there."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect
from tests.acceptance.conftest import environment_for
from tests.acceptance.support.model import ModelInThread, model_in_thread
from tests.acceptance.support.obedient import Obedient
from tests.acceptance.support.processes import left_in
from tests.acceptance.support.terminal import ENTER, Terminal
from tests.browser.checks import assert_english, findings
from tests.browser.conftest import StartServer, Watch
from tests.browser.console import Console

from glasshouse.testing.offline_model import Call, Say, played
from glasshouse.testing.server_process import KEY, ServerProcess, running_server

ASKS_TWICE, FORM, PAGE = "Ask me twice.", "Have the server ask.", "Have the server show a page."
PHONE: ViewportSize = {"width": 390, "height": 844}
_SERVER = Path(__file__).parents[1] / "integration" / "engines" / "eliciting_server.py"


def _asking(text: str, *labels: str) -> Call:
    options = [{"label": label, "description": f"what {label} means"} for label in labels]
    question = {"question": text, "header": "Choice", "multiSelect": False, "options": options}
    return Call("AskUserQuestion", {"questions": [question]})


SCRIPTS = [
    played(
        ASKS_TWICE, _asking("Which colour?", "Red", "Blue"), _asking("Which shade?", "dark", "light"), Say("Thanks.")
    ),
    played(FORM, Call("mcp__mine__form", {}), Say("Heard of the form.")),
    played(PAGE, Call("mcp__mine__page", {}), Say("Heard of the page.")),
]


@pytest.fixture(scope="module")
def model() -> Iterator[ModelInThread]:
    with model_in_thread([*SCRIPTS, Obedient()]) as running:
        yield running


@pytest.fixture(scope="module")
def asking(model: ModelInThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    home = tmp_path_factory.mktemp("several")
    mine = {"type": "stdio", "command": sys.executable, "args": [str(_SERVER), str(home / "answered")]}
    (home / "claude").mkdir()
    (home / "claude" / ".claude.json").write_text(json.dumps({"mcpServers": {"mine": mine}}))
    with running_server(home, environment=environment_for(model, home)) as running:
        yield running
    left = left_in(home)
    assert not left


@pytest.fixture
def console(watch: Watch, asking: ServerProcess) -> Console:
    return Console(watch(asking)).open()


def _panel(page: Page, title: str = "需要你的回答") -> Locator:
    return page.get_by_role("region", name=title)


def _program_asks(console: Console, text: str, **question: Any) -> None:
    body = {
        "session_id": console.session_id,
        "question": {"question_text": text, "type": "boolean", **question},
    }
    headers = {"Authorization": f"Bearer {KEY}"}
    assert console.page.request.post(f"{console.url}/api/questions", data=body, headers=headers).status == 201


def test_two_rounds_by_keyboard_alone_and_the_first_is_reviewed_in_the_second(console: Console) -> None:
    page, panel = console.page, _panel(console.page)
    console.send(ASKS_TWICE)
    panel.wait_for()
    expect(panel).to_contain_text("问答第 1 轮")
    expect(panel).to_contain_text("不会超时")
    for _ in range(4):
        page.keyboard.press("Escape")
    console.stands("等待你的回答")
    expect(_pressed(page, panel, "2")).to_be_checked()
    page.keyboard.press("Enter")

    expect(panel.get_by_role("heading", name="Which shade?")).to_be_visible()
    expect(panel).to_contain_text("问答第 2 轮")
    earlier = panel.locator("details")
    expect(earlier).to_contain_text("Which colour?")
    earlier.locator("summary").press("Enter")
    expect(earlier.get_by_role("listitem")).to_have_text(["○ Red", "● Blue（已选）"])
    expect(_pressed(page, panel, "1")).to_be_checked()
    page.keyboard.press("Enter")
    console.stands("已完成")
    expect(console.log.get_by_text("dark", exact=True)).to_be_visible()


def _pressed(page: Page, panel: Locator, digit: str) -> Locator:
    """Pressed until it is heard: a panel that has just come does not listen yet."""
    chosen = panel.get_by_role("radio").nth(int(digit) - 1)
    for _ in range(40):
        page.keyboard.press(digit)
        if chosen.is_checked():
            break
        page.wait_for_timeout(50)
    return chosen


def test_programs_questions_wait_one_after_another_and_every_way_leads_there(console: Console) -> None:
    page, panel = console.page, _panel(console.page)
    console.run("hello")
    session = console.session_id
    _program_asks(console, "Deploy to the first?")
    _program_asks(console, "Deploy to the second?")
    expect(panel).to_contain_text("由程序提问")
    expect(panel).to_contain_text("问答第 1 轮 / 共 2 轮")
    console.stands("已完成")
    expect(page).to_have_title(re.compile(r"^\(1\) 等待你的回答"))

    page.get_by_role("link", name="示例任务").click()
    expect(page).to_have_title(re.compile(r"^\(1\) 等待你的回答"))
    page.get_by_role("link", name="1 个会话等待你的回答").click()
    expect(page).to_have_url(re.compile(session))

    listed = panel.get_by_role("navigation", name="2 项等你处理")
    listed.get_by_role("button", name="Deploy to the second?").click()
    expect(panel.get_by_role("heading", name="Deploy to the second?")).to_be_visible()
    panel.get_by_label("否").check()
    console.button("确认").click()
    expect(panel.get_by_role("heading", name="Deploy to the first?")).to_be_visible()
    expect(listed).to_have_count(0)
    panel.get_by_label("是").check()
    console.button("确认").click()
    expect(panel).to_have_count(0)
    expect(page).not_to_have_title(re.compile("等待"))
    expect(page.get_by_role("link", name="1 个会话等待你的回答")).to_have_count(0)


def test_what_sub_agents_ask_alike_is_answered_at_once(watch: Watch, asking: ServerProcess) -> None:
    console = Console(watch(asking)).open(tools=None)
    panel = _panel(console.page, "请求许可")
    console.send("agents $ touch one; $ touch two; $ touch three")
    panel.get_by_role("checkbox", name="其余 2 个同样处理").check()
    expect(panel.get_by_role("list", name="其余的内容").get_by_role("listitem")).to_have_count(2)
    console.button("允许一次").click()
    console.stands("已完成")
    expect(panel).to_have_count(0)
    assert all((asking.workspace / name).exists() for name in ("one", "two", "three"))


def test_the_time_that_is_left_is_shown_and_what_comes_then(watch: Watch, start_server: StartServer) -> None:
    console = Console(watch(start_server(GLASSHOUSE_QUESTION_TIMEOUT_S="600"))).open()
    console.run("hello")
    _program_asks(console, "Deploy?")
    timer = _panel(console.page).get_by_role("timer")
    expect(timer).to_have_text(re.compile(r"^\d:\d\d 后不再等$"))
    before = timer.inner_text()
    expect(timer).not_to_have_text(before)


def test_an_answer_in_a_terminal_is_seen_in_the_console(console: Console, asking: ServerProcess) -> None:
    panel = _panel(console.page)
    console.run("hello")
    _program_asks(console, "Deploy?")
    panel.wait_for()
    with Terminal(asking, "--session", console.session_id) as terminal:
        terminal.until("> ")
        terminal.press("y" + ENTER)
        expect(panel).to_have_count(0)
    expect(console.log.get_by_text("在终端")).to_be_visible()


def test_a_servers_form_and_page_are_answered(watch: Watch, asking: ServerProcess) -> None:
    console = Console(watch(asking)).open(tools=["mcp__mine__form", "mcp__mine__page"])
    panel = _panel(console.page, "MCP 服务器想知道")
    console.send(FORM)
    expect(panel).to_contain_text("Who are you?")
    panel.get_by_role("textbox", name="Name").fill("Zoë")
    console.button("确认").click()
    console.stands("已完成")
    assert json.loads((asking.home / "answered").read_text())["content"]["name"] == "Zoë"

    console.send(PAGE)
    link = panel.get_by_role("link", name="打开 example.invalid")
    assert link.get_attribute("href") == "https://example.invalid/sign-in"
    assert (link.get_attribute("target"), link.get_attribute("rel")) == ("_blank", "noopener noreferrer")
    expect(panel).to_contain_text("https://example.invalid/sign-in")
    panel.get_by_role("button", name="Decline").click()
    console.stands("已完成")
    assert json.loads((asking.home / "answered").read_text()) == {"action": "decline"}


def test_on_a_phone_the_list_and_the_answers_are_in_reach(console: Console) -> None:
    page, panel = console.page, _panel(console.page)
    page.set_viewport_size(PHONE)
    console.run("hello")
    for number in range(4):
        _program_asks(console, f"Deploy to a place with quite a long name, number {number}?")
    expect(panel.get_by_role("navigation").get_by_role("button")).to_have_count(4)
    expect(console.button("确认")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert console.log.evaluate("(element) => element.scrollWidth === element.clientWidth")
    for _ in range(4):
        console.button("取消").click()
        console.button("取消问题").click()
    expect(panel).to_have_count(0)


def test_several_that_wait_are_for_everybody(watch: Watch, asking: ServerProcess, axe: str) -> None:
    console = Console(watch(asking)).open(language="en", tools=None)
    console.run("hello")
    _program_asks(console, "Deploy to the first?")
    panel = _panel(console.page, "Needs your answer")
    panel.get_by_label("Yes").check()
    console.button("Confirm").click()
    expect(panel).to_have_count(0)
    for text in ("Deploy to the second?", "Deploy to the third?"):
        _program_asks(console, text)
    expect(panel.get_by_role("navigation").get_by_role("button")).to_have_count(2)
    panel.locator("summary").click()
    assert_english(console.page)
    assert findings(console.page, axe) == []
    console.send("agents $ touch four; $ touch five")
    asks = _panel(console.page, "Asks for permission")
    panel.get_by_role("navigation").get_by_role("button", name="Bash touch four").click()
    asks.get_by_role("checkbox").check()
    assert_english(console.page)
    assert findings(console.page, axe) == []
    console.button("Stop").click()
    console.stands("Stopped")
