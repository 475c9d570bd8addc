"""Summaries and charts of simulated load points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from auricle.perf.report.chart_data import PointCharts, build_point_charts
from auricle.perf.request_records import RequestColumns, RequestRecord
from auricle.perf.slo import parse_slos
from auricle.perf.summary import summarise
from auricle.runs.perf_files import LoadPointSummary, PerfManifest, PerfSummary

PointWithCharts = tuple[LoadPointSummary, PointCharts]

ABOUT = PerfManifest(spec={}, wanted={}, inferencer="a|b", versions={"auricle": "1"})


def build_request(
    index: int, *, rate: float = 10.0, closed: bool = False, spoken: bool = False, **fields: Any
) -> RequestRecord:
    """Return the request at this position of a constant rate; every fiftieth fails."""
    due = index / rate
    common: dict[str, Any] = {
        "index": index,
        "sample": f"s{index}",
        "due": None if closed else due,
        "sent": due + 0.001,
        "user": index % 4 if closed else None,
        "done": due + 0.31,
        "body": f"b{index}",
        "bytes_sent": 100,
        "audio_seconds": 2.0 + index % 30,
    }
    if index % 50 == 49:
        return RequestRecord(**common, status="failed", error="Transient: 503 | <busy>")
    response = {
        "streamed": True,
        "first_byte": due + 0.1,
        "first_token": due + 0.1,
        "first_content": due + 0.1,
        "first_audio": due + 0.1 if spoken else None,
        "last_content": due + 0.3,
        "gaps": (0.1, 0.1),
        "spoken": tuple((due + 0.1 + 0.05 * chunk, 0.04) for chunk in range(3)) if spoken else (),
        "output_tokens": 3,
        "input_tokens": 7,
        "finish": "stop",
    }
    return RequestRecord(**{**common, **response, **fields})


def build_columns(count: int = 300, **options: Any) -> RequestColumns:
    return RequestColumns.from_records(build_request(index, **options) for index in range(count))


def build_point(load: str = "constant:10", slos: str = "", count: int = 300, **options: Any) -> PointWithCharts:
    columns = build_columns(count, **options)
    return summarise(columns, load, slos=parse_slos(slos)), build_point_charts(columns)


def build_summary(points: Sequence[LoadPointSummary]) -> PerfSummary:
    return PerfSummary(task="speech", model="<b>model</b>", points=tuple(points), about=ABOUT)


@pytest.fixture(scope="session")
def points() -> list[PointWithCharts]:
    return [build_point(f"constant:{rate}", rate=rate) for rate in (5, 10, 20)]


@pytest.fixture(scope="session")
def summaries(points: list[PointWithCharts]) -> list[LoadPointSummary]:
    return [summary for summary, _ in points]
