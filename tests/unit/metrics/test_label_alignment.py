"""Labels of two sides, matched: every case that was ever argued about, and laws for all others."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.metrics.label_alignment import align_labels, alignment_warnings, display_label, display_labels

RAVDESS = ["neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised"]
ESD = ["Neutral", "Angry", "Happy", "Sad", "Surprise"]
MELD = ["neutral", "surprise", "fear", "sadness", "joy", "disgust", "anger"]
ENGLISH = ["angry", "disgusted", "fearful", "happy", "neutral", "other", "sad", "surprised",
           "unknown"]  # fmt: skip
BILINGUAL = ["生气/angry", "厌恶/disgusted", "恐惧/fearful", "开心/happy", "中立/neutral",
             "其他/other", "难过/sad", "吃惊/surprised", "<unk>"]  # fmt: skip


def tiers(alignment: Any) -> Any:
    return {pair.truth: pair.tier for pair in alignment.pairs}


@pytest.mark.parametrize("model", [ENGLISH, BILINGUAL], ids=["english", "bilingual"])
def test_ravdess_shares_seven_labels_with_emotion2vec(model: Any) -> None:
    found = align_labels(RAVDESS, model)
    assert found.shared_count == 7
    assert found.rows == ("neutral", "happy", "sad", "angry", "fearful", "disgust", "surprised",
                          "calm")  # fmt: skip
    assert [display_label(label) for label in found.columns] == [
        "neutral", "happy", "sad", "angry", "fearful", "disgusted", "surprised", "other", "unknown",
    ]  # fmt: skip
    assert set(found.columns) == set(model)


def test_esd_shares_all_five() -> None:
    found = align_labels(ESD, ENGLISH)
    assert found.shared_count == 5
    assert found.prediction_by_truth["Surprise"] == "surprised"
    assert tiers(found)["Surprise"] == "family"
    assert tiers(found)["Angry"] == "case"


def test_joy_is_happiness_unless_synonyms_are_off() -> None:
    assert tiers(align_labels(MELD, ENGLISH))["joy"] == "synonym"
    assert align_labels(MELD, ENGLISH).shared_count == 7
    assert align_labels(MELD, ENGLISH, synonyms=False).shared_count == 6


def test_pleasant_surprise_is_surprise_however_it_is_written() -> None:
    for written in ("pleasant surprise", "Pleasant_Surprise", "ps"):
        assert align_labels([written], ["surprised"]).prediction_by_truth == {written: "surprised"}
    assert align_labels(["ps", "surprise"], ["surprised"]).prediction_by_truth == {"surprise": "surprised"}


def test_the_same_string_goes_before_the_same_family() -> None:
    assert align_labels(["sad", "sadness"], ["sadness", "sad"]).prediction_by_truth == {
        "sad": "sad",
        "sadness": "sadness",
    }
    assert set(tiers(align_labels(["sad", "sadness"], ["sadness", "sad"])).values()) == {"exact"}


@pytest.mark.parametrize(
    ("truths", "model", "partners", "alone"),
    [
        (["sad", "sadness"], ["sad"], {"sad": "sad"}, ["sadness"]),
        (["happy", "joy"], ["happiness"], {"happy": "happiness"}, ["joy"]),
        (["A", "a"], ["a"], {"a": "a"}, ["A"]),
        (["Ａngry"], ["Angry"], {"Ａngry": "Angry"}, []),
        (["happy"], ["happy/sad"], {}, ["happy"]),
        (["happy"], ["/happy"], {}, ["happy"]),
    ],
)
def test_a_label_has_one_partner_or_none(truths: Any, model: Any, partners: Any, alone: Any) -> None:
    found = align_labels(truths, model)
    assert found.prediction_by_truth == partners
    assert list(found.rows[found.shared_count :]) == alone


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


def test_nothing_matches_nothing() -> None:
    assert align_labels([], ENGLISH).columns == tuple(ENGLISH)
    assert align_labels(RAVDESS, []).rows == tuple(RAVDESS)
    assert align_labels([], []).shared_count == 0


def test_a_label_given_twice_counts_once() -> None:
    found = align_labels(["sad", "sad", "angry"], ["sad", "angry", "sad"])
    assert (found.rows, found.columns) == (("sad", "angry"), ("sad", "angry"))


def test_the_model_s_order_moves_only_columns_without_a_row() -> None:
    expected = align_labels(RAVDESS, BILINGUAL)
    for seed in range(20):
        mixed = random.Random(seed).sample(BILINGUAL, len(BILINGUAL))
        found = align_labels(RAVDESS, mixed)
        assert found.matches == expected.matches
        assert found.columns[found.shared_count :] == tuple(each for each in mixed if each in ("其他/other", "<unk>"))


def test_labels_are_shown_in_english() -> None:
    assert display_labels(BILINGUAL) == ENGLISH
    assert display_labels(["happy/sad", "Angry"]) == ["happy/sad", "Angry"]


def test_labels_that_would_look_the_same_are_shown_raw() -> None:
    assert display_labels(["生气/angry", "angry", "<unk>"]) == ["生气/angry", "angry", "unknown"]


def test_a_poor_match_is_warned_of() -> None:
    (told,) = alignment_warnings(align_labels(["neu", "hap", "ang", "sad"], BILINGUAL))
    assert "Only 1 of the dataset's 4 labels" in told
    assert "whole words" in told
    assert alignment_warnings(align_labels(RAVDESS, BILINGUAL)) == []


def test_synonyms_are_listed() -> None:
    (told,) = alignment_warnings(align_labels(MELD, BILINGUAL))
    assert told == "Counted as the same though they are different words: joy and happy."


WORDS = st.sampled_from(
    [*RAVDESS, *ESD, *MELD, *BILINGUAL, "SAD", "Sad ", "ｓad", "joy", "ps", "others", "", "/", "a/b"]
)
LABELS = st.lists(WORDS | st.text(max_size=6), max_size=12)


@settings(deadline=None)
@given(LABELS, LABELS, st.booleans())
def test_each_label_stands_once_and_none_is_lost_or_renamed(truths: Any, model: Any, synonyms: Any) -> None:
    found = align_labels(truths, model, synonyms)
    assert sorted(found.rows) == sorted(set(truths))
    assert sorted(found.columns) == sorted(set(model))
    on_the_diagonal = zip(found.rows, found.columns, strict=False)
    assert [(p.truth, p.prediction) for p in found.matches] == [*on_the_diagonal][: found.shared_count]


@settings(deadline=None)
@given(LABELS)
def test_a_label_set_matches_itself_whole(labels: Any) -> None:
    found = align_labels(labels, labels)
    assert found.rows == found.columns
    assert set(tiers(found).values()) <= {"exact"}
