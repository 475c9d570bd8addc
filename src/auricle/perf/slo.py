"""Promises about serving: `p95(ttft_s)<0.3` of a run, `ttft_s<0.3` of every request.

parse("p95(ttft_s)<0.3,rtf<1") -> tuple[Slo, ...]
kept(slos, values, rows) -> Kept            which requests kept all promises made to each
verdict(slos, summary) -> bool | None       whether the run did; None if that cannot be said
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auricle.core.errors import SpecError
from auricle.perf.definitions import POOLED_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS

if TYPE_CHECKING:
    from auricle.perf.request_columns import Floats, Mask, RequestColumns

STATISTICS = ("mean", "min", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
COMPARATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
SLO_PATTERN = re.compile(
    r"(?:(?P<statistic>[a-z0-9.]+)\((?P<inside>\w+)\)|(?P<name>\w+))"
    r"(?P<sign><=|>=|<|>)(?P<limit>[0-9.eE+-]+)"
)
SLO_SYNTAX = "Write p95(ttft_s)<0.3 for a run, ttft_s<0.3 for every request, or req_s>5."


@dataclass(frozen=True, slots=True)
class Slo:
    """A measure, or a statistic of it, and the limit it keeps to."""

    measure: str
    comparator: str
    limit: float
    statistic: str = ""

    def __str__(self) -> str:
        what = f"{self.statistic}({self.measure})" if self.statistic else self.measure
        return f"{what}{self.comparator}{self.limit:g}"

    @property
    def is_per_request(self) -> bool:
        """Whether it is promised to every request, rather than of the run."""
        return not self.statistic and self.measure in REQUEST_DEFINITIONS

    @classmethod
    def parse(cls, text: str) -> Slo:
        """One promise."""
        form = SLO_PATTERN.fullmatch(text.replace(" ", ""))
        if form is None:
            raise SpecError(f"SLO {text!r} cannot be read. {SLO_SYNTAX}")
        try:
            limit = float(form["limit"])
        except ValueError as error:
            raise SpecError(f"SLO {text!r}: {form['limit']!r} is no number. {SLO_SYNTAX}") from error
        statistic = form["statistic"] or ""
        if statistic and statistic not in STATISTICS:
            raise SpecError(f"SLO {text!r}: {statistic} is not one of {', '.join(STATISTICS)}.")
        known = (
            [*REQUEST_DEFINITIONS]
            if statistic
            else [*RUN_DEFINITIONS, *sorted({*REQUEST_DEFINITIONS} - POOLED_MEASURES)]
        )
        return cls(_resolve_measure(form["inside"] or form["name"], known, text), form["sign"], limit, statistic)

    def is_met_by(self, value: float | None) -> bool | None:
        """Whether a value keeps it; of none, nobody knows."""
        return None if value is None else bool(COMPARATORS[self.comparator](value, self.limit))

    def read_value(self, summary: Mapping[str, Any]) -> float | None:
        """What it is about, in a summary; None where it is about every request."""
        if self.is_per_request:
            return None
        measured = summary["measures" if self.statistic else "run"][self.measure]
        found: float | None = measured[self.statistic or "value"]
        return found


DEFAULT_ATTAINMENT = Slo("slo_attainment", ">=", 0.95)
"""So many requests must keep what is promised to each, unless another share is promised."""


def _resolve_measure(name: str, measure_names: Sequence[str], text: str) -> str:
    """A measure's name; its unit may be left out."""
    for each in (name, f"{name}_s"):
        if each in measure_names:
            return each
    near = difflib.get_close_matches(name, measure_names, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(measure_names)}."
    raise SpecError(f"SLO {text!r}: no measure is called {name}. {hint}")


def parse_slos(text: str) -> tuple[Slo, ...]:
    """Promises, with commas between."""
    return tuple(Slo.parse(each) for each in text.split(",") if each.strip())


@dataclass(frozen=True, slots=True)
class SloOutcomes:
    """What became of the promises made to every request: the three exclude each other."""

    met: Mask
    missed: Mask
    """Failed ones among them."""
    not_evaluable: Mask
    """Ended well, but lacks what was promised."""

    @property
    def attainment(self) -> float | None:
        """The share that kept them, of those that could be judged."""
        judged = int(self.met.sum() + self.missed.sum())
        return int(self.met.sum()) / judged if judged else None

    def select(self, rows: Mask) -> SloOutcomes:
        """The same of some requests."""
        return SloOutcomes(self.met & rows, self.missed & rows, self.not_evaluable & rows)


def evaluate_requests(slos: Sequence[Slo], columns: RequestColumns, measures: Mapping[str, Floats]) -> SloOutcomes:
    """Judge every request: a failed one broke its promise, a cancelled one is left out."""
    import numpy as np

    ok = columns.ok
    broken, unknown = np.zeros(len(ok), dtype=bool), np.zeros(len(ok), dtype=bool)
    for slo in slos:
        if slo.is_per_request:
            found = measures[slo.measure]
            unknown |= np.isnan(found)
            broken |= ~np.isnan(found) & ~COMPARATORS[slo.comparator](found, slo.limit)
    missed = columns.categorical["status"].equals("failed") | (ok & broken)
    return SloOutcomes(ok & ~broken & ~unknown, missed, ok & ~broken & unknown)


def evaluate_run(slos: Sequence[Slo], summary: Mapping[str, Any]) -> bool | None:
    """Whether a run kept them all; one broken promise is enough to say no."""
    found = [slo.is_met_by(slo.read_value(summary)) for slo in slos if not slo.is_per_request]
    if any(slo.is_per_request for slo in slos) and all(slo.measure != DEFAULT_ATTAINMENT.measure for slo in slos):
        found.append(DEFAULT_ATTAINMENT.is_met_by(DEFAULT_ATTAINMENT.read_value(summary)))
    if False in found:
        return False
    return None if None in found or not found else True
