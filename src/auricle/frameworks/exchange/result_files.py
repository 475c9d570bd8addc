"""Result files of other frameworks, and how they are read into samples with answers."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError, SpecError
from auricle.core.registry import Registry
from auricle.core.types import Failure, Generation, Output

Notify = Callable[[str], None]
ResultLine = tuple[str, dict[str, Any]]
"""The origin of a line, such as `results.jsonl:17`, and its values."""
Times = tuple[float | None, float | None]
"""Seconds that the model took, and seconds of audio."""
NOT_ANSWERED = "NotAnswered"
"""Failure kind of samples for which the other framework stored no answer."""

DERIVED_SUFFIXES = (".json", ".csv", ".pkl", ".xlsx")
"""Suffixes of files beside results: summaries, tables and unfinished files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSample:
    """One row of another framework's results: the sample, and its answer or failure."""

    manifest_row: Mapping[str, Any]
    """Columns of a manifest: id, audio, question, choices, target, meta."""
    origin: str
    outputs: tuple[Output, ...] = ()
    error: Failure | None = None
    seconds: float | None = None
    audio_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedResults:
    """The answers of one model for one dataset."""

    path: Path
    model: str
    dataset: str
    samples: Sequence[ImportedSample]
    kind: str = ""
    """Kind of task, if the file identifies it; otherwise `--as` is required."""
    task: str = ""
    """Task that the results belong to, if it is one of Auricle's; its rows have the framework's columns."""
    tasks_by_kind: Mapping[str, str] = field(default_factory=dict)
    """Tasks that read the framework's columns, for the kinds of `--as`; other kinds read those of a manifest."""
    task_options: Mapping[str, Any] = field(default_factory=dict)
    """Further task options, such as the language."""
    extra_files: tuple[Path, ...] = ()
    """Further files that were read."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultFormat:
    """How results of another framework are recognised and read."""

    name: str
    title: str
    required_columns: tuple[str, ...]
    """Columns that every line has."""
    file_pattern: str
    """Glob pattern of the result files in a folder."""
    file_example: str
    """Name of such a file, for messages."""
    read: Callable[[Path, Sequence[ResultLine]], ImportedResults]
    profile: str = ""
    """Text profile that normalises as the framework does, if there is one."""
    derived_pattern: str = ""
    """Regular expression for files that the framework's scorer derives from results, with the same columns."""

    @property
    def summary(self) -> str:
        return f"results of {self.title}"

    def with_reference(self, reference: Path, options: Mapping[str, Any]) -> ResultFormat:
        """Return the format with a reference for its files; only those that contain none have one.

        Raises:
            SpecError: if its files contain the reference.
        """
        raise SpecError(f"Results of {self.title} contain their references: leave out --reference.")

    def matches(self, values: Mapping[str, Any]) -> bool:
        return all(column in values for column in self.required_columns)

    def find_files(self, path: Path) -> list[Path]:
        """Return the result files of a path: the file itself, or those in the folder."""
        if path.is_file():
            if path.suffix.lower() in DERIVED_SUFFIXES:
                raise DataError(f"{path} does not contain the answers of {self.title}. Import {self.file_example}.")
            return [path]
        if not path.exists():
            raise DataError(f"There is no file or folder {path}.")
        files = sorted(file for file in path.rglob(self.file_pattern) if self._is_result(file))
        if not files:
            raise DataError(f"{path} contains no results of {self.title}. Expected {self.file_example}.")
        return files

    def read_lines(self, path: Path) -> list[ResultLine]:
        """Return the rows of a result file."""
        return read_lines(path)

    def _is_result(self, path: Path) -> bool:
        """Return whether a file contains results; derived files differ in their columns or in their name."""
        if self.derived_pattern and re.search(self.derived_pattern, path.name):
            return False
        with path.open("rb") as lines:
            first = next((line for line in lines if not line.isspace()), b"")
        try:
            values = json.loads(first)
        except ValueError:
            return False
        return isinstance(values, dict) and self.matches(values)


Exporter = Callable[[Path, Path, Notify], list[Path]]
"""Writes a run to a folder and returns the files; notes for the user go to the last argument."""

IMPORTERS: Registry[ResultFormat] = Registry("importer", {}, expects=(ResultFormat, "a ResultFormat"))
EXPORTERS: Registry[Exporter] = Registry("exporter", {}, expects=(Callable, "a function"))


def read_lines(path: Path) -> list[ResultLine]:
    """Read every line of a result file; raise `DataError` if there is none, or one is not a JSON object."""
    with path.open("rb") as lines:
        result_lines = [
            (f"{path.name}:{number}", _parse_line(path, number, line))
            for number, line in enumerate(lines, 1)
            if not line.isspace()
        ]
    if not result_lines:
        raise DataError(f"{path} is empty.")
    return result_lines


def _parse_line(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line.removeprefix(b"\xef\xbb\xbf"))  # unlike orjson, it accepts NaN
    except ValueError as error:
        raise DataError(
            f"{path}:{number} is not valid JSON ({error}). Copy the file again, or delete the line."
        ) from error
    if not isinstance(values, dict):
        raise DataError(f"{path}:{number} is {type(values).__name__}, expected a JSON object.")
    return values


def text_sample(
    origin: str, row: Mapping[str, Any], text: str | None, reason: str, times: Times = (None, None), **details: Any
) -> ImportedSample:
    """Return a sample answered with one text, or a failure with this reason if the text is None."""
    return ImportedSample(
        manifest_row=row,
        origin=origin,
        outputs=() if text is None else (Generation(text=text, **details),),
        error=Failure(NOT_ANSWERED, reason) if text is None else None,
        seconds=times[0],
        audio_seconds=times[1],
    )


def sum_or_none(values: Sequence[float | None]) -> float | None:
    """Return the sum, or None if a value is missing."""
    present = [value for value in values if value is not None]
    return sum(present) if len(present) == len(values) else None


def deduplicate_ids(
    samples: Sequence[ImportedSample], column: str = "id"
) -> tuple[list[ImportedSample], tuple[str, ...]]:
    """Return samples with unique ids, and notes; if an id occurs twice, all samples are numbered instead."""
    counts = Counter(str(sample.manifest_row[column]) for sample in samples)
    duplicate = next((sample_id for sample_id, count in counts.items() if count > 1), None)
    if duplicate is None:
        return list(samples), ()
    numbered = [
        replace(sample, manifest_row={**sample.manifest_row, column: index}) for index, sample in enumerate(samples)
    ]
    return numbered, (f"The id {duplicate!r} occurs more than once, so samples are identified by their position.",)


def parse_list_target(target: str) -> Any:
    """Convert a target that is the text of a non-empty Python list to that list; return others unchanged."""
    if target.startswith("[") and target.endswith("]"):
        try:
            value = ast.literal_eval(target)
        except (ValueError, SyntaxError):
            return target
        return value if isinstance(value, list) and value else target
    return target


def read_sibling_json(path: Path, name: str) -> dict[str, Any]:
    """Read a JSON object from a file in the same folder; return {} if it is missing or invalid."""
    try:
        values = json.loads(path.with_name(name).read_bytes())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
