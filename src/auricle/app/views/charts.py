"""Pictures of results, as Altair draws them. Columns have names of our own, never a run's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from auricle.app.theme import current_palette


def make_unique(names: Sequence[str]) -> list[str]:
    """Names for an axis, each its own: two that look alike are numbered."""
    seen: dict[str, int] = {}
    told = []
    for name in map(str, names):
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told


# --- intervals ----------------------------------------------------------------------------------


def interval_chart(frame: pd.DataFrame, unit: str, title: str, overall_value: float | None) -> Any:
    """A dot and its interval for each group, beside a line for all samples."""
    shown = ".0%" if unit == "share" else ".3g"
    order = list(frame["group"])
    y = alt.Y(
        "group:N", sort=order, title=None, scale=alt.Scale(type="band"), axis=alt.Axis(labelLimit=180, labelFlush=False)
    )
    scale = alt.Scale(zero=False, nice=True)
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(format=shown, tickCount=8))
    tips = [
        alt.Tooltip("group:N"),
        alt.Tooltip("value:Q", format=shown.replace("0%", "2%")),
        alt.Tooltip("low:Q", format=shown.replace("0%", "2%")),
        alt.Tooltip("high:Q", format=shown.replace("0%", "2%")),
        alt.Tooltip("scored:Q", title="samples"),
    ]
    base = alt.Chart(frame).encode(y=y, tooltip=tips).properties(height=alt.Step(24))
    colour = current_palette().categorical[0]
    layers = [
        base.mark_rule(strokeWidth=4, opacity=0.35, color=colour).encode(
            x=alt.X("low:Q", title=title, scale=scale), x2="high:Q"
        ),
        base.mark_point(filled=True, size=70, color=colour, opacity=1).encode(x=x),
    ]
    if overall_value is not None:
        line = alt.Chart(pd.DataFrame({"whole": [overall_value]}))
        layers.insert(
            0, line.mark_rule(color=current_palette().muted, strokeDash=[4, 3]).encode(x=alt.X("whole:Q", title=title))
        )
    return alt.layer(*layers)


# --- numbers a model told ---------------------------------------------------------------------


def violin_chart(densities: Mapping[str, Any], emotions: Mapping[str, Any], title: str) -> Any:
    """How thick values lie for each label, with the middle half as a box and the mean as a dot.

    Labels stand in the picture, one below the other: an axis of names would need a facet a label.
    """
    shapes, boxes = [], []
    low, high = densities["from"], densities["to"]
    for at, (label, figures) in enumerate(zip(make_unique(list(emotions)), emotions.values(), strict=True)):
        thick = densities["of"].get(list(emotions)[at]) or []
        highest = max(thick, default=0.0) or 1.0
        for place, each in enumerate(thick):
            value = low + (high - low) * place / max(1, len(thick) - 1)
            half = 0.4 * each / highest
            shapes.append({"label": label, "value": value, "up": half - at, "down": -half - at})
        first, middle, third = figures["quartiles"]
        boxes.append(
            {
                "label": label,
                "first": first,
                "middle": middle,
                "third": third,
                "at": -at,
                "mean": figures["mean"],
                "n": figures["n"],
                "left": low,
            }
        )
    return _layer_violins(pd.DataFrame(shapes), pd.DataFrame(boxes), title)


def _layer_violins(shapes: pd.DataFrame, boxes: pd.DataFrame, title: str) -> Any:
    colours = current_palette()
    scale = alt.Scale(domain=[0.6 - len(boxes), 0.6])
    y = alt.Y("at:Q", scale=scale, axis=None)
    figures = alt.Chart(boxes)
    tips = [
        alt.Tooltip("label:N"),
        alt.Tooltip("n:Q", title="samples"),
        alt.Tooltip("mean:Q", format=".3f"),
        alt.Tooltip("middle:Q", title="median", format=".3f"),
    ]
    x: dict[str, Any] = {"title": title, "scale": alt.Scale(zero=False, nice=False), "axis": alt.Axis(tickCount=6)}
    layers = [
        figures.mark_rule(strokeWidth=5, color=colours.categorical[0]).encode(
            x=alt.X("first:Q", **x), x2="third:Q", y=y, tooltip=tips
        ),
        figures.mark_tick(color=colours.background, thickness=2, size=9, orient="vertical").encode(
            x=alt.X("middle:Q", **x), y=y
        ),
        figures.mark_point(filled=True, color=colours.categorical[1], size=42, opacity=1).encode(
            x=alt.X("mean:Q", **x), y=y, tooltip=tips
        ),
        figures.mark_text(align="left", dy=-13, dx=2, color=colours.muted, limit=140).encode(
            x=alt.X("left:Q", **x), y=y, text="label:N"
        ),
    ]
    if len(shapes):
        area = alt.Chart(shapes).mark_area(color=colours.categorical[0], opacity=0.28)
        layers.insert(
            0,
            area.encode(
                x=alt.X("value:Q", **x), y=alt.Y("up:Q", scale=scale, axis=None), y2="down:Q", detail="label:N"
            ),
        )
    return alt.layer(*layers).properties(height=40 * len(boxes) + 20)


def scatter_chart(frame: pd.DataFrame, axis_titles: tuple[str, str], selection_name: str = "point") -> Any:
    """Predictions against ratings, with the line of equality; points can be chosen."""
    colours = current_palette()
    chosen = alt.selection_point(name=selection_name, fields=["at"], toggle=False, nearest=False)
    scale = alt.Scale(zero=False, nice=True)
    dots = (
        alt.Chart(frame)
        .mark_circle(size=60, color=colours.categorical[0], cursor="pointer")
        .encode(
            x=alt.X("true:Q", title=axis_titles[0], scale=scale, axis=alt.Axis(tickCount=8)),
            y=alt.Y("said:Q", title=axis_titles[1], scale=scale, axis=alt.Axis(tickCount=6)),
            opacity=alt.condition(chosen, alt.value(0.75), alt.value(0.15)),
            tooltip=[
                alt.Tooltip("id:N"),
                alt.Tooltip("true:Q", format=".3g", title="rated"),
                alt.Tooltip("said:Q", format=".3g", title="predicted"),
            ],
        )
        .add_params(chosen)
        .properties(height=380)
    )
    low, high = [max(frame["true"].min(), frame["said"].min()), min(frame["true"].max(), frame["said"].max())]
    if not low < high:
        return alt.layer(dots)
    ends = pd.DataFrame({"true": [low, high], "said": [low, high]})
    line = alt.Chart(ends).mark_line(color=colours.muted, strokeDash=[4, 3], strokeWidth=1)
    return alt.layer(line.encode(x="true:Q", y="said:Q"), dots)


def plane_chart(plane: Mapping[str, Any]) -> Any:
    """Samples over two dimensions, with the mean of each label as a large mark."""
    labels = make_unique(plane["labels"])
    points = pd.DataFrame([{"label": labels[at], "x": x, "y": y} for at, x, y in plane["points"]])
    centres = pd.DataFrame(
        [
            {"label": label, "x": each["x"], "y": each["y"], "n": each["n"]}
            for label, each in zip(labels, plane["centres"], strict=True)
        ]
    )
    scale = alt.Scale(zero=False)
    kinds = {
        "color": alt.Color(
            "label:N",
            sort=labels,
            scale=alt.Scale(range=list(current_palette().categorical)),
            legend=alt.Legend(title=None, orient="right", labelLimit=120),
        ),
        "shape": alt.Shape("label:N", sort=labels, legend=None),
    }
    places = {
        "x": alt.X("x:Q", title=str(plane["x"]), scale=scale, axis=alt.Axis(tickCount=8)),
        "y": alt.Y("y:Q", title=str(plane["y"]), scale=scale, axis=alt.Axis(tickCount=6)),
    }
    tips = [alt.Tooltip("label:N"), alt.Tooltip("x:Q", format=".3f"), alt.Tooltip("y:Q", format=".3f")]
    return alt.layer(
        alt.Chart(points).mark_point(filled=True, size=26, opacity=0.35).encode(**places, **kinds),
        alt.Chart(centres)
        .mark_point(filled=True, size=190, opacity=1, stroke=current_palette().background, strokeWidth=1.5)
        .encode(**places, **kinds, tooltip=tips),
    ).properties(height=380)


def stacked_error_chart(frame: pd.DataFrame) -> Any:
    """Substitutions, deletions and insertions of each group, as shares of the reference."""
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
    """Named rows of points: `name`, `x`, `y`."""
    hues = list(current_palette().categorical)
    names = list(dict.fromkeys(frame["name"]))
    dashes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
    alone = len(names) == 1
    legend = None if alone else alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3)
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
    """How good against how fast: `model`, `value`, `low`, `high`, `rtfx`."""
    colours = current_palette()
    x = alt.X(
        "rtfx:Q", title="RTFx, seconds of sound a second (log)", scale=alt.Scale(type="log", nice=False, padding=90)
    )
    base = alt.Chart(frame).properties(height=320)
    share = alt.Axis(format=".1%")
    return alt.layer(
        base.mark_rule(color=colours.categorical[0], opacity=0.4, strokeWidth=3).encode(
            x=x, y=alt.Y("low:Q", title=title, axis=share, scale=alt.Scale(zero=False)), y2="high:Q"
        ),
        base.mark_point(filled=True, size=90, color=colours.categorical[0], opacity=1).encode(
            x=x,
            y=alt.Y("value:Q", title=title, axis=share, scale=alt.Scale(zero=False)),
            tooltip=[
                "model:N",
                alt.Tooltip("value:Q", format=".2%", title=title),
                alt.Tooltip("rtfx:Q", format=",.1f", title="RTFx"),
            ],
        ),
        base.mark_text(align="left", dx=9, fontSize=12, color=colours.text, limit=220).encode(
            x=x, y="value:Q", text="model:N"
        ),
    )
