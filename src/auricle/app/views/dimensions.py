"""Results of models that predict dimensions such as arousal: distributions by emotion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.report.html_format import NumberDocument, format_count, typeset_number
from auricle.report.markup import Child


def draw_dimensions(number: NumberDocument, key: str) -> None:
    """Draw violins of each dimension, a scatter plot of two, and a table of statistics."""
    details = number["details"]
    dimensions = details["dimensions"]
    st.subheader("Dimensions", anchor=False)
    densities = details.get("densities") or {}
    names = [name for name in dimensions if name in densities]
    for start in range(0, len(names), 2):
        for column, name in zip(st.columns(2), names[start : start + 2], strict=False):
            with column:
                st.markdown(f"**{escape_markdown(name)}**")
                draw_chart(
                    charts.violin_chart(densities[name], dimensions[name]["emotions"], str(name)),
                    alt="Violins of one dimension by true label",
                )
    components.draw_notes(
        "Raw model values by true label. Width: density of samples. Bar: interquartile range. Tick: median. Dot: mean."
    )
    if plane := details.get("plane"):
        draw_chart(charts.plane_chart(plane), key=f"{key}-plane", alt="Samples over two dimensions")
        is_subset = len(plane["points"]) < plane["of"]
        shown = f"{len(plane['points']):,} of {plane['of']:,}" if is_subset else "all"
        components.draw_notes(f"Showing {shown} samples. Large markers: mean of each label.")
    _draw_table(dimensions)


def _draw_table(dimensions: Mapping[str, Mapping[str, Any]]) -> None:
    first = next(iter(dimensions.values()))["emotions"]
    headers = ["Label", "Samples"]
    for name in dimensions:
        headers += [f"{name}, mean ± sd", "d", "AUC"]
    rows: list[list[Child]] = []
    for label in first:
        row: list[Child] = [label, format_count(first[label]["n"])]
        for dimension in dimensions.values():
            row += _statistic_cells(dimension["emotions"][label])
        rows.append(row)
    components.draw_markup(components.build_table(headers, rows))
    explained = " ".join(
        f"{name}: labels explain {typeset_number(dimension['eta2'], 'share')} of the variance "
        f"({typeset_number(dimension['chance'], 'share')} expected by chance)."
        for name, dimension in dimensions.items()
    )
    components.draw_notes(
        "d: Cohen’s d; AUC: area under the ROC curve. Each compares one label with all others; d = 0 and AUC = 0.5 "
        f"mean no difference. {explained}"
    )


def _statistic_cells(statistics: Mapping[str, Any]) -> list[Child]:
    mean, deviation = (_format_number(statistics[name], 3) for name in ("mean", "sd"))
    return [f"{mean} ± {deviation}", _format_number(statistics["d"], 2), _format_number(statistics["auc"], 2)]


def _format_number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")
