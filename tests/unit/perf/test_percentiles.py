"""Percentiles and bootstrap intervals of a measurement, compared with a plain block bootstrap."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from auricle.perf.load_patterns import ClosedLoop
from auricle.perf.measures import compute_measures
from auricle.perf.percentiles import PERCENTILES, BlockBootstrap, _student_t_975, describe_values, format_percentile
from auricle.perf.request_records import RequestColumns
from auricle.perf.windows import Window, choose_window, compute_cumulative_amounts
from tests.support.simulated_servers import lognormal_latency, simulate_closed_loop

WINDOW = Window("all", 0.0, 100.0)
STATISTICS: dict[str, Callable[[np.ndarray], float]] = {
    "mean": lambda values: float(values.mean()),
    "p50": lambda values: float(np.quantile(values, 0.5, method="inverted_cdf")),
    "p95": lambda values: float(np.quantile(values, 0.95, method="inverted_cdf")),
}


def resample_blocks(
    start_times: np.ndarray, values: np.ndarray, block_count: int, statistic: Callable[[np.ndarray], float]
) -> tuple[float, float]:
    """Compute an interval by drawing whole blocks of time, one resample after another."""
    blocks = np.clip((start_times - WINDOW.start) // (WINDOW.length / block_count), 0, block_count - 1)
    values_by_block = [values[blocks == block] for block in range(block_count)]
    resampled = []
    for counts in np.random.default_rng(0).multinomial(block_count, [1 / block_count] * block_count, 1000):
        drawn = np.concatenate([np.tile(part, count) for part, count in zip(values_by_block, counts, strict=True)])
        if len(drawn):
            resampled.append(statistic(drawn))
    spread = np.sqrt(block_count / (block_count - 1)) * stats.t.ppf(0.975, block_count - 1)
    low, high = np.quantile(resampled, [stats.norm.cdf(-spread), stats.norm.cdf(spread)])
    return float(low), float(high)


def mean_interval(
    start_times: np.ndarray, values: np.ndarray, row_indices: np.ndarray | None = None
) -> tuple[float, float]:
    interval = BlockBootstrap(WINDOW, start_times, 1.0).value_intervals(values, row_indices)["mean"]
    assert interval is not None
    return interval


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


@pytest.mark.parametrize(("degrees", "accuracy"), [(9, 2e-4), (15, 2e-5), (29, 2e-6), (1000, 1.2e-12)])
def test_expansion_of_students_t_is_accurate(degrees: int, accuracy: float) -> None:
    assert _student_t_975(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=accuracy)


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 500])
def test_intervals_of_independent_values_cover_the_truth(n: int) -> None:
    truth = {"mean": 1.0, "p50": np.log(2), "p95": np.log(20)}
    covered = dict.fromkeys(truth, 0)
    for seed in range(80):
        generator = np.random.default_rng(seed)
        start_times = np.sort(generator.uniform(0, 100, n))
        intervals = BlockBootstrap(WINDOW, start_times, 1.0, seed).value_intervals(generator.exponential(1.0, n))
        for name, value in truth.items():
            interval = intervals[name]
            assert interval is not None
            covered[name] += interval[0] <= value <= interval[1]
    for name, count in covered.items():
        assert 0.86 <= count / 80 <= 1.0, name


def test_correlated_requests_have_wider_intervals() -> None:
    generator = np.random.default_rng(0)
    start_times = np.sort(generator.uniform(0, 100, 4000))
    shared_noise = np.repeat(generator.normal(0, 1, 50), 80)
    correlated = mean_interval(start_times, 5 + shared_noise)
    independent = mean_interval(start_times, 5 + generator.permutation(shared_noise))
    assert correlated[1] - correlated[0] > 3 * (independent[1] - independent[0])


@pytest.mark.slow
def test_interval_of_a_rate_covers_the_truth() -> None:
    covered = 0
    for seed in range(60):
        columns = RequestColumns.from_records(simulate_closed_loop(16, 640, lognormal_latency(1.0, 0.6, seed)))
        window = choose_window(columns, compute_measures(columns)["latency_s"], ClosedLoop(16))
        bootstrap = BlockBootstrap(window, columns.start_times[window.select_requests(columns)], 1.0)
        amount = compute_cumulative_amounts(columns)["req_s"]
        assert amount is not None
        interval = bootstrap.rate_interval(amount)
        assert interval is not None
        covered += interval[0] <= 16 <= interval[1]
    assert covered >= 51


def test_pooled_values_are_resampled_with_their_requests() -> None:
    start_times = np.linspace(0, 99, 200)
    row_indices = np.repeat(np.arange(200), 500)
    values = np.repeat(np.random.default_rng(1).exponential(1.0, 200), 500)
    pooled = mean_interval(start_times, values, row_indices)
    assert pooled == pytest.approx(mean_interval(start_times, values[::500]))


def test_intervals_are_reproducible() -> None:
    values = np.random.default_rng(2).exponential(1.0, 500)
    start_times = np.linspace(0, 99, 500)
    first, second = (BlockBootstrap(WINDOW, start_times, 1.0).value_intervals(values) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("latency", "block_count"), [(1.0, 25), (0.5, 30), (5.0, 10), (0.0, 30)])
@pytest.mark.parametrize("name", STATISTICS)
def test_intervals_equal_those_of_a_plain_block_bootstrap(name: str, latency: float, block_count: int) -> None:
    """A block has at least four typical latencies, unless there would be fewer than ten blocks."""
    generator = np.random.default_rng(3)
    start_times = np.sort(generator.uniform(-1, 101, 300))  # some are just outside of the window
    values = generator.exponential(1.0, 300) + start_times / 50
    interval = BlockBootstrap(WINDOW, start_times, latency).value_intervals(values)[name]
    expected = resample_blocks(start_times, values, block_count, STATISTICS[name])
    assert interval == pytest.approx(expected, rel=1e-3)


def test_interval_of_a_rate_equals_that_of_a_plain_block_bootstrap() -> None:
    end_times = np.sort(np.random.default_rng(4).uniform(0, 100, 200))
    counts = np.histogram(end_times, np.linspace(0, 100, 26))[0]
    interval = BlockBootstrap(WINDOW, end_times, 1.0).rate_interval(
        lambda times: np.searchsorted(end_times, times, side="right").astype(float)
    )
    expected = resample_blocks(np.arange(25) * 4.0, counts / 4.0, 25, STATISTICS["mean"])
    assert interval == pytest.approx(expected, rel=1e-3)


def test_percentiles_of_many_values_are_computed_on_a_grid() -> None:
    generator = np.random.default_rng(5)
    start_times, values = np.sort(generator.uniform(0, 100, 5000)), generator.exponential(1.0, 5000)
    intervals = BlockBootstrap(WINDOW, start_times, 1.0).value_intervals(values)
    for name in ("p50", "p95"):
        assert intervals[name] == pytest.approx(resample_blocks(start_times, values, 25, STATISTICS[name]), rel=0.01)


def test_values_in_two_blocks_have_an_interval_and_those_in_one_have_none() -> None:
    start_times = np.repeat([10.0, 60.0], 20)
    values = start_times + np.tile([0.0, 2.0], 20)
    interval = BlockBootstrap(WINDOW, start_times, 1.0).value_intervals(values)["mean"]
    assert interval == pytest.approx((11.0, 61.0))
    undefined = np.where(start_times == 10.0, values, np.nan)
    assert set(BlockBootstrap(WINDOW, start_times, 1.0).value_intervals(undefined).values()) == {None}


def test_a_resample_with_a_single_value_counts() -> None:
    """Only four of the requests have a value, each in a block of its own."""
    start_times = np.linspace(0, 99, 40)
    values = np.full(40, np.nan)
    values[[0, 10, 20, 30]] = [1.0, 2.0, 4.0, 8.0]
    defined = ~np.isnan(values)
    expected = resample_blocks(start_times[defined], values[defined], 25, STATISTICS["mean"])
    assert mean_interval(start_times, values) == pytest.approx(expected)


def test_a_window_shorter_than_a_second_has_an_interval() -> None:
    bootstrap = BlockBootstrap(Window("all", 0.0, 0.5), np.linspace(0, 0.5, 40), 0.01)
    assert bootstrap.value_intervals(np.ones(40))["mean"] == (1.0, 1.0)


def test_few_requests_have_no_interval() -> None:
    amount = np.zeros_like
    for count, window in ((19, WINDOW), (40, Window("all", 5.0, 5.0))):
        bootstrap = BlockBootstrap(window, np.linspace(0, 99, count), 1.0)
        assert bootstrap.value_intervals(np.ones(count)) == {"mean": None, "p50": None, "p95": None}
        assert bootstrap.rate_interval(amount) is None
    bootstrap = BlockBootstrap(WINDOW, np.linspace(0, 99, 20), 1.0)
    assert bootstrap.value_intervals(np.ones(20)) == {"mean": (1.0, 1.0), "p50": (1.0, 1.0), "p95": None}
    assert bootstrap.rate_interval(amount) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("count", "has_p50", "has_p95"), [(4, False, False), (5, True, False), (99, True, False), (100, True, True)]
)
def test_percentile_needs_five_values_beyond_it_for_an_interval(count: int, has_p50: bool, has_p95: bool) -> None:
    start_times = np.linspace(0, 99, 100)
    values = np.full(100, np.nan)
    values[np.linspace(0, 99, count).astype(int)] = 1.0
    intervals = BlockBootstrap(WINDOW, start_times, 1.0).value_intervals(values)
    assert (intervals["p50"] is not None, intervals["p95"] is not None) == (has_p50, has_p95)


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
