import numpy as np
import pytest

from auricle.perf.breakdowns import (
    compute_breakdowns,
    count_conversations,
    count_finish_reasons,
    count_repeats,
    count_timeouts,
    summarise_failures,
)
from auricle.perf.measures import compute_measures
from auricle.perf.request_records import Mask, RequestColumns
from auricle.runs.perf_files import RequestRepeats, StatusCounts
from tests.support.simulated_servers import answered_request, even_requests


def all_rows(columns: RequestColumns) -> Mask:
    return np.ones(len(columns), dtype=bool)


def test_measures_are_broken_down_by_audio_length_turn_and_output_tokens() -> None:
    columns = RequestColumns.from_records(
        answered_request(
            index,
            turn=index % 2,
            audio_seconds=(3.0, 5.0, 20.0, 500.0)[index % 4],
            output_tokens=(1, 16, 17, 5000)[index % 4],
            finish=("stop", "length")[index % 2],
        )
        for index in range(80)
    )
    breakdowns = compute_breakdowns(columns, compute_measures(columns), all_rows(columns))
    assert [(bucket.bucket, bucket.ok) for bucket in breakdowns["audio_seconds"]] == [
        ("0-5", 40), ("15-30", 20), (">120", 20),
    ]  # fmt: skip
    assert [bucket.bucket for bucket in breakdowns["output_tokens"]] == ["0-16", "16-64", ">1024"]
    assert [(bucket.bucket, bucket.ok) for bucket in breakdowns["turn"]] == [("0", 40), ("1", 40)]
    assert breakdowns["audio_seconds"][2].measures["rtf"].p50 == pytest.approx(1 / 500)
    assert count_finish_reasons(columns, all_rows(columns)) == {"stop": 40, "length": 40}


def test_failures_are_grouped_by_kind() -> None:
    errors = {0: "Transient: HTTP 503", 1: "Transient: it timed out", 2: "Unreachable: no connection"}
    columns = RequestColumns.from_records(
        answered_request(index, seconds=0.001, status="failed", error=errors[index % 20])
        if index % 20 in errors
        else answered_request(index)
        for index in range(182)
    )
    failures = summarise_failures(columns, all_rows(columns))
    assert [(failure.kind, failure.count) for failure in failures] == [("Transient", 20), ("Unreachable", 9)]
    assert failures[0].after_p50_s == pytest.approx(0.001)
    assert failures[0].examples == ("Transient: HTTP 503", "Transient: it timed out")
    assert count_timeouts(columns, all_rows(columns)) == 10


def test_repeated_bodies_are_counted_in_all_phases() -> None:
    repeated = RequestColumns.from_records(answered_request(index, body=str(index % 50)) for index in range(200))
    assert count_repeats(repeated) == RequestRepeats(200, 50, 150, 4.0)
    warmup = [answered_request(index, sent=0.0, body=str(index), phase="warmup") for index in range(20)]
    assert count_repeats(RequestColumns.from_records([*warmup, *even_requests(100)])).repeated == 20


def test_repeats_are_unknown_without_digests() -> None:
    columns = RequestColumns.from_records([answered_request()])
    assert count_repeats(columns) == RequestRepeats(0, None, None)


def test_requests_of_several_models_are_broken_down_by_model() -> None:
    requests = [answered_request(index, seconds=1 + index % 2, model=f"m{index % 2}") for index in range(20)]
    columns = RequestColumns.from_records(requests)
    first, second = compute_breakdowns(columns, compute_measures(columns), np.ones(20, dtype=bool))["model"]
    assert [(bucket.bucket, bucket.ok, bucket.measures["latency_s"].p50) for bucket in (first, second)] == [
        ("m0", 10, 1.0),
        ("m1", 10, 2.0),
    ]


def test_conversation_with_a_failed_turn_has_failed() -> None:
    statuses = ["ok", "ok", "ok", "failed", "cancelled", "ok"]
    requests = [answered_request(index // 2, turn=index % 2, status=status) for index, status in enumerate(statuses)]
    columns = RequestColumns.from_records(requests)
    assert count_conversations(columns, np.ones(6, dtype=bool)) == StatusCounts(ok=1, failed=1, cancelled=1)
    assert count_conversations(RequestColumns.from_records(requests[::2]), np.ones(3, dtype=bool)) is None
