"""Sections about labels and dimensions: tables and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auricle.metrics.label_alignment import display_label
from auricle.report import plots
from auricle.report.html_format import NumberDocument, format_count, typeset_number
from auricle.report.html_tables import cell, header_cell, render_table, row_header, shorten_name
from auricle.report.markup import Markup, join_markup, tag

MAX_MATRIX_LABELS = 30  # a matrix with more labels is not readable
MAX_CONFUSIONS = 30
MAX_LABELS_BESIDE_TABLE = 7  # a matrix of this size fits beside the table of classes
TIER_DESCRIPTIONS = {"family": "by word stem", "synonym": "as synonyms"}


def render_classes(numbers: Sequence[NumberDocument]) -> list[Markup]:
    """Render the results per class and the confusion matrix of every metric that has one."""
    matrices = [number["details"] for number in numbers if "matrix" in number["details"]]
    made = []
    for details in matrices:
        narrow = len(details["matrix"]["columns"]) <= MAX_LABELS_BESIDE_TABLE
        kind = "fields pair" if narrow else "fields single"
        made.append(tag("div", _confusion_figure(details["matrix"]), _class_table(details), class_=kind))
    return made


def _class_table(details: Mapping[str, Any]) -> Markup:
    head = [header_cell("Class", css_class=""), *map(header_cell, ("Precision", "Recall", "F1", "Support"))]
    rows = (
        tag(
            "tr",
            row_header(shorten_name(label)),
            [cell(typeset_number(figures[name], "share")) for name in ("precision", "recall", "f1")],
            cell(format_count(figures["support"])),
        )
        for label, figures in details["classes"].items()
    )
    return tag("div", render_table("Results per class", head, rows), class_="field")


def _confusion_figure(matrix: Mapping[str, Any]) -> Markup:
    if max(len(matrix["rows"]), len(matrix["columns"])) > MAX_MATRIX_LABELS:
        return tag("div", _frequent_confusions_table(matrix), class_="field")
    caption = "True against predicted classes"
    drawn = tag("div", plots.draw_confusion(matrix), class_="wide", tabindex=0, role="region", aria_label=caption)
    words = tag("figcaption", f"{caption}. ", _matrix_legend(matrix))
    return tag("figure", drawn, words, class_="field plotted")


def _matrix_legend(matrix: Mapping[str, Any]) -> str:
    """Explain the matrix and how its labels were matched."""
    sentences = ["Counts, and shares of each row."]
    if matrix["rows"] != matrix["columns"]:
        sentences.append(f"The {matrix['shared']} shared labels come first; labels in italics exist on one side only.")
    return " ".join([*sentences, *describe_label_matches(matrix)])


def describe_label_matches(matrix: Mapping[str, Any]) -> list[str]:
    """List labels that were matched although they are spelled differently."""
    pairs = list(zip(matrix["rows"], matrix["columns"], matrix["tiers"], strict=False))
    sentences = []
    for tier, how in TIER_DESCRIPTIONS.items():
        those = [f"{true} – {display_label(predicted)}" for true, predicted, own in pairs if own == tier]
        if those:
            sentences.append(f"Matched {how}: {', '.join(those)}.")
    return sentences


def _frequent_confusions_table(matrix: Mapping[str, Any]) -> Markup:
    """Render the most frequent confusions, if the matrix is too wide."""
    names = [*matrix["columns_shown"], "unreadable"]
    missed = [
        (size, matrix["rows_shown"][true], names[predicted])
        for true, row in enumerate(matrix["counts"])
        for predicted, size in enumerate([*row, matrix["unreadable"][true]])
        if size and not predicted == true < matrix["shared"]
    ]
    missed.sort(key=lambda each: -each[0])
    head = [header_cell("True", css_class=""), header_cell("Predicted", css_class=""), header_cell("Times")]
    rows = (
        tag("tr", row_header(shorten_name(true)), cell(shorten_name(predicted), css_class=""), cell(format_count(size)))
        for size, true, predicted in missed[:MAX_CONFUSIONS]
    )
    caption = f"Most frequent confusions of {len(matrix['rows'])} classes; metrics.json has all"
    return join_markup(tag("p", f"{caption}.", class_="quiet"), render_table(caption, head, rows))


# --- dimensions ------------------------------------------------------------------------------


def render_dimensions(numbers: Sequence[NumberDocument]) -> list[Markup]:
    """Render the distribution of each emotion along each dimension, as plots and tables."""
    for number in numbers:
        details = number["details"]
        if "dimensions" in details:
            return [_dimension_plots(details), _emotion_table(details["dimensions"])]
    return []


def _dimension_plots(details: Mapping[str, Any]) -> Markup:
    densities = details.get("densities", {})
    drawn = [plots.draw_violins(name, figures, densities.get(name)) for name, figures in details["dimensions"].items()]
    words = (
        "Values of each emotion: the outline shows their density, the box the middle half, the "
        "line the median, the dot the mean."
    )
    made = [_plot_figure(words, *drawn)]
    if plane := details.get("plane"):
        some = len(plane["points"]) < plane["of"]
        which = f"{len(plane['points']):,} of {plane['of']:,} samples" if some else "All samples"
        words = f"{which}; large marks are means, ellipses one standard deviation."
        made.append(_plot_figure(words, plots.draw_scatter(plane)))
    return join_markup(*made)


def _plot_figure(figcaption: str, *images: Markup) -> Markup:
    pictures = tag("div", *images, class_="pictures")
    return tag("figure", pictures, tag("figcaption", figcaption), class_="plotted")


def _emotion_table(dimensions: Mapping[str, Mapping[str, Any]]) -> Markup:
    """Render mean ± sd, d and AUC of every emotion, dimension by dimension."""
    head = [header_cell("Emotion", css_class=""), header_cell("Samples")]
    for name, figures in dimensions.items():
        eta = f"η² {typeset_number(figures['eta2'], '')}, by chance {typeset_number(figures['chance'], '')}"
        head.append(header_cell(tag("bdi", name), " mean ± sd", css_class="number"))
        head += [header_cell(tag("span", "d", title="Cohen’s d against all others")),
                 header_cell(tag("span", "AUC", title=f"one against all others; {eta}"))]  # fmt: skip
    labels = list(next(iter(dimensions.values()))["emotions"])
    rows = (
        tag(
            "tr",
            row_header(shorten_name(display_label(label))),
            cell(format_count(next(iter(dimensions.values()))["emotions"][label]["n"])),
            [_emotion_cells(figures["emotions"][label]) for figures in dimensions.values()],
        )
        for label in labels
    )
    words = "d and AUC compare one emotion with all others; 0 and 0.5 mean no difference. " + " ".join(
        f"For {name}, {typeset_number(each['eta2'], 'share')} of the variance is between emotions "
        f"(by chance {typeset_number(each['chance'], 'share')})."
        for name, each in dimensions.items()
    )
    return join_markup(
        render_table("Emotions along each dimension", head, rows, "groups"), tag("p", words, class_="quiet")
    )


def _emotion_cells(emotion: Mapping[str, Any]) -> Markup:
    mean, spread = (_format_decimal(emotion[name], 3) for name in ("mean", "sd"))
    return join_markup(
        cell(f"{mean} ± {spread}"), cell(_format_decimal(emotion["d"], 2)), cell(_format_decimal(emotion["auc"], 2))
    )


def _format_decimal(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")
