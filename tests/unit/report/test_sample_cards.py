"""Cards of samples."""

from auricle.metrics import error_rates
from auricle.report.audio_clips import RIGHT_ANSWER_NOTE
from auricle.report.run_html import render_report
from auricle.report.sample_view import SampleView, build_sample_views
from tests.support.report_pages import make_transcripts, visible_text


def test_worst_samples_show_their_alignment() -> None:
    document, records = make_transcripts(1)
    page = render_report(document, build_sample_views(records, error_rates.wer))
    assert '<span class="swap"><del>two</del><ins>too</ins></span>' in page
    assert "substituted" in page


def test_a_player_does_not_preload_audio() -> None:
    page = render_report(make_transcripts(1)[0], [SampleView(id="a", audio=(b"ID3",))])
    assert 'preload="none" src="data:audio/webm;base64,SUQz"' in page


def test_a_card_without_a_player_gives_the_reason() -> None:
    page = render_report(make_transcripts(1)[0], [SampleView(id="a", note=RIGHT_ANSWER_NOTE)])
    assert f'<p class="note" dir="auto">{RIGHT_ANSWER_NOTE}</p>' in page


def test_a_shared_question_is_shown_once() -> None:
    worst = [SampleView(id=name, question="What is audible?") for name in "abc"]
    page = render_report(make_transcripts(1)[0], worst)
    assert page.count("What is audible?") == 1
    assert "Question for all samples: What is audible?" in visible_text(page)


def test_different_questions_are_shown_with_their_samples() -> None:
    worst = [SampleView(id=name, question=f"What is {name}?") for name in "abc"]
    assert "What is b?" in visible_text(render_report(make_transcripts(1)[0], worst))
