"""Turn the answers to a listening test into a run: people are the model, and every rating is a sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from auricle.core.errors import DataError
from auricle.engine.factory import build_run_spec, build_task
from auricle.engine.spec import Spec
from auricle.report.run_files import score_and_write
from auricle.runs.metrics import Metrics
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run
from auricle.studies.people.description import TEST_FILE, ListeningTest, digest_test, read_test
from auricle.studies.people.ratings import Rating, read_ratings
from auricle.studies.people.screening import Screening, screen
from auricle.studies.people.task import TASK, build_records, task_arguments

RUN_FOLDER = "run"
MODEL = "people"


def score_test(folder: Path, out: Path | None = None) -> tuple[Path, Metrics]:
    """Write the answers of a listening test as a run, and score it.

    Answers that the run already has are not written again, so that this can be repeated while people listen.

    Args:
        folder: Folder of the test.
        out: Run directory. [default: `run` in the folder]

    Returns:
        The run directory and its numbers.

    Raises:
        DataError: if no one has answered yet.
    """
    test = read_test(folder)
    ratings, damaged = read_ratings(folder)
    if not ratings:
        raise DataError(f"{folder} has no answers yet. Send people the links of `auricle listen-test serve {folder}`.")
    screening = screen(test, ratings)
    records = build_records(test, ratings, screening, str(folder.resolve()))
    path = out or folder / RUN_FOLDER
    digest = digest_test(test)
    spec = Spec(task=TASK, task_args=task_arguments(test, digest[:16]), model=MODEL)
    task = build_task(spec)
    run_spec = build_run_spec(spec, task, task.inferencer)
    identity = {**run_spec.identity, "inferencer": "Listeners()"}
    imported = {"from": "listen-test", "files": [{"path": str((folder / TEST_FILE).resolve()), "sha256": digest}]}
    with Run.open(path, replace(run_spec, identity=identity, imported=imported)) as run:
        existing = {record.sample.id: record for record in run.records()}
        for record in records:
            stored = existing.get(record.sample.id)
            if (
                stored is None
                or stored.outputs != record.outputs
                or dict(stored.sample.meta) != dict(record.sample.meta)
            ):
                run.append(record)
        run.flush()
        progress = _describe_progress(test, ratings, screening, damaged)
        run.write_progress(replace(progress, rows=len(records), revision=f"{TEST_FILE}@{digest[:8]}"))
    run = Run.load(path)
    return path, score_and_write(run, task, MODEL)


def _describe_progress(test: ListeningTest, ratings: list[Rating], screening: Screening, damaged: int) -> Progress:
    answered = {(rating.listener, rating.trial) for rating in ratings}
    finished = [
        listener.id
        for listener in test.listeners
        if all((listener.id, trial.id) in answered for trial in listener.trials)
    ]
    unfinished = len({rating.listener for rating in ratings}) - len(finished)
    notes = [
        *test.notes,
        f"{len(finished)} of {len(test.listeners)} listeners finished; {unfinished or 'no'} others have begun.",
        f"Loudness: {test.loudness.method}, {test.loudness.level_dbfs:g} dB relative to full scale.",
        *(f"{listener} is excluded: {reason}." for listener, reason in sorted(screening.excluded.items())),
    ]
    if damaged:
        notes.append(f"{damaged} lines of ratings.jsonl are damaged and were left out.")
    is_complete = len(finished) == len(test.listeners)
    return Progress(complete=is_complete, notes=tuple(notes))
