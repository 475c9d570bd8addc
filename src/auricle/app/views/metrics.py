"""Metrics of a run: intervals, coverage, breakdown by metadata, exclusions and provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st
from markupsafe import Markup

from auricle.app import run_data
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components
from auricle.app.workspace import current_workspace, is_file_inside_run
from auricle.core.errors import DataError
from auricle.metrics.catalogue import metric_title
from auricle.report.html_format import (
    Scale,
    collect_extents,
    format_count,
    get_bounds,
    get_unread_bounds,
    group_refusals,
    typeset_coverage,
    typeset_interval,
    typeset_method,
    typeset_number,
    typeset_value,
)
from auricle.report.methods import explain_few_units, mark_few_units
from auricle.report.text_format import format_reading, group_by_readings, truncate
from auricle.runs.metrics import METRICS_FILE, Metrics, Number

MAX_HEADLINES = 4
MAX_GROUPS = 100
MAX_NOTES = 20
MAX_ROWS = 60
DOWNLOADS = ("metrics_summary.csv", "metrics_detail.csv", METRICS_FILE, "report.html")


def add_arrow(title: str, higher_is_better: bool) -> str:
    """Mark the direction that is better."""
    return f"{title} {'↑' if higher_is_better else '↓'}"


def draw_headline(metrics: Metrics) -> None:
    """Draw the first metrics in large type."""
    numbers = metrics.overall[:MAX_HEADLINES]
    if not numbers:
        st.warning("No metric could be computed for this run.", icon=":material/warning:")
        return
    components.draw_headline(
        (add_arrow(number.title, number.higher_is_better), typeset_value(number), typeset_interval(number))
        for number in numbers
    )
    draw_few_units_note(numbers)
    if bounds := get_unread_bounds(numbers[0]):
        right, wrong = (typeset_number(bound, numbers[0].unit) for bound in bounds)
        components.draw_notes(f"{numbers[0].title} is {wrong} if all unread answers were wrong, {right} if right.")


def draw_few_units_note(numbers: Iterable[Number]) -> None:
    """Draw why some of these numbers are marked, if any is."""
    if note := explain_few_units(numbers):
        components.draw_notes(f"{note}.")


def draw_warnings(path: Path, metrics: Metrics) -> None:
    """Draw warnings about unfinished, outdated or failed parts of the run, and its notes."""
    warnings = {}
    if not metrics.complete:
        warnings["hourglass_top"] = "This run is unfinished. Metrics cover the samples completed so far."
    if run_data.is_stale(path):
        name = escape_markdown(current_workspace().run_name(path))
        warnings["update"] = f"These metrics are out of date. Run `auricle score {name}` to update them."
    try:
        run_data.find_foreign_code(path)
    except DataError as error:
        warnings["broken_image"] = escape_markdown(error)
    if metrics.outcomes.failed:
        warnings["error"] = (
            f"{metrics.outcomes.failed:,} of {metrics.outcomes.total:,} samples failed and are excluded. The table "
            "shows the best and worst case had they succeeded."
        )
    for icon, text in warnings.items():
        st.warning(text, icon=f":material/{icon}:")
    components.draw_notes(*(truncate(note, 600) for note in metrics.notes[:MAX_NOTES]))


def draw_overview(metrics: Metrics) -> None:
    """Draw a table of all metrics over all samples."""
    numbers = metrics.overall[:MAX_ROWS]
    if not numbers:
        return
    unit = numbers[0].unit
    same_unit = [number for number in numbers if unit and number.unit == unit]
    scale = Scale.fit(collect_extents(same_unit), include_zero=True) if same_unit else None
    ends = " – ".join(scale.format_ends(unit)) if scale else ""
    headers = ["Metric", "Value", "95 % interval", ends, "Scored", "Coverage"]
    shown_bounds = {title: bounds for title, bounds in BOUNDS.items() if any(map(bounds, numbers))}
    rows = [
        [*_overview_row(number, scale if number in same_unit else None), *_format_bounds(number, shown_bounds.values())]
        for number in numbers
    ]
    components.draw_table([*headers, "Failed", "Refused", "Unreadable", *shown_bounds], rows)
    draw_few_units_note(numbers[MAX_HEADLINES:])
    _draw_readings(numbers)


BOUNDS: Mapping[str, Callable[[Number], tuple[float, float] | None]] = {
    "If unread right – wrong": get_unread_bounds,
    "Best – worst case incl. failed": get_bounds,
}
"""The title of a column, and what returns its bounds."""


def _format_bounds(number: Number, columns: Iterable[Callable[[Number], tuple[float, float] | None]]) -> list[str]:
    bounds = (get_column_bounds(number) or () for get_column_bounds in columns)
    return [" – ".join(typeset_number(bound, number.unit) for bound in pair) or "–" for pair in bounds]


def _draw_readings(numbers: Sequence[Number]) -> None:
    """Draw how firmly replies state the answers that were read from them."""
    groups = group_by_readings(numbers)
    if not groups:
        return
    names = [format_reading(name).capitalize() for name in groups[0][0].readings]
    rows = []
    for group in groups:
        counts = group[0].readings.values()
        cells = (f"{format_count(count)} ({typeset_number(count / sum(counts), 'share')})" for count in counts)
        rows.append([", ".join(number.title for number in group), *cells])
    components.draw_table(["How answers were read", *names], rows)


def _overview_row(number: Number, scale: Scale | None) -> list[str | None]:
    return [
        add_arrow(number.title, number.higher_is_better),
        components.join_markup(Markup("<strong>{}</strong>").format(typeset_value(number)), _ceiling_markup(number)),
        components.build_interval_cell(typeset_interval(number), typeset_method(number)),
        components.build_interval_bar(scale, number.low, number.value, number.high) if scale else None,
        _with_remark(number.scored, number.not_applicable, "not applicable"),
        typeset_coverage(number),
        _with_remark(number.failed, number.unbounded, "not bounded"),
        format_count(number.refused),
        format_count(number.unreadable),
    ]


def _with_remark(count: int, part: int, remark: str) -> str:
    return f"{format_count(count)} ({format_count(part)} {remark})" if part else format_count(count)


def _ceiling_markup(number: Number) -> Markup | None:
    """Return the highest possible value, if the model lacks some of the labels."""
    ceiling = number.details.get("ceiling")
    if not isinstance(ceiling, float):
        return None
    return Markup(' <small class="muted">(maximum {})</small>').format(typeset_number(ceiling, "share"))


# --- breakdowns -------------------------------------------------------------------------------


def draw_breakdown(metrics: Metrics, key: str) -> None:
    """Draw one metric by one metadata field; the user chooses both."""
    if not metrics.fields:
        return
    st.subheader("By metadata", anchor=False)
    overall = {number.metric: number for number in metrics.overall}
    left, right = st.columns(2)
    field = left.selectbox("Field", metrics.fields, key=f"{key}-field")
    metric = right.selectbox("Metric", list(overall), format_func=lambda name: overall[name].title, key=f"{key}-metric")
    groups = [number for number in metrics.numbers if (number.field, number.metric) == (field, metric)]
    if not groups:
        components.draw_notes("This metric is not available for that field.")
        return
    number = overall[metric]
    direction = "higher is better" if number.higher_is_better else "lower is better"
    frame, title = _group_frame(groups[:MAX_GROUPS]), f"{number.title} ({direction})"
    draw_chart(charts.interval_chart(frame, number.unit, title, number.value), alt=f"{number.title} by group")
    components.draw_notes("Dots: values. Bars: 95 % intervals. Dashed line: all samples.")
    draw_few_units_note(groups)


def _group_frame(numbers: Sequence[Number]) -> pd.DataFrame:
    names = charts.make_unique([f"{number.group or '(empty)'}{mark_few_units(number)}" for number in numbers])
    columns = ("value", "low", "high", "scored")
    values = {column: [getattr(number, column) for number in numbers] for column in columns}
    return pd.DataFrame({"group": names, **values})


# --- exclusions and provenance -------------------------------------------------------------


def draw_exclusions(metrics: Metrics) -> None:
    """Draw what failed, could not be parsed or was not computed."""
    rows = []
    for failure in metrics.failures:
        message = failure.examples[0].message if failure.examples else ""
        rows.append(["failed", failure.kind, truncate(message, 200), format_count(failure.count)])
    rows += [
        ["not read", metric_title(metric), truncate(reason, 200), format_count(count)]
        for metric, reasons in metrics.unreadable.items()
        for reason, count in reasons.items()
    ]
    refused = {name: reason for name, reason in metrics.not_computed.items() if name not in metrics.unsuited}
    rows += [["not computed", names, truncate(reason, 300), ""] for names, reason, _ in group_refusals(refused)]
    if rows:
        st.subheader("Excluded from the metrics", anchor=False)
        components.draw_table(["Status", "Error or metric", "Reason", "Samples"], rows[:MAX_ROWS], 3)


def draw_provenance(path: Path, metrics: Metrics) -> None:
    """Draw signatures, versions and files in an expander."""
    with st.expander("Signatures, method and files", icon=":material/fingerprint:"):
        numbers, speed = metrics.overall, metrics.speed
        signatures = [(number.title, Markup("<code>{}</code>").format(number.signature)) for number in numbers]
        facts = [
            ("Created", metrics.created),
            ("Auricle", metrics.auricle),
            ("Intervals", ", ".join(dict.fromkeys(map(typeset_method, numbers)))),
            ("RTFx", _format_rate(speed.rtfx if speed else None)),
            ("Samples per second", _format_rate(speed.samples_per_second if speed else None)),
        ]
        components.draw_markup(components.build_definition_list([*signatures, *facts]))
        files = [path / name for name in DOWNLOADS if is_file_inside_run(path / name)]
        components.draw_downloads(f"file-{path}", ((file.name, file.name, file.read_bytes) for file in files))


def _format_rate(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"
