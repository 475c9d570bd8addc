"""Metrics of a run: intervals, coverage, breakdown by metadata, exclusions and provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st
from markupsafe import Markup

from auricle.app import group_data, run_data
from auricle.app.navigation import build_samples_link
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import charts, components, sample_links
from auricle.app.workspace import current_workspace, is_file_inside_run
from auricle.core.errors import DataError
from auricle.core.types import Outcome
from auricle.metrics.catalogue import metric_title
from auricle.report.axis_labels import shorten_labels
from auricle.report.gap_text import describe_gaps, typeset_gap
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
from auricle.report.text_format import format_dominance, format_reading, group_by_readings, truncate
from auricle.report.usage_text import speed_facts
from auricle.runs.filter_terms import CONTAINS, Term
from auricle.runs.metrics import METRICS_FILE, Metrics, Number
from auricle.scoring.gaps import Gap
from auricle.scoring.sample_table import truncate_text
from auricle.scoring.sound_slices import MEASURED, SLICINGS

MAX_HEADLINES = 4
MAX_GROUPS = 100
MAX_GROUP_LENGTH = 26
MAX_COMPARED_AT_ONCE = 5_000
"""Samples up to which groups are compared without being asked to, because that takes no noticeable time."""
MAX_NOTES = 20
MAX_ROWS = 60
SLICE_TITLES = {
    "snr": "signal-to-noise ratio",
    "duration": "duration",
    "level": "level",
    "speaking_rate": "speaking rate",
    "band": "bandwidth",
    "clipped": "clipping",
}
"""Titles of measures of recordings."""
EXCLUSIONS_TITLE = "Excluded from the metrics"
DOWNLOADS = ("metrics_summary.csv", "metrics_detail.csv", METRICS_FILE, "report.html")


def draw_headline(metrics: Metrics) -> None:
    """Draw the first metrics in large type."""
    numbers = metrics.headlines[:MAX_HEADLINES]
    if not numbers:
        st.warning("No metric could be computed for this run.", icon=":material/warning:")
        return
    components.draw_headline(
        (number.direction.mark(number.title), typeset_value(number), typeset_interval(number)) for number in numbers
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
        counts = f"{metrics.outcomes.failed:,} of {metrics.outcomes.total:,} samples failed and are excluded."
        has_bounds = any(get_bounds(number) for number in metrics.overall[:MAX_ROWS])
        bounds = " The table shows the best and worst case had they succeeded." if has_bounds else ""
        warnings["error"] = f"{counts}{bounds} The reasons are below, under “{EXCLUSIONS_TITLE}”."
    for icon, text in warnings.items():
        st.warning(text, icon=f":material/{icon}:")
    components.draw_notes(*(truncate(note, 600) for note in metrics.notes[:MAX_NOTES]))


def draw_overview(path: Path, metrics: Metrics) -> None:
    """Draw a table of the headline metrics over all samples, and one of the others, folded."""
    if not metrics.overall:
        return
    _draw_numbers(path, metrics.headlines)
    if folded := metrics.folded[:MAX_ROWS]:
        with st.expander(f"{len(folded)} more metrics"):
            _draw_numbers(path, folded)
    draw_few_units_note(metrics.overall[MAX_HEADLINES:MAX_ROWS])
    _draw_readings(metrics.overall[:MAX_ROWS])


def _draw_numbers(path: Path, numbers: Sequence[Number]) -> None:
    unit = numbers[0].unit
    same_unit = [number for number in numbers if unit and number.unit == unit]
    scale = Scale.fit(collect_extents(same_unit), include_zero=True) if same_unit else None
    ends = " – ".join(scale.format_ends(unit)) if scale else ""
    headers = ["Metric", "Value", "95 % interval", ends, "Scored", "Coverage"]
    shown_bounds = {title: bounds for title, bounds in BOUNDS.items() if any(map(bounds, numbers))}
    rows = [
        [
            *_overview_row(number, scale if number in same_unit else None),
            *_link_outcomes(path, number),
            *_format_bounds(number, shown_bounds.values()),
        ]
        for number in numbers
    ]
    components.draw_table([*headers, "Failed", "Refused", "Unreadable", "Cut off", *shown_bounds], rows)


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
        number.direction.mark(number.title),
        components.stack_lines(
            Markup("<strong>{}</strong>").format(typeset_value(number)),
            _format_ceiling(number),
            Markup('<small class="muted">{}</small>').format(note) if (note := format_dominance(number)) else "",
        ),
        components.build_interval_cell(typeset_interval(number), typeset_method(number)),
        components.build_interval_bar(scale, number.shown_ends[0], number.value, number.shown_ends[1])
        if scale
        else None,
        _add_remark(format_count(number.scored), number.not_applicable, "not applicable"),
        typeset_coverage(number),
    ]


def _link_outcomes(path: Path, number: Number) -> list[str]:
    """Return how many samples failed, were refused, could not be read and were cut off, as links to them."""
    failed, *others = (
        _link_count(path, count, *(sample_links.equals("outcome", outcome) for outcome in outcomes))
        for count, outcomes in (
            (number.failed, (Outcome.FAILED, Outcome.SKIPPED)),
            (number.refused, (Outcome.REFUSED,)),
            (number.unreadable, (Outcome.UNREADABLE,)),
            (number.truncated, (Outcome.TRUNCATED,)),
        )
    )
    return [_add_remark(failed, number.unbounded, "not bounded"), *others]


def _link_count(path: Path, count: int, *terms: Term) -> str:
    return build_samples_link(path, format_count(count), *terms) if count else format_count(count)


def _add_remark(count: str, part: int, remark: str) -> str:
    return components.join_markup(count, f" ({format_count(part)} {remark})") if part else count


def _format_ceiling(number: Number) -> str:
    """Return the highest possible value, if the model lacks some of the labels."""
    ceiling = number.details.get("ceiling")
    if not isinstance(ceiling, float):
        return ""
    return Markup('<small class="muted">maximum {}</small>').format(typeset_number(ceiling, "share"))


# --- breakdowns -------------------------------------------------------------------------------


def draw_breakdown(path: Path, metrics: Metrics, key: str) -> None:
    """Draw one metric by one metadata field; the user chooses both."""
    has_audio = bool(metrics.usage and metrics.usage.audio_seconds) and not metrics.parts
    slices = [name for name in SLICINGS if has_audio and name not in metrics.fields]
    fields = [*metrics.fields, *slices]
    overall = {number.metric: number for number in metrics.overall}
    if not fields or not overall:
        return
    st.header("By metadata", anchor=False)
    left, right = st.columns(2)
    field = left.selectbox("Field", fields, key=f"{key}-field", format_func=_name_field)
    metric = right.selectbox("Metric", list(overall), format_func=lambda name: overall[name].title, key=f"{key}-metric")
    groups = [number for number in metrics.numbers if (number.field, number.metric) == (field, metric)]
    if field not in metrics.fields:
        groups = group_data.load_slice_numbers(path, metric, field)
        if field in MEASURED and (count := group_data.count_unmeasured(path)):
            components.draw_notes(
                f"{count:,} recordings are not measured yet: "
                "measure them on the page Samples, under “Filter by a column”."
            )
    if not groups:
        components.draw_notes("This metric is not available for that field.")
        return
    number = overall[metric]
    direction = number.direction.phrase
    frame, title = _group_frame(groups[:MAX_GROUPS]), f"{number.title} ({direction})"
    chart, alt = charts.interval_chart(frame, number.unit, title, number.value), f"{number.title} by group"
    state = draw_chart(chart, key=f"{key}-groups-{field}-{metric}", on_select="rerun", alt=alt)
    values = {name: group.group for name, group in zip(frame["group"], groups, strict=False)}
    clicked = ""
    if field in metrics.fields:
        sample_links.draw_group_link(path, state, field, values)
        clicked = "; click one for its samples"
    components.draw_notes(f"Dots: values{clicked}. Bars: 95 % intervals. Dashed line: all samples.")
    draw_few_units_note(groups)
    is_small = metrics.outcomes.total <= MAX_COMPARED_AT_ONCE
    if st.toggle("Compare each group with the others", value=is_small, key=f"{key}-gaps"):
        _draw_gaps(groups, group_data.load_gaps(path, metric, field))


def _name_field(field: str) -> str:
    return SLICE_TITLES.get(field, field)


def _draw_gaps(groups: Sequence[Number], gaps: Mapping[str, Gap]) -> None:
    """Draw how much each group differs from the others."""
    shown = [gap for number in groups[:MAX_GROUPS] if (gap := gaps.get(number.group))]
    if not shown:
        components.draw_notes("The groups are not compared: that needs 2 to 20 groups.")
        return
    headers = ["Group", "Scored", "Value", "Others", "Difference to the others", "95 % interval", "Adjusted p"]
    rows = [[gap.group or "(empty)", *typeset_gap(gap)] for gap in shown]
    components.draw_table([*headers, "Detectable"], rows)
    components.draw_notes(
        " ".join(describe_gaps(shown)),
        "p is adjusted by Holm’s method over all groups of all metadata fields; * marks p below 0.05. Detectable: the "
        "smallest difference that this amount of data shows with 80 % power.",
    )


def _group_frame(numbers: Sequence[Number]) -> pd.DataFrame:
    names = shorten_labels([number.group or "(empty)" for number in numbers], MAX_GROUP_LENGTH)
    names = [f"{name}{mark_few_units(number)}" for name, number in zip(names, numbers, strict=True)]
    rows = [
        (name, number.value, *number.shown_ends, number.scored) for name, number in zip(names, numbers, strict=True)
    ]
    return pd.DataFrame(rows, columns=["group", "value", "low", "high", "scored"])


# --- exclusions and provenance -------------------------------------------------------------


def draw_exclusions(path: Path, metrics: Metrics) -> None:
    """Draw what failed, could not be parsed or was not computed."""
    rows = []
    for failure in metrics.failures:
        message = failure.examples[0].message if failure.examples else ""
        samples = _link_count(path, failure.count, Term("reason", CONTAINS, f"{failure.kind}:"))
        rows.append(["failed", failure.kind, truncate(message, 200), samples])
    rows += [
        [
            "not read",
            metric_title(metric),
            truncate(reason, 200),
            _link_count(path, count, sample_links.equals("reason", truncate_text(reason))),
        ]
        for metric, reasons in metrics.unreadable.items()
        for reason, count in reasons.items()
    ]
    refused = {name: reason for name, reason in metrics.not_computed.items() if name not in metrics.unsuited}
    rows += [["not computed", names, truncate(reason, 300), ""] for names, reason, _ in group_refusals(refused)]
    if rows:
        st.header(EXCLUSIONS_TITLE, anchor=False)
        components.draw_table(["Status", "Error or metric", "Reason", "Samples"], rows[:MAX_ROWS], 3)


def draw_provenance(path: Path, metrics: Metrics) -> None:
    """Draw signatures, versions and files in an expander."""
    with st.expander("Signatures, method and files", icon=":material/fingerprint:"):
        numbers = metrics.overall
        signatures = [(number.title, Markup("<code>{}</code>").format(number.signature)) for number in numbers]
        facts = [
            ("Created", metrics.created),
            ("Auricle", metrics.auricle),
            ("Intervals", ", ".join(dict.fromkeys(map(typeset_method, numbers)))),
            *speed_facts(metrics),
        ]
        components.draw_markup(components.build_definition_list([*signatures, *facts]))
        files = [path / name for name in DOWNLOADS if is_file_inside_run(path / name)]
        components.draw_downloads(f"file-{path}", ((file.name, file.name, file.read_bytes) for file in files))
