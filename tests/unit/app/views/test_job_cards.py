"""Tests of the cards of jobs."""

import pytest

from auricle.app.jobs import Job, JobManager, RunProgress
from auricle.app.views.job_cards import describe_progress, format_duration
from auricle.app.workspace import Workspace
from tests.support.app_pages import draw_page


@pytest.mark.parametrize(("seconds", "text"), [(9, "9 s"), (600, "10 min"), (9000, "2.5 h")])
def test_duration_has_a_readable_unit(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_progress_is_described_on_one_line() -> None:
    progress = RunProgress("demo × b", 9, 48, "samples", 2, 0.5, 4000.0, is_finished=False)
    assert describe_progress(progress) == "demo × b: 9 of 48 samples · 0.5/s · 67 min left · 2 failed"


def test_only_the_latest_of_the_jobs_that_are_done_has_a_card(workspace: Workspace) -> None:
    jobs = JobManager(workspace)
    jobs._folder.mkdir()
    for number, exit_code in enumerate((0, 0, 3)):
        name = f"job-{number}"
        jobs._write(Job(name, ("run",), (name,), started_at=float(number), exit_code=exit_code))
    cards = [markdown.value for markdown in draw_page("benchmark").markdown if markdown.value.startswith("**job")]
    assert [card.split("**")[1] for card in cards] == [r"job\-2", r"job\-1"]
    assert "done, with failures" in cards[0]
