"""Answers under conditions, and the numbers made of them."""

from dataclasses import replace

import pytest

from auricle.runs.metrics import FailureExample, FailureKind
from auricle.studies.listening.answers import NO_INTERVAL
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.labels.metrics import option_accuracy
from tests.support.listeners import make_answers

STATS: dict[str, list[float | None]] = {
    "clean": [1.0, 1.0, 0.0],
    "no-audio": [None, None, None],
    "replace:other": [0.0, 1.0, None],
    "shuffle": [1.0, 1.0, 1.0],
    "options:shift=1": [1.0, 0.0, 0.0],
}


def test_controls_are_grouped_by_what_they_change() -> None:
    answers = make_answers(option_accuracy, STATS)
    assert answers.controls == ["replace:other", "shuffle", "options:shift=1"]
    assert answers.soundless == answers.hit_controls == ["replace:other"]
    assert answers.orders == ["clean", "options:shift=1"]


def test_control_without_an_answer_is_undefined_with_the_reason() -> None:
    answers = make_answers(option_accuracy, STATS)
    failure = FailureKind("SampleError", 3, (FailureExample("s0", "", "400 audio is missing."),))
    failed = replace(answers.results["no-audio"], failures=(failure,))
    refused = replace(answers, results={**answers.results, "no-audio": failed})
    assert refused.explain_undefined() == {"no-audio": "no sample was answered: 400 audio is missing."}
    assert answers.explain_undefined() == {"no-audio": "it was not run."}


def test_sample_is_right_if_it_is_a_hit_or_has_no_errors() -> None:
    answers = make_answers(option_accuracy, STATS)
    assert [answers.is_right(option_accuracy, "clean", f"s{index}") for index in range(3)] == [True, True, False]
    transcripts = make_answers(wer, {"clean": [(0, 0, 0, 4), (1, 0, 0, 4)]})
    assert [transcripts.is_right(wer, "clean", f"s{index}") for index in range(2)] == [True, False]


def test_number_depends_on_the_metric_and_the_control() -> None:
    answers = make_answers(option_accuracy, STATS)
    first, same, other = (
        answers.make_number("option_accuracy.gain", "Gain", 0.5, NO_INTERVAL, group=group)
        for group in ("shuffle", "shuffle", "replace:other")
    )
    assert first.signature == same.signature != other.signature
    assert (first.field, first.group, first.low) == ("part", "shuffle", None)


def test_share_has_an_interval_over_samples_or_clusters() -> None:
    samples = ["s0", "s1", "s2"]
    alone = make_answers(option_accuracy, STATS).make_share("share", "Share", samples, lambda sample: sample != "s0")
    assert alone.value == pytest.approx(2 / 3)
    assert (alone.scored, alone.units, alone.unit) == (3, 3, "share")
    clustered = make_answers(option_accuracy, STATS, clusters=["a", "a", "b"])
    assert clustered.make_share("share", "Share", samples, lambda _: True).units == 2
