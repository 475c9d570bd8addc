"""What the pictures share: frames, texts, axes."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from auricle.report.formatting import Scale
from auricle.report.markup import Child, Markup, tag

LETTER = 7.8  # how wide a letter of a label is, about
MOST_LETTERS = 18


def picture(width: float, height: float, words: str, *content: Child) -> Markup:
    """An SVG of its own size; `words` are for who cannot see it."""
    return tag(
        "svg",
        tag("title", words),
        *content,
        class_="plot",
        role="img",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def write(x: float, y: float, text: str, kind: str = "", turned: float = 0) -> Markup:
    """Text at a place, turned about its beginning."""
    turn = f"rotate({turned:g} {x:.1f} {y:.1f})" if turned else None
    return tag("text", text, x=f"{x:.1f}", y=f"{y:.1f}", class_=kind or None, transform=turn)


def named(x: float, y: float, label: str, raw: str, kind: str = "", turned: float = 0) -> Markup:
    """A label, clipped if it is long, with what it stands for on hovering."""
    whole = raw if raw == label else f"{label} ({raw})"
    return tag("g", tag("title", whole), write(x, y, clipped(label), kind, turned))


def clipped(label: str) -> str:
    return label if len(label) <= MOST_LETTERS else f"{label[: MOST_LETTERS - 1]}…"


def width_of(labels: Sequence[str]) -> float:
    """How much room the longest of these takes."""
    return max((LETTER * _letters(clipped(label)) for label in labels), default=0.0)


def _letters(text: str) -> float:
    """Letters, a Chinese one being as wide as two."""
    return sum(1.8 if unicodedata.east_asian_width(each) in "WF" else 1.0 for each in text)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    places = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", class_=kind, **{name: f"{at:.1f}" for name, at in places.items()})


def box(x: float, y: float, width: float, height: float, kind: str, tint: float = 1.0) -> Markup:
    style = None if tint == 1.0 else f"fill-opacity:{tint:.3f}"
    places = {"x": x, "y": y, "width": width, "height": height}
    told = {name: f"{at:.1f}" for name, at in places.items()}
    return tag("rect", class_=kind, style=style, **told)


def ruled(values: Sequence[float]) -> tuple[Scale, list[float]]:
    """A scale around these values and round places along it."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    least = ((high - low) or abs(high) or 1.0) / 6
    size = 10.0 ** math.floor(math.log10(least))
    step = next(size * times for times in (1.0, 2.0, 5.0, 10.0) if size * times >= least)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    places = [at * step for at in range(first, max(last, first + 1) + 1)]
    return Scale(places[0], places[-1]), places


def share_of(scale: Scale, value: float) -> float:
    """Where a value stands, from 0 at the scale's low end to 1 at its high one."""
    return min(1.0, max(0.0, (value - scale.low) / (scale.high - scale.low)))


def plain(value: float) -> str:
    """A number as an axis shows it."""
    return f"{value:.3g}".replace("-", "−")
