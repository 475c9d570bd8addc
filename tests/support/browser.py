"""What tests in a browser share."""

from typing import Any


def settled(page: Any) -> None:
    """Wait until the app has drawn what it was asked for."""
    page.wait_for_selector("h1", state="visible")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
