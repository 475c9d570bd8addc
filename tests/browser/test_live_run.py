"""A run that was started in a shell, in a real browser: watched, stopped from the app, and resumed in the shell."""

import json
import re
import shlex
import subprocess
import sys

from tests.browser.conftest import OpenPage, RunningApp


def test_run_of_the_shell_is_watched_stopped_and_resumed(visit: OpenPage, app: RunningApp) -> None:
    data, run = app.allowed / "live.jsonl", app.runs / "live"
    rows = [{"id": str(row), "question": f"what {row}", "answer": f"what {row}"} for row in range(200)]
    data.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    command = [sys.executable, "-m", "auricle", "run", str(data), "--as", "qa", "-m", "fake-api", "-M", "delay=0.5"]
    command += ["-o", str(run), "--concurrency"]
    with subprocess.Popen([*command, "2"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as first:
        while not (run / "outputs.jsonl").exists():
            assert first.poll() is None
            visit().close()
        page = visit("benchmark?run=live")
        page.get_by_text(" of 200 samples").first.wait_for()
        page.get_by_text("So far").wait_for()
        page.get_by_text("Latest samples").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_text(re.compile("Stopping… |stopped: ")).first.wait_for()  # a busy machine may show only the end
        page.get_by_text("stopped: ").wait_for()
        assert first.wait(20) != 0
    done = (run / "outputs.jsonl").read_bytes().count(b"\n")
    assert 0 < done < 200
    page.get_by_text(f"stopped: {done} of 200 samples").wait_for()
    page.get_by_test_id("stMetric").first.wait_for()
    bar = page.locator("[data-testid=stMain]").get_by_role("progressbar")
    assert int(bar.get_attribute("aria-valuenow")) == 100 * done // 200
    resume = page.get_by_test_id("stCode").first.inner_text()
    subprocess.run([sys.executable, "-m", *shlex.split(resume)], check=True, capture_output=True, timeout=60)
    page.get_by_text("200 samples", exact=False).first.wait_for()
    page.get_by_text("stopped: ").wait_for(state="detached")
    page.get_by_test_id("stMetric").first.wait_for()
    assert (run / "outputs.jsonl").read_bytes().count(b"\n") == 200
