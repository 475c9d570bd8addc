"""Tests of the page that lists samples."""

from pathlib import Path

import pandas as pd
import pytest

from auricle.app.pages.samples import search_samples, sort_samples
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text


def test_samples_are_listed_worst_first_and_the_first_is_open(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, run="asr-small")
    scores = app.dataframe[0].value["score"]
    assert "16 of 16 samples." in page_text(app)
    assert len(scores) == 16
    assert scores.iloc[0] > scores.iloc[-1]
    assert len(app.get("audio")) == 1


def test_search_selects_samples(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, fresh=True, run="asr-small")
    app.text_input[0].set_value("KITCHEN").run()
    assert "2 of 16 samples." in page_text(app)


def test_metadata_filter_selects_samples(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, fresh=True, run="asr-small")
    app.multiselect(key="slice-speaker").set_value(["s1"]).run()
    assert "4 of 16 samples." in page_text(app)


def test_only_one_page_of_rows_is_sent(draw: DrawRun, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.app.pages.samples.PAGE_SIZE", 5)
    app = draw("samples", runs, fresh=True, run="asr-small")
    assert len(app.dataframe[0].value) == 5


def test_damaged_journal_lines_are_reported(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("samples", hostile_runs, run="binary")
    assert "damaged journal lines were skipped" in app.warning[0].value


def test_search_ignores_case_and_regular_expressions() -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "target": ["One.", "Two"], "answer": ["", ""]})
    assert list(search_samples(frame, " one. ")["id"]) == ["a"]
    assert list(search_samples(frame, ".")["id"]) == ["a"]


@pytest.mark.parametrize(
    ("order", "ids"),
    [("Original order", ["a", "b"]), ("Slowest first", ["b", "a"]), ("Longest audio first", ["a", "b"])],
)
def test_samples_are_sorted(order: str, ids: list[str]) -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "seconds": [0.1, 0.2], "audio_seconds": [9.0, 3.0]})
    assert list(sort_samples(frame, order, None)["id"]) == ids
