"""Results of models that predict dimensions such as arousal: distributions by emotion."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.report.html_format import format_count, typeset_number
from auricle.report.plot_data import Dimension, Distribution, Plane, list_dimensions
from auricle.runs.metrics import Number


def draw_dimensions(number: Number, key: str) -> None:
    """Draw violins of each dimension, a scatter plot of two, and a table of statistics."""
    dimensions = list_dimensions(number.details)
    st.subheader("Dimensions", anchor=False)
    for start in range(0, len(dimensions), 2):
        for column, dimension in zip(st.columns(2), dimensions[start : start + 2], strict=False):
            with column:
                st.markdown(f"**{escape_markdown(dimension.name)}**")
                draw_chart(charts.violin_chart(dimension), alt="Violins of one dimension by true label")
    components.draw_notes(
        "Raw model values by true label. Width: density of samples. Bar: interquartile range. Tick: median. Dot: mean."
    )
    if plane := Plane.from_details(number.details):
        draw_chart(charts.plane_chart(plane), key=f"{key}-plane", alt="Samples over two dimensions")
        is_subset = len(plane.points) < plane.total
        shown = f"{len(plane.points):,} of {plane.total:,}" if is_subset else "all"
        components.draw_notes(f"Showing {shown} samples. Large markers: mean of each label.")
    _draw_table(dimensions)


def _draw_table(dimensions: Sequence[Dimension]) -> None:
    headers = ["Label", "Samples"]
    for dimension in dimensions:
        headers += [f"{dimension.name}, mean ± sd", "d", "AUC"]
    rows = [
        [
            values[0].name,
            format_count(values[0].n),
            *(cell for distribution in values for cell in _statistic_cells(distribution)),
        ]
        for values in zip(*(dimension.labels for dimension in dimensions), strict=True)
    ]
    components.draw_table(headers, rows)
    explained = " ".join(
        f"{dimension.name}: labels explain {typeset_number(dimension.eta2, 'share')} of the variance "
        f"({typeset_number(dimension.chance, 'share')} expected by chance)."
        for dimension in dimensions
    )
    components.draw_notes(
        "d: Cohen’s d; AUC: area under the ROC curve. Each compares one label with all others; d = 0 and AUC = 0.5 "
        f"mean no difference. {explained}"
    )


def _statistic_cells(values: Distribution) -> list[str]:
    mean, deviation = _format_number(values.mean, 3), _format_number(values.sd, 3)
    return [f"{mean} ± {deviation}", _format_number(values.d, 2), _format_number(values.auc, 2)]


def _format_number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")
