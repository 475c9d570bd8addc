"""Collect the sounds of systems: from the answers or inputs of runs, or from a manifest of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Generation, Record, Sample, list_parts
from auricle.data.file_formats import Row, read_rows
from auricle.media import Audio
from auricle.runs.run_directory import Run, contains_run

INPUT = "input"
"""Name of the reference that consists of the recordings that the runs received."""
ITEM_COLUMNS = ("item", "id")


@dataclass(frozen=True, slots=True)
class SystemSounds:
    """The sounds of a system, by item."""

    name: str
    source: str
    sounds: dict[str, Audio]


def collect_systems(sources: Sequence[str]) -> list[SystemSounds]:
    """Collect the systems of runs and manifests.

    Args:
        sources: Run directories or manifests, each of which may be named: `NAME=PATH`.

    Raises:
        SpecError: if a path is neither, has no sounds, or two systems have one name.
    """
    systems: list[SystemSounds] = []
    for source in sources:
        name, path = split_name(source)
        if path.is_file():
            systems += read_manifest(path)
        elif contains_run(path):
            systems.append(read_run(path, name))
        else:
            raise SpecError(f"{path} is neither a run nor a data file with the columns system, item and audio.")
    return _name_apart(systems)


def split_name(source: str) -> tuple[str, Path]:
    """Split NAME=PATH; the name is empty for a path alone, which may contain an equals sign if it exists."""
    name, equals, path = source.partition("=")
    is_named = equals and not Path(source).exists()
    return (sanitise(name), Path(path)) if is_named else ("", Path(source))


def sanitise(name: str) -> str:
    """Return the name of a system as it occurs in the names of metrics."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "system"


def _name_apart(systems: list[SystemSounds]) -> list[SystemSounds]:
    """Name systems with the same name after the folders of their runs.

    Raises:
        SpecError: if they still have the same name.
    """
    names = [system.name for system in systems]
    renamed = [
        replace(system, name=sanitise(Path(system.source).name)) if names.count(system.name) > 1 else system
        for system in systems
    ]
    final = [system.name for system in renamed]
    if repeated := next((name for name in final if final.count(name) > 1), ""):
        raise SpecError(f"Two systems are named {repeated!r}. Name them: NAME=PATH.")
    return renamed


def read_run(path: Path, name: str = "") -> SystemSounds:
    """Collect the spoken answers of a run or, if it has none, the recordings that its model received.

    Args:
        path: Run directory.
        name: Name of the system. [default: that of the model]
    """
    run = Run.load(path)
    answers: dict[str, Audio] = {}
    inputs: dict[str, Audio] = {}
    for record in run.records():
        if (answer := _get_answer(record)) is not None:
            answers[record.sample.id] = answer
        if (recording := get_recording(record.sample)) is not None:
            inputs[record.sample.id] = recording
    sounds = answers or inputs
    if not sounds:
        raise SpecError(f"{path} has neither spoken answers nor recordings to listen to.")
    return SystemSounds(name or sanitise(run.spec.model_name or run.spec.model), str(path), sounds)


def read_inputs(path: Path, name: str) -> SystemSounds:
    """Collect the recordings that the model of a run received, without perturbations."""
    recordings = {record.sample.id: get_recording(record.sample) for record in Run.load(path).records()}
    sounds = {item: replace(audio, perturbation=None) for item, audio in recordings.items() if audio is not None}
    return SystemSounds(name, str(path), sounds)


def _get_answer(record: Record) -> Audio | None:
    spoken = [output.audio for output in record.outputs if isinstance(output, Generation) and output.audio is not None]
    return spoken[-1] if spoken else None


def get_recording(sample: Sample) -> Audio | None:
    """Return the first recording of a sample, perturbed as the model received it."""
    parts = (part for value in sample.inputs.values() for part in list_parts(value))
    return next((part for part in parts if isinstance(part, Audio)), None)


def read_manifest(path: Path) -> list[SystemSounds]:
    """Collect the systems of a data file with the columns `system`, `item` (or `id`) and `audio`."""
    systems: dict[str, dict[str, Audio]] = {}
    for row in read_rows(path):
        if not isinstance(row, Row):
            raise DataError(f"{row.origin}: {row.reason}")
        name, item, audio = _read_columns(row)
        sounds = systems.setdefault(sanitise(name), {})
        if item in sounds:
            raise DataError(f"{row.origin}: the item {item!r} of the system {name!r} occurs twice.")
        file = Path(audio)
        sounds[item] = Audio(str(file if file.is_absolute() else path.parent / file))
    if not systems:
        raise DataError(f"{path} has no rows.")
    return [SystemSounds(name, str(path), sounds) for name, sounds in systems.items()]


def _read_columns(row: Row) -> tuple[str, str, str]:
    item = next((row.values[name] for name in ITEM_COLUMNS if row.values.get(name) not in (None, "")), None)
    values = {"system": row.values.get("system"), "item": item, "audio": row.values.get("audio")}
    if missing := [name for name, value in values.items() if value in (None, "")]:
        raise DataError(f"{row.origin}: the column {missing[0]!r} is missing. Expected system, item and audio.")
    return str(values["system"]), str(values["item"]), str(values["audio"])
