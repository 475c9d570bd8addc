"""Confusion matrices of two label sets: axes, ceilings, notes, and invariants."""

import math
import random
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle import Metric
from auricle.core.types import Failure, Generation, Output, Prediction, Record, Sample
from auricle.metrics.confusion import (
    ClassCounts,
    ConfusionAggregator,
    collect_labels,
    get_task_labels,
    known_accuracy,
    macro_f1,
    macro_precision,
    mean_known_recall,
    mean_recall,
    merge_labels,
    predicted_label,
    weighted_f1,
    weighted_precision,
    weighted_recall,
)
from auricle.metrics.multi_answer import aggregate_answers
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.summary import summarise
from auricle.tasks.labels import metrics as labels

RAVDESS = ["neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised"]
EMOTION2VEC = ["生气/angry", "厌恶/disgusted", "恐惧/fearful", "开心/happy", "中立/neutral",
               "其他/other", "难过/sad", "吃惊/surprised", "<unk>"]  # fmt: skip

CLASS_METRICS = [
    labels.uar,
    labels.uar_all,
    labels.accuracy_matched,
    labels.macro_f1,
    labels.weighted_f1,
    labels.macro_precision,
    labels.weighted_precision,
    labels.weighted_recall,
]
CONFUSION = ConfusionAggregator(mean_recall)
ALL_METRICS = [labels.accuracy, *CLASS_METRICS, labels.top2, labels.ece, labels.accuracy_closed]
BEST_PREDICTIONS = {"neutral": "中立/neutral", "happy": "开心/happy", "sad": "难过/sad",
                    "angry": "生气/angry", "fearful": "恐惧/fearful", "disgust": "厌恶/disgusted",
                    "surprised": "吃惊/surprised", "calm": "中立/neutral"}  # fmt: skip
PAIRS = st.lists(st.tuples(st.sampled_from(RAVDESS), st.sampled_from([*EMOTION2VEC, None])), min_size=1)
few_examples = settings(deadline=None, max_examples=15)  # every example resamples thousands of times


def scores(
    predicted: str,
    model: Sequence[str] = EMOTION2VEC,
    scale: Literal["probability", "logit", "continuous"] = "probability",
) -> Prediction:
    """Return class scores with a high value for one label."""
    rest = 0.3 / (len(model) - 1)
    return Prediction(values={label: 0.7 if label == predicted else rest for label in model}, scale=scale)


def record(row: int, true: str, output: Output | Failure, choices: Sequence[str] = RAVDESS, **meta: int) -> Record:
    sample = Sample(id=str(row), inputs={"choices": list(choices)}, target=true, meta=meta)
    if isinstance(output, Failure):
        return Record(sample=sample, row=row, error=output)
    return Record(sample=sample, row=row, outputs=(output,))


def summaries(records: Sequence[Record], metrics: Sequence[Metric] = ALL_METRICS) -> dict[str, Any]:
    table = ScoreTable(metrics)
    list(score_records(records, table))
    return {number.metric: number for number in summarise(table) if not number.field}


def matrix(records: Sequence[Record]) -> Any:
    return summaries(records, [labels.uar])["uar"].details["matrix"]


def ravdess_records() -> list[Record]:
    """Return records in RAVDESS's proportions, with every label recognised that the model has."""
    true_labels = [label for label in RAVDESS for _ in range(1 if label == "neutral" else 2)]
    return [record(row, label, scores(BEST_PREDICTIONS[label])) for row, label in enumerate(true_labels)]


def records_of(pairs: Sequence[tuple[str, str | None]]) -> list[Record]:
    return [
        record(row, true, Generation(text="no idea") if predicted is None else scores(predicted))
        for row, (true, predicted) in enumerate(pairs)
    ]


def test_ravdess_and_emotion2vec_share_seven_labels() -> None:
    result = matrix(ravdess_records())
    assert result["shared"] == 7
    assert result["rows"][7:] == ["calm"]
    assert result["columns"][7:] == ["其他/other", "<unk>"]
    assert result["columns_shown"][7:] == ["other", "unknown"]
    assert result["columns_shown"][5] == "disgusted"
    assert result["tiers"] == ["case"] * 5 + ["family", "case"]


def test_the_ceiling_of_ravdess_with_emotion2vec_is_reported() -> None:
    result = summaries(ravdess_records())
    assert result["uar"].details["matrix"]["ceiling"] == pytest.approx(1248 / 1440)
    assert result["accuracy"].value == pytest.approx(1248 / 1440)
    assert result["accuracy"].details["ceiling"] == pytest.approx(1248 / 1440)
    assert result["uar"].details["notes"] == [
        "Accuracy can be at most 86.7 %: calm has no counterpart among the model's labels."
    ]


def test_matched_labels_and_all_labels_give_different_numbers() -> None:
    result = {name: number.value for name, number in summaries(ravdess_records()).items()}
    assert result["accuracy_matched"] == result["uar"] == 1.0
    assert result["uar_all"] == pytest.approx(7 / 8)
    assert result["macro_f1"] == pytest.approx((6 + 2 * 1 / (1 + 3)) / 7)  # calm lowers the precision of neutral


def test_no_ceiling_is_reported_if_every_occurring_label_is_matched() -> None:
    result = summaries([record(0, "sad", scores("难过/sad")), record(1, "angry", scores("<unk>"))])
    assert "ceiling" not in result["accuracy"].details
    assert result["uar"].details["notes"] == []
    assert result["accuracy"].value == 0.5


def test_stored_statistics_keep_both_spellings() -> None:
    table = ScoreTable([labels.uar])
    line = table.add(record(0, "angry", scores("生气/angry")))
    assert line.stats["uar"] == ("生气/angry", "angry", "angry", True)
    line = table.add(record(1, "calm", scores("<unk>")))
    assert line.stats["uar"] == ("<unk>", "calm", None, False)


def test_a_text_answer_is_stored_as_a_pair() -> None:
    table = ScoreTable([labels.uar])
    line = table.add(record(0, "angry", Generation(text="They sound angry.")))
    assert line.stats["uar"] == ("angry", "angry")


def test_shares_are_relative_to_their_row() -> None:
    records = [record(index, "sad", scores(predicted)) for index, predicted in enumerate(EMOTION2VEC[:4])]
    result = matrix(records)
    row = result["rows"].index("sad")
    assert sum(result["shares"][row]) == pytest.approx(1.0)
    assert result["shares"][result["rows"].index("calm")] is None


def test_only_one_metric_reports_the_matrix() -> None:
    result = summaries(ravdess_records())
    assert [name for name, number in result.items() if "matrix" in number.details] == ["uar"]


def test_groups_share_the_axes_of_all_samples() -> None:
    records = [record(index, true, scores(BEST_PREDICTIONS[true]), actor=index % 2)
               for index, true in enumerate(["sad", "angry", "sad", "happy"])]  # fmt: skip
    table = ScoreTable([labels.uar])
    list(score_records(records, table))
    axes = {tuple(number.details["matrix"]["rows"]) for number in summarise(table)}
    assert len(axes) == 1


def test_a_failed_sample_of_an_unmatched_label_does_not_raise_the_upper_bound() -> None:
    records = [*ravdess_records(), record(9999, "calm", Failure("X", "y"))]
    result = summaries(records, [labels.uar_all])["uar_all"]
    assert result.best == result.value


def test_a_label_outside_the_task_fails_its_sample() -> None:
    table = ScoreTable([labels.uar])
    table.add(record(0, "Angry", scores("生气/angry")))
    (reason,) = table.columns[0].reasons
    assert "the label 'Angry' is not one of the task's labels: neutral, calm" in reason


def test_a_prediction_outside_the_model_s_labels_gets_its_own_column() -> None:
    assert isinstance(labels.uar.aggregate, ConfusionAggregator)
    aggregate = labels.uar.aggregate.with_contexts([(("sad", "angry"), ("sad", "angry"))])
    details = aggregate.details([("sad", "sad"), ("glad", "angry", None, True)])
    assert details["matrix"]["columns"] == ["sad", "angry", "glad"]
    assert details["matrix"]["unlisted"] == 1
    assert details["notes"] == ["Predicted labels that are not in the model's label set: glad."]


def test_matched_synonyms_are_noted() -> None:
    result = summaries([record(0, "joy", scores("happy", ["happy", "sad"]), ["joy", "sad"])])
    assert "joy and happy" in result["uar"].details["notes"][0]


def test_several_predictions_per_sample_share_a_matrix() -> None:
    outputs = (scores("难过/sad"), scores("开心/happy"))
    sample = Sample(id="0", inputs={"choices": RAVDESS}, target="sad")
    result = summaries([Record(sample=sample, row=0, outputs=outputs)], [aggregate_answers(labels.uar, "mean")])
    assert result["uar"].details["matrix"]["columns"][7:] == ["其他/other", "<unk>"]
    assert result["uar"].value == 0.5


@pytest.mark.slow
@few_examples
@given(PAIRS)
def test_the_matrix_counts_every_sample_once(pairs: list[tuple[str, str | None]]) -> None:
    result = summaries(records_of(pairs), [labels.uar])["uar"].details
    cells = sum(map(sum, result["matrix"]["counts"])) + sum(result["matrix"]["unreadable"])
    assert cells == len(pairs)
    assert sorted(result["matrix"]["rows"]) == sorted(RAVDESS)
    if any(predicted for _, predicted in pairs):
        assert sorted(result["matrix"]["columns"]) == sorted(EMOTION2VEC)
    assert sum(figures["support"] for figures in result["classes"].values()) == len(pairs)


@pytest.mark.slow
@few_examples
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(pairs: list[tuple[str, str | None]], rng: random.Random) -> None:
    records = records_of(pairs)
    shuffled = rng.sample(records, len(records))
    original, reordered = summaries(records, CLASS_METRICS), summaries(shuffled, CLASS_METRICS)
    assert original["uar"].details == reordered["uar"].details
    for name, number in original.items():
        assert number.value == pytest.approx(reordered[name].value, nan_ok=True)


@pytest.mark.slow
@few_examples
@given(PAIRS)
def test_the_diagonal_equals_the_accuracy(pairs: list[tuple[str, str | None]]) -> None:
    result = summaries(records_of(pairs), [labels.accuracy, labels.uar])
    counts = result["uar"].details["matrix"]["counts"]
    hits = sum(counts[index][index] for index in range(result["uar"].details["matrix"]["shared"]))
    if any(predicted for _, predicted in pairs):
        assert result["accuracy"].value == pytest.approx(hits / len(pairs))


def test_without_choices_the_rows_are_the_true_labels() -> None:
    rng = random.Random(0)
    records = []
    for index in range(20):
        true = rng.choice(["sad", "happy"])
        sample = Sample(id=str(index), inputs={}, target=true)
        records.append(Record(sample=sample, row=index, outputs=(scores("难过/sad"),)))
    result = matrix(records)
    assert result["rows"] == ["happy", "sad"]
    assert result["shared"] == 2


# --- label sets --------------------------------------------------------------------------


def test_label_sets_are_merged_in_the_order_of_the_longest() -> None:
    sets = [("c", "d"), ("b", "a", "c"), ("c", "d"), ("a", "e")]
    assert merge_labels(sets) == merge_labels(sets[::-1]) == ("b", "a", "c", "e", "d")


def test_labels_of_a_task_are_its_choices_or_its_target() -> None:
    assert get_task_labels(Sample(id="0", inputs={"choices": ["b", "a"]}, target="a")) == ("b", "a")
    assert get_task_labels(Sample(id="0", inputs={"choices": []}, target="a")) == ("a",)
    assert get_task_labels(Sample(id="0", inputs={}, target=["a", 3])) == ("a", "3")


def test_labels_that_the_model_lacks_are_marked() -> None:
    stats = [("x", "a", "a", True), (None, "c", None, False), ("y", "b", None, True), ("a", "a")]
    assert [predicted_label(stat) for stat in stats] == ["a", None, None, "a"]
    known, labels_of_stats = collect_labels(stats)
    assert labels_of_stats == ["a", "b", "c"]
    assert known.tolist() == [True, True, False]


def test_labels_of_several_outputs_are_merged() -> None:
    sample = Sample(id="0", inputs={"choices": ["a", "b"]}, target="a")
    outputs = [Prediction(values=dict.fromkeys(names, 0.5), scale="logit") for names in ("ab", "acd")]
    assert CONFUSION.extract_context(sample, *outputs) == (("a", "b"), ("a", "c", "d", "b"))
    assert CONFUSION.extract_context(sample, outputs[0]) == (("a", "b"), ("a", "b"))
    assert CONFUSION.extract_context(sample, Generation(text="a")) == (("a", "b"), ())


def test_a_label_that_is_never_predicted_has_a_column() -> None:
    result = CONFUSION.details([("sad", "sad"), ("sad", "angry")])["matrix"]
    assert (result["rows"], result["columns"], result["counts"]) == (["angry", "sad"],) * 2 + ([[0, 1], [0, 1]],)


def test_synonyms_are_matched_unless_disabled() -> None:
    stats = [("happy", "joy", "joy", True)]
    assert CONFUSION.details(stats)["matrix"]["shared"] == 1
    assert ConfusionAggregator(mean_recall, synonyms=False).details(stats)["matrix"]["shared"] == 0


def test_unreadable_answers_are_part_of_their_row() -> None:
    stats = [("sad", "sad"), (None, "sad"), (None, "sad"), ("sad", "sad")]
    details = CONFUSION.details([*stats, ("?", "calm", None, False)])
    assert details["matrix"]["unreadable"] == [2, 0]
    assert details["matrix"]["shares"] == [[0.5, 0.0], [0.0, 1.0]]
    assert details["matrix"]["ceiling"] == 0.8
    assert details["classes"]["sad"]["recall"] == 0.5


def test_a_label_that_the_model_lacks_has_no_precision() -> None:
    stats = [("other", "calm", None, False)] * 2 + [("happy", "happy", "happy", True), (None, "calm", None, False)]
    figures = CONFUSION.details(stats)["classes"]["calm"]
    assert figures == pytest.approx({"precision": math.nan, "recall": 0.0, "f1": 0.0, "support": 3}, nan_ok=True)


def test_a_class_that_is_neither_true_nor_predicted_is_left_out() -> None:
    counts = np.array([0.5, 0.0])  # an answer of two has half the weight of a sample
    classes = ClassCounts(counts, counts, counts, np.ones(2, dtype=bool))
    for aggregate in (macro_f1, weighted_f1, macro_precision, weighted_precision, weighted_recall, mean_recall):
        assert aggregate(classes) == 1.0


def test_recalls_without_any_class_are_undefined() -> None:
    nothing = ClassCounts(np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2, dtype=bool))
    for aggregate in (mean_known_recall, mean_recall, known_accuracy):
        assert math.isnan(aggregate(nothing))
