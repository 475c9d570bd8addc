"""Statistics of listening tests against choix, evalica, krippendorff and SciPy."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from auricle.metrics.rank_tests import sign_test, signed_rank_test
from auricle.studies.people.analysis import make_agreement_metric
from auricle.studies.people.bradley_terry import NotConnected, fit_bradley_terry
from auricle.studies.people.scores import TestFacts
from tests.support.extras import require_extra


def draw_wins(seed: int) -> Any:
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 7))
    return np.triu(random.integers(1, 12, (size, size)), 1) + np.tril(random.integers(0, 9, (size, size)), -1)


@pytest.mark.parametrize("seed", range(12))
def test_strengths_equal_those_of_choix(seed: int) -> None:
    require_extra("oracles")
    import choix

    wins = draw_wins(seed)
    pairs = [(i, j) for i, row in enumerate(wins) for j, count in enumerate(row) for _ in range(count)]
    try:
        strengths = fit_bradley_terry(wins.astype(np.float64))
    except NotConnected:
        with pytest.raises(ValueError):  # noqa: PT011 - its message differs between versions
            choix.ilsr_pairwise(len(wins), pairs)
    else:
        assert strengths == pytest.approx(choix.ilsr_pairwise(len(wins), pairs, tol=1e-12, max_iter=1000), abs=1e-6)


def test_strengths_with_ties_equal_those_of_evalica() -> None:
    require_extra("oracles")
    import evalica

    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    toy = {("a", "b", 1.0): 7, ("a", "b", 0.0): 3, ("a", "c", 1.0): 8, ("a", "c", 0.0): 2, ("b", "c", 1.0): 6}
    games = Counter({**toy, ("b", "c", 0.0): 2, ("b", "c", 0.5): 2})
    rows = list(games.elements())
    result = evalica.bradley_terry(
        [row[0] for row in rows], [row[1] for row in rows], [winner[row[2]] for row in rows], tolerance=1e-12
    )
    theirs = np.log([result.scores[name] for name in "abc"])
    wins = np.zeros((3, 3))
    for (first, second, share), count in games.items():
        i, j = "abc".index(first), "abc".index(second)
        wins[i, j] += share * count
        wins[j, i] += (1 - share) * count
    assert fit_bradley_terry(wins) == pytest.approx(theirs - theirs.mean(), abs=1e-6)


@pytest.mark.parametrize(("kind", "level"), [("mos", "ordinal"), ("mushra", "interval"), ("ab", "nominal")])
def test_agreement_with_missing_ratings_equals_krippendorff(kind: Any, level: Any) -> None:
    require_extra("oracles")
    import krippendorff

    random = np.random.default_rng(5)
    ratings = random.integers(1, 6, (6, 20)).astype(float)
    ratings[:, :8] = random.integers(2, 4, (1, 8))
    ratings[random.random(ratings.shape) < 0.4] = math.nan
    metric = make_agreement_metric(TestFacts(kind, ("a", "b"), 1, 5))
    stats = [
        (ratings[listener, item], listener + 1, item, 0, 1, 0)
        for listener in range(6)
        for item in range(20)
        if not math.isnan(ratings[listener, item])
    ]
    expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)
    assert metric.aggregate(stats) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_p_values_equal_those_of_scipy(seed: int) -> None:
    require_extra("oracles")
    from scipy import stats

    random = np.random.default_rng(seed)
    differences = random.normal(0.3, 1.0, 14)
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert signed_rank_test(differences) == pytest.approx(expected, abs=1e-9)
    wins = int((differences > 0).sum())
    assert sign_test(wins, 14 - wins) == pytest.approx(stats.binomtest(wins, 14).pvalue, abs=1e-9)
