"""Slices of a run by the signal of its recordings: signal-to-noise ratio, duration, level, speaking rate and others."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from auricle.core.types import Json
from auricle.media.sound_measures import SignalMeasures
from auricle.metrics.base import Array, Codes
from auricle.runs.sound_measures import UNKNOWN

UNKNOWN_GROUP = "unknown"
"""Name of the group of samples without a measure."""
ABSENT = -1
FIRST_UNSPACED_CHARACTER = "\u2e80"  # scripts without spaces begin here
SIGNIFICANT_DIGITS = 2
"""Digits of limits that are derived from the data."""


@dataclass(frozen=True, slots=True)
class Slicing:
    """How a measure is cut into groups.

    Args:
        unit: Unit in the names of groups.
        limits: Lower limits of all groups but the first; empty for the tertiles of the data, rounded.
        scale: Factor from the measure to the unit.
    """

    unit: str
    limits: tuple[float, ...] = ()
    scale: float = 1.0


SLICINGS = {
    "snr": Slicing("dB", (10, 20, 30)),
    "duration": Slicing("s"),
    "level": Slicing("dB", (-40, -30, -20)),
    "speaking_rate": Slicing("words/s"),
    "band": Slicing("kHz", (4, 8), 0.001),
    "clipped": Slicing("%", (0.001, 0.1), 100.0),
}
"""The slices by the name that `--by` uses. Physical measures have the same limits in all runs."""
MEASURED = ("snr", "level", "speaking_rate", "band", "clipped")
"""Slices that need recordings to be measured."""
UNSPACED_UNIT = "characters/s"


@dataclass(frozen=True)
class Grouping:
    """The group of every sample of a run by one field."""

    names: tuple[str, ...]
    codes: Codes
    """Index of the name; -1 if the sample has no value."""

    def count(self) -> int:
        """Return the number of groups that have samples."""
        return len(np.unique(self.codes[self.codes != ABSENT]))


class SoundTable:
    """The measures of the recordings of a run, sample by sample.

    Args:
        measures: The measures by the content key of their samples.
    """

    def __init__(self, measures: Mapping[str, SignalMeasures]) -> None:
        self._measures = measures
        self._columns = {name: array("d") for name in (*SLICINGS, UNSPACED_UNIT)}
        self._unspaced = self._spaced = 0
        self.recordings = self.measured = 0

    def add(self, key: str, seconds: float | None, target: Json) -> None:
        """Add the next sample: its content key, the duration of its audio and its reference."""
        duration = math.nan if seconds is None else seconds
        measures = self._measures.get(key, UNKNOWN)
        self.recordings += seconds is not None
        self.measured += seconds is not None and key in self._measures
        words, characters = self._count_units(target)
        spoken = duration * measures.active if duration else math.nan
        values = {
            **{name: getattr(measures, name) for name in ("snr", "level", "band", "clipped")},
            "duration": duration,
            "speaking_rate": words / spoken if spoken else math.nan,
            UNSPACED_UNIT: characters / spoken if spoken else math.nan,
        }
        for name, value in values.items():
            self._columns[name].append(value)

    def _count_units(self, target: Json) -> tuple[float, float]:
        if not isinstance(target, str) or not target.strip():
            return math.nan, math.nan
        is_unspaced = any(character >= FIRST_UNSPACED_CHARACTER for character in target)
        self._unspaced, self._spaced = self._unspaced + is_unspaced, self._spaced + (not is_unspaced)
        return len(target.split()), sum(character.isalnum() for character in target)

    def cut(self, name: str) -> Grouping:
        """Cut a measure into groups, named by their range.

        >>> table = SoundTable({})
        >>> for seconds in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0):
        ...     table.add("", seconds, None)
        >>> table.cut("duration").names
        ('below 2.7 s', '2.7–4.3 s', '4.3 s or more')
        """
        slicing, column = SLICINGS[name], name
        unit = slicing.unit
        if name == "speaking_rate" and self._unspaced > self._spaced:
            unit, column = UNSPACED_UNIT, UNSPACED_UNIT
        values = np.array(self._columns[column], dtype=np.float64) * slicing.scale
        is_known = np.isfinite(values)
        limits = slicing.limits or _round_tertiles(values[is_known])
        codes = np.where(is_known, np.searchsorted(limits, values, side="right"), ABSENT)
        return Grouping(tuple(_name_ranges(limits, unit)), codes)


def _round_tertiles(values: Array) -> tuple[float, ...]:
    """Return the limits of three groups of about the same size, rounded to two digits."""
    if not len(values):
        return ()
    tertiles = np.quantile(values, [1 / 3, 2 / 3]).tolist()
    return tuple(sorted({float(f"{limit:.{SIGNIFICANT_DIGITS}g}") for limit in tertiles}))


def _name_ranges(limits: Sequence[float], unit: str) -> Iterator[str]:
    """Yield the names of the ranges below, between and above limits."""
    texts = [f"{limit:g}".replace("-", "\u2212") for limit in limits]
    if not texts:
        yield f"all ({unit})"
        return
    yield f"below {texts[0]} {unit}"
    for low, high in pairwise(texts):
        is_negative = low.startswith("\u2212")
        yield f"{low} to {high} {unit}" if is_negative else f"{low}–{high} {unit}"
    yield f"{texts[-1]} {unit} or more"
