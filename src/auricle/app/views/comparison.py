"""Two runs beside each other: differences with intervals, both matrices, samples that flipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import run_data
from auricle.app.theme import draw_chart, escape_markdown
from auricle.app.views import components, heatmaps, sample_card
from auricle.core.types import Record
from auricle.report.compare.text import (
    change_heading,
    format_difference,
    format_difference_interval,
    format_p_value,
    format_pair_count,
    is_significant,
    typeset,
)
from auricle.report.compare.text import describe_row as told
from auricle.report.html_format import Scale, format_count, metric_title, typeset_number
from auricle.report.markup import Child, tag
from auricle.report.sample_view import truncate

MAX_FLIPS = 20
FLIPS_SHOWN = 4
Document = Mapping[str, Any]
Row = Mapping[str, Any]
MATRIX_GUIDE = (
    "How to read it: rows are true labels, columns what was said. A cell is B’s share of its row "
    "less A’s. Blue on the outlined diagonal means B recognises more of that label; orange there, "
    "fewer. Off the diagonal blue is a confusion that B makes more often. Each row adds up to "
    "zero; rows that one run has no samples of are grey."
)


@st.cache_data(max_entries=8, show_spinner="Comparing pair by pair …")
def _compare(
    paths: tuple[str, str], group_field: str, _fingerprints: tuple[run_data.Fingerprint, run_data.Fingerprint]
) -> dict[str, Any]:
    from auricle.api import compare

    return compare(*paths, by=group_field or None, most_flips=MAX_FLIPS).document()


def draw_comparison(baseline: Path, candidate: Path) -> None:
    """Everything that can be said of B beside A."""
    stamps = tuple(run_data.fingerprint(each, "outputs.jsonl", "metrics.json") for each in (baseline, candidate))
    fields = [
        each for each in run_data.load_samples(baseline).fields if each in run_data.load_samples(candidate).fields
    ]
    by = st.selectbox(
        "Broken down by",
        ["", *fields],
        key=f"compare-by-{baseline.name}-{candidate.name}",
        format_func=lambda name: name or "nothing",
    )
    found = _compare((str(baseline), str(candidate)), str(by), (stamps[0], stamps[1]))
    rows = [each for each in found["rows"] if not each["field"]]
    _draw_headline(rows)
    components.draw_notes(f"{format_pair_count(found)}. A is the baseline.", *found["notes"])
    if rows:
        _draw_table(found["rows"])
        components.draw_notes(*(typeset(told(each)) for each in rows))
    _draw_not_compared(found["refused"])
    _draw_matrices(baseline, candidate, found["matrix"])
    _draw_shifts(found["shifts"])
    if rows:
        _draw_flips((baseline, candidate), found, rows)


def _draw_headline(rows: Sequence[Row]) -> None:
    if not rows:
        st.info("No metric of these two runs can be compared; below is why.", icon=":material/compare_arrows:")
        return
    for place, row in zip(st.columns(min(4, len(rows))), rows, strict=False):
        arrow = "↑" if row["higher_is_better"] else "↓"
        place.metric(
            escape_markdown(f"{metric_title(row['metric'])} {arrow}, B − A"),
            typeset(format_difference(row["difference"], row["unit"])),
            f"95 % interval {format_difference_interval(row)}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )


def _draw_table(rows: Sequence[Row]) -> None:
    by = any(row["field"] for row in rows)
    alike = [row for row in rows if row["unit"] == rows[0]["unit"]]
    scale = Scale.fit([row[end] for row in alike for end in ("low", "high", "difference")], include_zero=True)
    figures = ["A", "B", "B − A", "95 % interval", "", "p", "Adjusted p", "Pairs", "Better", "Worse"]
    head = ["Metric", *(["Samples"] if by else []), *figures]
    made = [_table_row(row, scale if row in alike else None, by) for row in rows]
    components.draw_markup(components.build_table(head, made, 1 + by))


def _table_row(row: Row, scale: Scale | None, is_grouped: bool) -> list[Child]:
    unit, size = row["unit"], typeset(format_difference(row["difference"], row["unit"]))
    drawn = components.build_interval_bar(scale, row["low"], row["difference"], row["high"], 0.0) if scale else None
    group = f"{row['field']}: {row['group']}" if row["field"] else "all"
    return [
        f"{metric_title(row['metric'])} {'↑' if row['higher_is_better'] else '↓'}",
        *([group] if is_grouped else []),
        typeset_number(row["value_a"], unit),
        typeset_number(row["value_b"], unit),
        tag("strong", size) if is_significant(row) else size,
        format_difference_interval(row),
        drawn,
        format_p_value(row["p"]),
        format_p_value(row["adjusted"]),
        format_count(row["n"]),
        format_count(row["better"]),
        format_count(row["worse"]),
    ]


def _draw_not_compared(reasons: Mapping[str, str]) -> None:
    if reasons:
        st.subheader("Not compared", anchor=False)
        rows: list[list[Child]] = [[metric_title(name), truncate(why, 600)] for name, why in reasons.items()]
        components.draw_markup(components.build_table(["What", "Why"], rows, 2))


# --- labels and dimensions --------------------------------------------------------------------


def _draw_matrices(baseline: Path, candidate: Path, matrix: Mapping[str, Any] | None) -> None:
    if matrix is None:
        return
    st.subheader("Confusions", anchor=False)
    for place, name, path in zip(st.columns(2), "AB", (baseline, candidate), strict=True):
        drawn = [
            each["details"]["matrix"]
            for each in run_data.overall_numbers(run_data.load_metrics(path))
            if "matrix" in each["details"]
        ]
        with place:
            components.draw_markup(tag("p", tag("strong", name), " ", path.name))
            draw_chart(
                heatmaps.confusion_chart(drawn[0]), key=f"compare-matrix-{name}", alt=f"Confusion matrix of {name}"
            )
    st.markdown("**B − A**")
    draw_chart(heatmaps.difference_chart(matrix), alt="B's confusion matrix less A's")
    components.draw_notes(MATRIX_GUIDE)
    if matrix["rises"]:
        rows: list[list[Child]] = [
            [each["true"], each["said"], typeset(format_difference(each["difference"], "share"))]
            for each in matrix["rises"]
        ]
        components.draw_markup(components.build_table(["True", "Said", "More often by"], rows, 2))


def _draw_shifts(shifts: Sequence[Row]) -> None:
    """How far means moved, where both runs answer in dimensions."""
    if not shifts:
        return
    st.subheader("Shifts of the means", anchor=False)
    components.draw_notes(
        "Means by true label in the models’ own units; nothing is rescaled, so a shift "
        "means something only if both use one scale. d is Cohen’s."
    )
    scale = Scale.fit([each[end] for each in shifts for end in ("low", "high")], include_zero=True)
    for name, some in groupby(shifts, key=lambda each: str(each["dimension"])):
        head = [name, "A", "B", "B − A", "95 % interval", "", "Adjusted p", "d", "Pairs"]
        components.draw_markup(components.build_table(head, [_shift_row(each, scale) for each in some]))


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
    """Samples that did better or worse, with a player and both answers."""
    st.subheader("Samples that changed", anchor=False)
    key = f"{paths[0].name}-{paths[1].name}"
    left, right = st.columns(2)
    names = [row["metric"] for row in rows]
    metric = str(left.selectbox("By", names, format_func=metric_title, key=f"flips-by-{key}"))
    row = rows[names.index(metric)]
    there = {each["became"] for each in comparison["flips"].get(metric, ())}
    first = "better" if there == {"better"} else "worse"
    became = str(
        right.segmented_control("Which", ["worse", "better"], default=first, required=True, key=f"flips-which-{key}")
    )
    some = [each for each in comparison["flips"].get(metric, ()) if each["became"] == became]
    shown = min(FLIPS_SHOWN, len(some))
    components.draw_notes(f"{change_heading(row, became)}: {format_count(row[became])}; {shown} are shown.")
    numbers = {n["metric"]: n for n in run_data.overall_numbers(run_data.load_metrics(paths[0]))}
    for each in some[:FLIPS_SHOWN]:
        _draw_flip(paths, each, numbers.get(metric))


def _draw_flip(paths: tuple[Path, Path], flip: Mapping[str, Any], number: Row | None) -> None:
    records = [_find_record(path, flip["id"]) for path in paths]
    with st.container(border=True):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            components.draw_markup(
                tag("p", tag("strong", flip["id"])),
                tag("p", f"{flip['score_a'] or '–'} → {flip['score_b'] or '–'}", class_="quiet"),
                sample_card.build_metadata_chips(records[0].sample.meta) if records[0] else None,
            )
            if records[0]:
                sample_card.draw_players(paths[0], records[0])
        with right:
            components.draw_markup(components.build_definition_list(_list_answers(records, flip, number)))


def _find_record(path: Path, sample_id: str) -> Record | None:
    frame = run_data.load_samples(path).frame
    found = frame.loc[frame["id"] == sample_id, "offset"]
    return run_data.load_record(path, int(found.iloc[0])) if len(found) else None


def _list_answers(
    records: Sequence[Record | None], flip: Mapping[str, Any], number: Row | None
) -> Iterator[tuple[str, Child]]:
    """The reference once, then both answers, aligned with it where words are compared."""
    if flip["target"] is not None:
        yield "Reference", truncate(str(flip["target"]))
    for name, record in zip("AB", records, strict=True):
        if record is None:
            yield name, str(flip[f"answer_{name.lower()}"])
            continue
        for term, text in sample_card.build_answer_rows(record, number, name, 3):
            if term != "Reference":
                yield (name if term == "Compared" else term), text


# --- load tests ---------------------------------------------------------------------------------


def draw_load_test_comparison(baseline: Path, candidate: Path) -> None:
    """How B serves beside A, load by load, in the words of the command line."""
    from auricle.perf.compare import build_comparison, format_comparison

    st.code("\n".join(format_comparison(build_comparison(baseline, candidate))), language=None, wrap_lines=False)
