"""Confusion matrices and their differences, as Altair draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from auricle.app.theme import palette
from auricle.app.views.charts import distinct

CELL = 46
WIDEST_TEXT = 14  # columns beyond which a cell has no room for a second line
UNREADABLE = "(unreadable)"


def cells(matrix: Mapping[str, Any]) -> tuple[pd.DataFrame, list[str], list[str]]:
    """A matrix as rows of a table, and the names along both axes."""
    rows, columns = distinct(matrix["rows_shown"]), list(matrix["columns_shown"])
    counts = [list(row) for row in matrix["counts"]]
    if any(matrix["unreadable"]):
        columns.append(UNREADABLE)
        counts = [[*row, lost] for row, lost in zip(counts, matrix["unreadable"], strict=True)]
    columns = distinct(columns)
    told = []
    for at, row in enumerate(counts):
        whole = sum(row)
        for place, count in enumerate(row):
            share = count / whole if whole else 0.0
            told.append(
                {
                    "r": at,
                    "c": place,
                    "true": rows[at],
                    "said": columns[place],
                    "count": count,
                    "share": share,
                    "number": f"{count:,}" if count else "",
                    "percent": f"{100 * share:.0f} %" if count else "",
                    "hit": at == place and at < matrix["shared"],
                }
            )
    return pd.DataFrame(told), rows, columns


def confusion(matrix: Mapping[str, Any], chosen: str = "") -> Any:
    """Counts and shares of each row, shared labels along the diagonal.

    Cells can be chosen where a name is given for what is `chosen`.
    """
    frame, rows, columns = cells(matrix)
    colours = palette()
    base = _over(frame, rows, columns)
    field = base.mark_rect(cursor="pointer" if chosen else "default").encode(
        color=alt.Color(
            "share:Q",
            scale=alt.Scale(domain=[0, 1], range=list(colours.ramp[:8]), interpolate="rgb"),
            legend=alt.Legend(title="share of the true label", format=".0%", orient="bottom"),
        ),
        tooltip=_tips(),
    )
    texts = _texts(base, len(columns))
    if not chosen:
        return alt.layer(field, _outline(base), *texts)
    picked = alt.selection_point(name=chosen, fields=["r", "c"], toggle=False)
    framed = base.transform_filter({"param": chosen, "empty": False}).mark_rect(
        fillOpacity=0, stroke=colours.hues[1], strokeWidth=3
    )
    return alt.layer(field.add_params(picked), _outline(base), framed, *texts)


def _outline(base: Any) -> Any:
    """Frames around the cells in which both sides agree."""
    drawn = base.transform_filter("datum.hit")
    return drawn.mark_rect(fillOpacity=0, stroke=palette().quiet, strokeWidth=1.2)


def _over(frame: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> Any:
    return (
        alt.Chart(frame)
        .encode(
            x=alt.X(
                "said:N",
                sort=list(columns),
                title="said by the model",
                axis=alt.Axis(
                    orient="top", labelAngle=-40, labelLimit=110, ticks=False, labelOverlap=False
                ),
            ),
            y=alt.Y(
                "true:N",
                sort=list(rows),
                title="true label",
                axis=alt.Axis(labelLimit=130, ticks=False, labelFlush=False, labelBound=False),
            ),
        )
        .properties(height=alt.Step(CELL if len(rows) <= WIDEST_TEXT else 22))
    )


def _tips() -> list[Any]:
    return [
        alt.Tooltip("true:N", title="true"),
        alt.Tooltip("said:N", title="said"),
        alt.Tooltip("count:Q", title="samples", format=","),
        alt.Tooltip("share:Q", title="of the true label", format=".1%"),
    ]


def _texts(base: Any, width: int) -> list[Any]:
    """Counts, and below them shares where there is room; light on dark cells."""
    colours = palette()
    turn = 0.8 if colours.is_dark else 0.45  # where a cell is no longer near the paper's colour
    ink = alt.condition(f"datum.share > {turn}", alt.value(colours.paper), alt.value(colours.ink))
    if width > WIDEST_TEXT:
        return [base.mark_text(fontSize=10).encode(text="number:N", color=ink)]
    return [
        base.mark_text(fontSize=13, dy=-6).encode(text="number:N", color=ink),
        base.mark_text(fontSize=10, dy=9, opacity=0.8).encode(text="percent:N", color=ink),
    ]


def difference(matrix: Mapping[str, Any]) -> Any:
    """The candidate's row shares less the baseline's, around zero; undefined rows are empty."""
    frame, rows, columns = _changes(matrix)
    reach = max(0.05, float(frame["size"].max()))
    colours = palette()
    base = _over(frame, rows, columns)
    ink = alt.condition(
        f"datum.size > {0.55 * reach:.4f}", alt.value(colours.paper), alt.value(colours.ink)
    )
    field = base.mark_rect(stroke=colours.rule, strokeWidth=0.5).encode(
        color=alt.condition("isValid(datum.change)", _around_zero(reach), alt.value(colours.faint)),
        tooltip=[
            alt.Tooltip("true:N"),
            alt.Tooltip("said:N"),
            alt.Tooltip("change:Q", title="B − A", format="+.1%"),
        ],
    )
    numbers = base.mark_text(fontSize=12).encode(text="number:N", color=ink)
    return alt.layer(field, _outline(base), numbers)


def _changes(matrix: Mapping[str, Any]) -> tuple[pd.DataFrame, list[str], list[str]]:
    """A row for each cell of the difference, and the labels of both sides."""
    rows, columns = (
        distinct([each["shown"] for each in matrix[axis]]) for axis in ("rows", "columns")
    )
    diagonal = {(each["row"], each["column"]) for each in matrix["diagonal"]}
    told = []
    for at, row in enumerate(matrix["cells"]):
        for place in range(len(columns)):
            value = None if row is None else row[place]
            told.append(
                {
                    "true": rows[at],
                    "said": columns[place],
                    "change": value,
                    "number": "" if not value else f"{100 * value:+.0f}".replace("-", "−"),
                    "size": abs(value or 0.0),
                    "hit": (at, place) in diagonal,
                }
            )
    names = ("true", "said", "change", "number", "size", "hit")
    return pd.DataFrame(told, columns=names), rows, columns


def _around_zero(reach: float) -> Any:
    """One hue for more, another for less, the paper's colour for no change."""
    colours = palette()
    return alt.Color(
        "change:Q",
        scale=alt.Scale(
            domain=[-reach, 0, reach],
            range=[colours.hues[1], colours.paper, colours.hues[0]],
            interpolate="rgb",
        ),
        legend=alt.Legend(title="B − A, share of the true label", format="+.0%", orient="bottom"),
    )
