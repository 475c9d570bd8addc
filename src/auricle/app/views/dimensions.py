"""Results of models that tell dimensions, such as arousal: how emotions lie along them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.report.html_format import format_count, typeset_number
from auricle.report.markup import Child

Number = Mapping[str, Any]


def draw_dimensions(number: Number, key: str) -> None:
    """Violins of each dimension, the plane of two, and means with their spread; no matrix."""
    details = number["details"]
    found = details["dimensions"]
    st.subheader("Dimensions", anchor=False)
    densities = details.get("densities") or {}
    drawn = [name for name in found if name in densities]
    for start in range(0, len(drawn), 2):
        for place, name in zip(st.columns(2), drawn[start : start + 2], strict=False):
            with place:
                st.markdown(f"**{escape_markdown(name)}**")
                draw_chart(
                    charts.violin_chart(densities[name], found[name]["emotions"], str(name)),
                    alt="Violins of one dimension by true label",
                )
    components.draw_notes(
        "Values as the model gives them, by true label: the wider, the more samples lie "
        "there; the bar holds the middle half, the tick is the median, the dot the mean."
    )
    if plane := details.get("plane"):
        draw_chart(charts.plane_chart(plane), key=f"{key}-plane", alt="Samples over two dimensions")
        some = len(plane["points"]) < plane["of"]
        which = f"{len(plane['points']):,} of {plane['of']:,} samples" if some else "All samples"
        components.draw_notes(f"{which}; large marks are means of a label.")
    _draw_table(found)


def _draw_table(dimensions: Mapping[str, Mapping[str, Any]]) -> None:
    first = next(iter(dimensions.values()))["emotions"]
    head = ["Label", "Samples"]
    for name in dimensions:
        head += [f"{name}, mean ± sd", "d", "AUC"]
    rows: list[list[Child]] = []
    for label in first:
        row: list[Child] = [label, format_count(first[label]["n"])]
        for figures in dimensions.values():
            row += _statistic_cells(figures["emotions"][label])
        rows.append(row)
    components.draw_markup(components.build_table(head, rows))
    between = " ".join(
        f"Of {name}, {typeset_number(each['eta2'], 'share')} of the variance lies between labels (by "
        f"chance {typeset_number(each['chance'], 'share')})."
        for name, each in dimensions.items()
    )
    components.draw_notes(
        "d is Cohen’s and AUC the area under the ROC curve, both of one label against all "
        f"others; 0 and 0.5 mean no difference. {between}"
    )


def _statistic_cells(statistics: Mapping[str, Any]) -> list[Child]:
    mean, spread = (_format_number(statistics[name], 3) for name in ("mean", "sd"))
    return [f"{mean} ± {spread}", _format_number(statistics["d"], 2), _format_number(statistics["auc"], 2)]


def _format_number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")
