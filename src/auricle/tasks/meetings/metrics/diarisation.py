"""Compare who speaks when: cut time at every boundary and count the speakers of each piece.

Times are whole nanoseconds, so that sums of decimal times are exact. In a piece with R speakers in the reference, H in
the hypothesis and C of them mapped to each other, `max(0, R - H)` are missed, `max(0, H - R)` are false alarms and
`min(R, H) - C` are confused. Where turns of the same speaker overlap, the convention decides whether all of them count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from auricle.core.types import Segment
from auricle.metrics.base import Array, Codes, Mask
from auricle.tasks.meetings.segment_files import Region

NANOSECONDS = 1_000_000_000
Convention = Literal["pyannote", "md-eval"]
CONVENTIONS: tuple[Convention, ...] = ("pyannote", "md-eval")


@dataclass(frozen=True, slots=True)
class Scoring:
    """What is scored.

    Args:
        collar: Seconds on each side of every boundary of the reference that are left out.
        overlap: Whether time with several speakers in the reference is scored or skipped.
        convention: Whose rules decide the rest. `pyannote` maps speakers after taking out collars, scores up to the
            last turn of either side if there is no UEM, counts false alarms in recordings without reference turns, and
            counts every turn where those of the same speaker overlap. `md-eval` maps speakers before, scores the extent
            of the reference turns, ignores such recordings, and counts a speaker once.
    """

    collar: float = 0.0
    overlap: Literal["score", "skip"] = "score"
    convention: Convention = "pyannote"

    @property
    def variant(self) -> str:
        """The conventions as part of a signature."""
        overlap = "scored" if self.overlap == "score" else "skipped"
        return f"collar-{self.collar:g}-each.overlap-{overlap}.{self.convention}"


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of speakers, as arrays: times in nanoseconds, and the index of each speaker."""

    starts: Codes
    ends: Codes
    speakers: Codes
    names: tuple[str, ...]

    @classmethod
    def from_segments(cls, segments: Iterable[Segment]) -> Turns:
        """Collect turns; those without duration are left out."""
        turns = [segment for segment in segments if segment.end > segment.start]
        indices: dict[str, int] = {}
        speakers = [indices.setdefault(turn.speaker, len(indices)) for turn in turns]
        times = to_nanoseconds([(turn.start, turn.end) for turn in turns])
        return cls(times[:, 0], times[:, 1], np.array(speakers, dtype=np.int64), tuple(indices))

    @property
    def boundaries(self) -> Codes:
        return np.concatenate([self.starts, self.ends])

    def count_active(self, cuts: Codes) -> Codes:
        """Return how many turns each speaker has between consecutive cuts, which contain all their boundaries."""
        changes = np.zeros((len(self.names), len(cuts)), dtype=np.int64)
        np.add.at(changes, (self.speakers, np.searchsorted(cuts, self.starts)), 1)
        np.add.at(changes, (self.speakers, np.searchsorted(cuts, self.ends)), -1)
        return changes.cumsum(axis=1)[:, :-1]


def to_nanoseconds(times: Sequence[tuple[float, float]]) -> Codes:
    """Return pairs of seconds as whole nanoseconds."""
    seconds = np.array(times, dtype=np.float64).reshape(-1, 2)
    return np.rint(seconds * NANOSECONDS).astype(np.int64)


def compare_turns(
    reference: Turns,
    hypothesis: Turns,
    scoring: Scoring,
    regions: Sequence[Region] | None = None,
    ignored: Sequence[Region] = (),
) -> Comparison:
    """Cut a recording into pieces and find the speakers of each.

    Args:
        reference: Turns of the reference.
        hypothesis: Turns of the model.
        scoring: What is scored.
        regions: The UEM of the recording; None if there is none.
        ignored: Times that are never scored.
    """
    scored = _find_region(reference, hypothesis, scoring) if regions is None else to_nanoseconds(regions)
    excluded = to_nanoseconds(ignored)
    collar = round(scoring.collar * NANOSECONDS)
    edges = reference.boundaries if collar else np.empty(0, dtype=np.int64)
    collars = np.stack([edges - collar, edges + collar], axis=1)
    spans = (scored, excluded, collars)
    cuts = np.unique(np.concatenate([reference.boundaries, hypothesis.boundaries, *(span.ravel() for span in spans)]))
    in_region = _cover(scored, cuts) & ~_cover(excluded, cuts)
    turns = reference.count_active(cuts), hypothesis.count_active(cuts)
    is_scored = in_region & ~_cover(collars, cuts)
    if scoring.overlap == "skip":  # turns of the same speaker are overlap, too, in pyannote.metrics and in md-eval
        is_scored &= turns[0].sum(axis=0) < 2
    return Comparison(cuts, turns, in_region, is_scored, scoring)


def _find_region(reference: Turns, hypothesis: Turns, scoring: Scoring) -> Codes:
    """Return the region that is scored if there is no UEM, as one span or none."""
    sides = (reference,) if scoring.convention == "md-eval" else (reference, hypothesis)
    times = np.concatenate([side.boundaries for side in sides])
    return np.array([[times.min(), times.max()]], dtype=np.int64) if len(times) else np.empty((0, 2), dtype=np.int64)


def _cover(spans: Codes, cuts: Codes) -> Mask:
    """Return which pieces are within any of the spans."""
    changes = np.zeros(len(cuts), dtype=np.int64)
    np.add.at(changes, np.searchsorted(cuts, spans[:, 0]), 1)
    np.add.at(changes, np.searchsorted(cuts, spans[:, 1]), -1)
    covered: Mask = changes.cumsum()[:-1] > 0
    return covered


@dataclass(frozen=True)
class Comparison:
    """The pieces of a recording between `cuts`, and the speakers of each on both sides."""

    cuts: Codes
    turns: tuple[Codes, Codes]
    """How many turns each speaker (row) of the reference, and of the hypothesis, has in each piece (column)."""
    in_region: Mask
    """Which pieces are in the region to score, collars and overlap included."""
    is_scored: Mask
    scoring: Scoring

    @cached_property
    def reference(self) -> Mask:
        """Whether each speaker (row) speaks in each piece (column)."""
        return self.turns[0] > 0

    @cached_property
    def hypothesis(self) -> Mask:
        return self.turns[1] > 0

    @cached_property
    def counted(self) -> tuple[Codes, Codes]:
        """How often each speaker of both sides counts in each piece."""
        if self.scoring.convention == "pyannote":
            return self.turns
        return np.minimum(self.turns[0], 1), np.minimum(self.turns[1], 1)

    @cached_property
    def seconds(self) -> Array:
        """The duration of each piece."""
        durations: Array = np.diff(self.cuts) / NANOSECONDS
        return durations

    @cached_property
    def mapping(self) -> dict[int, int]:
        """The speaker of the hypothesis for each of the reference, such that the time in common is longest.

        Among mappings with equal times, that with the largest Jaccard indices is chosen, so that the order of speakers
        never matters.
        """
        durations = self._mapped_durations.astype(np.float64)
        weighted = self.reference * durations
        shared = weighted @ self.hypothesis.T
        unions = weighted.sum(axis=1)[:, None] + (self.hypothesis @ durations)[None, :] - shared
        jaccard = np.divide(shared, unions, out=np.zeros_like(shared), where=unions > 0)
        common = (self.counted[0] * durations) @ self.counted[1].T
        fraction = 0.5 / max(1, *common.shape)  # all of them together are less than a nanosecond
        return {row: column for row, column in assign(common + fraction * jaccard) if common[row, column] > 0}

    @cached_property
    def _mapped_durations(self) -> Codes:
        """The nanoseconds of each piece that speakers are mapped by."""
        pieces = self.in_region if self.scoring.convention == "md-eval" else self.is_scored
        return np.where(pieces, np.diff(self.cuts), 0)

    @cached_property
    def correct(self) -> Codes:
        """How many speakers of each piece are mapped to each other."""
        correct = np.zeros(len(self.cuts[1:]), dtype=np.int64)
        for row, column in self.mapping.items():
            correct += np.minimum(self.counted[0][row], self.counted[1][column])
        return correct

    @cached_property
    def errors(self) -> tuple[Codes, Codes, Codes]:
        """How many speakers of each piece are missed, false alarms and confused."""
        expected, actual = (side.sum(axis=0) for side in self.counted)
        missed, added = np.maximum(expected - actual, 0), np.maximum(actual - expected, 0)
        return missed, added, np.minimum(expected, actual) - self.correct

    def sum_errors(self) -> tuple[float, float, float, float]:
        """Return the seconds of missed speech, false alarms and confusion, and of all reference speech."""
        weights = np.where(self.is_scored, np.diff(self.cuts), 0)
        counts = (*self.errors, self.counted[0].sum(axis=0))
        missed, added, confused, total = (int((count * weights).sum()) / NANOSECONDS for count in counts)
        return missed, added, confused, total

    def sum_self_overlaps(self) -> tuple[float, float]:
        """Return the seconds in which turns of a speaker overlap another one of the same speaker, on both sides."""
        weights = np.where(self.in_region, np.diff(self.cuts), 0)
        further = (np.maximum(side - 1, 0).sum(axis=0) for side in self.turns)
        reference, hypothesis = (int((count * weights).sum()) / NANOSECONDS for count in further)
        return reference, hypothesis

    def scored_seconds(self) -> float:
        """Return the scored time."""
        return float(np.diff(self.cuts)[self.is_scored].sum()) / NANOSECONDS

    def jaccard_errors(self) -> list[float]:
        """Return 1 minus the Jaccard index of each speaker of the reference and the one it is mapped to.

        Under the convention of md-eval, collars and overlap are not left out, as in dscore.
        """
        durations = self._mapped_durations
        errors = []
        for row, active in enumerate(self.reference):
            if not (active * durations).any():
                continue
            column = self.mapping.get(row)
            other = np.zeros_like(active) if column is None else self.hypothesis[column]
            errors.append(1 - float(durations[active & other].sum() / durations[active | other].sum()))
        return errors


def assign(weights: Array) -> list[tuple[int, int]]:
    """Return the pairs of rows and columns, each used at most once, with the largest sum of weights.

    The Hungarian algorithm with potentials, in time of rows squared times columns.

    >>> assign(np.array([[3.0, 2.0], [2.0, 0.0]]))
    [(0, 1), (1, 0)]
    """
    if weights.shape[0] > weights.shape[1]:
        return sorted((row, column) for column, row in assign(weights.T))
    rows, columns = weights.shape
    costs = (weights.max(initial=0.0) - weights).tolist()
    matching = _Matching(costs, rows, columns)
    for row in range(rows):
        matching.add_row(row)
    return sorted((row, column) for column, row in enumerate(matching.row_of) if row >= 0)


class _Matching:
    """A matching of lowest cost that grows by one row at a time."""

    def __init__(self, costs: list[list[float]], rows: int, columns: int) -> None:
        self.costs = costs
        self.row_of = [-1] * columns
        self._row_potentials = [0.0] * rows
        self._column_potentials = [0.0] * columns

    def add_row(self, row: int) -> None:
        """Match a row by the cheapest path of swaps to a free column."""
        columns = range(len(self.row_of))
        slack, previous, visited = [float("inf")] * len(columns), [-1] * len(columns), set[int]()
        current, column = row, -1
        while current >= 0:
            for other in columns:
                if other in visited:
                    continue
                cost = self.costs[current][other] - self._row_potentials[current] - self._column_potentials[other]
                if cost < slack[other]:
                    slack[other], previous[other] = cost, column
            column = min((other for other in columns if other not in visited), key=slack.__getitem__)
            self._shift(row, visited, slack, slack[column])
            visited.add(column)
            current = self.row_of[column]
        while column >= 0:
            before = previous[column]
            self.row_of[column] = row if before < 0 else self.row_of[before]
            column = before

    def _shift(self, row: int, visited: set[int], slack: list[float], delta: float) -> None:
        """Change the potentials such that the next column costs nothing."""
        self._row_potentials[row] += delta
        for column in range(len(slack)):
            if column in visited:
                self._row_potentials[self.row_of[column]] += delta
                self._column_potentials[column] -= delta
            else:
                slack[column] -= delta
