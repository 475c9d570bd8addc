"""Label metrics compared with scikit-learn, on random label sets."""

import itertools
import random

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    top_k_accuracy_score,
)

from auricle.core.types import Prediction, Sample
from auricle.report.plot_data import list_averages
from auricle.scoring.summary import replace_non_finite
from auricle.tasks.labels.metrics import (
    accuracy,
    accuracy_matched,
    ece,
    macro_f1,
    macro_precision,
    top2,
    top3,
    uar,
    uar_all,
    weighted_f1,
    weighted_precision,
    weighted_recall,
)

METRICS = [accuracy, accuracy_matched, uar, uar_all, macro_f1, weighted_f1]
LABELS = ["angry", "calm", "happy", "sad", "neutral", "日本"]
MODEL_LABELS = ["生气/angry", "calm", "开心/happy", "难过/sad", "中立/neutral", "其他/other", "<unk>"]
TASK_LABEL = {"生气/angry": "angry", "calm": "calm", "开心/happy": "happy", "难过/sad": "sad",
              "中立/neutral": "neutral"}  # fmt: skip


def random_pairs(seed: int) -> list[tuple[str, str]]:
    rng = random.Random(seed)
    labels = LABELS[: rng.randint(2, len(LABELS))]
    weights = [rng.random() + 0.05 for _ in labels]
    true = rng.choices(labels, weights, k=rng.randint(1, 200))
    predicted = [label if rng.random() < 0.6 else rng.choice(LABELS) for label in true]
    return list(zip(predicted, true, strict=True))


def random_scores(seed: int) -> tuple[list[tuple[Sample, Prediction]], set[str]]:
    """Return samples with random scores of a model with other labels, and the task labels that it has."""
    rng = random.Random(seed)
    choices = [label for label in LABELS if label != "日本"] + ["bored"]
    model_labels = rng.sample(MODEL_LABELS, rng.randint(4, len(MODEL_LABELS)))
    rows = []
    for index in range(rng.randint(2, 120)):
        values = [rng.random() for _ in model_labels]
        total = sum(values)
        shares = dict(zip(model_labels, (value / total for value in values), strict=True))
        sample = Sample(id=str(index), inputs={"choices": choices}, target=rng.choice(choices))
        rows.append((sample, Prediction(values=shares, scale="probability")))
    return rows, {TASK_LABEL[label] for label in model_labels if label in TASK_LABEL}


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("seed", range(50))
def test_aggregates_equal_scikit_learn(seed: int) -> None:
    pairs = random_pairs(seed)
    predicted, true = zip(*pairs, strict=True)
    zero = {"zero_division": 0}
    assert uar.aggregate(pairs) == pytest.approx(balanced_accuracy_score(true, predicted), abs=1e-12)
    assert macro_f1.aggregate(pairs) == pytest.approx(f1_score(true, predicted, average="macro", **zero))
    assert weighted_f1.aggregate(pairs) == pytest.approx(f1_score(true, predicted, average="weighted", **zero))
    for metric, average in ((macro_precision, "macro"), (weighted_precision, "weighted")):
        assert metric.aggregate(pairs) == pytest.approx(precision_score(true, predicted, average=average, **zero))
    assert weighted_recall.aggregate(pairs) == pytest.approx(recall_score(true, predicted, average="weighted", **zero))


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("seed", range(5))
def test_averages_below_the_table_of_classes_equal_scikit_learn(seed: int) -> None:
    pairs = random_pairs(seed)
    predicted, true = zip(*pairs, strict=True)
    averages = list_averages(replace_non_finite(uar.details(pairs)))
    assert [figures.label.partition(" ")[0] for figures in averages] == ["macro", "weighted"]
    for figures, average in zip(averages, ("macro", "weighted"), strict=True):
        expected = precision_recall_fscore_support(true, predicted, average=average, zero_division=0)[:3]
        assert (figures.precision, figures.recall, figures.f1) == pytest.approx(expected)
        assert figures.support == len(pairs)


@pytest.mark.parametrize("seed", range(5))
def test_class_figures_equal_scikit_learn(seed: int) -> None:
    pairs = random_pairs(seed)
    predicted, true = zip(*pairs, strict=True)
    classes = uar.details(pairs)["classes"]
    names = sorted({*predicted, *true})
    expected = precision_recall_fscore_support(true, predicted, labels=names, zero_division=0)
    for index, name in enumerate(names):
        figures = [classes[name][key] for key in ("precision", "recall", "f1", "support")]
        defined = [0.0 if figure != figure else figure for figure in figures]  # scikit-learn has 0 in place of NaN
        assert defined == pytest.approx([column[index] for column in expected])


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("seed", range(50))
def test_figures_of_another_label_set_equal_scikit_learn(seed: int) -> None:
    rows, shared_labels = random_scores(seed)
    true = [sample.target for sample, _ in rows]
    model_labels = [max(output.values, key=lambda label: output.values[label]) for _, output in rows]
    predicted = [TASK_LABEL.get(label, label) for label in model_labels]
    stats = {metric.name: [metric.score(*row) for row in rows] for metric in METRICS}
    value = {metric.name: metric.aggregate(stats[metric.name]) for metric in METRICS}

    assert value["accuracy"] == pytest.approx(accuracy_score(true, predicted))
    assert value["uar_all"] == pytest.approx(balanced_accuracy_score(true, predicted))
    matched = [(t, s) for t, s in zip(true, predicted, strict=True) if t in shared_labels]
    if matched:
        assert value["accuracy_matched"] == pytest.approx(accuracy_score(*zip(*matched, strict=True)))
        assert value["uar"] == pytest.approx(balanced_accuracy_score(*zip(*matched, strict=True)))
    classes = sorted(shared_labels & {*true, *predicted})
    for average in ("macro", "weighted"):
        expected = f1_score(true, predicted, labels=classes, average=average, zero_division=0)
        result = value[f"{average}_f1"]
        assert result == pytest.approx(expected) or (result != result and not {*true} & shared_labels)


@pytest.mark.parametrize("seed", range(50))
def test_top_k_equals_scikit_learn(seed: int) -> None:
    rng = random.Random(seed)
    names = LABELS[: rng.randint(4, len(LABELS))]
    rows = [[rng.random() for _ in names] for _ in range(rng.randint(1, 60))]
    true = rng.choices(names, k=len(rows))
    for k, metric in ((2, top2), (3, top3)):
        hits = [
            metric.score(
                Sample(id="a", inputs={"choices": names}, target=label),
                Prediction(values=dict(zip(names, row, strict=True)), scale="logit"),
            )
            for label, row in zip(true, rows, strict=True)
        ]
        indices = [names.index(label) for label in true]
        expected = top_k_accuracy_score(indices, rows, k=k, labels=range(len(names)))
        assert metric.aggregate(hits) == pytest.approx(expected)


def test_calibration_equals_its_definition() -> None:
    rng = np.random.default_rng(3)
    confidences = rng.random(400)
    hits = (rng.random(400) < confidences).astype(float)
    edges = np.linspace(0, 1, 16)
    gaps = 0.0
    for low, high in itertools.pairwise(edges):
        members = (confidences > low) & (confidences <= high)
        if members.any():
            gaps += members.mean() * abs(hits[members].mean() - confidences[members].mean())
    assert ece.aggregate(np.column_stack([confidences, hits])) == pytest.approx(gaps)


def test_an_answer_without_a_label_is_wrong_and_predicts_no_class() -> None:
    pairs = [("a", "a"), (None, "a"), ("b", "b")]
    assert uar.aggregate(pairs) == pytest.approx(0.75)
    assert macro_f1.aggregate(pairs) == pytest.approx((2 / 3 + 1) / 2)
    matrix = uar.details(pairs)["matrix"]
    assert (matrix["counts"], matrix["unreadable"]) == ([[1, 0], [0, 1]], [1, 0])
