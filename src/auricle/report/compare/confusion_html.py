"""The confusion matrix difference on the page: a heat map and two tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from auricle.report.compare.text import format_difference, format_difference_interval, typeset
from auricle.report.html_format import MISSING, format_count, typeset_number
from auricle.report.html_tables import cell, render_table, row_header, shorten_name
from auricle.report.html_tables import header_cell as head_cell
from auricle.report.markup import Markup, tag
from auricle.report.plots import draw_difference


def render_confusion_changes(matrix: Mapping[str, Any]) -> list[Markup | None]:
    """Render the heat map, notes on unmatched labels, and the two tables."""
    return [
        draw_difference(matrix),
        *_label_notes(matrix),
        tag("div", _recall_table(matrix), _increases_table(matrix), class_="fields uneven"),
    ]


def _label_notes(matrix: Mapping[str, Any]) -> Iterator[Markup]:
    """List labels that only one model has, and labels that the models spell differently."""
    for side, name in (("baseline", "B"), ("candidate", "A")):
        absent = [each["shown"] for each in matrix["columns"] if each["only_in"] == side]
        if absent:
            words = f"Not in {name}’s label set, and counted there as never predicted: "
            yield tag("p", words, ", ".join(absent), ".", class_="quiet")
    spelled = {
        each["label"]: each["spelled_by_candidate"]
        for axis in ("rows", "columns")
        for each in matrix[axis]
        if each["spelled_by_candidate"]
    }
    if spelled:
        pairs = ", ".join(f"{a} and {b}" for a, b in spelled.items())
        yield tag("p", f"Treated as the same label: {pairs}.", class_="quiet")


def _recall_table(matrix: Mapping[str, Any]) -> Markup:
    """Render the recall of each class in both runs, with the number of samples."""
    recalls = {each["row"]: each for each in matrix["diagonal"]}
    head = [
        head_cell("Class", css_class=""),
        *map(head_cell, ("n in A", "n in B", "Recall in A", "in B", "B − A", "95 % interval")),
    ]
    sizes = zip(matrix["n_baseline"], matrix["n_candidate"], strict=True)
    rows = (
        tag(
            "tr",
            row_header(shorten_name(label["shown"])),
            [cell(format_count(size)) for size in both],
            _recall_cells(recalls.get(at)),
        )
        for at, (label, both) in enumerate(zip(matrix["rows"], sizes, strict=True))
    )
    mean = matrix["mean_absolute_diagonal"]
    size = MISSING if mean is None else typeset(format_difference(mean, "share", signed=False))
    words = f"Recall changed by {size} on average, up or down. Intervals treat the two runs as "
    words += "independent, so they are too wide if the samples are the same."
    return tag(
        "div", render_table("Recall of each class", head, rows), tag("p", words, class_="quiet"),
        class_="field",
    )  # fmt: skip


def _recall_cells(recall: Mapping[str, Any] | None) -> list[Markup]:
    if recall is None:
        return [cell(MISSING) for _ in range(4)]
    return [
        cell(typeset_number(recall["recall_baseline"], "share")),
        cell(typeset_number(recall["recall_candidate"], "share")),
        cell(typeset(format_difference(recall["difference"], "share"))),
        cell(format_difference_interval({**recall, "unit": "share"}), css_class="number quiet"),
    ]


def _increases_table(matrix: Mapping[str, Any]) -> Markup | None:
    if not matrix["rises"]:
        return None
    head = [head_cell("True", css_class=""), head_cell("Predicted", css_class=""), head_cell("Increase")]
    rows = (
        tag(
            "tr",
            row_header(shorten_name(each["true"])),
            cell(shorten_name(each["predicted"]), css_class=""),
            cell(typeset(format_difference(each["difference"], "share"))),
        )
        for each in matrix["rises"]
    )
    return tag("div", render_table("Largest increases in confusion", head, rows), class_="field")
