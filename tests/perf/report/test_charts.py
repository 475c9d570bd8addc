import re

from auricle.perf.report import charts
from auricle.perf.report.chart_data import Chart, Series
from tests.perf.report.conftest import PointWithCharts


def test_every_series_is_drawn_with_its_name() -> None:
    lines = (Series("p50", ((0, 1), (1, 2))), Series("p95", ((0, 3), (1, 4)), "dashed"))
    drawn = charts.draw_chart(Chart("Latency", "load", "seconds", lines, ""))
    assert all(text in drawn for text in ("Latency", "load", "seconds", "p50", "p95"))
    assert 'class="line hue0"' in drawn
    assert 'class="line dashed hue1"' in drawn
    assert drawn.count("<circle") == 4


def test_dots_are_not_joined() -> None:
    chart = Chart("Speed", "seconds", "speed", (Series("", ((1, 1), (2, 2)), "dots"),), "")
    (path,) = re.findall(r'<path d="([^"]*)" class="dots hue0">', charts.draw_chart(chart))
    assert path.count("M") == 2
    assert "L" not in path


def test_names_of_series_are_escaped() -> None:
    drawn = charts.draw_chart(Chart("<b>", "x", "y", (Series("<i>", ((0, 1), (1, 2))),), ""))
    assert "<b>" not in drawn
    assert "&lt;i&gt;" in drawn


def test_timeline_shows_stages_that_occur(points: list[PointWithCharts]) -> None:
    drawn = charts.draw_timeline(points[0][1].bars)
    stages = set(re.findall(r'<path [^>]*class="(\w+)"', drawn))
    assert {"waiting", "receiving", "failed"} <= stages
    assert "failed or cancelled" in drawn


def test_legend_that_is_too_wide_continues_in_the_next_row() -> None:
    entries = [(f"gamma,shape=0.{number}", "line", 36.0) for number in range(6)]
    rows = [entry.text_y for entry in charts._build_legend(entries, 440.0)]
    assert rows == [16.0] * 3 + [34.0] * 3


def test_points_have_labels_unless_these_would_cover_each_other() -> None:
    line = Series("", ((1, 1), (1, 1), (9, 9)), labels=("one", "two", "three"))
    drawn = charts.draw_chart(Chart("Load curve", "x", "y", (line,), ""))
    assert [label for label in ("one", "two", "three") if f">{label}</text>" in drawn] == ["one", "three"]
