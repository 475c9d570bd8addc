"""Tests of the words that a recogniser gets wrong, in the app."""

from pathlib import Path

import pytest

from auricle.app.views.words import load_words
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text


@pytest.mark.slow
def test_lost_words_link_to_their_samples(draw: DrawRun, runs: Path) -> None:
    app = draw("benchmark", runs, run="asr-small")
    assert not app.error
    assert "Words" in [header.value for header in app.header]
    errors = load_words(runs / "asr-small", "wer")
    assert errors
    text = page_text(app)
    assert "Lost word" in text
    assert f"filter=target%3A{errors.words[0].word}" in text


@pytest.mark.slow
def test_runs_without_this_error_rate_have_no_words(runs: Path) -> None:
    assert load_words(runs / "asr-small", "bleu") is None
    assert load_words(runs / "emotion-first", "accuracy") is None
