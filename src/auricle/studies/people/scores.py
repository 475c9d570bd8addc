"""Metrics of listening tests: how people rate sounds, with intervals over listeners and items.

A sample is one rating. Its metadata names the listener, the item and the system, or both systems of a pair in the order
in which they were played. Ratings of excluded listeners and of attention checks are no part of the results.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np

from auricle.core.errors import Unsupported
from auricle.core.types import Output, Prediction, Sample
from auricle.metrics.agreement import Level
from auricle.metrics.base import (
    Array,
    Codes,
    Details,
    Mask,
    MeanAggregator,
    Metric,
    Stats,
    WeightedAggregate,
    WeightedAggregator,
    divide,
)
from auricle.metrics.intervals import Interval
from auricle.metrics.scales import SHARE, BoundedScale, Estimate
from auricle.studies.people.abx import correct_share, dprime_of_share
from auricle.studies.people.bradley_terry import BradleyTerryAggregator
from auricle.studies.people.two_way import TwoWayEstimate, estimate_mean

Kind: TypeAlias = Literal["mos", "cmos", "mushra", "abx", "ab"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PAIR_KINDS: tuple[Kind, ...] = ("cmos", "abx", "ab")
"""Kinds in which two systems are compared."""
LEVELS: dict[Kind, Level] = {
    "mos": "ordinal", "cmos": "ordinal", "mushra": "interval", "abx": "nominal", "ab": "nominal",
}  # fmt: skip
"""What disagreement between two ratings means, for Krippendorff's alpha."""
RATING = "rating"
"""Name of the number in the output of a listener."""
ROUNDING_ERROR = 1e-12


@dataclass(frozen=True, slots=True)
class TestFacts:
    """What the metrics need to know about a listening test."""

    __test__ = False  # its name begins like that of a test

    kind: Kind
    systems: tuple[str, ...]
    """Names of the systems, the hidden reference and the anchors."""
    low: float
    """Lowest rating of the scale."""
    high: float

    @property
    def is_paired(self) -> bool:
        return self.kind in PAIR_KINDS

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The indices of the systems of each pair."""
        return list(combinations(range(len(self.systems)), 2))

    def name_pair(self, pair: tuple[int, int]) -> str:
        return f"{self.systems[pair[0]]}_vs_{self.systems[pair[1]]}"


# --- statistics ---------------------------------------------------------------------------------------------------


def read_rating(output: Output) -> float:
    """Return the number that a listener chose."""
    if not isinstance(output, Prediction) or RATING not in output.values:
        raise Unsupported("a listening test is answered by people; see `auricle listen-test serve`")
    return float(output.values[RATING])


def name_listener(number: int) -> str:
    """Return the id of a listener, whose number begins at 1."""
    return f"L{number:02d}"


def is_counted(sample: Sample) -> bool:
    """Return whether a rating is part of the results: neither an attention check nor of an excluded listener."""
    return not sample.meta.get("check") and not sample.meta.get("excluded")


def locate(sample: Sample) -> tuple[float, float]:
    """Return the number of the listener and the index of the item."""
    return float(str(sample.meta["listener"]).lstrip("L")), float(str(sample.meta["item_index"]))


def orient(facts: TestFacts, sample: Sample, rating: float) -> tuple[int, int, float]:
    """Return a pair in the order of the test's systems, and the rating in favour of the first of them.

    A choice (`ab`) becomes the share of the first system: 1, 0.5 or 0. A comparison (`cmos`) keeps its scale. The
    answer of an ABX trial becomes 1 if it is right.
    """
    played = [facts.systems.index(str(sample.meta[name])) for name in ("system", "other")]
    is_swapped = played[0] > played[1]
    first, second = sorted(played)
    if facts.kind == "abx":
        return first, second, float(rating == (0.0 if sample.meta.get("x") == "first" else 1.0))
    if facts.kind == "ab":
        return first, second, rating if is_swapped else 1 - rating
    return first, second, rating if is_swapped else -rating


def _score_system(sample: Sample, output: Output, *, system: str) -> tuple[float, float, float] | None:
    if not is_counted(sample) or sample.meta.get("system") != system:
        return None
    return read_rating(output), *locate(sample)


def _score_pair(
    sample: Sample, output: Output, *, facts: TestFacts, pair: tuple[int, int]
) -> tuple[float, float, float] | None:
    if not is_counted(sample) or {sample.meta.get("system"), sample.meta.get("other")} != {
        facts.systems[index] for index in pair
    }:
        return None
    return orient(facts, sample, read_rating(output))[2], *locate(sample)


def _score_win(sample: Sample, output: Output, *, facts: TestFacts) -> tuple[float, ...] | None:
    if not is_counted(sample):
        return None
    first, second, value = orient(facts, sample, read_rating(output))
    share = value if facts.kind == "ab" else (math.copysign(0.5, value) if value else 0.0) + 0.5
    return share, float(first), float(second), *locate(sample)


def _score_check(sample: Sample, output: Output) -> tuple[float, float, float] | None:
    """Return whether a check failed; a page with several sounds is one check."""
    if not sample.meta.get("check") or sample.meta.get("position", 1) != 1 or sample.meta.get("passed") is None:
        return None
    return float(not sample.meta.get("passed")), locate(sample)[0], float(sample.meta["check"] == "trap")


# --- aggregators --------------------------------------------------------------------------------------------------


class RatingAggregator(WeightedAggregator):
    """The mean of ratings; statistics are (rating, listener, item).

    Args:
        low: Lowest rating of the scale.
        high: Highest rating.
    """

    def __init__(self, low: float, high: float) -> None:
        self._scale = BoundedScale(low=low, high=high)

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        ratings = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)[:, 0]
        return lambda weights: divide(float(np.einsum("n,n->", weights, ratings)), float(weights.sum()))

    def compute_interval(self, stats: Stats, clusters: Codes | None) -> Interval:
        """Compute the interval over listeners and items; `clusters` are ignored."""
        estimate = estimate_ratings(stats)
        low, high = self._limit(estimate)
        return Interval(low, high, "two-way-t", estimate.listeners)

    def _limit(self, estimate: TwoWayEstimate) -> tuple[float, float]:
        """Return the ends of the interval; if all ratings are equal, those of a share of so many listeners."""
        if estimate.error <= ROUNDING_ERROR:
            return bounded_interval(estimate, self._scale)
        return estimate.interval(self._scale.low, self._scale.high)

    def details(self, stats: Stats) -> Details:
        ratings = np.asarray(stats, dtype=np.float64)
        quartiles = np.quantile(ratings[:, 0], [0.25, 0.5, 0.75]).tolist()
        return {
            "listeners": len(np.unique(ratings[:, 1])),
            "items": len(np.unique(ratings[:, 2])),
            **dict(zip(("q1", "median", "q3"), quartiles, strict=True)),
        }


def bounded_interval(estimate: TwoWayEstimate, scale: BoundedScale) -> tuple[float, float]:
    """Return Wilson's interval with the standard error over listeners and items."""
    if math.isnan(estimate.error):
        return math.nan, math.nan
    return scale.interval(Estimate(estimate.value, estimate.error, 0.0, estimate.degrees, estimate.listeners))


def estimate_ratings(stats: Stats) -> TwoWayEstimate:
    """Estimate the mean of (rating, listener, item)."""
    rows = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)
    return estimate_mean(rows[:, 0], rows[:, 1].astype(np.int64), rows[:, 2].astype(np.int64))


class PreferenceAggregator(RatingAggregator):
    """The share of trials in which a system was preferred, or an answer was right; a tie counts half."""

    def __init__(self) -> None:
        super().__init__(0.0, 1.0)

    def compute_interval(self, stats: Stats, clusters: Codes | None) -> Interval:
        estimate = estimate_ratings(stats)
        return Interval(*bounded_interval(estimate, SHARE), "two-way-wilson", estimate.listeners)

    def details(self, stats: Stats) -> Details:
        shares = np.asarray(stats, dtype=np.float64)[:, 0]
        return {
            "wins": int((shares > 0.5).sum()),
            "ties": int((shares == 0.5).sum()),
            "losses": int((shares < 0.5).sum()),
        }


class DprimeAggregator(WeightedAggregator):
    """d' of the share of right answers, with half an answer added on both sides."""

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        right = np.asarray(stats, dtype=np.float64)[:, 0]

        def value(weights: Array) -> float:
            return dprime_of_share(correct_share(float(np.einsum("n,n->", weights, right)), float(weights.sum())))

        return value


class MedianAggregator:
    """The median of ratings; statistics are (rating, listener, item)."""

    def __call__(self, stats: Stats) -> float:
        return float(np.median(np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)[:, 0]))

    def compute_interval(self, stats: Stats, clusters: Codes | None) -> Interval:
        """Compute the interval over listeners and items: the ratings that may have one half below them.

        The lowest is the first of which the share of ratings up to it may be one half, by Wilson's interval, and the
        highest is the last of which the share of ratings below it may be. `clusters` are ignored.
        """
        rows = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)
        listeners, items = (rows[:, column].astype(np.int64) for column in (1, 2))
        count = len(np.unique(listeners))
        if len(rows) < 2:
            return Interval(math.nan, math.nan, "none", count)

        def bound_share(mask: Mask) -> tuple[float, float]:
            return bounded_interval(estimate_mean(mask.astype(np.float64), listeners, items), SHARE)

        ratings = np.unique(rows[:, 0])
        low = bisect_left(ratings, True, key=lambda rating: bound_share(rows[:, 0] <= rating)[1] >= 0.5)
        high = bisect_left(ratings, True, key=lambda rating: bound_share(rows[:, 0] < rating)[0] > 0.5) - 1
        return Interval(float(ratings[low]), float(ratings[high]), "two-way-median", count)


def _count_checks(totals: Array) -> Details:
    return {"failed": int(totals[0]), "checks": int(totals[-1])}


# --- metrics ------------------------------------------------------------------------------------------------------


def make_metrics(facts: TestFacts) -> list[Metric]:
    """Make the metrics of a listening test, but for the agreement of its listeners."""
    if facts.is_paired:
        metrics = [metric for pair in facts.pairs for metric in _make_pair_metrics(facts, pair)]
        if facts.kind != "abx":
            metrics += [_make_strength(facts, index) for index in range(len(facts.systems))]
    else:
        metrics = [metric for system in facts.systems for metric in _make_system_metrics(facts, system)]
    return [*metrics, _make_check_metric()]


def _make_system_metrics(facts: TestFacts, system: str) -> list[Metric]:
    name, score = facts.kind, partial(_score_system, system=system)
    make: Callable[..., Metric] = partial(
        Metric, score=score, applies=lambda sample: sample.meta.get("system") == system, unit="points"
    )
    title = name.upper()
    metrics = [
        make(
            name=f"{name}.{system}",
            aggregate=RatingAggregator(facts.low, facts.high),
            title=f"{title} {system}",
            variant=f"{facts.low:g}-{facts.high:g}",
        )
    ]
    if facts.kind == "mushra":
        metrics.append(
            make(name=f"{name}_median.{system}", aggregate=MedianAggregator(), title=f"{title} median {system}")
        )
    return metrics


def _make_pair_metrics(facts: TestFacts, pair: tuple[int, int]) -> list[Metric]:
    names = tuple(facts.systems[index] for index in pair)
    make: Callable[..., Metric] = partial(
        Metric,
        score=partial(_score_pair, facts=facts, pair=pair),
        applies=lambda sample: {sample.meta.get("system"), sample.meta.get("other")} == set(names),
    )
    label = facts.name_pair(pair)
    if facts.kind == "cmos":
        aggregate = RatingAggregator(facts.low, facts.high)
        title = f"CMOS {names[0]} over {names[1]}"
        return [make(name=f"cmos.{label}", aggregate=aggregate, title=title, unit="points")]
    if facts.kind == "ab":
        title = f"Prefer {names[0]} to {names[1]}"
        return [make(name=f"preference.{label}", aggregate=PreferenceAggregator(), title=title, unit="share")]
    title = f"{names[0]} and {names[1]}"
    return [
        make(name=f"abx.{label}", aggregate=PreferenceAggregator(), title=f"ABX right, {title}", unit="share"),
        make(
            name=f"dprime.{label}",
            aggregate=DprimeAggregator(),
            title=f"d′, {title}",
            variant="independent-observation.half-added",
        ),
    ]


def _make_strength(facts: TestFacts, index: int) -> Metric:
    return Metric(
        f"strength.{facts.systems[index]}",
        partial(_score_win, facts=facts),
        BradleyTerryAggregator(index, len(facts.systems)),
        title=f"Strength {facts.systems[index]}",
        variant="bradley-terry.ties-half",
        badness=lambda stat: abs(stat[0] - 0.5),
    )


def _make_check_metric() -> Metric:
    return Metric(
        "check_failures",
        _score_check,
        MeanAggregator(_count_checks),
        higher_is_better=False,
        title="Failed attention checks",
        unit="share",
        applies=lambda sample: bool(sample.meta.get("check")),
    )
