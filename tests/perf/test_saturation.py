from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

from auricle.perf.load_patterns import FixedRate
from auricle.perf.measures import compute_measures
from auricle.perf.request_records import RequestColumns, RequestRecord
from auricle.perf.saturation import SaturationDetector, Trend, assess_saturation
from auricle.perf.windows import Window
from tests.support.simulated_servers import simulate_cap, simulate_queue

SERVICE_SECONDS, SLOTS = 0.5, 8
CAPACITY = SLOTS / SERVICE_SECONDS

Simulation = Callable[[Iterable[float], int, float], Iterator[RequestRecord]]


def is_saturated_afterwards(load_share: float, seed: int, simulate: Simulation = simulate_queue) -> bool:
    due_times = FixedRate("poisson", load_share * CAPACITY).due_times(duration=60, seed=seed)
    columns = RequestColumns.from_records(simulate(due_times, SLOTS, SERVICE_SECONDS))
    window = Window("all", 0.0, float(due_times[-1]))
    return assess_saturation(columns, compute_measures(columns), window).saturated


def is_detected_while_running(load_share: float, seed: int) -> bool:
    """Return whether a detector that is checked every five seconds would stop the load."""
    due_times = FixedRate("poisson", load_share * CAPACITY).due_times(duration=60, seed=seed)
    events = [(float(due), 1, 0.0) for due in due_times]
    for record in simulate_queue(due_times, SLOTS, SERVICE_SECONDS):
        assert record.done is not None
        assert record.due is not None
        events.append((record.done, -1, record.done - record.due))
    detector, backlog, next_check = SaturationDetector(30.0), 0, 5.0
    for time, step, delay in sorted(events):
        backlog += step
        detector.add(time, backlog, delay if step < 0 else None)
        if time >= next_check:
            next_check += 5.0
            if detector.is_saturated():
                return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("load_share", [1.3, 2.0])
def test_load_above_the_capacity_is_detected(load_share: float) -> None:
    assert all(is_saturated_afterwards(load_share, seed) for seed in range(10))
    assert all(is_detected_while_running(load_share, seed) for seed in range(10))


@pytest.mark.slow
@pytest.mark.parametrize("load_share", [0.3, 0.7, 0.8])
def test_busy_server_is_not_saturated(load_share: float) -> None:
    assert not any(is_saturated_afterwards(load_share, seed) for seed in range(10))
    assert not any(is_detected_while_running(load_share, seed) for seed in range(10))


def test_backlog_at_the_client_counts() -> None:
    assert is_saturated_afterwards(1.5, 0, simulate=simulate_cap)


def test_saturation_is_not_detected_before_the_window_is_full() -> None:
    detector = SaturationDetector(30.0)
    for second in range(29):
        detector.add(float(second), backlog=10.0 * second, delay=float(second))
    assert not detector.is_saturated()


def test_growing_backlog_with_constant_delay_is_not_saturation() -> None:
    detector = SaturationDetector(30.0)
    for second in range(40):
        detector.add(float(second), backlog=10.0 * second, delay=1.0)
    assert not detector.is_saturated()


def test_detector_keeps_only_the_samples_of_its_window() -> None:
    detector = SaturationDetector(5.0)
    for time in np.arange(0, 1000, 0.1):
        detector.add(float(time), 1.0, 1.0)
    assert len(detector._backlog) < 60


def test_trend_is_a_slope_per_second() -> None:
    times = np.linspace(0.0, 20.0, 200)
    rising = Trend.fit(times, 3.0 * times, 0.0, 20.0)
    falling = Trend.fit(times, 60 - 3.0 * times, 0.0, 20.0)
    assert rising is not None
    assert falling is not None
    assert rising.per_second == pytest.approx(3.0, rel=0.02)
    assert rising.is_growing
    assert not falling.is_growing
    assert Trend.fit(times[:50], times[:50], 0.0, 20.0) is None
