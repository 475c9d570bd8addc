"""Continue an interrupted measurement with the load points that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import SpecError
from auricle.perf.coordinator import INTERRUPTED
from auricle.runs.perf_files import SUMMARY_FILE, LoadPointSummary, PerfManifest, read_perf_manifest, read_perf_summary
from auricle.runs.run_directory import contains_load_test, is_being_written

NEW_FOLDER_HINT = "Choose another folder with -o, or use --fresh to set the old one aside."


@dataclass(frozen=True, slots=True)
class EarlierMeasurement:
    """What an interrupted measurement left: its manifest, and its load points that were measured to the end."""

    manifest: PerfManifest
    points: tuple[LoadPointSummary, ...]


def read_earlier(folder: Path, manifest: PerfManifest) -> EarlierMeasurement | None:
    """Read the measurement in a folder that one with this manifest continues; None if the folder has none.

    Raises:
        SpecError: The measurement is complete, or has other options.
    """
    if not contains_load_test(folder):
        return None
    earlier = read_perf_manifest(folder)
    if differences := list(find_differences(earlier, manifest)):
        raise SpecError(
            f"{folder} already contains a different measurement ({'; '.join(differences)}). {NEW_FOLDER_HINT}"
        )
    if not (folder / SUMMARY_FILE).exists():
        return EarlierMeasurement(earlier, ())
    summary = read_perf_summary(folder)
    if summary.complete:
        raise SpecError(f"{folder} already contains this measurement. {NEW_FOLDER_HINT}")
    complete_points = (point for point in summary.points if point.health.stopped != INTERRUPTED)
    return EarlierMeasurement(earlier, tuple(complete_points))


def can_resume(folder: Path, manifest: PerfManifest) -> bool:
    """Return whether a folder contains an incomplete measurement with the same options that nothing writes to."""
    try:
        return read_earlier(folder, manifest) is not None and not is_being_written(folder)
    except SpecError:
        return False


def find_differences(earlier: PerfManifest, now: PerfManifest) -> Iterator[str]:
    """Describe the options in which two measurements differ, and a change of the data."""
    for before, after in ((earlier.spec, now.spec), (earlier.wanted, now.wanted)):
        old, new = _as_json(before), _as_json(after)
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                yield f"{name} was {_show(old.get(name))}, now {_show(new.get(name))}"
    if earlier.revision != now.revision:
        yield f"the data was {earlier.revision}, now {now.revision}"


def _as_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as it is read back from a file."""
    return dict(orjson.loads(orjson.dumps(document)))


def _show(value: Any) -> str:
    return "not set" if value in (None, "", [], {}) else orjson.dumps(value).decode()


def move_aside(point_folder: Path) -> None:
    """Rename what an interrupted load point left, so that it can be measured again."""
    if not point_folder.exists():
        return
    number = 1
    while (aside := point_folder.with_name(f"{point_folder.name}.{number}")).exists():
        number += 1
    point_folder.rename(aside)
