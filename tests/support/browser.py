"""Helpers for tests of the app in a browser."""

from typing import Any


def wait_until_drawn(page: Any) -> None:
    """Wait until the app has finished drawing the page."""
    page.wait_for_selector("h1", state="visible")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
