"""Statistics as columns of sums."""

import numpy as np
import pytest

from auricle.metrics.base import MeanAggregator, SumAggregator, mean, ratio
from auricle.metrics.scales import REAL, SHARE, HitScale, RateScale, RatingScale
from auricle.scoring.shards.sum_columns import NumberRange, SumColumns
from auricle.tasks.asr.error_rates import pooled_error_rate


def columns_of(aggregate: object) -> SumColumns:
    columns = SumColumns.find(aggregate)  # type: ignore[arg-type]  # an aggregator
    assert columns is not None
    return columns


@pytest.mark.parametrize("aggregate", [mean, ratio, pooled_error_rate, SumAggregator(lambda t: float(t[1] * t[-1]))])
def test_the_number_and_the_details_of_totals_are_those_of_the_statistics(aggregate: SumAggregator) -> None:
    stats = [(1, 0, 2, 3, 1.0, 1.0), (0, 0, 4, 0, 0.0, 0.0), (0, 1, 0, 7, 0.5, 1.0)]
    columns = columns_of(aggregate)
    totals = columns.make_rows(stats).sum(axis=0)
    assert columns.finish(totals) == aggregate(stats)
    assert columns.describe(totals) == aggregate.details(stats)


def test_a_function_about_which_nothing_is_known_has_no_columns() -> None:
    assert SumColumns.find(lambda stats: float(np.median(stats))) is None


def test_the_scale_of_a_mean_depends_on_the_range_of_its_numbers() -> None:
    columns, totals = columns_of(mean), np.array([[1.0, 2.0], [0.0, 2.0]])
    hits = columns.measure_range(np.array([0.0, 1.0]))
    assert hits == NumberRange(0.0, 1.0, is_whole=True)
    assert columns.choose_scale(totals, hits, samples=4) == HitScale(4)
    assert columns.choose_scale(totals, hits, samples=None) is SHARE
    assert columns.choose_scale(totals, hits.join(NumberRange(0.5, 0.5, is_whole=False)), samples=4) is SHARE
    assert columns.choose_scale(totals, hits.join(NumberRange(2.0, 2.0, is_whole=True)), samples=4) is REAL
    ratings = SumColumns(MeanAggregator(limits=(1.0, 5.0)))
    assert ratings.choose_scale(totals, NumberRange(1.0, 5.0, is_whole=True), samples=4) == RatingScale(1.0, 5.0)
    assert ratings.choose_scale(totals, NumberRange(0.0, 1.0, is_whole=True), samples=4) is REAL


def test_the_scale_of_a_rate_counts_buckets_with_errors() -> None:
    columns = columns_of(ratio)
    scale = columns.choose_scale(np.array([[1.0, 4.0, 1.0], [0.0, 6.0, 2.0]]), None, samples=3)
    assert scale == RateScale(0.1, 1)
