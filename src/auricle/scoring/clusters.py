"""Choose what counts as independent in intervals and tests: samples, or clusters of samples such as speakers.

Two recordings of one speaker have more in common than two of different speakers. An interval that treats them as
independent is too narrow, so samples are clustered wherever the data names their speakers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auricle.core.value_text import format_group
from auricle.metrics.base import Codes

DEFAULT_FIELDS = ("speaker", "speaker_id", "spk", "session")
"""Metadata fields that samples are clustered by if neither the task nor the user names one, in order of preference."""
NO_CLUSTER = "none"
"""The name that turns clusters off."""
ABSENT = -1


@dataclass
class ClusterField:
    """A metadata field as an integer code per sample; -1 if the sample has no value."""

    codes: array[int] = field(default_factory=lambda: array("q"))
    values: dict[str, int] = field(default_factory=dict)
    present: int = 0
    """Number of samples with a value."""

    def add(self, place: int, value: str) -> None:
        """Add the value of the sample at a place; the samples before it that were not added have none."""
        self.fill(place)
        self.codes.append(self.values.setdefault(value, len(self.values)))
        self.present += 1

    def fill(self, total: int) -> None:
        """Extend the codes to a number of samples."""
        self.codes.extend([ABSENT] * (total - len(self.codes)))

    def count(self, total: int) -> int:
        """Return the number of clusters among this many samples; a sample without a value is its own."""
        return len(self.values) + total - self.present


class ClusterTable:
    """The metadata fields that the samples of a run may be clustered by.

    Args:
        requested: The field that the task or the user names, `none`, or "" for the first of `DEFAULT_FIELDS` that
            repeats.
    """

    def __init__(self, requested: str = "") -> None:
        self._requested = requested
        self._candidates = DEFAULT_FIELDS if not requested else () if requested == NO_CLUSTER else (requested,)
        self._fields: dict[str, ClusterField | None] = {}
        self._total = 0

    def add(self, meta: Mapping[str, Any]) -> None:
        """Add the next sample."""
        for name, value in meta.items():
            if name not in self._fields:
                self._fields[name] = ClusterField() if self._key(name) in self._candidates else None
            column = self._fields[name]
            if column is not None and value is not None and value != "":
                column.add(self._total, format_group(value))
        self._total += 1

    def _key(self, name: str) -> str:
        """Return the name by which a field is looked for; those of the default fields are compared without case."""
        return name if self._requested else name.casefold()

    def candidates(self) -> dict[str, ClusterField]:
        """Return the fields that samples may be clustered by and that some sample has."""
        return {name: column for name, column in self._fields.items() if column and column.values}

    @property
    def field(self) -> str:
        """The field that samples are clustered by; empty if they are independent."""
        counts = {name: column.count(self._total) for name, column in self.candidates().items()}
        for candidate in self._candidates:
            for name, count in counts.items():
                if self._key(name) == candidate and count > 1 and (self._requested or count < self._total):
                    return name
        return ""

    @property
    def problem(self) -> str:
        """Why the requested field is not used."""
        if self._requested in ("", NO_CLUSTER) or self._total < 2 or self.field:
            return ""
        column = self._fields.get(self._requested)
        if column is None or not column.values:
            return f"no sample has the metadata field {self._requested!r}; samples are treated as independent"
        name = self._requested
        return f"all samples have the same {name}; intervals are over samples, and hold for this {name} only"

    def codes(self) -> Codes | None:
        """Return the cluster of every sample; None if samples are independent."""
        column = self._fields.get(self.field)
        if column is None:
            return None
        column.fill(self._total)
        codes = np.array(column.codes, dtype=np.int64)
        absent = np.flatnonzero(codes == ABSENT)
        codes[absent] = len(column.values) + np.arange(len(absent))
        return codes


def encode_clusters(values: Iterable[str | None]) -> Codes:
    """Number the clusters of samples by the value of each; a sample without a value is a cluster of its own."""
    codes: dict[str | int, int] = {}
    keys = (value or place for place, value in enumerate(values))
    return np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)


def renumber_clusters(codes: Codes | None) -> Codes | None:
    """Renumber clusters from 0 without gaps, in the order of the samples; return None if there is only one."""
    if codes is None:
        return None
    distinct, first, members = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[members] if len(distinct) > 1 else None


def join_clusters(fields: Iterable[str]) -> str:
    """Name the clusters of the parts of a suite together: `speaker`, or `speaker / sample` if they differ."""
    names = dict.fromkeys(fields)
    return " / ".join(name or "sample" for name in names) if any(names) else ""
