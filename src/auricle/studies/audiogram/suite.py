"""Suites whose parts are one task under several conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from auricle.runs.metrics import Metrics
from auricle.runs.suites import SuiteRun
from auricle.scoring.suite_kinds import PartRuns, SuiteKind, SuiteNumbers, SuiteRows
from auricle.studies.audiogram.comparison import compare_families
from auricle.studies.audiogram.numbers import compute_condition_numbers

if TYPE_CHECKING:
    from markupsafe import Markup


class Conditions(SuiteKind):
    """A task under conditions: each condition against clean, summaries of each family, and their curves."""

    section = "audiogram"

    def compute(self, suite: SuiteRun, runs: PartRuns) -> SuiteNumbers:
        return compute_condition_numbers(suite, {name: run for name, run in runs.items() if run[1].overall})

    def compare(
        self, suites: tuple[SuiteRun, SuiteRun], runs: tuple[PartRuns, PartRuns], metrics: Sequence[str],
        cluster: str | None,
    ) -> SuiteRows:  # fmt: skip
        return compare_families(suites, runs, metrics, cluster)

    def draw_comparison(self, metrics: tuple[Metrics, Metrics]) -> list[Markup]:
        from auricle.studies.audiogram.figure import draw_audiogram  # scoring does not draw
        from auricle.studies.audiogram.report import Audiogram

        audiogram = Audiogram.from_metrics(metrics)
        return [draw_audiogram(audiogram, metric) for metric, models in audiogram.metrics.items() if len(models) > 1]
