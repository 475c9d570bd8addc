"""What changed in a confusion matrix, on the page: a heatmap around zero and two tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from auricle.report.compare_text import ends, moved, printed
from auricle.report.formatting import NONE, count, written
from auricle.report.html_tables import cell, name_cell, named, table
from auricle.report.html_tables import heading as head_cell
from auricle.report.markup import Markup, tag
from auricle.report.plots import difference


def confusions(matrix: Mapping[str, Any]) -> list[Markup | None]:
    """The heat map, what it leaves open, and its two tables."""
    return [
        difference(matrix),
        *_remarks(matrix),
        tag("div", _classes(matrix), _rises(matrix), class_="fields uneven"),
    ]


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
        yield tag("p", f"Taken for the same: {pairs}.", class_="quiet")


def _classes(matrix: Mapping[str, Any]) -> Markup:
    """How many samples each side has of a class, and how many of them it recognised."""
    recalls = {each["row"]: each for each in matrix["diagonal"]}
    head = [
        head_cell("Class", kind=""),
        *map(head_cell, ("n in A", "n in B", "Recall in A", "in B", "B − A", "95 % interval")),
    ]
    sizes = zip(matrix["n_baseline"], matrix["n_candidate"], strict=True)
    rows = (
        tag(
            "tr",
            name_cell(named(label["shown"])),
            [cell(count(size)) for size in both],
            _recall(recalls.get(at)),
        )
        for at, (label, both) in enumerate(zip(matrix["rows"], sizes, strict=True))
    )
    mean = matrix["mean_absolute_diagonal"]
    size = NONE if mean is None else printed(moved(mean, "share", signed=False))
    words = f"Recall moved by {size} on average, up or down. Intervals are those of two runs that "
    words += "have nothing to do with each other: rather too wide where the samples are the same."
    return tag(
        "div", table("Recall of each class", head, rows), tag("p", words, class_="quiet"),
        class_="field",
    )  # fmt: skip


def _recall(each: Mapping[str, Any] | None) -> list[Markup]:
    if each is None:
        return [cell(NONE) for _ in range(4)]
    return [
        cell(written(each["recall_baseline"], "share")),
        cell(written(each["recall_candidate"], "share")),
        cell(printed(moved(each["difference"], "share"))),
        cell(ends({**each, "unit": "share"}), kind="number quiet"),
    ]


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
