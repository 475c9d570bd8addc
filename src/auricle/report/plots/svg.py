"""SVG elements that all plots use: frames, texts, axes."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from auricle.report.html_format import Scale
from auricle.report.markup import Child, Markup, tag

CHARACTER_WIDTH = 7.8  # approximate width of a letter
MAX_LABEL_LENGTH = 18


def draw_svg(width: float, height: float, description: str, *content: Child) -> Markup:
    """Build an SVG with a description for screen readers."""
    return tag(
        "svg",
        tag("title", description),
        *content,
        class_="plot",
        role="img",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def draw_text(x: float, y: float, text: str, css_class: str = "", rotation: float = 0) -> Markup:
    """Draw text, optionally rotated about its start."""
    turn = f"rotate({rotation:g} {x:.1f} {y:.1f})" if rotation else None
    return tag("text", text, x=f"{x:.1f}", y=f"{y:.1f}", class_=css_class or None, transform=turn)


def draw_label(x: float, y: float, label: str, raw_label: str, css_class: str = "", rotation: float = 0) -> Markup:
    """Draw a label, shortened if it is long, with the raw label as tooltip."""
    whole = raw_label if raw_label == label else f"{label} ({raw_label})"
    return tag("g", tag("title", whole), draw_text(x, y, shorten_label(label), css_class, rotation))


def shorten_label(label: str) -> str:
    return label if len(label) <= MAX_LABEL_LENGTH else f"{label[: MAX_LABEL_LENGTH - 1]}…"


def label_width(labels: Sequence[str]) -> float:
    """Return the width of the longest label."""
    return max((CHARACTER_WIDTH * _count_characters(shorten_label(label)) for label in labels), default=0.0)


def _count_characters(text: str) -> float:
    """Count letters; a Chinese character is as wide as two."""
    return sum(1.8 if unicodedata.east_asian_width(each) in "WF" else 1.0 for each in text)


def draw_line(x1: float, y1: float, x2: float, y2: float, css_class: str) -> Markup:
    places = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", class_=css_class, **{name: f"{at:.1f}" for name, at in places.items()})


def draw_box(x: float, y: float, width: float, height: float, css_class: str, opacity: float = 1.0) -> Markup:
    style = None if opacity == 1.0 else f"fill-opacity:{opacity:.3f}"
    places = {"x": x, "y": y, "width": width, "height": height}
    positions = {name: f"{at:.1f}" for name, at in places.items()}
    return tag("rect", class_=css_class, style=style, **positions)


class Axis(NamedTuple):
    """A scale and its round tick positions."""

    scale: Scale
    ticks: list[float]

    def position(self, value: float) -> float:
        """Return the position of a value between the ends of the axis, from 0 to 1."""
        return position_on_scale(self.scale, value)


def fit_axis(values: Sequence[float]) -> Axis:
    """Return an axis around these values."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    least = ((high - low) or abs(high) or 1.0) / 6
    size = 10.0 ** math.floor(math.log10(least))
    step = next(size * times for times in (1.0, 2.0, 5.0, 10.0) if size * times >= least)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    places = [at * step for at in range(first, max(last, first + 1) + 1)]
    return Axis(Scale(places[0], places[-1]), places)


def position_on_scale(scale: Scale, value: float) -> float:
    """Return the position of a value between the ends of the scale, from 0 to 1."""
    return min(1.0, max(0.0, (value - scale.low) / (scale.high - scale.low)))


def format_tick(value: float) -> str:
    """Format an axis tick."""
    return f"{value:.3g}".replace("-", "−")
