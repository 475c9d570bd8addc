"""Two runs beside each other: differences with intervals, both matrices, samples that flipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from auricle.app import run_data
from auricle.app.theme import chart, plain
from auricle.app.views import components, heatmaps, sample_card
from auricle.core.types import Record
from auricle.report.compare_text import chance, counts, decided, ends, heading, moved, printed
from auricle.report.compare_text import sentence as told
from auricle.report.formatting import Scale, count, title, written
from auricle.report.markup import Child, tag
from auricle.report.worst_samples import clip

MOST_FLIPS = 20
SHOWN = 4
Document = Mapping[str, Any]
Row = Mapping[str, Any]
GUIDE = (
    "How to read it: rows are true labels, columns what was said. A cell is B’s share of its row "
    "less A’s. Blue on the outlined diagonal means B recognises more of that label; orange there, "
    "fewer. Off the diagonal blue is a confusion that B makes more often. Each row adds up to "
    "zero; rows that one run has no samples of are grey."
)


@st.cache_data(max_entries=8, show_spinner="Comparing pair by pair …")
def _compared(
    paths: tuple[str, str], by: str, _stamps: tuple[run_data.Stamp, run_data.Stamp]
) -> dict[str, Any]:
    from auricle.api import compare

    return compare(*paths, by=by or None, most_flips=MOST_FLIPS).document()


def differences(a: Path, b: Path) -> None:
    """Everything that can be said of B beside A."""
    stamps = tuple(run_data.stamp(each, "outputs.jsonl", "metrics.json") for each in (a, b))
    fields = [each for each in run_data.samples(a).fields if each in run_data.samples(b).fields]
    by = st.selectbox(
        "Broken down by",
        ["", *fields],
        key=f"compare-by-{a.name}-{b.name}",
        format_func=lambda name: name or "nothing",
    )
    found = _compared((str(a), str(b)), str(by), (stamps[0], stamps[1]))
    rows = [each for each in found["rows"] if not each["field"]]
    _headline(rows)
    components.say(f"{counts(found)}. A is the baseline.", *found["notes"])
    if rows:
        _table(found["rows"])
        components.say(*(printed(told(each)) for each in rows))
    _refused(found["refused"])
    _matrices(a, b, found["matrix"])
    _shifts(found["shifts"])
    if rows:
        _flips((a, b), found, rows)


def _headline(rows: Sequence[Row]) -> None:
    if not rows:
        st.info(
            "No metric of these two runs can be compared; below is why.",
            icon=":material/compare_arrows:",
        )
        return
    for place, row in zip(st.columns(min(4, len(rows))), rows, strict=False):
        arrow = "↑" if row["higher_is_better"] else "↓"
        place.metric(
            plain(f"{title(row['metric'])} {arrow}, B − A"),
            printed(moved(row["difference"], row["unit"])),
            f"95 % interval {ends(row)}",
            delta_color="off",
            delta_arrow="off",
            border=True,
        )


def _table(rows: Sequence[Row]) -> None:
    by = any(row["field"] for row in rows)
    alike = [row for row in rows if row["unit"] == rows[0]["unit"]]
    scale = Scale.over(
        [row[end] for row in alike for end in ("low", "high", "difference")], zero=True
    )
    figures = [
        "A",
        "B",
        "B − A",
        "95 % interval",
        "",
        "p",
        "Adjusted p",
        "Pairs",
        "Better",
        "Worse",
    ]
    head = ["Metric", *(["Samples"] if by else []), *figures]
    made = [_cells(row, scale if row in alike else None, by) for row in rows]
    components.show(components.table(head, made, 1 + by))


def _cells(row: Row, scale: Scale | None, by: bool) -> list[Child]:
    unit, size = row["unit"], printed(moved(row["difference"], row["unit"]))
    drawn = (
        components.mark(scale, row["low"], row["difference"], row["high"], 0.0) if scale else None
    )
    group = f"{row['field']}: {row['group']}" if row["field"] else "all"
    return [
        f"{title(row['metric'])} {'↑' if row['higher_is_better'] else '↓'}",
        *([group] if by else []),
        written(row["value_a"], unit),
        written(row["value_b"], unit),
        tag("strong", size) if decided(row) else size,
        ends(row),
        drawn,
        chance(row["p"]),
        chance(row["adjusted"]),
        count(row["n"]),
        count(row["better"]),
        count(row["worse"]),
    ]


def _refused(refused: Mapping[str, str]) -> None:
    if refused:
        st.subheader("Not compared", anchor=False)
        rows: list[list[Child]] = [[title(name), clip(why, 600)] for name, why in refused.items()]
        components.show(components.table(["What", "Why"], rows, 2))


# --- labels and dimensions --------------------------------------------------------------------


def _matrices(a: Path, b: Path, matrix: Mapping[str, Any] | None) -> None:
    if matrix is None:
        return
    st.subheader("Confusions", anchor=False)
    for place, name, path in zip(st.columns(2), "AB", (a, b), strict=True):
        drawn = [
            each["details"]["matrix"]
            for each in run_data.overall(run_data.document(path))
            if "matrix" in each["details"]
        ]
        with place:
            components.show(tag("p", tag("strong", name), " ", path.name))
            chart(
                heatmaps.confusion(drawn[0]),
                key=f"compare-matrix-{name}",
                alt=f"Confusion matrix of {name}",
            )
    st.markdown("**B − A**")
    chart(heatmaps.difference(matrix), alt="B's confusion matrix less A's")
    components.say(GUIDE)
    if matrix["rises"]:
        rows: list[list[Child]] = [
            [each["true"], each["said"], printed(moved(each["difference"], "share"))]
            for each in matrix["rises"]
        ]
        components.show(components.table(["True", "Said", "More often by"], rows, 2))


def _shifts(shifts: Sequence[Row]) -> None:
    """How far means moved, where both runs answer in dimensions."""
    if not shifts:
        return
    st.subheader("Shifts of the means", anchor=False)
    components.say(
        "Means by true label in the models’ own units; nothing is rescaled, so a shift "
        "means something only if both use one scale. d is Cohen’s."
    )
    scale = Scale.over([each[end] for each in shifts for end in ("low", "high")], zero=True)
    for name, some in groupby(shifts, key=lambda each: str(each["dimension"])):
        head = [name, "A", "B", "B − A", "95 % interval", "", "Adjusted p", "d", "Pairs"]
        components.show(components.table(head, [_shift(each, scale) for each in some]))


def _shift(each: Row, scale: Scale) -> list[Child]:
    d = each["cohens_d"]
    return [
        each["label"] or "all",
        written(each["value_a"], ""),
        written(each["value_b"], ""),
        printed(moved(each["difference"], "")),
        ends(each),
        components.mark(scale, each["low"], each["difference"], each["high"], 0.0),
        chance(each["adjusted"]),
        "–" if d is None else printed(f"{d:+.2f}"),
        count(each["n"]),
    ]


# --- samples ------------------------------------------------------------------------------------


def _flips(paths: tuple[Path, Path], found: Document, rows: Sequence[Row]) -> None:
    """Samples that did better or worse, with a player and both answers."""
    st.subheader("Samples that changed", anchor=False)
    key = f"{paths[0].name}-{paths[1].name}"
    left, right = st.columns(2)
    names = [row["metric"] for row in rows]
    metric = str(left.selectbox("By", names, format_func=title, key=f"flips-by-{key}"))
    row = rows[names.index(metric)]
    there = {each["became"] for each in found["flips"].get(metric, ())}
    first = "better" if there == {"better"} else "worse"
    became = str(
        right.segmented_control(
            "Which", ["worse", "better"], default=first, required=True, key=f"flips-which-{key}"
        )
    )
    some = [each for each in found["flips"].get(metric, ()) if each["became"] == became]
    shown = min(SHOWN, len(some))
    components.say(f"{heading(row, became)}: {count(row[became])}; {shown} are shown.")
    numbers = {n["metric"]: n for n in run_data.overall(run_data.document(paths[0]))}
    for each in some[:SHOWN]:
        _flip(paths, each, numbers.get(metric))


def _flip(paths: tuple[Path, Path], flip: Mapping[str, Any], number: Row | None) -> None:
    records = [_record(path, flip["id"]) for path in paths]
    with st.container(border=True):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            components.show(
                tag("p", tag("strong", flip["id"])),
                tag("p", f"{flip['score_a'] or '–'} → {flip['score_b'] or '–'}", class_="quiet"),
                sample_card.chips(records[0].sample.meta) if records[0] else None,
            )
            if records[0]:
                sample_card.players(paths[0], records[0])
        with right:
            components.show(components.listed(_answers(records, flip, number)))


def _record(path: Path, sample_id: str) -> Record | None:
    frame = run_data.samples(path).frame
    found = frame.loc[frame["id"] == sample_id, "offset"]
    return run_data.record(path, int(found.iloc[0])) if len(found) else None


def _answers(
    records: Sequence[Record | None], flip: Mapping[str, Any], number: Row | None
) -> Iterator[tuple[str, Child]]:
    """The reference once, then both answers, aligned with it where words are compared."""
    if flip["target"] is not None:
        yield "Reference", clip(str(flip["target"]))
    for name, record in zip("AB", records, strict=True):
        if record is None:
            yield name, str(flip[f"answer_{name.lower()}"])
            continue
        for term, text in sample_card.answers(record, number, name, 3):
            if term != "Reference":
                yield (name if term == "Compared" else term), text


# --- load tests ---------------------------------------------------------------------------------


def measurements(a: Path, b: Path) -> None:
    """How B serves beside A, load by load, in the words of the command line."""
    from auricle.perf.compare import compared, lines

    st.code("\n".join(lines(compared(a, b))), language=None, wrap_lines=False)
