"""Label metrics: predicted labels, hits, closed sets, and multiple choice."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import pytest

from auricle import Metric
from auricle.core.errors import SampleError, Unreadable, Unsuited, Unsupported
from auricle.core.types import Generation, Likelihood, Output, Prediction, Sample
from auricle.metrics.capabilities import UsesSynonyms
from auricle.metrics.targets import SPOKEN_QUESTION_FIELD, get_choices, get_question, resolve_option
from auricle.report.text_format import format_counts
from auricle.tasks.labels import metrics as labels
from auricle.tasks.labels.metrics import ExpectedCalibrationError, word_match

RAVDESS = ["neutral", "calm", "happy", "sad", "angry", "fearful", "disgust", "surprised"]
EMOTION2VEC = ["生气/angry", "厌恶/disgusted", "恐惧/fearful", "开心/happy", "中立/neutral",
               "其他/other", "难过/sad", "吃惊/surprised", "<unk>"]  # fmt: skip


def scores(
    predicted: str,
    model: Sequence[str] = EMOTION2VEC,
    scale: Literal["probability", "logit", "continuous"] = "probability",
) -> Prediction:
    """Return class scores with a high value for one label."""
    rest = 0.3 / (len(model) - 1)
    return Prediction(values={label: 0.7 if label == predicted else rest for label in model}, scale=scale)


def sample_of(true: str, choices: Sequence[str] = RAVDESS) -> Sample:
    return Sample(id="0", inputs={"choices": list(choices)}, target=true)


def test_a_target_outside_the_choices_fails_the_sample() -> None:
    with pytest.raises(SampleError, match="not one of the task's labels"):
        labels.accuracy.score(sample_of("joyful"), scores("<unk>"))


def test_synonyms_can_be_disabled() -> None:
    sample = sample_of("joy", ["joy", "sad"])
    output = scores("happy", ["happy", "sad"])
    assert labels.accuracy.score(sample, output) == 1.0
    assert isinstance(labels.accuracy, UsesSynonyms)
    without_synonyms = labels.accuracy.without_synonyms()
    assert without_synonyms.score(sample, output) == 0.0
    assert without_synonyms.signature == "accuracy:5.no-synonyms.unreadable-wrong"


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (labels.macro_f1, "mean over 2 labels"),
        (labels.weighted_f1, "over 2 shared labels"),
        (labels.weighted_recall, "over 2 shared labels"),
    ],
)
def test_an_average_states_its_labels_if_they_are_not_those_of_data_and_model(metric: Metric, words: str) -> None:
    def describe(choices: Sequence[str], model: Sequence[str], predicted: str) -> Any:
        sample, output = sample_of("sad", choices), scores(predicted, model)
        aggregate: Any = metric.aggregate
        aggregate = aggregate.with_contexts([aggregate.extract_context(sample, output)])
        return aggregate.details([metric.score(sample, output)])

    details = describe(["sad", "happy", "calm"], ["sad", "happy", "<unk>", "other"], "happy")
    assert details["averaged_labels"] == ["happy", "sad"]
    assert format_counts(details) == f"{words} (3 in the data, 4 of the model)"
    assert "averaged_labels" not in describe(["sad", "happy"], ["sad", "happy"], "happy")


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (Generation(text="happy"), "needs class scores; this model writes text"),
        (Likelihood(logprobs=(-1.0,)), "needs class scores, not Likelihood"),
        (scores("happy", scale="continuous"), "outputs are continuous dimensions"),
    ],
)
def test_outputs_without_class_scores_are_refused(output: Output, message: str) -> None:
    with pytest.raises(Unsuited, match=message):
        labels.require_class_scores(output)


def test_a_model_without_scores_is_unreadable_and_other_outputs_are_unsuited() -> None:
    with pytest.raises(Unreadable, match="returned no scores"):
        labels.require_class_scores(Prediction(values={}, scale="logit"))
    with pytest.raises(Unsuited, match="needs text or class scores, not Likelihood"):
        labels.get_predicted_label(sample_of("happy"), Likelihood(logprobs=(-1.0,)))
    assert labels.read_label_or_none(sample_of("happy"), Generation(text="hm")) is None
    assert labels.read_label_or_none(sample_of("happy"), Generation(text="It is happy.")) == "happy"


def test_a_single_choice_need_not_be_a_list() -> None:
    assert get_choices(Sample(id="0", inputs={"choices": "yes"})) == ["yes"]
    assert get_choices(Sample(id="0", inputs={"choices": ("one", "two")})) == ["one", "two"]
    assert get_choices(Sample(id="0", inputs={})) == []


def test_the_first_of_equal_scores_is_predicted() -> None:
    output = Prediction(values={"b": 0.5, "a": 0.5}, scale="probability")
    assert labels.get_predicted_label(sample_of("a"), output) == "b"


def test_top_k_needs_more_than_k_labels() -> None:
    output = Prediction(values={"开心/happy": 0.2, "难过/sad": 0.5, "<unk>": 0.3}, scale="logit")
    sample = sample_of("happy")
    assert labels.top2.score(sample, output) == 0.0
    with pytest.raises(Unsuited, match="needs more than 3 labels; this model has 3"):
        labels.top3.score(sample, output)


def test_a_closed_set_ignores_unmatched_labels() -> None:
    output = Prediction(values={"<unk>": 0.6, "难过/sad": 0.3, "开心/happy": 0.1}, scale="logit")
    sample = sample_of("sad")
    assert labels.accuracy.score(sample, output) == 0.0
    assert labels.accuracy_closed.score(sample, output) == 1.0
    with pytest.raises(Unsupported, match="shares no label with the task"):
        labels.accuracy_closed.score(sample, Prediction(values={"<unk>": 0.6, "noise": 0.4}, scale="logit"))


@pytest.mark.parametrize(
    "metric",
    [labels.accuracy, labels.uar, labels.top2, labels.ece, labels.accuracy_closed],
    ids=lambda metric: metric.name,
)
def test_continuous_dimensions_are_rejected(metric: Metric) -> None:
    output = Prediction(values={"arousal": 0.2}, scale="continuous")
    with pytest.raises(Unsuited, match="this model's outputs are continuous dimensions"):
        metric.score(sample_of("sad"), output)


@pytest.mark.parametrize("metric", [labels.top2, labels.ece, labels.accuracy_closed])
def test_score_metrics_reject_text(metric: Metric) -> None:
    with pytest.raises(Unsuited, match="this model writes text"):
        metric.score(sample_of("sad"), Generation(text="sad"))


def test_calibration_compares_the_highest_probability_with_the_truth() -> None:
    assert labels.ece.score(sample_of("happy"), scores("开心/happy")) == (0.7, 1.0)
    assert labels.ece.score(sample_of("sad"), scores("开心/happy")) == (0.7, 0.0)
    assert isinstance(labels.ece, UsesSynonyms)
    joyful = sample_of("joy", ["joy", "sad"])
    for metric, hit in ((labels.ece, 1.0), (labels.ece.without_synonyms(), 0.0)):
        assert metric.score(joyful, scores("happy", ["happy", "sad"])) == (0.7, hit)


def test_calibration_rejects_logits() -> None:
    with pytest.raises(Unsuited, match="needs probabilities; this model's outputs are logits"):
        labels.ece.score(sample_of("sad"), scores("<unk>", scale="logit"))


def test_the_question_may_be_written_or_spoken() -> None:
    assert get_question(Sample(id="0", inputs={"question": "Is it a dog?"})) == "Is it a dog?"
    spoken = Sample(id="0", inputs={"question": "Answer."}, meta={SPOKEN_QUESTION_FIELD: "Is it a dog?"})
    assert get_question(spoken) == "Answer.\nIs it a dog?"
    assert get_question(Sample(id="0", inputs={})) == ""


def test_an_option_listed_twice_counts_under_either_letter() -> None:
    sample = Sample(id="0", inputs={"choices": ["ten", "six", "ten"]}, target="C")
    assert labels.option_accuracy.score(sample, Generation(text="A")) == 1.0
    assert labels.option_accuracy.score(sample, Generation(text="B")) == 0.0
    with pytest.raises(Unreadable, match="names no option: 'hm'"):
        labels.option_accuracy.score(sample, Generation(text="hm"))


def test_an_answer_is_compared_with_a_target_that_is_a_letter_without_choices_or_no_option_at_all() -> None:
    without_choices = Sample(id="0", inputs={}, target="B")
    assert labels.option_accuracy.score(without_choices, Generation(text="The answer is B.")) == 1.0
    assert labels.option_accuracy.score(without_choices, Generation(text="The answer is C.")) == 0.0
    wrong_target = Sample(id="0", inputs={"choices": ["sun", "rain"]}, target="snow")
    assert labels.option_accuracy.score(wrong_target, Generation(text="A")) == 0.0


def test_the_error_is_over_fifteen_bins() -> None:
    stats = [(0.95, 1.0)] * 8 + [(0.95, 0.0)] * 2 + [(0.3, 0.0)] * 10
    error = ExpectedCalibrationError()
    assert error(stats) == pytest.approx(0.5 * 0.15 + 0.5 * 0.3)
    assert error.details(stats)["bins"] == [
        {"to": pytest.approx(1 / 3), "n": 10, "confidence": pytest.approx(0.3), "accuracy": 0.0},
        {"to": 1.0, "n": 10, "confidence": pytest.approx(0.95), "accuracy": 0.8},
    ]


def test_a_bin_includes_its_upper_end() -> None:
    (only,) = ExpectedCalibrationError().details([(0.2, 1.0)])["bins"]
    assert only["to"] == pytest.approx(0.2)


@pytest.mark.parametrize(("confidence", "end"), [(0.0, 1 / 15), (1.0, 1.0), (1.0 + 1e-9, 1.0)])
def test_the_first_and_the_last_bin_include_the_ends_of_the_scale(confidence: float, end: float) -> None:
    """Rounding errors of a softmax may exceed one."""
    (only,) = ExpectedCalibrationError().details([(confidence, 1.0)])["bins"]
    assert only["to"] == pytest.approx(end)


def test_no_statistics_have_no_error() -> None:
    assert math.isnan(ExpectedCalibrationError()([]))


OPTIONS = ["An adult man", "A woman", "A child"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("A woman", 1.0),
        ("It is a woman who speaks.", 1.0),
        ("A man", 0.0),
        ("a woman and a man", 0.0),
        ("B", 0.0),
        ("", 0.0),
    ],
)
def test_an_answer_needs_the_words_of_the_right_option_only(answer: str, expected: float) -> None:
    sample = Sample(id="1", inputs={"choices": OPTIONS}, target="A woman")
    assert word_match.score(sample, Generation(text=answer)) == expected


def test_a_target_that_is_not_an_option_fails_the_sample() -> None:
    with pytest.raises(SampleError, match="'A robot' is not one of the options"):
        word_match.score(Sample(id="1", inputs={"choices": OPTIONS}, target="A robot"), Generation(text="A robot"))


@pytest.mark.parametrize(
    ("target", "options", "index"),
    [
        ("b", ["a", "b"], 1),
        (" B ", ["x", "y"], 1),
        ("(C).", ["x", "y", "z"], 2),
        ("Z", ["x"] * 26, 25),
        ("a", ["x", "y"], 0),
        ("C", ["x", "y"], None),
        ("0", ["x", "y"], 0),
        ("1", ["x", "y"], 1),
        (1, ["x", "y"], 1),
        ("2", ["x", "y"], None),
        ("2", ["1", "2"], 1),
        (2, ["1", "2", "3"], 1),
        ("3", [], 3),
        ("A", [], 0),
        ("B", [], 1),
        ("Z", [], 25),
        ("the text", [], None),
        ("Rain", ["sun", " rain "], 1),
        ("B. rain", ["sun", "rain"], 1),
        ("snow", ["sun", "rain"], None),
        (None, ["sun", "none"], 1),
        ("x", ["x", "x"], 0),
        ("do", ["DO", "do"], 1),
    ],
)
def test_a_target_names_an_option_by_text_letter_or_index(target: Any, options: list[str], index: int | None) -> None:
    assert resolve_option(target, options) == index


def test_a_right_option_that_is_listed_twice_may_be_chosen_by_either_letter() -> None:
    sample = Sample(id="1", inputs={"choices": ["cat", "dog", "cat"]}, target="A")
    assert [labels.option_accuracy.score(sample, Generation(text=text)) for text in "ABC"] == [1.0, 0.0, 1.0]
