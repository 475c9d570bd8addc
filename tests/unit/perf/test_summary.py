import tracemalloc
from typing import Any

import numpy as np
import orjson
import pytest

from auricle.perf.definitions import REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.health import SenderHealth
from auricle.perf.loads import ClosedLoop, FixedRate
from auricle.perf.request_columns import RequestColumns
from auricle.perf.slo import parse_slos
from auricle.perf.summary import summarise
from tests.support.simulated_servers import answered, behind_a_cap, closed_loop, lognormal, streamed

POISSON = FixedRate("poisson", 10)


def evenly(count: int = 200, **said: Any) -> Any:
    """Ten a second, each answered within one."""
    return [answered(at, due=at / 10, sent=at / 10, body=str(at), **said) for at in range(count)]


def streams(count: int = 200, **said: Any) -> Any:
    return [streamed(at, sent=at / 10, due=at / 10, body=str(at), **said) for at in range(count)]


def why(found: Any) -> Any:
    return " ".join(found["validity"]["reasons"])


# --- what one stall hides ---------------------------------------------------------------


def test_a_stall_is_hidden_from_send_and_seen_from_due() -> None:
    load = FixedRate("poisson", 35, cap=8)
    due = load.due_times(2097, seed=0)
    found = summarise(behind_a_cap(due, 8, 0.19, stall=(30.0, 2.0)), load, window_kind="all")
    service, response = (found["measures"][name] for name in ("latency_s", "sched_latency_s"))
    assert [service[each] for each in ("p50", "p90", "p99")] == pytest.approx([0.19] * 3, abs=1e-6)
    assert response["p99"] == pytest.approx(2.1, abs=0.15)
    assert response["p90"] > 0.3
    assert service["max"] == pytest.approx(2.19)


# --- the document -----------------------------------------------------------------------


def test_the_document_is_json_with_its_definitions() -> None:
    said = streams(300, output_tokens=10, input_tokens=4, audio_seconds=7.0, spoken=((0.5, 1.0),))
    found = summarise(said, POISSON, SenderHealth.from_samples(lags=[0.001]), parse_slos("ttft_s<1,p95(rtf)<2,req_s>1"))
    assert orjson.loads(orjson.dumps(found)) == found
    assert set(found["definitions"]) == {*REQUEST_DEFINITIONS, *RUN_DEFINITIONS}
    assert set(found["measures"]) == set(REQUEST_DEFINITIONS)
    assert set(found["run"]) == set(RUN_DEFINITIONS)
    assert found["schema"] == 1


def test_an_empty_run_says_nothing_and_is_not_valid() -> None:
    found = summarise([], POISSON, slos=parse_slos("ttft_s<1"))
    assert orjson.dumps(found)
    assert not found["validity"]["valid"]
    assert {each["value"] for each in found["run"].values()} <= {None, 0}
    assert found["slo"]["met"] is None


def test_a_run_in_which_all_failed_is_not_valid() -> None:
    said = evenly(50, status="failed", error="Unreachable: nobody answers")
    found = summarise(said, POISSON)
    assert found["validity"]["reasons"] == ["No measured request ended well."]
    assert found["run"]["failed_share"]["value"] == 1.0
    assert found["measures"]["latency_s"]["mean"] is None


def test_only_what_was_measured_counts() -> None:
    warm = [answered(at, due=at / 10, sent=at / 10, seconds=9.0, phase="warmup") for at in range(20)]
    found = summarise([*warm, *evenly()[20:]], POISSON, window_kind="all")
    assert found["measures"]["latency_s"]["max"] == 1.0
    assert found["counts"]["by_phase"]["warmup"] == {"ok": 20, "failed": 0, "cancelled": 0}
    assert found["counts"]["window"] == {"ok": 180, "failed": 0, "cancelled": 0}


def test_failures_are_counted_by_kind_and_improve_nothing() -> None:
    said = [
        answered(at, due=at / 10, sent=at / 10, seconds=0.001, status="failed", error=error)
        if (error := {0: "Transient: HTTP 503", 1: "Transient: it timed out"}.get(at % 20))
        else answered(at, due=at / 10, sent=at / 10)
        for at in range(200)
    ]
    found = summarise(said, POISSON, slos=parse_slos("latency_s<2"), window_kind="all")
    assert found["measures"]["latency_s"]["n"] == 180
    assert found["measures"]["latency_s"]["min"] == 1.0
    assert found["failures"] == [
        {
            "kind": "Transient",
            "count": 20,
            "after_p50_s": 0.001,
            "examples": ["Transient: HTTP 503", "Transient: it timed out"],
        }
    ]
    assert found["run"]["failed_share"]["value"] == 0.1
    assert found["run"]["timeout_share"]["value"] == 0.05
    assert found["run"]["slo_attainment"]["value"] == 0.9
    length = found["window"]["length_s"]
    assert found["run"]["goodput_req_s"]["value"] == pytest.approx(180 / length)
    assert found["slo"]["met"] is False


def test_cancelled_is_not_failed() -> None:
    said = evenly(100) + [answered(100 + at, sent=9.9, status="cancelled") for at in range(5)]
    found = summarise(said, POISSON, window_kind="all")
    assert found["run"]["failed_share"]["value"] == 0
    assert found["counts"]["window"]["cancelled"] == 5
    assert found["notes"] == ["5 requests were cancelled; they are in no measure."]


def test_what_is_unknown_is_null_with_a_count() -> None:
    found = summarise([*streams(30), *evenly(10)], POISSON, window_kind="all")
    assert found["measures"]["ttft_s"]["undefined"] == 10
    assert found["measures"]["tpot_s"]["n"] == 0
    assert found["measures"]["tpot_s"]["mean"] is None
    assert found["run"]["tok_out_s"]["value"] is None
    assert found["run"]["audio_in_x"]["value"] is None
    assert found["run"]["audio_hours"]["value"] is None


def test_gaps_are_pooled_over_requests() -> None:
    said = [*streams(10, gaps=(0.1, 0.3)), *streams(10, gaps=()), *evenly(10)]
    found = summarise(said, POISSON, window_kind="all")["measures"]
    assert found["chunk_gap_s"]["n"] == 20
    assert found["chunk_gap_s"]["undefined"] == 20
    assert found["chunk_gap_s"]["mean"] == pytest.approx(0.2)
    assert found["chunk_gap_max_s"]["n"] == 10


def test_token_gaps_are_pooled_apart_from_those_of_pieces() -> None:
    said = [*streams(10, gaps=(0.1, 0.3), token_gaps=(0.05,)), *streams(10, gaps=(0.1,))]
    found = summarise(said, POISSON, window_kind="all")["measures"]
    assert found["itl_s"]["n"] == 10
    assert found["itl_s"]["undefined"] == 10
    assert found["itl_s"]["mean"] == pytest.approx(0.05)
    assert found["chunk_gap_s"]["n"] == 30


def test_what_repeats_is_noted() -> None:
    said = [answered(at, due=at / 10, sent=at / 10, body=str(at % 50)) for at in range(200)]
    found = summarise(said, POISSON, window_kind="all")
    assert found["repeats"] == {"requests": 200, "distinct": 50, "repeated": 150}
    assert "150 of 200 requests repeat an earlier one" in found["notes"][0]


def test_what_was_sent_to_warm_up_is_repeated_as_well() -> None:
    warm = [answered(at, sent=0.0, body=str(at), phase="warmup") for at in range(20)]
    assert summarise(warm + evenly(100), POISSON)["repeats"]["repeated"] == 20


def test_measures_are_broken_down_by_what_was_asked() -> None:
    said = [
        answered(
            at,
            due=at / 10,
            sent=at / 10,
            turn=at % 2,
            audio_seconds=(3.0, 5.0, 20.0, 500.0)[at % 4],
            output_tokens=(1, 16, 17, 5000)[at % 4],
            finish=("stop", "length")[at % 2],
        )
        for at in range(80)
    ]
    found = summarise(said, POISSON, window_kind="all")
    table = found["breakdowns"]
    assert [(each["bucket"], each["ok"]) for each in table["audio_seconds"]] == [
        ("0-5", 40), ("15-30", 20), (">120", 20),
    ]  # fmt: skip
    assert [each["bucket"] for each in table["output_tokens"]] == ["0-16", "16-64", ">1024"]
    assert [(each["bucket"], each["ok"]) for each in table["turn"]] == [("0", 40), ("1", 40)]
    assert table["audio_seconds"][2]["measures"]["rtf"]["p50"] == pytest.approx(1 / 500)
    assert found["finish"] == {"stop": 40, "length": 40}


def test_a_window_is_always_told_with_its_length_and_number() -> None:
    run = closed_loop(4, 200, lognormal(1.0, 0.3, 0))
    found = summarise(run, "closed:4")["window"]
    assert found["kind"] == "steady"
    assert found["length_s"] == pytest.approx(found["end_s"] - found["start_s"], rel=1e-5)
    assert 100 < found["requests"] < 200
    assert found["refused"] == ""


def test_a_refused_window_is_noted() -> None:
    found = summarise(closed_loop(4, 12, lognormal(1.0, 0.3, 0)), ClosedLoop(4))
    assert found["window"]["kind"] == "all"
    assert "too short" in found["notes"][0]


def test_the_rate_has_an_interval() -> None:
    found = summarise(closed_loop(8, 800, lognormal(1.0, 0.5, 0)), ClosedLoop(8))["run"]["req_s"]
    low, high = found["interval"]
    assert low < found["value"] < high
    assert low < 8 < high


# --- whether to believe it --------------------------------------------------------------


def test_a_run_measured_well_is_valid() -> None:
    health = SenderHealth.from_samples(lags=[0.001] * 99, idle_lags=[0.001], lateness=[0.001], cpu_share=[0.3, 0.4])
    found = summarise(evenly(), POISSON, health)
    assert found["validity"] == {"valid": True, "reasons": []}


@pytest.mark.parametrize(("slower", "valid"), [(1.01, True), (1.03, False)])
def test_a_load_that_was_not_offered_is_told(slower: float, valid: bool) -> None:
    said = [answered(at, due=at / 10, sent=at / 10 * slower) for at in range(200)]
    found = summarise(said, POISSON, SenderHealth(late_p99_s=0.0), window_kind="all")
    assert found["validity"]["valid"] is valid
    assert valid or "achieved 9.709, 2.9% less: the senders could not keep up" in why(found)


def test_a_cap_that_held_requests_back_is_told() -> None:
    load = FixedRate("constant", 60, cap=8)
    run = behind_a_cap(load.due_times(600), 8, 0.19)
    found = summarise(run, load, window_kind="all")
    assert "cap=8 held requests back" in why(found)
    assert any("limit of 8 in flight was reached" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("health", "words"),
    [
        (SenderHealth(late_p99_s=0.06), "sent up to 0.06 s late"),
        (SenderHealth(lag_p99_s=0.11), "event loop lagged by 0.11 s"),
        (SenderHealth(cpu_share=(0.2, 0.85)), "A sender used 85% of a core"),
    ],
)
def test_a_sender_that_was_too_slow_is_told(health: Any, words: str) -> None:
    found = summarise(evenly(), POISSON, health)
    assert not found["validity"]["valid"]
    assert words in why(found)


@pytest.mark.parametrize(
    "health",
    [
        SenderHealth(late_p99_s=0.04),
        SenderHealth(lag_p99_s=0.09),
        SenderHealth(cpu_share=(0.8,)),
        SenderHealth(lag_p99_s=0.29, idle_lag_p99_s=0.1),
    ],
)
def test_a_sender_within_its_bounds_is_not(health: Any) -> None:
    assert summarise(evenly(), POISSON, health)["validity"]["valid"]


def test_lag_is_judged_by_the_time_to_the_first_token() -> None:
    slow = summarise(streams(first=0.5), POISSON, SenderHealth(lag_p99_s=0.03))
    fast = summarise(streams(first=0.1), POISSON, SenderHealth(lag_p99_s=0.03))
    assert slow["validity"]["valid"]
    assert "more than 0.01 s" in why(fast)


def test_many_failures_make_a_run_invalid() -> None:
    said = evenly(100) + [answered(100 + at, sent=1.0, status="failed") for at in range(20)]
    assert "16.7% of the requests failed" in why(summarise(said, POISSON))


@pytest.mark.parametrize(("waited", "valid"), [(0.9, True), (30.0, False)])
def test_requests_given_up_after_a_long_wait_make_a_run_invalid(waited: float, valid: bool) -> None:
    given_up = [answered(200 + at, due=1.0, sent=1.0, seconds=waited, status="cancelled") for at in range(9)]
    found = summarise(evenly() + given_up, POISSON, SenderHealth(late_p99_s=0.0), window_kind="all")
    assert found["validity"]["valid"] is valid
    assert valid or "the measures leave out the slowest" in why(found)


def test_users_the_senders_kept_waiting_make_a_run_invalid() -> None:
    said = [answered(at, sent=1.5 * at, seconds=1.0, user=0) for at in range(60)]
    assert "the senders lost time between requests" in why(summarise(said, ClosedLoop(1)))
    assert summarise(said, ClosedLoop(1, think_seconds=0.5))["validity"]["valid"]


def test_a_load_stopped_early_is_noted() -> None:
    found = summarise(evenly(), POISSON, SenderHealth(stopped="interrupted"))
    assert "Stopped before its plan ended: interrupted." in found["notes"]


def test_health_is_made_from_samples() -> None:
    found = SenderHealth.from_samples(lags=np.arange(101) / 1000, lateness=[0.0, 1.5], cpu_share=[0.5])
    assert (found.lag_p50_s, found.lag_p99_s, found.lag_max_s) == pytest.approx((0.05, 0.099, 0.1))
    assert found.late_count == 1
    assert found.idle_lag_p99_s is None


# --- size -------------------------------------------------------------------------------


def test_fifty_thousand_requests_are_summarised_in_bounded_memory() -> None:
    dice = np.random.default_rng(0)
    gaps = np.round(dice.exponential(0.02, (64, 100)), 5)
    rows = (
        {
            "index": at, "sample": "a", "phase": "measure", "status": "ok", "streamed": True,
            "due": at / 100, "sent": at / 100, "first_token": at / 100 + 0.1,
            "last_content": at / 100 + 2.1, "done": at / 100 + 2.2, "body": str(at),
            "gaps": gaps[at % 64].tolist(), "output_tokens": 101,
        }
        for at in range(50_000)
    )  # fmt: skip
    columns = RequestColumns.from_records(rows)
    assert columns.gaps.flat.nbytes == 40e6
    tracemalloc.start()
    try:
        found = summarise(columns, FixedRate("constant", 100))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found["measures"]["chunk_gap_s"]["n"] > 4_000_000
    assert found["run"]["tok_out_s"]["value"] == pytest.approx(10_100, rel=0.01)
    assert peak < 350e6
