"""Tests of the cards of jobs."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from auricle.app.jobs import Job, JobManager
from auricle.app.views.job_cards import describe_progress, describe_stopping, format_duration
from auricle.app.workspace import Workspace
from auricle.engine.progress import ProgressEvent
from auricle.runs.progress import Progress, write_progress
from auricle.runs.run_directory import lock_run
from tests.support.app_pages import draw_page


@pytest.mark.parametrize(("seconds", "text"), [(9, "9 s"), (600, "10 min"), (9000, "2.5 h")])
def test_duration_has_a_readable_unit(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_progress_is_described_on_one_line() -> None:
    event = ProgressEvent(
        event="progress", title="demo × b", total=48, done=9, failed=2, retried=3, rate=0.5, eta_seconds=4000.0,
        cost=0.25, currency="USD",
    )  # fmt: skip
    text = "demo × b: 9 of 48 samples · 0.5/s · 67 min left · 3 retried · 2 failed · 0.25 USD"
    assert describe_progress(event) == text


def test_verdicts_are_counted_while_judging() -> None:
    event = ProgressEvent(event="finished", phase="judging", title="demo × b", total=48, done=48, rate=20.0)
    assert describe_progress(event) == "demo × b: 48 verdicts · 20/s"


def test_bar_of_a_stopped_run_is_as_long_as_what_is_done(workspace: Workspace) -> None:
    jobs = JobManager(workspace)
    jobs._folder.mkdir()
    jobs._write(Job("job", None, ("job",), exit_code=130))
    event = ProgressEvent(event="finished", title="demo × b", total=1440, done=279, rate=2.0, eta_seconds=580.0)
    jobs._log_path("job").write_bytes(event.to_json_line())
    (bar,) = draw_page("benchmark").get("progress")
    assert (bar.proto.value, bar.proto.text) == (19, r":gray[demo × b\: 279 of 1,440 samples · 2\/s]")


def test_job_with_many_runs_has_bars_of_the_last_ones(workspace: Workspace) -> None:
    jobs = JobManager(workspace)
    jobs._folder.mkdir()
    jobs._write(Job("job", None, ("job",), exit_code=0))
    events = [
        ProgressEvent(event="finished", run=f"run-{n}", title=f"run {n}", total=4, done=4, rate=1.0) for n in range(5)
    ]
    jobs._log_path("job").write_bytes(b"".join(event.to_json_line() for event in events))
    app = draw_page("benchmark")
    assert [bar.proto.text.split(r"\:")[0] for bar in app.get("progress")] == [":gray[run 3", ":gray[run 4"]
    assert "3 earlier runs finished." in [caption.value for caption in app.caption]


def test_run_of_unknown_length_has_no_bar(workspace: Workspace) -> None:
    jobs = JobManager(workspace)
    jobs._folder.mkdir()
    jobs._write(Job("job", None, ("job",), exit_code=130))
    jobs._log_path("job").write_bytes(ProgressEvent(event="progress", title="a", done=3, rate=1.0).to_json_line())
    app = draw_page("benchmark")
    assert not app.get("progress")
    assert r":gray[a\: 3 samples · 1\/s]" in [markdown.value for markdown in app.markdown]


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress(total=9, stopping=True), "Stopping… requests in flight are answered first"),
        (Progress(total=9, rows=3), "Stopping… the metrics are computed"),
    ],
)
def test_card_of_a_job_that_is_being_stopped_shows_what_it_waits_for(
    workspace: Workspace, runs: Path, progress: Progress, text: str
) -> None:
    path = Path(shutil.copytree(runs / "quiz-good", workspace.root / "job"))
    write_progress(path, progress)
    with lock_run(path):
        assert describe_stopping(workspace, Job("job", None, ("job",))) == text


def test_card_has_a_bar_for_each_phase_and_the_last_failure(workspace: Workspace) -> None:
    jobs = JobManager(workspace)
    jobs._folder.mkdir()
    jobs._write(Job("job", None, ("job",), exit_code=3))
    event = ProgressEvent(event="progress", title="demo × b", total=8, done=8)
    failure = replace(event, event="failed", phase="judging", done=2, id="u3", kind="Timeout", message="too *slow*")
    jobs._log_path("job").write_bytes(b"".join((event.to_json_line(), failure.to_json_line(), b"Note: x\n")))
    page = draw_page("benchmark")
    assert [round(bar.proto.value) for bar in page.get("progress")] == [100, 25]
    assert page.caption[0].value == r"Last failure: u3\: Timeout\: too \*slow\*"
    assert page.code[0].value == "Note: x"


def test_only_the_latest_of_the_jobs_that_are_done_has_a_card(workspace: Workspace) -> None:
    jobs = JobManager(workspace)
    jobs._folder.mkdir()
    for number, exit_code in enumerate((0, 0, 3)):
        name = f"job-{number}"
        jobs._write(Job(name, None, (name,), started_at=float(number), exit_code=exit_code))
    cards = [markdown.value for markdown in draw_page("benchmark").markdown if markdown.value.startswith("**job")]
    assert [card.split("**")[1] for card in cards] == [r"job\-2", r"job\-1"]
    assert "done, with failures" in cards[0]
