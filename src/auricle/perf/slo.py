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
from auricle.perf.definitions import DEFINITIONS, POOLED, RUN_DEFINITIONS

if TYPE_CHECKING:
    from auricle.perf.columns import Columns, Floats, Mask

STATISTICS = ("mean", "min", "p50", "p75", "p90", "p95", "p99", "p99.9", "max")
COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
FORM = re.compile(
    r"(?:(?P<statistic>[a-z0-9.]+)\((?P<inside>\w+)\)|(?P<name>\w+))"
    r"(?P<sign><=|>=|<|>)(?P<limit>[0-9.eE+-]+)"
)
GRAMMAR = "Write p95(ttft_s)<0.3 for a run, ttft_s<0.3 for every request, or req_s>5."


@dataclass(frozen=True, slots=True)
class Slo:
    """A measure, or a statistic of it, and the limit it keeps to."""

    measure: str
    sign: str
    limit: float
    statistic: str = ""

    def __str__(self) -> str:
        what = f"{self.statistic}({self.measure})" if self.statistic else self.measure
        return f"{what}{self.sign}{self.limit:g}"

    @property
    def each(self) -> bool:
        """Whether it is promised to every request, rather than of the run."""
        return not self.statistic and self.measure in DEFINITIONS

    @classmethod
    def parse(cls, text: str) -> Slo:
        """One promise."""
        form = FORM.fullmatch(text.replace(" ", ""))
        if form is None:
            raise SpecError(f"SLO {text!r} cannot be read. {GRAMMAR}")
        try:
            limit = float(form["limit"])
        except ValueError as error:
            raise SpecError(f"SLO {text!r}: {form['limit']!r} is no number. {GRAMMAR}") from error
        statistic = form["statistic"] or ""
        if statistic and statistic not in STATISTICS:
            raise SpecError(f"SLO {text!r}: {statistic} is not one of {', '.join(STATISTICS)}.")
        known = (
            [*DEFINITIONS] if statistic else [*RUN_DEFINITIONS, *sorted({*DEFINITIONS} - POOLED)]
        )
        return cls(
            _named(form["inside"] or form["name"], known, text), form["sign"], limit, statistic
        )

    def holds(self, value: float | None) -> bool | None:
        """Whether a value keeps it; of none, nobody knows."""
        return None if value is None else bool(COMPARED[self.sign](value, self.limit))

    def value(self, summary: Mapping[str, Any]) -> float | None:
        """What it is about, in a summary; None where it is about every request."""
        if self.each:
            return None
        measured = summary["measures" if self.statistic else "run"][self.measure]
        found: float | None = measured[self.statistic or "value"]
        return found


ENOUGH = Slo("slo_attainment", ">=", 0.95)
"""So many requests must keep what is promised to each, unless another share is promised."""


def _named(name: str, known: Sequence[str], text: str) -> str:
    """A measure's name; its unit may be left out."""
    for each in (name, f"{name}_s"):
        if each in known:
            return each
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}."
    raise SpecError(f"SLO {text!r}: no measure is called {name}. {hint}")


def parse(text: str) -> tuple[Slo, ...]:
    """Promises, with commas between."""
    return tuple(Slo.parse(each) for each in text.split(",") if each.strip())


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the promises made to every request: the three exclude each other."""

    met: Mask
    missed: Mask
    """Failed ones among them."""
    unjudged: Mask
    """Ended well, but lacks what was promised."""

    @property
    def attainment(self) -> float | None:
        """The share that kept them, of those that could be judged."""
        judged = int(self.met.sum() + self.missed.sum())
        return int(self.met.sum()) / judged if judged else None

    def among(self, rows: Mask) -> Kept:
        """The same of some requests."""
        return Kept(self.met & rows, self.missed & rows, self.unjudged & rows)


def kept(slos: Sequence[Slo], columns: Columns, values: Mapping[str, Floats]) -> Kept:
    """Judge every request: a failed one broke its promise, a cancelled one is left out."""
    import numpy as np

    ok = columns.ok
    broken, unknown = np.zeros(len(ok), dtype=bool), np.zeros(len(ok), dtype=bool)
    for slo in slos:
        if slo.each:
            found = values[slo.measure]
            unknown |= np.isnan(found)
            broken |= ~np.isnan(found) & ~COMPARED[slo.sign](found, slo.limit)
    missed = columns.words["status"].says("failed") | (ok & broken)
    return Kept(ok & ~broken & ~unknown, missed, ok & ~broken & unknown)


def verdict(slos: Sequence[Slo], summary: Mapping[str, Any]) -> bool | None:
    """Whether a run kept them all; one broken promise is enough to say no."""
    found = [slo.holds(slo.value(summary)) for slo in slos if not slo.each]
    if any(slo.each for slo in slos) and all(slo.measure != ENOUGH.measure for slo in slos):
        found.append(ENOUGH.holds(ENOUGH.value(summary)))
    if False in found:
        return False
    return None if None in found or not found else True
