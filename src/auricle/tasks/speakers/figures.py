"""Figures of a detector: the DET curve, histograms of scores, and the ratios that fit the scores best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from auricle.metrics.distributions import normal_quantile
from auricle.report.plots import fit_axis
from auricle.report.run_html import Page, render_if
from auricle.report.templating import render
from auricle.runs.metrics import Number

SIZE = 340.0
LEFT, TOP = 62.0, 14.0
HEIGHT = 220.0
BOTTOM = 46.0
RIGHT = 24.0
DET_TICKS = (1e-5, 1e-4, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)
MIN_TICK_DISTANCE = 0.11  # of the axis
LOWEST_SHARE = 1e-5
MIN_HIGHEST_SHARE = 0.6
MAX_HIGHEST_SHARE = 0.98


@dataclass(frozen=True)
class ShareAxis:
    """An axis of shares whose distances are those of normal quantiles."""

    low: float
    high: float

    def position(self, share: float) -> float:
        """Return the position of a share between the ends of the axis, from 0 to 1."""
        low, high = normal_quantile(self.low), normal_quantile(self.high)
        clipped = min(self.high, max(self.low, share))
        return (normal_quantile(clipped) - low) / (high - low)

    @property
    def ticks(self) -> list[float]:
        """The usual shares on the axis, without those whose labels would touch."""
        ticks: list[float] = []
        for tick in DET_TICKS:
            is_inside = self.low <= tick <= self.high
            if is_inside and (not ticks or self.position(tick) - self.position(ticks[-1]) >= MIN_TICK_DISTANCE):
                ticks.append(tick)
        return ticks


def has_figures(number: Number) -> bool:
    """Return whether a number has the data of detection figures."""
    return number.plot == "detection" and bool(number.details.get("det"))


def draw_det(number: Number) -> Markup:
    """Draw misses against false alarms on normal axes, with the equal error rate, its interval and lowest costs."""
    details = number.details
    points: Sequence[Sequence[float]] = details["det"]
    lowest = max(LOWEST_SHARE, min(min(point) for point in points))
    marked = max((max(mark["p_fa"], mark["p_miss"]) for mark in details["marks"]), default=0.0)
    highest = min(MAX_HIGHEST_SHARE, max(MIN_HIGHEST_SHARE, 1.3 * (number.shown_ends[1] or 0.0), 1.02 * marked))
    axis = ShareAxis(lowest, highest)

    def place(p_fa: float, p_miss: float) -> tuple[float, float]:
        return LEFT + SIZE * axis.position(p_fa), TOP + SIZE * (1 - axis.position(p_miss))

    inside = [point for point in points if point[0] <= highest and point[1] <= highest]
    return render(
        "tasks/speakers/det.html",
        ticks=[(_format_share(tick), axis.position(tick)) for tick in axis.ticks],
        line=[place(*point) for point in inside],
        diagonal=(place(lowest, lowest), place(highest, highest)),
        eer=(place(number.value, number.value), number) if number.value is not None else None,
        interval=[place(end, end) for end in number.shown_ends if end is not None],
        marks=[(place(*errors), marks) for errors, marks in _group_marks(details["marks"]).items()],
        left=LEFT,
        top=TOP,
        size=SIZE,
        full_size=(LEFT + SIZE + RIGHT, TOP + SIZE + BOTTOM),
    )


def _group_marks(marks: Sequence[Mapping[str, float]]) -> dict[tuple[float, float], list[Mapping[str, float]]]:
    """Return the lowest costs by their false alarms and misses, which several may share."""
    groups: dict[tuple[float, float], list[Mapping[str, float]]] = {}
    for mark in marks:
        groups.setdefault((mark["p_fa"], mark["p_miss"]), []).append(mark)
    return groups


def _format_share(share: float) -> str:
    return f"{100 * share:g} %"


def draw_scores(details: Mapping[str, Any]) -> Markup:
    """Draw histograms of the scores of both classes, each as a share of its class, with the threshold of the EER."""
    histogram = details["histogram"]
    edges: Sequence[float] = histogram["edges"]
    shares = {
        title: [count / max(1, sum(histogram[name])) for count in histogram[name]]
        for name, title in (("targets", "Same speaker"), ("nontargets", "Different speakers"))
    }
    axis = fit_axis([edges[0], edges[-1]])
    highest = max(max(heights) for heights in shares.values()) or 1.0

    def x(score: float) -> float:
        return LEFT + SIZE * axis.position(score)

    def y(share: float) -> float:
        return TOP + HEIGHT * (1 - share / highest)

    outlines = {
        title: [(x(edges[0]), y(0.0))]
        + [
            corner
            for at, share in enumerate(heights)
            for corner in ((x(edges[at]), y(share)), (x(edges[at + 1]), y(share)))
        ]
        + [(x(edges[-1]), y(0.0))]
        for title, heights in shares.items()
    }
    return render(
        "tasks/speakers/score_histogram.html",
        outlines=outlines,
        axis=axis,
        threshold=(x(details["eer_threshold"]), details["eer_threshold"]),
        left=LEFT,
        top=TOP,
        width=SIZE,
        height=HEIGHT,
        full_size=(LEFT + SIZE + RIGHT, TOP + HEIGHT + BOTTOM),
    )


def draw_calibration(details: Mapping[str, Any]) -> Markup | None:
    """Draw the best log-likelihood ratio of each score; on the diagonal, scores are such ratios themselves."""
    points: Sequence[Sequence[float]] = details["calibration"]["points"]
    if len(points) < 2:
        return None
    across, up = fit_axis([score for score, _ in points]), fit_axis([ratio for _, ratio in points])

    def place(score: float, ratio: float) -> tuple[float, float]:
        return LEFT + SIZE * across.position(score), TOP + HEIGHT * (1 - up.position(ratio))

    low, high = max(across.scale.low, up.scale.low), min(across.scale.high, up.scale.high)
    return render(
        "tasks/speakers/score_calibration.html",
        line=[place(*point) for point in points],
        diagonal=(place(low, low), place(high, high)) if low < high else None,
        x_axis=across,
        y_axis=up,
        left=LEFT,
        top=TOP,
        width=SIZE,
        height=HEIGHT,
        full_size=(LEFT + SIZE + RIGHT, TOP + HEIGHT + BOTTOM),
    )


def render_detection(page: Page) -> Markup | None:
    """Render the curve, the scores and the calibration of a detector."""
    number = next(filter(has_figures, page.metrics.overall), None)
    details = number.details if number else {}
    return render_if(
        number,
        "tasks/speakers/detection.html",
        number=number,
        det=draw_det(number) if number else None,
        scores=draw_scores(details) if number else None,
        calibration_curve=draw_calibration(details) if number else None,
        **{name: details.get(name) for name in ("marks", "eer_threshold", "calibration", "targets", "nontargets")},
    )
