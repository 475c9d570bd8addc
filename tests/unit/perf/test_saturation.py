import numpy as np
import pytest
from simulated_servers import behind_a_cap, queueing_inside

from auricle.perf.columns import Columns
from auricle.perf.loads import Paced
from auricle.perf.measures import measures
from auricle.perf.saturation import Saturation, Trend, saturation
from auricle.perf.windows import Window

SERVICE, PLACES = 0.5, 8
CAPACITY = PLACES / SERVICE


def saturated(share, seed, served=queueing_inside):
    due = Paced("poisson", share * CAPACITY).due_times(duration=60, seed=seed)
    columns = Columns.of(served(due, PLACES, SERVICE))
    return saturation(columns, measures(columns), Window("all", 0.0, float(due[-1])))["saturated"]


def watched(share, seed):
    """Whether somebody who looks every five seconds would stop it."""
    due = Paced("poisson", share * CAPACITY).due_times(duration=60, seed=seed)
    done = [(each.done, -1, each.done - each.due) for each in queueing_inside(due, PLACES, SERVICE)]
    watch, backlog, look = Saturation(30.0), 0, 5.0
    for at, step, delay in sorted([(float(at), 1, 0.0) for at in due] + done):
        backlog += step
        watch.add(at, backlog, delay if step < 0 else None)
        if at >= look:
            look += 5.0
            if watch.reached():
                return True
    return False


@pytest.mark.parametrize("share", [1.3, 2.0])
def test_more_than_can_be_answered_is_seen(share):
    assert all(saturated(share, seed) for seed in range(10))
    assert all(watched(share, seed) for seed in range(10))


@pytest.mark.parametrize("share", [0.3, 0.7, 0.8])
def test_a_busy_server_is_not_a_saturated_one(share):
    assert not any(saturated(share, seed) for seed in range(10))
    assert not any(watched(share, seed) for seed in range(10))


def test_a_backlog_at_the_senders_counts_as_well():
    assert saturated(1.5, 0, served=behind_a_cap)


def test_nothing_is_said_before_the_window_is_full():
    watch = Saturation(30.0)
    for at in range(29):
        watch.add(float(at), backlog=10.0 * at, delay=float(at))
    assert not watch.reached()


def test_a_backlog_that_grows_alone_is_not_saturation():
    watch = Saturation(30.0)
    for at in range(40):
        watch.add(float(at), backlog=10.0 * at, delay=1.0)
    assert not watch.reached()


def test_memory_is_that_of_the_window():
    watch = Saturation(5.0)
    for at in np.arange(0, 1000, 0.1):
        watch.add(float(at), 1.0, 1.0)
    assert len(watch._backlog) < 60


def test_a_trend_is_a_slope_a_second():
    times = np.linspace(0.0, 20.0, 200)
    trend = Trend.of(times, 3.0 * times, 0.0, 20.0)
    assert trend.per_second == pytest.approx(3.0, rel=0.02)
    assert trend.grows
    assert not Trend.of(times, 60 - 3.0 * times, 0.0, 20.0).grows
    assert Trend.of(times[:50], times[:50], 0.0, 20.0) is None
