"""Intervals of load tests: what they are computed from, and when there is none."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from auricle.perf.intervals import Batches
from auricle.perf.summary import summarise
from auricle.runs.perf_files import LoadPointSummary, MeasureStatistics
from tests.support.simulated_servers import (
    answered_request,
    lognormal_latency,
    simulate_closed_loop,
    simulate_queue,
    streamed_request,
)

Draw = Callable[[np.random.Generator, int], np.ndarray]


def measure(draw_seconds: Draw, count: int = 400, load: str = "poisson:10", seed: int = 0) -> LoadPointSummary:
    """Summarise requests at random times whose latency does not depend on others."""
    generator = np.random.default_rng(seed)
    dues = np.cumsum(generator.exponential(0.1, count)).tolist()
    seconds = draw_seconds(generator, count).tolist()
    records = [
        answered_request(index, due=due, sent=due, seconds=latency)
        for index, (due, latency) in enumerate(zip(dues, seconds, strict=True))
    ]
    return summarise(records, load)


def latency_of(point: LoadPointSummary) -> MeasureStatistics:
    return point.measures["latency_s"]


def width(interval: tuple[float, float] | None) -> float:
    assert interval
    return interval[1] - interval[0]


def draw_lognormal(generator: np.random.Generator, count: int) -> np.ndarray:
    return generator.lognormal(-1.5, 0.3, count)


def draw_waves(generator: np.random.Generator, count: int) -> np.ndarray:
    """Draw latencies that are alike for 20 requests each."""
    return np.repeat(generator.lognormal(-1.5, 0.3, count // 20), 20)


def queue(load: float, count: int = 300, slots: int = 8) -> LoadPointSummary:
    """Summarise requests that wait for one of the slots of a server."""
    dues = np.cumsum(np.random.default_rng(3).exponential(1 / (load * slots), count)).tolist()
    return summarise(simulate_queue(dues, slots, 1.0), f"poisson:{load * slots:g}")


def test_uncorrelated_batches_have_the_interval_of_students_t() -> None:
    series = np.tile([1.0, 2.0, 4.0, 3.0, 7.0, 5.0, 1.0, 6.0], (2, 1)).T.ravel()
    batches = Batches.of(series)
    error = batches.error_of_mean(0.0)
    low, high = stats.t.interval(0.95, 7, series.mean(), stats.sem(batches.means))
    assert 2 * error.half_width == pytest.approx(high - low)


def test_correlated_batches_widen_the_interval_and_count_as_fewer() -> None:
    batches = Batches.of(np.arange(256.0) % 7)
    alone, alike = batches.error_of_mean(0.0), batches.error_of_mean(0.6)
    assert alike.value == pytest.approx(2 * alone.value)
    assert alike.degrees == pytest.approx((alone.degrees + 1) / 4 - 1)


def test_requests_that_are_alike_in_time_have_wider_intervals() -> None:
    alone, alike = (latency_of(measure(draw)).errors["mean"] for draw in (draw_lognormal, draw_waves))
    assert alike.value > 2 * alone.value
    assert alike.degrees < alone.degrees


@pytest.mark.parametrize(
    ("count", "given"), [(60, {"mean", "p50"}), (300, {"mean", "p50", "p95"}), (1500, {"mean", "p50", "p95", "p99"})]
)
def test_percentiles_far_out_need_more_requests_for_an_interval(count: int, given: set[str]) -> None:
    users = simulate_closed_loop(2, count, lognormal_latency(0.2, 0.3, 0))
    latency = latency_of(summarise(users, "closed:2"))
    assert {name for name, interval in latency.intervals.items() if interval} == given
    assert set(latency.no_interval) == set(latency.intervals) - given


def test_a_queue_that_grows_has_no_interval() -> None:
    point = queue(1.05, 600)
    latency = latency_of(point)
    assert set(latency.intervals.values()) == {None}
    assert latency.errors == {}
    assert "the queue was still growing" in latency.no_interval["p50"]
    assert any(note.startswith("No 95 % interval of queue_s, latency_s") for note in point.notes)
    assert point.run["req_s"].interval


def test_latencies_that_follow_a_slow_queue_have_no_interval_but_can_be_compared() -> None:
    latency = latency_of(queue(0.9, 3000))
    assert latency.intervals["mean"] is None
    assert "the measure may follow the queue" in latency.no_interval["mean"]
    assert latency.errors["mean"].value > 0


def test_latencies_that_do_not_follow_the_queue_have_an_interval() -> None:
    assert all(latency_of(measure(draw_lognormal)).intervals[name] for name in ("mean", "p50", "p95"))


def test_users_without_a_steady_window_have_no_interval() -> None:
    records = [answered_request(index, sent=index / 8, user=index % 8) for index in range(40)]
    point = summarise(records, "closed:8")
    assert latency_of(point).no_interval["mean"].startswith("no steady window")
    assert any("requests have no 95 % intervals" in note for note in point.notes)


def test_few_requests_have_no_interval() -> None:
    point = measure(draw_lognormal, 12)
    assert "are needed" in latency_of(point).no_interval["mean"]
    assert point.run["req_s"].interval is None


def test_a_regular_pattern_is_no_evidence_of_a_perfect_number() -> None:
    point = measure(lambda _, count: np.tile([0.2, 0.4], count // 2), load="constant:10")
    assert width(latency_of(point).intervals["mean"]) > 0


def test_several_values_of_a_request_do_not_count_as_independent() -> None:
    generator = np.random.default_rng(1)
    gaps = generator.uniform(0.01, 0.03, 600).tolist()
    many, few = (
        summarise(
            [
                streamed_request(index, sent=index / 4, due=index / 4, gaps=(gap,) * copies)
                for index, gap in enumerate(gaps)
            ],
            "constant:4",
        ).measures["chunk_gap_s"]
        for copies in (40, 1)
    )
    assert many.n > 30 * few.n
    assert width(many.intervals["mean"]) == pytest.approx(width(few.intervals["mean"]), rel=0.2)
