"""The turns of a meeting with their errors, by speaker, for the figure and the player of a page.

Of a long recording, both have the minute with most errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auricle.core.errors import Unreadable
from auricle.core.types import Generation, Record, Segment
from auricle.report.segment_timeline import Bar, Row
from auricle.tasks.meetings.metrics.turns import read_reference, read_speakers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from auricle.tasks.meetings.metrics.diarisation import Comparison

WINDOW_SECONDS = 60.0
"""Longest part of a recording that is drawn and played."""
MAX_ROWS = 200
"""Most lines of the table beside the figure."""
KINDS = ("", "right", "confused", "missed", "added", "unscored")
"""What a piece of a turn is, by its code."""
RIGHT_CODE, CONFUSED, MISSED, ADDED, UNSCORED = range(1, len(KINDS))
DESCRIPTIONS = {
    "right": "right",
    "confused": "attributed to another speaker",
    "missed": "missed",
    "added": "false alarm",
    "unscored": "not scored",
}


@dataclass(frozen=True, slots=True)
class Lane:
    """A speaker of the reference, and the one of the answer that it is mapped to; either may be missing."""

    reference: str | None
    answer: str | None
    reference_bars: tuple[Bar, ...]
    answer_bars: tuple[Bar, ...]

    @property
    def title(self) -> str:
        """The name of the speaker; that of the answer if the reference has no such speaker."""
        return f"+ {self.answer}" if self.reference is None else self.reference

    @property
    def description(self) -> str:
        if self.reference is None:
            return f"{self.answer}: a speaker of the answer only"
        return (
            f"{self.reference}, in the answer {self.answer}" if self.answer else f"{self.reference}: not in the answer"
        )


@dataclass(frozen=True, slots=True)
class MeetingTimeline:
    """What the figure and the table of a meeting show."""

    start: float
    """Where the drawn part begins, in seconds from the start of the recording."""
    seconds: float
    """Duration of the drawn part."""
    duration: float
    """End of the last turn."""
    lanes: tuple[Lane, ...]
    rows: tuple[Row, ...]
    errors: tuple[float, float, float, float]
    """Seconds of missed speech, false alarms and confusion in the whole recording, and of reference speech."""
    speakers: tuple[int, int]
    """Number of speakers of the reference and of the answer."""
    turns: tuple[int, int]
    """Number of turns of the reference and of the answer."""

    @property
    def summaries(self) -> tuple[str, str]:
        """The reference and the answer in words, for recordings without any."""
        reference, answer = (
            f"{turns:,} turn{'s' * (turns != 1)} of {speakers} speaker{'s' * (speakers != 1)}"
            for turns, speakers in zip(self.turns, self.speakers, strict=True)
        )
        return reference, answer

    @property
    def error_rate(self) -> float | None:
        """The diarisation error rate without collars; None if nothing is spoken."""
        return sum(self.errors[:3]) / self.errors[3] if self.errors[3] else None

    @property
    def excerpt(self) -> str:
        """Which part is drawn, if it is not the whole recording."""
        if self.seconds >= self.duration:
            return ""
        return (
            f"Drawn and played: {format_clock(self.start)} to {format_clock(self.start + self.seconds)} of "
            f"{format_clock(self.duration)}, where most errors are."
        )


def find_window(record: Record) -> tuple[float, float] | None:
    """Return start and end of the part of a recording that is drawn and played; None if it is not a meeting."""
    pair = _compare(record)
    if pair is None:
        return None
    return _choose_window(pair[0])


def build_meeting_timeline(record: Record) -> MeetingTimeline | None:
    """Collect what the figure of a meeting shows; None if the reference or the answer has no speakers."""
    pair = _compare(record)
    if pair is None:
        return None
    comparison, names, counts = pair
    start, end = _choose_window(comparison)
    lanes = tuple(_list_lanes(comparison, names, (start, end)))
    rows = sorted(row for lane in lanes for row in _list_rows(lane))
    return MeetingTimeline(
        start=start,
        seconds=max(end - start, 1.0),
        duration=_duration(comparison),
        lanes=lanes,
        rows=tuple(rows[:MAX_ROWS]),
        errors=comparison.sum_errors(),
        speakers=(len(names[0]), len(names[1])),
        turns=counts,
    )


Names = tuple[tuple[str, ...], tuple[str, ...]]
"""Speakers of the reference and of the answer."""


def _compare(record: Record) -> tuple[Comparison, Names, tuple[int, int]] | None:
    """Compare the turns of a record without collars, and return their speakers and numbers; None if it has none."""
    from auricle.tasks.meetings.metrics.diarisation import Scoring, Turns, compare_turns

    reference = read_reference(record.sample)
    last = record.outputs[-1] if record.outputs else None
    if not reference.segments or not reference.has_speakers or not isinstance(last, Generation):
        return None
    try:
        answer: Sequence[Segment] = read_speakers(last)
    except Unreadable:
        return None
    sides = Turns.from_segments(reference.segments), Turns.from_segments(answer)
    if not any(len(side.starts) for side in sides):
        return None
    comparison = compare_turns(*sides, Scoring(), reference.regions, reference.ignored)
    return comparison, (sides[0].names, sides[1].names), (len(sides[0].starts), len(sides[1].starts))


def _duration(comparison: Comparison) -> float:
    from auricle.tasks.meetings.metrics.diarisation import NANOSECONDS

    return float(comparison.cuts[-1]) / NANOSECONDS


def _choose_window(comparison: Comparison) -> tuple[float, float]:
    """Return the part of at most `WINDOW_SECONDS` with most seconds of errors."""
    import numpy as np

    from auricle.tasks.meetings.metrics.diarisation import NANOSECONDS

    duration = _duration(comparison)
    if duration <= WINDOW_SECONDS:
        return 0.0, duration
    times = comparison.cuts / NANOSECONDS
    amounts = np.where(comparison.is_scored, sum(comparison.errors), 0) * comparison.seconds
    total = np.concatenate([[0.0], np.cumsum(amounts)])
    starts = np.clip(times[:-1] - 1.0, 0.0, duration - WINDOW_SECONDS)
    gains = np.interp(starts + WINDOW_SECONDS, times, total) - np.interp(starts, times, total)
    start = float(np.floor(starts[gains.argmax()]))
    return start, start + WINDOW_SECONDS


# --- lanes ---------------------------------------------------------------------------------------


def _list_lanes(comparison: Comparison, names: Names, window: tuple[float, float]) -> Iterator[Lane]:
    """Yield a lane for each speaker of the reference in the order of their first turns, then for others."""
    reference_kinds, answer_kinds = _classify(comparison)

    def bars(kinds: NDArray[np.int64]) -> tuple[Bar, ...]:
        return tuple(_list_bars(comparison, kinds, window))

    mapping = comparison.mapping
    for row, name in enumerate(names[0]):
        column = mapping.get(row)
        answer = None if column is None else names[1][column]
        yield Lane(name, answer, bars(reference_kinds[row]), () if column is None else bars(answer_kinds[column]))
    for column, name in enumerate(names[1]):
        if column not in mapping.values():
            yield Lane(None, name, (), bars(answer_kinds[column]))


def _classify(comparison: Comparison) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what each piece of each speaker is, as a code of `KINDS`.

    Errors are counted by piece; where some speakers of a piece are confused and others missed, the first are confused.
    """
    import numpy as np

    matched = tuple(np.zeros_like(side) for side in (comparison.reference, comparison.hypothesis))
    for row, column in comparison.mapping.items():
        matched[0][row] = matched[1][column] = comparison.reference[row] & comparison.hypothesis[column]
    confused = comparison.errors[2]
    kinds = []
    sides = (comparison.reference, comparison.hypothesis)
    for active, right, error in zip(sides, matched, (MISSED, ADDED), strict=True):
        free = active & ~right
        is_confused = free & (free.cumsum(axis=0) <= confused)
        codes = np.select([right, is_confused, free], [RIGHT_CODE, CONFUSED, error], 0)
        kinds.append(np.where(active & ~comparison.is_scored, UNSCORED, codes))
    return kinds[0], kinds[1]


def _list_bars(comparison: Comparison, kinds: NDArray[np.int64], window: tuple[float, float]) -> Iterator[Bar]:
    """Yield the bars of a speaker in a window; neighbouring pieces of a kind are one bar."""
    import numpy as np

    from auricle.tasks.meetings.metrics.diarisation import NANOSECONDS

    if not len(kinds):
        return
    changes = np.flatnonzero(np.diff(kinds)) + 1
    firsts, lasts = np.concatenate([[0], changes]), np.concatenate([changes, [len(kinds)]])
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        start, end = (float(comparison.cuts[place]) / NANOSECONDS for place in (first, last))
        start, end = max(start, window[0]), min(end, window[1])
        if kinds[first] and start < end:
            yield Bar(start, end, KINDS[int(kinds[first])])


def _list_rows(lane: Lane) -> Iterator[Row]:
    """Yield the errors of a lane, as the text alternative of the figure."""
    for side, bars in (("Reference", lane.reference_bars), ("Answer", lane.answer_bars)):
        name = lane.reference if side == "Reference" else lane.answer
        for bar in bars:
            if bar.kind != "right":
                yield Row(bar.start, side, f"{name}: {DESCRIPTIONS[bar.kind]} for {bar.end - bar.start:.2f} s")


def format_clock(seconds: float) -> str:
    """Format a time of a recording.

    >>> format_clock(62.0), format_clock(3723.5)
    ('1:02', '1:02:03')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
