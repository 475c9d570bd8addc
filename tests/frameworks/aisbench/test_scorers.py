"""Scores of single replies; see tests/oracle for AISBench's own results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from auricle.frameworks.aisbench.scorers import SCORERS, BootstrapMedian


@pytest.mark.parametrize(
    ("evaluator", "reply", "reference", "options", "score"),
    [
        ("AccEvaluator", "3", 3, {}, 1.0),
        ("AccwithDetailsEvaluator", "3", 3, {}, 0.0),
        ("Gsm8kEvaluator", "7.0", "7", {}, 1.0),
        ("Gsm8kEvaluator", "NULL", "7", {}, 0.0),
        ("VocalSoundEvaluator", "C: Cough", "cough", {}, 1.0),
        ("VocalSoundEvaluator", "cough", "cough", {}, 0.0),
        ("VocalSoundEvaluator", "", "", {}, 0.0),
        ("RougeEvaluator.rouge1", "The cat!", "the dog", {}, 0.5),
        ("RougeEvaluator.rouge1", "The cat!", ["the dog", "a cat the"], {}, 0.8),
    ],
)
def test_a_reply_is_scored(evaluator: str, reply: str, reference: Any, options: dict[str, str], score: float) -> None:
    assert SCORERS[evaluator](reply, reference, **options) == pytest.approx(score)


def test_the_median_of_resampled_means_is_near_the_mean_and_repeatable() -> None:
    values = [0.0, 0.13, 0.9, 0.41, 0.97]
    medians = [BootstrapMedian(position)(values) for position in (0, 1, 0)]
    assert medians[0] == medians[2] != medians[1]
    assert medians == pytest.approx([0.482] * 3, abs=0.03)
    assert BootstrapMedian(0).prepare_weighted(values)(np.ones(5)) == pytest.approx(0.482)
