"""A session over its rounds: resumed, left for a new one, continued; and what the next task is asked with."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Request, expect
from tests.acceptance.support.obedient import steps
from tests.browser.conftest import Watch
from tests.browser.console import STOP, Console

from glasshouse.testing.server_process import ServerProcess


@pytest.fixture
def console(watch: Watch, obedient: ServerProcess) -> Console:
    return Console(watch(obedient)).open()


@pytest.fixture
def asked(console: Console) -> list[dict[str, Any]]:
    """The bodies of the tasks that the page asks for."""
    bodies: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.method == "POST" and "/api/task" in request.url:
            bodies.append(json.loads(request.post_data or "{}"))

    console.page.on("request", note)
    return bodies


def test_a_prompt_in_a_shown_session_goes_on_with_it(console: Console, asked: list[dict[str, Any]]) -> None:
    console.run("first words")
    session_id = console.session_id
    expect(console.page.get_by_label("继续会话")).to_be_disabled()
    expect(console.page.get_by_title("会话在哪个目录开始，就一直在哪个目录")).to_contain_text("/work")
    console.run("second words")

    assert console.session_id == session_id
    assert [body.get("resume") for body in asked] == [None, session_id]
    expect(console.log.get_by_role("heading", name="第 2 轮")).to_be_visible()
    expect(console.log.get_by_text("heard: second words")).to_be_visible()
    expect(console.page.get_by_text("已完成").first).to_be_visible()


def test_a_new_session_begins_with_an_empty_page(console: Console, asked: list[dict[str, Any]]) -> None:
    console.run("first words")
    session_id = console.session_id
    console.field.fill("left over")
    console.button("新会话").click()
    expect(console.field).to_have_value("")
    console.stands("空闲")
    console.run("other words")

    assert console.session_id != session_id
    assert "resume" not in asked[1]
    # Both are open as tabs; the first is found as it was.
    tabs = console.page.get_by_role("navigation", name="打开的会话")
    tabs.get_by_role("link", name="first words").click()
    expect(console.log.get_by_text("heard: first words")).to_be_visible()
    console.button("关闭 first words").click()
    console.stands("空闲")
    expect(tabs.get_by_role("link", name="other words")).to_be_visible()


def test_control_and_l_clears_what_is_over(console: Console) -> None:
    console.run("first words")
    console.page.keyboard.press("Control+l")
    expect(console.page.get_by_text("执行任务后，输出将显示在这里...")).to_be_visible()
    console.stands("空闲")
    expect(console.page.get_by_text("会话ID新会话")).to_be_visible()
    expect(console.page.get_by_text("耗时")).to_have_count(0)


def test_control_and_l_clears_only_the_view_while_a_task_runs(console: Console) -> None:
    console.send(steps("say early", "$ touch begun; sleep 98765"))
    expect(console.status).to_contain_text("sleep 98765")
    session_id = console.session_id
    console.page.keyboard.press("Control+l")
    expect(console.log.get_by_text("early")).to_have_count(0)
    console.stands("运行中")
    assert console.session_id == session_id
    console.button(STOP).click()
    console.stands("已停止")


def test_continuing_takes_the_newest_session_of_the_directory(console: Console, asked: list[dict[str, Any]]) -> None:
    console.run("first words")
    session_id = console.session_id
    console.button("新会话").click()
    console.page.get_by_label("继续会话").check()
    expect(console.page.get_by_text("最近的会话")).to_be_visible()
    console.run("go on")

    assert asked[1]["continue_conversation"] is True
    assert console.session_id == session_id
    expect(console.log.get_by_role("heading", name="第 2 轮")).to_be_visible()


def test_tools_are_chosen_by_name(console: Console, asked: list[dict[str, Any]]) -> None:
    console.button("工具权限 Bash").click()
    console.page.get_by_role("checkbox", name=re.compile("^Read")).check()
    console.page.keyboard.press("Escape")
    console.run("whatever")
    console.button("工具权限 Bash Read").click()
    console.page.get_by_role("checkbox", name=re.compile("^Claude Code 默认的工具")).check()
    console.page.keyboard.press("Escape")
    console.run("whatever")

    assert [body.get("tools") for body in asked] == [["Bash", "Read"], None]


def test_the_permission_mode_is_sent(console: Console, asked: list[dict[str, Any]]) -> None:
    console.page.get_by_role("combobox", name="权限模式").click()
    expect(console.page.get_by_role("option", name=re.compile("bypassPermissions"))).to_be_disabled()
    console.page.get_by_role("option", name=re.compile("acceptEdits")).click()
    console.run("whatever")
    assert asked[0]["permission_mode"] == "acceptEdits"


def test_a_directory_is_completed_and_worked_in(
    console: Console, obedient: ServerProcess, asked: list[dict[str, Any]]
) -> None:
    (obedient.workspace / "shop" / "orders").mkdir(parents=True)
    console.page.get_by_role("button", name=re.compile("^工作目录")).click()
    box = console.page.get_by_role("combobox", name="工作目录")
    box.fill(f"{obedient.workspace}/sh")
    expect(console.page.get_by_role("option")).to_have_text([f"{obedient.workspace}/shop"])
    box.press("Tab")
    expect(console.page.get_by_role("option")).to_have_text([f"{obedient.workspace}/shop/orders"])
    box.press("ArrowDown")
    box.press("Enter")
    console.run("$ pwd")

    assert asked[0]["working_dir"] == f"{obedient.workspace}/shop/orders"
    expect(console.log.get_by_text("/shop/orders").first).to_be_visible()


def test_a_directory_that_is_refused_is_told_in_its_place(console: Console) -> None:
    console.page.get_by_role("button", name=re.compile("^工作目录")).click()
    console.page.get_by_role("combobox", name="工作目录").fill("/etc")
    expect(console.page.get_by_text("没有可用的目录以此开头")).to_be_visible()
    console.page.keyboard.press("Enter")
    console.send("kept words")
    expect(console.page.get_by_role("alert")).to_have_text("工作目录不存在或无权限访问")
    expect(console.field).to_have_value("kept words")


def test_an_example_fills_the_composer(console: Console, watch: Watch, server: ServerProcess) -> None:
    demo = Console(watch(server)).open()
    demo.page.get_by_role("link", name="全部示例").click()
    expect(demo.page).to_have_url(re.compile("/examples$"))
    demo.page.get_by_role("button", name=re.compile("^列出文件")).click()
    expect(demo.field).to_have_value("列出当前目录的文件")
    demo.field.press("Enter")
    demo.stands("已完成")
    expect(demo.page.locator("dl").last).to_contain_text("免费")
