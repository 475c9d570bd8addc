from dataclasses import replace

import pytest

from auricle.perf.report.chart_data import (
    IN_FLIGHT_BINS,
    MAX_BARS,
    MAX_DOTS,
    QUANTILES,
    Chart,
    PointCharts,
    RequestBar,
    Series,
    build_load_charts,
    build_point_charts,
    name_load_family,
)
from auricle.perf.request_records import RequestColumns
from auricle.runs.perf_files import LoadPointSummary
from tests.perf.report.conftest import PointWithCharts, build_columns, build_point, build_request
from tests.support.simulated_servers import streamed_request


def find_chart(charts: PointCharts, title: str) -> Chart:
    return next(chart for chart in charts.charts if chart.title == title)


def find_series(charts: PointCharts, title: str, name: str = "") -> Series:
    return next(line for line in find_chart(charts, title).series if line.name == name)


# --- one load point ---------------------------------------------------------------------


@pytest.mark.slow
def test_charts_are_small_however_many_requests_there_are() -> None:
    charts = build_point_charts(build_columns(20_000, spoken=True))
    assert len(charts.bars) == MAX_BARS
    assert len(find_series(charts, "Speed of one request").points) == MAX_DOTS
    assert len(find_series(charts, "Requests in flight over time").points) == 2 * IN_FLIGHT_BINS
    assert len(find_series(charts, "Distribution of latency", "from sent").points) == len(QUANTILES)
    assert len(find_series(charts, "Request rate over time", "sent").points) <= 60


@pytest.mark.slow
def test_short_peak_of_requests_in_flight_is_kept() -> None:
    records = [build_request(index) for index in range(10_000)]
    records += [build_request(0, sent=500.0, done=500.001) for _ in range(70)]
    charts = build_point_charts(RequestColumns.from_records(records))
    assert max(y for _, y in find_series(charts, "Requests in flight over time").points) >= 70


@pytest.mark.parametrize("name", ["offered", "sent"])
def test_rates_are_those_of_the_load(points: list[PointWithCharts], name: str) -> None:
    assert find_series(points[1][1], "Request rate over time", name).points[3][1] == pytest.approx(10)


def test_few_requests_have_wide_bins() -> None:
    records = [streamed_request(index, due=index + 0.5, sent=index + 0.5) for index in range(12)]
    charts = build_point_charts(RequestColumns.from_records(records))
    assert find_chart(charts, "Request rate over time").caption == "Averaged over 5 s."
    assert find_series(charts, "Request rate over time", "sent").points == ((2.5, 1.0), (7.5, 1.0))


def test_offered_rate_is_shown_only_for_open_loops() -> None:
    _, closed = build_point("closed:4", closed=True)
    names = {line.name for line in find_chart(closed, "Request rate over time").series}
    assert names == {"answered", "sent"}


def test_distributions_are_ascending(points: list[PointWithCharts]) -> None:
    line = find_series(points[1][1], "Distribution of latency", "from due").points
    assert list(line) == sorted(line)
    assert line[QUANTILES.index(0.5)] == pytest.approx((0.3, 50.0))


def test_pauses_are_shown_only_for_spoken_answers(points: list[PointWithCharts]) -> None:
    titles = [[chart.title for chart in charts.charts] for _, charts in (points[0], build_point(spoken=True))]
    assert ["Pauses in playback" in names for names in titles] == [False, True]


def test_charts_without_requests_are_left_out() -> None:
    assert build_point_charts(RequestColumns.from_records([])) == PointCharts((), ())


def test_request_is_split_into_stages() -> None:
    bar = RequestBar(start=1.0, sent=1.5, first_token=2.0, end=3.0, status="ok")
    stages = [("queued", 1.0, 1.5), ("waiting", 1.5, 2.0), ("receiving", 2.0, 3.0)]
    assert list(bar.split_stages()) == stages
    assert list(replace(bar, status="failed").split_stages()) == [stages[0], ("failed", 1.5, 3.0)]
    assert list(RequestBar(1.0, None, None, None, "cancelled").split_stages()) == [("failed", 1.0, 1.0)]


# --- all load points --------------------------------------------------------------------------


def test_latency_and_throughput_are_shown_against_the_offered_rate(summaries: list[LoadPointSummary]) -> None:
    charts = build_load_charts(summaries)
    assert [chart.title for chart in charts] == [
        "Latency against throughput", "Throughput against load", "Time to first output against load",
    ]  # fmt: skip
    assert [chart.x_label for chart in charts] == ["answered per second", "offered per second", "offered per second"]
    assert [line.name for line in charts[0].series] == ["p50", "p95", "p99"]
    assert [round(x) for x, _ in charts[1].series[0].points] == [5, 10, 20]


def test_closed_loops_are_shown_against_their_concurrency(summaries: list[LoadPointSummary]) -> None:
    closed, _ = build_point("closed:4", closed=True)
    assert build_load_charts([*summaries, closed])[1].x_label == "mean in flight"


def test_curves_join_points_in_the_order_of_load_with_labels() -> None:
    rates = {"closed:4": 8, "closed:1": 5, "closed:2": 10}  # the server answers fewer requests of more users
    points = [build_point(load, rate=rate, closed=True)[0] for load, rate in rates.items()]
    latency, *_ = build_load_charts(points)
    assert [[round(x) for x, _ in line.points] for line in latency.series] == [[5, 10, 8]] * 3
    assert [line.labels for line in latency.series] == [(), (), ("1", "2", "4")]


def test_curves_of_two_tests_are_drawn_over_each_other(summaries: list[LoadPointSummary]) -> None:
    charts = build_load_charts(summaries, summaries[:2])
    assert [line.name for line in charts[0].series] == ["A constant", "B constant"]
    assert [len(line.points) for line in charts[0].series] == [3, 2]


def test_families_of_loads_are_separate_curves(summaries: list[LoadPointSummary]) -> None:
    closed = [build_point(f"closed:{users}", closed=True)[0] for users in (2, 4)]
    latency, throughput, _ = build_load_charts([*summaries, *closed])
    assert [line.name for line in latency.series] == ["constant", "closed"]
    assert [len(line.points) for line in latency.series] == [3, 2]
    assert latency.y_label == "p95 of latency, s"
    assert [line.name for line in throughput.series] == ["constant", "closed"]


@pytest.mark.parametrize(
    ("load", "family"),
    [
        ("poisson:4", "poisson"),
        ("closed:8,think=2", "closed,think=2"),
        ("gamma:2.5,shape=0.5", "gamma,shape=0.5"),
        ("ramp:1-10,over=60", "ramp:1-10,over=60"),
        ("steps:10x4,30x4", "steps:10x4,30x4"),
        ("serial", "serial"),
    ],
)
def test_family_of_a_load_is_its_name_without_the_level(load: str, family: str) -> None:
    assert name_load_family(load) == family


def test_goodput_is_shown_if_there_are_slos(summaries: list[LoadPointSummary]) -> None:
    with_slos = [build_point(f"constant:{rate}", "latency_s<1", rate=rate)[0] for rate in (5, 10)]
    assert [line.name for line in build_load_charts(with_slos)[1].series] == ["answered", "SLOs met"]
    assert [line.name for line in build_load_charts(summaries)[1].series] == ["answered"]


def test_spoken_answers_are_shown_by_their_first_audio() -> None:
    summaries = [build_point(f"constant:{rate}", rate=rate, spoken=True)[0] for rate in (5, 10)]
    assert build_load_charts(summaries)[2].y_label == "first audio, s"
