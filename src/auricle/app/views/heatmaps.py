"""Confusion matrices and their differences, as Altair draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from auricle.app.theme import current_palette
from auricle.app.views.charts import make_unique

CELL_SIZE = 46
MAX_COLUMNS_WITH_SHARES = 14  # columns beyond which a cell has no room for a second line
UNREADABLE_LABEL = "(unreadable)"


def matrix_to_frame(matrix: Mapping[str, Any]) -> tuple[pd.DataFrame, list[str], list[str]]:
    """A matrix as rows of a table, and the names along both axes."""
    rows, columns = make_unique(matrix["rows_shown"]), list(matrix["columns_shown"])
    counts = [list(row) for row in matrix["counts"]]
    if any(matrix["unreadable"]):
        columns.append(UNREADABLE_LABEL)
        counts = [[*row, lost] for row, lost in zip(counts, matrix["unreadable"], strict=True)]
    columns = make_unique(columns)
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


def confusion_chart(matrix: Mapping[str, Any], selection_name: str = "") -> Any:
    """Counts and shares of each row, shared labels along the diagonal.

    Cells can be chosen where a name is given for what is `chosen`.
    """
    frame, rows, columns = matrix_to_frame(matrix)
    colours = current_palette()
    base = _base_chart(frame, rows, columns)
    field = base.mark_rect(cursor="pointer" if selection_name else "default").encode(
        color=alt.Color(
            "share:Q",
            scale=alt.Scale(domain=[0, 1], range=list(colours.sequential[:8]), interpolate="rgb"),
            legend=alt.Legend(title="share of the true label", format=".0%", orient="bottom"),
        ),
        tooltip=_tooltips(),
    )
    texts = _cell_texts(base, len(columns))
    if not selection_name:
        return alt.layer(field, _diagonal_outline(base), *texts)
    picked = alt.selection_point(name=selection_name, fields=["r", "c"], toggle=False)
    framed = base.transform_filter({"param": selection_name, "empty": False}).mark_rect(
        fillOpacity=0, stroke=colours.categorical[1], strokeWidth=3
    )
    return alt.layer(field.add_params(picked), _diagonal_outline(base), framed, *texts)


def _diagonal_outline(base: Any) -> Any:
    """Frames around the cells in which both sides agree."""
    drawn = base.transform_filter("datum.hit")
    return drawn.mark_rect(fillOpacity=0, stroke=current_palette().muted, strokeWidth=1.2)


def _base_chart(frame: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> Any:
    return (
        alt.Chart(frame)
        .encode(
            x=alt.X(
                "said:N",
                sort=list(columns),
                title="said by the model",
                axis=alt.Axis(orient="top", labelAngle=-40, labelLimit=110, ticks=False, labelOverlap=False),
            ),
            y=alt.Y(
                "true:N",
                sort=list(rows),
                title="true label",
                axis=alt.Axis(labelLimit=130, ticks=False, labelFlush=False, labelBound=False),
            ),
        )
        .properties(height=alt.Step(CELL_SIZE if len(rows) <= MAX_COLUMNS_WITH_SHARES else 22))
    )


def _tooltips() -> list[Any]:
    return [
        alt.Tooltip("true:N", title="true"),
        alt.Tooltip("said:N", title="said"),
        alt.Tooltip("count:Q", title="samples", format=","),
        alt.Tooltip("share:Q", title="of the true label", format=".1%"),
    ]


def _cell_texts(base: Any, column_count: int) -> list[Any]:
    """Counts, and below them shares where there is room; light on dark cells."""
    colours = current_palette()
    turn = 0.8 if colours.is_dark else 0.45  # where a cell is no longer near the paper's colour
    ink = alt.condition(f"datum.share > {turn}", alt.value(colours.background), alt.value(colours.text))
    if column_count > MAX_COLUMNS_WITH_SHARES:
        return [base.mark_text(fontSize=10).encode(text="number:N", color=ink)]
    return [
        base.mark_text(fontSize=13, dy=-6).encode(text="number:N", color=ink),
        base.mark_text(fontSize=10, dy=9, opacity=0.8).encode(text="percent:N", color=ink),
    ]


def difference_chart(matrix: Mapping[str, Any]) -> Any:
    """The candidate's row shares less the baseline's, around zero; undefined rows are empty."""
    frame, rows, columns = _difference_to_frame(matrix)
    reach = max(0.05, float(frame["size"].max()))
    colours = current_palette()
    base = _base_chart(frame, rows, columns)
    ink = alt.condition(f"datum.size > {0.55 * reach:.4f}", alt.value(colours.background), alt.value(colours.text))
    field = base.mark_rect(stroke=colours.border, strokeWidth=0.5).encode(
        color=alt.condition("isValid(datum.change)", _diverging_colour(reach), alt.value(colours.surface)),
        tooltip=[alt.Tooltip("true:N"), alt.Tooltip("said:N"), alt.Tooltip("change:Q", title="B − A", format="+.1%")],
    )
    numbers = base.mark_text(fontSize=12).encode(text="number:N", color=ink)
    return alt.layer(field, _diagonal_outline(base), numbers)


def _difference_to_frame(matrix: Mapping[str, Any]) -> tuple[pd.DataFrame, list[str], list[str]]:
    """A row for each cell of the difference, and the labels of both sides."""
    rows, columns = (make_unique([each["shown"] for each in matrix[axis]]) for axis in ("rows", "columns"))
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


def _diverging_colour(max_change: float) -> Any:
    """One hue for more, another for less, the paper's colour for no change."""
    colours = current_palette()
    return alt.Color(
        "change:Q",
        scale=alt.Scale(
            domain=[-max_change, 0, max_change],
            range=[colours.categorical[1], colours.background, colours.categorical[0]],
            interpolate="rgb",
        ),
        legend=alt.Legend(title="B − A, share of the true label", format="+.0%", orient="bottom"),
    )
