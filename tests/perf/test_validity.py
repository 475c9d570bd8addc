from dataclasses import replace

import pytest

from auricle.perf.coordinator import summarise_health
from auricle.perf.load_patterns import ClosedLoop, FixedRate
from auricle.perf.messages import SenderResult
from auricle.perf.summary import summarise
from auricle.runs.perf_files import LoadPointSummary, RequestRepeats, SenderHealth, Validity
from tests.support.simulated_servers import (
    answered_request,
    even_requests,
    even_streams,
    lognormal_latency,
    simulate_cap,
    simulate_closed_loop,
)

POISSON = FixedRate("poisson", 10)


def reasons(summary: LoadPointSummary) -> str:
    return " ".join(summary.validity.reasons)


def test_healthy_run_is_valid() -> None:
    health = summarise_health(
        [SenderResult([0.001], [0.001] * 99, [0.001], cpu_share=0.3), SenderResult(cpu_share=0.4)]
    )
    assert summarise(even_requests(), POISSON, health).validity == Validity(True)


def test_run_without_success_is_not_valid() -> None:
    records = even_requests(50, status="failed", error="Unreachable: no connection")
    summary = summarise(records, POISSON)
    assert summary.validity.reasons == ("No request of the measured phase succeeded.",)
    assert summary.run["failed_share"].value == 1.0
    assert summary.measures["latency_s"]["mean"] is None


@pytest.mark.parametrize(("slowdown", "valid"), [(1.01, True), (1.03, False)])
def test_rate_below_the_offered_rate_is_not_valid(slowdown: float, valid: bool) -> None:
    records = [answered_request(index, due=index / 10, sent=index / 10 * slowdown) for index in range(200)]
    summary = summarise(records, POISSON, SenderHealth(late_p99_s=0.0), window_kind="all")
    assert summary.validity.valid is valid
    expected = (
        "The achieved rate (9.709 requests per second) was 2.9% below the offered rate (10):"
        " the senders could not keep up."
    )
    assert valid or expected in reasons(summary)


def test_cap_that_delays_requests_is_reported() -> None:
    load = FixedRate("constant", 60, cap=8)
    summary = summarise(simulate_cap(load.due_times(600), 8, 0.19), load, window_kind="all")
    assert "cap=8 delayed requests" in reasons(summary)
    assert any("cap of 8 requests in flight was reached" in note for note in summary.notes)


@pytest.mark.parametrize(
    ("health", "reason"),
    [
        (SenderHealth(late_p99_s=0.06), "sent 0.06 s late"),
        (SenderHealth(lag_p99_s=0.11), "event loop lagged by 0.11 s"),
        (SenderHealth(cpu_share=(0.2, 0.85)), "A sender used 85% of a core"),
    ],
)
def test_slow_sender_makes_a_run_invalid(health: SenderHealth, reason: str) -> None:
    summary = summarise(even_requests(), POISSON, health)
    assert not summary.validity.valid
    assert reason in reasons(summary)


@pytest.mark.parametrize(
    "health",
    [
        SenderHealth(late_p99_s=0.04),
        SenderHealth(lag_p99_s=0.09),
        SenderHealth(cpu_share=(0.8,)),
        SenderHealth(lag_p99_s=0.29, idle_lag_p99_s=0.1),
    ],
)
def test_sender_within_its_limits_is_valid(health: SenderHealth) -> None:
    assert summarise(even_requests(), POISSON, health).validity.valid


def test_lag_is_compared_with_the_time_to_first_token() -> None:
    slow = summarise(even_streams(first=0.5), POISSON, SenderHealth(lag_p99_s=0.03))
    fast = summarise(even_streams(first=0.1), POISSON, SenderHealth(lag_p99_s=0.03))
    assert slow.validity.valid
    assert "more than 0.01 s" in reasons(fast)


def test_many_failures_make_a_run_invalid() -> None:
    failed = [answered_request(100 + index, sent=1.0, status="failed") for index in range(20)]
    assert "16.7% of the requests failed" in reasons(summarise([*even_requests(100), *failed], POISSON))


@pytest.mark.parametrize(("seconds", "valid"), [(0.9, True), (30.0, False)])
def test_requests_cancelled_after_a_long_wait_make_a_run_invalid(seconds: float, valid: bool) -> None:
    cancelled = [
        answered_request(200 + index, due=1.0, sent=1.0, seconds=seconds, status="cancelled") for index in range(9)
    ]
    records = [*even_requests(), *cancelled]
    summary = summarise(records, POISSON, SenderHealth(late_p99_s=0.0), window_kind="all")
    assert summary.validity.valid is valid
    assert valid or "the measures leave out the slowest requests" in reasons(summary)


def test_idle_users_without_think_time_make_a_run_invalid() -> None:
    records = [answered_request(index, sent=1.5 * index, seconds=1.0, user=0) for index in range(60)]
    assert "the senders lost time between requests" in reasons(summarise(records, ClosedLoop(1)))
    assert summarise(records, ClosedLoop(1, think_seconds=0.5)).validity.valid


def test_early_stop_is_noted() -> None:
    summary = summarise(even_requests(), POISSON, SenderHealth(stopped="interrupted"))
    assert "Stopped early: interrupted." in summary.notes


def test_missing_steady_window_is_noted() -> None:
    summary = summarise(simulate_closed_loop(4, 12, lognormal_latency(1.0, 0.3, 0)), ClosedLoop(4))
    assert summary.window.kind == "all"
    assert summary.notes[0].startswith(
        "No steady window, so the whole measured phase is used, and requests have no 95 % intervals: "
    )


def test_cancelled_requests_are_noted_and_not_counted_as_failed() -> None:
    cancelled = [answered_request(100 + index, sent=9.9, status="cancelled") for index in range(5)]
    summary = summarise([*even_requests(100), *cancelled], POISSON, window_kind="all")
    assert summary.run["failed_share"].value == 0
    assert summary.counts.window.cancelled == 5
    assert summary.notes == ("5 requests were cancelled; the measures do not include them.",)


def test_repeated_requests_are_noted() -> None:
    records = [answered_request(index, due=index / 10, sent=index / 10, body=str(index % 50)) for index in range(200)]
    assert "150 of 200 requests repeat an earlier one" in summarise(records, POISSON, window_kind="all").notes[0]


def test_unknown_ttft_of_a_server_is_explained() -> None:
    without_stream = summarise(even_requests(first_byte=30.0), "constant:10")
    assert any("TTFT is unknown" in note and "--stream" in note for note in without_stream.notes)
    assert not any("TTFT" in note for note in summarise(even_streams(), "constant:10").notes)
    assert not any("TTFT" in note for note in summarise(even_requests(), "constant:10").notes)  # not behind HTTP


def test_repeats_are_counted_and_unused_rows_are_mentioned() -> None:
    requests = [replace(request, body=str(request.index % 50)) for request in even_requests(200)]
    point = summarise(requests, "constant:10", SenderHealth(rows=50, has_unused_rows=True))
    assert point.repeats == RequestRepeats(200, 50, 150, 4.0)
    assert any("each of 50 was sent 4 times on average" in note for note in point.notes)
    assert any("Only 50 rows of the data were used" in note for note in point.notes)


@pytest.mark.parametrize(
    ("delay", "longest", "reason"),
    [
        (0.004, 0.05, ""),
        (0.03, 0.05, "frames of audio were sent 0.03 s late or more"),
        (0.004, 0.2, "a frame of audio was sent 0.2 s late or more"),
    ],
)
def test_calls_whose_audio_is_sent_late_are_not_valid(delay: float, longest: float, reason: str) -> None:
    calls = [replace(call, pacing_p99=delay, pacing_max=longest) for call in even_requests()]
    summary = summarise(calls, POISSON)
    assert summary.validity.valid is not bool(reason)
    assert reason in reasons(summary)


def test_a_single_call_with_late_audio_does_not_spoil_a_point() -> None:
    late, *others = even_requests()
    calls = [replace(late, pacing_p99=0.5, pacing_max=0.5)]
    calls += [replace(call, pacing_p99=0.001, pacing_max=0.01) for call in others]
    assert summarise(calls, POISSON).validity.valid
