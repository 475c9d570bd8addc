from auricle.perf.report.point_section import render_point
from tests.unit.perf.report.conftest import PointWithChartData, build_point


def test_section_has_measures_breakdowns_and_failures(points: list[PointWithChartData]) -> None:
    section = str(render_point(*points[0], folded=False))
    assert "Seconds of audio sent" in section
    assert "Request measure" in section
    assert "Run measure" in section
    assert "median time to failure, s" in section
    assert "Transient: 503 | &lt;busy&gt;" in section


def test_folded_section_is_a_details_element(points: list[PointWithChartData]) -> None:
    assert str(render_point(*points[0], folded=True)).startswith("<details")
    assert "<details" not in str(render_point(*points[0], folded=False))


def test_pauses_are_drawn_only_for_spoken_answers(points: list[PointWithChartData]) -> None:
    assert "Pauses in playback" in str(render_point(*build_point(spoken=True), folded=False))
    assert "Pauses in playback" not in str(render_point(*points[0], folded=False))


def test_section_without_chart_data_has_all_numbers(points: list[PointWithChartData]) -> None:
    section = str(render_point(points[0][0], None, folded=False))
    assert "<figure" not in section
    assert "sched_latency_s" in section
