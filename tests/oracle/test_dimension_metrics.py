"""Dimension metrics compared with scipy and scikit-learn, on random ratings."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats as scipy_stats
from sklearn.metrics import mean_squared_error, roc_auc_score

from auricle import Metric
from auricle.metrics.base import SupportsWeights
from auricle.tasks.labels import dimensions

EMOTIONS = ["angry", "calm", "happy", "sad"]
Array = NDArray[np.float64]


def random_ratings(seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, rng.integers(5, 200))
    return 0.5 * true + rng.normal(1, rng.random(), len(true)), true


def random_emotions(seed: int) -> tuple[list[str], Array]:
    rng = np.random.default_rng(seed)
    labels = [EMOTIONS[index % 4] for index in range(int(rng.integers(16, 120)))]
    shift = dict(zip(EMOTIONS, rng.normal(0, 1, 4), strict=True))
    values = np.round([shift[label] + rng.normal() for label in labels], 1)  # rounded to produce ties
    return labels, values


@pytest.mark.parametrize("seed", range(20))
def test_agreement_equals_scipy_and_scikit_learn(seed: int) -> None:
    predicted, true = random_ratings(seed)
    pairs = np.column_stack([predicted, true])
    assert dimensions.pearson_arousal.aggregate(pairs) == pytest.approx(scipy_stats.pearsonr(predicted, true).statistic)
    assert dimensions.rmse_arousal.aggregate(pairs) == pytest.approx(np.sqrt(mean_squared_error(true, predicted)))
    covariance = np.cov(predicted, true, ddof=0)[0, 1]
    denominator = predicted.var() + true.var() + (predicted.mean() - true.mean()) ** 2
    assert dimensions.ccc_arousal.aggregate(pairs) == pytest.approx(2 * covariance / denominator)


@pytest.mark.parametrize("metric", [dimensions.ccc_valence, dimensions.rmse_valence])
def test_weights_equal_repetition(metric: Metric) -> None:
    predicted, true = random_ratings(1)
    pairs = np.column_stack([predicted, true])
    weights = np.random.default_rng(0).integers(0, 4, len(pairs))
    assert isinstance(metric.aggregate, SupportsWeights)
    assert metric.aggregate.prepare_weighted(pairs)(weights.astype(float)) == pytest.approx(
        metric.aggregate(np.repeat(pairs, weights, axis=0))
    )


@pytest.mark.parametrize("seed", range(20))
def test_eta_squared_equals_a_one_way_analysis_of_variance(seed: int) -> None:
    labels, values = random_emotions(seed)
    groups = [values[[label == name for label in labels]] for name in EMOTIONS]
    f_statistic = scipy_stats.f_oneway(*groups).statistic
    between_df, within_df = len(groups) - 1, len(values) - len(groups)
    expected = f_statistic * between_df / (f_statistic * between_df + within_df)
    result = dimensions.eta2_arousal.aggregate(list(zip(labels, values, strict=True)))
    assert result == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_figures_of_an_emotion_equal_scikit_learn_and_numpy(seed: int) -> None:
    labels, values = random_emotions(seed)
    stats = [(label, (("arousal", value),)) for label, value in zip(labels, values, strict=True)]
    result = dimensions.eta2.details(stats)["dimensions"]["arousal"]["emotions"]
    for name in EMOTIONS:
        members = np.array([label == name for label in labels])
        inside, outside = values[members], values[~members]
        pooled = ((len(inside) - 1) * inside.var(ddof=1) + (len(outside) - 1) * outside.var(ddof=1)) / (len(values) - 2)
        assert result[name]["auc"] == pytest.approx(roc_auc_score(members, values))
        assert result[name]["mean"] == pytest.approx(inside.mean())
        assert result[name]["sd"] == pytest.approx(inside.std(ddof=1))
        assert result[name]["d"] == pytest.approx((inside.mean() - outside.mean()) / np.sqrt(pooled))


def test_densities_equal_scipy() -> None:
    values = np.random.default_rng(2).normal(size=80)
    stats = [("sad", (("arousal", value),)) for value in values]
    densities = dimensions.eta2.plot_data(stats)["densities"]["arousal"]
    grid = np.linspace(densities["from"], densities["to"], len(densities["of"]["sad"]))
    deviation = min(values.std(ddof=1), scipy_stats.iqr(values) / 1.34)
    bandwidth = 0.9 * deviation * len(values) ** -0.2
    expected = scipy_stats.gaussian_kde(values, bandwidth / values.std(ddof=1))(grid)
    assert densities["of"]["sad"] == pytest.approx(expected, rel=1e-3)
