"""The console under its own policy: no inline script or style, nothing foreign; and what it shows still works."""

from playwright.sync_api import Page, expect
from tests.browser.conftest import Watched

from glasshouse.testing.server_process import KEY


def _open(watched: Watched) -> Page:
    page = watched.page
    page.request.post("/api/login", data={"key": KEY})
    page.goto("/")
    expect(page.get_by_role("textbox").first).to_be_visible()
    return page


# faults: K4
def test_the_policy_has_nothing_to_refuse(watched: Watched) -> None:
    page = _open(watched)
    for opener in page.locator("[aria-haspopup]:visible, [role=combobox]:visible").all():
        opener.click()
        page.keyboard.press("Escape")

    assert watched.complaints == []
    assert watched.foreign == []


def test_the_rules_that_a_library_computes_reach_the_page(watched: Watched) -> None:
    page = _open(watched)
    expect(page.locator("body")).not_to_have_css("overflow", "hidden")

    page.get_by_role("combobox").first.click()

    expect(page.get_by_role("listbox")).to_be_visible()
    # What stands behind an open list does not scroll: a rule that is written while the page runs.
    expect(page.locator("body[data-scroll-locked]")).to_have_css("overflow", "hidden")
    page.keyboard.press("Escape")
    expect(page.locator("body[data-scroll-locked]")).to_have_count(0)


def test_a_style_or_a_script_in_the_page_is_refused(watched: Watched) -> None:
    page = _open(watched)

    refused = page.evaluate(
        """async () => {
            const seen = [];
            document.addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
            document.head.append(Object.assign(document.createElement("style"), { textContent: "p { color: red }" }));
            document.head.append(Object.assign(document.createElement("script"), { textContent: "window.ran = 1" }));
            await new Promise((resolve) => setTimeout(resolve));
            return { seen, ran: window.ran ?? 0 };
        }"""
    )

    assert refused == {"seen": ["style-src-elem", "script-src-elem"], "ran": 0}
