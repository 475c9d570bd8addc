"""Request records, from which every number is computed: lines of `requests.jsonl`, and the same as numpy columns.

Times are seconds on the monotonic clock since the start of the load point. Events that did not happen are None in a
record, not 0; unknown numbers are NaN in a column.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray

from auricle.core.errors import DataError
from auricle.core.files import open_regular_file

Phase: TypeAlias = Literal["warmup", "measure", "cooldown"]
Status: TypeAlias = Literal["ok", "failed", "cancelled"]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

NUMERIC_COLUMNS = (
    "index", "turn", "user", "due", "sent", "uploaded", "first_byte", "first_token", "first_content",
    "first_audio", "first_audible", "last_content", "done",
    "input_tokens", "output_tokens", "output_chars", "audio_seconds",
    "turns", "answered_turns", "pacing_p99", "pacing_max",
)  # fmt: skip
LIST_COLUMNS = ("gaps", "token_gaps", "voice_to_voice", "yields")
CATEGORICAL_COLUMNS = ("phase", "status", "body", "model", "finish", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """A request: when it was due and sent, and when each part of its response arrived."""

    index: int
    """Position in the schedule; the turns of a conversation share it."""
    sample: str
    turn: int = 0
    user: int | None = None
    """Number of the user, in a closed loop."""
    sender: int = 0
    """Number of the process that sent it."""
    phase: Phase = "measure"
    status: Status = "ok"
    due: float | None = None
    """Scheduled time; None in a closed loop, which has no schedule."""
    sent: float | None = None
    """When it was sent, after all preparation; None if it never was."""
    uploaded: float | None = None
    """When the last part of a large body was handed to the socket; small bodies are sent in one part."""
    first_byte: float | None = None
    first_token: float | None = None
    """The first chunk with content: text, reasoning, a tool call or audio."""
    first_content: float | None = None
    """The first chunk that is not reasoning."""
    first_audio: float | None = None
    first_audible: float | None = None
    """The first audio chunk that is not silent."""
    last_content: float | None = None
    done: float | None = None
    """When the response was complete, including usage and the end of the stream; or when it failed."""
    gaps: tuple[float, ...] = ()
    """Seconds between consecutive chunks, from `first_token` on."""
    token_gaps: tuple[float, ...] = ()
    """Seconds per token between consecutive token counts, if the server reports them while streaming."""
    spoken: tuple[tuple[float, float], ...] = ()
    """Arrival time and length of each audio chunk."""
    voice_to_voice: tuple[float, ...] = ()
    """Of a live call: seconds from the caller's last audible sample to the agent's first one, per answered turn."""
    yields: tuple[float, ...] = ()
    """Of a live call: seconds until the agent fell silent, for each time that the caller interrupted it."""
    turns: int | None = None
    """Of a live call: turns of the caller that ask for an answer."""
    answered_turns: int | None = None
    pacing_p99: float | None = None
    """Of a live call: how late frames of audio were sent."""
    pacing_max: float | None = None
    streamed: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    output_chars: int | None = None
    """Length of the text of the answer."""
    audio_seconds: float | None = None
    """Length of the audio that was sent."""
    bytes_sent: int | None = None
    body: str = ""
    """Digest of the body: equal for equal requests."""
    model: str = ""
    """The model that answers it, if requests are divided among several."""
    finish: str = ""
    error: str = ""
    """Type and message of the error."""

    def to_json_line(self) -> bytes:
        """Return the record as a JSON line without empty fields."""
        values = ((name, getattr(self, name)) for name in FIELD_DEFAULTS)
        document = {name: _round_times(value) for name, value in values if value not in (None, "", ())}
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


FIELD_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(RequestRecord)}


def _round_times(value: Any) -> Any:
    """Round times to ten microseconds; finer digits are noise."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, tuple):
        return [_round_times(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class RaggedArray:
    """Several values per row, end to end: row i has `flat[starts[i] : starts[i + 1]]`."""

    flat: Floats
    starts: Ints

    @property
    def counts(self) -> Ints:
        return np.diff(self.starts)

    @property
    def row_indices(self) -> Ints:
        """Row that each value belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), self.counts)

    def get_row(self, row: int) -> Floats:
        return self.flat[self.starts[row] : self.starts[row + 1]]

    def pool_rows(self, rows: Mask) -> Floats:
        """Return the values of the selected rows."""
        return self.flat if rows.all() else self.flat[np.repeat(rows, self.counts)]

    def reduce_rows(self, ufunc: np.ufunc) -> Floats:
        """Reduce each row to one value with `ufunc`; NaN for empty rows."""
        reduced = np.full(len(self.starts) - 1, np.nan)
        non_empty = self.counts > 0
        if non_empty.any():
            reduced[non_empty] = ufunc.reduceat(self.flat, self.starts[:-1][non_empty])
        return reduced


@dataclass(frozen=True, slots=True)
class CategoricalColumn:
    """Strings as integer codes: row i has `categories[codes[i]]`."""

    codes: Ints
    categories: tuple[str, ...]

    def equals(self, category: str) -> Mask:
        code = self.categories.index(category) if category in self.categories else -1
        return np.equal(self.codes, code)


@dataclass(frozen=True, slots=True)
class RequestColumns:
    """All requests of a load point."""

    numeric: Mapping[str, Floats]
    categorical: Mapping[str, CategoricalColumn]
    streamed: Mask
    gaps: RaggedArray
    token_gaps: RaggedArray
    voice_to_voice: RaggedArray
    yields: RaggedArray
    audio_chunk_times: RaggedArray
    audio_chunk_seconds: RaggedArray

    def __len__(self) -> int:
        return len(self.streamed)

    def __getitem__(self, name: str) -> Floats:
        return self.numeric[name]

    @property
    def ok(self) -> Mask:
        return self.categorical["status"].equals("ok")

    @property
    def in_measure_phase(self) -> Mask:
        return self.categorical["phase"].equals("measure")

    @property
    def start_times(self) -> Floats:
        """Due time of each request; its sending time where it has no due time."""
        return np.where(np.isnan(self["due"]), self["sent"], self["due"])

    @classmethod
    def read(cls, path: Path) -> RequestColumns:
        """Read `requests.jsonl`; an incomplete last line is left out."""
        with open_regular_file(path) as lines:
            return cls.from_records(_parse_lines(lines))

    @classmethod
    def from_records(cls, records: Iterable[RequestRecord | Mapping[str, Any]]) -> RequestColumns:
        """Build columns from records, or from mappings that may leave out default values."""
        builder = _ColumnBuilder()
        for record in records:
            builder.add(
                record if isinstance(record, Mapping) else {name: getattr(record, name) for name in FIELD_DEFAULTS}
            )
        return builder.build()


def _parse_lines(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(lines, 1):
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError as error:
            if line.endswith(b"\n"):  # an incomplete last line is expected after a crash; any other is damage
                raise DataError(f"Line {number} of requests.jsonl is not valid JSON: {error}. Remove it.") from error


class _ColumnBuilder:
    """Collects columns in arrays of machine numbers, which need far less memory than Python objects."""

    def __init__(self) -> None:
        self.numeric = {name: array("d") for name in NUMERIC_COLUMNS}
        self.codes = {name: array("q") for name in CATEGORICAL_COLUMNS}
        self.category_codes: dict[str, dict[str, int]] = {name: {} for name in CATEGORICAL_COLUMNS}
        self.streamed = bytearray()
        self.lists = {name: (array("d"), array("q")) for name in LIST_COLUMNS}
        self.audio_chunks, self.audio_chunk_counts = array("d"), array("q")

    def add(self, row: Mapping[str, Any]) -> None:
        for name, column in self.numeric.items():
            value = row.get(name)
            value = FIELD_DEFAULTS[name] if value is None else value
            column.append(np.nan if value is None else value)
        for name, codes in self.codes.items():
            category_codes = self.category_codes[name]
            codes.append(category_codes.setdefault(row.get(name, FIELD_DEFAULTS[name]), len(category_codes)))
        self.streamed.append(bool(row.get("streamed")))
        self._add_lists(row)

    def _add_lists(self, row: Mapping[str, Any]) -> None:
        for name, (values, counts) in self.lists.items():
            values.extend(items := row.get(name, ()))
            counts.append(len(items))
        spoken = row.get("spoken", ())
        for time, seconds in spoken:
            self.audio_chunks.extend((time, seconds))
        self.audio_chunk_counts.append(len(spoken))

    def build(self) -> RequestColumns:
        spoken = np.array(self.audio_chunks).reshape(-1, 2)
        spoken_starts = _offsets(self.audio_chunk_counts)
        return RequestColumns(
            numeric={name: np.array(column) for name, column in self.numeric.items()},
            categorical={
                name: CategoricalColumn(np.array(codes, dtype=np.int64), tuple(self.category_codes[name]))
                for name, codes in self.codes.items()
            },
            streamed=np.frombuffer(bytes(self.streamed), dtype=np.bool_),
            **{name: RaggedArray(np.array(values), _offsets(counts)) for name, (values, counts) in self.lists.items()},
            audio_chunk_times=RaggedArray(spoken[:, 0].copy(), spoken_starts),
            audio_chunk_seconds=RaggedArray(spoken[:, 1].copy(), spoken_starts),
        )


def _offsets(counts: array[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(counts, dtype=np.int64))]).astype(np.int64)
