"""Tables of the report: metrics, kinds of error, breakdowns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auricle.report.html_format import (
    NumberDocument,
    Scale,
    collect_extents,
    direction_arrow,
    draw_axis_ends,
    draw_interval_mark,
    draw_stacked_bar,
    format_count,
    has_bounds,
    hidden_text,
    metric_title,
    strip_unit,
    typeset_coverage,
    typeset_interval,
    typeset_number,
    typeset_value,
)
from auricle.report.markup import Markup, join_markup, tag

ERROR_KINDS = ("substitutions", "deletions", "insertions")
MAX_UNFOLDED_GROUPS = 12  # longer breakdowns are collapsed, with a scale of their own
BOUNDS_TOOLTIP = "if every failed sample had been as good, or as bad, as possible"
MAX_NAME_LENGTH = 48
MAX_BREAKDOWN_METRICS = 4  # more metrics would not fit side by side

Rows = Iterable[Markup]
Groups = dict[str, dict[str, NumberDocument]]


def render_table(caption: str, header_cells: Sequence[Markup], rows: Rows, css_class: str = "") -> Markup:
    """Render a table that scrolls horizontally if it is wider than the page."""
    inner = tag(
        "table",
        tag("caption", caption, class_="aside"),
        tag("thead", tag("tr", header_cells)),
        tag("tbody", rows),
        class_=css_class or None,
    )
    return tag("div", inner, class_="wide", tabindex=0, role="region", aria_label=caption)


def header_cell(*content: str, css_class: str = "number", colspan: int | None = None) -> Markup:
    return tag("th", *content, scope="col", class_=css_class or None, colspan=colspan)


def cell(*content: str | None, css_class: str = "number", **attributes: Any) -> Markup:
    return tag("td", *content, class_=css_class or None, **attributes)


def row_header(*content: str) -> Markup:
    return tag("th", *content, scope="row")


def shorten_name(text: str) -> Markup:
    """Render the name of a group or class; a long name is shortened, with the full name as tooltip."""
    if len(text) <= MAX_NAME_LENGTH:
        return tag("bdi", text)
    return tag("bdi", f"{text[:MAX_NAME_LENGTH]}…", title=text)


def count_cell(value: int) -> Markup:
    """Render a count, greyed out if it is zero."""
    return cell(format_count(value), css_class="number" if value else "number nothing")


# --- all samples --------------------------------------------------------------------------


def render_overview(numbers: Sequence[NumberDocument]) -> Markup:
    """Render every metric over all samples; metrics with the unit of the first share a scale."""
    unit = numbers[0]["unit"]
    alike = [number for number in numbers if unit and number["unit"] == unit]
    scale = Scale.fit(collect_extents(alike), include_zero=True) if alike else None
    any_bounds = any(has_bounds(number) for number in numbers)
    head = [
        header_cell("Metric", css_class=""),
        header_cell("Value"),
        header_cell("95 % interval"),
        header_cell(draw_axis_ends(unit, scale) if scale else "", css_class="drawn"),
        header_cell("Scored"),
        header_cell("Coverage"),
        header_cell("Failed"),
        header_cell("Unreadable"),
        *([header_cell(tag("span", "Best – worst case", title=BOUNDS_TOOLTIP))] if any_bounds else []),
    ]
    rows = (_overview_row(number, scale if number in alike else None, any_bounds) for number in numbers)
    return render_table("Every metric over all samples", head, rows, "metrics")


def _overview_row(number: NumberDocument, scale: Scale | None, show_bounds: bool) -> Markup:
    drawn = draw_interval_mark(number, scale) if scale else None
    return tag(
        "tr",
        row_header(tag("bdi", metric_title(number["metric"])), " ", direction_arrow(number)),
        cell(tag("strong", typeset_value(number)), _ceiling_note(number)),
        cell(typeset_interval(number), css_class="number quiet"),
        cell(drawn, css_class="drawn"),
        cell(_scored_count(number)),
        cell(typeset_coverage(number)),
        count_cell(number["failed"]),
        count_cell(number["unreadable"]),
        cell(_format_bounds(number), css_class="number quiet") if show_bounds else None,
    )


def _ceiling_note(number: NumberDocument) -> Markup | None:
    """Render the highest value that the labels of the model allow."""
    highest = number["details"].get("ceiling")
    if highest is None:
        return None
    return tag("small", f"of at most {typeset_number(highest, 'share')}", class_="total")


def _scored_count(number: NumberDocument) -> Markup:
    whole = number["scored"] == number["total"]
    total = None if whole else tag("small", f"of {format_count(number['total'])}", class_="total")
    return join_markup(format_count(number["scored"]), total)


def _format_bounds(number: NumberDocument) -> str:
    """Render the value if all failed samples had been best, and worst."""
    sides = (strip_unit(typeset_value(number, side)) for side in ("best", "worst"))
    return " – ".join(sides) if has_bounds(number) else "–"


def render_error_kinds(numbers: Sequence[NumberDocument]) -> Markup | None:
    """Render the kinds of error behind an error rate."""
    rates = [number for number in numbers if "substitutions" in number["details"]]
    if not rates:
        return None
    head = [
        header_cell("Made of", css_class=""),
        header_cell(css_class="drawn"),
        *(header_cell(tag("i", class_=f"swatch {kind}"), kind.capitalize()) for kind in ERROR_KINDS),
        header_cell("Reference length"),
        header_cell("Utterance mean"),
    ]
    return render_table("Kinds of error", head, (_error_row(number) for number in rates), "kinds")


def _error_row(number: NumberDocument) -> Markup:
    details = number["details"]
    length = details["reference_length"]
    parts = [(kind, details[kind]) for kind in ERROR_KINDS]
    return tag(
        "tr",
        row_header(tag("bdi", metric_title(number["metric"]))),
        cell(draw_stacked_bar(parts, sum(size for _, size in parts)), css_class="drawn"),
        [cell(_count_with_rate(size, length)) for _, size in parts],
        cell(format_count(length)),
        cell(typeset_number(details.get("utterance_mean"), "share")),
    )


def _count_with_rate(size: float, total: float) -> Markup:
    rate = typeset_number(size / total, "share") if total else ""
    return join_markup(format_count(size), " ", tag("small", rate))


# --- breakdowns -----------------------------------------------------------------------------


def render_breakdowns(numbers: Sequence[NumberDocument]) -> list[Markup]:
    """Render one table per metadata field: subsets first, long tables last, a line for a field with one value."""
    whole = [number for number in numbers if not number["field"]]
    overall = {number["metric"]: number for number in whole[:MAX_BREAKDOWN_METRICS]}
    fields: dict[str, Groups] = {}
    for number in numbers:
        if number["field"] and number["metric"] in overall:
            groups = fields.setdefault(number["field"], {})
            groups.setdefault(number["group"], {})[number["metric"]] = number
    common = _fit_scales(overall, [each for each in fields.values() if len(each) <= MAX_UNFOLDED_GROUPS])
    made = []
    for field in sorted(fields, key=lambda each: (len(fields[each]) > MAX_UNFOLDED_GROUPS, each != "subset")):
        groups = fields[field]
        own = common if len(groups) <= MAX_UNFOLDED_GROUPS else _fit_scales(overall, [groups])
        made.append(_render_breakdown(field, groups, overall, own))
    return made


def _fit_scales(overall: Mapping[str, NumberDocument], fields: Sequence[Groups]) -> dict[str, Scale]:
    """Return a scale for each metric that covers these groups and all samples."""
    members = [numbers for groups in fields for numbers in groups.values()]
    return {
        metric: Scale.fit(collect_extents([number, *(each[metric] for each in members if metric in each)]))
        for metric, number in overall.items()
    }


def _render_breakdown(
    field: str, groups: Groups, overall: Mapping[str, NumberDocument], scales: Mapping[str, Scale]
) -> Markup:
    if len(groups) == 1:
        only = (tag("b", tag("bdi", field)), " ", tag("bdi", next(iter(groups))))
        return tag("p", "Every scored sample has ", *only, ".", class_="quiet")
    head = [header_cell(shorten_name(field), css_class="of"), header_cell("Scored")]
    for metric, scale in scales.items():
        head.append(header_cell(tag("bdi", metric_title(metric)), " ", direction_arrow(overall[metric])))
        head.append(header_cell(draw_axis_ends(overall[metric]["unit"], scale), css_class="drawn"))
    rows = (_group_row(group, numbers, overall, scales) for group, numbers in groups.items())
    made = render_table(f"By {field}", head, rows, "groups")
    if len(groups) > MAX_UNFOLDED_GROUPS:
        made = tag("details", tag("summary", f"{field}: {len(groups)} groups"), made)
    return tag("div", made, class_="field")


def _group_row(
    group: str,
    numbers: Mapping[str, NumberDocument],
    overall: Mapping[str, NumberDocument],
    scales: Mapping[str, Scale],
) -> Markup:
    cells = []
    for metric, scale in scales.items():
        number = numbers.get(metric)
        if number is None:
            cells += [cell("–"), cell(css_class="drawn")]
            continue
        words = f"95 % interval {typeset_interval(number)}"
        drawn = draw_interval_mark(number, scale, overall[metric]["value"])
        cells.append(cell(typeset_value(number), title=words))
        cells.append(cell(drawn, hidden_text(words), css_class="drawn", title=words))
    first = next(iter(numbers.values()))
    return tag("tr", row_header(shorten_name(group or "(empty)")), cell(_scored_count(first)), cells)
