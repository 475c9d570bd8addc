"""Links from a number, a cell or a bar to all of its samples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from auricle.app import navigation, run_data
from auricle.app.views import charts
from auricle.app.workspace import current_workspace
from auricle.core.errors import DataError, SpecError
from auricle.runs.filter_terms import EQUALS, Term, format_filter
from auricle.scoring.confusion_matrix import ConfusionMatrix
from auricle.scoring.sample_filter import SampleColumns


def equals(field: str, value: str) -> Term:
    """Return the term that selects samples with exactly this value of a field."""
    return Term(field, EQUALS, value)


def metadata_equals(field: str, value: str) -> Term:
    """Return the term that selects samples with exactly this value of a metadata field."""
    return Term(f"meta.{field}", EQUALS, value)


def select_samples(path: Path, *terms: Term, metric: str = "") -> pd.DataFrame:
    """Return the samples of a run that match all terms; none if its samples have no such field."""
    frame = run_data.load_samples(path).frame
    try:
        numbers = run_data.load_metrics(path).overall
        number = next((number for number in numbers if number.metric == metric), None)
        return frame[SampleColumns(frame, numbers, number).match(format_filter(*terms))]
    except (SpecError, DataError):
        return frame.iloc[0:0]


def draw_link(path: Path, *terms: Term, **query: str) -> None:
    """Draw a link to all samples that match these terms, with their number; nothing if there are none."""
    if count := len(select_samples(path, *terms, metric=query.get("metric", ""))):
        navigation.draw_page_link("samples", _label(count), **navigation.samples_query(path, *terms, **query))


def _label(count: int) -> str:
    return f"Show all {count:,} samples" if count > 1 else "Show the sample"


def draw_group_link(path: Path, state: Any, field: str, values: Mapping[str, str | None]) -> None:
    """Draw a link to the samples of the group that was clicked in a chart, from the value of each group by its name."""
    value = values.get(get_clicked(state, charts.GROUP_SELECTION).get("group", ""))
    if value is not None:
        draw_link(path, metadata_equals(field, value))


def draw_changed_link(paths: tuple[Path, Path], metric: str, became: str, count: int) -> None:
    """Draw a link to the samples that B answers `worse` or `better` than A, with the answers of both."""
    if count:
        baseline = current_workspace().run_name(paths[0])
        query = navigation.samples_query(paths[1], equals("changed", became), metric=metric, **{"with": baseline})
        navigation.draw_page_link("samples", _label(count), **query)


def build_cell_terms(matrix: ConfusionMatrix, cell: tuple[int, int]) -> tuple[Term, Term]:
    """Return the filter for the samples of a cell; those without a readable answer have no predicted label."""
    row, column = cell
    predicted = matrix.columns[column] if column < len(matrix.predicted_labels) else ""
    return equals("label", matrix.rows[row]), equals("predicted", predicted)


def get_clicked_cell(state: Any, matrix: ConfusionMatrix) -> tuple[int, int] | None:
    """Return the row and column of the cell of a matrix that was clicked; None if there is no such cell."""
    fields = get_clicked(state, "cell")
    if not {"r", "c"} <= fields.keys():
        return None
    row, column = int(fields["r"]), int(fields["c"])
    return (row, column) if 0 <= row < len(matrix.rows) and 0 <= column < len(matrix.columns) else None


def get_clicked(state: Any, selection_name: str) -> dict[str, Any]:
    """Return the fields of the mark that was clicked in a chart; empty if none was."""
    selected: list[dict[str, Any]] = (state.get("selection") or {}).get(selection_name) or [] if state else []
    return selected[0] if selected else {}
