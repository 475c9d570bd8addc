"""Altair charts of results; the columns have fixed names, never names from a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from auricle.app.theme import current_palette
from auricle.report.plot_data import Dimension, Plane


def make_unique(names: Sequence[str]) -> list[str]:
    """Number repeated names, so that each has its own place on an axis.

    >>> make_unique(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    counts: dict[str, int] = {}
    unique = []
    for name in map(str, names):
        counts[name] = counts.get(name, 0) + 1
        unique.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return unique


# --- intervals ----------------------------------------------------------------------------------


def interval_chart(frame: pd.DataFrame, unit: str, title: str, overall_value: float | None) -> Any:
    """Draw a dot and an interval for each group, and a dashed line for all samples."""
    axis_format = ".0%" if unit == "share" else ".3g"
    tooltip_format = axis_format.replace("0%", "2%")
    order = list(frame["group"])
    y = alt.Y(
        "group:N", sort=order, title=None, scale=alt.Scale(type="band"), axis=alt.Axis(labelLimit=180, labelFlush=False)
    )
    scale = alt.Scale(zero=False, nice=True)
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(format=axis_format, tickCount=8))
    tooltips = [
        alt.Tooltip("group:N"),
        alt.Tooltip("value:Q", format=tooltip_format),
        alt.Tooltip("low:Q", format=tooltip_format),
        alt.Tooltip("high:Q", format=tooltip_format),
        alt.Tooltip("scored:Q", title="samples"),
    ]
    base = alt.Chart(frame).encode(y=y, tooltip=tooltips).properties(height=alt.Step(24))
    colour = current_palette().categorical[0]
    layers = [
        base.mark_rule(strokeWidth=4, opacity=0.35, color=colour).encode(
            x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, size=70, color=colour, opacity=1).encode(x=x),
    ]
    if overall_value is not None:
        line = alt.Chart(pd.DataFrame({"overall": [overall_value]}))
        layers.insert(
            0,
            line.mark_rule(color=current_palette().muted, strokeDash=[4, 3]).encode(x=alt.X("overall:Q", title=title)),
        )
    return alt.layer(*layers)


# --- dimensions and ratings ---------------------------------------------------------------------


def violin_chart(dimension: Dimension) -> Any:
    """Draw the density of values for each label, with the interquartile range as a bar and the mean as a dot.

    Labels are drawn as text, one below the other, because an axis of names would need a facet per label.
    """
    shapes, boxes = [], []
    left = min(label.density[0][0] if label.density else label.low for label in dimension.labels)
    names = make_unique([label.name for label in dimension.labels])
    for index, (name, label) in enumerate(zip(names, dimension.labels, strict=True)):
        peak = max((height for _, height in label.density), default=0.0) or 1.0
        for value, height in label.density:
            half_width = 0.4 * height / peak
            shapes.append({"label": name, "value": value, "up": half_width - index, "down": -half_width - index})
        quartiles = dict(zip(("first", "median", "third"), label.quartiles, strict=True))
        boxes.append({"label": name, **quartiles, "y": -index, "mean": label.mean, "n": label.n, "left": left})
    return _layer_violins(pd.DataFrame(shapes), pd.DataFrame(boxes), dimension.name)


def _layer_violins(shapes: pd.DataFrame, boxes: pd.DataFrame, title: str) -> Any:
    palette = current_palette()
    scale = alt.Scale(domain=[0.6 - len(boxes), 0.6])
    y = alt.Y("y:Q", scale=scale, axis=None)
    base = alt.Chart(boxes)
    tooltips = [
        alt.Tooltip("label:N"),
        alt.Tooltip("n:Q", title="samples"),
        alt.Tooltip("mean:Q", format=".3f"),
        alt.Tooltip("median:Q", format=".3f"),
    ]
    x: dict[str, Any] = {"title": title, "scale": alt.Scale(zero=False, nice=False), "axis": alt.Axis(tickCount=6)}
    layers = [
        base.mark_rule(strokeWidth=5, color=palette.categorical[0]).encode(
            x=alt.X("first:Q", **x), x2="third:Q", y=y, tooltip=tooltips
        ),
        base.mark_tick(color=palette.background, thickness=2, size=9, orient="vertical").encode(
            x=alt.X("median:Q", **x), y=y
        ),
        base.mark_point(filled=True, color=palette.categorical[1], size=42, opacity=1).encode(
            x=alt.X("mean:Q", **x), y=y, tooltip=tooltips
        ),
        base.mark_text(align="left", dy=-13, dx=2, color=palette.muted, limit=140).encode(
            x=alt.X("left:Q", **x), y=y, text="label:N"
        ),
    ]
    if len(shapes):
        area = alt.Chart(shapes).mark_area(color=palette.categorical[0], opacity=0.28)
        layers.insert(
            0,
            area.encode(
                x=alt.X("value:Q", **x), y=alt.Y("up:Q", scale=scale, axis=None), y2="down:Q", detail="label:N"
            ),
        )
    return alt.layer(*layers).properties(height=40 * len(boxes) + 20)


def scatter_chart(frame: pd.DataFrame, axis_titles: tuple[str, str], selection_name: str = "point") -> Any:
    """Draw predictions against ratings, with a dashed line of equality; points are clickable."""
    palette = current_palette()
    selection = alt.selection_point(name=selection_name, fields=["index"], toggle=False, nearest=False)
    scale = alt.Scale(zero=False, nice=True)
    dots = (
        alt.Chart(frame)
        .mark_circle(size=60, color=palette.categorical[0], cursor="pointer")
        .encode(
            x=alt.X("rating:Q", title=axis_titles[0], scale=scale, axis=alt.Axis(tickCount=8)),
            y=alt.Y("prediction:Q", title=axis_titles[1], scale=scale, axis=alt.Axis(tickCount=6)),
            opacity=alt.condition(selection, alt.value(0.75), alt.value(0.15)),
            tooltip=[
                alt.Tooltip("id:N"),
                alt.Tooltip("rating:Q", format=".3g"),
                alt.Tooltip("prediction:Q", format=".3g"),
            ],
        )
        .add_params(selection)
        .properties(height=380)
    )
    ratings, predictions = frame["rating"], frame["prediction"]
    low, high = max(ratings.min(), predictions.min()), min(ratings.max(), predictions.max())
    if not low < high:
        return alt.layer(dots)
    ends = pd.DataFrame({"rating": [low, high], "prediction": [low, high]})
    line = alt.Chart(ends).mark_line(color=palette.muted, strokeDash=[4, 3], strokeWidth=1)
    return alt.layer(line.encode(x="rating:Q", y="prediction:Q"), dots)


def plane_chart(plane: Plane) -> Any:
    """Draw samples over two dimensions, with the mean of each label as a large marker."""
    labels = make_unique(plane.names)
    points = pd.DataFrame([{"label": labels[index], "x": x, "y": y} for index, x, y in plane.points])
    centres = pd.DataFrame(
        [{"label": label, "x": centre.x, "y": centre.y} for label, centre in zip(labels, plane.centres, strict=True)]
    )
    scale = alt.Scale(zero=False)
    label_channels = {
        "color": alt.Color(
            "label:N",
            sort=labels,
            scale=alt.Scale(range=list(current_palette().categorical)),
            legend=alt.Legend(title=None, orient="right", labelLimit=120),
        ),
        "shape": alt.Shape("label:N", sort=labels, legend=None),
    }
    axes = {
        "x": alt.X("x:Q", title=plane.x, scale=scale, axis=alt.Axis(tickCount=8)),
        "y": alt.Y("y:Q", title=plane.y, scale=scale, axis=alt.Axis(tickCount=6)),
    }
    tooltips = [alt.Tooltip("label:N"), alt.Tooltip("x:Q", format=".3f"), alt.Tooltip("y:Q", format=".3f")]
    return alt.layer(
        alt.Chart(points).mark_point(filled=True, size=26, opacity=0.35).encode(**axes, **label_channels),
        alt.Chart(centres)
        .mark_point(filled=True, size=190, opacity=1, stroke=current_palette().background, strokeWidth=1.5)
        .encode(**axes, **label_channels, tooltip=tooltips),
    ).properties(height=380)


def stacked_error_chart(frame: pd.DataFrame) -> Any:
    """Draw substitutions, deletions and insertions of each group, as shares of the reference length."""
    order = ["substitutions", "deletions", "insertions"]
    hues = current_palette().categorical
    return (
        alt.Chart(frame)
        .mark_bar(height=14)
        .encode(
            y=alt.Y(
                "group:N",
                sort=list(dict.fromkeys(frame["group"])),
                title=None,
                axis=alt.Axis(labelLimit=180, labelFlush=False),
            ),
            x=alt.X("share:Q", title="errors per reference token", axis=alt.Axis(format=".0%", tickCount=8)),
            color=alt.Color(
                "kind:N",
                sort=order,
                title=None,
                scale=alt.Scale(domain=order, range=[hues[0], hues[1], hues[4]]),
                legend=alt.Legend(orient="bottom"),
            ),
            order=alt.Order("order:Q"),
            tooltip=["group:N", "kind:N", alt.Tooltip("share:Q", format=".2%"), "count:Q"],
        )
        .properties(height=alt.Step(26))
    )


def line_chart(frame: pd.DataFrame, x_title: str, y_title: str, *, show_points: bool = True) -> Any:
    """Draw a line for each `name` in a frame with columns `name`, `x` and `y`."""
    hues = list(current_palette().categorical)
    names = list(dict.fromkeys(frame["name"]))
    dashes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
    legend = None if len(names) == 1 else alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3)
    return (
        alt.Chart(frame)
        .mark_line(point=alt.OverlayMarkDef(size=45) if show_points else False, strokeWidth=2)
        .encode(
            x=alt.X("x:Q", title=x_title),
            y=alt.Y("y:Q", title=y_title),
            color=alt.Color("name:N", sort=names, legend=legend, scale=alt.Scale(domain=names, range=hues)),
            strokeDash=alt.StrokeDash("name:N", sort=names, legend=None, scale=alt.Scale(domain=names, range=dashes)),
            tooltip=[
                "name:N",
                alt.Tooltip("x:Q", format=".4g", title=x_title),
                alt.Tooltip("y:Q", format=".4g", title=y_title),
            ],
        )
        .properties(height=280)
    )


def speed_error_chart(frame: pd.DataFrame, title: str) -> Any:
    """Draw a metric against speed, from a frame with columns `model`, `value`, `low`, `high` and `rtfx`."""
    palette = current_palette()
    x = alt.X(
        "rtfx:Q",
        title="RTFx: seconds of audio per second (log scale)",
        scale=alt.Scale(type="log", nice=False, padding=90),
    )
    base = alt.Chart(frame).properties(height=320)
    percent = alt.Axis(format=".1%")
    return alt.layer(
        base.mark_rule(color=palette.categorical[0], opacity=0.4, strokeWidth=3).encode(
            x=x, y=alt.Y("low:Q", title=title, axis=percent, scale=alt.Scale(zero=False)), y2="high:Q"
        ),
        base.mark_point(filled=True, size=90, color=palette.categorical[0], opacity=1).encode(
            x=x,
            y=alt.Y("value:Q", title=title, axis=percent, scale=alt.Scale(zero=False)),
            tooltip=[
                "model:N",
                alt.Tooltip("value:Q", format=".2%", title=title),
                alt.Tooltip("rtfx:Q", format=",.1f", title="RTFx"),
            ],
        ),
        base.mark_text(align="left", dx=9, fontSize=12, color=palette.text, limit=220).encode(
            x=x, y="value:Q", text="model:N"
        ),
    )
