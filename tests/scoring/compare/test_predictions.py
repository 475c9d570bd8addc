"""Shifts of means."""

import math
from pathlib import Path
from typing import Any

import pytest

from auricle import Prediction, Spec, compare, evaluate
from auricle.report import comparison_text as text
from auricle.runs.run_directory import Run
from auricle.scoring.compare.predictions import measure_agreement


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
    output = "\n".join(text.format_comparison(comparison))
    for reason in set(comparison.refused.values()):
        assert output.count(reason) == 1


pytestmark = pytest.mark.slow


def test_matrices_are_subtracted_over_the_labels_of_both(run: Any, moods: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, "fake-labels", "classify", labels="anger,happy,neutral,sadness,other")
    matrix = compare(a, b).matrix
    assert matrix is not None
    assert [label.label for label in matrix.rows] == ["angry", "happy", "neutral", "sad"]
    assert [label.only_in for label in matrix.columns] == ["", "", "", "", "candidate"]
    assert all(row and sum(row) == pytest.approx(0, abs=1e-9) for row in matrix.cells)
    assert matrix.n_baseline == matrix.n_candidate == (15, 15, 15, 15)
    assert all(label.low <= label.difference <= label.high for label in matrix.diagonal)


@pytest.fixture
def rate_pairs(manifest: Any, tone: Any, tmp_path: Path) -> Any:
    """A run of a model that rates by name, upwards or downwards."""
    for name in "abcd":
        tone(f"{name}.wav")
    pairs = [{"a": f"{x}.wav", "b": f"{y}.wav", "preference": "b"} for x, y in ("ab", "cb", "ad")]
    data = manifest(pairs)

    def make(name: Any, sign: Any) -> Any:
        (tmp_path / f"{name}.py").write_text(
            f"def rate(audio) -> dict:\n"
            f"    return {{'musicality': {sign} * float(ord(audio.path.stem)), '{name}': 1.0}}\n"
        )
        spec = Spec(
            task="preference",
            task_args={"data": str(data), "outputs": "musicality"},
            model=f"{tmp_path / name}.py:rate",
        )
        evaluate(spec, tmp_path / f"run-{name}")
        return tmp_path / f"run-{name}"

    return make


def test_a_comparison_shows_how_far_two_reward_models_agree(rate_pairs: Any) -> None:
    comparison = compare(rate_pairs("first", 1), rate_pairs("second", 2))
    (agreement,) = comparison.agreement
    assert agreement.output == "musicality"
    assert agreement.srcc == pytest.approx(1.0)
    assert agreement.sounds == 6
    assert (agreement.alike, agreement.kappa, agreement.pairs) == (1.0, 1.0, 3)
    output = "\n".join(text.format_comparison(comparison))
    assert "they choose the same of two in 100.0 % of 3 pairs (Cohen's kappa 1.00)" in output


def test_models_that_contradict_each_other_have_a_negative_correlation(rate_pairs: Any) -> None:
    (agreement,) = compare(rate_pairs("first", 1), rate_pairs("second", -1)).agreement
    assert agreement.srcc == pytest.approx(-1.0)
    assert agreement.alike == 0.0


def test_what_is_the_same_for_every_model_is_not_compared(rate_pairs: Any) -> None:
    rows = compare(rate_pairs("first", 1), rate_pairs("second", 2)).rows
    assert {row.metric for row in rows} == {"accuracy"}


def ratings(**values: float) -> Prediction:
    return Prediction(values=values, scale="continuous")


def preferring(sides: str) -> list[tuple[Prediction, Prediction]]:
    """Return one pair of ratings per letter, with the higher rating on the side `a` or `b`."""
    return [(ratings(good=float(side == "a")), ratings(good=float(side == "b"))) for side in sides]


def test_models_with_equal_rankings_agree() -> None:
    a = [(ratings(good=x), ratings(good=y)) for x, y in ((1, 2), (4, 3), (5, 5))]
    b = [(ratings(good=10 * x), ratings(good=10 * y)) for x, y in ((1, 2), (4, 3), (5, 5))]
    (agreement,) = measure_agreement(a, b)
    assert (agreement.output, agreement.srcc, agreement.sounds) == ("good", 1.0, 6)
    assert (agreement.alike, agreement.kappa, agreement.pairs) == (1.0, 1.0, 3)


def test_kappa_is_corrected_for_chance() -> None:
    (agreement,) = measure_agreement(preferring("aabb"), preferring("abab"))
    assert (agreement.alike, agreement.kappa) == (0.5, 0.0)


def test_agreement_covers_shared_outputs_and_samples_both_answered() -> None:
    a = [(ratings(good=1.0, fit=2.0),), (ratings(good=2.0),), ()]
    b = [(ratings(good=3.0, loud=1.0),), (ratings(good=4.0),), (ratings(good=1.0),)]
    (agreement,) = measure_agreement(a, b)
    assert (agreement.output, agreement.sounds, agreement.pairs) == ("good", 2, 0)
    assert math.isnan(agreement.alike)
