"""The app in a real browser: the demo, a run that is stopped and resumed, uploads and hostile requests."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
import soundfile

from tests.browser.conftest import OpenPage, RunningApp
from tests.support.browser import choose, choose_model, wait_until_drawn


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def record_problems(page: Any) -> list[str]:
    """Return a list that collects errors in the page and requests to other hosts."""
    problems: list[str] = []

    def check_request(request: Any) -> None:
        if not request.url.startswith(("http://localhost", "data:", "blob:")):
            problems.append(request.url)

    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", check_request)
    return problems


def test_new_user_runs_the_demo_plays_a_sample_and_compares(visit: OpenPage) -> None:
    page = visit()
    problems = record_problems(page)
    press(page, "Run the demo")
    page.get_by_text("running", exact=True).wait_for()
    page.get_by_role("link", name="Results of demo/moonshine").wait_for(timeout=60_000)
    page.get_by_test_id("stMetric").filter(has_text="WER").first.wait_for()
    page.goto(page.url.rstrip("/") + "/samples?run=demo/moonshine")
    wait_until_drawn(page)
    page.wait_for_function("[...document.querySelectorAll('audio')].some(a => a.duration > 1)")
    page.goto(page.url.split("/samples")[0] + "/compare?a=demo/moonshine&b=demo/pocketsphinx")
    wait_until_drawn(page)
    page.locator("table").filter(has_text="WER").first.wait_for()
    assert page.locator("[data-testid=stException]").count() == 0
    assert problems == []


@pytest.fixture
def data(app: RunningApp) -> Path:
    path = app.allowed / "slow.jsonl"
    rows = [{"id": str(index), "question": f"what {index}", "answer": f"what {index}"} for index in range(12)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_run_is_started_stopped_resumed_and_shown(visit: OpenPage, app: RunningApp, data: Path) -> None:
    page = visit("benchmark")
    choose_model(page, "Model: moonshine", "fake-api", is_fake=True)
    page.get_by_text("My data").click()
    wait_until_drawn(page)
    choose(page, "File", str(data))
    choose(page, "Task kind", "qa")
    for label, value in (("Delay", "0.6"), ("Concurrency", "1"), ("Run name", "stopped once")):
        field = page.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Enter")
        wait_until_drawn(page)
    press(page, "Start")
    page.get_by_text(" of 12 samples ·").wait_for()
    press(page, "Stop")
    page.get_by_text("stopped; completed samples are kept", exact=True).wait_for()
    journal = app.runs / "stopped once" / "outputs.jsonl"
    assert 0 < journal.read_bytes().count(b"\n") < 12
    press(page, "Resume")
    page.get_by_role("link", name="Results of stopped once").click()
    page.get_by_test_id("stMetric").filter(has_text="100").first.wait_for()
    assert journal.read_bytes().count(b"\n") == 12


def test_uploaded_audio_is_played_and_sent_to_a_model(visit: OpenPage, app: RunningApp) -> None:
    path = app.allowed / "tone.wav"
    soundfile.write(path, 0.3 * np.sin(np.arange(16_000) / 6), 16_000)
    page = visit("inference")
    page.get_by_text("Upload", exact=True).first.click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text("tone.wav: 1.00 s at 16 kHz").wait_for()
    page.wait_for_function("[...document.querySelectorAll('audio')].some(a => a.duration == 1)")
    choose_model(page, "Add a model", "fake-labels", is_fake=True)
    page.get_by_role("button", name="Remove moonshine").click()
    wait_until_drawn(page)
    press(page, "Run")
    page.get_by_text("top class").wait_for()


def test_upload_that_is_not_audio_or_too_large_is_rejected(visit: OpenPage) -> None:
    page = visit("inference")
    page.get_by_text("Upload", exact=True).first.click()
    upload = page.locator("input[type=file]")
    upload.set_input_files({"name": "<img src=x onerror=alert(1)>.wav", "mimeType": "audio/wav",
                            "buffer": b"not audio"})  # fmt: skip
    page.get_by_text("Cannot use").wait_for()
    assert page.locator("img[src=x]").count() == 0
    upload.set_input_files({"name": "huge.wav", "mimeType": "audio/wav", "buffer": b"\0" * 3_000_000})
    page.get_by_text("2MB or smaller").or_(page.get_by_text("2.0MB")).first.wait_for()


def test_url_cannot_name_another_folder(visit: OpenPage) -> None:
    page = visit("benchmark?run=..%2fallowed")
    page.get_by_text("is not in the runs folder").wait_for()


@pytest.mark.parametrize("path", ["inference", "benchmark"])
def test_page_fits_a_phone(visit: OpenPage, path: str) -> None:
    page = visit(path, width=380, height=800)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 380


# --- who may connect ------------------------------------------------------------------------------

HANDSHAKE = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw=="}  # fmt: skip
FIND_MEDIA = (
    "[...document.querySelectorAll('audio')].map(player => player.src || player.querySelector('source')?.src)[0]"
)


@pytest.fixture
def stranger(browser: Any) -> Iterator[Any]:
    """Return a browser context without the cookie."""
    context = browser.new_context()
    yield context
    context.close()


def shake_hands(app: RunningApp, query: str = "", **headers: str) -> int:
    """Open the WebSocket of the app and return the status; 101 if it is accepted."""
    url = urlsplit(app.url)
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=10)
    try:
        connection.request("GET", f"/_stcore/stream{query}", headers={**HANDSHAKE, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("query", ["", "?token=wrong"])
def test_page_without_the_token_is_forbidden_and_has_no_content(app: RunningApp, stranger: Any, query: str) -> None:
    page = stranger.new_page()
    response = page.goto(f"{app.url}/{query}")
    assert response.status == 403
    assert page.locator("body").inner_text().startswith("403: open the URL that `auricle ui` printed")
    assert page.locator("[data-testid=stApp], script").count() == 0


def test_media_without_the_token_is_forbidden(app: RunningApp, visit: OpenPage, stranger: Any) -> None:
    page = visit("inference")
    page.wait_for_function(f"!!{FIND_MEDIA}")
    url = page.evaluate(FIND_MEDIA)
    assert "/media/" in url
    assert page.context.request.get(url).status == 200
    for forbidden in (url, f"{url}?token=wrong", f"{app.url}/static/index.html", f"{app.url}/_stcore/health"):
        response = stranger.request.get(forbidden)
        assert response.status == 403
        assert len(response.body()) < 200


def test_websocket_needs_the_token(app: RunningApp) -> None:
    assert shake_hands(app) == shake_hands(app, "?token=wrong") == shake_hands(app, Cookie="auricle=1") == 403
    assert shake_hands(app, f"?token={app.token}") == 101


def test_token_leaves_the_url_and_links_continue_to_work(app: RunningApp, stranger: Any) -> None:
    page = stranger.new_page()
    page.goto(f"{app.url}/benchmark?token={app.token}")
    wait_until_drawn(page)
    assert page.url == f"{app.url}/benchmark"
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Single inference").click()
    page.get_by_role("heading", name="Single inference").wait_for()
    page.wait_for_function("[...document.querySelectorAll('audio')].some(a => a.duration > 1)")


def test_request_from_another_site_is_rejected_even_with_the_token(app: RunningApp) -> None:
    assert shake_hands(app, f"?token={app.token}", Origin="http://evil.example") == 403
