import ast
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

import numpy as np
import pytest
from scipy import stats

from auricle.core.errors import SpecError
from auricle.perf.load_patterns import Burst, ClosedLoop, FixedRate, ScheduledLoad, Trace
from auricle.perf.load_syntax import parse_load, parse_loads
from auricle.perf.messages import LoadPointPlan
from tests.support import paths

SOURCE = paths.ROOT / "src" / "auricle"

ENDLESS_OR_LONG = (
    "constant:10",
    "poisson:8,cap=64",
    "gamma:8,shape=0.5",
    "ramp:1-20,over=60",
    "ramp:1-20,over=60,exp,poisson",
)


def parse_open_loop(text: str) -> ScheduledLoad:
    load = parse_load(text)
    assert isinstance(load, ScheduledLoad)
    return load


@pytest.mark.parametrize("text", ENDLESS_OR_LONG)
def test_same_seed_gives_the_same_schedule(text: str) -> None:
    load = parse_open_loop(text)
    assert np.array_equal(load.due_times(100, seed=3), load.due_times(100, seed=3))


def test_schedule_depends_on_seed_and_load() -> None:
    load = FixedRate("poisson", 8)
    assert not np.array_equal(load.due_times(100, seed=3), load.due_times(100, seed=4))
    scaled = FixedRate("poisson", 16).due_times(100, seed=3) * 2
    assert not np.allclose(load.due_times(100, seed=3), scaled)


@pytest.mark.parametrize("text", ENDLESS_OR_LONG)
def test_longer_schedule_begins_like_a_shorter_one(text: str) -> None:
    load = parse_open_loop(text)
    due_times = load.due_times(6000, seed=1)
    assert np.array_equal(due_times[:50], load.due_times(50, seed=1))
    assert np.array_equal(due_times[due_times < 7.5], load.due_times(duration=7.5, seed=1))


def test_cap_does_not_change_the_schedule() -> None:
    uncapped, capped = FixedRate("poisson", 8), FixedRate("poisson", 8, cap=4)
    assert np.array_equal(uncapped.due_times(100), capped.due_times(100))


def test_poisson_intervals_are_exponential_and_independent() -> None:
    due_times = FixedRate("poisson", 40).due_times(5000, seed=0)
    gaps = np.diff(due_times, prepend=0.0)
    assert stats.kstest(gaps, "expon", args=(0, 1 / 40)).pvalue > 0.01
    assert abs(np.corrcoef(gaps[:-1], gaps[1:])[0, 1]) < 0.05


@pytest.mark.parametrize("shape", [0.25, 4.0])
def test_gamma_intervals_have_their_shape(shape: float) -> None:
    gaps = np.diff(FixedRate("gamma", 10, shape).due_times(5000), prepend=0.0)
    assert stats.kstest(gaps, "gamma", args=(shape, 0, 1 / (10 * shape))).pvalue > 0.01


@pytest.mark.parametrize("rate", [1, 10, 333, 1000])
def test_constant_rate_is_exact(rate: int) -> None:
    due_times = FixedRate("constant", rate).due_times(duration=60)
    assert len(due_times) == 60 * rate
    assert np.array_equal(due_times, np.arange(60 * rate) / rate)


@pytest.mark.parametrize("kind", ["poisson", "gamma"])
@pytest.mark.parametrize("rate", [1, 30, 1000])
def test_random_loads_have_their_mean_rate(kind: Literal["poisson", "gamma"], rate: int) -> None:
    due_times = FixedRate(kind, rate, 0.5).due_times(40_000)
    assert 40_000 / due_times[-1] == pytest.approx(rate, rel=0.02)


def test_ramp_is_linear_in_time() -> None:
    due_times = parse_open_loop("ramp:1-20,over=60").due_times()
    for end in (15, 30, 60):
        planned = 1 * end + (20 - 1) / 60 * end**2 / 2
        assert np.sum(due_times < end) == pytest.approx(planned, abs=1)
    assert len(due_times) == 630


def test_exponential_ramp_grows_by_a_constant_factor() -> None:
    due_times = parse_open_loop("ramp:1-16,over=80,exp").due_times()
    counts = np.histogram(due_times, bins=[0, 20, 40, 60, 80])[0]
    assert counts[1:] / counts[:-1] == pytest.approx([2, 2, 2], rel=0.06)
    assert len(due_times) == math.ceil(80 * 15 / math.log(16))


def test_ramp_may_start_or_end_at_zero() -> None:
    up = parse_open_loop("ramp:0-10,over=10").due_times()
    down = parse_open_loop("ramp:10-0,over=10").due_times()
    assert len(up) == len(down) == 50
    assert np.all(np.diff(up) > 0)
    assert np.all(np.diff(down) > 0)
    assert np.all(np.isfinite(down))


def test_random_ramp_is_a_poisson_process_of_its_rate() -> None:
    due_times = parse_open_loop("ramp:10-200,over=100,poisson").due_times(seed=2)
    expected_counts = 10 * due_times + 1.9 / 2 * due_times**2
    assert stats.kstest(np.diff(expected_counts, prepend=0.0), "expon").pvalue > 0.01


def test_steps_follow_one_another() -> None:
    due_times = parse_open_loop("steps:5x30,10x30").due_times()
    assert np.histogram(due_times, bins=[0, 30, 60])[0].tolist() == [150, 300]


def test_burst_is_due_all_at_once() -> None:
    assert Burst(50).due_times().tolist() == [0.0] * 50
    assert len(Burst(50).due_times(10)) == 10


def test_trace_replays_timestamps_relative_to_the_first() -> None:
    trace = Trace(2.0).with_timestamps([100.0, 101.0, 105.0])
    assert trace.due_times().tolist() == [0.0, 0.5, 2.5]
    assert trace.due_times(2).tolist() == [0.0, 0.5]
    assert trace.due_times(duration=2.5).tolist() == [0.0, 0.5]


def test_trace_rejects_descending_timestamps() -> None:
    with pytest.raises(SpecError, match=r"row 3 has 1\.5 after 2\.0"):
        Trace().with_timestamps([1.0, 2.0, 1.5])


def test_trace_without_timestamps_is_rejected() -> None:
    with pytest.raises(SpecError, match="column 'timestamp'"):
        Trace().due_times()


def test_endless_load_needs_a_count_or_a_duration() -> None:
    with pytest.raises(SpecError, match="Load poisson:8 has no end"):
        FixedRate("poisson", 8).due_times()


def test_users_start_one_after_the_other() -> None:
    assert ClosedLoop(4, ramp_seconds=10).user_start_times() == (0.0, 2.5, 5.0, 7.5)


def test_no_request_is_due_after_the_duration() -> None:
    due_times = FixedRate("poisson", 100).due_times(duration=3.0, seed=9)
    assert due_times[-1] < 3.0 <= FixedRate("poisson", 100).due_times(len(due_times) + 1, seed=9)[-1]


def test_requests_of_the_warmup_do_not_count_towards_the_count() -> None:
    plan = LoadPointPlan(spec={}, load="constant:10", folder="point", count=5, warmup=2.0)
    schedule = FixedRate("constant", 10).schedule(plan)
    assert (len(schedule.due_times), schedule.warmup_count) == (25, 20)
    assert schedule.due_times[-1] == pytest.approx(2.4)


@pytest.mark.parametrize(
    ("load", "warmup", "measured"),
    [("burst:20", 20, 20), ("steps:10x4,30x4", 20, 160), ("ramp:0-10,over=4", 20, 20), ("ramp:5-10,over=4", 10, 30)],
)
def test_warmup_comes_before_the_plan_and_takes_nothing_from_it(load: str, warmup: int, measured: int) -> None:
    pattern = cast(ScheduledLoad, parse_load(load))
    plan = LoadPointPlan(spec={}, load=load, folder="point", warmup=2.0)
    schedule = pattern.schedule(plan)
    assert (schedule.warmup_count, len(schedule.due_times) - schedule.warmup_count) == (warmup, measured)
    assert (schedule.due_times[:warmup] < 2.0).all()
    unshifted = pattern.schedule(replace(plan, warmup=0.0)).due_times
    assert schedule.due_times[warmup:] == pytest.approx(2.0 + unshifted)


def test_warmup_of_a_trace_has_its_mean_rate() -> None:
    trace = Trace().with_timestamps([5.0, 5.5, 9.0])
    schedule = trace.schedule(LoadPointPlan(spec={}, load="trace", folder="point", warmup=4.0))
    assert schedule.due_times.tolist() == [0.0, 2.0, 4.0, 4.5, 8.0]
    assert schedule.warmup_count == 2


@pytest.mark.parametrize(
    ("load", "rate"), [("poisson:7", 7), ("ramp:1-9,over=5", 9), ("steps:3x1,8x1", 8), ("closed:5", 0), ("burst:5", 0)]
)
def test_peak_rate_is_the_highest_planned_rate(load: str, rate: int) -> None:
    assert parse_load(load).peak_rate == rate


@pytest.mark.parametrize(
    ("load", "count"),
    [
        ("closed:5", 1000),
        ("closed:80", 1600),
        ("constant:5", 10),
        ("burst:7", 7),
        ("steps:3x1,8x1", 11),
        ("trace", None),
    ],
)
def test_number_of_prepared_samples_follows_from_the_load(load: str, count: int | None) -> None:
    plan = LoadPointPlan(spec={}, load=load, folder="point", duration=2.0)
    assert parse_load(load).count_samples(plan) == count


@pytest.mark.parametrize(
    ("load", "has_end"),
    [
        *((load, False) for load in ("closed:1", "poisson:1", "sweep:3", "search:rate")),
        *((load, True) for load in ("burst:2", "ramp:1-2,over=3", "steps:1x2", "trace")),
    ],
)
def test_only_some_loads_end_by_themselves(load: str, has_end: bool) -> None:
    assert parse_loads(load)[0].has_end == has_end


def test_users_who_think_are_not_always_busy() -> None:
    assert ClosedLoop(4).busy_users == 4
    assert ClosedLoop(4, think_seconds=1).busy_users is None
    assert FixedRate("poisson", 4).busy_users is None


# --- what varies by load is asked of the load ---------------------------------------------


def load_class_names() -> set[str]:
    trees = (ast.parse((SOURCE / "perf" / f"{name}.py").read_text()) for name in ("load_patterns", "search"))
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def type_checks(path: Path) -> Iterator[str]:
    """Yield each type that a module passes to `isinstance` or `issubclass`, or matches as a class pattern."""
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
        ):
            yield from (name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name))
            yield from (name.attr for name in ast.walk(node.args[1]) if isinstance(name, ast.Attribute))
        if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
            yield node.cls.id


@pytest.mark.parametrize("room", ["perf", "app", "cli"])
def test_no_module_checks_the_class_of_a_load(room: str) -> None:
    names = load_class_names()
    assert {"ClosedLoop", "Trace", "SearchPlan", "Sweep"} <= names
    checked = {path.name: names & set(type_checks(path)) for path in (SOURCE / room).rglob("*.py")}
    assert checked
    assert {name: classes for name, classes in checked.items() if classes} == {}
