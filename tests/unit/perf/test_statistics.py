from typing import Any

import numpy as np
import pytest
from scipy import stats

from auricle.perf.cumulative import compute_cumulative_amounts
from auricle.perf.loads import ClosedLoop
from auricle.perf.measures import compute_measures
from auricle.perf.request_columns import RequestColumns
from auricle.perf.statistics import BlockBootstrap, _student_t_975, describe_values
from auricle.perf.windows import Window, choose_window
from tests.support.simulated_servers import closed_loop, lognormal

WHOLE = Window("all", 0.0, 100.0)


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
def test_a_percentile_needs_a_value_beyond_it(n: int, missing: Any) -> None:
    found = describe_values(np.arange(n, dtype=float))
    assert set(found["withheld"]) == missing
    assert {name for name in found if name.startswith("p") and found[name] is None} == missing


def test_a_withheld_percentile_says_what_it_lacks() -> None:
    assert describe_values(np.arange(40.0))["withheld"]["p99"] == "n = 40, needs 100"


def test_percentiles_are_interpolated() -> None:
    found = describe_values(np.arange(1.0, 102.0))
    assert (found["p50"], found["p95"], found["p99"], found["max"]) == (51, 96, 100, 101)


def test_the_undefined_is_counted_and_is_no_zero() -> None:
    found = describe_values(np.array([1.0, np.nan, 3.0]))
    assert (found["n"], found["undefined"], found["mean"], found["min"]) == (2, 1, 2.0, 1.0)


def test_of_nothing_nothing_is_said() -> None:
    found = describe_values(np.array([np.nan]))
    assert found["n"] == 0
    assert {found[name] for name in ("mean", "std", "min", "p50", "max")} == {None}


def test_the_spread_of_one_value_is_unknown() -> None:
    assert describe_values(np.array([1.0]))["std"] is None


@pytest.mark.parametrize("degrees", [9, 15, 29])
def test_students_t_is_close_enough(degrees: int) -> None:
    assert _student_t_975(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-3)


@pytest.mark.parametrize("n", [100, 500])
def test_intervals_of_independent_values_hold_the_truth_nineteen_times_in_twenty(n: int) -> None:
    truth = {"mean": 1.0, "p50": np.log(2), "p95": np.log(20)}
    held = dict.fromkeys(truth, 0)
    for seed in range(150):
        dice = np.random.default_rng(seed)
        began = np.sort(dice.uniform(0, 100, n))
        found = BlockBootstrap(WHOLE, began, 1.0, seed).value_intervals(dice.exponential(1.0, n))
        for name, value in truth.items():
            held[name] += found[name][0] <= value <= found[name][1]
    for name, count in held.items():
        assert 0.86 <= count / 150 <= 1.0, name


def test_requests_that_share_their_luck_have_wider_intervals() -> None:
    dice = np.random.default_rng(0)
    began = np.sort(dice.uniform(0, 100, 4000))
    luck = np.repeat(dice.normal(0, 1, 50), 80)
    together = BlockBootstrap(WHOLE, began, 1.0).value_intervals(5 + luck)["mean"]
    apart = BlockBootstrap(WHOLE, began, 1.0).value_intervals(5 + dice.permutation(luck))["mean"]
    assert together[1] - together[0] > 3 * (apart[1] - apart[0])


def test_the_interval_of_a_rate_holds_the_truth() -> None:
    held = 0
    for seed in range(60):
        columns = RequestColumns.from_records(closed_loop(16, 640, lognormal(1.0, 0.6, seed)))
        window = choose_window(columns, compute_measures(columns)["latency_s"], ClosedLoop(16))
        blocks = BlockBootstrap(window, columns.start_times[window.select_requests(columns)], 1.0)
        low, high = blocks.rate_interval(compute_cumulative_amounts(columns)["req_s"])
        held += low <= 16 <= high
    assert held >= 51


def test_many_values_of_few_requests_are_drawn_with_their_requests() -> None:
    dice = np.random.default_rng(1)
    began = np.linspace(0, 99, 200)
    owners = np.repeat(np.arange(200), 500)
    values = np.repeat(dice.exponential(1.0, 200), 500)
    found = BlockBootstrap(WHOLE, began, 1.0).value_intervals(values, owners)["mean"]
    alone = BlockBootstrap(WHOLE, began, 1.0).value_intervals(values[::500])["mean"]
    assert found == pytest.approx(alone)


def test_the_same_requests_give_the_same_interval() -> None:
    values = np.random.default_rng(2).exponential(1.0, 500)
    began = np.linspace(0, 99, 500)
    first, second = (BlockBootstrap(WHOLE, began, 1.0).value_intervals(values) for _ in range(2))
    assert first == second


def test_few_requests_have_no_interval() -> None:
    found = BlockBootstrap(WHOLE, np.linspace(0, 99, 19), 1.0).value_intervals(np.ones(19))
    assert set(found.values()) == {None}
