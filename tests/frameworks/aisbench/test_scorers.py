"""Scores of single replies; see tests/oracle for AISBench's own results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError, Unreadable
from auricle.frameworks.aisbench.scorers import SCORERS, BootstrapMedian


@pytest.mark.parametrize(
    ("evaluator", "reply", "reference", "options", "score"),
    [
        ("AccEvaluator", "3", 3, {}, 1.0),
        ("AccwithDetailsEvaluator", "3", 3, {}, 0.0),
        ("Gsm8kEvaluator", "7.0", "7", {}, 1.0),
        ("Gsm8kEvaluator", "NULL", "7", {}, 0.0),
        ("MATHEvaluator", "3j", "3i", {"version": "v2"}, 1.0),
        ("LambadaEvaluator", " the-end of it", "the", {}, 1.0),
        ("LEvalEMEvaluator", "it is big. Not small", "big", {}, 1.0),
        ("TriviaQAEvaluator", "The answer is: Paris.", ["London", "paris"], {}, 1.0),
        ("DropOpenAIEvaluator", "It is\nAnswer: the 12 men", "11|12", {}, 1.0),
        ("DropOpenAIEvaluator", "Answer: !", "12", {}, 0.0),
        ("RealworldQAEvaluator", "So\nANSWER: Yes", "yes", {}, 1.0),
        ("MMLUProBaseEvaluator", "B\nbecause", "B. two", {}, 1.0),
        ("MMLUProBaseEvaluator", "two", "B. two", {}, 1.0),
        ("MMLUProBaseEvaluator", "B", "B. two. three", {}, 0.0),
        ("NeedleBenchOriginEvaluator", "It was Ann.", "story*Ann", {}, 1.0),
        ("NeedleBenchParallelEvaluator", "Ann and Bo", "Ann*Bo*Cy#0*50*100", {}, 2 / 3),
        ("NeedleBenchATCEvaluator", " Ann ", "Ann", {}, 1.0),
        ("VocalSoundEvaluator", "C: Cough", "cough", {}, 1.0),
        ("VocalSoundEvaluator", "cough", "cough", {}, 0.0),
        ("VocalSoundEvaluator", "", "", {}, 0.0),
        ("LongBenchF1Evaluator", "The cat sat.", ["a cat", "dog"], {}, 2 / 3),
        ("LongBenchF1Evaluator", "今天 北京", ["今天。"], {"language": "zh"}, 2 / 3),
        ("LongBenchCountEvaluator", "3 or 4", ["3"], {}, 0.5),
        ("LongBenchCountEvaluator", "none", ["3"], {}, 0.0),
        ("LongBenchRetrievalEvaluator", "Paragraph 3", ["Paragraph 3"], {}, 1.0),
        ("LongBenchCodeSimEvaluator", "# comment\nx = 1\ny = 2", ["x = 1"], {}, 1.0),
        ("LongBenchCodeSimEvaluator", "`", ["x"], {}, 0.0),
        ("LongBenchRougeEvaluator", "", ["x"], {}, 0.0),
        ("RougeEvaluator.rouge1", "The cat!", "the dog", {}, 0.5),
        ("RougeEvaluator.rouge1", "The cat!", ["the dog", "a cat the"], {}, 0.8),
    ],
)
def test_a_reply_is_scored(evaluator: str, reply: str, reference: Any, options: dict[str, str], score: float) -> None:
    assert SCORERS[evaluator](reply, reference, **options) == pytest.approx(score)


@pytest.mark.parametrize(
    ("evaluator", "options"), [("MATHEvaluator", {"version": "v3"}), ("LongBenchF1Evaluator", {"language": "fr"})]
)
def test_an_unknown_option_value_is_rejected(evaluator: str, options: dict[str, str]) -> None:
    with pytest.raises(SpecError, match="should be"):
        SCORERS[evaluator]("x", "x", **options)


@pytest.mark.parametrize(
    ("evaluator", "reference"),
    [
        ("NeedleBenchOriginEvaluator", "no keyword"),
        ("NeedleBenchParallelEvaluator", "no depths"),
        ("LongBenchRetrievalEvaluator", ["no paragraph"]),
    ],
)
def test_a_reference_in_another_form_is_unreadable(evaluator: str, reference: Any) -> None:
    with pytest.raises(Unreadable, match="the reference"):
        SCORERS[evaluator]("x", reference)


def test_the_median_of_resampled_means_is_near_the_mean_and_repeatable() -> None:
    values = [0.0, 0.13, 0.9, 0.41, 0.97]
    medians = [BootstrapMedian(position)(values) for position in (0, 1, 0)]
    assert medians[0] == medians[2] != medians[1]
    assert medians == pytest.approx([0.482] * 3, abs=0.03)
    assert BootstrapMedian(0).prepare_weighted(values)(np.ones(5)) == pytest.approx(0.482)
