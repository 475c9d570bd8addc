import tracemalloc
from typing import Any

import numpy as np
import orjson
import pytest

from auricle.perf.coordinator import summarise_health
from auricle.perf.load_patterns import ClosedLoop, FixedRate
from auricle.perf.measures import DEFINITIONS, REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.messages import SenderResult
from auricle.perf.request_records import RequestColumns
from auricle.perf.slo import parse_slos
from auricle.perf.summary import summarise, summarise_repeats
from auricle.runs.documents import decode, encode_document
from auricle.runs.perf_files import LoadPointSummary, StatusCounts
from tests.support.simulated_servers import (
    answered_request,
    even_requests,
    even_streams,
    lognormal_latency,
    simulate_cap,
    simulate_closed_loop,
)

POISSON = FixedRate("poisson", 10)


def test_stall_is_hidden_from_the_sending_time_and_visible_from_the_due_time() -> None:
    load = FixedRate("poisson", 35, cap=8)
    due_times = load.due_times(2097, seed=0)
    summary = summarise(simulate_cap(due_times, 8, 0.19, stall=(30.0, 2.0)), load, window_kind="all")
    from_sent, from_due = (summary.measures[name] for name in ("latency_s", "sched_latency_s"))
    assert [from_sent[percentile] for percentile in ("p50", "p90", "p99")] == pytest.approx([0.19] * 3, abs=1e-6)
    assert from_due["p99"] == pytest.approx(2.1, abs=0.15)
    assert (from_due.p90 or 0.0) > 0.3
    assert from_sent["max"] == pytest.approx(2.19)


def test_summary_survives_json() -> None:
    records = even_streams(300, output_tokens=10, input_tokens=4, audio_seconds=7.0, spoken=((0.5, 1.0),))
    slos = parse_slos("ttft_s<1,p95(rtf)<2,req_s>1")
    summary = summarise(records, POISSON, summarise_health([SenderResult(lags=[0.001])]), slos)
    assert decode(LoadPointSummary, orjson.loads(encode_document(summary))) == summary
    assert set(DEFINITIONS) == {*REQUEST_DEFINITIONS, *RUN_DEFINITIONS}
    assert set(summary.measures) == set(REQUEST_DEFINITIONS)
    assert set(summary.run) == set(RUN_DEFINITIONS)


def test_empty_run_has_no_values_and_is_not_valid() -> None:
    summary = summarise([], POISSON, slos=parse_slos("ttft_s<1"))
    assert encode_document(summary)
    assert not summary.validity.valid
    assert {measure.value for measure in summary.run.values()} <= {None, 0}
    assert summary.slo
    assert summary.slo.met is None


def test_only_the_measured_phase_counts() -> None:
    warmup = [
        answered_request(index, due=index / 10, sent=index / 10, seconds=9.0, phase="warmup") for index in range(20)
    ]
    summary = summarise([*warmup, *even_requests()[20:]], POISSON, window_kind="all")
    assert summary.measures["latency_s"]["max"] == 1.0
    assert summary.counts.by_phase["warmup"] == StatusCounts(ok=20)
    assert summary.counts.window == StatusCounts(ok=180)


def test_failures_do_not_improve_the_measures() -> None:
    records = [
        answered_request(index, due=index / 10, sent=index / 10, seconds=0.001, status="failed", error="Transient")
        if index % 10 == 0
        else answered_request(index, due=index / 10, sent=index / 10)
        for index in range(200)
    ]
    summary = summarise(records, POISSON, slos=parse_slos("latency_s<2"), window_kind="all")
    assert summary.measures["latency_s"]["n"] == 180
    assert summary.measures["latency_s"]["min"] == 1.0
    assert summary.run["failed_share"].value == 0.1
    assert summary.run["slo_attainment"].value == 0.9
    assert summary.run["goodput_req_s"].value == pytest.approx(180 / summary.window.length_s)
    assert summary.slo
    assert summary.slo.met is False


def test_unknown_values_are_null_and_counted() -> None:
    summary = summarise([*even_streams(30), *even_requests(10)], POISSON, window_kind="all")
    assert summary.measures["ttft_s"]["undefined"] == 10
    assert summary.measures["tpot_s"]["n"] == 0
    assert summary.measures["tpot_s"]["mean"] is None
    assert summary.run["tok_out_s"].value is None
    assert summary.run["audio_in_x"].value is None
    assert summary.run["audio_hours"].value is None


def test_chunk_gaps_are_pooled_over_requests() -> None:
    records = [*even_streams(10, gaps=(0.1, 0.3)), *even_streams(10, gaps=()), *even_requests(10)]
    measures = summarise(records, POISSON, window_kind="all").measures
    assert measures["chunk_gap_s"]["n"] == 20
    assert measures["chunk_gap_s"]["undefined"] == 20
    assert measures["chunk_gap_s"]["mean"] == pytest.approx(0.2)
    assert measures["chunk_gap_max_s"]["n"] == 10


def test_token_gaps_are_pooled_separately_from_chunk_gaps() -> None:
    records = [*even_streams(10, gaps=(0.1, 0.3), token_gaps=(0.05,)), *even_streams(10, gaps=(0.1,))]
    measures = summarise(records, POISSON, window_kind="all").measures
    assert measures["itl_s"]["n"] == 10
    assert measures["itl_s"]["undefined"] == 10
    assert measures["itl_s"]["mean"] == pytest.approx(0.05)
    assert measures["chunk_gap_s"]["n"] == 30


def test_steady_window_has_a_length_and_a_number_of_requests() -> None:
    records = simulate_closed_loop(4, 200, lognormal_latency(1.0, 0.3, 0))
    window = summarise(records, "closed:4").window
    assert window.kind == "steady"
    assert window.length_s == pytest.approx(window.end_s - window.start_s, rel=1e-5)
    assert 100 < window.requests < 200
    assert window.refused == ""


def test_rate_has_an_interval() -> None:
    records = simulate_closed_loop(8, 800, lognormal_latency(1.0, 0.5, 0))
    rate = summarise(records, ClosedLoop(8)).run["req_s"]
    assert rate.interval
    assert rate.value
    low, high = rate.interval
    assert low < rate.value < high
    assert low < 8 < high


@pytest.mark.slow
def test_fifty_thousand_requests_are_summarised_in_bounded_memory() -> None:
    gaps = np.round(np.random.default_rng(0).exponential(0.02, (64, 100)), 5)

    def build_row(index: int) -> dict[str, Any]:
        start = index / 100
        return {
            "index": index, "sample": "a", "phase": "measure", "status": "ok", "streamed": True,
            "due": start, "sent": start, "first_token": start + 0.1,
            "last_content": start + 2.1, "done": start + 2.2, "body": str(index),
            "gaps": gaps[index % 64].tolist(), "output_tokens": 101,
        }  # fmt: skip

    columns = RequestColumns.from_records(map(build_row, range(50_000)))
    assert columns.gaps.flat.nbytes == 40e6
    tracemalloc.start()
    try:
        summary = summarise(columns, FixedRate("constant", 100))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert summary.measures["chunk_gap_s"].n > 4_000_000
    assert summary.run["tok_out_s"].value == pytest.approx(10_100, rel=0.01)
    assert peak < 350e6


def test_only_repeated_loads_are_summarised() -> None:
    slow, fast, other = (
        summarise(even_requests(seconds=seconds), load, window_kind="all")
        for seconds, load in ((1.2, "poisson:10"), (0.8, "poisson:10"), (1.0, "poisson:5"))
    )
    (repeats,) = summarise_repeats([slow, other, fast])
    assert (repeats.load, repeats.repeats) == ("poisson:10", 2)
    latency = repeats.numbers["latency_s p50"]
    assert latency.values == pytest.approx([1.2, 0.8])
    assert (latency.mean, latency.min, latency.max) == pytest.approx((1.0, 0.8, 1.2))
    assert latency.std == pytest.approx(0.4 / 2**0.5)


def test_undefined_numbers_are_left_out() -> None:
    point = summarise(even_requests(), "poisson:10", window_kind="all")
    (repeats,) = summarise_repeats([point, point])
    assert "ttft_s p50" not in repeats.numbers
