"""Labels of two sides in one matrix: what it holds, what it costs, and what no order changes."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.core.errors import SampleError, Unsuited
from auricle.core.types import Failure, Generation, Prediction, Record, Sample
from auricle.metrics import labels
from auricle.metrics.multi_answer import aggregate_answers
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise

RAVDESS = ["neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised"]
EMOTION2VEC = ["生气/angry", "厌恶/disgusted", "恐惧/fearful", "开心/happy", "中立/neutral",
               "其他/other", "难过/sad", "吃惊/surprised", "<unk>"]  # fmt: skip
OVER_CLASSES = [labels.uar, labels.uar_all, labels.accuracy_matched, labels.macro_f1,
                labels.weighted_f1]  # fmt: skip
EVERY = [labels.accuracy, *OVER_CLASSES, labels.top2, labels.ece, labels.accuracy_closed]


def scores(said: Any, model: Any = EMOTION2VEC, scale: str = "probability") -> Any:
    """Scores of a model that is rather sure of one label."""
    rest = 0.3 / (len(model) - 1)
    return Prediction(values={label: 0.7 if label == said else rest for label in model}, scale=scale)


def record(at: Any, true: Any, output: Any, choices: Any = RAVDESS, **meta: Any) -> Any:
    sample = Sample(id=str(at), inputs={"choices": list(choices)}, target=true, meta=meta)
    ended = {"error": output} if isinstance(output, Failure) else {"outputs": (output,)}
    return Record(sample=sample, row=at, **ended)


def numbers(records: Any, metrics: Any = EVERY) -> Any:
    board = ScoreTable(metrics)
    list(score_records(records, board))
    return {each.metric: each for each in summarise(board) if not each.field}


def matrix(records: Any) -> Any:
    return numbers(records, [labels.uar])["uar"].details["matrix"]


PERFECT = {"neutral": "中立/neutral", "happy": "开心/happy", "sad": "难过/sad",
           "angry": "生气/angry", "fearful": "恐惧/fearful", "disgust": "厌恶/disgusted",
           "surprised": "吃惊/surprised", "calm": "中立/neutral"}  # fmt: skip


def published(times: int = 1) -> Any:
    """As many of each emotion as RAVDESS has, all recognised that can be."""
    shares = [(true, 96 if true == "neutral" else 192) for true in RAVDESS]
    trues = [true for true, size in shares for _ in range(size * times // 96)]
    return [record(at, true, scores(PERFECT[true])) for at, true in enumerate(trues)]


def test_ravdess_beside_emotion2vec_is_seven_by_seven_and_what_is_left() -> None:
    found = matrix(published())
    assert found["shared"] == 7
    assert found["rows"][7:] == ["calm"]
    assert found["columns"][7:] == ["其他/other", "<unk>"]
    assert found["columns_shown"][7:] == ["other", "unknown"]
    assert found["columns_shown"][5] == "disgusted"
    assert found["tiers"] == ["case"] * 5 + ["family", "case"]


def test_the_ceiling_of_ravdess_beside_emotion2vec_is_stated() -> None:
    found = numbers(published())
    assert found["uar"].details["matrix"]["ceiling"] == pytest.approx(1248 / 1440)
    assert found["accuracy"].value == pytest.approx(1248 / 1440)
    assert found["accuracy"].details["ceiling"] == pytest.approx(1248 / 1440)
    assert found["uar"].details["notes"] == [
        "Accuracy can be at most 86.7 %: calm has no counterpart among the model's labels."
    ]


def test_what_is_matched_and_what_is_all_are_two_numbers() -> None:
    found = {name: each.value for name, each in numbers(published()).items()}
    assert found["accuracy_matched"] == found["uar"] == 1.0
    assert found["uar_all"] == pytest.approx(7 / 8)
    assert found["macro_f1"] == pytest.approx((6 + 2 * 1 / (1 + 3)) / 7)  # calm hurts neutral


def test_no_ceiling_is_told_where_every_label_has_its_partner() -> None:
    found = numbers([record(0, "sad", scores("难过/sad")), record(1, "angry", scores("<unk>"))])
    assert "ceiling" not in found["accuracy"].details
    assert found["uar"].details["notes"] == []
    assert found["accuracy"].value == 0.5


def test_nothing_is_renamed_in_what_is_stored() -> None:
    board = ScoreTable([labels.uar])
    line = board.add(record(0, "angry", scores("生气/angry")))
    assert line["stats"]["uar"] == ("生气/angry", "angry", "angry", True)
    line = board.add(record(1, "calm", scores("<unk>")))
    assert line["stats"]["uar"] == ("<unk>", "calm", None, False)


def test_an_answer_in_words_is_kept_as_a_pair() -> None:
    board = ScoreTable([labels.uar])
    line = board.add(record(0, "angry", Generation(text="They sound angry.")))
    assert line["stats"]["uar"] == ("angry", "angry")


def test_rows_are_shares_of_their_own_sum() -> None:
    records = [record(at, "sad", scores(said)) for at, said in enumerate(EMOTION2VEC[:4])]
    found = matrix(records)
    row = found["rows"].index("sad")
    assert sum(found["shares"][row]) == pytest.approx(1.0)
    assert found["shares"][found["rows"].index("calm")] is None


def test_the_matrix_stands_beside_one_number_alone() -> None:
    found = numbers(published())
    assert [name for name, each in found.items() if "matrix" in each.details] == ["uar"]


def test_groups_share_the_axes_of_all_samples() -> None:
    records = [record(at, true, scores(PERFECT[true]), actor=at % 2)
               for at, true in enumerate(["sad", "angry", "sad", "happy"])]  # fmt: skip
    board = ScoreTable([labels.uar])
    list(score_records(records, board))
    axes = {tuple(each.details["matrix"]["rows"]) for each in summarise(board)}
    assert len(axes) == 1


def test_a_failed_sample_of_a_label_without_a_partner_cannot_have_been_right() -> None:
    records = [*published(), record(9999, "calm", Failure("X", "y"))]
    found = numbers(records, [labels.uar_all])["uar_all"]
    assert found.best == found.value


def test_a_label_the_task_does_not_list_is_told_with_its_sample() -> None:
    board = ScoreTable([labels.uar])
    board.add(record(0, "Angry", scores("生气/angry")))
    (reason,) = board.columns[0].reasons
    assert "its label 'Angry' is none of the task's: neutral, calm" in reason


def test_a_truth_outside_the_task_is_an_error_of_its_sample() -> None:
    with pytest.raises(SampleError):
        labels.accuracy.score(record(0, "joyful", scores("<unk>")).sample, scores("<unk>"))


def test_a_prediction_the_model_does_not_list_gets_a_column_of_its_own() -> None:
    fold = labels.uar.aggregate.within([(("sad", "angry"), ("sad", "angry"))])
    details = fold.details([("sad", "sad"), ("glad", "angry", None, True)])
    assert details["matrix"]["columns"] == ["sad", "angry", "glad"]
    assert details["matrix"]["unlisted"] == 1
    assert details["notes"] == ["Predicted, and not among the labels the model lists: glad."]


def test_synonyms_can_be_told_apart() -> None:
    sample = record(0, "joy", None, ["joy", "sad"]).sample
    output = scores("happy", ["happy", "sad"])
    assert labels.accuracy.score(sample, output) == 1.0
    strict = labels.accuracy.without_synonyms()
    assert strict.score(sample, output) == 0.0
    assert strict.signature == "accuracy:2.no-synonyms.unreadable-wrong"


def test_a_matched_synonym_is_listed() -> None:
    found = numbers([record(0, "joy", scores("happy", ["happy", "sad"]), ["joy", "sad"])])
    assert "joy and happy" in found["uar"].details["notes"][0]


def test_the_first_of_equal_scores_is_what_was_said() -> None:
    output = Prediction(values={"b": 0.5, "a": 0.5}, scale="probability")
    assert labels.extract_label(record(0, "a", None).sample, output) == "b"


def test_the_right_label_among_the_highest_is_a_hit() -> None:
    output = Prediction(values={"开心/happy": 0.2, "难过/sad": 0.5, "<unk>": 0.3}, scale="logit")
    sample = record(0, "happy", None).sample
    assert labels.top2.score(sample, output) == 0.0
    with pytest.raises(Unsuited, match="every one of 3 labels is among the 3 highest"):
        labels.top3.score(sample, output)


def test_a_closed_set_leaves_out_labels_without_a_partner() -> None:
    output = Prediction(values={"<unk>": 0.6, "难过/sad": 0.3, "开心/happy": 0.1}, scale="logit")
    sample = record(0, "sad", None).sample
    assert labels.accuracy.score(sample, output) == 0.0
    assert labels.accuracy_closed.score(sample, output) == 1.0


def test_calibration_is_over_fifteen_bins() -> None:
    sure = [(0.95, 1.0)] * 8 + [(0.95, 0.0)] * 2 + [(0.3, 0.0)] * 10
    assert labels.ece.aggregate(sure) == pytest.approx(0.5 * 0.15 + 0.5 * 0.3)
    bins = labels.ece.details(sure)["bins"]
    assert [(each["n"], each["accuracy"]) for each in bins] == [(10, 0.0), (10, 0.8)]


def test_a_confidence_on_an_edge_belongs_to_the_bin_it_ends() -> None:
    (only,) = labels.ece.details([(0.2, 1.0)])["bins"]
    assert only["to"] == pytest.approx(0.2)


@pytest.mark.parametrize("metric", EVERY, ids=lambda each: each.name)
def test_dimensions_are_refused(metric: Any) -> None:
    output = Prediction(values={"arousal": 0.2}, scale="continuous")
    with pytest.raises(Unsuited, match="this model's outputs are continuous dimensions"):
        metric.score(record(0, "sad", None).sample, output)


@pytest.mark.parametrize("metric", [labels.top2, labels.ece, labels.accuracy_closed])
def test_text_has_no_scores(metric: Any) -> None:
    with pytest.raises(Unsuited, match="this model writes text"):
        metric.score(record(0, "sad", None).sample, Generation(text="sad"))


def test_logits_are_no_probabilities() -> None:
    with pytest.raises(Unsuited, match="needs probabilities; this model's outputs are logits"):
        labels.ece.score(record(0, "sad", None).sample, scores("<unk>", scale="logit"))


def test_several_scored_answers_share_a_matrix() -> None:
    both = (scores("难过/sad"), scores("开心/happy"))
    sample = record(0, "sad", None).sample
    found = numbers([Record(sample=sample, row=0, outputs=both)], [aggregate_answers(labels.uar, "mean")])
    assert found["uar"].details["matrix"]["columns"][7:] == ["其他/other", "<unk>"]
    assert found["uar"].value == 0.5


PAIRS = st.lists(st.tuples(st.sampled_from(RAVDESS), st.sampled_from([*EMOTION2VEC, None])), min_size=1)


SLOWLY = settings(deadline=None, max_examples=15)  # every example draws thousands of times


def made(pairs: Any) -> Any:
    return [
        record(at, true, Generation(text="no idea") if said is None else scores(said))
        for at, (true, said) in enumerate(pairs)
    ]


@SLOWLY
@given(PAIRS)
def test_no_sample_is_lost_and_each_label_stands_once(pairs: Any) -> None:
    found = numbers(made(pairs), [labels.uar])["uar"].details
    cells = sum(map(sum, found["matrix"]["counts"])) + sum(found["matrix"]["unreadable"])
    assert cells == len(pairs)
    assert sorted(found["matrix"]["rows"]) == sorted(RAVDESS)
    if any(said for _, said in pairs):
        assert sorted(found["matrix"]["columns"]) == sorted(EMOTION2VEC)
    assert sum(each["support"] for each in found["classes"].values()) == len(pairs)


@SLOWLY
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_samples_never_matters(pairs: Any, dice: Any) -> None:
    records = made(pairs)
    mixed = dice.sample(records, len(records))
    one, other = numbers(records, OVER_CLASSES), numbers(mixed, OVER_CLASSES)
    assert one["uar"].details == other["uar"].details
    for name, each in one.items():
        assert each.value == pytest.approx(other[name].value, nan_ok=True)


@SLOWLY
@given(PAIRS)
def test_the_diagonal_is_the_accuracy(pairs: Any) -> None:
    found = numbers(made(pairs), [labels.accuracy, labels.uar])
    counts = found["uar"].details["matrix"]["counts"]
    hits = sum(counts[at][at] for at in range(found["uar"].details["matrix"]["shared"]))
    if any(said for _, said in pairs):
        assert found["accuracy"].value == pytest.approx(hits / len(pairs))


def test_labels_without_a_list_are_those_that_are_true_somewhere() -> None:
    dice = random.Random(0)
    records = []
    for at in range(20):
        true = dice.choice(["sad", "happy"])
        sample = Sample(id=str(at), inputs={}, target=true)
        records.append(Record(sample=sample, row=at, outputs=(scores("难过/sad"),)))
    found = matrix(records)
    assert found["rows"] == ["happy", "sad"]
    assert found["shared"] == 2
