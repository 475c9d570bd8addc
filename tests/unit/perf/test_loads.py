import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auricle.core.errors import SpecError
from auricle.perf.loads import Burst, ClosedLoop, FixedRate, Trace, folder_name, parse_loads, split_indices

EVERY = (
    "closed:8", "closed:8,ramp=10,think=0.5", "burst:50", "constant:10", "poisson:8,cap=64",
    "gamma:8,shape=0.5", "ramp:1-20,over=60", "ramp:1-20,over=60,exp,poisson", "steps:5x30,10x30",
    "trace", "trace:scale=2", "sweep:6", "search:rate,low=1,high=128", "search:closed,low=2,high=9",
)  # fmt: skip
OPEN = tuple(text for text in EVERY if text.split(":")[0] in {"constant", "poisson", "gamma", "ramp"})


@pytest.mark.parametrize("text", EVERY)
def test_a_load_is_named_as_it_is_written(text: Any) -> None:
    (load,) = parse_loads(text)
    assert str(load) == text
    assert parse_loads(str(load)) == [load]


@pytest.mark.parametrize("text", EVERY)
def test_a_folder_has_no_sign_that_file_systems_refuse(text: Any) -> None:
    assert not set(folder_name(parse_loads(text)[0])) & set('<>:"/\\|?*, ')


def test_several_numbers_are_several_points() -> None:
    assert parse_loads("closed:1,2,4,think=1") == [ClosedLoop(1, 0, 1), ClosedLoop(2, 0, 1), ClosedLoop(4, 0, 1)]


def test_serial_is_one_user() -> None:
    assert parse_loads("serial") == [ClosedLoop(1)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("closd:8", "Did you mean closed?"),
        ("fast", "There are serial, closed"),
        ("closed", "a number is missing"),
        ("closed:0", "whole number above 0"),
        ("poisson:-1", "above 0"),
        ("poisson:inf", "above 0"),
        ("poisson:nan", "above 0"),
        ("poisson:8,cup=3", "cup= means nothing here. Write poisson:RATE"),
        ("poisson:8,cap=1,cap=2", "cap is given twice"),
        ("gamma:8", "shape= is missing"),
        ("ramp:5,over=9", "such as 1-20"),
        ("ramp:0-0,over=9", "above 0"),
        ("ramp:0-5,over=9,exp", "the first rate must be a number above 0"),
        ("steps:5", "such as 5x30"),
        ("search:speed", "rate or closed is missing"),
        ("search:rate,low=9,high=3", "low=9 is above high=3"),
    ],
)
def test_a_wrong_load_is_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(SpecError) as refused:
        parse_loads(text)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", OPEN)
def test_the_same_seed_gives_the_same_schedule(text: Any) -> None:
    (load,) = parse_loads(text)
    assert np.array_equal(load.due_times(100, seed=3), load.due_times(100, seed=3))


def test_another_seed_or_another_load_gives_another_schedule() -> None:
    load = FixedRate("poisson", 8)
    assert not np.array_equal(load.due_times(100, seed=3), load.due_times(100, seed=4))
    other = FixedRate("poisson", 16).due_times(100, seed=3) * 2
    assert not np.allclose(load.due_times(100, seed=3), other)


@pytest.mark.parametrize("text", OPEN)
def test_a_longer_run_begins_like_a_shorter_one(text: Any) -> None:
    (load,) = parse_loads(text)
    long = load.due_times(6000, seed=1)
    assert np.array_equal(long[:50], load.due_times(50, seed=1))
    assert np.array_equal(long[long < 7.5], load.due_times(duration=7.5, seed=1))


def test_a_cap_does_not_move_the_schedule() -> None:
    plain, capped = FixedRate("poisson", 8), FixedRate("poisson", 8, cap=4)
    assert np.array_equal(plain.due_times(100), capped.due_times(100))


@pytest.mark.parametrize("senders", [1, 2, 4, 7])
def test_any_number_of_senders_serve_one_schedule(senders: int) -> None:
    due = FixedRate("poisson", 100).due_times(1000, seed=5)
    shares = split_indices(len(due), senders)
    assert sorted(index for share in shares for index in share) == list(range(1000))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_poisson_intervals_are_exponential() -> None:
    due = FixedRate("poisson", 40).due_times(5000, seed=0)
    gaps = np.diff(due, prepend=0.0)
    assert stats.kstest(gaps, "expon", args=(0, 1 / 40)).pvalue > 0.01
    assert abs(np.corrcoef(gaps[:-1], gaps[1:])[0, 1]) < 0.05


@pytest.mark.parametrize("shape", [0.25, 4.0])
def test_gamma_intervals_have_their_shape(shape: float) -> None:
    gaps = np.diff(FixedRate("gamma", 10, shape).due_times(5000), prepend=0.0)
    assert stats.kstest(gaps, "gamma", args=(shape, 0, 1 / (10 * shape))).pvalue > 0.01


@pytest.mark.parametrize("rate", [1, 10, 333, 1000])
def test_constant_is_exact(rate: int) -> None:
    due = FixedRate("constant", rate).due_times(duration=60)
    assert len(due) == 60 * rate
    assert np.array_equal(due, np.arange(60 * rate) / rate)


@pytest.mark.parametrize("kind", ["poisson", "gamma"])
@pytest.mark.parametrize("rate", [1, 30, 1000])
def test_random_loads_keep_their_rate(kind: str, rate: int) -> None:
    due = FixedRate(kind, rate, 0.5).due_times(40_000)
    assert 40_000 / due[-1] == pytest.approx(rate, rel=0.02)


def test_a_ramp_is_linear_in_time() -> None:
    due = parse_loads("ramp:1-20,over=60")[0].due_times()
    for end in (15, 30, 60):
        planned = 1 * end + (20 - 1) / 60 * end**2 / 2
        assert np.sum(due < end) == pytest.approx(planned, abs=1)
    assert len(due) == 630


def test_an_exponential_ramp_grows_by_the_same_factor_in_the_same_time() -> None:
    due = parse_loads("ramp:1-16,over=80,exp")[0].due_times()
    counts = np.histogram(due, bins=[0, 20, 40, 60, 80])[0]
    assert counts[1:] / counts[:-1] == pytest.approx([2, 2, 2], rel=0.06)
    assert len(due) == math.ceil(80 * 15 / math.log(16))


def test_a_ramp_may_start_at_nothing_or_go_down() -> None:
    up = parse_loads("ramp:0-10,over=10")[0].due_times()
    down = parse_loads("ramp:10-0,over=10")[0].due_times()
    assert len(up) == len(down) == 50
    assert np.all(np.diff(up) > 0)
    assert np.all(np.diff(down) > 0)
    assert np.all(np.isfinite(down))


def test_a_random_ramp_is_a_poisson_process_of_its_rate() -> None:
    load = parse_loads("ramp:10-200,over=100,poisson")[0]
    due = load.due_times(seed=2)
    passed = 10 * due + 1.9 / 2 * due**2
    assert stats.kstest(np.diff(passed, prepend=0.0), "expon").pvalue > 0.01


def test_steps_follow_one_another() -> None:
    due = parse_loads("steps:5x30,10x30")[0].due_times()
    assert np.histogram(due, bins=[0, 30, 60])[0].tolist() == [150, 300]


def test_a_burst_is_all_at_once() -> None:
    assert Burst(50).due_times().tolist() == [0.0] * 50
    assert len(Burst(50).due_times(10)) == 10


def test_a_trace_keeps_the_times_of_the_data_from_its_first() -> None:
    trace = Trace(2.0).with_timestamps([100.0, 101.0, 105.0])
    assert trace.due_times().tolist() == [0.0, 0.5, 2.5]
    assert trace.due_times(2).tolist() == [0.0, 0.5]
    assert trace.due_times(duration=2.5).tolist() == [0.0, 0.5]


def test_a_trace_that_goes_back_in_time_is_refused() -> None:
    with pytest.raises(SpecError, match=r"row 3 has 1\.5 after 2\.0"):
        Trace().with_timestamps([1.0, 2.0, 1.5])


def test_a_trace_without_times_is_refused() -> None:
    with pytest.raises(SpecError, match="none were found"):
        Trace().due_times()


def test_a_load_without_an_end_must_be_given_one() -> None:
    with pytest.raises(SpecError, match="say how many requests, or how long"):
        FixedRate("poisson", 8).due_times()


def test_users_begin_one_after_the_other() -> None:
    assert ClosedLoop(4, ramp_seconds=10).user_start_times() == (0.0, 2.5, 5.0, 7.5)


def test_nothing_is_due_after_the_end() -> None:
    due = FixedRate("poisson", 100).due_times(duration=3.0, seed=9)
    assert due[-1] < 3.0 <= FixedRate("poisson", 100).due_times(len(due) + 1, seed=9)[-1]
