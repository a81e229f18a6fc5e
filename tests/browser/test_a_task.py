"""A task in the browser: typed, sent, watched while it comes, stopped, found again by a reload and in another tab."""

import pytest
from playwright.sync_api import expect
from tests.acceptance.support.obedient import steps
from tests.acceptance.support.processes import at_work_in, working_in
from tests.browser.conftest import Watch
from tests.browser.console import SEND, STOP, Console

from glasshouse.testing.server_process import ServerProcess

LASTING = "$ touch begun; sleep 98765"


@pytest.fixture
def console(watch: Watch, obedient: ServerProcess) -> Console:
    return Console(watch(obedient)).open()


def test_a_task_is_sent_by_enter_and_its_answer_is_shown(console: Console) -> None:
    expect(console.page.get_by_text("执行任务后，输出将显示在这里...")).to_be_visible()
    console.run(steps("think about it", "$ echo out-of-the-tool"))

    console.stands("已完成")
    expect(console.rows.first).to_contain_text("第 1 轮")
    expect(console.log.get_by_text("running it")).to_be_visible()
    expect(console.log.get_by_text("out-of-the-tool").last).to_be_visible()
    expect(console.field).to_have_value("")
    expect(console.field).to_be_focused()
    assert console.watched.complaints == []
    assert console.watched.foreign == []


def test_a_task_is_sent_by_the_button(console: Console) -> None:
    console.field.fill("anything at all")
    console.button(SEND).click()
    expect(console.log.get_by_text("heard: anything at all")).to_be_visible()
    console.stands("已完成")


def test_words_are_shown_before_the_sentence_is_whole(console: Console) -> None:
    console.send("slowly 2")
    expect(console.log.get_by_text("slow", exact=True)).to_be_visible()
    console.stands("运行中")
    expect(console.log.get_by_text("slowly", exact=True)).to_be_visible()
    console.stands("已完成")


def test_while_it_runs_the_field_is_off_and_the_button_stops(console: Console, obedient: ServerProcess) -> None:
    console.send(LASTING)
    expect(console.field).to_be_disabled()
    expect(console.field).to_have_attribute("placeholder", "处理中...")
    expect(console.button(SEND)).to_have_count(0)
    expect(console.status).to_contain_text("正在执行 touch begun")
    _wait_for_the_command(console, obedient)

    console.button(STOP).click()
    console.stands("已停止")
    assert at_work_in(obedient.workspace).keys() == {obedient.pid}
    expect(console.field).to_be_enabled()
    expect(console.log.get_by_role("heading", name="已停止")).to_be_visible()


def _wait_for_the_command(console: Console, server: ServerProcess) -> None:
    """The page shows the call as it is made, and its process comes a moment later."""
    for _ in range(500):
        if any("sleep 98765" in command for command in working_in(server.workspace).values()):
            return
        console.page.wait_for_timeout(20)
    raise AssertionError("the command did not begin")


def test_escape_stops_when_it_is_pressed_twice(console: Console, obedient: ServerProcess) -> None:
    console.send(LASTING)
    expect(console.status).to_contain_text("sleep 98765")
    console.page.keyboard.press("Escape")
    console.stands("运行中")
    console.page.keyboard.press("Escape")
    console.page.keyboard.press("Escape")
    console.stands("已停止")
    assert at_work_in(obedient.workspace).keys() == {obedient.pid}


def test_control_and_enter_break_the_line(console: Console) -> None:
    console.field.fill("one two")
    for _ in range(3):
        console.field.press("ArrowLeft")
    console.field.press("Control+Enter")
    expect(console.field).to_have_value("one \ntwo")
    expect(console.page.get_by_text("执行任务后")).to_be_visible()


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_prompt_is_told_under_the_field(console: Console, text: str) -> None:
    console.send(text)
    expect(console.page.get_by_role("alert")).to_have_text("请输入任务描述")
    expect(console.field).to_have_attribute("aria-invalid", "true")
    expect(console.field.locator("..")).to_have_css("border-color", "rgb(225, 76, 76)")
    console.field.fill("words")
    expect(console.page.get_by_role("alert")).to_have_count(0)


def test_a_prompt_that_is_too_long_is_told_in_the_servers_words(console: Console) -> None:
    long = "x" * 100_001
    console.send(long)
    expect(console.page.get_by_role("alert")).to_have_text("任务描述超过最大长度限制")
    expect(console.field).to_have_value(long)


def test_a_reload_in_the_middle_shows_the_same_and_goes_on(console: Console) -> None:
    console.send(steps("$ echo first", "slowly 3"))
    expect(console.log.get_by_text("slow", exact=True)).to_be_visible()
    before = console.texts()
    console.page.reload()
    expect(console.rows.nth(3)).to_be_visible()
    assert console.texts()[:3] == before[:3]
    expect(console.log.get_by_text("slowly", exact=True)).to_be_visible()
    console.stands("已完成")


# faults: F7
def test_two_tabs_show_the_same_rows_from_the_same_events(
    console: Console, watch: Watch, obedient: ServerProcess
) -> None:
    console.send(steps("$ echo first", "slowly 2", "$ echo last"))
    other = Console(watch(obedient)).open(f"/session/{console.session_id}")
    other.stands("运行中")
    console.stands("已完成")
    other.stands("已完成")
    expect(console.rows).to_have_count(other.rows.count())
    assert console.texts() == other.texts()

    # What the one sends is learnt by the other from the log, too.
    other.run("from the other tab")
    expect(console.log.get_by_text("heard: from the other tab")).to_be_visible()
    console.stands("已完成")
    assert console.texts() == other.texts()
