"""What a file of results holds, whoever wrote it: answers, and what they are answers to."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.types import Failure, Generation, Output

ResultLine = tuple[str, dict[str, Any]]
"""Where a line stands, such as `results.jsonl:17`, and what it holds."""
NOT_ANSWERED = "NotAnswered"
"""The kind of failure where another tool kept no answer."""

DERIVED_SUFFIXES = (".json", ".csv", ".pkl", ".xlsx")
"""What lies beside results: summaries, tables, what is not finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSample:
    """One row of another tool's results: what was asked, and what became of it."""

    manifest_row: Mapping[str, Any]
    """As a manifest has it: id, audio, question, choices, target, meta."""
    origin: str
    outputs: tuple[Output, ...] = ()
    error: Failure | None = None
    seconds: float | None = None
    audio_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedResults:
    """The answers of one model to one dataset."""

    path: Path
    model: str
    dataset: str
    samples: Sequence[ImportedSample]
    kind: str = ""
    """What the data is for, where the file tells; else `--as` has to."""
    task_options: Mapping[str, Any] = field(default_factory=dict)
    """What else the task should be told, such as the language."""
    extra_files: tuple[Path, ...] = ()
    """Other files that were read."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultFormat:
    """How another tool's results are recognised and read."""

    name: str
    title: str
    required_columns: tuple[str, ...]
    """Columns that every line of its results has."""
    file_pattern: str
    """Which files of a folder are its results."""
    file_example: str
    """How such a file is called, for messages."""
    read: Callable[[Path, Sequence[ResultLine]], ImportedResults]
    profile: str = ""
    """The text profile that normalises as it does, where there is one."""
    derived_pattern: str = ""
    """What files are called that its scorer makes of results, with the same columns."""

    def matches(self, values: Mapping[str, Any]) -> bool:
        return all(mark in values for mark in self.required_columns)

    def find_files(self, path: Path) -> list[Path]:
        """The result files that a path names: itself, or those in the folder."""
        if path.is_file():
            if path.suffix.lower() in DERIVED_SUFFIXES:
                raise DataError(f"{path} does not hold the answers of {self.title}; they are in {self.file_example}.")
            return [path]
        if not path.exists():
            raise DataError(f"There is no {path}.")
        found = sorted(each for each in path.rglob(self.file_pattern) if self._is_result(each))
        if not found:
            raise DataError(f"{path} holds no results of {self.title}: no {self.file_example}.")
        return found

    def _is_result(self, path: Path) -> bool:
        """Derived files lie beside results: most have other columns, some only other names."""
        if self.derived_pattern and re.search(self.derived_pattern, path.name):
            return False
        with path.open("rb") as lines:
            first = next((line for line in lines if not line.isspace()), b"")
        try:
            values = json.loads(first)
        except ValueError:
            return False
        return isinstance(values, dict) and self.matches(values)


def read_lines(path: Path) -> list[ResultLine]:
    """Every line of a result file; one that cannot be read is the user's move."""
    found = []
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.isspace():
                found.append((f"{path.name}:{number}", _parse_line(path, number, line)))
    if not found:
        raise DataError(f"{path} is empty: it holds no results.")
    return found


def _parse_line(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        values = json.loads(line.removeprefix(b"\xef\xbb\xbf"))  # which, unlike others, knows NaN
    except ValueError as error:
        raise DataError(
            f"{path}:{number} is not valid JSON ({error}): the line is torn. Copy the file again, or delete the line."
        ) from error
    if not isinstance(values, dict):
        raise DataError(f"{path}:{number} holds {type(values).__name__}, not a JSON object.")
    return values


def compute_sha256(path: Path) -> str:
    """The file's SHA-256, so that it can be known again."""
    with path.open("rb") as file:
        whole = sha256()
        while block := file.read(1 << 20):
            whole.update(block)
    return whole.hexdigest()


def text_output(text: str, **details: Any) -> tuple[Output, ...]:
    """One answer in words."""
    return (Generation(text=text, **details),)


def not_answered(reason: str) -> Failure:
    return Failure(NOT_ANSWERED, reason)


def deduplicate_ids(samples: Sequence[ImportedSample]) -> tuple[list[ImportedSample], tuple[str, ...]]:
    """The same answers with ids of their own: where two share one, their places are their ids."""
    counted = Counter(str(each.manifest_row["id"]) for each in samples)
    twice = next((name for name, count in counted.items() if count > 1), None)
    if twice is None:
        return list(samples), ()
    again = [replace(each, manifest_row={**each.manifest_row, "id": at}) for at, each in enumerate(samples)]
    return again, (f"The id {twice!r} occurs more than once: samples are told by their place.",)


def parse_list_target(target: str) -> Any:
    """A target that was a list before it was written as text, as a list again."""
    if target.startswith("[") and target.endswith("]"):
        try:
            found = ast.literal_eval(target)
        except (ValueError, SyntaxError):
            return target
        return found if isinstance(found, list) and found else target
    return target


def read_sibling_json(path: Path, name: str) -> dict[str, Any]:
    """What a JSON file beside a result file says; nothing where it is not there, or is no JSON."""
    other = path.with_name(name)
    try:
        values = json.loads(other.read_bytes())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
