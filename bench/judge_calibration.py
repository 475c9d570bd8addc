"""Coverage of 95 % intervals for scores of judges, raw and corrected with human labels.

    python -m bench.judge_calibration --rounds 2000

A judge with known error rates judges samples, of which a random part also has a label of a person. Each line has the
share of repetitions in which an interval contains the true share of right answers, and the mean width of the interval:
of the verdicts alone, of the labels alone, of the Rogan–Gladen estimate, and of the corrected score that Auricle shows.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auricle.metrics.base import mean
from auricle.metrics.calibration import CorrectedMean
from auricle.metrics.intervals import compute_interval
from auricle.metrics.scales import Z_95

Stats = NDArray[np.float64]
SIZES = ((200, 20), (300, 30), (1000, 50), (1000, 100))
"""Samples, and how many of them have labels."""


@dataclass(frozen=True)
class BinaryJudge:
    """A judge that accepts or rejects answers, and the share of right ones among them."""

    share_right: float
    sensitivity: float
    """Share of right answers that it accepts."""
    specificity: float
    """Share of wrong answers that it rejects."""


BINARY_JUDGES = {
    "good": BinaryJudge(0.7, 0.98, 0.95),
    "kind": BinaryJudge(0.7, 0.95, 0.6),
    "strict": BinaryJudge(0.7, 0.75, 0.95),
    "poor": BinaryJudge(0.5, 0.65, 0.6),
    "kind, few wrong": BinaryJudge(0.9, 0.98, 0.5),
    "without error": BinaryJudge(0.7, 1.0, 1.0),
}


@dataclass(frozen=True)
class Coverage:
    """Shares of intervals that contain the truth, and mean widths."""

    judged: float
    labels: float
    rogan_gladen: float
    corrected: float
    widths: tuple[float, ...]


@dataclass(frozen=True)
class ScaleJudge:
    """A judge that gives 1 to 5 points: those that people give, plus a bias and noise."""

    bias: float
    noise: float


POINTS, SHARES = np.arange(1.0, 6.0), np.array([0.05, 0.15, 0.25, 0.35, 0.2])
"""The points of people, and how often they give each."""
SCALE_JUDGES = {"generous": ScaleJudge(0.5, 0.7), "fair": ScaleJudge(0.0, 0.5), "severe": ScaleJudge(-0.8, 1.0)}


def draw_scale(rng: np.random.Generator, judge: ScaleJudge, total: int, labels: int) -> Stats:
    """Draw the statistics of samples, the first of which have labels."""
    truth = rng.choice(POINTS, total, p=SHARES)
    verdicts = np.clip(np.round(truth + judge.bias + judge.noise * rng.standard_normal(total)), 1, 5)
    has_label = np.arange(total) < labels
    return np.column_stack([verdicts, truth * has_label, has_label]).astype(np.float64)


def draw_binary(rng: np.random.Generator, judge: BinaryJudge, total: int, labels: int) -> Stats:
    """Draw the statistics of samples, the first of which have labels."""
    is_right = rng.random(total) < judge.share_right
    accepted = rng.random(total) < np.where(is_right, judge.sensitivity, 1 - judge.specificity)
    has_label = np.arange(total) < labels
    return np.column_stack([accepted, is_right * has_label, has_label]).astype(np.float64)


def rogan_gladen_interval(stats: Stats) -> tuple[float, float]:
    """Compute the interval of the estimate by error rates of the judge; NaN if these cannot be estimated."""
    labelled = stats[stats[:, 2] > 0]
    right, wrong = labelled[labelled[:, 1] == 1, 0], labelled[labelled[:, 1] == 0, 0]
    if not len(right) or not len(wrong):
        return math.nan, math.nan
    accepted, sensitivity, false_accepts = stats[:, 0].mean(), right.mean(), wrong.mean()
    skill = sensitivity - false_accepts
    if skill <= 0:
        return math.nan, math.nan
    share = min(1.0, max(0.0, (accepted - false_accepts) / skill))
    variance = accepted * (1 - accepted) / len(stats)
    variance += share**2 * sensitivity * (1 - sensitivity) / len(right)
    variance += (1 - share) ** 2 * false_accepts * (1 - false_accepts) / len(wrong)
    half = Z_95 * math.sqrt(variance) / skill
    return max(0.0, share - half), min(1.0, share + half)


def measure_scale_coverage(judge: ScaleJudge, total: int, labels: int, *, rounds: int, seed: int) -> Coverage:
    """Repeat an evaluation with points and count how often each interval contains the true mean."""
    rng, truth = np.random.default_rng(seed), float(POINTS @ SHARES)
    ends = np.full((rounds, 4, 2), math.nan)
    for repetition in range(rounds):
        stats = draw_scale(rng, judge, total, labels)
        intervals = [
            compute_interval(stats[:, 0], mean),
            compute_interval(stats[:labels, 1], mean),
            compute_interval(stats, CorrectedMean(1.0, (1.0, 5.0))),
        ]
        ends[repetition, [0, 1, 3]] = [(interval.low, interval.high) for interval in intervals]
    return _summarise(ends, truth)


def measure_coverage(judge: BinaryJudge, total: int, labels: int, *, rounds: int, seed: int) -> Coverage:
    """Repeat an evaluation and count how often each interval contains the true share of right answers."""
    rng = np.random.default_rng(seed)
    aggregate = CorrectedMean(1.0, (0.0, 1.0))
    ends = np.empty((rounds, 4, 2))
    for repetition in range(rounds):
        stats = draw_binary(rng, judge, total, labels)
        intervals = [
            compute_interval(stats[:, 0], mean),
            compute_interval(stats[:labels, 1], mean),
            compute_interval(stats, aggregate),
        ]
        bounds = [(interval.low, interval.high) for interval in intervals]
        ends[repetition] = [*bounds[:2], rogan_gladen_interval(stats), bounds[2]]
    return _summarise(ends, judge.share_right)


def _summarise(ends: NDArray[np.float64], truth: float) -> Coverage:
    covered = (ends[..., 0] <= truth) & (truth <= ends[..., 1])
    spans = ends[..., 1] - ends[..., 0]
    defined = np.maximum((~np.isnan(spans)).sum(axis=0), 1)
    widths = np.nansum(spans, axis=0) / defined
    judged, labelled, rogan_gladen, corrected = map(float, covered.mean(axis=0))
    return Coverage(judged, labelled, rogan_gladen, corrected, tuple(map(float, widths)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000, help="repetitions per line")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    _print_binary(options.rounds, options.seed)
    _print_scales(options.rounds // 2, options.seed)


def _print_binary(rounds: int, seed: int) -> None:
    print("| judge | right | samples | labels | verdicts alone | labels alone | Rogan–Gladen | corrected |")
    print("|---|---|---|---|---|---|---|---|")
    for name, judge in BINARY_JUDGES.items():
        for total, labels in SIZES:
            row = measure_coverage(judge, total, labels, rounds=rounds, seed=seed)
            cells = _format_cells((row.judged, row.labels, row.rogan_gladen, row.corrected), row.widths)
            rates = f"{name} ({judge.sensitivity:g}, {judge.specificity:g})"
            print(f"| {rates} | {judge.share_right:g} | {total} | {labels} | {cells} |")


def _print_scales(rounds: int, seed: int) -> None:
    print("\n| judge of points | samples | labels | verdicts alone | labels alone | corrected |")
    print("|---|---|---|---|---|---|")
    for name, judge in SCALE_JUDGES.items():
        for total, labels in SIZES:
            row = measure_scale_coverage(judge, total, labels, rounds=rounds, seed=seed)
            cells = _format_cells((row.judged, row.labels, row.corrected), (*row.widths[:2], row.widths[3]))
            print(f"| {name} ({judge.bias:+g}) | {total} | {labels} | {cells} |")


def _format_cells(shares: Sequence[float], widths: Sequence[float]) -> str:
    return " | ".join(f"{share:.3f} ({width:.2f})" for share, width in zip(shares, widths, strict=True))


if __name__ == "__main__":
    main()
