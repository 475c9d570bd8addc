"""Read lists of verification trials, their scores, and the tables beside them, as in VoxCeleb, Kaldi and NIST.

A trial is a line with two names and a label, in either order: `1 id1/a.wav id1/b.wav` (VoxCeleb), `utt1 utt2 target`
(Kaldi), `model segment nontarget` (NIST). Fields are separated by spaces, tabs or commas.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import DataError
from auricle.core.types import RejectedRow
from auricle.data.data_files import open_data_file
from auricle.data.file_formats import Row
from auricle.data.manifest import Manifest

SAME, DIFFERENT = "same", "different"
LABELS: Mapping[str, str] = {
    **dict.fromkeys(("1", "1.0", "true", "target", "tgt", "same", "yes", "genuine", "positive", "match"), SAME),
    **dict.fromkeys(("0", "0.0", "false", "nontarget", "non-target", "nontgt", "different", "no"), DIFFERENT),
    **dict.fromkeys(("imp", "impostor", "imposter", "negative", "nonmatch"), DIFFERENT),
}
"""Spellings of labels, in lower case."""
COMMENT = "#"
TABLE_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")


def parse_label(value: object) -> str | None:
    """Return `same` or `different` for a label in any usual spelling, or None if it is none."""
    return LABELS.get(str(value).strip().lower())


def is_trial_list(path: Path) -> bool:
    """Return whether a file is a plain list rather than a table with column names."""
    return path.suffix.lower() not in TABLE_SUFFIXES


def split_fields(line: str) -> list[str]:
    """Split a line at spaces, tabs or commas."""
    return line.replace(",", " ").split()


def read_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line with its number, without empty lines and comments."""
    with open_data_file(path) as file:
        for number, line in enumerate(file, 1):
            fields = split_fields(line.decode("utf-8-sig" if number == 1 else "utf-8", "replace"))
            if fields and not fields[0].startswith(COMMENT):
                yield number, fields


def read_trials(path: Path) -> Iterator[Row | RejectedRow]:
    """Yield the trials of a list as rows with the columns `a`, `b` and `label`."""
    for number, fields in read_lines(path):
        origin = f"{path.name}:{number}"
        values = _parse_trial(fields)
        if values is None and number == 1:  # the names of columns
            continue
        yield RejectedRow(origin, _explain(fields)) if values is None else Row(origin, values)


def _parse_trial(fields: list[str]) -> dict[str, Any] | None:
    if len(fields) < 3:
        return None
    if label := parse_label(fields[0]):
        return {"a": fields[1], "b": fields[2], "label": label}
    if label := parse_label(fields[-1]):
        return {"a": fields[0], "b": fields[1], "label": label}
    return None


def _explain(fields: list[str]) -> str:
    if len(fields) < 3:
        return f"expected two names and a label, got {' '.join(fields)!r}"
    line = " ".join(fields)[:80]
    return f"no label in {line!r}: expected 1 or target, or 0 or nontarget, as the first or the last field"


@dataclass(frozen=True)
class TrialList(Manifest):
    """The trials of a plain list."""

    def _read_rows(self) -> Iterator[Row | RejectedRow]:
        return read_trials(self.path)

    def list_columns(self) -> list[str]:
        return ["a", "b", "label"]


def read_table(path: Path) -> dict[str, list[str]]:
    """Read lines of a name and one value or several, such as `wav.scp`, `utt2spk` and `spk2utt`; names may repeat."""
    table: dict[str, list[str]] = {}
    for number, (name, *values) in read_lines(path):
        if not values:
            raise DataError(f"{path}:{number}: expected a name and a value, got {name!r}.")
        table.setdefault(name, []).extend(values)
    return table


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A score of two names."""

    origin: str
    a: str
    b: str
    score: float


def read_scores(path: Path) -> Iterator[ScoreLine]:
    """Yield the scores of a file: two names and a number as the first or the last field; other fields are ignored.

    Raises:
        DataError: if a line has no two names and no finite number.
    """
    for number, fields in read_lines(path):
        parsed = _parse_score(fields)
        if parsed is None:
            if number == 1:  # the names of columns
                continue
            raise DataError(
                f"{path}:{number}: expected two names and a finite score, got {' '.join(fields)[:80]!r}. "
                "Fix or delete the line."
            )
        yield ScoreLine(f"{path.name}:{number}", *parsed)


def _parse_score(fields: list[str]) -> tuple[str, str, float] | None:
    if len(fields) < 3:
        return None
    for place, names in ((-1, fields[:2]), (0, fields[1:3])):
        try:
            score = float(fields[place])
        except ValueError:
            continue
        if math.isfinite(score):
            return names[0], names[1], score
    return None
