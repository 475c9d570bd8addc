"""Jobs: processes of their own, known by a note and by what they say."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from auricle.app.jobs import Job, JobManager, is_alive
from auricle.app.run_form import RunForm
from auricle.app.views.job_cards import describe_progress, format_duration
from auricle.app.workspace import Workspace
from auricle.core.errors import SpecError


@pytest.fixture
def jobs(tmp_path: Path) -> Any:
    return JobManager(Workspace(tmp_path / "runs", (tmp_path,)))


@pytest.fixture
def order(manifest: Any) -> Any:
    rows = [{"id": str(at), "question": f"what {at}", "answer": f"what {at}"} for at in range(8)]
    return RunForm(run_name="slow", model="fake-api", data=str(manifest(rows)), kind="qa",
                 model_options="delay=0.2", concurrency=1)  # fmt: skip


def until(said: Any, seconds: int = 20) -> None:
    end = time.monotonic() + seconds
    while not said():
        assert time.monotonic() < end
        time.sleep(0.05)


def noted(jobs: Any, log: Any, **known: Any) -> Any:
    """A job whose process is long gone, with what it said."""
    jobs._folder.mkdir(parents=True, exist_ok=True)
    job = Job("past", ("run",), ("past",), pid=2**22 + 1, started_at=1.0, **known)
    jobs._write(job)
    jobs._log("past").write_text(log)
    return job


def test_a_job_is_stopped_resumed_and_done_and_asks_nothing_twice(jobs: Any, order: Any, tmp_path: Path) -> None:
    job = jobs.start(order)
    assert jobs.state(job) == "running"
    outputs = tmp_path / "runs" / "slow" / "outputs.jsonl"
    until(lambda: outputs.exists() and outputs.read_bytes().count(b"\n") >= 1)
    with pytest.raises(SpecError, match="under way already"):
        jobs.start(order)
    jobs.cancel(job)
    assert jobs.state(jobs.get("slow")) in ("stopping", "stopped")
    until(lambda: jobs.state(jobs.get("slow")) == "stopped")
    held = outputs.read_bytes().count(b"\n")
    assert held < 8
    job = jobs.resume(jobs.get("slow"))
    until(lambda: jobs.state(job) not in ("running", "stopping"))
    assert jobs.state(jobs.get("slow")) == "done"
    assert outputs.read_bytes().count(b"\n") == 8
    assert jobs.stages(job)[-1].finished


def test_a_job_that_cannot_be_says_why(jobs: Any) -> None:
    job = noted(jobs, "Note: x\nauricle: fake-api: got an unexpected argument.\n", code=2)
    assert jobs.why(job) == "fake-api: got an unexpected argument."


def test_another_app_knows_a_job_by_its_note_and_its_run(jobs: Any) -> None:
    assert jobs.state(noted(jobs, "")) == "stopped"
    assert [each.name for each in jobs.list_jobs()] == ["past"]


def test_a_process_number_given_to_another_is_not_the_job() -> None:
    assert not is_alive(Job("x", (), (), pid=os.getpid(), started_at=1.0))


@pytest.mark.parametrize(
    ("code", "state"), [(0, "done"), (2, "refused"), (3, "incomplete"), (130, "stopped"), (-9, "stopped")]
)
def test_the_exit_code_says_what_became_of_it(jobs: Any, code: int, state: str) -> None:
    assert jobs.state(noted(jobs, "", code=code)) == state


def test_progress_is_read_from_what_a_job_says(jobs: Any) -> None:
    job = noted(jobs, (
        "Note: x\ndemo × a: 3 of 48 samples, 2.4/s, 16 in flight, 9 s left\n"
        "demo × a: 48 samples, 2.12/s\n"
        "demo × b: 9 of 48 samples, 0.5/s, 3 retried, 2 failed, 4 answered before, 4000 s left\n"
    ))  # fmt: skip
    first, second = jobs.stages(job)
    assert (first.done, first.total, first.finished) == (48, 48, True)
    assert (second.done, second.failed, second.left, second.finished) == (9, 2, 4000.0, False)
    assert describe_progress(second) == "demo × b: 9 of 48 samples · 0.5 a second · 67 min left · 2 failed"


def test_only_the_end_of_a_long_log_is_read(jobs: Any) -> None:
    job = noted(jobs, "x" * 200_000 + "\nt: 1 of 2 samples, 1/s\n")
    assert len(jobs.said(job)) <= 64_000
    assert jobs.stages(job)[0].done == 1


def test_a_damaged_note_is_no_job(jobs: Any) -> None:
    noted(jobs, "")
    (jobs._folder / "broken.json").write_text('{"name": 1')
    (jobs._folder / "other.json").write_text('{"nonsense": 1}')
    assert [each.name for each in jobs.list_jobs()] == ["past"]


def test_a_job_that_is_over_can_be_forgotten(jobs: Any) -> None:
    jobs.forget(noted(jobs, "x"))
    assert jobs.list_jobs() == []


@pytest.mark.parametrize(("seconds", "words"), [(9, "9 s"), (600, "10 min"), (9000, "2.5 h")])
def test_stretches_of_time_are_told_for_people(seconds: int, words: str) -> None:
    assert format_duration(seconds) == words
