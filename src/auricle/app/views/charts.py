"""Altair charts of results; the columns have fixed names, never names from a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt
import pandas as pd

from auricle.app.theme import current_palette
from auricle.metrics.matrix_difference import MatrixDifference
from auricle.report.axis_labels import shorten_labels, tick_format
from auricle.report.plot_data import Dimension, Plane
from auricle.report.plots import MAX_TINT, MIN_SCALE, fit_axis
from auricle.scoring.confusion_matrix import ConfusionMatrix

CELL_SIZE = 46
AXIS_HEIGHT, LEGEND_ROW_HEIGHT = 50, 20
"""Space below a chart, which is part of its height."""
MAX_LEGEND_LENGTH = 26
MARKER_SHAPES = (
    *("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-left", "triangle-right"),
)
SHARE = "format(100 * abs(datum.value), '.0f') + '\u202f%'"
PERCENT, POINTS = (f"format(100 * datum.value, '{number_format}') + '\u202f%'" for number_format in (".0f", "+.1f"))
"""How legends show shares, and differences of shares."""
MAX_COLUMNS_WITH_SHARES = 14
"""With more columns, a cell of a matrix has no space for a second line."""


GROUP_SELECTION = "group"
"""Streamlit reports the group that was clicked in a chart of groups by this name."""


COLUMN_SELECTION = "column"
"""Streamlit reports the values or the range that was selected in the chart of a column by this name."""


def _select_group() -> Any:
    return alt.selection_point(name=GROUP_SELECTION, fields=["group"], toggle=False)


def fit_quantity(values: Iterable[float | None], unit: str = "", *, include_zero: bool = False) -> dict[str, Any]:
    """Return the scale and the axis of a quantity: round ends, even if all values are equal, and distinct ticks."""
    known = [float(value) for value in values if value is not None and math.isfinite(value)]
    ticks = fit_axis([0.0, *known] if include_zero or not known else known).ticks
    is_share = unit == "share"
    number_format = tick_format([100 * tick for tick in ticks] if is_share else ticks)
    label = f"format({100 if is_share else 1} * datum.value, '{number_format}')" + (" + '\u202f%'" if is_share else "")
    scale = alt.Scale(domain=[ticks[0], ticks[-1]], nice=False, zero=False)
    return {"scale": scale, "axis": alt.Axis(values=ticks, labelExpr=label, labelOverlap=True)}


def _tooltips(*names: str, **formats: str) -> list[Any]:
    """Show columns of text by name, and columns of numbers in a format."""
    texts = [alt.Tooltip(f"{name}:N") for name in names]
    return texts + [alt.Tooltip(f"{name}:Q", format=number_format) for name, number_format in formats.items()]


# --- intervals ----------------------------------------------------------------------------------


def interval_chart(frame: pd.DataFrame, unit: str, title: str, overall_value: float | None) -> Any:
    """Draw a dot and an interval for each group, and a dashed line for all samples."""
    palette = current_palette()
    tooltips = _tooltips("group", **dict.fromkeys(("value", "low", "high"), ".2%" if unit == "share" else ".4g"))
    axis = alt.Axis(labelLimit=0, labelFlush=False)
    y = alt.Y("group:N", sort=list(frame["group"]), title=None, scale=alt.Scale(type="band"), axis=axis)
    most = 1.0 if unit == "share" else math.inf  # an interval alone makes no axis longer than 100 %
    ends = [overall_value, *frame["value"], *frame["low"], *(end and min(end, most) for end in frame["high"])]
    quantity = {"title": title, **fit_quantity(ends, unit)}
    base = alt.Chart(frame).encode(y=y, tooltip=[*tooltips, alt.Tooltip("scored:Q", title="samples")])
    base, colour = base.properties(height=alt.Step(24)), palette.categorical[0]
    dots = base.mark_point(filled=True, size=70, color=colour, opacity=1, cursor="pointer")
    layers = [dots.encode(x=alt.X("value:Q", **quantity)).add_params(_select_group())]
    if frame["low"].notna().any():
        bars = base.mark_rule(strokeWidth=4, opacity=0.35, color=colour, clip=True)
        layers.insert(0, bars.encode(x=alt.X("low:Q", **quantity), x2="high:Q"))
    if overall_value is not None:
        line = alt.Chart(pd.DataFrame({"overall": [overall_value]})).mark_rule(color=palette.muted, strokeDash=[4, 3])
        layers.insert(0, line.encode(x=alt.X("overall:Q", **quantity)))
    return alt.layer(*layers)


# --- dimensions and ratings ---------------------------------------------------------------------


def violin_chart(dimension: Dimension) -> Any:
    """Draw the density of values for each label, with the interquartile range as a bar and the mean as a dot.

    Labels are drawn as text, one below the other, because an axis of names would need a facet per label.
    """
    shapes, boxes = [], []
    names = shorten_labels([label.name for label in dimension.labels])
    for index, (name, label) in enumerate(zip(names, dimension.labels, strict=True)):
        peak = max((height for _, height in label.density), default=0.0) or 1.0
        for value, height in label.density:
            half_width = 0.4 * height / peak
            shapes.append({"label": name, "value": value, "up": half_width - index, "down": -half_width - index})
        quartiles = dict(zip(("first", "median", "third"), label.quartiles, strict=True))
        boxes.append({"label": name, **quartiles, "y": -index, "mean": label.mean, "n": label.n})
    grid = [value for label in dimension.labels for value, _ in label.density]
    ends = [*grid, *(end for label in dimension.labels for end in (label.low, label.high))]
    quantity = {"title": dimension.name, **fit_quantity(ends)}
    boxes = [{**box, "left": quantity["scale"].domain[0]} for box in boxes]
    return _layer_violins(pd.DataFrame(shapes), pd.DataFrame(boxes), quantity)


def _layer_violins(shapes: pd.DataFrame, boxes: pd.DataFrame, quantity: dict[str, Any]) -> Any:
    palette = current_palette()
    scale = alt.Scale(domain=[0.6 - len(boxes), 0.6])
    base = alt.Chart(boxes).encode(y=alt.Y("y:Q", scale=scale, axis=None))
    label, *numbers = _tooltips("label", mean=".3f", median=".3f")
    tooltips = [label, alt.Tooltip("n:Q", title="samples"), *numbers]

    def x(column: str) -> Any:
        return alt.X(column, **quantity)

    bars = base.mark_rule(strokeWidth=5, color=palette.categorical[0])
    medians = base.mark_tick(color=palette.background, thickness=2, size=9, orient="vertical")
    means = base.mark_point(filled=True, color=palette.categorical[1], size=42, opacity=1)
    names = base.mark_text(align="left", dy=-13, dx=2, color=palette.muted, limit=0)
    layers = [
        bars.encode(x=x("first:Q"), x2="third:Q", tooltip=tooltips),
        medians.encode(x=x("median:Q")),
        means.encode(x=x("mean:Q"), tooltip=tooltips),
        names.encode(x=x("left:Q"), text="label:N"),
    ]
    if len(shapes):
        area = alt.Chart(shapes).mark_area(color=palette.categorical[0], opacity=0.28)
        top = alt.Y("up:Q", scale=scale, axis=None)
        layers.insert(0, area.encode(x=x("value:Q"), y=top, y2="down:Q", detail="label:N"))
    return alt.layer(*layers).properties(height=40 * len(boxes) + AXIS_HEIGHT)


def scatter_chart(frame: pd.DataFrame, axis_titles: tuple[str, str]) -> Any:
    """Draw predictions against ratings, with a dashed line of equality.

    Streamlit reports the point that was clicked as `point`.
    """
    palette = current_palette()
    selection = alt.selection_point(name="point", fields=["index"], toggle=False, nearest=False)
    dots = alt.Chart(frame).mark_circle(size=60, color=palette.categorical[0], cursor="pointer")
    dots = dots.encode(
        x=alt.X("rating:Q", title=axis_titles[0], **fit_quantity(frame["rating"])),
        y=alt.Y("prediction:Q", title=axis_titles[1], **fit_quantity(frame["prediction"])),
        opacity=alt.condition(selection, alt.value(0.75), alt.value(0.15)),
        tooltip=_tooltips("id", rating=".3g", prediction=".3g"),
    )
    dots = dots.add_params(selection).properties(height=380)
    ratings, predictions = frame["rating"], frame["prediction"]
    low, high = max(ratings.min(), predictions.min()), min(ratings.max(), predictions.max())
    if not low < high:
        return alt.layer(dots)
    ends = pd.DataFrame({"rating": [low, high], "prediction": [low, high]})
    line = alt.Chart(ends).mark_line(color=palette.muted, strokeDash=[4, 3], strokeWidth=1)
    return alt.layer(line.encode(x="rating:Q", y="prediction:Q"), dots)


def plane_chart(plane: Plane) -> Any:
    """Draw samples over two dimensions, with the mean of each label as a large marker."""
    palette = current_palette()
    labels = shorten_labels(plane.names, MAX_LEGEND_LENGTH)
    points = pd.DataFrame([{"label": labels[index], "x": x, "y": y} for index, x, y in plane.points])
    centres = pd.DataFrame(
        [{"label": label, "x": centre.x, "y": centre.y} for label, centre in zip(labels, plane.centres, strict=True)]
    )
    legend = alt.Legend(title=None, orient="bottom", columns=2, labelLimit=0, symbolOpacity=1, symbolStrokeWidth=0)
    hues, indices = palette.categorical, range(len(labels))
    colours = [hues[index % len(hues)] for index in indices]
    # Where colours repeat, shapes do not, so that each label has a mark of its own.
    shapes = [MARKER_SHAPES[(index + index // len(hues)) % len(MARKER_SHAPES)] for index in indices]
    channels = {
        "x": alt.X("x:Q", title=plane.x, **fit_quantity(points["x"])),
        "y": alt.Y("y:Q", title=plane.y, **fit_quantity(points["y"])),
        "color": alt.Color("label:N", sort=labels, scale=alt.Scale(domain=labels, range=colours), legend=legend),
        "shape": alt.Shape("label:N", sort=labels, scale=alt.Scale(domain=labels, range=shapes), legend=None),
    }
    dots = alt.Chart(points).mark_point(filled=True, size=26, opacity=0.35)
    markers = alt.Chart(centres).mark_point(
        filled=True, size=190, opacity=1, stroke=palette.background, strokeWidth=1.5
    )
    tooltips = _tooltips("label", x=".3f", y=".3f")
    layers = alt.layer(dots.encode(**channels), markers.encode(**channels, tooltip=tooltips))
    return layers.properties(height=380 + LEGEND_ROW_HEIGHT * math.ceil(len(labels) / 2))


# --- distributions of a column ------------------------------------------------------------------


def histogram_chart(frame: pd.DataFrame, title: str) -> Any:
    """Draw counts in bins, of all samples and of those that match; a range can be marked."""
    scale, axis = alt.Scale(zero=False, nice=False), alt.Axis(tickCount=8)
    x = alt.X("start:Q", bin="binned", title=title, scale=scale, axis=axis)
    base = alt.Chart(frame).encode(x=x, x2="end:Q").properties(height=180)
    selection = alt.selection_interval(name=COLUMN_SELECTION, encodings=["x"])
    tooltips = _tooltips(start=".4g", end=".4g", all=",d", matching=",d")
    return _layer_counts(base, "y", tooltips, selection)


def value_chart(frame: pd.DataFrame) -> Any:
    """Draw counts of values, of all samples and of those that match; values can be clicked."""
    y = alt.Y("name:N", sort=list(frame["name"]), title=None, axis=alt.Axis(labelLimit=180, labelFlush=False))
    base = alt.Chart(frame).encode(y=y).properties(height=alt.Step(22))
    selection = alt.selection_point(name=COLUMN_SELECTION, fields=["value"])
    return _layer_counts(base, "x", _tooltips("name", all=",d", matching=",d"), selection)


def _layer_counts(base: Any, axis: str, tooltips: list[Any], selection: Any) -> Any:
    """Draw the counts of all samples behind those of the samples that match."""
    palette = current_palette()
    channel = alt.Y if axis == "y" else alt.X
    all_samples, matching = (
        base.mark_bar(color=colour, cursor="pointer").encode(
            tooltip=tooltips, **{axis: channel(f"{column}:Q", title="samples", axis=alt.Axis(tickMinStep=1))}
        )
        for column, colour in (("all", palette.inactive), ("matching", palette.accent))
    )
    return alt.layer(all_samples.add_params(selection), matching)


# --- errors, speed and load ---------------------------------------------------------------------


def stacked_error_chart(frame: pd.DataFrame) -> Any:
    """Draw substitutions, deletions and insertions of each group, as shares of the reference length."""
    kinds = ["substitutions", "deletions", "insertions"]
    hues = current_palette().categorical
    colours = alt.Scale(domain=kinds, range=[hues[0], hues[1], hues[4]])
    groups, axis = list(dict.fromkeys(frame["group"])), alt.Axis(labelLimit=0, labelFlush=False)
    totals = frame.groupby("group", sort=False)["share"].sum()
    bars = alt.Chart(frame).mark_bar(height=14, cursor="pointer").properties(height=alt.Step(26))
    return bars.add_params(_select_group()).encode(
        y=alt.Y("group:N", sort=groups, title=None, axis=axis),
        x=alt.X("share:Q", title="errors per reference token", **fit_quantity(totals, "share", include_zero=True)),
        color=alt.Color("kind:N", sort=kinds, title=None, scale=colours, legend=alt.Legend(orient="bottom")),
        order=alt.Order("order:Q"),
        tooltip=["group:N", "kind:N", alt.Tooltip("share:Q", format=".2%"), "count:Q"],
    )


def line_chart(frame: pd.DataFrame, x_title: str, y_title: str, *, show_points: bool = True) -> Any:
    """Draw a line for each `name` in a frame with columns `name`, `x`, `y` and perhaps `label`, joining its rows."""
    has_labels = "label" in frame and frame["label"].any()
    names = list(dict.fromkeys(frame["name"]))
    legend = (
        None
        if len(names) == 1
        else alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3, labelLimit=0)
    )
    colours = alt.Scale(domain=names, range=list(current_palette().categorical))
    dashes = alt.Scale(domain=names, range=[[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]])
    tooltips = [alt.Tooltip(f"{axis}:Q", format=".4g", title=title) for axis, title in (("x", x_title), ("y", y_title))]
    points = alt.OverlayMarkDef(size=45) if show_points else False
    base = alt.Chart(frame.assign(row=range(len(frame)))).properties(height=280)
    base = base.encode(
        x=alt.X("x:Q", title=x_title, **fit_quantity(frame["x"])),
        y=alt.Y("y:Q", title=y_title, **fit_quantity(frame["y"], include_zero=True)),
        color=alt.Color("name:N", sort=names, legend=legend, scale=colours),
        tooltip=["name:N", *(["label:N"] if has_labels else []), *tooltips],
    )
    dash = alt.StrokeDash("name:N", sort=names, legend=None, scale=dashes)
    lines = base.mark_line(point=points, strokeWidth=2).encode(strokeDash=dash, order="row:Q")
    labels = base.mark_text(dy=-10, fontSize=12).encode(text="label:N")
    return alt.layer(lines, labels) if has_labels else lines


def speed_error_chart(frame: pd.DataFrame, title: str) -> Any:
    """Draw a metric against speed, from a frame with columns `model`, `value`, `low`, `high` and `throughput`."""
    palette = current_palette()
    scale = alt.Scale(type="log", nice=False, padding=90)
    x = alt.X("throughput:Q", title="Throughput: seconds of audio per second (log scale)", scale=scale)
    ends = [end for column in ("value", "low", "high") for end in frame[column]]
    y = {"title": title, **fit_quantity(ends, "share")}
    frame = frame.assign(label=shorten_labels(list(frame["model"]), MAX_LEGEND_LENGTH))
    base = alt.Chart(frame).properties(height=320).encode(x=x)
    bars = base.mark_rule(color=palette.categorical[0], opacity=0.4, strokeWidth=3)
    dots = base.mark_point(filled=True, size=90, color=palette.categorical[0], opacity=1)
    names = base.mark_text(align="left", dx=9, fontSize=12, color=palette.text, limit=0)
    value = alt.Tooltip("value:Q", format=".2%", title=title)
    tooltips = ["model:N", value, alt.Tooltip("throughput:Q", format=",.3~r", title="Throughput")]
    has_intervals = frame["low"].notna().any()
    return alt.layer(
        *([bars.encode(y=alt.Y("low:Q", **y), y2="high:Q")] if has_intervals else []),
        dots.encode(y=alt.Y("value:Q", **y), tooltip=tooltips),
        names.encode(y=alt.Y("value:Q", **y), text="label:N"),
    )


# --- confusion matrices -------------------------------------------------------------------------


def matrix_to_frame(matrix: ConfusionMatrix) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a row for each cell, and the labels of both axes."""
    rows, columns = shorten_labels(matrix.row_names), shorten_labels(matrix.column_names)
    cells = [
        {
            "r": cell.row,
            "c": cell.column,
            "true": rows[cell.row],
            "predicted": columns[cell.column],
            "count": cell.count,
            "share": cell.share,
            "tone": cell.share if cell.is_hit else -cell.share,
            "number": f"{cell.count:,}" if cell.count else "",
            "percent": f"{100 * cell.share:.0f} %" if cell.count else "",
            "whole": f"{100 * cell.share:.0f}" if cell.count else "",
            "hit": cell.is_hit,
        }
        for row in matrix.cells
        for cell in row
    ]
    return pd.DataFrame(cells), rows, columns


def confusion_chart(matrix: ConfusionMatrix, selection_name: str = "", *, is_compact: bool = False) -> Any:
    """Draw counts and row percentages, with the shared labels along the diagonal.

    Args:
        matrix: The counts.
        is_compact: Draw only the percentages, small, so that three matrices fit beside each other.
        selection_name: Name under which Streamlit reports the cell that was clicked; if empty, cells are not clickable.
    """
    frame, rows, columns = matrix_to_frame(matrix)
    base = _base_matrix(frame, rows, columns)
    scale = alt.Scale(domain=[-1, 0, 1], range=_heat_colours(), interpolate="rgb")
    title = "share, wrong or right"
    legend = alt.Legend(title=title, titleLimit=0, labelExpr=SHARE, values=[-1, 0, 1], orient="bottom")
    squares = base.mark_rect(cursor="pointer" if selection_name else "default").encode(
        color=alt.Color("tone:Q", scale=scale, legend=legend),
        tooltip=[
            alt.Tooltip("true:N", title="true"),
            alt.Tooltip("predicted:N", title="predicted"),
            alt.Tooltip("count:Q", title="samples", format=","),
            alt.Tooltip("share:Q", title="share of row", format=".1%"),
        ],
    )
    texts = _cell_texts(base, len(columns), is_compact=is_compact)
    return _layer_matrix(base, squares, texts, selection_name)


def _layer_matrix(base: Any, squares: Any, texts: Sequence[Any], selection_name: str) -> Any:
    """Lay the outlines and texts over the cells, which can be clicked if the selection has a name."""
    if not selection_name:
        return alt.layer(squares, _diagonal_outline(base), *texts)
    selection = alt.selection_point(name=selection_name, fields=["r", "c"], toggle=False)
    selected = base.transform_filter({"param": selection_name, "empty": False})
    outline = selected.mark_rect(aria=False, fillOpacity=0, stroke=current_palette().categorical[1], strokeWidth=3)
    return alt.layer(squares.add_params(selection), _diagonal_outline(base), outline, *texts)


def _base_matrix(frame: pd.DataFrame, rows: list[str], columns: list[str]) -> Any:
    x_axis = alt.Axis(orient="top", labelAngle=-40, labelLimit=0, ticks=False, labelOverlap=False)
    y_axis = alt.Axis(labelLimit=0, ticks=False, labelFlush=False, labelBound=False)
    x = alt.X("predicted:N", sort=columns, title="predicted label", axis=x_axis)
    y = alt.Y("true:N", sort=rows, title="true label", axis=y_axis)
    height = CELL_SIZE if len(rows) <= MAX_COLUMNS_WITH_SHARES else 22
    return alt.Chart(frame).encode(x=x, y=y).properties(height=alt.Step(height))


def _diagonal_outline(base: Any) -> Any:
    """Outline the cells whose true and predicted labels agree."""
    return base.transform_filter("datum.hit").mark_rect(fillOpacity=0, stroke=current_palette().muted, strokeWidth=1.2)


def _cell_texts(base: Any, column_count: int, *, is_compact: bool) -> list[Any]:
    """Draw counts, and percentages below them if there is space."""
    colour = alt.value(current_palette().text)
    if is_compact:
        return [base.mark_text(fontSize=10).encode(text="whole:N", color=colour)]
    if column_count > MAX_COLUMNS_WITH_SHARES:
        return [base.mark_text(fontSize=10).encode(text="number:N", color=colour)]
    return [
        base.mark_text(fontSize=13, dy=-6).encode(text="number:N", color=colour),
        base.mark_text(fontSize=10, dy=9, opacity=0.8).encode(text="percent:N", color=colour),
    ]


def _heat_colours() -> list[str]:
    """Return the strongest tint of misses or decreases, no tint, and that of hits or increases, as in the report."""
    palette = current_palette()
    hit, miss = (_mix(palette.background, tint, MAX_TINT) for tint in palette.heat)
    return [miss, palette.background, hit]


def _mix(background: str, tint: str, share: float) -> str:
    """Return the colour of a tint with this opacity over a background.

    >>> _mix("#ffffff", "#000000", 0.6)
    '#666666'
    """
    pairs = ((int(background[at : at + 2], 16), int(tint[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(below + share * (above - below)):02x}" for below, above in pairs)


def difference_chart(matrix: MatrixDifference, selection_name: str = "", *, is_compact: bool = False) -> Any:
    """Draw the row shares of B minus those of A; rows without samples in one run are empty.

    Args:
        matrix: The difference.
        selection_name: Name under which Streamlit reports the cell that was clicked; if empty, cells are not clickable.
        is_compact: Draw small numbers, so that three matrices fit beside each other.
    """
    frame, rows, columns = difference_to_frame(matrix)
    max_change = max(MIN_SCALE, float(frame["size"].max()))
    palette = current_palette()
    base = _base_matrix(frame, rows, columns)
    scale = alt.Scale(domain=[-max_change, 0, max_change], range=_heat_colours(), interpolate="rgb")
    ends = [-max_change, 0.0, max_change]
    legend = alt.Legend(title="B − A, share of true label", labelExpr=POINTS, values=ends, orient="bottom")
    colour = alt.Color("change:Q", scale=scale, legend=legend)
    cursor = "pointer" if selection_name else "default"
    squares = base.mark_rect(stroke=palette.border, strokeWidth=0.5, cursor=cursor).encode(
        color=alt.condition("isValid(datum.change)", colour, alt.value(palette.surface)),
        tooltip=[*_tooltips("true", "predicted"), alt.Tooltip("change:Q", title="B − A", format="+.1%")],
    )
    numbers = base.mark_text(fontSize=8.5 if is_compact else 12).encode(text="number:N", color=alt.value(palette.text))
    return _layer_matrix(base, squares, [numbers], selection_name)


def difference_to_frame(matrix: MatrixDifference) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a row for each cell of the difference, and the labels of both axes."""
    rows, columns = (shorten_labels([label.shown for label in axis]) for axis in (matrix.rows, matrix.columns))
    diagonal = {(change.row, change.column) for change in matrix.diagonal}
    cells = []
    for row_index, row in enumerate(matrix.cells):
        for column_index, column in enumerate(columns):
            change = None if row is None else row[column_index]
            number = f"{100 * change:+.0f}".replace("-", "−") if change else ""
            is_hit = (row_index, column_index) in diagonal
            place = row_index, column_index
            cells.append((*place, rows[row_index], column, change, number, abs(change or 0.0), is_hit))
    fields = ("r", "c", "true", "predicted", "change", "number", "size", "hit")
    return pd.DataFrame(cells, columns=fields), rows, columns
