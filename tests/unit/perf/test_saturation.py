from typing import Any

import numpy as np
import pytest

from auricle.perf.loads import FixedRate
from auricle.perf.measures import compute_measures
from auricle.perf.request_columns import RequestColumns
from auricle.perf.saturation import SaturationDetector, Trend, assess_saturation
from auricle.perf.windows import Window
from tests.support.simulated_servers import behind_a_cap, queueing_inside

SERVICE, PLACES = 0.5, 8
CAPACITY = PLACES / SERVICE


def saturated(share: Any, seed: Any, served: Any = queueing_inside) -> Any:
    due = FixedRate("poisson", share * CAPACITY).due_times(duration=60, seed=seed)
    columns = RequestColumns.from_records(served(due, PLACES, SERVICE))
    return assess_saturation(columns, compute_measures(columns), Window("all", 0.0, float(due[-1])))["saturated"]


def watched(share: Any, seed: Any) -> Any:
    """Whether somebody who looks every five seconds would stop it."""
    due = FixedRate("poisson", share * CAPACITY).due_times(duration=60, seed=seed)
    done = [(each.done, -1, each.done - each.due) for each in queueing_inside(due, PLACES, SERVICE)]
    watch, backlog, look = SaturationDetector(30.0), 0, 5.0
    for at, step, delay in sorted([(float(at), 1, 0.0) for at in due] + done):
        backlog += step
        watch.add(at, backlog, delay if step < 0 else None)
        if at >= look:
            look += 5.0
            if watch.is_saturated():
                return True
    return False


@pytest.mark.parametrize("share", [1.3, 2.0])
def test_more_than_can_be_answered_is_seen(share: float) -> None:
    assert all(saturated(share, seed) for seed in range(10))
    assert all(watched(share, seed) for seed in range(10))


@pytest.mark.parametrize("share", [0.3, 0.7, 0.8])
def test_a_busy_server_is_not_a_saturated_one(share: float) -> None:
    assert not any(saturated(share, seed) for seed in range(10))
    assert not any(watched(share, seed) for seed in range(10))


def test_a_backlog_at_the_senders_counts_as_well() -> None:
    assert saturated(1.5, 0, served=behind_a_cap)


def test_nothing_is_said_before_the_window_is_full() -> None:
    watch = SaturationDetector(30.0)
    for at in range(29):
        watch.add(float(at), backlog=10.0 * at, delay=float(at))
    assert not watch.is_saturated()


def test_a_backlog_that_grows_alone_is_not_saturation() -> None:
    watch = SaturationDetector(30.0)
    for at in range(40):
        watch.add(float(at), backlog=10.0 * at, delay=1.0)
    assert not watch.is_saturated()


def test_memory_is_that_of_the_window() -> None:
    watch = SaturationDetector(5.0)
    for at in np.arange(0, 1000, 0.1):
        watch.add(float(at), 1.0, 1.0)
    assert len(watch._backlog) < 60


def test_a_trend_is_a_slope_a_second() -> None:
    times = np.linspace(0.0, 20.0, 200)
    trend = Trend.fit(times, 3.0 * times, 0.0, 20.0)
    assert trend.per_second == pytest.approx(3.0, rel=0.02)
    assert trend.is_growing
    assert not Trend.fit(times, 60 - 3.0 * times, 0.0, 20.0).is_growing
    assert Trend.fit(times[:50], times[:50], 0.0, 20.0) is None
