"""Tests of starting, stopping and following runs."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from auricle.app import jobs as jobs_module
from auricle.app.jobs import LOG_TAIL_BYTES, Job, JobLog, JobManager, JobState, is_alive
from auricle.app.run_form import RunForm
from auricle.app.workspace import Workspace
from auricle.core.errors import SpecError
from auricle.engine.dry_run import CheckLine
from auricle.engine.progress import ProgressEvent


@pytest.fixture
def jobs(tmp_path: Path) -> JobManager:
    return JobManager(Workspace(tmp_path / "runs", (tmp_path,)))


@pytest.fixture
def slow_run(manifest: Callable[..., Path]) -> RunForm:
    rows = [{"id": str(index), "question": f"what {index}", "answer": f"what {index}"} for index in range(8)]
    return RunForm(run_name="slow", model="fake-api", data=str(manifest(rows)), kind="qa",
                   model_arguments={"delay": 0.2}, concurrency=1)  # fmt: skip


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def write_ended_job(jobs: JobManager, log: str, exit_code: int | None = None) -> Job:
    """Write the files of a job whose process no longer exists."""
    jobs._folder.mkdir(parents=True, exist_ok=True)
    job = Job("past", None, ("past",), pid=2**22 + 1, started_at=1.0, exit_code=exit_code)
    jobs._write(job)
    jobs._log_path("past").write_text(log)
    return job


def get_job(jobs: JobManager, name: str) -> Job:
    job = jobs.get(name)
    assert job is not None
    return job


@pytest.mark.slow
def test_stopped_run_is_resumed_without_repeating_samples(jobs: JobManager, slow_run: RunForm, tmp_path: Path) -> None:
    job = jobs.start(slow_run)
    assert jobs.state(job) == "running"
    journal = tmp_path / "runs" / "slow" / "outputs.jsonl"
    wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 1)
    with pytest.raises(SpecError, match="slow is already running"):
        jobs.start(slow_run)
    jobs.cancel(job)
    assert jobs.state(get_job(jobs, "slow")) in ("stopping", "stopped")
    wait_until(lambda: jobs.state(get_job(jobs, "slow")) == "stopped")
    assert journal.read_bytes().count(b"\n") < 8
    job = jobs.run(get_job(jobs, "slow"))
    wait_until(lambda: jobs.state(job) not in ("running", "stopping"))
    assert jobs.state(get_job(jobs, "slow")) == "done"
    assert journal.read_bytes().count(b"\n") == 8
    last = jobs.read_log(job).progress[-1]
    assert (last.event, last.exit_code, last.done, last.total) == ("finished", 0, 8, 8)


def test_error_message_is_read_from_the_log(jobs: JobManager) -> None:
    job = write_ended_job(jobs, "Note: x\nauricle: fake-api: got an unexpected argument.\n", exit_code=2)
    assert jobs.read_log(job).error == "fake-api: got an unexpected argument."


def test_another_app_finds_the_jobs_of_a_workspace(jobs: JobManager) -> None:
    assert jobs.state(write_ended_job(jobs, "")) == "stopped"
    assert [job.name for job in jobs.list_jobs()] == ["past"]


def test_job_of_a_complete_run_is_done_if_its_exit_code_is_unknown(jobs: JobManager, tmp_path: Path) -> None:
    (tmp_path / "runs" / "past").mkdir(parents=True)
    (tmp_path / "runs" / "past" / "progress.json").write_text('{"complete": true}')
    assert jobs.state(write_ended_job(jobs, "")) == "done"


def test_another_process_with_the_same_id_is_not_the_job() -> None:
    assert not is_alive(Job("x", None, (), pid=os.getpid(), started_at=1.0))


@pytest.mark.parametrize(
    ("exit_code", "state"), [(0, "done"), (2, "failed"), (3, "done_with_failures"), (130, "stopped"), (-9, "stopped")]
)
def test_state_follows_from_the_exit_code(jobs: JobManager, exit_code: int, state: JobState) -> None:
    assert jobs.state(write_ended_job(jobs, "", exit_code)) == state


def write_events(*events: ProgressEvent) -> str:
    return "".join(event.to_json_line().decode() for event in events)


def test_log_has_the_last_event_of_each_phase_and_the_lines_for_people() -> None:
    first = ProgressEvent(event="started", title="demo × a", run="runs/a", total=48)
    events = (
        first,
        replace(first, event="progress", done=48),
        replace(first, event="progress", phase="judging", done=3),
        replace(first, event="failed", phase="judging", done=4, failed=1, id="u3", kind="Timeout", message="too slow"),
        replace(first, title="demo × b", run="runs/b", event="finished", done=48, exit_code=0),
    )
    log = JobLog.parse("Note: x\n" + write_events(*events) + '{"answer": 1}\n{"event"')
    assert [(event.run, event.phase, event.done) for event in log.progress] == [
        ("runs/a", "inference", 48),
        ("runs/a", "judging", 4),
        ("runs/b", "inference", 48),
    ]
    assert log.last_failure == events[3]
    assert log.lines == ("Note: x", '{"answer": 1}', '{"event"')


def test_only_the_end_of_a_long_log_is_read(jobs: JobManager) -> None:
    event = ProgressEvent(event="progress", title="t", done=1)
    job = write_ended_job(jobs, "x" * 2 * LOG_TAIL_BYTES + "\n" + write_events(event))
    log = jobs.read_log(job)
    assert log.progress == [event]
    assert len(log.lines[0]) < LOG_TAIL_BYTES


def test_damaged_job_files_are_ignored(jobs: JobManager) -> None:
    write_ended_job(jobs, "")
    (jobs._folder / "broken.json").write_text('{"name": 1')
    (jobs._folder / "other.json").write_text('{"nonsense": 1}')
    assert [job.name for job in jobs.list_jobs()] == ["past"]


def test_files_of_jobs_that_are_links_are_not_read(jobs: JobManager, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("auricle: secret\n")
    job = write_ended_job(jobs, "")
    jobs._log_path("past").unlink()
    jobs._log_path("past").symlink_to(tmp_path / "secret")
    assert jobs.read_log(job) == JobLog()
    jobs._job_path("past").rename(tmp_path / "past.json")
    jobs._job_path("past").symlink_to(tmp_path / "past.json")
    assert jobs.list_jobs() == []


def test_no_job_is_started_in_a_linked_folder(jobs: JobManager, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    jobs._folder.symlink_to(tmp_path)
    with pytest.raises(SpecError, match=r"is a symbolic link\. Remove it"):
        jobs.start_demo()


def test_job_with_the_process_id_of_any_child_is_stopped(jobs: JobManager) -> None:
    assert jobs.state(Job("x", None, ("x",), pid=-1)) == "stopped"


def test_ended_job_can_be_removed(jobs: JobManager) -> None:
    jobs.remove(write_ended_job(jobs, "x"))
    assert jobs.list_jobs() == []


# --- checks before a run ------------------------------------------------------------------------


def test_run_is_checked_by_a_dry_run_of_its_command(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []

    def record(arguments: list[str]) -> tuple[int, str, str]:
        commands.append(arguments)
        return 0, '{"checks": [{"passed": null, "text": "a note"}]}', ""

    monkeypatch.setattr(jobs_module, "_run_dry_run", record)
    form = RunForm("a", "echo", task="demo")
    assert JobManager(workspace).check(form) == [CheckLine(None, "a note")]
    assert commands == [[*form.build_arguments(workspace), "--dry-run", "--json"]]


def test_check_that_prints_no_results_fails_with_its_error(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "_run_dry_run", lambda _: (2, "", "auricle: no such thing\n"))
    assert JobManager(workspace).check(RunForm("a", "echo", task="demo")) == [CheckLine(False, "no such thing")]
    monkeypatch.setattr(jobs_module, "_run_dry_run", lambda _: (139, "{", ""))
    (line,) = JobManager(workspace).check(RunForm("a", "echo", task="demo"))
    assert "exit code 139" in line.text


def test_check_runs_in_a_process_of_its_own(workspace: Workspace) -> None:
    lines = JobManager(workspace).check(RunForm("a", "fake-reward", task="demo"))
    assert [line.passed for line in lines] == [False]
    assert "fake-reward" in lines[0].text
