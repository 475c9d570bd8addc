"""Status, numbers and counts of runs, however they were started."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, evaluate
from auricle.core.errors import DataError
from auricle.engine.factory import Evaluation
from auricle.engine.shards.planning import open_sharded_run
from auricle.runs.progress import Progress, read_progress, write_progress
from auricle.runs.run_directory import LOCK_FILE, is_being_written, lock_run
from auricle.runs.run_notes import RunNotes, write_run_notes
from auricle.runs.run_summary import RunIndex, RunSummary, summarise_run
from auricle.runs.shards.leases import Lease

ENDED_PROCESS = 2**22 + 1


@pytest.fixture
def make_run(manifest: Any, tmp_path: Path) -> Any:
    def make(name: str, model: str = "echo", count: int = 4, **model_args: Any) -> Path:
        rows = [{"id": str(row), "question": f"{row}", "answer": f"{row % 2}"} for row in range(count)]
        path = tmp_path / "runs" / name
        evaluate(Spec(task="qa", task_args={"data": str(manifest(rows))}, model=model, model_args=model_args), path)
        return path

    return make


def summarise(path: Path) -> RunSummary:
    return summarise_run(path.parent, path)


def test_finished_run_has_its_numbers_and_counts(make_run: Any) -> None:
    summary = summarise(make_run("a"))
    assert (summary.name, summary.status, summary.model, summary.done, summary.total) == ("a", "done", "echo", 4, 4)
    assert summary.headline
    assert summary.headline.details == {}
    assert summary.shown_value(summary.headline.metric.upper()) == 50.0
    assert (summary.scored, summary.coverage, summary.failed, summary.shown_value("wer")) == (4, 1.0, 0, None)


def test_stopped_run_shows_what_was_done(make_run: Any) -> None:
    path = make_run("a")
    write_progress(path, replace(read_progress(path), complete=False, rows=4, total=1440))
    (path / "metrics.json").unlink()
    summary = summarise(path)
    assert (summary.status, summary.done, summary.total, summary.failed) == ("stopped", 4, 1440, 0)


@pytest.mark.thorough
def test_run_in_which_nothing_was_answered_failed(make_run: Any) -> None:
    path = make_run("a", "fake-api", fail_every=1)
    summary = summarise(path)
    assert (summary.status, summary.done, summary.failed) == ("failed", 4, 4)
    (path / "outputs.jsonl").write_text("")
    write_progress(path, Progress())
    (path / "metrics.json").unlink()
    assert summarise(path).status == "failed"


def test_run_is_running_while_a_process_writes_to_it(make_run: Any) -> None:
    path = make_run("a")
    with lock_run(path):
        assert summarise(path).status == "running"
    assert summarise(path).status == "done"


@pytest.mark.parametrize(
    ("progress", "phase"),
    [
        (Progress(total=9), "answering"),
        (Progress(total=9, stopping=True), "stopping"),
        (Progress(total=9, rows=4), "scoring"),
    ],
)
def test_running_run_has_a_phase(make_run: Any, progress: Progress, phase: str) -> None:
    path = make_run("a")
    write_progress(path, progress)
    with lock_run(path):
        assert summarise(path).phase == phase
    assert summarise(path).phase == ""


def test_process_that_ended_without_closing_is_not_running(make_run: Any) -> None:
    path = make_run("a")
    script = "import os; from pathlib import Path; from auricle.runs.run_directory import lock_run\n"
    script += f"lock = lock_run(Path({str(path)!r})); os._exit(9)"
    subprocess.run([sys.executable, "-c", script], check=False)
    assert not is_being_written(path)
    (path / LOCK_FILE).write_text(str(ENDED_PROCESS))
    assert not is_being_written(path)


def test_writer_on_another_machine_is_seen_by_the_changes_it_makes(make_run: Any) -> None:
    path = make_run("a")
    (path / LOCK_FILE).write_text("12 on elsewhere")
    assert summarise(path).status == "running"
    for name in (LOCK_FILE, "outputs.jsonl"):
        os.utime(path / name, (0, 0))
    assert summarise(path).status == "done"


def test_run_that_cannot_be_read_has_the_reason(make_run: Any, tmp_path: Path) -> None:
    path = make_run("a")
    (path / "spec.json").write_text("{")
    summary = summarise(path)
    assert summary.status == "failed"
    assert summary.error.startswith("Cannot be read: spec.json is not valid JSON")

    def refuse(file: Path) -> None:
        raise DataError(f"{file.name} is too large.")

    assert summarise_run(path.parent, path, refuse).error == "Cannot be read: notes.json is too large."


def test_only_changed_runs_are_read_again(make_run: Any, tmp_path: Path) -> None:
    paths = [make_run("a"), make_run("b", "fake-api")]
    read: list[str] = []
    index = RunIndex(tmp_path / "runs", lambda file: read.append(file.parent.name))
    first = index.summarise(paths)
    assert set(read) == {"a", "b"}
    read.clear()
    assert index.summarise(paths) == first
    assert read == []
    write_run_notes(paths[1], RunNotes(title="Better"))
    assert {summary.title for summary in index.summarise(paths)} == {"a", "Better"}
    assert set(read) == {"b"}
    with lock_run(paths[0]):
        assert [summary.status for summary in index.summarise(paths)] == ["running", "done"]
    assert [summary.status for summary in index.summarise(paths)] == ["done", "done"]
    assert [summary.name for summary in index.summarise(paths[:1])] == ["a"]


def test_a_sharded_run_that_is_not_merged_is_running_while_a_worker_has_a_shard(tmp_path: Path) -> None:
    spec = Spec(task="qa", task_args={"data": str(tmp_path / "data.jsonl")}, model="echo")
    (tmp_path / "data.jsonl").write_text('{"id": "1", "question": "a", "answer": "a"}\n')
    store = open_sharded_run(Evaluation.prepare(spec), tmp_path / "runs" / "large", 1)
    assert summarise_run(tmp_path, tmp_path / "runs" / "large").status == "stopped"
    assert Lease.acquire(store.storage, 0, 1, "one", 60.0)
    assert summarise_run(tmp_path, tmp_path / "runs" / "large").status == "running"
