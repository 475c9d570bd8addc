"""`suite.json`: the parts of a suite that were run on one model. Each part is a run in a folder of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.runs.documents import UnknownFormat, read_document, write_document
from auricle.runs.health import take_fingerprints
from auricle.runs.metrics import METRICS_FILE, Metrics, ModelFacts, read_current_metrics, read_metrics
from auricle.runs.run_spec import OUTPUTS_FILE, SUITE_FILE


@dataclass(frozen=True, slots=True)
class PartRun:
    """A part of a suite, and the folder of its run."""

    name: str
    folder: str
    weight: float = 1.0
    metric: str = ""
    """The metric whose number is combined; empty for that of the suite."""
    language: str = ""
    condition: str = ""
    """What was changed in the samples, such as `noise:snr=10`; empty if nothing was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """What was run: the suite, its parts and the model."""

    format: int = 1
    name: str
    metric: str = ""
    """The metric whose numbers are combined; empty for every metric that all parts have."""
    average: str = "parts"
    """`parts`, `languages`, or `conditions` if the parts are conditions of one task, which are not averaged."""
    purpose: str = ""
    """What the parts are for, if they are not averaged; see `SuiteKind`."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """Version, source, citation, licence and languages of the suite."""
    model: ModelFacts
    parts: tuple[PartRun, ...]


def contains_suite(path: Path) -> bool:
    """Return whether a folder contains the runs of a suite."""
    return (path / SUITE_FILE).is_file()


def read_suite_run(path: Path) -> SuiteRun:
    return read_document(path / SUITE_FILE, SuiteRun, missing=f"Not the folder of a suite: {path}.")


def find_unchanged_part(path: Path) -> Path:
    """Return the run whose numbers a folder shows: of conditions of one task, that on the unchanged samples.

    A folder that contains no conditions is returned as it is.
    """
    if not contains_suite(path):
        return path
    try:
        suite = read_suite_run(path)
    except DataError:
        return path
    folders = [part.folder for part in suite.parts if suite.average == "conditions" and not part.condition]
    return path / folders[0] if folders else path


def write_suite_run(path: Path, suite: SuiteRun) -> None:
    write_document(path / SUITE_FILE, suite)


def list_runs(path: Path) -> list[Path]:
    """Return the run directories of a suite that exist, or the path itself if it is not a suite."""
    if not contains_suite(path):
        return [path]
    return [folder for part in read_suite_run(path).parts if (folder := path / part.folder).is_dir()]


def list_sources(suite: SuiteRun) -> list[str]:
    """Return the files that combined numbers are computed from, relative to the folder of the suite."""
    return [SUITE_FILE, *(f"{part.folder}/{METRICS_FILE}" for part in suite.parts)]


def read_current_suite_metrics(path: Path) -> Metrics | None:
    """Read the combined numbers of a suite; return None if they are missing, damaged or older than those of a part.

    Raises:
        UnknownFormat: if a newer version of Auricle wrote them.
    """
    try:
        suite, metrics = read_suite_run(path), read_metrics(path)
    except UnknownFormat:
        raise
    except DataError:
        return None
    started = [folder for folder in list_runs(path) if (folder / OUTPUTS_FILE).exists()]
    if any(read_current_metrics(folder) is None for folder in started):
        return None
    sources = take_fingerprints(path, list_sources(suite))
    digests = {name: source.digest for name, source in sources.items()}
    return metrics if digests == {name: source.digest for name, source in metrics.sources.items()} else None
