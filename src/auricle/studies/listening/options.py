"""How much the order of the options matters: position bias, consistency, and the share right in every order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from auricle.metrics.base import Array, Codes, Metric, mean
from auricle.metrics.capabilities import Credited
from auricle.metrics.distributions import chi_square_tail
from auricle.metrics.intervals import Interval, compare_paired
from auricle.runs.metrics import POSITION_FIELD, Number
from auricle.scoring.clusters import encode_clusters, renumber_clusters
from auricle.studies.listening.answers import NO_INTERVAL, ListeningAnswers
from auricle.tasks.questions.inferencers import LETTERS


def compute_order_numbers(answers: ListeningAnswers) -> Iterator[Number]:
    """Compute how much the position of options matters: bias, consistency, and the share right in every order."""
    yield from _compute_position_bias(answers)
    ids = [sample for sample in answers.clean if len(_list_orders(answers, sample)) > 1]
    if not ids:
        return
    yield answers.make_share("consistency", "Consistency under permuted options", ids, partial(_is_consistent, answers))
    metric = answers.hit_metric
    if isinstance(metric, Credited) and (scored := [sample for sample in ids if _is_scored(answers, metric, sample)]):
        yield answers.make_share(
            "robust_accuracy",
            "Right in every order of options",
            scored,
            lambda sample: all(answers.is_right(metric, name, sample) for name in _list_orders(answers, sample)),
        )


def _list_orders(answers: ListeningAnswers, sample: str) -> list[str]:
    """List the orders of options in which a sample was answered."""
    return [name for name in answers.orders if sample in answers.items[name]]


def _is_scored(answers: ListeningAnswers, metric: Metric, sample: str) -> bool:
    return all(metric.name in answers.items[name][sample].stats for name in _list_orders(answers, sample))


def _is_consistent(answers: ListeningAnswers, sample: str) -> bool:
    contents = {answers.items[name][sample].answer.content for name in _list_orders(answers, sample)}
    return len(contents) == 1 and None not in contents


class Positions(NamedTuple):
    """Which position is chosen and which is right: a one among zeros for every readable answer in every order."""

    chosen: Array
    right: Array
    units: Codes
    """The independent unit of each answer: its sample, or the cluster of its sample."""

    @classmethod
    def collect(cls, answers: ListeningAnswers) -> Positions | None:
        """Collect the positions of all answers; return None if there are none, or only one order."""
        placed = [
            (answers.cluster_of(item.id) or item.id, item.answer.position, item.true_position)
            for name in answers.orders
            for item in answers.items[name].values()
            if item.answer.position is not None and item.true_position is not None
        ]
        if not placed:
            return None
        units, chosen, right = zip(*placed, strict=True)
        identity = np.eye(1 + max(*chosen, *right))
        return cls(identity[list(chosen)], identity[list(right)], encode_clusters(units))


def _compute_position_bias(answers: ListeningAnswers) -> Iterator[Number]:
    """Compute the share of answers that would have to move for all positions to be chosen as often as they are true.

    The test is Wald's, with the covariance between units if there is no bias.
    """
    if not (positions := Positions.collect(answers)):
        return
    excess, units = positions.chosen - positions.right, positions.units
    sums = np.array([np.bincount(units, column) for column in excess.T[:-1]])
    covariance, total = sums @ sums.T, sums.sum(axis=1)
    degrees = int(np.linalg.matrix_rank(covariance)) if sums.size else 0
    statistic = float(total @ np.linalg.pinv(covariance) @ total) if degrees else 0.0
    p = chi_square_tail(statistic, degrees) if degrees else 1.0
    value = float(np.abs(excess.mean(axis=0)).sum() / 2)
    number = answers.make_number(
        "position_bias",
        "Position bias",
        value,
        NO_INTERVAL,
        details={"chi_square": statistic, "degrees": degrees, "p": p},
        higher_is_better=False,
    )
    yield replace(number, scored=len(excess), total=len(excess), unit="share")


def compute_positions(answers: ListeningAnswers) -> Iterator[Number]:
    """Compute the share of each position among the answers, minus its share among the right options."""
    if not (positions := Positions.collect(answers)):
        return
    clusters = renumber_clusters(positions.units)
    for index, (chosen, right) in enumerate(zip(positions.chosen.T, positions.right.T, strict=True)):
        difference = compare_paired(right, chosen, mean, clusters)
        number = answers.make_number(
            "position_bias",
            "Position bias",
            difference.difference,
            Interval(difference.low, difference.high, difference.method, difference.units),
            field=POSITION_FIELD,
            group=LETTERS[index % len(LETTERS)],
            details={"chosen": difference.value_b, "right": difference.value_a},
            higher_is_better=False,
        )
        yield replace(number, scored=difference.n, total=difference.n, unit="share")
