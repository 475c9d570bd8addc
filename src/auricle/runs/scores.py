"""`scores.jsonl`: the statistics of each sample, derived from the journal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from auricle.core.errors import DataError
from auricle.core.files import open_regular_file, write_lines_atomically
from auricle.core.serialization import dumps
from auricle.core.types import Outcome
from auricle.runs.shards.large_runs import check_has_samples

SCORES_FILE = "scores.jsonl"
NESTED = {list, type(None)}
JUDGED, UNREAD, REFUSED, TRUNCATED = "judge", "unread", "refused", "truncated"
READINGS = ("structure", "marker", "whole_reply", "statement", JUDGED, UNREAD, REFUSED, TRUNCATED)
"""How an answer was read: by rules, from the firmest strength to the least firm, by a judge, or not at all."""
NOTHING: Mapping[str, Any] = MappingProxyType({})
"""Shared by most lines, because there may be a million."""


def _share_nothing() -> Mapping[str, Any]:
    return NOTHING


@dataclass(slots=True)
class ScoreLine:
    """The statistics of one sample by metric, or why there are none."""

    id: str
    row: int
    stats: dict[str, Any] = field(default_factory=dict)
    failed: str = ""
    """The kind of error, if the sample failed."""
    unreadable: Mapping[str, str] = field(default_factory=_share_nothing)
    """Why a metric could not read the answer, by metric."""
    reading: str = ""
    """How the answer was read, one of `READINGS`; the last of them if metrics differ. Empty if none reads replies."""
    verdicts: Mapping[str, Sequence[str]] = field(default_factory=_share_nothing)
    """The end of each of the judge's replies, by metric."""

    def to_json_line(self) -> bytes:
        if self.failed:
            return dumps({"id": self.id, "row": self.row, "failed": self.failed})
        line: dict[str, Any] = {"id": self.id, "row": self.row, "stats": self.stats}
        if self.unreadable:
            line["unreadable"] = self.unreadable
        if self.reading:
            line["reading"] = self.reading
        if self.verdicts:
            line["verdicts"] = self.verdicts
        return dumps(line)

    def add_reading(self, reading: str) -> None:
        """Store how a metric read the answer."""
        if not self.reading or READINGS.index(reading) > READINGS.index(self.reading):
            self.reading = reading

    def resolve_outcome(self, outcome: Outcome) -> Outcome:
        """Return what became of the sample, from what became of its request and how its answer was read."""
        if not self.unreadable or outcome is not Outcome.ANSWERED:
            return outcome
        return Outcome(self.reading) if self.reading in (REFUSED, TRUNCATED) else Outcome.UNREADABLE


def write_scores(run_path: Path, lines: Iterable[ScoreLine]) -> None:
    """Write the scores of a run; they can be derived again, so there is no fsync."""
    write_lines_atomically(run_path / SCORES_FILE, (line.to_json_line() for line in lines))


def read_scores(run_path: Path) -> Iterator[ScoreLine]:
    """Yield the scores of a run.

    Raises:
        DataError: if the file is missing or damaged.
    """
    try:
        with open_regular_file(run_path / SCORES_FILE) as lines:
            for line in lines:
                document = orjson.loads(line)
                if len(document) == 3 and "stats" in document:  # the common case, in half the time
                    yield ScoreLine(document["id"], document["row"], document["stats"], "", NOTHING, "", NOTHING)
                else:
                    yield ScoreLine(**document)
    except FileNotFoundError as error:
        check_has_samples(run_path)
        raise _missing_scores(run_path) from error
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise _missing_scores(run_path) from error


def _missing_scores(run_path: Path) -> DataError:
    return DataError(
        f"{run_path / SCORES_FILE} is missing or damaged. Run `auricle score {run_path}` to write it again."
    )


def restore_stat(stat: Any) -> Any:
    """Restore a statistic from JSON: lists become tuples, null becomes NaN."""
    if type(stat) is not list:
        return math.nan if stat is None else stat
    if not NESTED & set(map(type, stat)):  # the common case
        return tuple(stat)
    if any(each is None for each in stat) and not any(isinstance(each, str) for each in stat):
        return tuple(math.nan if each is None else _to_tuple(each) for each in stat)
    return tuple(map(_to_tuple, stat))


def _to_tuple(value: Any) -> Any:
    return tuple(map(_to_tuple, value)) if isinstance(value, list) else value
