"""Tags: scores for each label, labels in text, and what counts."""

import math
from typing import Literal

import pytest

from auricle.core.errors import AnswerRefused, SampleError, Unreadable, Unsuited
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.tasks.sound_events.tagging import (
    NO_SCORE,
    base_rate,
    lwlrap,
    mean_ap,
    tag_f1,
    tag_f1_macro,
    tag_precision,
    tag_recall,
    tagging,
    with_threshold,
)

LABELS = ["dog", "rain", "train"]


def make_sample(*true: str) -> Sample:
    return Sample(id="1", inputs={"choices": LABELS}, target=list(true))


def predict(scale: Literal["probability", "logit", "continuous"] = "continuous", /, **values: float) -> Prediction:
    return Prediction(values=values, scale=scale)


@pytest.mark.parametrize("scale", ["probability", "logit", "continuous"])
def test_scores_of_any_scale_are_ranked(scale: Literal["probability", "logit", "continuous"]) -> None:
    assert mean_ap.score(make_sample("rain"), predict(scale, dog=0.2, rain=0.9, train=0.1)) == (0.2, 0.9, 0.1, 0, 1, 0)


def test_labels_are_matched_without_case_and_those_of_the_model_alone_are_ignored() -> None:
    stat = mean_ap.score(make_sample("dog"), predict(Dog=0.7, RAIN=0.1, train=0.0, whale=0.9))
    assert stat == (0.7, 0.1, 0.0, 1, 0, 0)


def test_a_label_without_a_score_ranks_last() -> None:
    assert mean_ap.score(make_sample("dog"), predict(rain=-5.0)) == (NO_SCORE, -5.0, NO_SCORE, 1, 0, 0)
    assert lwlrap.score(make_sample("dog"), predict(rain=-5.0)) == (1 / 3, 1)


def test_a_model_that_shares_no_label_with_the_task_fails() -> None:
    with pytest.raises(SampleError, match=r"none of the model's labels \(whale"):
        mean_ap.score(make_sample("dog"), predict(whale=0.9))


def test_rankings_need_scores() -> None:
    with pytest.raises(Unsuited, match="writes text"):
        mean_ap.score(make_sample("dog"), Generation(text="dog"))
    with pytest.raises(Unreadable, match="no scores"):
        mean_ap.score(make_sample("dog"), predict())


def test_label_ranking_counts_every_true_label_once() -> None:
    output = predict(dog=0.9, rain=0.5, train=0.1)
    assert lwlrap.score(make_sample("dog", "train"), output) == (1 + 2 / 3, 2)
    assert lwlrap.score(make_sample(), output) == (0.0, 0)
    assert lwlrap.aggregate([(1 + 2 / 3, 2), (0.0, 0)]) == pytest.approx(5 / 6)
    assert math.isnan(lwlrap.aggregate([(0.0, 0)]))


def test_the_base_rate_needs_no_scores() -> None:
    assert base_rate.score(make_sample("rain"), Generation(text="…")) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (predict(dog=0.5, rain=0.49, train=0.9), (1, 1, 1)),
        (predict("logit", dog=0.0, rain=-0.1, train=2.0), (1, 1, 1)),
        (Generation(text="dog and train"), (1, 1, 1)),
        (Generation(text="Dog, rain"), (2, 0, 0)),
        (Generation(text="None."), (0, 0, 2)),
    ],
)
def test_label_sets_come_from_a_threshold_or_from_text(output: Output, expected: tuple[int, ...]) -> None:
    assert tag_f1.score(make_sample("dog", "rain"), output) == expected


def test_a_reply_without_labels_is_unreadable_and_a_refusal_refused() -> None:
    with pytest.raises(Unreadable, match="names no label"):
        tag_f1.score(make_sample("dog"), Generation(text="a busy street"))
    with pytest.raises(AnswerRefused):
        tag_f1.score(make_sample("dog"), Generation(text="I'm sorry, I cannot listen to audio."))


def test_precision_recall_and_f1_are_pooled() -> None:
    pairs = [
        (make_sample("dog", "rain"), Generation(text="dog")),
        (make_sample("train"), Generation(text="dog, train")),
    ]
    precision = tag_precision.aggregate([tag_precision.score(*pair) for pair in pairs])
    recall = tag_recall.aggregate([tag_recall.score(*pair) for pair in pairs])
    stats = [tag_f1.score(*pair) for pair in pairs]
    assert (precision, recall, tag_f1.aggregate(stats)) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert tag_f1.details(stats) == {
        "hits": 2, "false_alarms": 1, "misses": 1, "precision": pytest.approx(2 / 3), "recall": pytest.approx(2 / 3),
    }  # fmt: skip


def test_the_macro_f1_leaves_out_labels_that_are_never_true() -> None:
    pairs = [(make_sample("dog"), Generation(text="dog, rain")), (make_sample("dog"), Generation(text="rain"))]
    assert tag_f1_macro.aggregate([tag_f1_macro.score(*pair) for pair in pairs]) == pytest.approx(2 / 3)


def test_the_threshold_is_part_of_the_signature() -> None:
    strict = with_threshold(tag_f1, 0.8)
    assert strict.score(make_sample("dog"), predict(dog=0.7)) == (0, 0, 1)
    assert "threshold-0.8" in strict.signature
    assert with_threshold(mean_ap, 0.8) is mean_ap


def test_the_worst_recording_is_the_one_whose_labels_rank_lowest() -> None:
    def rate(sample: Sample, output: Prediction) -> float:
        stat = mean_ap.score(sample, output)
        assert stat is not None
        return mean_ap.badness(stat)

    good, bad = predict(dog=0.9, rain=0.1, train=0.2), predict(dog=0.1, rain=0.8, train=0.2)
    assert rate(make_sample("dog"), bad) > rate(make_sample("dog"), good) > rate(make_sample(), bad)


def test_all_metrics_have_a_title_and_a_unit() -> None:
    assert all(metric.title and metric.unit for metric in tagging)
