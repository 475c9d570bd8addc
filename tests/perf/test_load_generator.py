"""Requests are sent when they are due, once each, and recorded with their times."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from auricle.perf.saturation import SaturationDetector
from auricle.runs.perf_files import StatusCounts
from auricle.testing.fake_server import Script
from tests.perf.conftest import RunMeasurement

pytestmark = [pytest.mark.slow, pytest.mark.flaky(reruns=2)]  # depends on the timing of a busy machine

LATENCY = 0.03
SPOKEN_ANSWERS = {"modalities": ["text", "audio"], "audio": {"voice": "alloy", "format": "pcm16"}}


def known(value: float | None) -> float:
    assert value is not None
    return value


def pauses_of_user(requests: list[dict[str, Any]], user: int) -> list[float]:
    """Return the seconds between each answer of a user and the next request."""
    own = sorted((request for request in requests if request["user"] == user), key=lambda request: request["sent"])
    return [after["sent"] - before["done"] for before, after in pairwise(own)]


# --- open loops ---------------------------------------------------------------------------


def test_requests_are_not_sent_before_they_are_due(run_measurement: RunMeasurement) -> None:
    requests = run_measurement("poisson:100", Script(latency=LATENCY), count=60).requests()
    due_times = [request["due"] for request in requests]
    assert [request["index"] for request in requests] == list(range(60))
    assert all(request["sent"] >= request["due"] for request in requests)
    assert due_times == sorted(due_times)


def test_phases_follow_one_another(run_measurement: RunMeasurement) -> None:
    result = run_measurement("constant:50", duration=0.5, warmup=0.25, cooldown=0.25)
    phases = [request["phase"] for request in result.requests()]
    assert phases == ["warmup"] * 13 + ["measure"] * 25 + ["cooldown"] * 13
    assert result.point.counts.by_phase["measure"].ok == 25
    assert len(result.answers()) == 25


def test_burst_is_in_flight_at_once(run_measurement: RunMeasurement) -> None:
    result = run_measurement("burst:30", Script(latency=1.0))
    assert result.point.run["in_flight_max"].value == 30
    assert {request["due"] for request in result.requests()} == {0.0}


@pytest.mark.parametrize(("load", "count"), [("burst:6", 6), ("steps:20x0.2,40x0.2", 12)])
def test_warmup_does_not_reduce_the_measured_requests(run_measurement: RunMeasurement, load: str, count: int) -> None:
    result = run_measurement([load], warmup=0.3)
    assert result.point.counts.by_phase["measure"].total == count
    assert result.point.counts.by_phase["warmup"].total == 6
    measured = [request["sample"] for request in result.requests() if request["phase"] == "measure"]
    assert measured == [f"s{index}" for index in range(count)]


def test_waiting_for_the_cap_counts_from_the_due_time(run_measurement: RunMeasurement) -> None:
    result = run_measurement("constant:50,cap=2", Script(latency=0.1), count=20)
    assert result.stats["most_at_once"] == 2
    assert result.point.run["in_flight_max"].value == 2
    last = result.requests()[-1]
    assert last["sent"] - last["due"] > 0.3
    measures = result.point.measures
    assert known(measures["latency_s"].p50) < known(measures["sched_latency_s"].p50)
    assert known(measures["sched_latency_s"].max) > 0.4


def test_requests_that_were_never_sent_are_recorded(run_measurement: RunMeasurement) -> None:
    result = run_measurement("constant:50,cap=1", Script(latency=0.5), duration=0.4, grace=0.2)
    assert len(result.requests()) == 20
    counts = result.point.counts
    assert counts.all.cancelled >= 18
    assert counts.never_sent >= 18


def test_trace_replays_the_timestamps_of_the_data(
    run_measurement: RunMeasurement, manifest: Callable[..., Path]
) -> None:
    timestamps = [10.0, 10.1, 10.15, 10.4]
    data = manifest(
        {"id": str(row), "question": "a", "answer": "a", "timestamp": timestamp}
        for row, timestamp in enumerate(timestamps)
    )
    requests = run_measurement("trace", data=data).requests()
    assert [request["due"] for request in requests] == pytest.approx([0, 0.1, 0.15, 0.4])
    faster = run_measurement("trace:scale=2", data=data).requests()
    assert [request["due"] for request in faster] == pytest.approx([0, 0.05, 0.075, 0.2])


def test_other_seeds_give_other_schedules(run_measurement: RunMeasurement) -> None:
    first, second = (run_measurement("poisson:80", count=20, seed=seed).requests() for seed in (1, 2))
    assert [request["due"] for request in first] != [request["due"] for request in second]


# --- closed loops -------------------------------------------------------------------------


def test_closed_loop_sends_exactly_the_requested_number(run_measurement: RunMeasurement) -> None:
    for users in (1, 3, 8):
        assert len(run_measurement(f"closed:{users}", Script(latency=0.01), count=5).requests()) == 5


def test_closed_loop_counts_requests_after_its_warmup(run_measurement: RunMeasurement) -> None:
    result = run_measurement("closed:4", Script(latency=LATENCY), count=10, warmup=1.0)
    phases = Counter(request["phase"] for request in result.requests())
    assert phases["measure"] == 10
    assert phases["warmup"] > 0


def test_users_do_not_pause_when_the_warmup_ends(run_measurement: RunMeasurement) -> None:
    requests = run_measurement("closed:3", Script(latency=0.1), duration=0.5, warmup=0.5).requests()
    for user in range(3):
        assert "measure" in {request["phase"] for request in requests if request["user"] == user}
        assert min(pauses_of_user(requests, user)) < 0.1  # a drained server would have made all of them wait


def test_users_think_between_answer_and_next_request(run_measurement: RunMeasurement) -> None:
    result = run_measurement("closed:2,think=0.1", count=6)
    for user in range(2):
        assert min(pauses_of_user(result.requests(), user)) >= 0.099
    assert known(result.point.measures["latency_s"].min) < 0.1


def test_users_start_one_after_the_other(run_measurement: RunMeasurement) -> None:
    requests = run_measurement("closed:4,ramp=0.4", Script(latency=0.01), duration=1.0).requests()
    starts = [min(request["sent"] for request in requests if request["user"] == user) for user in range(4)]
    assert all(start >= 0.1 * user for user, start in enumerate(starts))
    assert starts == sorted(starts)


# --- end of a load ------------------------------------------------------------------------


def test_requests_in_flight_after_the_grace_period_are_cancelled_and_not_failed(
    run_measurement: RunMeasurement,
) -> None:
    result = run_measurement("constant:20", Script(latency=1.0), duration=0.3, grace=0.1)
    assert Counter(request["status"] for request in result.requests()) == {"cancelled": 6}
    assert result.point.counts.all == StatusCounts(cancelled=6)
    assert not result.point.failures


def test_failures_are_recorded_and_not_retried(run_measurement: RunMeasurement, questions: Callable[..., Path]) -> None:
    script = Script(faults={"500": 0.3}, retry_after=0.01)
    result = run_measurement("closed:4", script, data=questions(100), count=100)
    failed = [request for request in result.requests() if request["status"] == "failed"]
    assert 10 < len(failed) < 60
    assert all("HTTP 500" in request["error"] for request in failed)
    received = result.stats["received"].values()
    assert sorted(received)[:-1] == [1] * 99  # the first is also sent before the clock starts
    assert result.point.counts.all.failed == len(failed)
    assert "HTTP 500" in result.point.failures[0].examples[0]


def test_rate_limit_of_the_server_does_not_slow_the_load_down(run_measurement: RunMeasurement) -> None:
    result = run_measurement("constant:50", Script(capacity=1, latency=0.1, retry_after=5.0), count=20)
    assert result.requests()[-1]["sent"] < 5.0  # less than Retry-After
    assert result.point.counts.all.failed > 10


def test_too_many_errors_stop_the_load(run_measurement: RunMeasurement, questions: Callable[..., Path]) -> None:
    script = Script(faults={"503": 0.5})
    result = run_measurement("closed:2", script, data=questions(200), count=200, max_errors=5)
    assert 5 <= result.point.counts.all.failed <= 7
    assert "requests failed" in result.point.health.stopped


def test_saturation_stops_the_load_if_requested(
    run_measurement: RunMeasurement, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auricle.perf.worker.PROGRESS_INTERVAL", 0.02)
    monkeypatch.setattr("auricle.perf.load_generator.SaturationDetector", lambda: SaturationDetector(1.0))
    script = Script(latency=0.1, slots=1)
    result = run_measurement("constant:60", script, duration=20, grace=0.1, stop_saturated=True)
    assert result.point.health.stopped == "the offered load exceeds the server's capacity"
    assert max(request["due"] for request in result.requests()) < 19


# --- records ------------------------------------------------------------------------------


def test_response_without_streaming_has_no_first_token(run_measurement: RunMeasurement) -> None:
    result = run_measurement("closed:2", Script(latency=LATENCY), count=6, stream=False)
    assert not any("first_token" in request for request in result.requests())
    ttft = result.point.measures["ttft_s"]
    assert (ttft["n"], ttft["undefined"], ttft["p50"]) == (0, 6, None)
    assert result.point.measures["latency_s"]["n"] == 6


@pytest.mark.parametrize("stream", [True, False])
def test_progress_has_the_ttft_of_streamed_answers_from_when_they_were_sent(
    run_measurement: RunMeasurement, stream: bool
) -> None:
    result = run_measurement("burst:4,cap=1", Script(latency=0.1), stream=stream)
    seen = [report.ttft_s for report in result.progress if report.ttft_s is not None]
    assert bool(seen) == stream == bool(result.point.measures["ttft_s"].n)
    assert max(seen, default=0.0) < 0.2  # the last request was sent 0.3 s after it was due


def test_token_gaps_are_recorded_if_the_server_reports_token_counts(run_measurement: RunMeasurement) -> None:
    script = Script(latency=LATENCY, pace=100, tokens_per_event=2)
    extra = {"stream_options": {"continuous_usage_stats": True}}
    counted = run_measurement("closed:2", script, count=10, stream=True, model_args={"extra": extra})
    per_token, per_chunk = (counted.point.measures[name] for name in ("itl_s", "chunk_gap_s"))
    assert per_token["n"] == per_chunk["n"] == 20
    assert per_token["p50"] == pytest.approx(known(per_chunk.p50) / 2, rel=0.01)
    uncounted = run_measurement("closed:2", script, count=2, stream=True)
    assert uncounted.point.measures["itl_s"]["n"] == 0


def test_stream_events_are_recorded_in_order(run_measurement: RunMeasurement) -> None:
    latency = 0.3  # long enough for the role to arrive before the first token on a busy machine
    script = Script(latency=latency, pace=100, role_first=True, usage_delay=0.3)
    for request in run_measurement("closed:2", script, count=6, stream=True).requests():
        times = [request[name] for name in ("sent", "first_byte", "first_token", "last_content", "done")]
        assert times == sorted(times)
        assert request["first_byte"] - request["sent"] < latency <= request["first_token"] - request["sent"]
        assert request["done"] - request["last_content"] > 0.05
        assert (request["output_tokens"], len(request["gaps"])) == (6, 5)


def test_missing_token_counts_are_unknown_and_not_zero(run_measurement: RunMeasurement) -> None:
    result = run_measurement("closed:1", Script(no_usage=True, pace=200), count=4, stream=True)
    assert all("output_tokens" not in request for request in result.requests())
    assert result.point.measures["tpot_s"]["undefined"] == 4
    assert result.point.run["tok_out_s"].value is None


def test_repeats_of_a_sample_are_separate_answers(
    run_measurement: RunMeasurement, questions: Callable[..., Path]
) -> None:
    result = run_measurement("closed:2", data=questions(4), count=10)
    ids = Counter(answer["id"] for answer in result.answers())
    assert ids == {f"s{index % 4}{f'~{index // 4}' if index >= 4 else ''}": 1 for index in range(10)}
    assert result.point.accuracy[0].scored == 10
    assert any("repeat" in note for note in result.point.notes)


def test_length_of_sent_audio_is_recorded(
    run_measurement: RunMeasurement, manifest: Callable[..., Path], tone: Callable[..., Path]
) -> None:
    data = manifest(
        {"id": str(index), "audio": str(tone(f"{index}.wav", seconds=0.5 + index)), "text": "x"} for index in range(3)
    )
    result = run_measurement("closed:1", Script(latency=LATENCY), data=data, task="asr", count=3)
    assert [request["audio_seconds"] for request in result.requests()] == [0.5, 1.5, 2.5]
    assert result.point.measures["rtf"]["n"] == 3


def test_received_audio_is_timed_and_not_stored(run_measurement: RunMeasurement) -> None:
    script = Script(latency=0.05, audio_chunk_seconds=0.1, audio_pace=2.0, audio_gaps=(0.0, 0.0, 0.3))
    result = run_measurement("closed:1", script, count=3, stream=True, model_args={"extra": SPOKEN_ANSWERS})
    measures = result.point.measures
    assert measures["ttfa_s"]["n"] == 3
    assert known(measures["ttfa_s"].min) >= 0.05
    assert known(measures["underrun_max_s"].min) > 0.1
    assert result.point.run["audio_out_x"].value
    assert {answer["outputs"][0].get("audio") for answer in result.answers()} == {None}


def test_turns_share_an_index_and_latency_excludes_think_time(
    run_measurement: RunMeasurement, manifest: Callable[..., Path]
) -> None:
    data = manifest([{"id": "talk", "turns": ["one two", "three four", "five"], "answer": "five"}])
    result = run_measurement("closed:1,think=0.2", data=data, task="chat", count=2)
    requests = result.requests()
    assert [(request["index"], request.get("turn", 0)) for request in requests] == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2),
    ]  # fmt: skip
    assert min(after["sent"] - before["done"] for before, after in pairwise(requests)) >= 0.19
    assert known(result.point.measures["latency_s"].min) < 0.15
