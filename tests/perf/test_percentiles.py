"""Percentiles and other descriptive statistics of a measurement."""

import numpy as np
import pytest
from scipy import stats

from auricle.perf.percentiles import PERCENTILES, describe_values, format_percentile


@pytest.mark.parametrize(
    ("n", "missing"),
    [
        (1, {"p01", "p05", "p10", "p25", "p75", "p90", "p95", "p99", "p99.9"}),
        (19, {"p01", "p05", "p95", "p99", "p99.9"}),
        (20, {"p01", "p99", "p99.9"}),
        (99, {"p01", "p99", "p99.9"}),
        (100, {"p99.9"}),
        (999, {"p99.9"}),
        (1000, set()),
    ],
)
def test_percentile_needs_a_value_beyond_it(n: int, missing: set[str]) -> None:
    statistics = describe_values(np.arange(n, dtype=float))
    assert set(statistics.withheld) == missing
    assert {name for name in map(format_percentile, PERCENTILES) if statistics[name] is None} == missing


def test_withheld_percentile_states_how_many_values_it_needs() -> None:
    assert describe_values(np.arange(40.0)).withheld["p99"] == "n = 40, needs 100"


def test_percentiles_are_interpolated() -> None:
    statistics = describe_values(np.arange(1.0, 102.0))
    assert [statistics[name] for name in ("p50", "p95", "p99", "max")] == [51, 96, 100, 101]


def test_undefined_values_are_counted_and_not_treated_as_zero() -> None:
    statistics = describe_values(np.array([1.0, np.nan, 3.0]))
    assert [statistics[name] for name in ("n", "undefined", "mean", "min")] == [2, 1, 2.0, 1.0]


def test_statistics_are_none_without_values() -> None:
    statistics = describe_values(np.array([np.nan]))
    assert statistics["n"] == 0
    assert {statistics[name] for name in ("mean", "std", "min", "p50", "max")} == {None}


def test_deviation_of_one_value_is_unknown() -> None:
    assert describe_values(np.array([1.0]))["std"] is None
    assert describe_values(np.array([1.0, 3.0]))["std"] == pytest.approx(2**0.5)


def test_values_are_described() -> None:
    values = np.random.default_rng(6).exponential(1.0, 30)
    statistics = describe_values(np.append(values, np.nan))
    assert (statistics["n"], statistics["undefined"]) == (30, 1)
    assert [statistics[name] for name in ("mean", "std", "min", "max")] == pytest.approx(
        [values.mean(), stats.tstd(values), values.min(), values.max()]
    )
    assert [statistics[name] for name in ("p10", "p50", "p90")] == pytest.approx(np.percentile(values, [10, 50, 90]))


def test_percentiles_have_names_that_sort() -> None:
    assert [format_percentile(percent) for percent in (1, 5.0, 50, 99.9)] == ["p01", "p05", "p50", "p99.9"]
