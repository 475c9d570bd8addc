"""Helpers for tests of the app in a browser."""

import time
from contextlib import suppress
from typing import Any

IDLE_MILLISECONDS = 250
"""How long the app must be idle to have finished: right after a click it has not begun to draw yet."""
IS_IDLE = """milliseconds => {
    const app = document.querySelector("[data-testid=stApp]");
    const isIdle = app && app.dataset.testScriptState === "notRunning" && document.querySelector("h1");
    window.idleSince = isIdle ? window.idleSince ?? performance.now() : null;
    return isIdle && performance.now() - window.idleSince > milliseconds;
}"""
MAX_ATTEMPTS = 3
MILLISECONDS_PER_CLICK = 8_000
"""Time for the result of a click in a chart to appear before the click is repeated."""


def wait_until_drawn(page: Any) -> None:
    """Wait until the app has finished drawing the page."""
    page.evaluate("window.idleSince = null")
    page.wait_for_function(IS_IDLE, arg=IDLE_MILLISECONDS)


def wait_until(page: Any, expression: str, seconds: float = 20.0) -> None:
    """Wait until an expression is true, on a page whose policy forbids Playwright to evaluate it there repeatedly."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"{expression} did not become true within {seconds:g} s."
        time.sleep(0.05)


def click_mark(page: Any, mark: Any, result: Any) -> None:
    """Click a mark of a chart until the result of the click appears.

    Charts that are drawn once more lose the click, as they do when a person is too fast.
    """
    from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

    for _ in range(MAX_ATTEMPTS):
        wait_until_drawn(page)
        mark.click()
        with suppress(PlaywrightTimeoutError):
            result.wait_for(timeout=MILLISECONDS_PER_CLICK)
            return
    result.wait_for()


def choose(page: Any, label: str, option: str) -> None:
    """Choose an option of a select box by typing."""
    page.get_by_role("combobox", name=label, exact=True).fill(option)
    page.get_by_role("option", name=option, exact=True).first.click()  # Enter would choose nothing before it is listed
    wait_until_drawn(page)


def choose_model(page: Any, button: str, name: str, *, is_fake: bool = False) -> None:
    """Choose a model from the menu that a button opens, with the mouse."""
    page.get_by_role("button", name=button).click()
    menu = page.get_by_role("dialog")
    if is_fake:
        menu.get_by_text("Show fake models").click()
    menu.get_by_role("button", name=name, exact=True).click()
    menu.wait_for(state="detached")
    wait_until_drawn(page)


def choose_with_mouse(page: Any, label: str, option: str) -> None:
    """Choose an option of a select box by scrolling its menu, without typing."""
    box = page.get_by_role("combobox", name=label, exact=True)
    for _ in range(MAX_ATTEMPTS):
        _pick_option(page, box, option)
        if box.input_value() == option:
            return


def _pick_option(page: Any, box: Any, option: str) -> None:
    box.click()
    choice = page.get_by_role("option", name=option, exact=True)
    page.get_by_test_id("stSelectboxVirtualDropdown").hover()
    for _ in range(100):
        if choice.count():
            break
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(50)
    choice.click()
    wait_until_drawn(page)
