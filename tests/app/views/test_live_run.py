"""Tests of the view of a run that is not done."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from auricle.app.live_run import LiveRun
from auricle.app.views import live_run
from auricle.app.views.live_run import describe_live
from auricle.app.workspace import Workspace
from auricle.runs.progress import Progress, read_progress, write_progress
from auricle.runs.run_directory import lock_run
from auricle.runs.run_summary import RunSummary
from tests.support.app_pages import draw_page, find_button, page_text


@pytest.fixture
def run(runs: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a run with results of 16 of 40 samples, whose numbers are computed at once."""
    live_runs: dict[str, LiveRun] = {}

    def open_live_run(path: str) -> LiveRun:
        return live_runs.setdefault(path, LiveRun(Path(path), run_task=lambda task: task()))

    monkeypatch.setattr(live_run, "open_live_run", open_live_run)
    path = shutil.copytree(runs / "asr-small", workspace.root / "half")
    write_progress(path, replace(read_progress(path), complete=False, rows=None, total=40))
    return path


def test_run_of_another_process_shows_its_progress_numbers_and_samples(run: Path) -> None:
    (run / "metrics.json").unlink()
    with lock_run(run):
        app = draw_page("benchmark", run="half")
    assert not app.error
    (bar,) = app.get("progress")
    assert (bar.proto.value, bar.proto.text) == (40, ":gray[16 of 40 samples]")
    text = page_text(app)
    assert "So far" in text
    assert "WER" in text
    assert "Latest samples" in text
    assert "u015" in text
    assert [button.label for button in app.button if button.label == "Stop"] == ["Stop"]


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress(total=40, stopping=True), "Stopping… requests in flight are answered first · 16 of 40 samples"),
        (Progress(total=40, rows=16), "the metrics are computed · 16 of 40 samples"),
    ],
)
def test_run_that_answers_no_further_samples_shows_what_it_does(run: Path, progress: Progress, text: str) -> None:
    write_progress(run, progress)
    with lock_run(run):
        app = draw_page("benchmark", run="half")
    (bar,) = app.get("progress")
    assert bar.proto.text == f":gray[{text}]"


def test_click_on_stop_shows_at_once_that_the_run_is_being_stopped(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[Path] = []

    def record_stop(path: Path) -> bool:
        stopped.append(path)
        return True

    monkeypatch.setattr(live_run, "stop_writer", record_stop)
    with lock_run(run):
        app = draw_page("benchmark", run="half")
        find_button(app, "Stop").click().run()
        (bar,) = app.get("progress")
        assert bar.proto.text.startswith(":gray[Stopping… ")
        assert not [button for button in app.button if button.label == "Stop"]
        find_button(app, "Stop now").click().run()
    assert stopped == [run, run]


def test_run_of_another_user_cannot_be_stopped(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_run, "stop_writer", lambda _: False)
    with lock_run(run):
        app = draw_page("benchmark", run="half")
        find_button(app, "Stop").click().run()
    assert "Stop it where it runs." in app.warning[0].value
    assert find_button(app, "Stop")


def test_run_of_unknown_length_has_no_bar(run: Path) -> None:
    write_progress(run, Progress())
    with lock_run(run):
        app = draw_page("benchmark", run="half")
    assert not app.get("progress")
    assert ":gray[16 samples]" in [markdown.value for markdown in app.markdown]


def test_stopped_run_shows_what_was_done_and_its_numbers(run: Path) -> None:
    app = draw_page("benchmark", run="half")
    (bar,) = app.get("progress")
    assert (bar.proto.value, bar.proto.text) == (40, ":gray[stopped\\: 16 of 40 samples]")
    assert app.metric


def test_run_that_ended_without_numbers_is_not_an_error(run: Path) -> None:
    (run / "metrics.json").unlink()
    app = draw_page("benchmark", run="half")
    assert not app.error
    assert "ended before its numbers were computed" in app.info[0].value
    assert "Latest samples" in page_text(app)


@pytest.mark.parametrize(
    ("results", "total", "text"),
    [(0, 10, "0 of 10 samples · loading the model"), (3, 3, "3 of 3 samples · 1.5/s · 0 s left"),
     (3, 9, "3 of 9 samples · 1.5/s · 4 s left"), (3, None, "3 samples · 1.5/s")],
)  # fmt: skip
def test_counts_rate_and_time_left_are_on_one_line(
    tmp_path: Path, run: Path, results: int, total: int | None, text: str
) -> None:
    now = [0.0]
    live = LiveRun(tmp_path, clock=lambda: now[0])
    live.follower.update()
    now[0] = 2.0
    lines = (run / "outputs.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "outputs.jsonl").write_bytes(b"".join(lines[:results]))
    live.follower.update()
    assert describe_live(RunSummary(name="a", path=tmp_path, done=results, total=total), live) == text
