"""The page's tables: metrics, kinds of error, breakdowns, classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auricle.report.figures import (
    Number,
    Scale,
    arrow,
    axis,
    bare,
    bounded,
    count,
    covered,
    ends,
    hidden_text,
    mark,
    spread,
    stacked,
    title,
    told,
    written,
)
from auricle.report.markup import Markup, tag, together

ERROR_KINDS = ("substitutions", "deletions", "insertions")
WIDEST_MATRIX = 30  # more labels than this cannot be read as a square
MOST_CONFUSIONS = 30
WIDEST_BESIDE = 9  # up to here a matrix fits beside the table of classes
MOST_OPEN = 12  # a longer breakdown is folded, and has a scale of its own
CASES = "had every failed sample gone as well, or as badly, as can be"
MOST_NAME = 48
TINT = 0.6  # the strongest tint; beyond it the digits would no longer stand out

Rows = Iterable[Markup]
Groups = dict[str, dict[str, Number]]


def table(caption: str, head: Sequence[Markup], rows: Rows, kind: str = "") -> Markup:
    """A table that scrolls by itself where it is wider than the page."""
    inner = tag(
        "table",
        tag("caption", caption, class_="aside"),
        tag("thead", tag("tr", head)),
        tag("tbody", rows),
        class_=kind or None,
    )
    return tag("div", inner, class_="wide", tabindex=0, role="region", aria_label=caption)


def heading(*content: str, kind: str = "number", span: int | None = None) -> Markup:
    return tag("th", *content, scope="col", class_=kind or None, colspan=span)


def cell(*content: str | None, kind: str = "number", **attributes: Any) -> Markup:
    return tag("td", *content, class_=kind or None, **attributes)


def name_cell(*content: str) -> Markup:
    return tag("th", *content, scope="row")


def named(text: str) -> Markup:
    """A group's or a class's name; a very long one by its beginning, the whole on hovering."""
    if len(text) <= MOST_NAME:
        return tag("bdi", text)
    return tag("bdi", f"{text[:MOST_NAME]}…", title=text)


def some(value: int) -> Markup:
    """A count that only draws the eye when it is not zero."""
    return cell(count(value), kind="number" if value else "number nothing")


# --- all samples --------------------------------------------------------------------------


def overview(numbers: Sequence[Number]) -> Markup:
    """Every metric over all samples; those that share the first one's unit, on one scale."""
    unit = numbers[0]["unit"]
    alike = [number for number in numbers if unit and number["unit"] == unit]
    scale = Scale.over(ends(alike), zero=True) if alike else None
    told_bounds = any(bounded(number) for number in numbers)
    head = [
        heading("Metric", kind=""),
        heading("Value"),
        heading("95 % interval"),
        heading(axis(unit, scale) if scale else "", kind="drawn"),
        heading("Scored"),
        heading("Coverage"),
        heading("Failed"),
        heading("Unreadable"),
        *([heading(tag("span", "Best – worst case", title=CASES))] if told_bounds else []),
    ]
    rows = (
        _overview_row(number, scale if number in alike else None, told_bounds) for number in numbers
    )
    return table("Every metric over all samples", head, rows, "metrics")


def _overview_row(number: Number, scale: Scale | None, told_bounds: bool) -> Markup:
    drawn = mark(number, scale) if scale else None
    return tag(
        "tr",
        name_cell(tag("bdi", title(number["metric"])), " ", arrow(number)),
        cell(tag("strong", told(number))),
        cell(spread(number), kind="number quiet"),
        cell(drawn, kind="drawn"),
        cell(_scored(number)),
        cell(covered(number)),
        some(number["failed"]),
        some(number["unreadable"]),
        cell(_case(number), kind="number quiet") if told_bounds else None,
    )


def _scored(number: Number) -> Markup:
    whole = number["scored"] == number["total"]
    total = None if whole else tag("small", f"of {count(number['total'])}", class_="total")
    return together(count(number["scored"]), total)


def _case(number: Number) -> str:
    """The value had all failed samples gone well, and badly."""
    sides = (bare(told(number, side)) for side in ("best", "worst"))
    return " – ".join(sides) if bounded(number) else "–"


def error_kinds(numbers: Sequence[Number]) -> Markup | None:
    """What errors an error rate is made of."""
    rates = [number for number in numbers if "substitutions" in number["details"]]
    if not rates:
        return None
    head = [
        heading("Made of", kind=""),
        heading(kind="drawn"),
        *(heading(tag("i", class_=f"swatch {kind}"), kind.capitalize()) for kind in ERROR_KINDS),
        heading("Reference length"),
        heading("Utterance mean"),
    ]
    return table("Kinds of error", head, (_error_row(number) for number in rates), "kinds")


def _error_row(number: Number) -> Markup:
    details = number["details"]
    length = details["reference_length"]
    parts = [(kind, details[kind]) for kind in ERROR_KINDS]
    return tag(
        "tr",
        name_cell(tag("bdi", title(number["metric"]))),
        cell(stacked(parts, sum(size for _, size in parts)), kind="drawn"),
        [cell(_share(size, length)) for _, size in parts],
        cell(count(length)),
        cell(written(details.get("utterance_mean"), "share")),
    )


def _share(size: float, whole: float) -> Markup:
    rate = written(size / whole, "share") if whole else ""
    return together(count(size), " ", tag("small", rate))


# --- breakdowns -----------------------------------------------------------------------------


def breakdowns(numbers: Sequence[Number]) -> list[Markup]:
    """One table a meta field, subsets first, long ones last; a field of one value gets a line."""
    overall = {number["metric"]: number for number in numbers if not number["field"]}
    fields: dict[str, Groups] = {}
    for number in numbers:
        if number["field"]:
            groups = fields.setdefault(number["field"], {})
            groups.setdefault(number["group"], {})[number["metric"]] = number
    common = _scales(overall, [each for each in fields.values() if len(each) <= MOST_OPEN])
    made = []
    for field in sorted(fields, key=lambda each: (len(fields[each]) > MOST_OPEN, each != "subset")):
        groups = fields[field]
        own = common if len(groups) <= MOST_OPEN else _scales(overall, [groups])
        made.append(_breakdown(field, groups, overall, own))
    return made


def _scales(overall: Mapping[str, Number], fields: Sequence[Groups]) -> dict[str, Scale]:
    """A scale for each metric on which all these groups, and all samples, can be marked."""
    members = [found for groups in fields for found in groups.values()]
    return {
        metric: Scale.over(ends([number, *(each[metric] for each in members if metric in each)]))
        for metric, number in overall.items()
    }


def _breakdown(
    field: str, groups: Groups, overall: Mapping[str, Number], scales: Mapping[str, Scale]
) -> Markup:
    if len(groups) == 1:
        only = (tag("b", tag("bdi", field)), " ", tag("bdi", next(iter(groups))))
        return tag("p", "Every scored sample is of ", *only, ".", class_="quiet")
    head = [heading(named(field), kind="of"), heading("Scored")]
    for metric, scale in scales.items():
        head.append(heading(tag("bdi", title(metric)), " ", arrow(overall[metric])))
        head.append(heading(axis(overall[metric]["unit"], scale), kind="drawn"))
    rows = (_group_row(group, found, overall, scales) for group, found in groups.items())
    made = table(f"By {field}", head, rows, "groups")
    if len(groups) > MOST_OPEN:
        made = tag("details", tag("summary", f"{field}: {len(groups)} groups"), made)
    return tag("div", made, class_="field")


def _group_row(
    group: str,
    found: Mapping[str, Number],
    overall: Mapping[str, Number],
    scales: Mapping[str, Scale],
) -> Markup:
    cells = []
    for metric, scale in scales.items():
        number = found.get(metric)
        if number is None:
            cells += [cell("–"), cell(kind="drawn")]
            continue
        words = f"95 % interval {spread(number)}"
        drawn = mark(number, scale, overall[metric]["value"])
        cells.append(cell(told(number), title=words))
        cells.append(cell(drawn, hidden_text(words), kind="drawn", title=words))
    first = next(iter(found.values()))
    return tag("tr", name_cell(named(group or "(empty)")), cell(_scored(first)), cells)


# --- classes --------------------------------------------------------------------------------


def classes(numbers: Sequence[Number]) -> list[Markup]:
    """Per-class figures and confusions; several metrics over the same answers share them."""
    made: list[Markup] = []
    seen: list[Any] = []
    for number in numbers:
        details = number["details"]
        if "confusion" not in details or details["confusion"] in seen:
            continue
        seen.append(details["confusion"])
        kind = "fields pair" if len(details["labels"]) <= WIDEST_BESIDE else "fields single"
        made.append(tag("div", _class_table(details), _confusions(details), class_=kind))
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


def _confusions(details: Mapping[str, Any]) -> Markup:
    labels = details["labels"]
    if len(labels) > WIDEST_MATRIX:
        return tag("div", _frequent(details), class_="field")
    columns = [*labels, "unreadable"]
    if not any(row[-1] for row in details["confusion"]):
        columns.pop()
    corner = tag("th", "True ↓  Said →", scope="col", class_="corner")
    head = [corner, *(heading(named(column)) for column in columns)]
    rows = (
        tag("tr", name_cell(named(labels[at])), _matrix_cells(row, at, len(columns)))
        for at, row in enumerate(details["confusion"])
    )
    return tag("div", table("True against predicted classes", head, rows, "matrix"), class_="field")


def _matrix_cells(row: Sequence[int], at: int, width: int) -> list[Markup]:
    support = sum(row)
    cells = []
    for column, size in enumerate(row[:width]):
        share = size / support if support else 0.0
        kind = "hit" if column == at else "miss"
        text = (
            together(count(size), tag("small", f"{100 * share:.0f} %"))
            if size
            else tag("span", "·")
        )
        tint = f"--share:{TINT * share:.3f}" if size else None
        cells.append(cell(text, kind=f"number {kind}", style=tint))
    return cells


def _frequent(details: Mapping[str, Any]) -> Markup:
    """The confusions that occur most, where the whole square would be too wide."""
    names = [*details["labels"], "unreadable"]
    missed = [
        (size, details["labels"][true], names[said])
        for true, row in enumerate(details["confusion"])
        for said, size in enumerate(row)
        if size and said != true
    ]
    missed.sort(key=lambda each: -each[0])
    head = [heading("True", kind=""), heading("Said", kind=""), heading("Times")]
    rows = (
        tag("tr", name_cell(named(true)), cell(named(said), kind=""), cell(count(size)))
        for size, true, said in missed[:MOST_CONFUSIONS]
    )
    caption = f"Most frequent confusions of {len(names) - 1} classes; metrics.json holds all"
    return together(tag("p", f"{caption}.", class_="quiet"), table(caption, head, rows))
