from auricle.perf.report.load_charts import draw_load_charts
from tests.unit.perf.report.conftest import Summary, build_point


def test_latency_and_throughput_are_drawn_against_the_offered_rate(summaries: list[Summary]) -> None:
    drawn = str(draw_load_charts(summaries))
    assert "Latency against throughput" in drawn
    assert "Throughput against load" in drawn
    assert "Time to first output against load" in drawn
    assert "offered per second" in drawn


def test_closed_loops_are_drawn_against_their_concurrency(summaries: list[Summary]) -> None:
    closed, _ = build_point("closed:4", closed=True)
    assert "mean in flight" in str(draw_load_charts([*summaries, closed]))


def test_goodput_is_drawn_if_there_are_slos() -> None:
    summaries = [build_point(f"constant:{rate}", "latency_s<1", rate=rate)[0] for rate in (5, 10)]
    assert "SLOs met" in str(draw_load_charts(summaries))


def test_spoken_answers_are_drawn_by_their_first_audio() -> None:
    summaries = [build_point(f"constant:{rate}", rate=rate, spoken=True)[0] for rate in (5, 10)]
    assert "first audio, s" in str(draw_load_charts(summaries))
