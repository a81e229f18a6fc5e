"""What waits for a person, in the browser: asked, answered in any tab, kept over a reload and a server's end."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect
from tests.acceptance.conftest import environment_for
from tests.acceptance.support.model import ModelInThread, model_in_thread
from tests.acceptance.support.obedient import Obedient
from tests.acceptance.support.processes import left_in
from tests.browser.checks import assert_english, findings
from tests.browser.conftest import Watch, free_port
from tests.browser.console import Console

from glasshouse.testing.offline_model import Call, Say, played
from glasshouse.testing.server_process import KEY, ServerProcess, running_server

ASKS, ASKS_MUCH, PLANS = "Ask me a colour.", "Ask me much.", "Plan it."
PHONE: ViewportSize = {"width": 390, "height": 844}


def _question(text: str, *labels: str) -> dict[str, object]:
    options = [{"label": label, "description": f"what {label} means"} for label in labels]
    return {"question": text, "header": "Choice", "multiSelect": False, "options": options}


COLOUR = Call("AskUserQuestion", {"questions": [_question("Which colour?", "Red", "Blue")]})
MUCH = Call(
    "AskUserQuestion",
    {"questions": [_question(f"What of {part}?", "this", "that", "neither", "both") for part in ("a", "b", "c")]},
)
LONG_STORY = "\n\n".join(f"## Part {part}\n\n{'A word of it. ' * part}" for part in range(1, 40))
SCRIPTS = [
    played(ASKS, COLOUR, Say("Thank you for the colour.")),
    played(ASKS_MUCH, (Say(LONG_STORY), MUCH), Say("Thank you for it all.")),
    played(PLANS, Call("ExitPlanMode", {"plan": "1. First **this**.\n2. Then that."}), Say("Heard of the plan.")),
]


@pytest.fixture(scope="module")
def model() -> Iterator[ModelInThread]:
    with model_in_thread([*SCRIPTS, Obedient()]) as running:
        yield running


@pytest.fixture(scope="module")
def asking(model: ModelInThread, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Keeps its address when it is started again."""
    home = tmp_path_factory.mktemp("asking")
    arguments = ("--port", str(free_port()))
    with running_server(home, arguments=arguments, environment=environment_for(model, home)) as running:
        yield running
    left = left_in(home)
    assert not left


@pytest.fixture
def console(watch: Watch, asking: ServerProcess) -> Console:
    return Console(watch(asking)).open()


def _panel(page: Page, title: str = "需要你的回答") -> Locator:
    return page.get_by_role("region", name=title)


def _asked(console: Console, prompt: str = ASKS, title: str = "需要你的回答") -> Locator:
    console.send(prompt)
    panel = _panel(console.page, title)
    panel.wait_for()
    return panel


def test_the_demo_asks_and_goes_on_with_what_is_answered(watch: Watch, server: ServerProcess) -> None:
    console = Console(watch(server)).open(tools=["Write", "Read"])
    panel = _asked(console, "先问我三个问题再动手")
    console.stands("等待你的回答")
    expect(console.page).to_have_title(re.compile(r"^\(1\) 等待你的回答 · 先问我三个问题再动手"))
    expect(console.page.get_by_role("link", name="1 个会话等待你的回答")).to_be_visible()
    expect(console.field).to_have_attribute("placeholder", "先回答上面的问题")

    console.button("确认").click()
    expect(panel.get_by_role("alert")).to_have_text(["还没有回答"] * 3)
    panel.get_by_label("问候").check()
    panel.get_by_label("日期一栏").check()
    panel.get_by_label("一条分隔线").check()
    panel.get_by_label("其他").last.check()
    panel.get_by_role("textbox", name="其他").fill("小玻璃")
    console.button("确认").click()

    console.stands("已完成")
    expect(panel).to_have_count(0)
    written = (server.workspace / "glasshouse_greeting.md").read_text()
    assert "# 问候" in written and "致小玻璃：" in written and "日期：" in written and "---" in written
    expect(console.log.get_by_text("日期一栏、一条分隔线")).to_be_visible()
    expect(console.log.get_by_text("在控制台", exact=True)).to_have_count(3)
    expect(console.page).to_have_title("先问我三个问题再动手 · Glasshouse")
    assert console.watched.complaints == []


# faults: F7
def test_a_reload_keeps_what_was_chosen_and_another_tab_may_answer(
    console: Console, watch: Watch, asking: ServerProcess
) -> None:
    panel = _asked(console)
    panel.get_by_label("Blue").check()
    console.page.reload()
    expect(panel.get_by_label("Blue")).to_be_checked()

    other = Console(watch(asking)).open()
    other.page.goto("/examples")
    expect(other.page).to_have_title("(1) 等待你的回答 · 示例任务 · Glasshouse")
    other.page.goto(f"/session/{console.session_id}")
    _panel(other.page).get_by_label("Red").check()
    other.button("确认").click()
    console.stands("已完成")
    other.stands("已完成")
    expect(panel).to_have_count(0)
    expect(console.log.get_by_text("Red", exact=True)).to_be_visible()
    expect(console.log.get_by_text("Thank you for the colour.")).to_be_visible()
    assert console.texts() == other.texts()


def test_an_answer_through_another_door_turns_the_panel_into_its_line(console: Console) -> None:
    panel = _asked(console)
    question_id = panel.locator("[data-question]").get_attribute("data-question")
    answer = {"session_id": console.session_id, "question_id": question_id, "answer": "Blue"}
    headers = {"Authorization": f"Bearer {KEY}"}
    assert console.page.request.post(f"{console.url}/api/task/answer", data=answer, headers=headers).ok
    expect(panel).to_have_count(0)
    expect(console.log.get_by_text("Blue", exact=True)).to_be_visible()
    console.stands("已完成")


def test_a_server_that_was_killed_while_it_waits_goes_on_with_the_answer(
    console: Console, asking: ServerProcess
) -> None:
    panel = _asked(console)
    panel.get_by_label("Red").check()
    asking.kill()
    asking.start()
    console.page.reload()
    expect(panel.get_by_label("Red")).to_be_checked()
    console.stands("等待你的回答")
    console.button("确认").click()
    console.stands("已完成")
    expect(console.log.get_by_text("Thank you for the colour.")).to_be_visible()


def test_cancelled_with_a_reason_the_model_hears_it(console: Console, model: ModelInThread) -> None:
    panel = _asked(console)
    console.button("取消").click()
    panel.get_by_role("textbox", name="取消的原因").fill("colours are for later")
    console.button("取消问题").click()
    console.stands("已完成")
    expect(console.log.get_by_text("已取消", exact=True)).to_be_visible()
    expect(console.log.get_by_text("colours are for later")).to_be_visible()
    assert model.heard("colours are for later")


def test_a_permission_is_given_once_and_by_nothing_but_its_button(
    watch: Watch, asking: ServerProcess, model: ModelInThread
) -> None:
    console = Console(watch(asking)).open(tools=None)
    panel = _asked(console, "$ touch granted", "请求许可")
    expect(panel.locator("pre")).to_have_text("$ touch granted")
    expect(panel.locator(":checked, :focus")).to_have_count(0)
    for key in ("Enter", "Space", "Control+Enter", "a", "1", "y"):
        console.page.keyboard.press(key)
    expect(panel).to_be_visible()
    assert not (asking.workspace / "granted").exists()
    console.button("允许一次").click()
    console.stands("已完成")
    assert (asking.workspace / "granted").exists()

    console.send("$ touch denied")
    panel.get_by_role("textbox", name="附一句话").fill("not on a Friday")
    panel.get_by_role("button", name="拒绝").click()
    console.stands("已完成")
    expect(console.log.get_by_text("not on a Friday").first).to_be_visible()
    assert model.heard("not on a Friday")
    assert not (asking.workspace / "denied").exists()


def test_a_plan_is_read_and_approved(watch: Watch, asking: ServerProcess) -> None:
    console = Console(watch(asking)).open(tools=None, permission_mode="plan")
    panel = _asked(console, PLANS, "批准这个计划")
    expect(panel.locator("strong")).to_have_text("this")
    panel.get_by_role("button", name="批准", exact=True).click()
    console.stands("已完成")
    expect(console.log.get_by_text("Heard of the plan.")).to_be_visible()


def test_on_a_phone_a_long_panel_is_read_from_its_head_and_its_foot_stays(console: Console) -> None:
    page = console.page
    page.set_viewport_size(PHONE)
    panel = _asked(console, ASKS_MUCH)
    for _ in range(2):
        head, foot, log = panel.locator("header"), panel.locator("footer"), console.log
        page.wait_for_function(
            """([head, log]) => Math.abs(head.getBoundingClientRect().top - log.getBoundingClientRect().top) < 20""",
            arg=[head.element_handle(), log.element_handle()],
        )
        expect(foot.get_by_role("button", name="确认")).to_be_in_viewport(ratio=1)
        boxes = [box for box in (foot.bounding_box(), log.bounding_box()) if box is not None]
        assert abs((boxes[0]["y"] + boxes[0]["height"]) - (boxes[1]["y"] + boxes[1]["height"])) <= 1
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        assert log.evaluate("(element) => element.scrollWidth === element.clientWidth")
        page.reload()
        panel.wait_for()

    last = panel.locator("[data-question]").last
    last.get_by_label("neither").check()
    place = last.bounding_box()
    last.get_by_label("both").check()
    assert last.bounding_box() == place
    console.button("停止").click()
    console.stands("已停止")


def test_the_keyboard_alone_answers(console: Console) -> None:
    _asked(console)
    page = console.page
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('[data-question]') !== null"):
            break
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+Enter")
    console.stands("已完成")
    expect(console.log.get_by_text("Blue", exact=True)).to_be_visible()


@pytest.mark.parametrize(
    "case",
    [
        (ASKS, "Needs your answer", "default"),
        ("$ touch axe", "Asks for permission", "default"),
        (PLANS, "Approve this plan", "plan"),
    ],
)
def test_every_panel_is_for_everybody(
    watch: Watch, asking: ServerProcess, axe: str, case: tuple[str, str, str]
) -> None:
    prompt, title, mode = case
    console = Console(watch(asking)).open(tools=None, permission_mode=mode, language="en")
    panel = _asked(console, prompt, title)
    assert_english(console.page)
    assert findings(console.page, axe) == []
    if prompt == ASKS:
        panel.get_by_label("Other").check()
        console.button("Confirm").click()
        expect(panel.get_by_role("alert")).to_have_count(1)
        assert findings(console.page, axe) == []
    console.button("Stop").click()
    console.stands("Stopped")
    expect(panel).to_have_count(0)
    assert_english(console.page)
