"""Label metrics against scikit-learn, on random label sets."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    precision_recall_fscore_support,
    top_k_accuracy_score,
)

from auricle.core.types import Prediction, Sample
from auricle.metrics.labels import accuracy, accuracy_matched, ece, macro_f1, top2, top3, uar, uar_all, weighted_f1

METRICS = [accuracy, accuracy_matched, uar, uar_all, macro_f1, weighted_f1]

LABELS = ["angry", "calm", "happy", "sad", "neutral", "日本"]


def random_pairs(seed: Any) -> Any:
    dice = random.Random(seed)
    labels = LABELS[: dice.randint(2, len(LABELS))]
    weights = [dice.random() + 0.05 for _ in labels]
    true = dice.choices(labels, weights, k=dice.randint(1, 200))
    said = [each if dice.random() < 0.6 else dice.choice(LABELS) for each in true]
    return list(zip(said, true, strict=True))


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("seed", range(50))
def test_folds_equal_scikit_learn(seed: Any) -> None:
    pairs = random_pairs(seed)
    said, true = zip(*pairs, strict=True)
    zero = {"zero_division": 0}
    assert uar.aggregate(pairs) == pytest.approx(balanced_accuracy_score(true, said), abs=1e-12)
    assert macro_f1.aggregate(pairs) == pytest.approx(f1_score(true, said, average="macro", **zero))
    assert weighted_f1.aggregate(pairs) == pytest.approx(f1_score(true, said, average="weighted", **zero))


@pytest.mark.parametrize("seed", range(5))
def test_class_figures_equal_scikit_learn(seed: Any) -> None:
    pairs = random_pairs(seed)
    said, true = zip(*pairs, strict=True)
    classes = uar.details(pairs)["classes"]
    names = sorted({*said, *true})
    expected = precision_recall_fscore_support(true, said, labels=names, zero_division=0)
    for at, name in enumerate(names):
        figures = [classes[name][key] for key in ("precision", "recall", "f1", "support")]
        known = [0.0 if figure != figure else figure for figure in figures]  # undefined here is NaN
        assert known == pytest.approx([column[at] for column in expected])


MODEL = ["生气/angry", "calm", "开心/happy", "难过/sad", "中立/neutral", "其他/other", "<unk>"]
MEANS = {"生气/angry": "angry", "calm": "calm", "开心/happy": "happy", "难过/sad": "sad",
         "中立/neutral": "neutral"}  # fmt: skip


def scored(seed: Any) -> Any:
    """Random scores of a model whose labels are others than the task's, with what they mean."""
    dice = random.Random(seed)
    listed = [each for each in LABELS if each != "日本"] + ["bored"]
    model = dice.sample(MODEL, dice.randint(4, len(MODEL)))
    rows = []
    for at in range(dice.randint(2, 120)):
        values = [dice.random() for _ in model]
        whole = sum(values)
        output = Prediction(
            values=dict(zip(model, (each / whole for each in values), strict=True)), scale="probability"
        )
        sample = Sample(id=str(at), inputs={"choices": listed}, target=dice.choice(listed))
        rows.append((sample, output))
    return rows, {MEANS[label] for label in model if label in MEANS}


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("seed", range(50))
def test_figures_of_another_label_set_equal_scikit_learn(seed: Any) -> None:
    rows, known = scored(seed)
    true = [sample.target for sample, _ in rows]
    raw = [max(output.values, key=output.values.get) for _, output in rows]
    said = [MEANS.get(each, each) for each in raw]
    stats = {each.name: [each.score(*row) for row in rows] for each in METRICS}
    value = {each.name: each.aggregate(stats[each.name]) for each in METRICS}

    assert value["accuracy"] == pytest.approx(accuracy_score(true, said))
    assert value["uar_all"] == pytest.approx(balanced_accuracy_score(true, said))
    kept = [(t, s) for t, s in zip(true, said, strict=True) if t in known]
    if kept:
        assert value["accuracy_matched"] == pytest.approx(accuracy_score(*zip(*kept, strict=True)))
        assert value["uar"] == pytest.approx(balanced_accuracy_score(*zip(*kept, strict=True)))
    classes = sorted(known & {*true, *said})
    for average in ("macro", "weighted"):
        expected = f1_score(true, said, labels=classes, average=average, zero_division=0)
        found = value[f"{average}_f1"]
        assert found == pytest.approx(expected) or (found != found and not {*true} & known)


@pytest.mark.parametrize("seed", range(50))
def test_top_k_equals_scikit_learn(seed: Any) -> None:
    dice = random.Random(seed)
    names = LABELS[: dice.randint(4, len(LABELS))]
    rows = [[dice.random() for _ in names] for _ in range(dice.randint(1, 60))]
    true = dice.choices(names, k=len(rows))
    for k, metric in ((2, top2), (3, top3)):
        hits = [
            metric.score(
                Sample(id="a", inputs={"choices": names}, target=label),
                Prediction(values=dict(zip(names, row, strict=True)), scale="logit"),
            )
            for label, row in zip(true, rows, strict=True)
        ]
        places = [names.index(label) for label in true]
        expected = top_k_accuracy_score(places, rows, k=k, labels=range(len(names)))
        assert metric.aggregate(hits) == pytest.approx(expected)


def test_calibration_equals_its_definition() -> None:
    dice = np.random.default_rng(3)
    sure = dice.random(400)
    hits = (dice.random(400) < sure).astype(float)
    edges = np.linspace(0, 1, 16)
    gaps = 0.0
    for low, high in itertools.pairwise(edges):
        members = (sure > low) & (sure <= high)
        if members.any():
            gaps += members.mean() * abs(hits[members].mean() - sure[members].mean())
    assert ece.aggregate(np.column_stack([sure, hits])) == pytest.approx(gaps)


def test_an_answer_that_names_no_label_is_wrong_and_no_class() -> None:
    pairs = [("a", "a"), (None, "a"), ("b", "b")]
    assert uar.aggregate(pairs) == pytest.approx(0.75)
    assert macro_f1.aggregate(pairs) == pytest.approx((2 / 3 + 1) / 2)
    matrix = uar.details(pairs)["matrix"]
    assert (matrix["counts"], matrix["unreadable"]) == ([[1, 0], [0, 1]], [1, 0])
