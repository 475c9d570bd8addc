"""The files of a load test."""

from pathlib import Path

import orjson
import pytest

from auricle.core.errors import DataError
from auricle.runs.perf_files import (
    Accuracy,
    Bucket,
    BucketStatistics,
    LoadPointSummary,
    MeasureStatistics,
    PerfManifest,
    PerfSummary,
    RepeatedLoad,
    RepeatedNumber,
    RequestCounts,
    RequestFailures,
    RequestRepeats,
    RunMeasure,
    Saturation,
    SearchResult,
    SenderHealth,
    SloRequests,
    SloResult,
    SloSummary,
    StatusCounts,
    TriedValue,
    Validity,
    WindowSummary,
    merge_requests,
    read_health,
    read_perf_manifest,
    read_perf_summary,
    write_health,
    write_perf_manifest,
    write_perf_summary,
)

MANIFEST = PerfManifest(spec={"task": "demo", "model": "openai"}, wanted={"loads": ["closed:2"]}, command=("perf",))
COUNTS = StatusCounts(8, 1)
POINT = LoadPointSummary(
    load="closed:2",
    window=WindowSummary("steady", 0.0, 1.0, 1.0, 8),
    counts=RequestCounts(COUNTS, {"measure": COUNTS}, COUNTS),
    measures={"ttft_s": MeasureStatistics(n=8, p50=0.25, p99_9=0.5, intervals={"p50": (0.2, 0.3), "mean": None})},
    run={"req_s": RunMeasure(8.0, (7.0, 9.0)), "tok_in_s": RunMeasure(None)},
    validity=Validity(valid=False, reasons=("late",)),
    saturation=Saturation(saturated=False),
    repeats=RequestRepeats(8, 7, 1),
    slo=SloSummary(None, (SloResult("req_s>5", "run", 8.0, True),), SloRequests(7, 1, 0, 0)),
    breakdowns={"turn": (Bucket("0", 8, 1, 0, {"ttft_s": BucketStatistics(8, 0.3, 0.25, None, None)}),)},
    finish={"stop": 8},
    failures=(RequestFailures("Transient", 1, 0.5, ("Transient: late",)),),
    health=SenderHealth(cpu_share=(0.1,)),
    method={"std": "sample"},
    folder="00-closed-2",
    accuracy=(Accuracy("wer", 0.1, None, None, 8, 8, False, "wer:1"),),
)
SUMMARY = PerfSummary(
    task="demo",
    model="openai",
    points=(POINT,),
    searches=(SearchResult("search:rate", 4.0, None, (TriedValue(4.0, (True, None)),)),),
    spreads=(RepeatedLoad("closed:2", 2, {"req_s": RepeatedNumber((7.0, 9.0), 8.0, 1.4, 7.0, 9.0)}),),
    about=MANIFEST,
)


def test_load_test_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_perf_manifest(tmp_path, MANIFEST)
    write_perf_summary(tmp_path, SUMMARY)
    assert read_perf_manifest(tmp_path) == MANIFEST
    assert read_perf_summary(tmp_path) == SUMMARY
    assert (MANIFEST.task, MANIFEST.model, MANIFEST.model_args) == ("demo", "openai", {})


def test_folder_without_a_load_test_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Not a load test: .* \(it has no perf\.json\)"):
        read_perf_manifest(tmp_path)
    with pytest.raises(DataError, match="no load point was completed"):
        read_perf_summary(tmp_path)


def test_what_a_file_does_not_count_is_zero(tmp_path: Path) -> None:
    (tmp_path / "health.json").write_bytes(b"{}")
    assert read_health(tmp_path) == SenderHealth(late_count=0, cpu_share=(), stopped="")
    write_health(tmp_path, POINT.health)
    assert read_health(tmp_path) == POINT.health
    assert StatusCounts() == StatusCounts(0, 0, 0)
    assert RequestRepeats() == RequestRepeats(0, None, None)
    assert RequestCounts(COUNTS, {}, COUNTS).never_sent == 0
    assert (MeasureStatistics().n, MeasureStatistics().undefined) == (0, 0)
    assert (POINT.format, POINT.senders, SUMMARY.format) == (1, 1, 1)
    assert (SUMMARY.interrupted, SUMMARY.valid) == (False, False)
    assert StatusCounts(8, 2, 1).total == 11


def test_a_number_is_read_with_its_interval() -> None:
    assert POINT.read("req_s") == RunMeasure(8.0, (7.0, 9.0))
    assert POINT.read("ttft_s", "p50") == RunMeasure(0.25, (0.2, 0.3))
    assert POINT.read("ttft_s", "p99.9") == RunMeasure(0.5)
    assert POINT.read("missing") == POINT.read("missing", "p50") == RunMeasure(None)


@pytest.mark.parametrize(
    ("low", "high", "interval"), [(0.0, 0.2, (0.0, 0.2)), (None, 0.2, None), (0.0, None, None), (None, None, None)]
)
def test_accuracy_has_an_interval_if_both_ends_are_known(
    low: float | None, high: float | None, interval: tuple[float, float] | None
) -> None:
    assert Accuracy("wer", 0.1, low, high, 8, 8, False, "wer:1").measure == RunMeasure(0.1, interval)


def test_a_request_without_a_turn_is_the_first(tmp_path: Path) -> None:
    (tmp_path / "requests.0.jsonl").write_bytes(b'{"index":1,"turn":1}\n')
    (tmp_path / "requests.1.jsonl").write_bytes(b'{"index":1}\n')
    merge_requests(tmp_path, 2)
    assert (tmp_path / "requests.jsonl").read_bytes() == b'{"index":1}\n{"index":1,"turn":1}\n'


def test_requests_of_all_senders_are_merged_in_the_order_of_the_plan(tmp_path: Path) -> None:
    rows = [{"index": 0}, {"index": 1, "turn": 0}, {"index": 1, "turn": 1}, {"index": 1, "turn": 2}, {"index": 2}]
    lines = [orjson.dumps(row) + b"\n" for row in rows]
    (tmp_path / "requests.0.jsonl").write_bytes(lines[4] + lines[1] + lines[3])
    (tmp_path / "requests.2.jsonl").write_bytes(lines[2] + lines[0] + b'{"index": 3, "incompl')
    merge_requests(tmp_path, 3)
    assert (tmp_path / "requests.jsonl").read_bytes() == b"".join(lines)
    assert [path.name for path in tmp_path.iterdir()] == ["requests.jsonl"]
