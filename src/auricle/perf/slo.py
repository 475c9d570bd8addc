"""Service level objectives: `p95(ttft_s)<0.3` for a run, `ttft_s<0.3` for every request."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from auricle.core.errors import SpecError
from auricle.perf.measures import DEFINITIONS, POOLED_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.request_records import Floats, Mask, RequestColumns
from auricle.runs.perf_files import MeasureStatistics, RunMeasure

Measures: TypeAlias = Mapping[str, MeasureStatistics]
RunMeasures: TypeAlias = Mapping[str, RunMeasure]
STATISTICS = ("mean", "min", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
COMPARATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
SLO_PATTERN = re.compile(
    r"(?:(?P<statistic>[a-z0-9.]+)\((?P<inside>\w+)\)|(?P<name>\w+))"
    r"(?P<sign><=|>=|<|>)(?P<limit>[0-9.eE+-]+)"
)
SLO_SYNTAX = "Expected p95(ttft_s)<0.3 for a run, ttft_s<0.3 for every request, or req_s>5."


@dataclass(frozen=True, slots=True)
class Slo:
    """A limit for a measure, or for a statistic of it."""

    measure: str
    comparator: str
    limit: float
    statistic: str = ""

    def __str__(self) -> str:
        subject = f"{self.statistic}({self.measure})" if self.statistic else self.measure
        return f"{subject}{self.comparator}{self.limit:g}"

    @property
    def is_per_request(self) -> bool:
        """Whether it applies to every request rather than to the run."""
        return not self.statistic and self.measure in REQUEST_DEFINITIONS

    @classmethod
    def parse(cls, text: str) -> Slo:
        """Parse one SLO."""
        match = SLO_PATTERN.fullmatch(text.replace(" ", ""))
        if match is None:
            raise SpecError(f"Invalid SLO {text!r}. {SLO_SYNTAX}")
        try:
            limit = float(match["limit"])
        except ValueError as error:
            raise SpecError(f"Invalid SLO {text!r}: {match['limit']!r} is not a number. {SLO_SYNTAX}") from error
        statistic = match["statistic"] or ""
        if statistic and statistic not in STATISTICS:
            raise SpecError(
                f"Invalid SLO {text!r}: unknown statistic {statistic!r}. Expected one of: {', '.join(STATISTICS)}."
            )
        measure_names = (
            [*REQUEST_DEFINITIONS]
            if statistic
            else [*RUN_DEFINITIONS, *sorted({*REQUEST_DEFINITIONS} - POOLED_MEASURES)]
        )
        measure = _resolve_measure(match["inside"] or match["name"], measure_names, text)
        return cls(measure, match["sign"], limit, statistic)

    def is_met_by(self, value: float | None) -> bool | None:
        """Return whether a value is within the limit; None for an unknown value."""
        return None if value is None else bool(COMPARATORS[self.comparator](value, self.limit))

    def read_value(self, measures: Measures, run: RunMeasures) -> float | None:
        """Return the value that the limit applies to; None for a per-request SLO."""
        if self.is_per_request:
            return None
        return measures[self.measure][self.statistic] if self.statistic else run[self.measure].value

    def explain_missing_value(self, measures: Measures) -> str:
        """Return why there is nothing to compare with the limit."""
        measure = measures.get(self.measure, MeasureStatistics(undefined=1))
        if not measure.n + measure.undefined:
            return "no request succeeded"
        if self.statistic in measure.withheld:
            return f"too few requests for {self.statistic} ({measure.withheld[self.statistic]})"
        return f"{self.measure} is unknown ({DEFINITIONS[self.measure]['undefined_when']})"


DEFAULT_ATTAINMENT = Slo("slo_attainment", ">=", 0.95)
"""Share of requests that must meet the per-request SLOs, unless `slo_attainment` has an SLO of its own."""


def _resolve_measure(name: str, measure_names: Sequence[str], text: str) -> str:
    """Return the full name of a measure; its unit may be left out."""
    for candidate in (name, f"{name}_s"):
        if candidate in measure_names:
            return candidate
    near = difflib.get_close_matches(name, measure_names, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Expected one of: {', '.join(measure_names)}."
    raise SpecError(f"Invalid SLO {text!r}: unknown measure {name!r}. {hint}")


def parse_slos(text: str) -> tuple[Slo, ...]:
    """Parse SLOs separated by commas."""
    return tuple(Slo.parse(part) for part in text.split(",") if part.strip())


@dataclass(frozen=True, slots=True)
class SloOutcomes:
    """Which requests met the per-request SLOs, missed them, or cannot be judged; the three are disjoint."""

    met: Mask
    missed: Mask
    """Includes failed requests."""
    not_evaluable: Mask
    """Successful requests for which a measure is undefined."""

    @property
    def attainment(self) -> float | None:
        """Share of requests that met the SLOs, among those that could be judged."""
        judged = int(self.met.sum() + self.missed.sum())
        return int(self.met.sum()) / judged if judged else None

    def select(self, rows: Mask) -> SloOutcomes:
        """Return the outcomes of the selected requests."""
        return SloOutcomes(self.met & rows, self.missed & rows, self.not_evaluable & rows)


def evaluate_requests(slos: Sequence[Slo], columns: RequestColumns, measures: Mapping[str, Floats]) -> SloOutcomes:
    """Evaluate the per-request SLOs; failed requests miss them, cancelled requests are left out."""
    ok = columns.ok
    violated, unknown = np.zeros(len(ok), dtype=bool), np.zeros(len(ok), dtype=bool)
    for slo in slos:
        if slo.is_per_request:
            values = measures[slo.measure]
            unknown |= np.isnan(values)
            violated |= ~np.isnan(values) & ~COMPARATORS[slo.comparator](values, slo.limit)
    missed = columns.categorical["status"].equals("failed") | (ok & violated)
    return SloOutcomes(ok & ~violated & ~unknown, missed, ok & ~violated & unknown)


def evaluate_run(slos: Sequence[Slo], measures: Measures, run: RunMeasures) -> bool | None:
    """Return whether a run met all SLOs; False if one was missed, None if none was missed but one is unknown."""
    results = [slo.is_met_by(slo.read_value(measures, run)) for slo in slos if not slo.is_per_request]
    if any(slo.is_per_request for slo in slos) and all(slo.measure != DEFAULT_ATTAINMENT.measure for slo in slos):
        results.append(DEFAULT_ATTAINMENT.is_met_by(DEFAULT_ATTAINMENT.read_value(measures, run)))
    if False in results:
        return False
    return None if None in results or not results else True
