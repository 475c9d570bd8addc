"""What tests in a browser share."""


def settled(page):
    """Wait until the app has drawn what it was asked for."""
    page.wait_for_selector("h1", state="visible")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
