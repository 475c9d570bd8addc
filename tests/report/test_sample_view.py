"""What the page shows of the worst samples: texts, scores, alignments, sounds."""

from typing import Any

import pytest

from auricle.core.types import Failure, Generation, Likelihood, Prediction, Record, Sample
from auricle.media import Image, Video
from auricle.metrics.base import Metric, mean
from auricle.report import sample_view, text_format
from auricle.report.sample_view import Edit, align_tokens, build_sample_views, join_tokens
from auricle.tasks.asr import error_rates
from auricle.tasks.labels import metrics as labels
from tests.support.report_pages import view_samples
from tests.tasks.meetings.metrics.meetings import make_answer, make_sample


def record(output: Any = "", target: str = "one two three", name: str = "a", **inputs: Any) -> Any:
    output = Generation(text=output) if isinstance(output, str) else output
    outputs = output if isinstance(output, tuple) else (output,)
    sample = Sample(id=name, inputs=inputs, target=target, meta={"snr": 5.0}, origin="m.jsonl:1")
    return Record(sample=sample, row=0, outputs=outputs)


def test_alignment_names_what_became_of_every_token() -> None:
    assert list(align_tokens(list("abcd"), list("axcde"))) == [
        Edit("equal", ("a",), ("a",)),
        Edit("replace", ("b",), ("x",)),
        Edit("equal", ("c", "d"), ("c", "d")),
        Edit("insert", (), ("e",)),
    ]


def test_alignment_is_over_what_the_metric_sees() -> None:
    (one,) = view_samples([record("ONE, two!")], error_rates.wer)
    assert one.diff == (Edit("equal", ("one", "two"), ("one", "two")), Edit("delete", ("three",), ()))
    assert one.target == "one two three"
    assert one.answer == "ONE, two!"


def test_score_shows_the_errors_it_is_made_of() -> None:
    (one,) = view_samples([record("one too")], error_rates.wer)
    assert one.score.startswith("66.67")
    assert one.errors == "1S 1D 0I of 3"


def test_score_of_a_reference_without_words_is_what_was_inserted() -> None:
    (one,) = view_samples([record("thank you", target="")], error_rates.wer)
    assert (one.score, one.errors) == ("2 inserted on silence", "")


def test_hit_or_miss_is_shown_in_words() -> None:
    cases = [record("cat", target="cat", choices=["cat", "dog"]),
             record("dog", target="cat", choices=["cat", "dog"], name="b")]  # fmt: skip
    assert [each.score for each in view_samples(cases, labels.accuracy)] == ["right", "wrong"]


def test_a_sample_without_a_statistic_has_no_score() -> None:
    metric = Metric("mine", lambda *_: 0.0, mean)
    (one, other) = build_sample_views([record(), record(name="b")], metric, {"a": 0.25})
    assert one.score == "0.2500"
    assert other.score == ""


def test_an_aggregator_that_needs_many_samples_gives_no_score() -> None:
    def correlation(stats: Any) -> float:
        raise ValueError("two at least")

    (one,) = view_samples([record()], Metric("mine", lambda *_: (1.0, 2.0), correlation))
    assert one.score == "–"


def test_run_without_metrics_still_shows_its_samples() -> None:
    (one,) = view_samples([record("hello")], None)
    assert (one.answer, one.score, one.diff) == ("hello", "", ())


def test_failed_record_is_shown_and_not_scored() -> None:
    sample = Sample(id="a", inputs={}, target="x")
    (one,) = view_samples([Record(sample=sample, row=0, error=Failure("Timeout", "too late"))], error_rates.wer)
    assert one.note == "Timeout: too late"
    assert one.score == ""


def test_prediction_is_listed_highest_first_with_the_right_label_kept() -> None:
    values = {f"label{at}": 0.1 / (at + 1) for at in range(20)}
    prediction = Prediction(values=values, scale="probability")
    (one,) = view_samples([record(prediction, target="label19")], labels.accuracy)
    names = [name for name, _ in one.values]
    assert names == [*(f"label{at}" for at in range(sample_view.MAX_VALUES)), "label19"]


def test_likelihoods_are_shown_by_choice() -> None:
    outputs = (Likelihood(logprobs=(-1.0, -0.5)), Likelihood(logprobs=(-3.0,)))
    (one,) = view_samples([record(outputs, choices=["yes", "no"])], None)
    assert one.answer.splitlines() == [
        "yes: log-likelihood -1.500 over 2 tokens",
        "no: log-likelihood -3.000 over 1 token",
    ]


def test_likelihoods_say_what_was_asked_about_and_after_what() -> None:
    outputs = (
        Likelihood(logprobs=(-1.0,), text=" yes"),
        Likelihood(logprobs=(-2.0,), text=" yes", conditioned_on="nothing"),
        Likelihood(logprobs=(-1.0, -3.0), text=" yes", conditioned_on="itself"),
    )
    (one,) = view_samples([record(outputs, choices=["yes"])], None)
    assert one.answer.splitlines() == [
        "yes: log-likelihood -1.000 over 1 token",
        "yes: log-likelihood -2.000 over 1 token, without a prompt",
        "yes: log-likelihood -4.000 over 2 tokens, with the prompt",
    ]


def test_images_and_videos_are_named() -> None:
    videos = [Video("/data/a.mp4", start=1.0, end=2.5), Video("/data/b.mp4")]
    (view,) = view_samples([record("one two", question="What?", video=videos, image=Image(data=b"x"))], None)
    assert view.note == "Video: a.mp4 from 1 s to 2.5 s. Video: b.mp4. Image: in memory."


def test_question_comes_with_its_options() -> None:
    (one,) = view_samples([record(question="Which?", options="\nA. cat\nB. dog")], None)
    assert one.question == "Which?\nA. cat\nB. dog"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (None, None),
        (["a", "b"], "a / b"),
        (2.0, "2"),
        ({"arousal": 0.5, "ids": [1, 2]}, "arousal 0.5, ids 1 / 2"),
        (True, "true"),
    ],
)
def test_targets_of_every_kind_are_shown_plainly(target: Any, expected: str | None) -> None:
    (one,) = view_samples([record(target=target)], None)
    assert one.target == expected


def test_endless_answer_is_cut_with_a_note() -> None:
    (one,) = view_samples([record("word " * 50_000)], error_rates.wer)
    assert len(one.answer) < text_format.MAX_CHARACTERS + 100
    assert "more characters" in one.answer
    assert sum(len(edit.answer) for edit in one.diff) == sample_view.MAX_TOKENS
    assert "first 800 tokens" in one.note


def test_at_most_fifty_are_shown() -> None:
    assert len(view_samples([record(name=str(at)) for at in range(80)], error_rates.wer)) == 50


@pytest.mark.parametrize(
    ("tokens", "expected"), [(["turn", "it", "on"], "turn it on"), (["打", "开", "the", "灯"], "打开 the 灯")]
)
def test_tokens_of_scripts_without_spaces_are_joined_without_spaces(tokens: Any, expected: str) -> None:
    assert join_tokens(tokens, by_character=False) == expected


def test_continuous_values_keep_their_order() -> None:
    outputs = (Prediction(values={"arousal": 0.2, "valence": 0.9}, scale="continuous"),)
    record = Record(sample=Sample(id="a", inputs={}), row=0, outputs=outputs)
    (view,) = view_samples([record], None)
    assert view.is_continuous
    assert view.values == (("arousal", 0.2), ("valence", 0.9))


def test_a_meeting_without_words_is_described_by_its_turns() -> None:
    sample = make_sample("A 0 10\nB 8 20")
    record = Record(sample=sample, row=0, outputs=(make_answer("1 0 9"),))
    (view,) = build_sample_views([record], None, {})
    assert view.target is None
    assert [tuple(line) for line in view.transcript] == [
        ("Reference", "2 turns of 2 speakers"),
        ("Answer", "1 turn of 1 speaker"),
    ]
    assert "Speakers of m" in view.drawing
    assert not view.meta
