"""The comparison of two runs: differences with intervals, confusion matrices and changed samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import components, heatmaps, sample_card
from auricle.app.views.metrics import metric_title as titled_metric
from auricle.core.types import Record
from auricle.report.compare.text import (
    Document,
    change_heading,
    describe_row,
    format_difference,
    format_difference_interval,
    format_p_value,
    format_pair_count,
    is_significant,
    typeset,
)
from auricle.report.html_format import Scale, format_count, metric_title, typeset_number
from auricle.report.markup import Child, tag
from auricle.report.text_format import truncate

MAX_FLIPS = 20
FLIPS_SHOWN = 4
Row = Mapping[str, Any]
MATRIX_GUIDE = (
    "How to read it: rows are true labels, columns predicted labels. Each cell is B’s row share minus A’s. On the "
    "outlined diagonal, blue means B recognises that label more often, orange less often. Elsewhere, blue marks a "
    "confusion B makes more often. Rows sum to zero; grey rows have no samples in one of the runs."
)


@st.cache_data(max_entries=8, show_spinner="Comparing …")
def _compare(
    paths: tuple[str, str], group_field: str, fingerprints: tuple[run_data.Fingerprint, ...]
) -> dict[str, Any]:
    from auricle.api import compare

    return compare(*paths, by=group_field or None, max_flips=MAX_FLIPS).document()


def draw_comparison(baseline: Path, candidate: Path) -> None:
    """Draw the comparison of B with A."""
    fingerprints = tuple(run_data.fingerprint(path, "outputs.jsonl", "metrics.json") for path in (baseline, candidate))
    candidate_fields = run_data.load_samples(candidate).fields
    fields = [field for field in run_data.load_samples(baseline).fields if field in candidate_fields]
    group_field = st.selectbox(
        "Group by",
        ["", *fields],
        key=f"compare-by-{baseline.name}-{candidate.name}",
        format_func=lambda name: name or "(none)",
    )
    comparison = _compare((str(baseline), str(candidate)), str(group_field), fingerprints)
    rows = [row for row in comparison["rows"] if not row["field"]]
    _draw_headline(rows)
    components.draw_notes(f"{format_pair_count(comparison)}. A is the baseline.", *comparison["notes"])
    if rows:
        _draw_table(comparison["rows"])
        components.draw_notes(*(typeset(describe_row(row)) for row in rows))
    _draw_not_compared(comparison["refused"])
    _draw_matrices(baseline, candidate, comparison["matrix"])
    _draw_shifts(comparison["shifts"])
    if rows:
        _draw_flips((baseline, candidate), comparison, rows)


def _draw_headline(rows: Sequence[Row]) -> None:
    if not rows:
        st.info("These runs have no comparable metric. The reasons are listed below.", icon=":material/compare_arrows:")
        return
    for column, row in zip(st.columns(min(4, len(rows))), rows, strict=False):
        column.metric(
            escape_markdown(f"{titled_metric(row)}, B − A"),
            typeset(format_difference(row["difference"], row["unit"])),
            f"95 % interval {format_difference_interval(row)}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )


def _draw_table(rows: Sequence[Row]) -> None:
    is_grouped = any(row["field"] for row in rows)
    same_unit = [row for row in rows if row["unit"] == rows[0]["unit"]]
    scale = Scale.fit([row[key] for row in same_unit for key in ("low", "high", "difference")], include_zero=True)
    value_headers = ["A", "B", "B − A", "95 % interval", "", "p", "Adjusted p", "Pairs", "Better", "Worse"]
    headers = ["Metric", *(["Samples"] if is_grouped else []), *value_headers]
    cells = [_table_row(row, scale if row in same_unit else None, is_grouped) for row in rows]
    components.draw_markup(components.build_table(headers, cells, 1 + is_grouped))


def _table_row(row: Row, scale: Scale | None, is_grouped: bool) -> list[Child]:
    unit, difference = row["unit"], typeset(format_difference(row["difference"], row["unit"]))
    interval = row["low"], row["difference"], row["high"]
    group = f"{row['field']}: {row['group']}" if row["field"] else "all"
    return [
        titled_metric(row),
        *([group] if is_grouped else []),
        typeset_number(row["value_a"], unit),
        typeset_number(row["value_b"], unit),
        tag("strong", difference) if is_significant(row) else difference,
        format_difference_interval(row),
        components.build_interval_bar(scale, *interval, 0.0) if scale else None,
        format_p_value(row["p"]),
        format_p_value(row["adjusted"]),
        format_count(row["n"]),
        format_count(row["better"]),
        format_count(row["worse"]),
    ]


def _draw_not_compared(reasons: Mapping[str, str]) -> None:
    if reasons:
        st.subheader("Not compared", anchor=False)
        rows: list[list[Child]] = [[metric_title(name), truncate(reason, 600)] for name, reason in reasons.items()]
        components.draw_markup(components.build_table(["Metric", "Reason"], rows, 2))


# --- labels and dimensions --------------------------------------------------------------------


def _draw_matrices(baseline: Path, candidate: Path, matrix: Mapping[str, Any] | None) -> None:
    if matrix is None:
        return
    st.subheader("Confusions", anchor=False)
    for column, name, path in zip(st.columns(2), "AB", (baseline, candidate), strict=True):
        run_matrix = next(
            number["details"]["matrix"]
            for number in run_data.overall_numbers(run_data.load_metrics(path))
            if "matrix" in number["details"]
        )
        with column:
            components.draw_markup(tag("p", tag("strong", name), " ", path.name))
            draw_chart(
                heatmaps.confusion_chart(run_matrix), key=f"compare-matrix-{name}", alt=f"Confusion matrix of {name}"
            )
    st.markdown("**B − A**")
    draw_chart(heatmaps.difference_chart(matrix), alt="Difference of the confusion matrices (B − A)")
    components.draw_notes(MATRIX_GUIDE)
    if matrix["rises"]:
        rows: list[list[Child]] = [
            [rise["true"], rise["predicted"], typeset(format_difference(rise["difference"], "share"))]
            for rise in matrix["rises"]
        ]
        components.draw_markup(components.build_table(["True label", "Predicted label", "Increase"], rows, 2))


def _draw_shifts(shifts: Sequence[Row]) -> None:
    """Draw the shifts of means, if both models predict dimensions."""
    if not shifts:
        return
    st.subheader("Shift of means", anchor=False)
    components.draw_notes(
        "Means by true label in each model’s own units, not rescaled: a shift is meaningful only if both models use "
        "the same scale. d: Cohen’s d."
    )
    scale = Scale.fit([shift[key] for shift in shifts for key in ("low", "high")], include_zero=True)
    for name, dimension_shifts in groupby(shifts, key=lambda shift: str(shift["dimension"])):
        headers = [name, "A", "B", "B − A", "95 % interval", "", "Adjusted p", "d", "Pairs"]
        components.draw_markup(
            components.build_table(headers, [_shift_row(shift, scale) for shift in dimension_shifts])
        )


def _shift_row(shift: Row, scale: Scale) -> list[Child]:
    d = shift["cohens_d"]
    return [
        shift["label"] or "all",
        typeset_number(shift["value_a"], ""),
        typeset_number(shift["value_b"], ""),
        typeset(format_difference(shift["difference"], "")),
        format_difference_interval(shift),
        components.build_interval_bar(scale, shift["low"], shift["difference"], shift["high"], 0.0),
        format_p_value(shift["adjusted"]),
        "–" if d is None else typeset(f"{d:+.2f}"),
        format_count(shift["n"]),
    ]


# --- samples ------------------------------------------------------------------------------------


def _draw_flips(paths: tuple[Path, Path], comparison: Document, rows: Sequence[Row]) -> None:
    """Draw samples that improved or got worse, with players and both answers."""
    st.subheader("Samples that changed", anchor=False)
    key = f"{paths[0].name}-{paths[1].name}"
    left, right = st.columns(2)
    names = [row["metric"] for row in rows]
    metric = str(left.selectbox("Metric", names, format_func=metric_title, key=f"flips-by-{key}"))
    row = rows[names.index(metric)]
    flips = comparison["flips"].get(metric, ())
    default = "better" if {flip["became"] for flip in flips} == {"better"} else "worse"
    became = str(
        right.segmented_control(
            "Direction", ["worse", "better"], default=default, required=True, key=f"flips-which-{key}"
        )
    )
    visible_flips = [flip for flip in flips if flip["became"] == became][:FLIPS_SHOWN]
    components.draw_notes(f"{change_heading(row, became)}: {format_count(row[became])}; showing {len(visible_flips)}.")
    numbers = {number["metric"]: number for number in run_data.overall_numbers(run_data.load_metrics(paths[0]))}
    for flip in visible_flips:
        _draw_flip(paths, flip, numbers.get(metric))


def _draw_flip(paths: tuple[Path, Path], flip: Mapping[str, Any], number: Row | None) -> None:
    records = [_find_record(path, flip["id"]) for path in paths]
    with st.container(border=True):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            components.draw_markup(
                tag("p", tag("strong", flip["id"])),
                tag("p", f"{flip['score_a'] or '–'} → {flip['score_b'] or '–'}", class_="muted"),
                sample_card.build_metadata_chips(records[0].sample.meta) if records[0] else None,
            )
            if records[0]:
                sample_card.draw_players(paths[0], records[0])
        with right:
            components.draw_markup(components.build_definition_list(_list_answers(records, flip, number)))


def _find_record(path: Path, sample_id: str) -> Record | None:
    frame = run_data.load_samples(path).frame
    offsets = frame.loc[frame["id"] == sample_id, "offset"]
    return run_data.load_record(path, int(offsets.iloc[0])) if len(offsets) else None


def _list_answers(
    records: Sequence[Record | None], flip: Mapping[str, Any], number: Row | None
) -> Iterator[tuple[str, Child]]:
    """Yield the reference once, then both answers, aligned with it if the metric compares words."""
    if flip["target"] is not None:
        yield "Reference", truncate(str(flip["target"]))
    for name, record in zip("AB", records, strict=True):
        if record is None:
            yield name, str(flip[f"answer_{name.lower()}"])
            continue
        for term, text in sample_card.build_answer_rows(record, number, name, 3):
            if term != "Reference":
                yield (name if term == sample_card.ALIGNMENT_TERM else term), text


# --- load tests ---------------------------------------------------------------------------------


def draw_load_test_comparison(baseline: Path, candidate: Path) -> None:
    """Draw the comparison of two load tests, as the command line prints it."""
    from auricle.perf.compare import build_comparison, format_comparison

    st.code("\n".join(format_comparison(build_comparison(baseline, candidate))), language=None, wrap_lines=False)
