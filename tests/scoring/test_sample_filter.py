"""Tests of the filter of samples."""

import math

import pytest

from auricle.core.errors import SpecError
from auricle.scoring.sample_filter import SampleColumns
from tests.support.app_runs import make_number
from tests.support.extras import require_extra

require_extra("pandas")
import pandas as pd

WER, ACCURACY = make_number("wer", higher_is_better=False), make_number("accuracy")
FRAME = pd.DataFrame(
    {
        "id": ["a", "b", "c"],
        "target": ["One.", "two (2)", "three"],
        "answer": ["one", "too", ""],
        "outcome": ["answered", "answered", "failed"],
        "reason": ["", "", "Timeout: late"],
        "true_label": ["happy", "happy", None],
        "predicted_label": ["happy", "unhappy", None],
        "audio_seconds": [1.5, 6.0, math.nan],
        "confidence": [0.9, 0.4, math.nan],
        "stat.wer": [0.0, 0.5, math.nan],
        "stat.accuracy": [1.0, 0.0, math.nan],
        "meta.language": ["de", "en", "de"],
        "meta.duration": ["long", "short", "short"],
        "meta.room size": ["12", "7.5", "?"],
    }
)
COLUMNS = SampleColumns(FRAME, (WER, ACCURACY), ACCURACY)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", "abc"),
        ("ONE.", "a"),
        ("(2)", "b"),
        ("-two", "ac"),
        ("reference:t answer:o", "b"),
        ("label=happy predicted=happy", "a"),
        ("predicted:happy", "ab"),
        ('label=happy predicted=""', ""),
        ('predicted=""', "c"),
        ("duration>5", "b"),
        ("duration<=1.5s", "a"),
        ("confidence>50", "a"),
        ("wer>20", "b"),
        ("WER=0", "a"),
        ("language:D", "ac"),
        ("language=d", ""),
        ("language=de language=en", "abc"),
        ("language!=de", "b"),
        ("-language=de", "b"),
        ("meta.duration=short", "bc"),
        ('"room size">10', "a"),
        ("failed:yes", "c"),
        ("failed:no correct:no", "b"),
        ("correct:yes", "a"),
        ("reason:Timeout:", "c"),
    ],
)
def test_samples_that_match_all_terms_are_selected(text: str, ids: str) -> None:
    assert "".join(FRAME["id"][COLUMNS.match(text)]) == ids


def test_columns_need_not_be_a_data_frame() -> None:
    columns = SampleColumns({name: FRAME[name].tolist() for name in FRAME}, (WER, ACCURACY), ACCURACY)
    for text in ("two", "predicted:happy", 'predicted=""', "wer>20", '"room size">10', "failed:no correct:no"):
        assert columns.match(text).tolist() == COLUMNS.match(text).tolist()
    assert SampleColumns(dict.fromkeys(FRAME, ())).match("one").tolist() == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour:red", "Unknown field 'colour' in the filter. Fields: id, reference, answer, label"),
        ("duration>long", "Not a number in the filter"),
        ("failed:perhaps", "failed is yes or no in a filter"),
    ],
)
def test_filter_that_cannot_be_applied_is_explained(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        COLUMNS.match(text)


def test_correct_needs_scores() -> None:
    with pytest.raises(SpecError, match="the run has no scores"):
        SampleColumns(FRAME).match("correct:no")


def test_metadata_with_the_name_of_another_field_is_listed_with_its_prefix() -> None:
    assert COLUMNS.names[-3:] == ["language", "meta.duration", "room size"]


def test_metadata_goes_before_what_was_measured_on_the_recording() -> None:
    columns = SampleColumns({"meta.level": [1, 2], "signal.level": [-20.0, -30.0], "signal.snr": [5.0, 9.0]}, (), None)
    assert columns.find_column("level") == "meta.level"
    assert columns.find_column("signal.level") == "signal.level"
    assert columns.find_column("snr") == "signal.snr"
