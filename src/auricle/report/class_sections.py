"""Sections about labels and dimensions: figures of each, and pictures of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auricle.metrics.alignment import shown
from auricle.report import plots
from auricle.report.formatting import Number, count, written
from auricle.report.html_tables import cell, heading, name_cell, named, table
from auricle.report.markup import Markup, tag, together

WIDEST_MATRIX = 30  # more labels than this cannot be read as a square
MOST_CONFUSIONS = 30
WIDEST_BESIDE = 7  # up to here a matrix fits beside the table of classes
TIERS = {
    "family": "of one word family",
    "synonym": "as synonyms",
}


def classes(numbers: Sequence[Number]) -> list[Markup]:
    """Per-class figures and confusions of every matrix there is."""
    found = [number["details"] for number in numbers if "matrix" in number["details"]]
    made = []
    for details in found:
        narrow = len(details["matrix"]["columns"]) <= WIDEST_BESIDE
        kind = "fields pair" if narrow else "fields single"
        made.append(tag("div", _confusions(details["matrix"]), _class_table(details), class_=kind))
    return made


def _class_table(details: Mapping[str, Any]) -> Markup:
    head = [heading("Class", kind=""), *map(heading, ("Precision", "Recall", "F1", "Support"))]
    rows = (
        tag(
            "tr",
            name_cell(named(label)),
            [cell(written(figures[name], "share")) for name in ("precision", "recall", "f1")],
            cell(count(figures["support"])),
        )
        for label, figures in details["classes"].items()
    )
    return tag("div", table("Figures of each class", head, rows), class_="field")


def _confusions(matrix: Mapping[str, Any]) -> Markup:
    if max(len(matrix["rows"]), len(matrix["columns"])) > WIDEST_MATRIX:
        return tag("div", _frequent(matrix), class_="field")
    caption = "True against predicted classes"
    drawn = tag(
        "div", plots.confusion(matrix), class_="wide", tabindex=0, role="region", aria_label=caption
    )
    words = tag("figcaption", f"{caption}. ", _legend(matrix))
    return tag("figure", drawn, words, class_="field plotted")


def _legend(matrix: Mapping[str, Any]) -> str:
    """How to read the matrix, and how its two sides were matched."""
    told = ["Counts, and shares of each row."]
    if matrix["rows"] != matrix["columns"]:
        told.append(
            f"{matrix['shared']} labels are shared and come first; those in italics only one side "
            "has."
        )
    return " ".join([*told, *matched(matrix)])


def matched(matrix: Mapping[str, Any]) -> list[str]:
    """Which labels of either side were taken for one, where they are not spelt alike."""
    pairs = list(zip(matrix["rows"], matrix["columns"], matrix["tiers"], strict=False))
    told = []
    for tier, how in TIERS.items():
        those = [f"{true} – {shown(said)}" for true, said, own in pairs if own == tier]
        if those:
            told.append(f"Matched {how}: {', '.join(those)}.")
    return told


def _frequent(matrix: Mapping[str, Any]) -> Markup:
    """The confusions that occur most, where the whole square would be too wide."""
    names = [*matrix["columns_shown"], "unreadable"]
    missed = [
        (size, matrix["rows_shown"][true], names[said])
        for true, row in enumerate(matrix["counts"])
        for said, size in enumerate([*row, matrix["unreadable"][true]])
        if size and not said == true < matrix["shared"]
    ]
    missed.sort(key=lambda each: -each[0])
    head = [heading("True", kind=""), heading("Said", kind=""), heading("Times")]
    rows = (
        tag("tr", name_cell(named(true)), cell(named(said), kind=""), cell(count(size)))
        for size, true, said in missed[:MOST_CONFUSIONS]
    )
    caption = f"Most frequent confusions of {len(matrix['rows'])} classes; metrics.json holds all"
    return together(tag("p", f"{caption}.", class_="quiet"), table(caption, head, rows))


# --- dimensions ------------------------------------------------------------------------------


def dimensions(numbers: Sequence[Number]) -> list[Markup]:
    """Where emotions lie along each dimension, drawn and in figures."""
    for number in numbers:
        details = number["details"]
        if "dimensions" in details:
            return [_pictures(details), _emotion_table(details["dimensions"])]
    return []


def _pictures(details: Mapping[str, Any]) -> Markup:
    densities = details.get("densities", {})
    drawn = [
        plots.violins(name, figures, densities.get(name))
        for name, figures in details["dimensions"].items()
    ]
    words = (
        "Each emotion’s values: the outline shows how thick they lie, the box the middle half, the "
        "line the median, the dot the mean."
    )
    made = [_figure(words, *drawn)]
    if plane := details.get("plane"):
        some = len(plane["points"]) < plane["of"]
        which = f"{len(plane['points']):,} of {plane['of']:,} samples" if some else "All samples"
        words = f"{which}; large marks are means, ellipses one standard deviation."
        made.append(_figure(words, plots.plane(plane)))
    return together(*made)


def _figure(words: str, *drawn: Markup) -> Markup:
    pictures = tag("div", *drawn, class_="pictures")
    return tag("figure", pictures, tag("figcaption", words), class_="plotted")


def _emotion_table(found: Mapping[str, Mapping[str, Any]]) -> Markup:
    """Mean ± sd, d and AUC of every emotion, dimension by dimension."""
    head = [heading("Emotion", kind=""), heading("Samples")]
    for name, figures in found.items():
        eta = f"η² {written(figures['eta2'], '')}, by chance {written(figures['chance'], '')}"
        head.append(heading(tag("bdi", name), " mean ± sd", kind="number"))
        head += [heading(tag("span", "d", title="Cohen’s d against all others")),
                 heading(tag("span", "AUC", title=f"one against all others; {eta}"))]  # fmt: skip
    labels = list(next(iter(found.values()))["emotions"])
    rows = (
        tag(
            "tr",
            name_cell(named(shown(label))),
            cell(count(next(iter(found.values()))["emotions"][label]["n"])),
            [_emotion_cells(figures["emotions"][label]) for figures in found.values()],
        )
        for label in labels
    )
    words = (
        "d and AUC are of one emotion against all others; 0 and 0.5 mean no difference. "
        + " ".join(
            f"Of {name}, {written(each['eta2'], 'share')} of the variance lies between emotions "
            f"(by chance {written(each['chance'], 'share')})."
            for name, each in found.items()
        )
    )
    return together(
        table("Each emotion along each dimension", head, rows, "groups"),
        tag("p", words, class_="quiet"),
    )


def _emotion_cells(emotion: Mapping[str, Any]) -> Markup:
    mean, spread = (_short(emotion[name], 3) for name in ("mean", "sd"))
    return together(
        cell(f"{mean} ± {spread}"), cell(_short(emotion["d"], 2)), cell(_short(emotion["auc"], 2))
    )


def _short(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")
