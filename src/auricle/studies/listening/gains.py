"""Listening gains: how much better a model is with the sound than in each control, and than in the best of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from auricle.engine.conditions import CLEAN
from auricle.metrics.base import Metric
from auricle.metrics.distributions import normal_quantile
from auricle.metrics.intervals import Difference, Interval, adjust_holm, compare_paired
from auricle.metrics.jackknife import standard_error, unit_influences
from auricle.metrics.rank_intervals import MAX_DRAWS, draw_weights
from auricle.metrics.scales import UPPER
from auricle.runs.metrics import Number
from auricle.studies.listening.answers import ListeningAnswers
from auricle.studies.listening.table import GAIN


def compute_gains(answers: ListeningAnswers, metric: Metric) -> list[Number]:
    """Compute how much better the model is with the sound than in each control."""
    differences = {
        control: _compare(answers, metric, control, ids)
        for control in answers.controls
        if (ids := answers.list_scored(metric, [CLEAN, control]))
    }
    adjusted = adjust_holm([difference.p for difference in differences.values()])
    return [
        _make_gain(answers, metric, control, difference, {"p": difference.p, "adjusted_p": p})
        for (control, difference), p in zip(differences.items(), adjusted, strict=True)
    ]


def compute_gain_against_best(answers: ListeningAnswers, metric: Metric) -> Number | None:
    """Compute the smallest of the gains against controls without the sound, over the samples that all scored.

    The lower end of its interval is the smallest of the lower ends of all gains, which needs no adjustment: it is
    too high only if that of the truly best control is. The upper end is the smallest of their upper ends, which are
    moved away until all of them hold together; how far is read from joint draws of the units.
    """
    scored = [name for name in answers.soundless if answers.list_scored(metric, [CLEAN, name])]
    ids = answers.list_scored(metric, [CLEAN, *scored])
    gains = {control: _compare(answers, metric, control, ids) for control in scored}
    differences = {control: gain for control, gain in gains.items() if math.isfinite(gain.difference)}
    if not differences:
        return None
    controls = list(differences)
    best = min(controls, key=lambda control: differences[control].difference)
    factor = _widen_jointly(answers, metric, controls, ids)
    ends = [(gain.low, gain.difference + factor * (gain.high - gain.difference)) for gain in differences.values()]
    low, high = (min(side) for side in zip(*ends, strict=True))
    is_gain = all(gain.difference > 0 for gain in differences.values())
    p = max(gain.p for gain in differences.values()) if is_gain else 1.0
    gain = replace(differences[best], low=low, high=max(low, high), method="best-control")
    number = _make_gain(answers, metric, "", gain, {"p": p, "control": best, "controls": controls})
    return replace(number, field="", group="all")


def _compare(answers: ListeningAnswers, metric: Metric, control: str, ids: Sequence[str]) -> Difference:
    with_sound, without = (answers.stats(metric, name, ids) for name in (CLEAN, control))
    sides = (without, with_sound) if metric.higher_is_better else (with_sound, without)
    return compare_paired(*sides, metric.aggregate, answers.encode_clusters(ids))


def _widen_jointly(answers: ListeningAnswers, metric: Metric, controls: Sequence[str], ids: Sequence[str]) -> float:
    """Return how much further away the ends of all gains are that hold together than those of one gain."""
    clusters = answers.encode_clusters(ids)
    base, *others = (
        unit_influences(answers.stats(metric, name, ids), metric.aggregate, clusters) for name in (CLEAN, *controls)
    )
    sign = 1 if metric.higher_is_better else -1
    influences = np.array([sign * (base - other) for other in others])
    errors = np.array([standard_error(row) for row in influences])
    influences, errors = influences[errors > 0], errors[errors > 0]
    if len(errors) < 2 or not np.isfinite(influences).all():
        return 1.0
    deviations = np.concatenate(
        [(1 - weights) @ influences.T / errors for weights in draw_weights(influences.shape[1], MAX_DRAWS)]
    )
    quantile = float(np.quantile(deviations.max(axis=1), UPPER))
    return max(1.0, quantile / normal_quantile(UPPER))


def _make_gain(
    answers: ListeningAnswers, metric: Metric, control: str, gain: Difference, details: Mapping[str, Any]
) -> Number:
    values = (gain.value_b, gain.value_a) if metric.higher_is_better else (gain.value_a, gain.value_b)
    number = answers.make_number(
        f"{metric.name}{GAIN}",
        f"{metric.title}, listening gain",
        gain.difference,
        Interval(gain.low, gain.high, gain.method, gain.units),
        group=control,
        details={"with_sound": values[0], "without": values[1], **details},
    )
    return replace(number, scored=gain.n, total=max(len(answers.clean), gain.n), unit=metric.unit)
