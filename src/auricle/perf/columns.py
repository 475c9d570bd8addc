"""Exchanges as columns: read once, a number each, what is unknown as NaN.

Columns.read(path)      from requests.jsonl; a torn last line is left out
Columns.of(exchanges)   from objects or their JSON
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray

from auricle.core.errors import DataError
from auricle.perf.exchange import Exchange

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

NUMBERS = (
    "turn", "user", "due", "sent", "uploaded", "first_byte", "first_token", "first_content",
    "first_audio", "first_audible", "last_content", "done",
    "input_tokens", "output_tokens", "audio_seconds",
)  # fmt: skip
GAPS = ("gaps", "token_gaps")
WORDS = ("phase", "status", "body", "finish", "error")
UNSAID: dict[str, Any] = {each.name: each.default for each in fields(Exchange)}


@dataclass(frozen=True, slots=True)
class Ragged:
    """Several values a row, laid end to end: row i has `flat[starts[i] : starts[i + 1]]`."""

    flat: Floats
    starts: Codes

    @property
    def counts(self) -> Codes:
        return np.diff(self.starts)

    @property
    def owners(self) -> Codes:
        """The row each value belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), self.counts)

    def of(self, row: int) -> Floats:
        return self.flat[self.starts[row] : self.starts[row + 1]]

    def only(self, rows: Mask) -> Floats:
        """The values of some rows, pooled."""
        return self.flat if rows.all() else self.flat[np.repeat(rows, self.counts)]

    def folded(self, fold: np.ufunc) -> Floats:
        """One value a row by `fold`, NaN for a row without any."""
        found = np.full(len(self.starts) - 1, np.nan)
        some = self.counts > 0
        if some.any():
            found[some] = fold.reduceat(self.flat, self.starts[:-1][some])
        return found


@dataclass(frozen=True, slots=True)
class Column:
    """Words as numbers: row i says `words[codes[i]]`."""

    codes: Codes
    words: tuple[str, ...]

    def says(self, word: str) -> Mask:
        code = self.words.index(word) if word in self.words else -1
        return np.equal(self.codes, code)


@dataclass(frozen=True, slots=True)
class Columns:
    """All exchanges of one load point."""

    numbers: Mapping[str, Floats]
    words: Mapping[str, Column]
    streamed: Mask
    gaps: Ragged
    token_gaps: Ragged
    spoken_at: Ragged
    spoken_seconds: Ragged

    def __len__(self) -> int:
        return len(self.streamed)

    def __getitem__(self, name: str) -> Floats:
        return self.numbers[name]

    @property
    def ok(self) -> Mask:
        return self.words["status"].says("ok")

    @property
    def measured(self) -> Mask:
        return self.words["phase"].says("measure")

    @property
    def began(self) -> Floats:
        """When each was due, or, where nothing is due, sent."""
        return np.where(np.isnan(self["due"]), self["sent"], self["due"])

    @classmethod
    def read(cls, path: Path) -> Columns:
        """From a file of one exchange a line."""
        with path.open("rb") as lines:
            return cls.of(_parsed(lines))

    @classmethod
    def of(cls, exchanges: Iterable[Exchange | Mapping[str, Any]]) -> Columns:
        """From exchanges, or from mappings that leave out what says nothing."""
        rows = _Rows()
        for each in exchanges:
            rows.add(each if isinstance(each, Mapping) else _held(each))
        return rows.columns()


def _parsed(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(lines, 1):
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError as error:
            if line.endswith(b"\n"):  # damaged, and not only torn by the process's end
                raise DataError(
                    f"Line {number} of the requests is damaged: {error}. Remove it to go on."
                ) from error


def _held(exchange: Exchange) -> dict[str, Any]:
    return {name: getattr(exchange, name) for name in UNSAID}


class _Rows:
    """Grows column by column, in machine numbers: a hundred gaps a request are many objects."""

    def __init__(self) -> None:
        self.numbers = {name: array("d") for name in NUMBERS}
        self.codes = {name: array("q") for name in WORDS}
        self.known: dict[str, dict[str, int]] = {name: {} for name in WORDS}
        self.streamed = bytearray()
        self.gaps = {name: (array("d"), array("q")) for name in GAPS}
        self.spoken, self.spoken_counts = array("d"), array("q")

    def add(self, row: Mapping[str, Any]) -> None:
        for name, column in self.numbers.items():
            value = row.get(name)
            value = UNSAID[name] if value is None else value
            column.append(np.nan if value is None else value)
        for name, codes in self.codes.items():
            known = self.known[name]
            codes.append(known.setdefault(row.get(name, UNSAID[name]), len(known)))
        self.streamed.append(bool(row.get("streamed")))
        self._add_many(row)

    def _add_many(self, row: Mapping[str, Any]) -> None:
        for name, (values, counts) in self.gaps.items():
            values.extend(gaps := row.get(name, ()))
            counts.append(len(gaps))
        spoken = row.get("spoken", ())
        for at, seconds in spoken:
            self.spoken.extend((at, seconds))
        self.spoken_counts.append(len(spoken))

    def columns(self) -> Columns:
        spoken = np.array(self.spoken).reshape(-1, 2)
        spoken_starts = _starts(self.spoken_counts)
        return Columns(
            numbers={name: np.array(each) for name, each in self.numbers.items()},
            words={
                name: Column(np.array(codes, dtype=np.int64), tuple(self.known[name]))
                for name, codes in self.codes.items()
            },
            streamed=np.frombuffer(bytes(self.streamed), dtype=np.bool_),
            **{
                name: Ragged(np.array(values), _starts(counts))
                for name, (values, counts) in self.gaps.items()
            },
            spoken_at=Ragged(spoken[:, 0].copy(), spoken_starts),
            spoken_seconds=Ragged(spoken[:, 1].copy(), spoken_starts),
        )


def _starts(counts: array[int]) -> Codes:
    return np.concatenate([[0], np.cumsum(np.array(counts, dtype=np.int64))]).astype(np.int64)
