"""The pages that look at runs: samples, comparisons, the leaderboard, load tests."""

from typing import Any

import pytest


@pytest.fixture
def page(kinds: Any, drawn: Any) -> Any:
    def draw(name: Any, **query: Any) -> Any:
        app = drawn(name, kinds, **query)
        assert not app.exception, app.exception
        return app

    return draw


# --- samples -------------------------------------------------------------------------


def test_samples_are_listed_worst_first_and_the_first_is_open(page: Any, words: Any) -> None:
    app = page("samples", run="asr-small")
    assert "16 of 16 samples." in words(app)
    assert len(app.dataframe[0].value) == 16
    assert len(app.get("audio")) == 1
    assert app.dataframe[0].value["score"].iloc[0] > app.dataframe[0].value["score"].iloc[-1]


def test_samples_are_found_by_their_words(page: Any, words: Any) -> None:
    app = page("samples", run="asr-small", fresh=True)
    app.text_input[0].set_value("KITCHEN").run()
    assert "2 of 16 samples." in words(app)


def test_samples_are_sliced_by_what_is_known_of_them(page: Any, words: Any) -> None:
    app = page("samples", run="asr-small", fresh=True)
    app.multiselect[0].set_value(["s1"]).run()
    assert "4 of 16 samples." in words(app)


def test_only_a_page_of_many_samples_is_sent(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.app.pages.samples.PAGE_SIZE", 5)
    app = page("samples", run="asr-small", fresh=True)
    assert len(app.dataframe[0].value) == 5


def test_a_link_counts_more_than_what_was_chosen_before(page: Any) -> None:
    app = page("samples", run="asr-small", fresh=True)
    assert app.selectbox[0].value == "asr-small"
    app.selectbox[0].set_value("asr-large").run()
    assert app.selectbox[0].value == "asr-large"
    assert app.query_params["run"] == "asr-large"
    app.query_params["run"] = "quiz-good"
    app.run()
    assert app.selectbox[0].value == "quiz-good"


# --- comparisons ---------------------------------------------------------------------


def test_two_recognisers_are_compared_pair_by_pair(page: Any, words: Any) -> None:
    app = page("compare", a="asr-small", b="asr-large")
    assert "WER" in app.metric[0].label
    assert "16 pairs answered in both" in words(app)
    assert "in B by wer" in words(app)
    assert "<del>" in words(app)


def test_two_classifiers_have_both_matrices_and_their_difference(page: Any, words: Any) -> None:
    app = page("compare", a="emotion-first", b="emotion-second")
    assert len(app.get("vega_lite_chart")) == 3
    assert "How to read it" in words(app)


def test_two_dimensional_runs_have_shifts_and_no_matrix(page: Any, words: Any) -> None:
    app = page("compare", a="dimensions-first", b="dimensions-second")
    assert not app.get("vega_lite_chart")
    assert "Shifts of the means" in words(app)
    assert "which have no classes to confuse" in words(app)


def test_a_pair_that_cannot_be_compared_is_explained(page: Any, words: Any) -> None:
    app = page("compare", a="asr-small", b="emotion-first")
    assert not app.error
    assert "No metric of these two runs can be compared" in words(app)
    assert "B has no such number" in words(app)


def test_a_run_is_not_compared_with_itself(page: Any, words: Any) -> None:
    assert "the same run" in words(page("compare", a="asr-small", b="asr-small"))


def test_a_run_is_at_first_compared_with_another_of_its_task(page: Any) -> None:
    app = page("compare", b="quiz-good")
    assert app.selectbox[0].value == "quiz-bad"


# --- the leaderboard -----------------------------------------------------------------


def test_the_leaderboard_has_a_column_for_what_can_be_compared(page: Any, words: Any) -> None:
    told = words(page("leaderboard"))
    for each in ("asr-speech WER ↓", "classify-ravdess Accuracy ↑", "classify-ravdess η² ↑"):
        assert each in told


def test_the_leaderboard_can_be_taken_away(page: Any) -> None:
    buttons = page("leaderboard").get("download_button")
    assert [each.proto.label for each in buttons] == ["CSV", "Markdown", "LaTeX"]


# --- load tests ----------------------------------------------------------------------


def test_without_a_load_test_the_page_says_how_to_make_one(page: Any, words: Any) -> None:
    assert "auricle perf" in words(page("performance"))


@pytest.fixture(scope="session")
def load_test(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A measurement as `auricle perf` leaves it, made from requests of known times."""
    from tests.support import app_runs as ui_runs

    return ui_runs.served(tmp_path_factory.mktemp("load") / "runs" / "load")


def test_a_load_test_says_first_whether_to_believe_it(load_test: Any, drawn: Any, words: Any) -> None:
    app = drawn("performance", load_test.parent)
    assert not app.exception
    assert [*app.success, *app.error]
    assert "latency_s" in words(app)
    assert "last piece of the answer - sent" in words(app)
    assert len(app.get("vega_lite_chart")) == 5


def test_results_of_a_load_test_are_how_it_served(load_test: Any, drawn: Any, words: Any) -> None:
    app = drawn("results", load_test.parent, run="load")
    assert not app.exception
    assert "Load points" in words(app)
