"""Tests of sample cards."""

from pathlib import Path
from typing import Any

import pytest

from auricle.app.views.sample_card import build_metadata_chips, build_views, format_score
from auricle.core.types import Generation, Output, Prediction, Record, Sample
from auricle.report.sample_view import SampleView
from auricle.report.templating import render
from auricle.runs.metrics import Number
from tests.support import app_runs
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text
from tests.support.app_runs import make_number

ACCURACY = make_number("accuracy", right_or_wrong=True)
EMPTY = make_number("empty", right_or_wrong=True, higher_is_better=False)
ALWAYS_B = make_number("always_b")
RATING = make_number("lcc", unit="")


def test_audio_outside_the_allowed_folders_is_not_played(draw: DrawRun, hostile_runs: Path) -> None:
    app = draw("samples", hostile_runs, run="outside-audio")
    assert not app.get("audio")
    assert "outside the folders the app may read" in page_text(app)


def test_open_sample_has_waveform_spectrogram_and_the_script_of_the_player(draw: DrawRun, runs: Path) -> None:
    app = draw("samples", runs, run="asr-small")
    text = page_text(app)
    assert text.count('<figure class="strip"') == 1
    scripts = [element.proto for element in app.get("html") if "<script" in element.proto.body]
    assert [script.unsafe_allow_javascript for script in scripts] == [True]


@pytest.mark.parametrize(
    ("row", "number", "text"),
    [
        ({"stat.accuracy": 1.0}, ACCURACY, "correct"),
        ({"stat.accuracy": 0.0}, ACCURACY, "incorrect"),
        ({"stat.accuracy": float("nan")}, ACCURACY, ""),
        ({"stat.empty": 1.0}, EMPTY, "incorrect"),
        ({"stat.empty": 0.0}, EMPTY, "correct"),
        ({"stat.always_b": 1.0}, ALWAYS_B, "100.00\u202f%"),
        ({"stat.lcc": 2.0, "reference.lcc": 3.5}, RATING, "error 1.5"),
        ({"stat.accuracy": 6.0, "silence.accuracy": 6.0}, ACCURACY, "6 inserted on silence"),
        ({"stat.accuracy": 1.0, "silence.accuracy": float("nan")}, ACCURACY, "correct"),
        ({}, None, ""),
    ],
)
def test_score_is_formatted(row: dict[str, float], number: Number | None, text: str) -> None:
    assert format_score(row, number) == text


def build_texts(number: Number | None, target: Any, *outputs: Output) -> str:
    record = Record(sample=Sample(id="a", inputs={}, target=target), row=0, outputs=outputs)
    return render("app/templates/card.html", views=build_views(record, number), error=None, reason="")


WER = make_number("wer", details={"substitutions": 1}, signature="wer:1.pooled.basic:1")


def test_alignment_marks_deleted_and_inserted_words() -> None:
    assert "turn <del>it</del> on" in build_texts(WER, "Turn it on.", Generation(text="turn on"))
    texts = build_texts(WER, "turn it on", Generation(text="turn it up"))
    assert "<del>on</del><ins>up</ins>" in texts


def test_words_are_compared_by_the_profile_of_the_signature() -> None:
    raw = make_number("wer", details={"substitutions": 1}, signature="wer:1.pooled.none:1")
    assert "<del>On</del><ins>on</ins>" in build_texts(raw, "On", Generation(text="on"))
    assert "<del>" not in build_texts(WER, "On", Generation(text="on"))


def test_texts_are_escaped() -> None:
    texts = build_texts(WER, app_runs.SCRIPT, Generation(text=app_runs.IMAGE))
    assert "<script" not in texts
    assert "<img" not in texts


def test_both_predictions_of_a_pair_are_shown() -> None:
    pair = [Prediction(values={"musicality": value}, scale="continuous") for value in (1.25, 3.5)]
    texts = build_texts(None, "b", *pair)
    assert texts.index("Answer 1") < texts.index("1.25") < texts.index("Answer 2") < texts.index("3.5")


def test_metadata_without_values_has_no_chips() -> None:
    assert "<ul" not in build_metadata_chips(SampleView("a", meta={"accent": ""}))
    assert "north" in build_metadata_chips(SampleView("a", meta={"accent": "north"}))


def test_alignment_names_the_profile_of_the_number() -> None:
    further = make_number("wer@none", details={"substitutions": 1}, signature="wer:1.pooled.none:1")
    texts = build_texts(further, "On", Generation(text="on"))
    assert '<small title="text normaliser">none</small>' in texts
    assert "<del>On</del><ins>on</ins>" in texts
    assert '<small title="text normaliser">basic</small>' in build_texts(WER, "On", Generation(text="on"))
