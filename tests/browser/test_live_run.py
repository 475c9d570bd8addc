"""A run that was started in a shell, in a real browser: watched, stopped from the app, and resumed in the shell."""

import json
import subprocess
import sys

from tests.browser.conftest import OpenPage, RunningApp
from tests.support.browser import wait_until_drawn


def test_run_of_the_shell_is_watched_stopped_and_resumed(visit: OpenPage, app: RunningApp) -> None:
    data, run = app.allowed / "live.jsonl", app.runs / "live"
    rows = [{"id": str(row), "question": f"what {row}", "answer": f"what {row}"} for row in range(400)]
    data.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    command = [sys.executable, "-m", "auricle", "run", str(data), "--as", "qa", "-m", "fake-api", "-M", "delay=0.1"]
    command += ["-o", str(run), "--concurrency"]
    with subprocess.Popen([*command, "1"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as first:
        while not (run / "outputs.jsonl").exists():
            assert first.poll() is None
            visit().close()
        page = visit("benchmark?run=live")
        page.get_by_text(" of 400 samples").first.wait_for()
        page.get_by_text("So far").wait_for()
        page.get_by_text("Latest samples").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("stopped: ").wait_for()
        assert first.wait(20) != 0
    done = (run / "outputs.jsonl").read_bytes().count(b"\n")
    assert 0 < done < 400
    page.get_by_text(f"stopped: {done} of 400 samples").wait_for()
    page.get_by_test_id("stMetric").first.wait_for()
    subprocess.run([*command, "100"], check=True, capture_output=True, timeout=60)
    page.reload()
    wait_until_drawn(page)
    page.get_by_test_id("stMetric").first.wait_for()
    assert page.get_by_text("stopped: ").count() == 0
    assert (run / "outputs.jsonl").read_bytes().count(b"\n") == 400
