"""Case and punctuation, by hand and against jiwer."""

import random

import jiwer
import numpy as np
import pytest

from auricle import Generation, Metric, Sample
from auricle.metrics.base import SupportsScale
from auricle.metrics.scales import SHARE
from auricle.tasks.asr.words.written_form import (
    WrittenWord,
    capitalisation_accuracy,
    capitalisation_f1,
    cased_wer,
    count_case,
    count_marks,
    formatted_wer,
    punctuated_wer,
    punctuation_f1,
    punctuation_precision,
    punctuation_recall,
    punctuation_ser,
    split_written,
    written_form,
)

KNOWN = ("hello, world. how are you?", "hello world. how are you.")
"""The comma is deleted, the full stop is right, and the question mark became a full stop."""


def score(metric: Metric, target: str, text: str) -> float:
    return metric.aggregate([metric.score(Sample(id="1", inputs={}, target=target), Generation(text=text))])


def test_the_known_case_has_a_slot_error_rate_of_two_thirds() -> None:
    assert score(punctuation_ser, *KNOWN) == pytest.approx(2 / 3)
    sample = Sample(id="1", inputs={}, target=KNOWN[0])
    details = punctuation_f1.details([punctuation_f1.score(sample, Generation(text=KNOWN[1]))])
    assert details["by_mark"]["."]["f1"] == pytest.approx(2 / 3)
    assert (details["substituted"], details["deleted"], details["inserted"]) == (1, 1, 0)
    assert score(punctuation_precision, *KNOWN) == pytest.approx(1 / 2)
    assert score(punctuation_recall, *KNOWN) == pytest.approx(1 / 3)
    assert score(punctuation_f1, *KNOWN) == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Is it; 3.50?!", [("Is", ""), ("it", ","), ("3.50", "?")]),
        ("“Yes!” - no…", [("Yes", "."), ("no", ".")]),
        ("don’t , stop", [("don't", ","), ("stop", "")]),
        ("你好，吗？", [("你", ""), ("好", ","), ("吗", "?")]),
        ("ＯＫ！ 50%", [("OK", "."), ("50%", "")]),
        ("... ,", []),
        ("", []),
    ],
)
def test_words_are_split_from_marks(text: str, words: list[tuple[str, str]]) -> None:
    assert split_written(text) == [WrittenWord(*word) for word in words]


def test_marks_beside_deleted_and_inserted_words_count() -> None:
    assert count_marks(split_written("a, b."), split_written("b."))[:6] == (1, 2, 1, 0, 1, 0)
    assert count_marks(split_written("b."), split_written("a, b."))[:6] == (1, 1, 2, 0, 0, 1)


def test_error_rates_keep_case_or_marks_or_both() -> None:
    target, text = "Hello, World.", "hello world,"
    assert score(cased_wer, target, text) == 1.0
    assert score(punctuated_wer, target, text) == pytest.approx(2 / 4)
    assert score(formatted_wer, target, text) == pytest.approx(4 / 4)


@pytest.mark.parametrize("seed", range(3))
def test_error_rates_are_those_of_jiwer_on_the_same_words(seed: int) -> None:
    rng = random.Random(seed)
    words = ["Ann", "ann", "met", "Met", "bob"]
    for _ in range(50):
        reference, hypothesis = (
            " ".join(rng.choice(words) + rng.choice(["", "", " ,", " .", " ?"]) for _ in range(rng.randint(1, 9)))
            for _ in range(2)
        )
        assert score(formatted_wer, reference, hypothesis) == pytest.approx(jiwer.wer(reference, hypothesis), abs=1e-9)
        lower = jiwer.wer(reference.lower(), hypothesis.lower())
        assert score(punctuated_wer, reference, hypothesis) == pytest.approx(lower, abs=1e-9)


def test_punctuation_of_equal_words_is_that_of_a_comparison_place_by_place() -> None:
    rng = random.Random(2)
    for _ in range(100):
        marks = [rng.choices(["", ",", ".", "?"], k=8) for _ in range(2)]
        texts = [" ".join(f"w{place}{mark}" for place, mark in enumerate(side)) for side in marks]
        places = list(zip(*marks, strict=True))
        counts = count_marks(*map(split_written, texts))
        errors = [expected != written for expected, written in places]
        assert sum(counts[3:6]) == sum(errors)
        assert counts[0] == sum(expected == written != "" for expected, written in places)
        for place, mark in enumerate((",", ".", "?")):
            assert counts[6 + 3 * place + 1] == marks[0].count(mark)
            assert counts[6 + 3 * place + 2] == marks[1].count(mark)


def test_case_is_compared_for_recognised_words() -> None:
    assert count_case(split_written("Ann met McCoy today"), split_written("ann met Mccoy tomorrow")) == (3, 1, 1, 1, 0)
    assert score(capitalisation_accuracy, "Ann met McCoy today", "ann met Mccoy tomorrow") == pytest.approx(1 / 3)
    assert score(capitalisation_f1, "Ann met McCoy today", "ann met Mccoy tomorrow") == pytest.approx(2 / 3)


def test_without_marks_or_words_scores_are_undefined() -> None:
    for metric in (punctuation_ser, punctuation_f1, capitalisation_accuracy):
        assert score(metric, "", "") != score(metric, "", "")


def test_conventions_are_in_the_signatures() -> None:
    assert cased_wer.signature == "cased_wer:1.pooled.case.written:1"
    assert punctuation_ser.signature == "punctuation_ser:1.all-places.comma-stop-question.written:1"
    assert len({metric.name for metric in written_form}) == 9


def test_samples_with_errors_are_worse() -> None:
    sample = Sample(id="1", inputs={}, target="Ann, met. Bob")
    for metric in written_form:
        right, wrong = (metric.score(sample, Generation(text=text)) for text in ("Ann, met. Bob", "ann. Met Bob"))
        assert right is not None
        assert wrong is not None
        assert metric.badness(wrong) > metric.badness(right)


def test_numbers_of_several_samples_are_pooled() -> None:
    """Counts of every kind differ here, so that none can stand for another."""
    pairs = [
        ("Ann, Bob. Carl? Dora, Eve met us", "Ann. Bob. carl? dora eve Met us?"),
        ("no marks here", "no, marks here"),
        ("Yes, Sir. OK", "Yes, sir. OK"),
    ]
    samples = [(Sample(id=target, inputs={}, target=target), Generation(text=text)) for target, text in pairs]
    values = {
        metric.name: metric.aggregate([metric.score(sample, output) for sample, output in samples])
        for metric in written_form
    }
    # Marks: right are `.` and `?` of the first and both of the third sample, of 6 in references and 7 in answers.
    assert values == pytest.approx(
        {
            "cased_wer": 5 / 13,
            "punctuated_wer": 4 / 19,
            "formatted_wer": 9 / 19,
            "punctuation_f1": 8 / 13,
            "punctuation_precision": 4 / 7,
            "punctuation_recall": 4 / 6,
            "punctuation_ser": 4 / 6,
            "capitalisation_accuracy": 8 / 13,
            "capitalisation_f1": 8 / 13,
        }
    )


def test_directions_scales_and_badness() -> None:
    lower = [metric.name for metric in written_form if not metric.higher_is_better]
    assert lower == ["cased_wer", "punctuated_wer", "formatted_wer", "punctuation_ser"]
    for metric in (punctuation_f1, punctuation_precision, punctuation_recall, capitalisation_accuracy):
        sample = Sample(id="1", inputs={}, target="Ann, met.")
        stats = [metric.score(sample, Generation(text=text)) for text in ("Ann, met.", "ann, met")]
        assert isinstance(metric.aggregate, SupportsScale)
        assert metric.aggregate.choose_scale(stats, np.arange(2)) is SHARE
    stat = cased_wer.score(Sample(id="1", inputs={}, target="Ann met"), Generation(text="ann met"))
    assert stat is not None
    assert cased_wer.badness(stat) == 0.5
