"""What changed in a confusion matrix, on the page: a heatmap around zero and two tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from auricle.report.differences import ends, moved, printed
from auricle.report.figures import NONE, count, written
from auricle.report.markup import Markup, tag
from auricle.report.tables import cell, name_cell, named, table
from auricle.report.tables import heading as head_cell

TINT = 0.6  # the strongest; beyond it the digits would no longer stand out


def confusions(matrix: Mapping[str, Any]) -> list[Markup | None]:
    """The heatmap, what it leaves open, and its two tables."""
    return [
        tag(
            "p",
            "How each true class is answered in B, less how it is in A, in percentage points of "
            "the class. Orange became more frequent, blue less; every row sums to 0. Hatched: one "
            "of the runs has no sample of the class.",
            class_="quiet",
        ),
        tag("div", _heatmap(matrix), class_="field"),
        *_remarks(matrix),
        tag("div", _recalls(matrix), _rises(matrix), class_="fields"),
    ]


def _heatmap(matrix: Mapping[str, Any]) -> Markup:
    strongest = max((abs(each) for row in matrix["cells"] for each in row or ()), default=0.0)
    own = {(each["row"], each["column"]) for each in matrix["diagonal"]}
    head = [
        tag("th", "True ↓  Said →", scope="col", class_="corner"),
        *(head_cell(_label(each)) for each in matrix["columns"]),
        head_cell("n in A"),
        head_cell("n in B"),
    ]
    sizes = zip(matrix["n_baseline"], matrix["n_candidate"], strict=True)
    rows = (
        tag(
            "tr",
            name_cell(_label(label)),
            _cells(matrix, at, strongest, own),
            [cell(count(size)) for size in both],
        )
        for at, (label, both) in enumerate(zip(matrix["rows"], sizes, strict=True))
    )
    return table("Difference of the confusion matrices", head, rows, "matrix")


def _label(each: Mapping[str, str]) -> Markup:
    spelled, only = each["spelled_by_candidate"], each["only_in"]
    other = {"baseline": "only in A", "candidate": "only in B"}.get(only, "")
    words = other or (f"in B: {spelled}" if spelled else "")
    small = tag("small", f" {other}") if other else tag("small", " *") if spelled else None
    return tag("span", named(each["shown"]), small, title=words or None)


def _cells(
    matrix: Mapping[str, Any], row: int, strongest: float, own: set[tuple[int, int]]
) -> Iterator[Markup]:
    values = matrix["cells"][row]
    if values is None:
        yield from (cell("", kind="undefined") for _ in matrix["columns"])
        return
    for column, value in enumerate(values):
        kind = "number rise" if value > 0 else "number fall"
        kind += " own" if (row, column) in own else ""
        share = abs(value) / strongest if strongest else 0.0
        text = printed(f"{100 * value:+.1f}") if abs(value) >= 0.0005 else tag("span", "·")
        yield cell(text, kind=kind, style=f"--share:{TINT * share:.3f}")


def _remarks(matrix: Mapping[str, Any]) -> Iterator[Markup]:
    """Labels only one model could say, and labels the two spell differently."""
    for side, name in (("baseline", "B"), ("candidate", "A")):
        absent = [each["shown"] for each in matrix["columns"] if each["only_in"] == side]
        if absent:
            words = f"Not in {name}’s label set, and counted as never said there: "
            yield tag("p", words, ", ".join(absent), ".", class_="quiet")
    spelled = {
        each["label"]: each["spelled_by_candidate"]
        for axis in ("rows", "columns")
        for each in matrix[axis]
        if each["spelled_by_candidate"]
    }
    if spelled:
        pairs = ", ".join(f"{a} and {b}" for a, b in spelled.items())
        yield tag("p", f"* Taken for the same: {pairs}.", class_="quiet")


def _recalls(matrix: Mapping[str, Any]) -> Markup:
    head = [
        head_cell("Class", kind=""),
        *map(head_cell, ("Recall in A", "in B", "B − A", "95 % interval")),
    ]
    rows = (
        tag(
            "tr",
            name_cell(named(each["label"])),
            cell(written(each["recall_baseline"], "share")),
            cell(written(each["recall_candidate"], "share")),
            cell(printed(moved(each["difference"], "share"))),
            cell(ends({**each, "unit": "share"}), kind="number quiet"),
        )
        for each in matrix["diagonal"]
    )
    mean = matrix["mean_absolute_diagonal"]
    size = NONE if mean is None else printed(moved(mean, "share", signed=False))
    words = f"Recall moved by {size} on average, up or down. Intervals are those of two runs that "
    words += "have nothing to do with each other: rather too wide where the samples are the same."
    return tag(
        "div", table("Recall of each class", head, rows), tag("p", words, class_="quiet"),
        class_="field",
    )  # fmt: skip


def _rises(matrix: Mapping[str, Any]) -> Markup | None:
    if not matrix["rises"]:
        return None
    head = [head_cell("True", kind=""), head_cell("Said", kind=""), head_cell("More often by")]
    rows = (
        tag(
            "tr",
            name_cell(named(each["true"])),
            cell(named(each["said"]), kind=""),
            cell(printed(moved(each["difference"], "share"))),
        )
        for each in matrix["rises"]
    )
    return tag("div", table("Confusions that rose most", head, rows), class_="field")
