"""Figures of dimensions against scipy and scikit-learn, on random ratings."""

from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats
from sklearn.metrics import mean_squared_error, roc_auc_score

from auricle.metrics import dimensions
from auricle.metrics.statistics import prepare_weighted

EMOTIONS = ["angry", "calm", "happy", "sad"]


def ratings(seed: Any) -> Any:
    dice = np.random.default_rng(seed)
    true = dice.normal(3, 1, dice.integers(5, 200))
    return 0.5 * true + dice.normal(1, dice.random(), len(true)), true


def emotional(seed: Any) -> Any:
    dice = np.random.default_rng(seed)
    labels = [EMOTIONS[at % 4] for at in range(int(dice.integers(16, 120)))]
    shift = dict(zip(EMOTIONS, dice.normal(0, 1, 4), strict=True))
    values = np.round([shift[label] + dice.normal() for label in labels], 1)  # with equal ones
    return labels, values


@pytest.mark.parametrize("seed", range(20))
def test_agreement_equals_scipy_and_scikit_learn(seed: Any) -> None:
    said, true = ratings(seed)
    pairs = np.column_stack([said, true])
    assert dimensions.pearson_arousal.aggregate(pairs) == pytest.approx(scipy_stats.pearsonr(said, true).statistic)
    assert dimensions.rmse_arousal.aggregate(pairs) == pytest.approx(np.sqrt(mean_squared_error(true, said)))
    together = np.cov(said, true, ddof=0)[0, 1]
    apart = said.var() + true.var() + (said.mean() - true.mean()) ** 2
    assert dimensions.ccc_arousal.aggregate(pairs) == pytest.approx(2 * together / apart)


@pytest.mark.parametrize("metric", [dimensions.ccc_valence, dimensions.rmse_valence])
def test_weights_count_pairs_several_times(metric: Any) -> None:
    said, true = ratings(1)
    pairs = np.column_stack([said, true])
    times = np.random.default_rng(0).integers(0, 4, len(pairs))
    assert prepare_weighted(pairs, metric.fold)(times.astype(float)) == pytest.approx(
        metric.fold(np.repeat(pairs, times, axis=0))
    )


@pytest.mark.parametrize("seed", range(20))
def test_eta_squared_is_that_of_a_one_way_analysis_of_variance(seed: Any) -> None:
    labels, values = emotional(seed)
    groups = [values[[each == name for each in labels]] for name in EMOTIONS]
    f = scipy_stats.f_oneway(*groups).statistic
    between, within = len(groups) - 1, len(values) - len(groups)
    expected = f * between / (f * between + within)
    found = dimensions.eta2_arousal.aggregate(list(zip(labels, values, strict=True)))
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_figures_of_an_emotion_equal_scikit_learn_and_numpy(seed: Any) -> None:
    labels, values = emotional(seed)
    stats = [(label, (("arousal", each),)) for label, each in zip(labels, values, strict=True)]
    found = dimensions.eta2.details(stats)["dimensions"]["arousal"]["emotions"]
    for name in EMOTIONS:
        is_it = np.array([label == name for label in labels])
        own, rest = values[is_it], values[~is_it]
        pooled = ((len(own) - 1) * own.var(ddof=1) + (len(rest) - 1) * rest.var(ddof=1)) / (len(values) - 2)
        assert found[name]["auc"] == pytest.approx(roc_auc_score(is_it, values))
        assert found[name]["mean"] == pytest.approx(own.mean())
        assert found[name]["sd"] == pytest.approx(own.std(ddof=1))
        assert found[name]["d"] == pytest.approx((own.mean() - rest.mean()) / np.sqrt(pooled))


def test_densities_equal_scipy_s() -> None:
    values = np.random.default_rng(2).normal(size=80)
    stats = [("sad", (("arousal", each),)) for each in values]
    drawn = dimensions.eta2.plot_data(stats)["densities"]["arousal"]
    grid = np.linspace(drawn["from"], drawn["to"], len(drawn["of"]["sad"]))
    spread = min(values.std(ddof=1), scipy_stats.iqr(values) / 1.34)
    width = 0.9 * spread * len(values) ** -0.2
    expected = scipy_stats.gaussian_kde(values, width / values.std(ddof=1))(grid)
    assert drawn["of"]["sad"] == pytest.approx(expected, rel=1e-3)
