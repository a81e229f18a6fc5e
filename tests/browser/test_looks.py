"""Languages, themes, a phone, and the keyboard alone."""

import re

from playwright.sync_api import Page, expect
from tests.acceptance.support.obedient import steps
from tests.browser.checks import assert_english
from tests.browser.conftest import Watch
from tests.browser.console import Console

from glasshouse.testing.server_process import KEY, ServerProcess


def test_in_english_no_chinese_is_left(watch: Watch, obedient: ServerProcess, server: ServerProcess) -> None:
    demo = Console(watch(server)).open(language="en")
    expect(demo.page.get_by_text("Let agents work, and see all of it")).to_be_visible()
    expect(demo.page.get_by_role("button", name=re.compile("^List files"))).to_be_visible()
    assert_english(demo.page)
    demo.page.get_by_role("link", name="Example tasks").click()
    expect(demo.page.get_by_role("button", name=re.compile("^List files"))).to_be_visible()
    assert_english(demo.page)

    console = Console(watch(obedient)).open(language="en")
    console.send("")
    expect(console.page.get_by_role("alert")).to_be_visible()
    assert_english(console.page)
    console.send(steps("think hard", "$ touch begun; sleep 98765"))
    expect(console.status).to_contain_text("sleep 98765")
    assert_english(console.page)
    console.button("Stop").click()
    console.stands("Stopped")
    console.run("fail 400")
    console.stands("Failed")
    assert_english(console.page)
    console.page.context.clear_cookies()
    console.page.reload()
    expect(console.page.locator("#key")).to_be_visible()
    assert_english(console.page)


def test_the_language_is_changed_with_one_click_and_kept(watch: Watch, server: ServerProcess) -> None:
    console = Console(watch(server)).open()
    console.button("EN").click()
    expect(console.page.get_by_text("Let agents work, and see all of it")).to_be_visible()
    expect(console.page.locator("html")).to_have_attribute("lang", "en")
    console.page.reload()
    assert_english(console.page)
    console.button("中文").click()
    expect(console.page.get_by_text("让代理干活，全程看得见")).to_be_visible()


def test_the_theme_follows_the_system_until_one_is_chosen(watch: Watch, server: ServerProcess) -> None:
    page = Console(watch(server)).open().page

    def is_dark() -> bool:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) < 150

    page.emulate_media(color_scheme="dark")
    assert is_dark()
    page.emulate_media(color_scheme="light")
    assert not is_dark()
    page.get_by_role("button", name="主题：跟随系统").click()
    page.get_by_role("button", name="主题：浅色").click()
    expect(page.get_by_role("button", name="主题：深色")).to_be_visible()
    assert is_dark()
    page.reload()
    expect(page.get_by_role("button", name="主题：深色")).to_be_visible()
    assert is_dark()


def test_a_phone_shows_all_of_it_without_scrolling_sideways(watch: Watch, obedient: ServerProcess) -> None:
    console = Console(watch(obedient))
    page = console.page
    page.set_viewport_size({"width": 390, "height": 740})
    console.open()
    assert _overflow(page) == 0
    console.run(steps("think " + "x" * 200, "$ seq -s x 1 200; ls -la /", "say " + "a" * 300))
    assert _overflow(page) == 0
    page.set_viewport_size({"width": 360, "height": 740})
    assert _overflow(page) == 0
    expect(page.get_by_text("think xxx").first).to_be_visible()
    # Targets are large enough for a thumb.
    for button in (console.button("发送"), console.button("新会话"), console.button("主菜单")):
        box = button.bounding_box()
        assert box is not None and min(box["width"], box["height"]) >= 32, box

    console.button("新会话").click()
    expect(page.get_by_text("执行任务后")).to_be_visible()
    assert _overflow(page) == 0
    console.run("another")
    page.get_by_role("button", name=re.compile("another")).click()
    page.get_by_role("menuitem", name=re.compile("^think")).click()
    expect(console.log.get_by_role("heading", name="已完成")).to_be_visible()


def test_on_a_phone_the_menu_is_a_drawer(watch: Watch, server: ServerProcess) -> None:
    console = Console(watch(server))
    page = console.page
    page.set_viewport_size({"width": 390, "height": 740})
    console.open()
    expect(page.get_by_role("link", name="示例任务")).to_have_count(0)
    console.button("主菜单").click()
    drawer = page.get_by_role("dialog", name="主菜单")
    expect(drawer.get_by_role("button", name="EN")).to_be_visible()
    drawer.get_by_role("link", name="示例任务").click()
    expect(drawer).to_have_count(0)
    expect(page).to_have_url(re.compile("/examples$"))
    assert _overflow(page) == 0


def test_control_and_b_folds_the_menu(watch: Watch, server: ServerProcess) -> None:
    console = Console(watch(server)).open()
    page = console.page
    menu = page.get_by_role("complementary", name="主菜单")
    wide = menu.bounding_box()
    page.keyboard.press("Control+b")
    expect(console.button("展开菜单")).to_be_visible()
    narrow = menu.bounding_box()
    assert wide is not None and narrow is not None
    assert (round(wide["width"]), round(narrow["width"])) == (208, 52)
    page.keyboard.press("Control+b")
    expect(console.button("收起菜单")).to_be_visible()


def test_the_keyboard_alone_is_enough_from_sign_in_to_stop(watch: Watch, obedient: ServerProcess) -> None:
    watched = watch(obedient)
    page = watched.page
    console = Console(watched)
    page.goto("/")
    expect(page.locator("#key")).to_be_focused()
    page.keyboard.type(KEY)
    page.keyboard.press("Enter")
    expect(console.field).to_be_focused()

    _tab_to(page, "工具权限", backwards=True)
    page.keyboard.press("Enter")
    _tab_to(page, "Bash")
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    expect(console.button("工具权限 Bash")).to_be_focused()
    _tab_to(page, "任务描述")
    page.keyboard.type("$ touch begun; sleep 98765")
    page.keyboard.press("Enter")
    expect(console.status).to_contain_text("sleep 98765")
    _tab_to(page, "停止")
    page.keyboard.press("Enter")
    console.stands("已停止")
    expect(console.field).to_be_focused()


def _tab_to(page: Page, name: str, *, backwards: bool = False) -> None:
    for _ in range(60):
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
        focused = page.evaluate(
            "(({ ariaLabel, innerText, labels }) => ariaLabel ?? labels?.[0]?.innerText ?? innerText)"
            "(document.activeElement)"
        )
        if (focused or "").strip().startswith(name):
            return
    raise AssertionError(f"no way to {name} by Tab")


def _overflow(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide
