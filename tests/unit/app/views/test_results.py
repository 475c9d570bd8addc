"""What a run found, by the kind of its answers."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def results(kinds: Any, drawn: Any) -> Any:
    def draw(run: Any) -> Any:
        app = drawn("results", kinds, run=run)
        assert not app.exception, app.exception
        assert not app.error
        return app

    return draw


def charts(app: Any) -> Any:
    return len(app.get("vega_lite_chart"))


def test_numbers_stand_with_intervals_coverage_and_signature(results: Any, words: Any) -> None:
    told = words(results("asr-small"))
    for each in ("95 % interval", "Coverage", "asr-speech:1|", "wer:1.pooled"):
        assert each in told


def test_a_recognisers_errors_are_told_by_kind_and_its_worst_word_by_word(results: Any, words: Any) -> None:
    app = results("asr-small")
    told = words(app)
    assert "Substitutions" in told
    assert "<del>" in told
    assert "<ins>" in told
    assert len(app.get("audio")) == 5
    assert charts(app) == 2


def test_a_classifier_has_a_matrix_and_its_ceiling(results: Any, words: Any) -> None:
    app = results("emotion-first")
    assert app.subheader[0].value == "Confusions"
    assert "at most 87.50" in words(app)
    assert "Matched of one word family: disgust – disgusted." in words(app)
    assert charts(app) == 2


def test_dimensions_have_violins_and_means_and_never_a_matrix(results: Any, words: Any) -> None:
    app = results("dimensions-first")
    assert "Confusions" not in [each.value for each in app.subheader]
    assert "arousal, mean ± sd" in words(app)
    assert charts(app) >= 4


def test_a_reward_model_is_shown_against_ratings(results: Any, words: Any) -> None:
    app = results("music-fine")
    assert "Predictions against ratings" in [each.value for each in app.subheader]
    assert "lcc.musicality" in words(app)
    assert app.selectbox[0].options == ["musicality", "alignment"]


def test_preferences_are_told_by_group_beside_always_b(results: Any, words: Any) -> None:
    told = words(results("pairs-rough"))
    for each in ("genre: folk", "genre: jazz", "Always b", "all pairs"):
        assert each in told


def test_answers_are_shown_as_right_or_wrong_wrong_ones_first(results: Any, words: Any) -> None:
    told = words(results("quiz-bad"))
    assert "wrong ones first" in told
    assert 'class="wrong"' in told


def test_answers_that_could_not_be_read_are_told_with_why(results: Any, words: Any) -> None:
    assert "names no option" in words(results("quiz-bad"))


def test_a_run_that_is_not_scored_yet_says_so(kinds: Any, drawn: Any, tmp_path: Path, words: Any) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "spec.json").write_bytes((kinds / "asr-small" / "spec.json").read_bytes())
    app = drawn("results", tmp_path, run="new")
    assert "has not been scored yet" in app.error[0].value.replace("\\", "")
