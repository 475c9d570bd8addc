"""The page's tables: metrics, kinds of error, breakdowns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auricle.report.formatting import (
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
MOST_OPEN = 12  # a longer breakdown is folded, and has a scale of its own
CASES = "had every failed sample gone as well, or as badly, as can be"
MOST_NAME = 48
MOST_COMPARED = 4  # metrics a breakdown shows; more would not fit beside each other

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
        cell(tag("strong", told(number)), _ceiling(number)),
        cell(spread(number), kind="number quiet"),
        cell(drawn, kind="drawn"),
        cell(_scored(number)),
        cell(covered(number)),
        some(number["failed"]),
        some(number["unreadable"]),
        cell(_case(number), kind="number quiet") if told_bounds else None,
    )


def _ceiling(number: Number) -> Markup | None:
    """How high a number can rise at all, where labels the model lacks hold it down."""
    highest = number["details"].get("ceiling")
    if highest is None:
        return None
    return tag("small", f"of at most {written(highest, 'share')}", class_="total")


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
    whole = [number for number in numbers if not number["field"]]
    overall = {number["metric"]: number for number in whole[:MOST_COMPARED]}
    fields: dict[str, Groups] = {}
    for number in numbers:
        if number["field"] and number["metric"] in overall:
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
