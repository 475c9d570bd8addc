"""Log runs after they have ended, or after they were scored again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from auricle import api
from auricle.core.errors import SpecError
from auricle.engine.trackers.base import explain, find_trackers
from auricle.engine.trackers.run_values import describe_run, final_state
from auricle.runs.run_spec import read_run_spec
from auricle.runs.suites import list_runs


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """A run that a tracker has stored."""

    run: Path
    tracker: str
    location: str
    """Where the run can be seen, for people."""
    numbers: dict[str, float]


def log_runs(paths: Sequence[Path], names: Sequence[str], project: str = "") -> Iterator[LoggedRun]:
    """Log runs, and the parts of suites, to trackers; a run that was logged before is updated.

    Args:
        paths: Run directories.
        names: Names of trackers.
        project: Project or experiment. Default: the one that the variables of the tracker name, or `auricle`.

    Raises:
        SpecError: if a tracker fails.
    """
    classes = find_trackers(names)
    for path in (run for folder in paths for run in list_runs(folder)):
        for name, tracker_class in classes.items():
            tracker = tracker_class()
            metrics = api.load_metrics(path)
            final = final_state(metrics, "finished" if metrics.complete else "stopped")
            try:
                tracker.start(describe_run(path, read_run_spec(path), project))
                tracker.finish(final)
            except (Exception, SystemExit) as error:  # raised by another package
                raise SpecError(f"{path} was not logged to {name}: {explain(error)}") from error
            yield LoggedRun(path, name, tracker.location, dict(final.numbers))
