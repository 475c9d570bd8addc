"""The page that compares two runs or two groups of samples, or explains why they cannot be compared.

Differences have intervals; the samples that changed are listed and played.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import streamlit as st
from markupsafe import Markup

from auricle.app import run_data
from auricle.app.theme import draw_chart, draw_header, escape_markdown
from auricle.app.views import charts, components, run_list, sample_card, sample_links
from auricle.app.views.results import draw_matrix_table
from auricle.core.errors import DataError, SpecError
from auricle.core.value_text import pluralise
from auricle.metrics.matrix_difference import MatrixDifference
from auricle.perf import compare as perf_compare
from auricle.report import comparison_text as compare_text
from auricle.report.comparison_html import is_side_by_side
from auricle.report.comparison_text import format_own_number, format_p_value
from auricle.report.difference_format import format_difference, format_difference_interval, typeset
from auricle.report.html_format import Scale, format_count, typeset_number
from auricle.report.matrix_reading import describe_cells, describe_reading
from auricle.report.methods import explain_few_units, format_method
from auricle.report.templating import render
from auricle.report.text_format import truncate
from auricle.runs.filter_terms import Term
from auricle.runs.metrics import METRICS_FILE, Number
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.run_summary import RunSummary
from auricle.scoring.compare import Comparison, ComparisonRow, Flip, Shift, Side, Split
from auricle.scoring.compare.own_numbers import OwnPair, pair_own_numbers
from auricle.scoring.confusion_matrix import ConfusionMatrix
from auricle.scoring.refusals import group_by_reason

Groups: TypeAlias = tuple[str, str, str]
"""A metadata field and its values in the groups A and B."""
MAX_FLIPS = 20
FLIPS_SHOWN = 4
MATRIX_GUIDE = (
    "How to read it: rows are true labels, columns predicted labels. Each cell is B’s row share minus A’s, in "
    "percentage points; grey rows have no samples on one side."
)
HUMAN_AND_GENERATED = ("human", "generated")


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
        default_index = run_list.default_candidate_index(entries)
        b = run_list.pick_run("B (candidate)", entries, "compare-b", query_key="b", default_index=default_index)
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
    candidate_groups = run_data.list_groups(candidate)
    fields = [field for field in run_data.list_groups(baseline) if field in candidate_groups]
    key = f"{baseline.name}-{candidate.name}"
    left, right = st.columns(2, vertical_alignment="bottom")
    group_field = left.selectbox(
        "Group by", ["", *fields], key=f"compare-by-{key}", format_func=lambda name: name or "(none)"
    )
    unpaired = _choose_groups(baseline, key) if baseline == candidate else _choose_pairing(right, key)
    if unpaired is None:
        return
    comparison = _compare((str(baseline), str(candidate)), str(group_field), unpaired, fingerprints)
    rows = comparison.overall
    _draw_headline(compare_text.select_headline_rows(comparison))
    components.draw_notes(f"{compare_text.format_pair_count(comparison)}. A is the baseline.", *comparison.notes)
    if comparison.matrix:
        _draw_confusions(comparison, comparison.matrix)
    if rows:
        _draw_table(comparison)
        first, *others = (typeset(compare_text.describe_row(row)) for row in rows)
        components.draw_notes(first)
        if others:
            with st.expander(f"{pluralise(len(others), 'other metric')} in words"):
                components.draw_notes(*others)
    _draw_own_numbers(comparison)
    if comparison.refused:
        st.header("Not compared", anchor=False)
        refused = [[", ".join(names), truncate(reason, 600)] for names, reason in group_by_reason(comparison.refused)]
        components.draw_table(["Metric", "Reason"], refused, 2)
    if comparison.shifts:
        _draw_shifts(comparison.shifts)
        _draw_few_units_note(comparison.shifts, comparison)
    if rows and comparison.is_paired:
        _draw_flips((baseline, candidate), comparison, rows)


def _choose_pairing(place: Any, key: str) -> bool:
    """Draw the switch between pairs and independent groups."""
    return bool(
        place.toggle(
            "Compare as independent samples",
            key=f"compare-unpaired-{key}",
            help="For different recordings, such as human and generated speech. Runs without a common sample are "
            "always compared this way. Pairs, where there are any, are more precise.",
        )
    )


def _choose_groups(run: Path, key: str) -> Groups | None:
    """Draw the choice of two groups of one run; return None if it has none."""
    groups = run_data.list_groups(run)
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
    return row.direction.mark(row.title)


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
    """Draw the differences of the headline metrics, and those of the others folded."""
    headlines = {row.metric for row in compare_text.select_headline_rows(comparison)}
    folded = [row for row in comparison.overall if row.metric not in headlines]
    names = {row.metric for row in folded}
    _draw_rows(comparison, [row for row in comparison.rows if row.metric not in names])
    if folded:
        with st.expander(f"{len(folded)} more metrics"):
            _draw_rows(comparison, [row for row in comparison.rows if row.metric in names])


def _draw_rows(comparison: Comparison, rows: Sequence[ComparisonRow]) -> None:
    same_unit = [row for row in rows if row.unit == rows[0].unit]
    scale = Scale.fit((end for row in same_unit for end in (row.low, row.high, row.difference)), include_zero=True)
    sizes = ["Pairs", "Better / worse"] if comparison.is_paired else ["n (A / B)"]
    headers = ["Metric", "A", "B", "B − A", "95 % interval", "", "p", *sizes]
    components.draw_table(headers, [_table_row(row, scale if row in same_unit else None) for row in rows])
    _draw_few_units_note(rows, comparison)


def _draw_few_units_note(rows: Sequence[ComparisonRow | Shift], comparison: Comparison) -> None:
    """Draw why some of these differences are marked, if any is."""
    if note := explain_few_units(rows, sample=compare_text.name_sample(comparison)):
        components.draw_notes(f"{note}.")


def _table_row(row: ComparisonRow, scale: Scale | None) -> list[str | None]:
    unit, difference = row.unit, _difference(row)
    group = f"{row.field}: {row.group}" if row.field else ""
    changes = [] if row.samples else [f"{format_count(row.better)} / {format_count(row.worse)}"]
    adjusted = f"adjusted {compare_text.format_adjusted(row)}" if row.adjusted != row.p else ""
    return [
        components.build_interval_cell(_title(row), group) if group else _title(row),
        typeset_number(row.value_a, unit),
        typeset_number(row.value_b, unit),
        Markup("<strong>{}</strong>").format(difference) if row.is_significant else difference,
        components.build_interval_cell(format_difference_interval(row, row.unit), format_method(row.method, row)),
        components.build_interval_bar(scale, row.low, row.difference, row.high, 0.0) if scale else None,
        components.build_interval_cell(format_p_value(row.p), adjusted),
        compare_text.format_size(row),
        *changes,
    ]


def _draw_own_numbers(comparison: Comparison) -> None:
    """Draw the numbers of each run by itself, whatever of them is compared."""
    pairs = list(pair_own_numbers(comparison))
    if not pairs:
        return
    st.header("Each run by itself", anchor=False)
    rows = [
        [
            _name_own_metric(pair),
            *(
                cell
                for value, interval, size in (format_own_number(number, is_typeset=True) for number in pair)
                for cell in (components.build_interval_cell(value, interval), size)
            ),
        ]
        for pair in pairs
    ]
    components.draw_table(["Metric", "A", "n in A", "B", "n in B"], rows)
    if comparison.is_paired and comparison.pairs.coverage < 1:
        components.draw_notes("Over all samples of each run; the differences above are those of the pairs.")


def _name_own_metric(pair: OwnPair) -> str:
    number = next(number for number in pair if number)
    return number.direction.mark(number.title or number.metric)


# --- labels and dimensions --------------------------------------------------------------------


def _draw_confusions(comparison: Comparison, difference: MatrixDifference) -> None:
    st.header("Confusions", anchor=False)
    comparison = _choose_names(comparison)
    names = compare_text.name_sides(comparison)
    is_compact = is_side_by_side(comparison)
    left, right, *third = st.columns(3 if is_compact else 2)
    for column, name, side, matrix in zip(
        (left, right), names, (comparison.a, comparison.b), comparison.matrices or (), strict=True
    ):
        run = Path(side.run).name
        with column:
            caption = f"{run}, {side.group}" if side.group else run
            components.draw_markup(Markup("<p><strong>{}</strong> {}</p>").format(name, caption))
            chart = charts.confusion_chart(matrix, "cell", is_compact=is_compact)
            alt = f"Confusion matrix of {name}"
            state = draw_chart(chart, key=f"compare-matrix-{run}-{name[0]}", on_select="rerun", alt=alt)
            if cell := sample_links.get_clicked_cell(state, matrix):
                _draw_cell_link(side, matrix, cell)
    with third[0] if third else st.container():
        _draw_difference(comparison, difference, is_compact=is_compact)
    components.draw_list(describe_reading(comparison))
    for name, side, matrix in zip(names, (comparison.a, comparison.b), comparison.matrices or (), strict=True):
        with st.expander(f"{escape_markdown(name)} as a table"):
            draw_matrix_table(matrix, Path(side.run), *_group_terms(side))
    components.draw_notes(MATRIX_GUIDE, describe_cells(comparison))
    _draw_recalls(difference)
    if difference.rises:
        rows = [
            [rise.true, rise.predicted, typeset(format_difference(rise.difference, "share"))]
            for rise in difference.rises
        ]
        components.draw_table(["True label", "Predicted label", "Increase"], rows, 2)


def _choose_names(comparison: Comparison) -> Comparison:
    """Draw the switch that reads A as human and B as generated speech; the URL names it."""
    if comparison.a.name:  # two groups are named by their values
        return comparison
    names = ",".join(HUMAN_AND_GENERATED)
    is_generated = st.toggle(
        "A is human speech, B is generated speech",
        value=st.query_params.get("names") == names,
        key=f"compare-names-{Path(comparison.a.run).name}-{Path(comparison.b.run).name}",
        help="Describe the difference as what the generated speech loses against the human baseline.",
    )
    if not is_generated:
        st.query_params.pop("names", None)
        return comparison
    st.query_params["names"] = names
    return comparison.with_names(*HUMAN_AND_GENERATED)


def _draw_recalls(difference: MatrixDifference) -> None:
    """Draw the recall of each label on both sides."""
    rows = [
        [
            change.label,
            f"{difference.n_baseline[change.row]:,.0f} / {difference.n_candidate[change.row]:,.0f}",
            typeset_number(change.recall_baseline, "share"),
            typeset_number(change.recall_candidate, "share"),
            typeset(format_difference(change.difference, "share")),
            format_difference_interval(change, "share"),
        ]
        for change in difference.diagonal
    ]
    components.draw_table(["Label", "n (A / B)", "Recall in A", "in B", "B − A", "95 % interval"], rows)


def _draw_difference(comparison: Comparison, difference: MatrixDifference, *, is_compact: bool) -> None:
    """Draw the difference of the matrices, and links to both runs' samples of the cell that was clicked."""
    st.markdown("**B − A**")
    key = f"compare-difference-{Path(comparison.a.run).name}-{Path(comparison.b.run).name}"
    chart = charts.difference_chart(difference, "cell", is_compact=is_compact)
    alt = "Difference of the confusion matrices (B − A)"
    clicked = sample_links.get_clicked(draw_chart(chart, key=key, on_select="rerun", alt=alt), "cell")
    if not {"r", "c"} <= clicked.keys():
        return
    row, column = difference.rows[int(clicked["r"])], difference.columns[int(clicked["c"])]
    sides = zip(st.columns(2), "AB", (comparison.a, comparison.b), comparison.matrices or (), strict=True)
    for place, letter, side, matrix in sides:
        labels = (spellings["AB".index(letter)] for spellings in (row.spellings, column.spellings))
        with place:
            st.caption(f"{letter}: {escape_markdown(row.shown)} → {escape_markdown(column.shown)}")
            if cell := matrix.find_cell(*labels):
                _draw_cell_link(side, matrix, cell)


def _draw_cell_link(side: Side, matrix: ConfusionMatrix, cell: tuple[int, int]) -> None:
    """Draw a link to the samples of a cell, in the group that is compared."""
    sample_links.draw_link(Path(side.run), *sample_links.build_cell_terms(matrix, cell), *_group_terms(side))


def _group_terms(side: Side) -> list[Term]:
    field, _, group = side.group.partition("=")
    return [sample_links.metadata_equals(field, group)] if group else []


def _draw_shifts(shifts: Sequence[Shift]) -> None:
    """Draw the shifts of means of models that predict dimensions."""
    st.header("Shift of means", anchor=False)
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
    st.header("Samples that changed", anchor=False)
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
    sample_links.draw_changed_link(paths, metric, became, row.worse if became == "worse" else row.better)
    number = run_data.load_metrics(paths[0])[metric]
    for flip in visible_flips:
        _draw_flip(paths, flip, number, plays_both=comparison.pairing == "id")


def _draw_flip(paths: tuple[Path, Path], flip: Flip, number: Number, *, plays_both: bool) -> None:
    views_a, views_b = (sample_card.build_views(record, number) for record in flip.records)
    with st.container(border=True):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            components.draw_markup(
                Markup('<p><strong>{}</strong></p><p class="muted">{} → {}</p>').format(
                    flip.id, flip.score_a or "–", flip.score_b or "–"
                ),
                sample_card.build_metadata_chips(views_a[0]) if views_a else None,
            )
            for letter, path, record in zip("AB", paths, flip.records, strict=True):
                if plays_both or letter == "A":
                    components.draw_notes(*([letter] if plays_both else []))
                    sample_card.draw_players(path, record)
        with right:
            sides = (("A", views_a, flip.answer_a), ("B", views_b, flip.answer_b))
            components.draw_markup(render("app/templates/flip.html", target=flip.target, sides=sides))
