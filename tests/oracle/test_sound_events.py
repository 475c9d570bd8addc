"""Metrics of sound events against sed_eval 0.2.1, psds_eval 0.5.3 and sed_scores_eval 0.0.4, and tags against
scikit-learn.

The numbers of the first three were recorded for `make_event_case`. sed_eval computes no F1 for a class in which nothing
is detected and leaves it out of the macro mean; here it counts as 0. The cases have detections in every class.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from auricle.core.types import Prediction, Sample
from auricle.metrics.base import Metric
from auricle.tasks.sound_events.metrics.detection import DetectionSettings
from auricle.tasks.sound_events.metrics.event_based import event_f1, event_f1_macro
from auricle.tasks.sound_events.metrics.psds import psds1, psds2
from auricle.tasks.sound_events.metrics.segment_based import segment_error_rate, segment_f1, segment_f1_macro
from auricle.tasks.sound_events.tagging import lwlrap, mean_ap, mean_auc, micro_ap, tag_f1, tag_f1_macro
from tests.support import paths
from tests.support.event_scores import SECONDS, EventCase, make_event_case
from tests.support.extras import require_extra
from tests.support.sound_events import list_detected, list_scored

require_extra("oracles")

from sklearn import metrics as sklearn_metrics

RECORDED: list[dict[str, Any]] = json.loads((paths.ROOT / "tests/golden/sound-events.json").read_text(encoding="utf-8"))
NUMBERS = [pytest.param(index, id=f"seed-{row['seed']}") for index, row in enumerate(RECORDED)]


@cache
def get_case(index: int) -> EventCase:
    return make_event_case(RECORDED[index]["seed"], **RECORDED[index]["settings"])


@pytest.mark.parametrize("index", NUMBERS)
@pytest.mark.parametrize("metric", [psds1, psds2], ids=lambda metric: metric.name)
def test_psds_equals_that_of_sed_scores_eval_over_all_thresholds(index: int, metric: Metric) -> None:
    stats = [metric.score(*pair, audio_seconds=SECONDS) for pair in list_scored(get_case(index))]
    recorded = RECORDED[index]
    assert metric.aggregate(stats) == pytest.approx(recorded[f"sed_scores_eval.{metric.name}"], abs=1e-9)
    classes = recorded[f"sed_scores_eval.{metric.name}.classes"]
    assert list(metric.details(stats)["psds_classes"].values()) == pytest.approx(list(classes.values()), abs=1e-9)
    if f"psds_eval.{metric.name}" in recorded:  # with an operating point for every score
        assert metric.aggregate(stats) == pytest.approx(recorded[f"psds_eval.{metric.name}"], abs=1e-9)


@pytest.mark.parametrize("index", NUMBERS)
def test_event_based_f1_equals_that_of_sed_eval_with_optimal_matching(index: int) -> None:
    recorded = RECORDED[index]["sed_eval.event.optimal"]
    pairs = list_detected(get_case(index))
    assert event_f1.aggregate([event_f1.score(*pair) for pair in pairs]) == pytest.approx(recorded["f1"], abs=1e-9)
    stats = [event_f1_macro.score(*pair) for pair in pairs]
    assert event_f1_macro.aggregate(stats) == pytest.approx(recorded["macro"], abs=1e-9)
    classes = event_f1_macro.details(stats)["event_classes"].values()
    assert [figures["f1"] for figures in classes] == pytest.approx(list(recorded["classes"].values()), abs=1e-9)


@pytest.mark.parametrize("index", NUMBERS)
@pytest.mark.parametrize("resolution", [1.0, 0.25])
def test_segment_based_numbers_equal_those_of_sed_eval(index: int, resolution: float) -> None:
    recorded = RECORDED[index][f"sed_eval.segment.{resolution:g}"]
    pairs = list_detected(get_case(index))
    settings = DetectionSettings(resolution=resolution)
    values = {}
    for metric in map(settings.apply, (segment_f1, segment_f1_macro, segment_error_rate)):
        stats = [metric.score(*pair) for pair in pairs]
        values[metric.name] = metric.aggregate(stats)
        if metric.name == "segment_error_rate":
            total = metric.details(stats)
            for name, letter in (("substituted", "s"), ("deleted", "d"), ("inserted", "i")):
                rate = total[f"{name}_segments"] / total["true_segments"]
                assert rate == pytest.approx(recorded[letter], abs=1e-9)
    expected = {"segment_f1": "f1", "segment_f1_macro": "macro", "segment_error_rate": "error_rate"}
    assert values == pytest.approx({name: recorded[key] for name, key in expected.items()}, abs=1e-9)


def score_all(metric: Metric, scores: Any, truth: Any, scale: Any = "probability") -> float:
    labels = [f"label {index}" for index in range(scores.shape[1])]
    stats = []
    for row, flags in zip(scores.tolist(), truth.tolist(), strict=True):
        target = [label for label, flag in zip(labels, flags, strict=True) if flag]
        sample = Sample(id="1", inputs={"choices": labels}, target=target)
        stats.append(metric.score(sample, Prediction(values=dict(zip(labels, row, strict=True)), scale=scale)))
    return float(metric.aggregate(stats))


@pytest.mark.parametrize("levels", [0, 4, 1])
@pytest.mark.parametrize("seed", range(5))
def test_tag_metrics_equal_those_of_scikit_learn(seed: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random((40, 6)) < rng.uniform(0.05, 0.6, 6)
    truth[0], truth[1] = True, False  # every class has a positive and a negative
    scores = rng.random((40, 6)) + 0.3 * truth
    scores = np.minimum(np.round(scores * levels) / levels if levels else scores, 1.0)
    expected = {
        mean_ap: sklearn_metrics.average_precision_score(truth, scores, average="macro"),
        micro_ap: sklearn_metrics.average_precision_score(truth, scores, average="micro"),
        mean_auc: sklearn_metrics.roc_auc_score(truth, scores, average="macro"),
        lwlrap: sklearn_metrics.label_ranking_average_precision_score(truth, scores, sample_weight=truth.sum(axis=1)),
        tag_f1: sklearn_metrics.f1_score(truth, scores >= 0.5, average="micro"),
        tag_f1_macro: sklearn_metrics.f1_score(truth, scores >= 0.5, average="macro", zero_division=0),
    }
    for metric, value in expected.items():
        assert score_all(metric, scores, truth) == pytest.approx(value, abs=1e-9), metric.name


def test_a_class_without_positives_is_left_out_as_if_it_did_not_exist() -> None:
    rng = np.random.default_rng(9)
    truth, scores = rng.random((30, 4)) < 0.3, rng.random((30, 4))
    truth[:, 2] = False
    others = [0, 1, 3]
    expected = sklearn_metrics.average_precision_score(truth[:, others], scores[:, others], average="macro")
    assert score_all(mean_ap, scores, truth) == pytest.approx(expected, abs=1e-9)
    expected = sklearn_metrics.roc_auc_score(truth[:, others], scores[:, others], average="macro")
    assert score_all(mean_auc, scores, truth) == pytest.approx(expected, abs=1e-9)
