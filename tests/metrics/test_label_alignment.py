"""Alignment of label sets: known cases and invariants."""

import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.metrics.label_alignment import (
    LabelAlignment,
    align_labels,
    alignment_warnings,
    display_label,
    display_labels,
    labels_match,
)

RAVDESS = ["neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised"]
ESD = ["Neutral", "Angry", "Happy", "Sad", "Surprise"]
MELD = ["neutral", "surprise", "fear", "sadness", "joy", "disgust", "anger"]
ENGLISH = ["angry", "disgusted", "fearful", "happy", "neutral", "other", "sad", "surprised",
           "unknown"]  # fmt: skip
BILINGUAL = ["生气/angry", "厌恶/disgusted", "恐惧/fearful", "开心/happy", "中立/neutral",
             "其他/other", "难过/sad", "吃惊/surprised", "<unk>"]  # fmt: skip
LABEL = st.sampled_from(
    [*RAVDESS, *ESD, *MELD, *BILINGUAL, "SAD", "Sad ", "ｓad", "joy", "ps", "others", "", "/", "a/b"]
)
LABELS = st.lists(LABEL | st.text(max_size=6), max_size=12)


def tiers(alignment: LabelAlignment) -> dict[str, str]:
    return {match.truth: match.tier for match in alignment.matches}


@pytest.mark.parametrize("model", [ENGLISH, BILINGUAL], ids=["english", "bilingual"])
def test_ravdess_shares_seven_labels_with_emotion2vec(model: Sequence[str]) -> None:
    alignment = align_labels(RAVDESS, model)
    assert alignment.shared_count == 7
    assert alignment.rows == ("neutral", "happy", "sad", "angry", "fearful", "disgust", "surprised",
                          "calm")  # fmt: skip
    assert [display_label(label) for label in alignment.columns] == [
        "neutral", "happy", "sad", "angry", "fearful", "disgusted", "surprised", "other", "unknown",
    ]  # fmt: skip
    assert set(alignment.columns) == set(model)


def test_esd_shares_all_five_labels_with_emotion2vec() -> None:
    alignment = align_labels(ESD, ENGLISH)
    assert alignment.shared_count == 5
    assert alignment.prediction_by_truth["Surprise"] == "surprised"
    assert tiers(alignment)["Surprise"] == "family"
    assert tiers(alignment)["Angry"] == "case"


def test_joy_matches_happy_unless_synonyms_are_disabled() -> None:
    assert tiers(align_labels(MELD, ENGLISH))["joy"] == "synonym"
    assert align_labels(MELD, ENGLISH).shared_count == 7
    assert align_labels(MELD, ENGLISH, synonyms=False).shared_count == 6


def test_all_spellings_of_pleasant_surprise_match_surprise() -> None:
    for spelling in ("pleasant surprise", "Pleasant_Surprise", "ps"):
        assert align_labels([spelling], ["surprised"]).prediction_by_truth == {spelling: "surprised"}
    assert align_labels(["ps", "surprise"], ["surprised"]).prediction_by_truth == {"surprise": "surprised"}


def test_matches_can_be_looked_up_from_both_sides() -> None:
    alignment = align_labels(["joy", "sad", "calm"], ["Sad", "happy", "other"])
    assert alignment.prediction_by_truth == {"joy": "happy", "sad": "Sad"}
    assert alignment.truth_by_prediction == {"happy": "joy", "Sad": "sad"}


def test_the_first_of_several_spellings_is_matched() -> None:
    assert align_labels(["SAD"], ["Sad", "sad"]).prediction_by_truth == {"SAD": "Sad"}


def test_equal_strings_are_matched_before_word_families() -> None:
    assert align_labels(["sad", "sadness"], ["sadness", "sad"]).prediction_by_truth == {
        "sad": "sad",
        "sadness": "sadness",
    }
    assert set(tiers(align_labels(["sad", "sadness"], ["sadness", "sad"])).values()) == {"exact"}


@pytest.mark.parametrize(
    ("truths", "model", "matches", "unmatched"),
    [
        (["sad", "sadness"], ["sad"], {"sad": "sad"}, ["sadness"]),
        (["happy", "joy"], ["happiness"], {"happy": "happiness"}, ["joy"]),
        (["A", "a"], ["a"], {"a": "a"}, ["A"]),
        (["Ａngry"], ["Angry"], {"Ａngry": "Angry"}, []),
        (["happy"], ["happy/sad"], {}, ["happy"]),
        (["happy"], ["/happy"], {}, ["happy"]),
    ],
)
def test_a_label_has_at_most_one_match(
    truths: list[str], model: list[str], matches: Mapping[str, str], unmatched: list[str]
) -> None:
    alignment = align_labels(truths, model)
    assert alignment.prediction_by_truth == matches
    assert list(alignment.rows[alignment.shared_count :]) == unmatched


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [
        ("calm", "neutral"), ("excited", "happy"), ("contempt", "disgust"),
        ("frustrated", "angry"), ("anxious", "fearful"), ("bored", "neutral"),
        ("other", "unknown"), ("happy", "unhappy"), ("pleased", "displeased"),
        ("fearful", "cheerful"), ("disgust", "disgusting"),
    ],
)  # fmt: skip
def test_different_emotions_never_match(truth: str, prediction: str) -> None:
    assert align_labels([truth], [prediction]).shared_count == 0
    assert align_labels([prediction], [truth]).shared_count == 0


def test_empty_label_sets_have_no_matches() -> None:
    assert align_labels([], ENGLISH).columns == tuple(ENGLISH)
    assert align_labels(RAVDESS, []).rows == tuple(RAVDESS)
    assert align_labels([], []).shared_count == 0


def test_duplicate_labels_are_ignored() -> None:
    alignment = align_labels(["sad", "sad", "angry"], ["sad", "angry", "sad"])
    assert (alignment.rows, alignment.columns) == (("sad", "angry"), ("sad", "angry"))


def test_the_model_s_order_affects_only_unmatched_columns() -> None:
    expected = align_labels(RAVDESS, BILINGUAL)
    for seed in range(20):
        shuffled = random.Random(seed).sample(BILINGUAL, len(BILINGUAL))
        alignment = align_labels(RAVDESS, shuffled)
        assert alignment.matches == expected.matches
        assert alignment.columns[alignment.shared_count :] == tuple(
            label for label in shuffled if label in ("其他/other", "<unk>")
        )


def test_labels_are_shown_in_english() -> None:
    assert display_labels(BILINGUAL) == ENGLISH
    assert display_labels(["happy/sad", "Angry"]) == ["happy/sad", "Angry"]


def test_labels_that_would_look_the_same_are_shown_unchanged() -> None:
    assert display_labels(["生气/angry", "angry", "<unk>"]) == ["生气/angry", "angry", "unknown"]


def test_few_shared_labels_give_a_warning() -> None:
    (warning,) = alignment_warnings(align_labels(["neu", "hap", "ang", "sad"], BILINGUAL))
    assert "Only 1 of the dataset's 4 labels" in warning
    assert "full words" in warning
    assert alignment_warnings(align_labels(RAVDESS, BILINGUAL)) == []


@pytest.mark.parametrize(
    ("truths", "predictions", "warns"),
    [
        (["a", "b", "c", "d"], ["a", "b", "x", "y"], False),
        (["a", "b", "c", "d"], ["a", "w", "x", "y"], True),
        (["a", "b", "c", "d", "e"], ["a", "x"], False),
        (["a", "x"], ["a", "b", "c", "d", "e"], False),
        (["a", "b", "c"], ["a", "x", "y"], True),
    ],
)
def test_labels_are_few_if_less_than_half_of_the_smaller_set_is_shared(
    truths: list[str], predictions: list[str], warns: bool
) -> None:
    assert bool(alignment_warnings(align_labels(truths, predictions))) is warns


@pytest.mark.parametrize(("count", "ending"), [(10, ", t9)"), (11, ", t9, …)")])
def test_a_warning_lists_ten_labels(count: int, ending: str) -> None:
    truths = [f"t{number}" for number in range(count)]
    (warning,) = alignment_warnings(align_labels(truths, ["x", "y", "z"]))
    assert f"dataset's {count} labels (t0, " in warning
    assert f"{ending} match one of the model's 3 (x, y, z)." in warning


def test_matched_synonyms_give_a_warning() -> None:
    (warning,) = alignment_warnings(align_labels(MELD, BILINGUAL))
    assert warning == "Counted as the same label although the words differ: joy and happy."


@pytest.mark.slow
@settings(deadline=None)
@given(LABELS, LABELS, st.booleans())
def test_every_label_appears_once_and_unchanged(truths: list[str], model: list[str], synonyms: bool) -> None:
    alignment = align_labels(truths, model, synonyms)
    assert sorted(alignment.rows) == sorted(set(truths))
    assert sorted(alignment.columns) == sorted(set(model))
    diagonal = list(zip(alignment.rows, alignment.columns, strict=False))[: alignment.shared_count]
    assert [(match.truth, match.prediction) for match in alignment.matches] == diagonal


@settings(deadline=None)
@given(LABELS)
def test_a_label_set_matches_itself(labels: list[str]) -> None:
    alignment = align_labels(labels, labels)
    assert alignment.rows == alignment.columns
    assert set(tiers(alignment).values()) <= {"exact"}


def test_single_labels_match_if_they_mean_the_same() -> None:
    assert labels_match("joy", "生气/happy")
    assert not labels_match("joy", "happy", synonyms=False)
    assert not labels_match("happy", "unhappy")
