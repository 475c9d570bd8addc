"""Tests of the page that lists samples."""

from pathlib import Path

import pandas as pd
import pytest

from auricle.app.pages.samples import list_orders, sort_samples
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import find_button, page_text
from tests.support.app_runs import make_number


def test_samples_are_listed_worst_first_and_the_first_is_open(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, run="asr-small")
    scores = app.dataframe[0].value["score"]
    assert "16 of 16 samples." in page_text(app)
    assert len(scores) == 16
    assert scores.iloc[0] > scores.iloc[-1]
    assert len(app.get("audio")) == 1


def test_filter_selects_samples_and_is_part_of_the_url(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, fresh=True, run="asr-small", filter="KITCHEN")
    assert "2 of 16 samples." in page_text(app)
    app.text_input(key="filter").set_value("speaker=s1 accent=south").run()
    assert "3 of 16 samples." in page_text(app)


def test_filter_that_cannot_be_applied_shows_all_samples(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, fresh=True, run="asr-small", filter="colour:red")
    assert "Unknown field" in app.warning[0].value
    assert "16 of 16 samples." in page_text(app)


def test_next_and_previous_open_samples_in_the_order_of_the_table(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, fresh=True, run="asr-small", order="Original order", sample="u003")
    assert "Sample 4 of 16." in page_text(app)
    find_button(app, "Next").click().run()
    assert app.query_params["sample"] == "u004"
    assert "<strong>u004</strong>" in page_text(app)
    find_button(app, "Previous").click().run()
    assert app.query_params["sample"] == "u003"


def test_page_of_the_table_follows_the_open_sample(draw: DrawRun, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.app.pages.samples.PAGE_SIZE", 5)
    app = draw("samples", runs, fresh=True, run="asr-small", order="Original order", sample="u004")
    find_button(app, "Next").click().run()
    assert app.dataframe[0].value["id"].tolist() == ["u005", "u006", "u007", "u008", "u009"]


def test_answers_of_two_runs_are_switched_below_one_player(draw: DrawRun, runs: Path) -> None:
    query = {"run": "asr-large", "with": "asr-small", "filter": "changed=better"}
    app = draw("samples", runs, fresh=True, **query)
    assert set(app.dataframe[0].value["changed"]) == {"better"}
    before = page_text(app)
    app.segmented_control(key="answer-of").set_value("asr-small").run()
    assert len(app.get("audio")) == 1
    assert page_text(app) != before


def test_second_run_of_other_samples_is_explained(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, fresh=True, **{"run": "asr-large", "with": "quiz-good"})
    assert "quiz-good has none of these samples" in page_text(app)


def test_only_one_page_of_rows_is_sent(draw: DrawRun, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.app.pages.samples.PAGE_SIZE", 5)
    app = draw("samples", runs, fresh=True, run="asr-small")
    assert len(app.dataframe[0].value) == 5


def test_damaged_journal_lines_are_reported(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("samples", hostile_runs, run="binary")
    assert "damaged journal lines were skipped" in app.warning[0].value


@pytest.mark.parametrize(
    ("order", "ids"),
    [("Original order", ["a", "b"]), ("Slowest first", ["b", "a"]), ("Longest audio first", ["a", "b"])],
)
def test_samples_are_sorted(order: str, ids: list[str]) -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "seconds": [0.1, 0.2], "audio_seconds": [9.0, 3.0]})
    assert list(sort_samples(frame, order, None)["id"]) == ids


def test_confident_errors_come_first_if_the_model_returned_probabilities() -> None:
    number = make_number("accuracy", right_or_wrong=True)
    frame = pd.DataFrame(
        {"id": list("abcde"), "stat.accuracy": [1.0, 0.0, 0.0, 1.0, None], "confidence": [0.9, 0.5, 0.8, 0.6, 0.99]}
    )
    order = list_orders(frame, number)[0]
    assert order == "Confident errors first"
    assert list(sort_samples(frame, order, number)["id"]) == ["c", "b", "d", "a", "e"]
    assert list_orders(frame.assign(confidence=float("nan")), number)[0] == "Worst first"
    assert list_orders(frame, None)[0] == "Original order"
