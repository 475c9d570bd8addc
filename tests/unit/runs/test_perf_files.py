"""The files of a load test."""

from pathlib import Path

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
    read_perf_manifest,
    read_perf_summary,
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
