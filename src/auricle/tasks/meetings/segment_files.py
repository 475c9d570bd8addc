"""Read and write the files of who speaks what and when: RTTM, STM, CTM, SegLST and UEM.

Times are added as decimal numbers, as they are written: a turn at 0.1 of 0.2 seconds ends at 0.3. A line that cannot be
read raises an error with its file and number; a text that a model writes can be parsed in the same way.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from auricle.core.errors import AnswerMismatch, DataError, SampleError, Unreadable
from auricle.core.segments import parse_segments
from auricle.core.types import Segment
from auricle.data.data_files import DataFile, open_data_file
from auricle.data.file_formats import Row

SUFFIXES: Mapping[str, str] = {".rttm": "rttm", ".stm": "stm", ".ctm": "ctm", ".seglst": "seglst", ".json": "seglst"}
"""Formats of segments by the suffix of a file."""
IGNORED_TEXT = "IGNORE_TIME_SEGMENT_IN_SCORING"
"""The text of an STM line that excludes its time from scoring."""
RTTM_TYPES = frozenset(
    {
        *("SPEAKER", "SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH", "FILLER", "EDIT"),
        *("IP", "SU", "CB", "A/P", "SPKR-INFO"),
    }
)
RTTM_FIELDS = (9, 10)
"""Fields of a line; some programs write no lookahead time at its end."""
MISSING = "<NA>"
"""What RTTM has in the place of a value that is not known."""
SESSION_NAMES = ("session_id", "session", "recording", "file")
"""Names under which an object of SegLST has its recording."""
COMMENTS = (";;", "#")
MAX_SHOWN = 100
"""Most characters of a wrong line that a message contains."""
ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
CODE_FENCE = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
T = TypeVar("T")


class Region(NamedTuple):
    """A part of a recording, in seconds."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """The segments of a file by recording, in the order of the file, and what was left out."""

    recordings: Mapping[str, tuple[Segment, ...]]
    ignored: Mapping[str, tuple[Region, ...]] = field(default_factory=dict)
    """Times that the file excludes from scoring: NOSCORE in RTTM, `IGNORE_TIME_SEGMENT_IN_SCORING` in STM."""
    zero_length: Mapping[str, int] = field(default_factory=dict)
    """Number of turns without duration in each recording, which are dropped."""
    other_lines: Mapping[str, int] = field(default_factory=dict)
    """Number of lines of RTTM types that are not used."""
    alternatives: int = 0
    """Places at which STM allows several words; the first are used."""

    def notes(self) -> list[str]:
        """Return what was left out, in sentences."""
        notes = []
        if self.zero_length:
            notes.append(f"{sum(self.zero_length.values())} turns without duration are left out.")
        if self.other_lines:
            kinds = ", ".join(f"{count} {name}" for name, count in sorted(self.other_lines.items()))
            notes.append(f"Lines of other types are not used: {kinds}.")
        if self.alternatives:
            notes.append(f"{self.alternatives} places allow alternative words; the first of each are used.")
        return notes


class LineError(ValueError):
    """A line that cannot be read."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.number = number


# --- reading -------------------------------------------------------------------------------------


def format_of_file(path: Path) -> str:
    """Return the format that the suffix of a file names.

    Raises:
        DataError: if it names none.
    """
    if (name := SUFFIXES.get(path.suffix.lower())) is None:
        raise DataError(f"Unknown format of {path}. Supported suffixes: {', '.join(SUFFIXES)}.")
    return name


def read_segments(path: Path, format_name: str = "") -> SegmentFile:
    """Read a file of segments.

    Args:
        path: The file.
        format_name: `rttm`, `stm`, `ctm` or `seglst`. [default: by the suffix of the file]

    Raises:
        DataError: if the file cannot be read, with the number and the text of the line.
    """
    parse = PARSERS[format_name or format_of_file(path)]
    try:
        return parse(_read_text(path))
    except LineError as error:
        raise DataError(f"{path}:{error.number}: {error}.") from None


def parse_answer(text: str) -> SegmentFile:
    """Parse segments that a model writes: SegLST, RTTM, STM or CTM, also within a block of code.

    Raises:
        AnswerMismatch: if the text has none of these formats.
        Unreadable: if a line is wrong.
    """
    fenced = CODE_FENCE.search(text)
    content = fenced.group(1) if fenced else text
    lines_before = text[: fenced.start(1)].count("\n") if fenced else 0
    if not (format_name := _recognise(content)):
        line = next((line for _, line in _data_lines(content)), "")
        raise AnswerMismatch(f"line {lines_before + 1}: expected RTTM, STM, CTM or a JSON list, got {_shorten(line)}")
    try:
        return PARSERS[format_name](content)
    except LineError as error:
        raise Unreadable(f"line {lines_before + error.number}: {error}") from None


def read_uem(path: Path) -> dict[str, tuple[Region, ...]]:
    """Read the regions to score of each recording from a UEM file.

    Raises:
        DataError: if the file cannot be read, with the number and the text of the line.
    """
    try:
        return parse_uem(_read_text(path))
    except LineError as error:
        raise DataError(f"{path}:{error.number}: {error}.") from None


def parse_uem(text: str) -> dict[str, tuple[Region, ...]]:
    """Return the regions of each recording from lines of `file channel start end`."""
    regions: dict[str, list[Region]] = {}
    for number, line in _data_lines(text):
        fields = line.split()
        if len(fields) != 4:
            raise LineError(number, f"expected file, channel, start and end, got {_shorten(line)}")
        start, end = (
            _to_decimal(value, name, number) for value, name in zip(fields[2:], ("start", "end"), strict=True)
        )
        if end < start:
            raise LineError(number, f"the end {end} is before the start {start}; UEM has no durations")
        regions.setdefault(fields[0], []).append(Region(float(start), float(end)))
    return {name: tuple(sorted(values)) for name, values in regions.items()}


def _read_text(path: Path) -> str:
    with open_data_file(path) as file:
        content = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content[: error.start].count(b"\n") + 1
        raise DataError(f"{path}:{number}: not UTF-8 text. Convert the file to UTF-8.") from None


def _recognise(text: str) -> str:
    """Return the format of a text by its start; empty if it has none."""
    if text.lstrip().startswith(("[", "{")):
        return "seglst"
    fields = next((line.split() for _, line in _data_lines(text)), [])
    if fields and fields[0] in RTTM_TYPES:
        return "rttm"
    if len(fields) >= 5 and _is_number(fields[3]):
        return "stm" if _is_number(fields[4]) and not _has_ctm_values(fields) else "ctm"
    return ""


def _has_ctm_values(fields: Sequence[str]) -> bool:
    """Return whether a line may be CTM even if its fifth field is a number: one that is spoken, or STM's end."""
    return _is_number(fields[2]) and (len(fields) == 5 or (len(fields) == 6 and _is_number(fields[5])))


def _data_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither empty nor comments, with their numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(COMMENTS):
            yield number, stripped


def _parse_rttm(text: str) -> SegmentFile:
    turns: dict[str, list[Segment]] = {}
    ignored: dict[str, list[Region]] = {}
    others: Counter[str] = Counter()
    zero_length: Counter[str] = Counter()
    for number, line in _data_lines(text):
        fields = line.split()
        kind = fields[0]
        if kind not in RTTM_TYPES:
            raise LineError(number, f"unknown type {_shorten(kind)}; turns have the type SPEAKER")
        if kind not in ("SPEAKER", "NOSCORE"):
            others[kind] += 1
            continue
        if len(fields) not in RTTM_FIELDS:
            raise LineError(number, f"expected 10 fields separated by spaces, got {len(fields)}: {_shorten(line)}")
        recording, (start, end) = fields[1], _read_duration(fields[3], fields[4], number)
        if kind == "NOSCORE":
            ignored.setdefault(recording, []).append(Region(start, end))
            continue
        segments = turns.setdefault(recording, [])
        if end > start:
            segments.append(Segment(start, end, "", _name(fields[7])))
        else:
            zero_length[recording] += 1
    return SegmentFile(_freeze(turns), _freeze(ignored), zero_length, others)


def _parse_stm(text: str) -> SegmentFile:
    utterances: dict[str, list[Segment]] = {}
    ignored: dict[str, list[Region]] = {}
    alternatives = 0
    for number, line in _data_lines(text):
        fields = line.split(maxsplit=5)
        if len(fields) < 5:
            raise LineError(number, f"expected file, channel, speaker, start, end and words, got {_shorten(line)}")
        start, end = (
            _to_decimal(value, name, number) for value, name in zip(fields[3:5], ("start", "end"), strict=True)
        )
        if end < start:
            raise LineError(number, f"the end {end} is before the start {start}; STM has no durations")
        words = _without_label(fields[5] if len(fields) > 5 else "")
        if words.upper() == IGNORED_TEXT:
            ignored.setdefault(fields[0], []).append(Region(float(start), float(end)))
            continue
        words, count = ALTERNATIVES.subn(_first_alternative, words)
        alternatives += count
        segment = Segment(float(start), float(end), " ".join(words.split()), _name(fields[2]))
        utterances.setdefault(fields[0], []).append(segment)
    return SegmentFile(_freeze(utterances), _freeze(ignored), alternatives=alternatives)


def _without_label(words: str) -> str:
    """Return the words of an STM line without the label that may precede them, such as `<o,f0,male>`."""
    if words.startswith("<") and not words.startswith(MISSING):
        label, separator, rest = words.partition(">")
        if separator and " " not in label:
            return rest.strip()
    return words


def _first_alternative(match: re.Match[str]) -> str:
    first = re.split(r"\s/\s", f" {match.group(1)} ")[0].strip()
    return "" if first == "@" else first


def _parse_ctm(text: str) -> SegmentFile:
    words: dict[str, list[tuple[str, Segment]]] = {}
    for number, line in _data_lines(text):
        fields = line.split()
        if len(fields) not in (5, 6):
            raise LineError(
                number, f"expected file, channel, start, duration, word and confidence, got {_shorten(line)}"
            )
        start, end = _read_duration(fields[2], fields[3], number)
        has_score = len(fields) == 6 and fields[5] not in ("NA", MISSING)
        score = float(_to_decimal(fields[5], "confidence", number)) if has_score else None
        words.setdefault(fields[0], []).append((fields[1], Segment(start, end, fields[4], "", score)))
    return SegmentFile({name: tuple(_name_channels(values)) for name, values in words.items()})


def _name_channels(words: Sequence[tuple[str, Segment]]) -> Iterator[Segment]:
    """Yield the words of a recording; if it has several channels, each is a speaker."""
    is_one = len({channel for channel, _ in words}) == 1
    for channel, word in words:
        yield word if is_one else Segment(word.start, word.end, word.text, channel, word.score)


def _parse_seglst(text: str) -> SegmentFile:
    try:
        values = json.loads(text, parse_float=Decimal)
    except ValueError as error:
        raise LineError(getattr(error, "lineno", 1), f"not valid JSON: {getattr(error, 'msg', error)}") from None
    if isinstance(values, Mapping):
        values = values.get("segments", values)
    if not isinstance(values, list):
        raise LineError(1, f"expected a JSON list of segments, got {_shorten(values)}")
    segments: dict[str, list[Segment]] = {}
    for number, value in enumerate(values, 1):
        segment = _parse_object(value, number)
        segments.setdefault(_session(value), []).append(segment)
    return SegmentFile(_freeze(segments))


def _parse_object(value: Any, number: int) -> Segment:
    """Parse the object of a list at a position, which errors name because JSON has no lines."""
    try:
        (segment,) = parse_segments([value])
    except SampleError as error:
        raise LineError(1, str(error).replace("segment 1", f"segment {number}", 1)) from None
    if segment.end < segment.start:
        raise LineError(1, f"segment {number}: the end {segment.end} is before the start {segment.start}")
    return segment


def _session(value: Mapping[str, Any]) -> str:
    return str(next((value[name] for name in SESSION_NAMES if value.get(name) is not None), ""))


def _read_duration(start_text: str, duration_text: str, number: int) -> tuple[float, float]:
    start, duration = _to_decimal(start_text, "start", number), _to_decimal(duration_text, "duration", number)
    if duration < 0:
        raise LineError(number, f"the duration {duration} is negative")
    return float(start), float(start + duration)


def _to_decimal(text: str, name: str, number: int) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise LineError(number, f"{name} is {_shorten(text)}, expected seconds") from None
    if not value.is_finite():
        raise LineError(number, f"{name} is {text}, expected a finite number")
    return value


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _name(text: str) -> str:
    return "" if text == MISSING else text


def _freeze(values: Mapping[str, Sequence[T]]) -> dict[str, tuple[T, ...]]:
    return {name: tuple(items) for name, items in values.items()}


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


PARSERS: Mapping[str, Callable[[str], SegmentFile]] = {
    "rttm": _parse_rttm,
    "stm": _parse_stm,
    "ctm": _parse_ctm,
    "seglst": _parse_seglst,
}
"""How each format is parsed."""


# --- rows ----------------------------------------------------------------------------------------


def read_recordings(path: DataFile) -> Iterator[Row]:
    """Yield a row for each recording of a file of segments."""
    if not isinstance(path, Path):
        raise DataError(f"{path}: files of segments are read from the local file system only. Download it first.")
    return iter_rows(path, read_segments(path))


def iter_rows(path: Path, file: SegmentFile) -> Iterator[Row]:
    """Yield a row for each recording, whose audio has the same name."""
    for name, segments in file.recordings.items():
        values: dict[str, Any] = {"id": name, "audio": f"{name}.wav", "segments": list(map(to_mapping, segments))}
        if ignored := file.ignored.get(name):
            values["ignored"] = list(map(list, ignored))
        if zero_length := file.zero_length.get(name):
            values["zero_length"] = zero_length
        yield Row(f"{path.name}:{name}", values)


def to_mapping(segment: Segment) -> dict[str, Any]:
    """Return a segment as a mapping, without empty values."""
    values: dict[str, Any] = {"start": segment.start, "end": segment.end}
    if segment.speaker:
        values["speaker"] = segment.speaker
    if segment.text:
        values["text"] = segment.text
    return values


# --- writing -------------------------------------------------------------------------------------

Recordings = Mapping[str, Iterable[Segment]]


def format_rttm(recordings: Recordings) -> str:
    """Write turns as RTTM. Spaces in names become underscores, since fields are separated by spaces."""
    return "".join(
        f"SPEAKER {_field(name)} 1 {format_time(turn.start)} {_duration(turn)} "
        f"{MISSING} {MISSING} {_field(turn.speaker)} {MISSING} {MISSING}\n"
        for name, turns in recordings.items()
        for turn in turns
    )


def format_stm(recordings: Recordings) -> str:
    """Write utterances as STM."""
    return "".join(
        f"{_field(name)} 1 {_field(turn.speaker)} {format_time(turn.start)} {format_time(turn.end)} "
        f"{' '.join(turn.text.split())}".rstrip()
        + "\n"
        for name, turns in recordings.items()
        for turn in turns
    )


def format_ctm(recordings: Recordings) -> str:
    """Write words as CTM, in the order of their start. A segment of several words divides its time equally."""
    return "".join(
        f"{_field(name)} 1 {format_time(word.start)} {_duration(word)} {word.text}{_confidence(word)}\n"
        for name, segments in recordings.items()
        for word in sorted(split_words(segments), key=lambda word: word.start)
    )


def format_seglst(recordings: Recordings) -> str:
    """Write segments as SegLST."""
    objects = [
        {
            "session_id": name,
            "speaker": segment.speaker,
            "start_time": segment.start,
            "end_time": segment.end,
            "words": segment.text,
        }
        for name, segments in recordings.items()
        for segment in segments
    ]
    return json.dumps(objects, indent=1, ensure_ascii=False) + "\n"


def format_uem(regions: Mapping[str, Iterable[Region]]) -> str:
    """Write the regions to score as UEM."""
    return "".join(
        f"{_field(name)} 1 {format_time(region.start)} {format_time(region.end)}\n"
        for name, values in regions.items()
        for region in values
    )


FORMATTERS: Mapping[str, Callable[[Recordings], str]] = {
    "rttm": format_rttm,
    "stm": format_stm,
    "ctm": format_ctm,
    "seglst": format_seglst,
}
"""How each format is written."""


def split_words(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield a segment for each word; the words of a segment divide its time equally.

    >>> [word.start for word in split_words([Segment(0.0, 1.0, "good morning")])]
    [0.0, 0.5]
    """
    for segment in segments:
        words = segment.text.split()
        start, end = to_exact(segment.start), to_exact(segment.end)
        inner = [round(start + (end - start) * index / len(words), 6) for index in range(1, len(words))]
        for word, first, last in zip(words, [start, *inner], [*inner, end], strict=bool(words)):
            yield Segment(float(first), float(last), word, segment.speaker, segment.score)


def to_exact(seconds: float) -> Decimal:
    """Return a time as the decimal number that it is written as."""
    return Decimal(repr(float(seconds)))


def format_time(seconds: float) -> str:
    """Write a time with all its digits, without an exponent."""
    return f"{to_exact(seconds):f}"


def _duration(segment: Segment) -> str:
    return f"{to_exact(segment.end) - to_exact(segment.start):f}"


def _confidence(segment: Segment) -> str:
    return "" if segment.score is None else f" {format_time(segment.score)}"


def _field(name: str) -> str:
    return "_".join(name.split()) or MISSING
