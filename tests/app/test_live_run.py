"""Runs that are going on: numbers so far, and stopping the process that writes them."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from auricle.app.live_run import SCORING_INTERVAL, LiveRun, compute_partial_numbers, stop_writer
from auricle.runs.metrics import read_metrics
from auricle.runs.progress import Progress, write_progress
from auricle.runs.run_directory import LOCK_FILE, lock_run

WRITER = """
import signal, sys, time
from pathlib import Path
from auricle.runs.run_directory import lock_run
lock = lock_run(Path(sys.argv[1]))
signal.signal(signal.SIGINT, signal.default_int_handler)  # as runs do; processes of a background job ignore it
print("open", flush=True)
time.sleep(60)
"""


@pytest.fixture
def run(runs: Path, tmp_path: Path) -> Path:
    """Return a copy of a run of 16 samples."""
    return shutil.copytree(runs / "asr-small", tmp_path / "run")


def test_numbers_of_a_complete_journal_are_those_of_the_run(run: Path) -> None:
    expected = [(number.metric, number.value, number.scored) for number in read_metrics(run).overall]
    assert [(number.metric, number.value, number.scored) for number in compute_partial_numbers(run)] == expected


def test_numbers_are_of_the_samples_so_far_and_nothing_is_written(run: Path) -> None:
    journal = run / "outputs.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:5]))
    for name in ("metrics.json", "scores.jsonl"):
        (run / name).unlink()
    number = compute_partial_numbers(run)[0]
    assert (number.metric, number.scored, number.total) == ("wer", 5, 5)
    assert not (run / "metrics.json").exists()
    assert not (run / "scores.jsonl").exists()


def test_code_that_a_run_names_is_not_executed(run: Path) -> None:
    spec = (run / "spec.json").read_text()
    (run / "spec.json").write_text(spec.replace('"task": "asr"', '"task": "evil.py:task"'))
    assert compute_partial_numbers(run) == []


def test_numbers_are_computed_again_after_a_while(run: Path) -> None:
    now = [100.0]
    journal = run / "outputs.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]))
    live = LiveRun(run, clock=lambda: now[0], run_task=lambda task: task())
    live.update()
    assert (live.scored, live.numbers[0].scored) == (4, 4)
    journal.write_bytes(b"".join(lines[:9]))
    live.update()
    assert (live.follower.done, live.scored) == (9, 4)
    now[0] += SCORING_INTERVAL
    live.update()
    assert (live.scored, live.numbers[0].scored) == (9, 9)


def test_numbers_are_computed_in_the_background_one_at_a_time(run: Path) -> None:
    now, tasks = [100.0], list[Callable[[], None]]()
    live = LiveRun(run, clock=lambda: now[0], run_task=tasks.append)
    live.update()
    now[0] += 2 * SCORING_INTERVAL
    live.update()
    assert (live.follower.done, live.numbers, len(tasks)) == (16, [], 1)
    tasks[0]()
    assert (live.scored, live.numbers[0].scored) == (16, 16)


def test_summary_counts_what_was_appended(run: Path) -> None:
    write_progress(run, Progress(total=40))
    journal = run / "outputs.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]))
    live = LiveRun(run)
    for count in (4, 9):
        journal.write_bytes(b"".join(lines[:count]))
        summary = live.summarise(run.parent, lambda _: None)
        assert (summary.name, summary.status, summary.done, summary.total) == ("run", "stopped", count, 40)


def test_process_that_writes_the_run_is_interrupted(run: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(run)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "open\n"
        assert stop_writer(run)
        assert writer.wait(20) in (-signal.SIGINT, 1)
    assert not stop_writer(run)


def test_process_that_does_not_have_the_lock_open_is_left_alone(run: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, text=True) as other:
        with lock_run(run):
            (run / LOCK_FILE).write_text(str(other.pid))
            assert not stop_writer(run)
        other.communicate("\n", timeout=20)
    assert other.returncode == 0
