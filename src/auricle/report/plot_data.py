"""What plots show, as plain data: the report draws it as SVG, the app with Altair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.metrics.label_alignment import display_labels

Details = Mapping[str, Any]
"""The details of a number in `metrics.json`."""


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """Precision, recall and F1 of a class."""

    label: str
    precision: float | None
    recall: float | None
    f1: float | None
    support: int


def list_classes(details: Details) -> list[ClassFigures]:
    return [ClassFigures(label, **figures) for label, figures in details.get("classes", {}).items()]


def list_averages(details: Details) -> list[ClassFigures]:
    """Return the averages of the classes that both sides have, unweighted and weighted by their size.

    As in the metrics of the same name, a class that is neither true nor predicted anywhere is left out, and an
    undefined precision or recall counts as 0.
    """
    matrix = details.get("matrix", {"rows": (), "columns": (), "shared": 0})
    shared = list_classes(details)[: matrix["shared"]]
    is_partial = {len(matrix["rows"]), len(matrix["columns"])} != {matrix["shared"]}
    classes = [figures for figures in shared if figures.support or figures.precision is not None]
    support = sum(figures.support for figures in classes)
    if not classes or not support:
        return []
    unweighted = [1 / len(classes)] * len(classes)
    weighted = [figures.support / support for figures in classes]
    return [
        ClassFigures(
            f"{name} over shared labels" if is_partial else name,
            sum((figures.precision or 0.0) * weight for figures, weight in zip(classes, weights, strict=True)),
            sum((figures.recall or 0.0) * weight for figures, weight in zip(classes, weights, strict=True)),
            sum((figures.f1 or 0.0) * weight for figures, weight in zip(classes, weights, strict=True)),
            support,
        )
        for name, weights in (("macro average", unweighted), ("weighted average", weighted))
    ]


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values of a dimension for one label."""

    label: str
    name: str
    """The label in English, for display."""
    n: int
    mean: float
    sd: float | None
    d: float | None
    """Cohen's d against all others."""
    auc: float | None
    low: float
    high: float
    quartiles: tuple[float, float, float]
    density: tuple[tuple[float, float], ...] = ()
    """Values and their density; empty if there are too few samples."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension such as arousal, label by label."""

    name: str
    eta2: float | None
    """Share of the variance between labels."""
    chance: float | None
    """Expected `eta2` if labels were assigned at random."""
    labels: tuple[Distribution, ...]

    @property
    def max_density(self) -> float:
        return max((height for label in self.labels for _, height in label.density), default=1.0)


def list_dimensions(details: Details) -> list[Dimension]:
    densities = details.get("densities") or {}
    return [
        Dimension(name, figures["eta2"], figures["chance"], _list_distributions(figures, densities.get(name) or {}))
        for name, figures in details.get("dimensions", {}).items()
    ]


def _list_distributions(figures: Details, densities: Details) -> tuple[Distribution, ...]:
    emotions = figures["emotions"]
    return tuple(
        Distribution(
            label=label,
            name=name,
            **{key: values[key] for key in ("n", "mean", "sd", "d", "auc", "low", "high")},
            quartiles=tuple(values["quartiles"]),
            density=_place_density(densities.get("of", {}).get(label) or (), densities),
        )
        for (label, values), name in zip(emotions.items(), display_labels(list(emotions)), strict=True)
    )


def _place_density(heights: Sequence[float], grid: Details) -> tuple[tuple[float, float], ...]:
    """Add the value that each height belongs to."""
    if not heights:
        return ()
    step = (grid["to"] - grid["from"]) / max(1, len(heights) - 1)
    return tuple((grid["from"] + at * step, height) for at, height in enumerate(heights))


@dataclass(frozen=True, slots=True)
class Centre:
    """Mean and standard deviation of a label in two dimensions."""

    n: int
    x: float
    y: float
    sd_x: float
    sd_y: float


@dataclass(frozen=True, slots=True)
class Plane:
    """Samples in two dimensions, with the centre of each label."""

    x: str
    y: str
    names: tuple[str, ...]
    """The labels in English, for display."""
    points: tuple[tuple[int, float, float], ...]
    """Index of the label, x and y of each sample that is shown."""
    centres: tuple[Centre, ...]
    total: int
    """Number of samples, of which some may not be shown."""

    @classmethod
    def from_details(cls, details: Details) -> Plane | None:
        """Return the plane, or None if there are fewer than two dimensions."""
        if not (plane := details.get("plane")):
            return None
        return cls(
            x=str(plane["x"]),
            y=str(plane["y"]),
            names=tuple(display_labels(plane["labels"])),
            points=tuple((label, x, y) for label, x, y in plane["points"]),
            centres=tuple(Centre(**centre) for centre in plane["centres"]),
            total=plane["of"],
        )
