"""When something is not as it should be: too many requests, no server, a restart, a key that is no longer good."""

import re

from playwright.sync_api import WebSocketRoute, expect
from tests.acceptance.support.obedient import steps
from tests.browser.conftest import StartServer, Watch, free_port
from tests.browser.console import SEND, Console

from glasshouse.testing.server_process import KEY, ServerProcess


def test_too_many_requests_are_counted_down_and_the_draft_is_kept(watch: Watch, start_server: StartServer) -> None:
    watched = watch(start_server(GLASSHOUSE_RATE_LIMIT="1"))
    watched.page.clock.install()
    console = Console(watched).open()
    console.run("first words")
    console.send("second words")

    dialog = console.page.get_by_role("alertdialog")
    expect(dialog.get_by_role("heading")).to_have_text("请求过于频繁，请稍后再试")
    expect(dialog).to_contain_text(re.compile(r"[1-9]\d? 秒后可以再发。草稿还在。"))
    expect(dialog.get_by_role("button", name=SEND)).to_be_disabled()
    console.page.clock.fast_forward(61_000)
    expect(dialog).to_contain_text("现在可以再发了")
    expect(dialog.get_by_role("button", name=SEND)).to_be_enabled()
    dialog.get_by_role("button", name="知道了").click()
    expect(dialog).to_have_count(0)
    expect(console.field).to_have_value("second words")


# faults: F1
def test_a_connection_that_is_cut_comes_back_with_what_was_missed(watch: Watch, obedient: ServerProcess) -> None:
    watched = watch(obedient)
    routes: list[WebSocketRoute] = []

    def through(route: WebSocketRoute) -> None:
        routes.append(route)
        route.connect_to_server()

    watched.page.route_web_socket(re.compile("/api/events/ws"), through)
    console = Console(watched).open()
    console.send(steps("$ echo one", "slowly 1", "$ echo two", "slowly 1"))
    expect(console.log.get_by_text("slow", exact=True)).to_be_visible()
    routes[0].close(code=1011)
    expect(console.log.get_by_role("heading", name="已完成")).to_be_visible(timeout=20_000)

    assert len(routes) > 1
    expect(console.page.get_by_text("正在重新连接")).to_have_count(0)
    undisturbed = Console(watch(obedient)).open(f"/session/{console.session_id}")
    undisturbed.stands("已完成")
    expect(undisturbed.log.get_by_role("heading", name="已完成")).to_be_visible()
    assert console.texts() == undisturbed.texts()


def test_a_server_that_was_killed_is_told_and_comes_back(watch: Watch, start_server: StartServer) -> None:
    server = start_server("--port", str(free_port()))
    watched = watch(server)
    watched.page.clock.install()
    console = Console(watched).open()
    console.send(steps("say before", "$ touch begun; sleep 98765"))
    expect(console.status).to_contain_text("sleep 98765")
    server.kill()

    expect(console.page.get_by_text("正在重新连接")).to_be_visible()
    console.stands("状态未知")
    # Nothing goes on moving as if it were known to run.
    console.page.wait_for_function("document.getAnimations().length === 0")
    console.page.clock.fast_forward(10_000)
    expect(console.page.get_by_text("连接已断开")).to_be_visible()
    expect(console.page.get_by_text("不代表现在")).to_be_visible()
    expect(console.button(SEND)).to_be_disabled()
    console.field.fill("written meanwhile")
    console.field.press("Enter")
    expect(console.page.get_by_role("alert")).to_have_count(0)

    console.button("重试").click()
    expect(console.page.get_by_text("连接已断开")).to_be_visible()
    server.start()
    console.page.clock.fast_forward(10_000)
    expect(console.page.get_by_text("连接已断开")).to_have_count(0)
    console.stands("已中断")
    expect(console.log.get_by_text("before", exact=True)).to_be_visible()
    expect(console.log.get_by_text("结果未知").first).to_be_visible()
    expect(console.field).to_have_value("written meanwhile")

    console.button("继续此会话").click()
    expect(console.log.get_by_text(re.compile("heard: 刚才被中断了"))).to_be_visible()
    console.stands("已完成")
    expect(console.field).to_have_value("written meanwhile")


def test_whoever_is_no_longer_signed_in_comes_back_to_the_same_place(watch: Watch, obedient: ServerProcess) -> None:
    console = Console(watch(obedient)).open()
    console.run("first words")
    place = console.page.url
    console.page.context.clear_cookies()
    console.send("second words")
    expect(console.page.locator("#key")).to_be_visible()
    console.page.locator("#key").fill(KEY)
    console.page.keyboard.press("Enter")

    expect(console.field).to_have_value("second words")
    assert console.page.url == place
    expect(console.log.get_by_text("heard: first words")).to_be_visible()
    console.field.press("Enter")
    expect(console.log.get_by_text("heard: second words")).to_be_visible()


def test_a_failed_task_tells_why_and_is_tried_again(watch: Watch, obedient: ServerProcess) -> None:
    console = Console(watch(obedient)).open()
    console.run("fail 400")
    console.stands("失败")
    expect(console.status).to_contain_text("as told")
    console.field.fill("the next one")
    console.log.get_by_role("button", name="重试").click()
    expect(console.log.get_by_role("heading", name="第 2 轮")).to_be_visible()
    expect(console.field).to_be_enabled(timeout=20_000)
    expect(console.field).to_have_value("the next one")
