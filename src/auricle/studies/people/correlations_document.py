"""`correlations.json`: how metrics of the tested systems correlate with what people answered in a listening test."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from auricle.core.direction import Directed
from auricle.runs.documents import read_document, write_document
from auricle.runs.extras import Extra
from auricle.runs.metrics import Metrics

CORRELATIONS_FILE = "correlations.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleCorrelation(Directed):
    """A correlation of one metric with people."""

    metric: str
    title: str
    higher_is_better: bool
    optimum: str = ""
    level: str
    """`system` or `item`: whether systems, or single items of systems, are correlated."""
    coefficient: str
    """`pearson`, `spearman` or `kendall`."""
    n: int
    """Number of pairs."""
    value: float | None = None
    """None if it is undefined, such as with two systems or equal values."""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleCorrelations:
    """All correlations of a listening test."""

    format: int = 1
    rows: tuple[PeopleCorrelation, ...] = ()
    runs: dict[str, str] = field(default_factory=dict)
    """The run of each system."""
    notes: tuple[str, ...] = ()

    @classmethod
    def load(cls, run_path: Path) -> PeopleCorrelations:
        """Read the correlations of a run; none if there are none."""
        with suppress(FileNotFoundError):
            return read_document(run_path / CORRELATIONS_FILE, cls)
        return cls()

    def save(self, run_path: Path) -> None:
        write_document(run_path / CORRELATIONS_FILE, self)


class PeopleCorrelationsExtra(Extra):
    """How metrics correlate with people, in the numbers of a listening test."""

    kind: ClassVar[Any] = PeopleCorrelations

    def make_empty(self) -> PeopleCorrelations:
        return PeopleCorrelations()

    def load(self, run_path: Path, metrics: Metrics) -> PeopleCorrelations:
        return PeopleCorrelations.load(run_path)
