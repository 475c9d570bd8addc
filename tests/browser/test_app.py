"""The app in a real browser: a newcomer's path, runs stopped and resumed, hostile visitors."""

import json
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.support.browser import settled


def press(page: Any, name: Any) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def choose(page: Any, label: Any, option: Any) -> None:
    """Choose in a select box by typing, as one does with long lists."""
    box = page.get_by_role("combobox", name=label)
    box.fill(option)
    box.press("Enter")
    settled(page)


def log_of(page: Any) -> Any:
    """What the page asked other machines for, and what went wrong in it."""
    wrong, ours = [], ("http://localhost", "data:", "blob:")
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: asked.url.startswith(ours) or wrong.append(asked.url))
    return wrong


def test_a_newcomer_runs_the_demo_sees_results_hears_a_sample_and_compares(visit: Any) -> None:
    page = visit()
    wrong = log_of(page)
    press(page, "Run the demo")
    page.get_by_text("under way").wait_for()
    page.get_by_role("link", name="Results of demo/moonshine").wait_for(timeout=60_000)
    page.get_by_test_id("stMetric").filter(has_text="WER").first.wait_for()
    page.goto(page.url.rstrip("/") + "/samples?run=demo/moonshine")
    settled(page)
    page.wait_for_function("[...document.querySelectorAll('audio')].some(a => a.duration > 1)")
    page.goto(page.url.split("/samples")[0] + "/compare?a=demo/moonshine&b=demo/pocketsphinx")
    settled(page)
    page.locator("table").filter(has_text="WER").first.wait_for()
    assert page.locator("[data-testid=stException]").count() == 0
    assert wrong == []


@pytest.fixture
def rows(app: Any) -> Any:
    path = app.allowed / "slow.jsonl"
    lines = [{"id": str(at), "question": f"what {at}", "answer": f"what {at}"} for at in range(12)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_run_is_started_stopped_resumed_and_shown(visit: Any, app: Any, rows: Any) -> None:
    page = visit("benchmark")
    choose(page, "Model", "fake-api")
    page.get_by_text("My data").click()
    settled(page)
    choose(page, "File", str(rows))
    choose(page, "What it is for", "qa")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Of the model").fill("delay=0.25")
    page.get_by_label("Requests at once").fill("1")
    page.get_by_label("Name of the run").fill("stopped once")
    page.get_by_label("Name of the run").press("Enter")
    settled(page)
    press(page, "Start")
    page.get_by_text(" of 12 samples ·").wait_for()
    press(page, "Stop")
    page.get_by_text("stopped; nothing answered is lost", exact=True).wait_for()
    held = (app.runs / "stopped once" / "outputs.jsonl").read_bytes().count(b"\n")
    assert 0 < held < 12
    press(page, "Resume")
    page.get_by_role("link", name="Results of stopped once").click()
    page.get_by_test_id("stMetric").filter(has_text="100").first.wait_for()
    assert (app.runs / "stopped once" / "outputs.jsonl").read_bytes().count(b"\n") == 12


def test_a_sound_is_uploaded_heard_and_answered(visit: Any, app: Any) -> None:
    path = app.allowed / "tone.wav"
    soundfile.write(path, 0.3 * np.sin(np.arange(16_000) / 6), 16_000)
    page = visit("listen")
    page.get_by_text("Upload", exact=True).first.click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_text("tone.wav: 1.00 s at 16 kHz").wait_for()
    page.wait_for_function("[...document.querySelectorAll('audio')].some(a => a.duration == 1)")
    box = page.get_by_role("combobox", name="Models")
    box.press("Backspace")
    box.fill("fake-labels")
    box.press("Enter")
    settled(page)
    page.keyboard.press("Escape")
    press(page, "Ask")
    page.get_by_text("top class").wait_for()


def test_what_is_no_sound_is_told_and_what_is_huge_is_not_taken(visit: Any) -> None:
    page = visit("listen")
    page.get_by_text("Upload", exact=True).first.click()
    upload = page.locator("input[type=file]")
    upload.set_input_files({"name": "<img src=x onerror=alert(1)>.wav", "mimeType": "audio/wav",
                            "buffer": b"not a sound"})  # fmt: skip
    page.get_by_text("cannot be used").wait_for()
    assert page.locator("img[src=x]").count() == 0
    upload.set_input_files({"name": "huge.wav", "mimeType": "audio/wav", "buffer": b"\0" * 3_000_000})
    page.get_by_text("2MB or smaller").or_(page.get_by_text("2.0MB")).first.wait_for()


def test_an_address_leads_to_no_other_folder(visit: Any) -> None:
    page = visit("benchmark?run=..%2fallowed")
    page.get_by_text("is not in the runs folder").wait_for()


@pytest.mark.parametrize("path", ["listen", "benchmark"])
def test_a_page_fits_a_phone(visit: Any, path: str) -> None:
    page = visit(path, width=380, height=800)
    wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= 380


def test_a_visitor_from_another_site_is_refused(app: Any, context: Any) -> None:
    shake = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw=="}  # fmt: skip
    asked = f"{app.url}/_stcore/stream"
    answer = context.request.get(asked, headers={**shake, "Origin": "http://evil.example"})
    assert answer.status == 403
