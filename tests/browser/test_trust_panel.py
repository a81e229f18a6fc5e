"""Whether a directory is trusted, in the browser: shown what would run, answered once, taken back."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, ViewportSize, expect
from tests.acceptance.conftest import environment_for
from tests.acceptance.support.model import ModelInThread, model_in_thread
from tests.acceptance.support.obedient import Obedient
from tests.acceptance.support.processes import left_in
from tests.browser.checks import assert_english, findings
from tests.browser.conftest import Watch
from tests.browser.console import Console

from glasshouse.testing.server_process import ServerProcess, running_server

PHONE: ViewportSize = {"width": 390, "height": 844}
HOSTILE = "echo '<img src=x onerror=alert(1)>' \u202e"


@pytest.fixture(scope="module")
def model() -> Iterator[ModelInThread]:
    with model_in_thread([Obedient()]) as running:
        yield running


@pytest.fixture(scope="module")
def asking(model: ModelInThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """As it is by default: it asks."""
    home = tmp_path_factory.mktemp("trusting")
    with running_server(home, environment=environment_for(model, home)) as running:
        yield running
    left = left_in(home)
    assert not left


@pytest.fixture
def project(asking: ServerProcess, request: pytest.FixtureRequest) -> Path:
    """Carries a hook that tells that it ran, and more."""
    name: str = request.node.name
    path = asking.workspace / "".join(letter for letter in name if letter.isalnum())
    hooks = {
        "SessionStart": [{"hooks": [{"type": "command", "command": f"touch {path}/ran"}]}],
        "PostToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": HOSTILE}]}],
    }
    settings = {"hooks": hooks, "env": {"NODE_OPTIONS": "--max-old-space-size=4096", "API_TOKEN": "s3cret"}}
    (path / ".claude" / "commands").mkdir(parents=True)
    (path / ".claude" / "settings.json").write_text(json.dumps(settings | {"permissions": {"allow": ["Bash(npm:*)"]}}))
    (path / ".claude" / "commands" / "deploy.md").write_text("---\nallowed-tools: Bash(*)\n---\nNow: !`git status`")
    (path / ".mcp.json").write_text("damaged")
    return path


@pytest.fixture
def console(watch: Watch, asking: ServerProcess, project: Path) -> Console:
    return Console(watch(asking)).open(working_dir=str(project))


def _asked(console: Console, prompt: str = "hello", title: str = "信任这个目录吗") -> Locator:
    console.send(prompt)
    panel = console.page.get_by_role("region", name=title)
    panel.wait_for()
    return panel


def test_what_would_run_is_shown_and_runs_once_it_is_trusted(console: Console, project: Path) -> None:
    panel = _asked(console)
    expect(panel).to_contain_text(str(project))
    for kind, words in {
        "钩子": f"touch {project}/ran",
        "环境变量": "--max-old-space-size=4096",
        "权限": "Bash(npm:*)",
        "会运行程序的命令": "!`git status`",
        "读不了的文件": ".mcp.json",
    }.items():
        expect(panel.get_by_role("region", name=kind)).to_contain_text(words)
    expect(panel).to_contain_text("<img src=x onerror=alert(1)>' \\u202e")
    expect(panel).not_to_contain_text("s3cret")
    expect(panel.locator(":checked, :focus, img")).to_have_count(0)
    for key in ("Enter", "Space", "Control+Enter", "1", "y"):
        console.page.keyboard.press(key)
    console.stands("等待你的回答")
    assert not (project / "ran").exists()

    console.button("信任并运行").click()
    console.stands("已完成")
    expect(panel).to_have_count(0)
    assert (project / "ran").exists()
    expect(console.log.get_by_text(f"信任 {project}")).to_be_visible()
    expect(console.log.get_by_text("信任并运行", exact=True)).to_be_visible()
    assert console.watched.complaints == []

    console.run("hello again")
    console.stands("已完成")


def test_without_them_it_goes_on_and_a_change_of_mind_is_asked_about(console: Console, project: Path) -> None:
    _asked(console)
    console.button("不运行这些，继续").click()
    console.stands("已完成")
    assert not (project / "ran").exists()
    console.button("下次再问").click()
    expect(console.log.get_by_text("下次会再问")).to_be_visible()
    _asked(console, "a third time")
    console.button("信任并运行").click()
    console.stands("已完成")
    assert (project / "ran").exists()


def test_the_task_is_cancelled_and_nothing_has_run(console: Console, project: Path) -> None:
    _asked(console)
    console.button("取消任务").click()
    console.stands("已停止")
    assert not (project / "ran").exists()
    expect(console.button("下次再问")).to_have_count(0)


def test_one_answer_is_good_in_every_tab(console: Console, watch: Watch, asking: ServerProcess, project: Path) -> None:
    panel = _asked(console)
    other = Console(watch(asking)).open(working_dir=str(project))
    _asked(other)
    other.button("信任并运行").click()
    other.stands("已完成")
    console.stands("已完成")
    expect(panel).to_have_count(0)
    expect(console.log.get_by_text("在另一个会话中")).to_be_visible()


def test_the_keyboard_alone_answers(console: Console, project: Path) -> None:
    _asked(console)
    page = console.page
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "不运行这些，继续":
            break
    page.keyboard.press("Enter")
    console.stands("已完成")
    assert not (project / "ran").exists()


def test_on_a_phone_all_of_it_is_read_and_the_answers_stay_in_reach(console: Console) -> None:
    page = console.page
    page.set_viewport_size(PHONE)
    panel = _asked(console)
    expect(console.button("信任并运行")).to_be_in_viewport(ratio=1)
    expect(console.button("取消任务")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert console.log.evaluate("(element) => element.scrollWidth === element.clientWidth")
    panel.get_by_text(".mcp.json").first.scroll_into_view_if_needed()
    expect(console.button("不运行这些，继续")).to_be_in_viewport(ratio=1)
    console.button("取消任务").click()
    console.stands("已停止")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_panel_is_for_everybody(watch: Watch, asking: ServerProcess, project: Path, axe: str, theme: str) -> None:
    console = Console(watch(asking)).open(language="en", working_dir=str(project))
    console.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    panel = _asked(console, title="Trust this directory?")
    assert_english(console.page)
    assert findings(console.page, axe) == []
    console.button("Cancel the task").click()
    console.stands("Stopped")
    expect(panel).to_have_count(0)
