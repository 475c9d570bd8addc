"""What a run used, in words."""

from auricle.report.run_html import render_report
from auricle.runs.metrics import Throughput
from tests.support.report_pages import make_transcripts, visible_text


def test_speed_is_shown_and_explained() -> None:
    speed = Throughput(118.0, 4, samples_per_second=0.03, rtfx=41.32, audio_seconds=4875.0)
    page = render_report(make_transcripts(4, speed=speed)[0], [])
    assert "Wall time 118 s RTFx 41.3" in visible_text(page)
    assert visible_text(page).count("Audio seconds answered per second of wall time") == 1
    assert '<div title="Audio seconds answered per second of wall time' in page


def test_unknown_speed_is_omitted() -> None:
    page = visible_text(render_report(make_transcripts(4, speed=None)[0], []))
    assert "RTFx" not in page
    assert "Wall time" not in page
