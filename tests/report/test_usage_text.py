"""What a run used, in words."""

import pytest

from auricle.report.run_html import render_report
from auricle.report.usage_text import format_usage_line, usage_facts
from auricle.runs.metrics import Throughput, Usage
from tests.support.report_pages import make_transcripts, visible_text


def test_speed_is_shown_and_explained() -> None:
    speed = Throughput(118.0, 4, samples_per_second=0.03, rtfx=41.32, audio_seconds=4875.0)
    page = render_report(make_transcripts(4, speed=speed)[0], [])
    assert "Wall time 118 s Speed of one request 41.3×" in visible_text(page)
    assert visible_text(page).count("Audio seconds per second from sending a request") == 1
    assert '<div title="Audio seconds per second from sending a request' in page


def test_unknown_speed_is_omitted() -> None:
    page = visible_text(render_report(make_transcripts(4, speed=None)[0], []))
    assert "Speed of one request" not in page
    assert "Wall time" not in page


@pytest.mark.parametrize(
    ("timed", "audio", "wall_time", "fact"),
    [
        (4, 40.0, "10 s of wall time", "40.0 s"),
        (1, 12.0, "10 s of wall time for 1 of 4 answers with 12.0 s of audio", "40.0 s (12.0 s timed)"),
        (6, 60.0, "10 s of wall time for 6 answers (some were replaced) with 60.0 s of audio", "40.0 s (60.0 s timed)"),
        (4, 44.0, "10 s of wall time for 4 answers with 44.0 s of audio", "40.0 s (44.0 s timed)"),
    ],
)
def test_time_and_speed_are_shown_with_the_audio_they_refer_to(
    timed: int, audio: float, wall_time: str, fact: str
) -> None:
    speed = Throughput(10.0, timed, rtfx=audio / 10, audio_seconds=audio)
    metrics, _ = make_transcripts(4, speed=speed, usage=Usage(audio_seconds=40.0))
    assert format_usage_line(metrics) == f"Usage: 40.0 s of audio, {wall_time}, speed of one request {audio / 10:.3g}×"
    assert ("Audio", fact) in usage_facts(metrics)
    assert f"Audio {fact} Wall time 10 s Speed of one request {audio / 10:.3g}×" in visible_text(
        render_report(metrics, [])
    )
