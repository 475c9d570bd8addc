"""Label metrics against scikit-learn, on random label sets."""

import random

import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score, precision_recall_fscore_support

from auricle.metrics.labels import macro_f1, uar, weighted_f1

LABELS = ["angry", "calm", "happy", "sad", "neutral", "日本"]


def random_pairs(seed):
    dice = random.Random(seed)
    labels = LABELS[: dice.randint(2, len(LABELS))]
    weights = [dice.random() + 0.05 for _ in labels]
    true = dice.choices(labels, weights, k=dice.randint(1, 200))
    said = [each if dice.random() < 0.6 else dice.choice(LABELS) for each in true]
    return list(zip(said, true, strict=True))


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("seed", range(50))
def test_folds_equal_scikit_learn(seed):
    pairs = random_pairs(seed)
    said, true = zip(*pairs, strict=True)
    zero = {"zero_division": 0}
    assert uar.fold(pairs) == pytest.approx(balanced_accuracy_score(true, said), abs=1e-12)
    assert macro_f1.fold(pairs) == pytest.approx(f1_score(true, said, average="macro", **zero))
    assert weighted_f1.fold(pairs) == pytest.approx(
        f1_score(true, said, average="weighted", **zero)
    )


@pytest.mark.parametrize("seed", range(5))
def test_class_figures_equal_scikit_learn(seed):
    pairs = random_pairs(seed)
    said, true = zip(*pairs, strict=True)
    classes = uar.details(pairs)["classes"]
    names = sorted({*said, *true})
    expected = precision_recall_fscore_support(true, said, labels=names, zero_division=0)
    for at, name in enumerate(names):
        figures = [classes[name][key] for key in ("precision", "recall", "f1", "support")]
        known = [0.0 if figure != figure else figure for figure in figures]  # undefined here is NaN
        assert known == pytest.approx([column[at] for column in expected])


def test_an_answer_that_names_no_label_is_wrong_and_no_class():
    pairs = [("a", "a"), (None, "a"), ("b", "b")]
    assert uar.fold(pairs) == pytest.approx(0.75)
    assert macro_f1.fold(pairs) == pytest.approx((2 / 3 + 1) / 2)
    matrix = uar.details(pairs)["matrix"]
    assert (matrix["counts"], matrix["unreadable"]) == ([[1, 0], [0, 1]], [1, 0])
