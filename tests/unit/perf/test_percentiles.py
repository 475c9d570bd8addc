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


@pytest.mark.parametrize("degrees", [9, 15, 29])
def test_expansion_of_students_t_is_accurate(degrees: int) -> None:
    assert _student_t_975(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 500])
def test_intervals_of_independent_values_cover_the_truth(n: int) -> None:
    truth = {"mean": 1.0, "p50": np.log(2), "p95": np.log(20)}
    covered = dict.fromkeys(truth, 0)
    for seed in range(150):
        generator = np.random.default_rng(seed)
        start_times = np.sort(generator.uniform(0, 100, n))
        intervals = BlockBootstrap(WINDOW, start_times, 1.0, seed).value_intervals(generator.exponential(1.0, n))
        for name, value in truth.items():
            interval = intervals[name]
            assert interval is not None
            covered[name] += interval[0] <= value <= interval[1]
    for name, count in covered.items():
        assert 0.86 <= count / 150 <= 1.0, name


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


def test_few_requests_have_no_interval() -> None:
    intervals = BlockBootstrap(WINDOW, np.linspace(0, 99, 19), 1.0).value_intervals(np.ones(19))
    assert set(intervals.values()) == {None}
