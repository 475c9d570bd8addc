"""The page that compares two runs or two groups of samples, or explains why they cannot be compared.

Differences have intervals; the samples that changed are listed and played.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import streamlit as st
from markupsafe import Markup

from auricle.app import run_data
from auricle.app.theme import draw_chart, draw_header, escape_markdown
from auricle.app.views import charts, components, run_list, sample_card
from auricle.app.views.metrics import add_arrow
from auricle.core.errors import DataError, SpecError
from auricle.core.types import Record
from auricle.metrics.matrix_difference import MatrixDifference
from auricle.perf import compare as perf_compare
from auricle.report.compare import Comparison, ComparisonRow, Flip, Shift, Split
from auricle.report.compare import text as compare_text
from auricle.report.compare.predictions import find_matrix
from auricle.report.compare.text import format_difference, format_difference_interval, format_p_value, typeset
from auricle.report.html_format import Scale, format_count, typeset_number
from auricle.report.methods import explain_few_units, format_method
from auricle.report.plot_data import ConfusionMatrix
from auricle.report.templating import render
from auricle.report.text_format import truncate
from auricle.runs.metrics import METRICS_FILE, Number
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.run_summary import RunSummary

Groups: TypeAlias = tuple[str, str, str]
"""A metadata field and its values in the groups A and B."""
MAX_FLIPS = 20
FLIPS_SHOWN = 4
MATRIX_GUIDE = (
    "How to read it: rows are true labels, columns predicted labels. Each cell is B’s row share minus A’s. On the "
    "outlined diagonal, blue means B recognises that label more often, orange less often. Elsewhere, blue marks a "
    "confusion B makes more often. Rows sum to zero; grey rows have no samples in one of the runs."
)


def page() -> None:
    """Draw the selection of the two runs and their comparison."""
    draw_header(
        "Compare",
        "Differences between two runs, with confidence intervals and the samples whose outcome changed; or between "
        "two groups of different samples, such as human and generated speech.",
    )
    entries = run_list.list_runs()
    if not entries:
        st.info("No runs yet. Start one on the Benchmark page.", icon=":material/inbox:")
        return
    left, right = st.columns(2)
    with left:
        candidate_name = st.query_params.get("b", "")
        default_index = run_list.default_baseline_index(entries, candidate_name)
        if "a" not in st.query_params and candidate_name != run_list.previous_choice("compare-b"):
            run_list.clear_choice("compare-a")  # the link names only B: choose a suitable baseline for it
        a = run_list.pick_run("A (baseline)", entries, "compare-a", query_key="a", default_index=default_index)
    with right:
        b = run_list.pick_run("B (candidate)", entries, "compare-b", query_key="b")
    if a and b:
        with components.error_boundary():
            _draw_pair(a, b)


def _draw_pair(baseline: RunSummary, candidate: RunSummary) -> None:
    if baseline.kind != candidate.kind:
        load_test = baseline if baseline.kind == "perf" else candidate
        _draw_reason(f"{load_test.name} is a load test and the other run is not; they cannot be compared.")
        return
    if baseline.kind == "perf" and baseline.path == candidate.path:
        _draw_reason("A and B are the same load test. Choose another one.")
        return
    if baseline.kind == "perf":
        lines = perf_compare.format_comparison(perf_compare.build_comparison(baseline.path, candidate.path))
        st.code("\n".join(lines), language=None, wrap_lines=False)
        return
    for entry in (baseline, candidate):
        run_data.load_metrics(entry.path)  # raises an error that describes what is wrong with the run
        if run_data.is_stale(entry.path):  # scoring would read audio from any path the run names
            raise DataError(
                f"The metrics of {entry.name} are out of date. Wait until the run finishes, or run "
                f"`auricle score {entry.name}`."
            )
        if code := run_data.find_foreign_code(entry.path):
            raise DataError(
                f"{entry.name} uses custom code ({code}), which the app does not execute. Use the command line: "
                f"auricle compare {baseline.name} {candidate.name}"
            )
    try:
        draw_comparison(baseline.path, candidate.path)
    except SpecError as error:
        _draw_reason(f"These runs cannot be compared: {error}")


def _draw_reason(text: str) -> None:
    st.info(escape_markdown(text), icon=":material/compare_arrows:")


# --- the comparison of two runs -----------------------------------------------------------------


@st.cache_data(max_entries=8, show_spinner="Comparing …")
def _compare(
    paths: tuple[str, str], group_field: str, groups: bool | Groups, fingerprints: tuple[run_data.Fingerprint, ...]
) -> Comparison:
    from auricle.api import compare

    unpaired = groups if isinstance(groups, bool) else Split(groups[0], groups[1:])
    return compare(*paths, by=group_field or None, unpaired=unpaired, max_flips=MAX_FLIPS)


def draw_comparison(baseline: Path, candidate: Path) -> None:
    """Draw the comparison of B with A."""
    fingerprints = tuple(run_data.fingerprint(path, OUTPUTS_FILE, METRICS_FILE) for path in (baseline, candidate))
    candidate_fields = run_data.load_samples(candidate).fields
    fields = [field for field in run_data.load_samples(baseline).fields if field in candidate_fields]
    key = f"{baseline.name}-{candidate.name}"
    unpaired = _choose_groups(baseline, key) if baseline == candidate else _choose_pairing(key)
    if unpaired is None:
        return
    group_field = st.selectbox(
        "Group by", ["", *fields], key=f"compare-by-{key}", format_func=lambda name: name or "(none)"
    )
    comparison = _compare((str(baseline), str(candidate)), str(group_field), unpaired, fingerprints)
    rows = comparison.overall
    _draw_headline(rows)
    components.draw_notes(f"{compare_text.format_pair_count(comparison)}. A is the baseline.", *comparison.notes)
    if rows:
        _draw_table(comparison)
        components.draw_notes(*(typeset(compare_text.describe_row(row)) for row in rows))
    if comparison.refused:
        st.subheader("Not compared", anchor=False)
        refused = [[name, truncate(reason, 600)] for name, reason in comparison.refused.items()]
        components.draw_table(["Metric", "Reason"], refused, 2)
    if comparison.matrix:
        _draw_matrices(comparison, comparison.matrix)
    if comparison.shifts:
        _draw_shifts(comparison.shifts)
        _draw_few_units_note(comparison.shifts, comparison)
    if rows and comparison.is_paired:
        _draw_flips((baseline, candidate), comparison, rows)


def _choose_pairing(key: str) -> bool:
    """Draw the switch between pairs and independent groups."""
    return st.toggle(
        "Compare as independent samples",
        key=f"compare-unpaired-{key}",
        help="For different recordings, such as human and generated speech. Runs without a common sample are always "
        "compared this way. Pairs, where there are any, are more precise.",
    )


def _choose_groups(run: Path, key: str) -> Groups | None:
    """Draw the choice of two groups of one run; return None if it has none."""
    values: dict[str, list[str]] = {}
    for number in run_data.load_metrics(run).numbers:
        if number.field and number.group not in values.setdefault(number.field, []):
            values[number.field].append(number.group)
    groups = {field: names for field, names in values.items() if len(names) > 1}
    if not groups:
        _draw_reason("A and B are the same run, which has no groups of samples to compare. Choose another one.")
        return None
    columns = st.columns(3)
    field = columns[0].selectbox("Field", list(groups), key=f"compare-field-{key}")
    a = columns[1].selectbox("Group A (baseline)", groups[field], key=f"compare-group-a-{key}-{field}")
    b = columns[2].selectbox("Group B", groups[field], index=1, key=f"compare-group-b-{key}-{field}")
    if a == b:
        _draw_reason("Groups A and B are the same. Choose another one.")
        return None
    return field, a, b


def _title(row: ComparisonRow) -> str:
    return add_arrow(row.title, row.higher_is_better)


def _difference(row: ComparisonRow) -> str:
    return typeset(compare_text.mark_difference(row, row.unit))


def _draw_headline(rows: Sequence[ComparisonRow]) -> None:
    if not rows:
        _draw_reason("These runs have no comparable metric. The reasons are listed below.")
        return
    components.draw_headline(
        (f"{_title(row)}, B − A", _difference(row), format_difference_interval(row, row.unit)) for row in rows[:4]
    )


def _draw_table(comparison: Comparison) -> None:
    rows = comparison.rows
    is_grouped = any(row.field for row in rows)
    same_unit = [row for row in rows if row.unit == rows[0].unit]
    scale = Scale.fit((end for row in same_unit for end in (row.low, row.high, row.difference)), include_zero=True)
    sizes = ["Pairs", "Better", "Worse"] if comparison.is_paired else ["n (A / B)"]
    value_headers = ["A", "B", "B − A", "95 % interval", "", "p", "Adjusted p", *sizes]
    task = [comparison.task] if comparison.task else []
    headers = [*(["Task"] if task else []), "Metric", *(["Samples"] if is_grouped else []), *value_headers]
    cells = [[*task, *_table_row(row, scale if row in same_unit else None, is_grouped)] for row in rows]
    components.draw_table(headers, cells, len(task) + 1 + is_grouped)
    _draw_few_units_note(rows, comparison)


def _draw_few_units_note(rows: Sequence[ComparisonRow | Shift], comparison: Comparison) -> None:
    """Draw why some of these differences are marked, if any is."""
    if note := explain_few_units(rows, sample=compare_text.name_sample(comparison)):
        components.draw_notes(f"{note}.")


def _table_row(row: ComparisonRow, scale: Scale | None, is_grouped: bool) -> list[str | None]:
    unit, difference = row.unit, _difference(row)
    group = f"{row.field}: {row.group}" if row.field else "all"
    changes = [] if row.samples else [format_count(row.better), format_count(row.worse)]
    return [
        _title(row),
        *([group] if is_grouped else []),
        typeset_number(row.value_a, unit),
        typeset_number(row.value_b, unit),
        Markup("<strong>{}</strong>").format(difference) if row.is_significant else difference,
        components.build_interval_cell(format_difference_interval(row, row.unit), format_method(row.method, row)),
        components.build_interval_bar(scale, row.low, row.difference, row.high, 0.0) if scale else None,
        format_p_value(row.p),
        compare_text.format_adjusted(row),
        compare_text.format_size(row),
        *changes,
    ]


# --- labels and dimensions --------------------------------------------------------------------


def _draw_matrices(comparison: Comparison, difference: MatrixDifference) -> None:
    st.subheader("Confusions", anchor=False)
    for column, name, side in zip(st.columns(2), "AB", (comparison.a, comparison.b), strict=True):
        path = Path(side.run)
        field, _, group = side.group.partition("=")
        number = find_matrix(run_data.load_metrics(path), field, group or "all")
        assert number  # otherwise there is no difference
        with column:
            caption = f"{path.name}, {side.group}" if side.group else path.name
            components.draw_markup(Markup("<p><strong>{}</strong> {}</p>").format(name, caption))
            chart = charts.confusion_chart(ConfusionMatrix.from_details(number.details))
            draw_chart(chart, key=f"compare-matrix-{name}", alt=f"Confusion matrix of {name}")
    st.markdown("**B − A**")
    draw_chart(charts.difference_chart(difference), alt="Difference of the confusion matrices (B − A)")
    components.draw_notes(MATRIX_GUIDE)
    if difference.rises:
        rows = [
            [rise.true, rise.predicted, typeset(format_difference(rise.difference, "share"))]
            for rise in difference.rises
        ]
        components.draw_table(["True label", "Predicted label", "Increase"], rows, 2)


def _draw_shifts(shifts: Sequence[Shift]) -> None:
    """Draw the shifts of means of models that predict dimensions."""
    st.subheader("Shift of means", anchor=False)
    components.draw_notes(
        "Means by true label in each model’s own units, not rescaled: a shift is meaningful only if both models use "
        "the same scale. d: Cohen’s d."
    )
    scale = Scale.fit((end for shift in shifts for end in (shift.low, shift.high)), include_zero=True)
    for name, dimension_shifts in groupby(shifts, key=lambda shift: shift.dimension):
        size = "n (A / B)" if shifts[0].samples else "Pairs"
        headers = [name, "A", "B", "B − A", "95 % interval", "", "Adjusted p", "d", size]
        components.draw_table(headers, [_shift_row(shift, scale) for shift in dimension_shifts])


def _shift_row(shift: Shift, scale: Scale) -> list[str]:
    return [
        shift.label or "all",
        typeset_number(shift.value_a, ""),
        typeset_number(shift.value_b, ""),
        typeset(compare_text.mark_difference(shift, "")),
        components.build_interval_cell(format_difference_interval(shift, ""), format_method(shift.method, shift)),
        components.build_interval_bar(scale, shift.low, shift.difference, shift.high, 0.0),
        format_p_value(shift.adjusted),
        typeset(compare_text.format_effect_size(shift.cohens_d)),
        compare_text.format_size(shift),
    ]


# --- samples ------------------------------------------------------------------------------------


def _draw_flips(paths: tuple[Path, Path], comparison: Comparison, rows: Sequence[ComparisonRow]) -> None:
    """Draw samples that improved or got worse, with players and both answers."""
    st.subheader("Samples that changed", anchor=False)
    key = f"{paths[0].name}-{paths[1].name}"
    left, right = st.columns(2)
    by_metric = {row.metric: row for row in rows}
    metric = left.selectbox(
        "Metric", list(by_metric), format_func=lambda name: by_metric[name].title, key=f"flips-by-{key}"
    )
    row = by_metric[metric]
    flips = comparison.flips.get(metric, ())
    default = "better" if {flip.became for flip in flips} == {"better"} else "worse"
    became = str(
        right.segmented_control(
            "Direction", ["worse", "better"], default=default, required=True, key=f"flips-which-{key}"
        )
    )
    visible_flips = [flip for flip in flips if flip.became == became][:FLIPS_SHOWN]
    components.draw_notes(f"{compare_text.describe_changes(row, became)}; showing {len(visible_flips)}.")
    number = run_data.load_metrics(paths[0])[metric]
    for flip in visible_flips:
        _draw_flip(paths, flip, number)


def _draw_flip(paths: tuple[Path, Path], flip: Flip, number: Number) -> None:
    records = [_find_record(path, sample) for path, sample in zip(paths, (flip.id, flip.id_b), strict=True)]
    views_a, views_b = (sample_card.build_views(record, number) if record else [] for record in records)
    with st.container(border=True):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            components.draw_markup(
                Markup('<p><strong>{}</strong></p><p class="muted">{} → {}</p>').format(
                    flip.id, flip.score_a or "–", flip.score_b or "–"
                ),
                sample_card.build_metadata_chips(views_a[0]) if views_a else None,
            )
            if records[0]:
                sample_card.draw_players(paths[0], records[0])
        with right:
            sides = (("A", views_a, flip.answer_a), ("B", views_b, flip.answer_b))
            components.draw_markup(render("app/templates/flip.html", target=flip.target, sides=sides))


def _find_record(path: Path, sample_id: str) -> Record | None:
    frame = run_data.load_samples(path).frame
    offsets = frame.loc[frame["id"] == sample_id, "offset"]
    return run_data.load_record(path, int(offsets.iloc[0])) if len(offsets) else None
