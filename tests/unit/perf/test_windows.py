from typing import Any

import numpy as np
import pytest

from auricle.perf.cumulative import compute_cumulative_amounts
from auricle.perf.loads import ClosedLoop, FixedRate, parse_loads
from auricle.perf.measures import compute_measures
from auricle.perf.request_columns import RequestColumns
from auricle.perf.request_record import RequestRecord
from auricle.perf.windows import (
    CountOverTime,
    Window,
    choose_window,
    compute_achieved_rate,
    compute_offered_rate,
    count_in_flight,
)
from tests.support.simulated_servers import answered, closed_loop, lognormal, queueing_inside, streamed


def chosen(exchanges: Any, load: Any, wanted: str = "steady") -> Any:
    columns = RequestColumns.from_records(exchanges)
    return columns, choose_window(columns, compute_measures(columns)["latency_s"], load, wanted)


def rate(columns: Any, window: Any, name: str = "req_s") -> Any:
    start, end = compute_cumulative_amounts(columns)[name](np.array([window.start, window.end]))
    return (end - start) / window.length


def test_the_count_in_flight_is_weighted_by_time() -> None:
    course = count_in_flight(
        RequestColumns.from_records([answered(0, sent=0, seconds=4), answered(1, sent=3, seconds=1)])
    )
    assert course.mean(0, 4) == pytest.approx(5 / 4)
    assert course.mean(3, 4) == pytest.approx(2)
    assert course.mean(0, 10) == pytest.approx(0.5)
    assert course.maximum(0, 4) == 2
    assert course.maximum(0, 2) == 1


def test_an_end_and_a_start_at_once_are_no_two_in_flight() -> None:
    course = count_in_flight(
        RequestColumns.from_records([answered(0, sent=0, seconds=1), answered(1, sent=1, seconds=1)])
    )
    assert course.maximum(0, 2) == 1


def test_what_was_never_sent_is_not_in_flight() -> None:
    unsent = RequestRecord(index=1, sample="b", due=0.5, status="cancelled")
    assert count_in_flight(RequestColumns.from_records([answered(), unsent])).mean(0, 1) == pytest.approx(1)


def test_the_longest_stretch_is_found() -> None:
    course = CountOverTime.from_spans(np.array([0.0, 1.0, 2.0, 6.0]), np.array([9.0, 3.0, 4.0, 8.5]))
    assert course.longest_span_above(2, 0.0, 10.0) == (1.0, 4.0)
    assert course.longest_span_above(2, 3.5, 10.0) == (6.0, 8.5)
    assert course.longest_span_above(5, 0.0, 10.0) == (0.0, 0.0)


def test_all_is_from_the_first_measured_request_to_the_end_of_the_last() -> None:
    said = [
        answered(0, sent=0, phase="warmup"),
        answered(1, sent=2.0, due=1.5),
        answered(2, sent=3.0, due=3.0, seconds=5),
        answered(3, sent=9.0, due=9.0, phase="cooldown"),
    ]
    _, window = chosen(said, FixedRate("constant", 1), "all")
    assert (window.kind, window.start, window.end) == ("all", 1.5, 8.0)


@pytest.mark.parametrize("users", [1, 8, 64])
@pytest.mark.parametrize("spread", [0.0, 0.3, 1.0])
def test_a_short_run_is_not_called_steady(users: int, spread: float) -> None:
    run = closed_loop(users, 5 * users, lognormal(1.0, spread, 0))
    columns, window = chosen(run, ClosedLoop(users))
    assert window.kind == "all"
    assert "too short" in window.not_steady_reason
    assert window.length == pytest.approx(np.nanmax(columns["done"]))


@pytest.mark.parametrize("spread", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("each", [20, 50])
def test_the_rate_of_a_steady_window_is_unbiased_where_the_whole_run_is_not(each: int, spread: float) -> None:
    steady, whole = [], []
    for seed in range(12):
        run = list(closed_loop(64, 64 * each, lognormal(1.0, spread, seed)))
        columns, window = chosen(run, ClosedLoop(64))
        whole.append(rate(columns, chosen(run, ClosedLoop(64), "all")[1]) / 64 - 1)
        if window.kind == "steady":
            steady.append(rate(columns, window) / 64 - 1)
    if (each, spread) == (20, 1.0):
        assert not steady  # three times the 99th percentile does not fit
        return
    assert len(steady) == 12
    assert abs(np.mean(steady)) < 0.03
    assert spread == 0 or np.mean(whole) < np.mean(steady) - 0.01


def test_a_steady_window_lies_between_ramp_and_tail() -> None:
    columns, window = chosen(closed_loop(10, 400, lognormal(1.0, 0.3, 1), ramp=20), ClosedLoop(10, 20))
    assert window.kind == "steady"
    assert 16.0 <= window.start <= 18.5  # nine of ten users began by 16 s
    assert window.end <= np.nanmax(columns["sent"])


def test_users_who_think_are_at_work() -> None:
    said = [answered(at, sent=5.0 * at, seconds=1.0, user=0) for at in range(30)]
    _, window = chosen(said, ClosedLoop(1, think_seconds=4.0))
    assert window.kind == "steady"


def test_warm_up_is_not_in_the_window_and_need_not_be_drained() -> None:
    said = [
        answered(at, sent=0.5 * at, seconds=2.0, due=0.5 * at, phase="warmup" if at < 20 else "measure")
        for at in range(100)
    ]
    columns, window = chosen(said, FixedRate("constant", 2))
    assert (window.kind, window.start, window.end) == ("steady", 10.0, 49.5)
    assert rate(columns, window) == pytest.approx(2.0, rel=0.01)
    assert count_in_flight(columns).mean(window.start, window.end) == pytest.approx(4.0)


def test_an_open_loop_is_steady_once_it_is_full() -> None:
    due = FixedRate("poisson", 20).due_times(duration=60, seed=4)
    columns, window = chosen(queueing_inside(due, 10, 0.4), FixedRate("poisson", 20))
    assert window.kind == "steady"
    assert window.start >= 0.4
    assert rate(columns, window) == pytest.approx(len(due) / 60, rel=0.03)


@pytest.mark.parametrize("text", ["ramp:1-9,over=60", "steps:2x30,4x30", "burst:300"])
def test_a_load_that_changes_by_plan_is_never_steady(text: str) -> None:
    (load,) = parse_loads(text)
    _, window = chosen(queueing_inside(load.due_times(), 20, 0.1), load)
    assert (window.kind, window.not_steady_reason) == ("all", "the rate changes by plan")


def test_without_an_answer_there_is_no_steady_window() -> None:
    _, window = chosen([answered(status="failed", user=0)], ClosedLoop(1))
    assert window.not_steady_reason == "no measured request ended well"


def test_tokens_count_where_their_pieces_came() -> None:
    said = [streamed(0, sent=0.0, first=1.0, gaps=(1.0,) * 9, output_tokens=20)]
    columns = RequestColumns.from_records(said)
    assert rate(columns, Window("all", 0.0, 10.0), "tok_out_s") == pytest.approx(2.0)
    assert rate(columns, Window("all", 0.0, 4.5), "tok_out_s") == pytest.approx(8 / 4.5)
    assert rate(columns, Window("all", 3.5, 5.5), "tok_out_s") == pytest.approx(4 / 2)
    assert rate(columns, Window("all", 10.0, 20.0), "tok_out_s") == 0


def test_tokens_of_an_answer_that_came_whole_come_at_its_end() -> None:
    columns = RequestColumns.from_records([answered(sent=0.0, seconds=4.0, output_tokens=8)])
    assert rate(columns, Window("all", 0.0, 3.9), "tok_out_s") == 0
    assert rate(columns, Window("all", 0.0, 4.0), "tok_out_s") == pytest.approx(2.0)


def test_unknown_tokens_make_no_sum() -> None:
    columns = RequestColumns.from_records([streamed(0, output_tokens=20), streamed(1)])
    assert compute_cumulative_amounts(columns)["tok_out_s"] is None


def test_sound_sent_counts_by_the_share_of_its_time() -> None:
    columns = RequestColumns.from_records([answered(sent=0.0, seconds=4.0, audio_seconds=40.0)])
    assert rate(columns, Window("all", 0.0, 4.0), "audio_in_x") == pytest.approx(10)
    assert rate(columns, Window("all", 3.0, 5.0), "audio_in_x") == pytest.approx(5)


def test_sound_of_failed_requests_counts_for_nothing() -> None:
    said = [answered(0, audio_seconds=40.0, status="failed"), answered(1, audio_seconds=3.0)]
    assert rate(RequestColumns.from_records(said), Window("all", 0.0, 1.0), "audio_in_x") == pytest.approx(3)


def test_sound_that_came_counts_when_it_came() -> None:
    said = [answered(seconds=3.0, spoken=((1.0, 2.0), (3.0, 4.0)))]
    columns = RequestColumns.from_records(said)
    assert rate(columns, Window("all", 0.0, 2.0), "audio_out_x") == pytest.approx(1.0)
    assert rate(columns, Window("all", 0.0, 3.0), "audio_out_x") == pytest.approx(2.0)


def test_without_sound_there_is_no_flow_of_it() -> None:
    found = compute_cumulative_amounts(RequestColumns.from_records([answered()]))
    assert found["audio_in_x"] is None
    assert found["audio_out_x"] is None


def test_the_achieved_rate_falls_short_when_requests_are_sent_late() -> None:
    due = np.arange(100) / 10
    said = [answered(at, due=float(each), sent=float(each * 1.25)) for at, each in enumerate(due)]
    columns = RequestColumns.from_records(said)
    assert compute_offered_rate(columns, columns.in_measure_phase) == pytest.approx(10)
    assert compute_achieved_rate(columns, columns.in_measure_phase) == pytest.approx(8)


def test_a_burst_has_no_rate() -> None:
    columns = RequestColumns.from_records([answered(at, due=0.0) for at in range(5)])
    assert compute_offered_rate(columns, columns.in_measure_phase) is None
