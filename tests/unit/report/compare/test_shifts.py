"""Shifts of means."""

from typing import Any

import pytest

from auricle import Prediction, compare
from auricle.runs.run_directory import Run


def test_dimensional_runs_get_mean_shifts_and_no_matrix(run: Any, moods: Any, models: Any) -> None:
    a = run("a", moods, models("Dimensions"), "classify")
    b = run("b", moods, models("Dimensions"), "classify", shift=0.1)
    comparison = compare(a, b)
    assert comparison.matrix is None
    assert "see the shifts of their means instead: arousal, valence" in comparison.refused["confusion matrix"]
    first = comparison.shifts[0]
    assert (first.dimension, first.label, first.n) == ("arousal", "", 60)
    assert first.difference == pytest.approx(0.1)
    assert [each.label for each in comparison.shifts[:5]] == ["", "angry", "happy", "neutral", "sad"]


def test_cohens_d_is_the_shift_in_pooled_deviations(run: Any, moods: Any, models: Any) -> None:
    import numpy as np

    a = run("a", moods, models("Dimensions"), "classify")
    b = run("b", moods, models("Dimensions"), "classify", shift=0.1)
    comparison = compare(a, b)
    outputs = (record.outputs[-1] for record in Run.load(a).records())
    values = [output.values["arousal"] for output in outputs if isinstance(output, Prediction)]
    assert comparison.shifts[0].cohens_d == pytest.approx(0.1 / np.std(values, ddof=1))


def test_dimensions_that_the_runs_do_not_share_are_explained(run: Any, moods: Any, models: Any) -> None:
    a = run("a", moods, models("Dimensions"), "classify", names="arousal")
    b = run("b", moods, models("Dimensions"), "classify", names="energy")
    comparison = compare(a, b)
    assert comparison.shifts == ()
    assert "no dimension in common" in comparison.refused["confusion matrix"]


def test_classes_against_dimensions_are_explained(run: Any, moods: Any, models: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, models("Dimensions"), "classify")
    comparison = compare(a, b)
    assert comparison.matrix is None
    assert "B predicts dimensions" in comparison.refused["confusion matrix"]
    assert comparison.rows == ()
