"""Krippendorff's alpha against published examples, and the combined score of several judges."""

import math
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import Unreadable
from auricle.core.types import Generation, Sample
from auricle.metrics.agreement import AlphaAggregator, JudgeScale, Level, make_panel_metrics, make_rank_agreement
from auricle.metrics.base import Metric, mean
from auricle.metrics.capabilities import Credited, Judged
from auricle.metrics.catalogue import METRICS
from auricle.metrics.intervals import compute_interval

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections B, A and C.
TWO_OBSERVERS = ["aabbdcccedda", "babbbcccedda"[:11] + "d"]
BINARY = ["0100000010", "1110010000"]
FOUR_OBSERVERS = ["123321412...", "1233224125.3", ".333234225 1.".replace(" ", ""), "1233244125 1.".replace(" ", "")]
SAMPLE = Sample(id="1", inputs={})


def to_stats(observers: list[str]) -> list[tuple[float, ...]]:
    codes = {".": (0.0, 0.0)}
    return [
        tuple(number for value in unit for number in codes.get(value, (float(ord(value)), 1.0)))
        for unit in zip(*observers, strict=True)
    ]


@pytest.mark.parametrize(
    ("observers", "level", "expected"),
    [
        (BINARY, "nominal", 0.095),
        (TWO_OBSERVERS, "nominal", 0.692),
        (FOUR_OBSERVERS, "nominal", 0.743),
        (FOUR_OBSERVERS, "ordinal", 0.815),
        (FOUR_OBSERVERS, "interval", 0.849),
    ],
)
def test_alpha_equals_the_published_examples(observers: list[str], level: Level, expected: float) -> None:
    assert AlphaAggregator(level)(to_stats(observers)) == pytest.approx(expected, abs=0.0005)


def test_alpha_of_binary_values_does_not_depend_on_the_level() -> None:
    stats = to_stats(BINARY)
    values = [AlphaAggregator(level)(stats) for level in ("nominal", "ordinal", "interval")]
    assert values == pytest.approx([values[0]] * 3)


def test_alpha_equals_a_direct_computation_over_pairs() -> None:
    rng = np.random.default_rng(4)
    values = rng.integers(1, 6, (40, 3)).astype(float)
    present = rng.random((40, 3)) < 0.8
    stats = [tuple(np.column_stack([row * seen, seen]).ravel()) for row, seen in zip(values, present, strict=True)]
    units = [row[seen] for row, seen in zip(values, present, strict=True) if seen.sum() > 1]
    pooled = np.concatenate(units)
    observed = sum(((unit[:, None] - unit) ** 2).sum() / (len(unit) - 1) for unit in units) / len(pooled)
    expected = ((pooled[:, None] - pooled) ** 2).sum() / (len(pooled) * (len(pooled) - 1))
    assert AlphaAggregator("interval")(stats) == pytest.approx(1 - observed / expected)


def test_weights_repeat_samples() -> None:
    stats = to_stats(FOUR_OBSERVERS)
    weights = np.array([2.0, 0, 1, 1, 3, 1, 1, 0, 1, 1, 1, 1])
    repeated = [stat for stat, weight in zip(stats, weights, strict=True) for _ in range(int(weight))]
    for level in ("nominal", "ordinal", "interval"):
        aggregator = AlphaAggregator(level)
        assert aggregator.prepare_weighted(stats)(weights) == pytest.approx(aggregator(repeated))


def test_alpha_has_an_interval() -> None:
    interval = compute_interval(to_stats(FOUR_OBSERVERS), AlphaAggregator("nominal"))
    assert interval.low < 0.743 < interval.high


def test_alpha_is_undefined_if_all_values_are_equal_or_none_can_be_compared() -> None:
    assert math.isnan(AlphaAggregator("nominal")([(1.0, 1.0, 1.0, 1.0)] * 5))
    assert math.isnan(AlphaAggregator("nominal")([(1.0, 1.0, 0.0, 0.0)] * 5))


@pytest.mark.parametrize(
    ("level", "values", "combined"),
    [
        ("interval", [1.0, 2.0, 5.0], 8 / 3),
        ("nominal", [1.0, 1.0, 0.0], 1.0),
        ("nominal", [1.0, 0.0], 0.5),
        ("ordinal", [1.0, 0.5, 0.0], 0.5),
        ("ordinal", [0.0, 0.5, 0.0], 0.0),
    ],
)
def test_points_are_averaged_and_other_verdicts_decided_by_majority(
    level: Level, values: list[float], combined: float
) -> None:
    assert JudgeScale(level).combine(values) == combined


@pytest.mark.parametrize(
    ("name", "values", "stat", "level"),
    [
        ("judge-reference", (1.0, 0.0, 1.0), 1.0, "nominal"),
        ("judge-1-5", (2.0, 5.0), 3.5, "interval"),
        ("judge-pairwise", (1.0, 1.0, 0.5), (1.0, 1.0, 0.0, 0.0, 0.0), "ordinal"),
    ],
)
def test_the_kind_of_a_rubric_decides_how_judges_are_combined(
    name: str, values: tuple[float, ...], stat: Any, level: str
) -> None:
    combined, alpha = make_panel_metrics(METRICS.get(name), [f"by-{index}" for index in range(len(values))])
    assert combined.score(SAMPLE, *values) == stat
    assert combined.name == name
    assert not isinstance(combined, Judged)
    assert alpha.signature.endswith(f".{level}")
    assert alpha.score(SAMPLE, *values) == tuple(number for value in values for number in (value, 1.0))


def test_a_missing_verdict_leaves_a_sample_without_a_combined_score_but_not_without_agreement() -> None:
    combined, alpha = make_panel_metrics(METRICS.get("judge-1-5"), ["a", "b", "c"])
    with pytest.raises(Unreadable, match="1 of 3 judges gave no readable verdict"):
        combined.score(SAMPLE, 1.0, None, 2.0)
    assert alpha.score(SAMPLE, 1.0, None, 2.0) == (1.0, 1.0, 0.0, 0.0, 2.0, 1.0)
    assert alpha.score(SAMPLE, 1.0, None, None) is None


def test_scores_of_other_metrics_are_averaged() -> None:
    plain = Metric("mine", lambda sample, output, verdicts: (1.0, 2.0), lambda stats: 0.0, credit=float)
    combined, _ = make_panel_metrics(plain, ["a", "b"])
    assert combined.score(SAMPLE, 1.0, 0.0) == 0.5
    assert combined.aggregate is mean
    assert not isinstance(combined, Credited)
    assert plain.score(SAMPLE, Generation(text=""), verdicts=()) == (1.0, 2.0)


def test_combined_ratings_keep_the_limits_of_each() -> None:
    for name in ("judge-1-5", "dnsmos_ovrl"):
        combined, _ = make_panel_metrics(METRICS.get(name), ["a", "b"])
        interval = compute_interval([4.5] * 9 + [5.0], combined.aggregate)
        assert interval.method == "limits-t"
        assert interval.high < 5.0


def test_rank_agreement_is_the_mean_rank_correlation_of_all_pairs() -> None:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(3)
    values = np.column_stack([rng.normal(size=40), rng.integers(0, 5, 40), rng.normal(size=40)])
    agreement = make_rank_agreement(METRICS.get("round_trip_wer"), ["a", "b", "c"])
    sample = Sample(id="1", inputs={})
    stats = [agreement.score(sample, *row) for row in values.tolist()]
    expected = np.mean([spearmanr(values[:, a], values[:, b]).statistic for a, b in ((0, 1), (0, 2), (1, 2))])
    assert agreement.aggregate(stats) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("values", [(0.5, None), (0.5, math.nan)])
def test_rank_agreement_needs_all_values_of_a_sample(values: tuple[float | None, ...]) -> None:
    agreement = make_rank_agreement(METRICS.get("round_trip_wer"), ["a", "b"])
    assert agreement.score(Sample(id="1", inputs={}), *values) is None
