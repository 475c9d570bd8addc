"""What a listening test shows beyond one number for each system: agreement, differences, ranks and screening.

`AgreementAggregator` computes Krippendorff's alpha of all ratings that count. Its details have the tables of the
report: each system before and after screening, each pair of systems with a test, and the ranks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from auricle.core.types import Output, Sample
from auricle.metrics.agreement import AlphaAggregator
from auricle.metrics.base import Array, Codes, Details, Metric, Stats, WeightedAggregate, WeightedAggregator
from auricle.metrics.intervals import Interval, adjust_holm, compute_interval
from auricle.metrics.rank_tests import sign_test, signed_rank_test
from auricle.studies.people.abx import correct_share, dprime_of_share
from auricle.studies.people.bradley_terry import BradleyTerryAggregator
from auricle.studies.people.scores import (
    LEVELS,
    PreferenceAggregator,
    RatingAggregator,
    TestFacts,
    estimate_ratings,
    locate,
    name_listener,
    orient,
    read_rating,
)
from auricle.studies.people.two_way import estimate_difference_of_means

RANK_DRAWS = 1000
NO_SYSTEM = -1.0
TABLES = "listening_test"
"""The detail of a number that has the tables."""


def make_agreement_metric(facts: TestFacts) -> Metric:
    """Make the metric whose details have the tables of a listening test."""
    return Metric(
        "alpha",
        partial(_score_rating, facts=facts),
        AgreementAggregator(facts),
        title="Krippendorff’s α",
        variant=LEVELS[facts.kind],
        applies=lambda sample: not sample.meta.get("check"),
        badness=lambda stat: 0.0,
    )


def _score_rating(sample: Sample, output: Output, *, facts: TestFacts) -> tuple[float, ...] | None:
    if sample.meta.get("check"):
        return None
    value, excluded = read_rating(output), float(bool(sample.meta.get("excluded")))
    if not facts.is_paired:
        return value, *locate(sample), float(facts.systems.index(str(sample.meta["system"]))), NO_SYSTEM, excluded
    first, second, oriented = orient(facts, sample, value)
    return oriented, *locate(sample), float(first), float(second), excluded


@dataclass(frozen=True)
class Ratings:
    """Ratings as columns."""

    values: Array
    listeners: Codes
    items: Codes
    first: Codes
    second: Codes
    excluded: Codes

    @classmethod
    def of(cls, stats: Stats) -> Ratings:
        rows = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)
        return cls(rows[:, 0], *(rows[:, column].astype(np.int64) for column in range(1, 6)))

    def where(self, mask: Any) -> Ratings:
        columns = (self.values, self.listeners, self.items, self.first, self.second, self.excluded)
        return Ratings(*(column[mask] for column in columns))

    @property
    def counted(self) -> Ratings:
        """The ratings of listeners who were not excluded."""
        return self.where(self.excluded == 0)

    @property
    def centred(self) -> Array:
        """Ratings minus the mean of their listener."""
        _, codes = np.unique(self.listeners, return_inverse=True)
        means = np.bincount(codes, weights=self.values) / np.bincount(codes)
        centred: Array = self.values - means[codes]
        return centred

    @property
    def stats(self) -> Array:
        """Ratings as statistics of `RatingAggregator`."""
        return np.column_stack([self.values, self.listeners, self.items])

    def __len__(self) -> int:
        return len(self.values)


class AgreementAggregator(WeightedAggregator):
    """Krippendorff's alpha over the sounds, or pairs of sounds, that several listeners rated.

    Statistics are (rating, listener, item, first system, second system, excluded). Its interval is over items.
    """

    def __init__(self, facts: TestFacts) -> None:
        self._facts = facts
        self._alpha = AlphaAggregator(LEVELS[facts.kind])

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        """Return alpha of the ratings whose weight is not zero."""
        ratings = Ratings.of(stats)

        def value(weights: Array) -> float:
            units, _ = _list_units(ratings.where((ratings.excluded == 0) & (weights > 0)))
            return float(self._alpha(units)) if len(units) else math.nan

        return value

    def compute_interval(self, stats: Stats, clusters: Codes | None) -> Interval:
        """Compute the interval over items; `clusters` are ignored."""
        ratings = Ratings.of(stats).counted
        units, items = _list_units(ratings)
        if not len(units):
            return Interval(math.nan, math.nan, "none", 0)
        interval = compute_interval(units, self._alpha, clusters=np.unique(items, return_inverse=True)[1])
        return Interval(interval.low, interval.high, "item-wilson", len(np.unique(ratings.listeners)))

    def plot_data(self, stats: Stats) -> Details:
        """Return the tables of the report; they are computed once, not for every group of ratings."""
        ratings = Ratings.of(stats)
        describe = _describe_pairs if self._facts.is_paired else _describe_systems
        tables = describe(self._facts, ratings)
        excluded = np.unique(ratings.listeners[ratings.excluded > 0])
        return {
            TABLES: {
                "kind": self._facts.kind,
                "listeners": len(np.unique(ratings.listeners)),
                "excluded": [name_listener(int(number)) for number in excluded],
                "listener_table": _describe_listeners(ratings),
                **tables,
            }
        }


def _list_units(ratings: Ratings) -> tuple[Array, Codes]:
    """Return a row for each sound or pair with the rating of each listener and whether there is one, and its item."""
    if not len(ratings):
        return np.empty((0, 0)), np.empty(0, dtype=np.int64)
    keys = np.stack([ratings.items, ratings.first, ratings.second], axis=1)
    distinct, units = np.unique(keys, axis=0, return_inverse=True)
    names, listeners = np.unique(ratings.listeners, return_inverse=True)
    table = np.zeros((len(distinct), len(names), 2))
    table[units.reshape(-1), listeners, 0] = ratings.values
    table[units.reshape(-1), listeners, 1] = 1.0
    has_pairs = table[..., 1].sum(axis=1) > 1
    return table[has_pairs].reshape(int(has_pairs.sum()), 2 * len(names)), distinct[has_pairs, 0]


def _describe_listeners(ratings: Ratings) -> list[dict[str, Any]]:
    rows = []
    for number in np.unique(ratings.listeners):
        own = ratings.where(ratings.listeners == number)
        rows.append(
            {
                "listener": name_listener(int(number)),
                "ratings": len(own),
                "mean": float(own.values.mean()),
                "sd": float(own.values.std(ddof=1)) if len(own) > 1 else math.nan,
                "is_excluded": bool(own.excluded.any()),
            }
        )
    return rows


# --- ratings of single sounds -------------------------------------------------------------------------------------


def _describe_systems(facts: TestFacts, ratings: Ratings) -> dict[str, Any]:
    counted = ratings.counted
    ranks = draw_ranks(counted, len(facts.systems))
    systems = []
    for index, name in enumerate(facts.systems):
        after, before = (side.where(side.first == index) for side in (counted, ratings))
        own = counted.first == index
        systems.append(
            {
                "name": name,
                **_describe_ratings(facts, after),
                "centred": float(counted.centred[own].mean() + counted.values.mean()) if own.any() else math.nan,
                "before": _describe_ratings(facts, before),
                "ranks": ranks[index],
            }
        )
    return {"systems": systems, "differences": _compare_systems(facts, counted)}


def _describe_ratings(facts: TestFacts, ratings: Ratings) -> dict[str, Any]:
    if not len(ratings):
        return {"value": math.nan, "low": math.nan, "high": math.nan, "n": 0}
    aggregate = RatingAggregator(facts.low, facts.high)
    interval = aggregate.compute_interval(ratings.stats, None)
    details = aggregate.details(ratings.stats)
    return {"value": aggregate(ratings.stats), "low": interval.low, "high": interval.high, "n": len(ratings), **details}


def _compare_systems(facts: TestFacts, ratings: Ratings) -> list[dict[str, Any]]:
    """Compare each pair of systems, with listener-centred ratings; p values are adjusted by Holm's method."""
    centred, rows = ratings.centred, []
    for pair in facts.pairs:
        sides = [ratings.first == index for index in pair]
        first, second = sides
        estimate = estimate_difference_of_means(
            (centred[first], centred[second]),
            (ratings.listeners[first], ratings.listeners[second]),
            (ratings.items[first], ratings.items[second]),
        )
        low, high = estimate.interval()
        is_mushra = facts.kind == "mushra"
        p = signed_rank_test(_listener_differences(ratings, pair)) if is_mushra else estimate.p
        rows.append(_name_pair(facts, pair) | {"value": estimate.value, "low": low, "high": high, "p": p})
    return _adjust(rows, "Wilcoxon over listeners" if facts.kind == "mushra" else "two-way t")


def _listener_differences(ratings: Ratings, pair: tuple[int, int]) -> Array:
    """Return the difference between the mean ratings of two systems, for each listener who rated both."""
    differences = []
    for number in np.unique(ratings.listeners):
        own = ratings.where(ratings.listeners == number)
        first, second = (own.values[own.first == index] for index in pair)
        if len(first) and len(second):
            differences.append(float(first.mean() - second.mean()))
    return np.array(differences)


def draw_ranks(ratings: Ratings, system_count: int) -> list[tuple[int, int]]:
    """Return the best and worst rank of each system in 95 % of draws of listeners and items, with replacement."""
    if not len(ratings):
        return [(1, system_count)] * system_count
    random = np.random.default_rng(0)
    weights = _draw(random, ratings.listeners) * _draw(random, ratings.items)
    totals = [weights @ (ratings.values * (ratings.first == index)) for index in range(system_count)]
    counts = [weights @ (ratings.first == index) for index in range(system_count)]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.stack(totals, axis=1) / np.stack(counts, axis=1)
    return rank_range(means)


def _draw(random: np.random.Generator, codes: Codes) -> Array:
    """Return how often the unit of each rating is drawn, one row per draw."""
    distinct, units = np.unique(codes, return_inverse=True)
    counts = random.multinomial(len(distinct), np.full(len(distinct), 1 / len(distinct)), RANK_DRAWS)
    drawn: Array = counts[:, units.reshape(-1)].astype(np.float64)
    return drawn


def rank_range(values: Array) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each column in 95 % of rows; rows with undefined values are left out."""
    defined = values[~np.isnan(values).any(axis=1)]
    if not len(defined):
        return [(1, values.shape[1])] * values.shape[1]
    ranks = 1 + (defined[:, None, :] > defined[:, :, None]).sum(axis=2)
    low = np.quantile(ranks, 0.025, axis=0, method="lower")
    high = np.quantile(ranks, 0.975, axis=0, method="higher")
    return [(int(best), int(worst)) for best, worst in zip(low, high, strict=True)]


# --- pairs --------------------------------------------------------------------------------------------------------


def _describe_pairs(facts: TestFacts, ratings: Ratings) -> dict[str, Any]:
    counted = ratings.counted
    rows = [
        _name_pair(facts, pair)
        | _describe_pair(facts, counted.where(_is_pair(counted, pair)))
        | {"before": _describe_pair(facts, ratings.where(_is_pair(ratings, pair)))}
        for pair in facts.pairs
    ]
    tables: dict[str, Any] = {"differences": _adjust(rows, "sign test over listeners")}
    if facts.kind != "abx":
        tables["systems"] = _describe_strengths(facts, counted)
    return tables


def _is_pair(ratings: Ratings, pair: tuple[int, int]) -> Any:
    return (ratings.first == pair[0]) & (ratings.second == pair[1])


def _describe_pair(facts: TestFacts, ratings: Ratings) -> dict[str, Any]:
    """Describe the ratings of a pair, with an exact sign test over listeners."""
    if not len(ratings):
        return {"value": math.nan, "low": math.nan, "high": math.nan, "p": math.nan, "n": 0}
    neutral = 0.0 if facts.kind == "cmos" else 0.5
    aggregate = RatingAggregator(facts.low, facts.high) if facts.kind == "cmos" else PreferenceAggregator()
    interval = aggregate.compute_interval(ratings.stats, None)
    _, codes = np.unique(ratings.listeners, return_inverse=True)
    means = np.bincount(codes, weights=ratings.values) / np.bincount(codes)
    for_first, for_second = int((means > neutral).sum()), int((means < neutral).sum())
    row = {
        "value": estimate_ratings(ratings.stats).value,
        "low": interval.low,
        "high": interval.high,
        "n": len(ratings),
        "wins": int((ratings.values > neutral).sum()),
        "ties": int((ratings.values == neutral).sum()),
        "losses": int((ratings.values < neutral).sum()),
        "listeners_first": for_first,
        "listeners_second": for_second,
        "p": sign_test(for_first, for_second),
    }
    if facts.kind == "abx":
        row["dprime"] = dprime_of_share(correct_share(float(ratings.values.sum()), len(ratings)))
    return row


def _describe_strengths(facts: TestFacts, ratings: Ratings) -> list[dict[str, Any]]:
    """Return the Bradley-Terry strength of each system with its interval over listeners, and its ranks."""
    if not len(ratings):
        return []
    values = ratings.values if facts.kind == "ab" else 0.5 + np.sign(ratings.values) / 2
    stats = np.column_stack([values, ratings.first, ratings.second])
    _, listeners = np.unique(ratings.listeners, return_inverse=True)
    weights = _draw(np.random.default_rng(0), ratings.listeners)
    fits = [BradleyTerryAggregator(index, len(facts.systems)) for index in range(len(facts.systems))]
    ranks = rank_range(_fit_draws(fits, stats, weights))
    rows = []
    for name, aggregate, rank in zip(facts.systems, fits, ranks, strict=True):
        interval = compute_interval(stats, aggregate, clusters=listeners.reshape(-1))
        value = aggregate(stats)
        rows.append({"name": name, "value": value, "low": interval.low, "high": interval.high, "ranks": rank})
    return rows


MAX_FITS = 200
"""Draws for which strengths are fitted again."""


def _fit_draws(fits: Iterable[BradleyTerryAggregator], stats: Array, weights: Array) -> Array:
    values: list[Callable[[Array], float]] = [fit.prepare_weighted(stats) for fit in fits]
    return np.array([[value(row) for value in values] for row in weights[:MAX_FITS]])


def _name_pair(facts: TestFacts, pair: tuple[int, int]) -> dict[str, Any]:
    return {"first": facts.systems[pair[0]], "second": facts.systems[pair[1]]}


def _adjust(rows: list[dict[str, Any]], test: str) -> list[dict[str, Any]]:
    """Add the p value adjusted for all rows by Holm's method."""
    adjusted = adjust_holm([row["p"] for row in rows])
    return [row | {"adjusted_p": p, "test": test} for row, p in zip(rows, adjusted, strict=True)]
