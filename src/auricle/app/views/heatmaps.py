"""Charts of confusion matrices and of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from auricle.app.theme import current_palette
from auricle.app.views.charts import make_unique
from auricle.metrics.matrix_difference import MatrixDifference
from auricle.report.plot_data import ConfusionMatrix

CELL_SIZE = 46
MAX_COLUMNS_WITH_SHARES = 14
"""With more columns, a cell has no space for a second line."""


def matrix_to_frame(matrix: ConfusionMatrix) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a row for each cell, and the labels of both axes."""
    rows, columns = make_unique(matrix.row_names), make_unique(matrix.column_names)
    cells = [
        {
            "r": cell.row,
            "c": cell.column,
            "true": rows[cell.row],
            "predicted": columns[cell.column],
            "count": cell.count,
            "share": cell.share,
            "number": f"{cell.count:,}" if cell.count else "",
            "percent": f"{100 * cell.share:.0f} %" if cell.count else "",
            "hit": cell.is_hit,
        }
        for row in matrix.cells
        for cell in row
    ]
    return pd.DataFrame(cells), rows, columns


def confusion_chart(matrix: ConfusionMatrix, selection_name: str = "") -> Any:
    """Draw counts and row percentages, with the shared labels along the diagonal.

    Args:
        matrix: The counts.
        selection_name: Name under which Streamlit reports the cell that was clicked; if empty, cells are not clickable.
    """
    frame, rows, columns = matrix_to_frame(matrix)
    palette = current_palette()
    base = _base_chart(frame, rows, columns)
    squares = base.mark_rect(cursor="pointer" if selection_name else "default").encode(
        color=alt.Color(
            "share:Q",
            scale=alt.Scale(domain=[0, 1], range=list(palette.sequential[:8]), interpolate="rgb"),
            legend=alt.Legend(title="share of true label", format=".0%", orient="bottom"),
        ),
        tooltip=_tooltips(),
    )
    texts = _cell_texts(base, len(columns))
    if not selection_name:
        return alt.layer(squares, _diagonal_outline(base), *texts)
    selection = alt.selection_point(name=selection_name, fields=["r", "c"], toggle=False)
    outline = base.transform_filter({"param": selection_name, "empty": False}).mark_rect(
        fillOpacity=0, stroke=palette.categorical[1], strokeWidth=3
    )
    return alt.layer(squares.add_params(selection), _diagonal_outline(base), outline, *texts)


def _diagonal_outline(base: Any) -> Any:
    """Outline the cells whose true and predicted labels agree."""
    return base.transform_filter("datum.hit").mark_rect(fillOpacity=0, stroke=current_palette().muted, strokeWidth=1.2)


def _base_chart(frame: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> Any:
    return (
        alt.Chart(frame)
        .encode(
            x=alt.X(
                "predicted:N",
                sort=list(columns),
                title="predicted label",
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
        alt.Tooltip("predicted:N", title="predicted"),
        alt.Tooltip("count:Q", title="samples", format=","),
        alt.Tooltip("share:Q", title="share of row", format=".1%"),
    ]


def _cell_texts(base: Any, column_count: int) -> list[Any]:
    """Draw counts, and percentages below them if there is space; light text on dark cells."""
    palette = current_palette()
    threshold = 0.8 if palette.is_dark else 0.45  # from this share, a cell contrasts with the background
    text_colour = alt.condition(f"datum.share > {threshold}", alt.value(palette.background), alt.value(palette.text))
    if column_count > MAX_COLUMNS_WITH_SHARES:
        return [base.mark_text(fontSize=10).encode(text="number:N", color=text_colour)]
    return [
        base.mark_text(fontSize=13, dy=-6).encode(text="number:N", color=text_colour),
        base.mark_text(fontSize=10, dy=9, opacity=0.8).encode(text="percent:N", color=text_colour),
    ]


def difference_chart(matrix: MatrixDifference) -> Any:
    """Draw the row shares of B minus those of A; rows without samples in one run are empty."""
    frame, rows, columns = _difference_to_frame(matrix)
    max_change = max(0.05, float(frame["size"].max()))
    palette = current_palette()
    base = _base_chart(frame, rows, columns)
    text_colour = alt.condition(
        f"datum.size > {0.55 * max_change:.4f}", alt.value(palette.background), alt.value(palette.text)
    )
    squares = base.mark_rect(stroke=palette.border, strokeWidth=0.5).encode(
        color=alt.condition("isValid(datum.change)", _diverging_colour(max_change), alt.value(palette.surface)),
        tooltip=[
            alt.Tooltip("true:N"),
            alt.Tooltip("predicted:N"),
            alt.Tooltip("change:Q", title="B − A", format="+.1%"),
        ],
    )
    numbers = base.mark_text(fontSize=12).encode(text="number:N", color=text_colour)
    return alt.layer(squares, _diagonal_outline(base), numbers)


def _difference_to_frame(matrix: MatrixDifference) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return a row for each cell of the difference, and the labels of both axes."""
    rows, columns = (make_unique([label.shown for label in axis]) for axis in (matrix.rows, matrix.columns))
    diagonal = {(change.row, change.column) for change in matrix.diagonal}
    cells = []
    for row_index, row in enumerate(matrix.cells):
        for column_index in range(len(columns)):
            change = None if row is None else row[column_index]
            cells.append(
                {
                    "true": rows[row_index],
                    "predicted": columns[column_index],
                    "change": change,
                    "number": "" if not change else f"{100 * change:+.0f}".replace("-", "−"),
                    "size": abs(change or 0.0),
                    "hit": (row_index, column_index) in diagonal,
                }
            )
    names = ("true", "predicted", "change", "number", "size", "hit")
    return pd.DataFrame(cells, columns=names), rows, columns


def _diverging_colour(max_change: float) -> Any:
    """Return a scale with one hue for increases, another for decreases, and the background for no change."""
    palette = current_palette()
    return alt.Color(
        "change:Q",
        scale=alt.Scale(
            domain=[-max_change, 0, max_change],
            range=[palette.categorical[1], palette.background, palette.categorical[0]],
            interpolate="rgb",
        ),
        legend=alt.Legend(title="B − A, share of true label", format="+.0%", orient="bottom"),
    )
