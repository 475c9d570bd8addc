import re

from auricle.perf.report import charts
from auricle.perf.report.chart_data import build_chart_data
from auricle.perf.request_columns import RequestColumns
from tests.unit.perf.report.conftest import PointWithChartData, build_columns, build_point


def test_every_series_is_drawn_with_its_name() -> None:
    lines = [charts.Series("p50", [(0, 1), (1, 2)]), charts.Series("p95", [(0, 3), (1, 4)], "line dashed")]
    drawn = str(charts.draw_chart("Latency", charts.Axes("load", "seconds"), lines))
    assert all(text in drawn for text in ("Latency", "load", "seconds", "p50", "p95"))
    assert 'class="line hue0"' in drawn
    assert 'class="line dashed hue1"' in drawn


def test_timeline_shows_stages_that_occur(points: list[PointWithChartData]) -> None:
    drawn = str(charts.draw_timeline(points[0][1]))
    stages = set(re.findall(r'<path [^>]*class="(\w+)"', drawn))
    assert {"waiting", "receiving", "failed"} <= stages
    assert "failed or cancelled" in drawn


def test_charts_without_data_are_left_out() -> None:
    chart_data = build_chart_data(RequestColumns.from_records([]))
    assert charts.draw_rates(chart_data) is None
    assert charts.draw_in_flight(chart_data) is None
    assert charts.draw_timeline(chart_data) is None
    assert charts.draw_rtfx_by_length(chart_data) is None
    assert charts.draw_cumulative(chart_data, {"latency_s": "latency"}, "Latency") is None
    assert charts.render_figure(None, "caption") is None


def test_offered_rate_is_drawn_only_for_open_loops() -> None:
    closed = build_chart_data(build_columns(closed=True))
    assert "offered" in str(charts.draw_rates(build_point()[1]))
    assert "offered" not in str(charts.draw_rates(closed))
