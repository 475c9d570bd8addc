"""Kinds of suites whose parts are not averaged: what features compute of them, compare and draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from auricle.core.registry import Registry
from auricle.runs.metrics import FamilyFacts, Metrics, Number
from auricle.runs.suites import SuiteRun

if TYPE_CHECKING:
    from markupsafe import Markup

    from auricle.scoring.compare.metric_rows import ComparisonRow

PartRuns: TypeAlias = Mapping[str, tuple[Path, Metrics]]
"""Run directory and numbers of each part that was scored, by its name."""


@dataclass(frozen=True)
class SuiteNumbers:
    """The numbers of a suite."""

    numbers: Sequence[Number]
    not_computed: Mapping[str, str]
    """What has no number, with the reason."""
    families: tuple[FamilyFacts, ...] = ()
    """The families of conditions, if the parts are conditions of one task."""
    unanswered: frozenset[str] = frozenset()
    """Parts that were run and have no number, which leaves the suite complete."""
    lines: Mapping[str, Sequence[dict[str, Any]]] = field(default_factory=dict)
    """Lines of further files, by the names of the files."""


@dataclass(frozen=True)
class SuiteRows:
    """The rows of two suites beyond those of their parts, what cannot be compared with the reason, and notes."""

    rows: list[ComparisonRow]
    refused: dict[str, str]
    notes: list[str]


class SuiteKind:
    """What is computed of the parts of a suite instead of an average."""

    section: ClassVar[str] = ""
    """Name of the section of a page that has what `draw_comparison` draws."""

    def compute(self, suite: SuiteRun, runs: PartRuns) -> SuiteNumbers:
        """Compute the numbers of a suite."""
        raise NotImplementedError

    def compare(
        self, suites: tuple[SuiteRun, SuiteRun], runs: tuple[PartRuns, PartRuns], metrics: Sequence[str],
        cluster: str | None,
    ) -> SuiteRows:  # fmt: skip
        """Compare two suites beyond their single parts, the first being the baseline.

        Args:
            suites: What was run.
            runs: The parts that both suites have.
            metrics: Names of the metrics to compare.
            cluster: Metadata field whose values are independent, or `none`. Default: that of both runs.
        """
        return SuiteRows([], {}, [])

    def draw_comparison(self, metrics: tuple[Metrics, Metrics]) -> list[Markup]:
        """Draw the numbers of two suites over each other, a figure for each metric."""
        return []


SUITE_KINDS: Registry[type[SuiteKind]] = Registry("suite kind", {}, expects=(type, "a subclass of SuiteKind"))
"""Kinds by the purpose of a suite, or by what it has in place of an average."""


def find_suite_kind(name: str) -> SuiteKind | None:
    """Return the kind of suites with this purpose or average; None if their parts are averaged."""
    return SUITE_KINDS.get(name)() if name in SUITE_KINDS else None
