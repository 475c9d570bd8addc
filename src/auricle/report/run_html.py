"""`report.html`: the results of a run in one self-contained file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any

from auricle.report import html_tables, label_sections, plots, sample_cards
from auricle.report.html_format import (
    NumberDocument,
    direction_arrow,
    format_count,
    group_refusals,
    has_bounds,
    metric_title,
    pluralise,
    typeset_coverage,
    typeset_interval,
    typeset_value,
)
from auricle.report.markup import Markup, join_markup, tag
from auricle.report.sample_view import SampleView
from auricle.report.text_format import truncate
from auricle.report.usage_text import describe_speed_facts, usage_facts

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; media-src data:; img-src data:"
)
OUTCOME_DESCRIPTIONS = (
    ("answered", "The model gave an output."),
    ("failed", "The request failed or returned no output. Left out, and counted."),
    ("unreadable", "A metric could not extract an answer from the output. Wrong or unscored, as the "
                   "metric’s signature states."),
    ("empty", "The output is only white space. Scored like any other answer."),
)  # fmt: skip

Document = Mapping[str, Any]


def render_report(document: Document, worst_samples: Sequence[SampleView]) -> str:
    """Render the page. Lone surrogates, which cannot be encoded, become question marks."""
    overall = [number for number in document["numbers"] if not number["field"]]
    sections = _sections(document, overall, worst_samples)
    body = tag(
        "body",
        tag("a", "Skip to the results", href="#main", class_="skip"),
        _header(document, overall, sections),
        tag("main", [_section(*each) for each in sections], id="main"),
        _footer(document, overall),
        tag("script", load_asset("page.js")),
    )
    page = join_markup(Markup("<!doctype html>\n"), tag("html", _head(document), body, lang="en"))
    return page.encode("utf-8", "replace").decode() + "\n"


def load_asset(name: str) -> Markup:
    return Markup(files("auricle.report").joinpath(name).read_text(encoding="utf-8"))


def _head(document: Document) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=CONTENT_SECURITY_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"auricle {document.get('auricle', '')}"),
        tag("title", f"{document['task']['name']} · {document['model']['name']}"),
        tag("style", load_asset("page.css"), plots.load_stylesheet()),
    )


# --- the head of the page -------------------------------------------------------------------

Section = tuple[str, str, Markup]


def _header(document: Document, overall: Sequence[NumberDocument], sections: Sequence[Section]) -> Markup:
    links = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name, _ in sections]
    links.append(tag("li", tag("a", "Method", href="#method")))
    return tag(
        "header",
        tag("p", tag("bdi", document["model"]["name"]), class_="model"),
        tag("h1", tag("bdi", document["task"]["name"])),
        tag("div", _headline(overall), _facts(document, overall), class_="headline"),
        [tag("p", sentence, class_="notice") for sentence in _notices(document, overall)],
        tag("nav", tag("ul", links), aria_label="Sections"),
        class_="top",
    )


def _headline(overall: Sequence[NumberDocument]) -> Markup:
    """Render the first metric in large type."""
    if not overall:
        return tag("p", tag("strong", "No number", class_="figure"), class_="first")
    first = overall[0]
    ends = typeset_interval(first)
    interval = f"95 % interval {ends}" if ends != "–" else "no interval: too few samples"
    return tag(
        "p",
        tag("span", tag("b", metric_title(first["metric"])), " ", direction_arrow(first, with_words=True)),
        tag("strong", typeset_value(first), class_="figure"),
        tag("span", interval, class_="interval"),
        class_="first",
    )


def _facts(document: Document, overall: Sequence[NumberDocument]) -> Markup:
    outcomes = document["outcomes"]
    facts = [
        ("Samples", format_count(outcomes["total"])),
        ("Scored", format_count(overall[0]["scored"] if overall else 0)),
        ("Coverage", typeset_coverage(overall[0]) if overall else "–"),
        ("Failed", format_count(outcomes["failed"])),
        ("Unreadable", format_count(overall[0]["unreadable"] if overall else 0)),
        ("Empty", format_count(outcomes["empty"])),
        *usage_facts(document),
    ]
    means = dict(describe_speed_facts(document))
    return tag(
        "dl",
        [tag("div", tag("dt", name), tag("dd", value), title=means.get(name)) for name, value in facts],
        class_="facts",
    )


def _notices(document: Document, overall: Sequence[NumberDocument]) -> list[str]:
    """Render caveats in sentences."""
    outcomes = document["outcomes"]
    notices = [] if document.get("complete", True) else [_incomplete_notice(document)]
    if not outcomes["total"]:
        notices.append("No sample has been answered yet.")
    elif outcomes["failed"] == outcomes["total"]:
        notices.append("Every sample failed, so there are no results. The errors are listed below.")
    elif outcomes["failed"]:
        notices.append(_failure_notice(outcomes, overall))
    notices += _unreadable_notices(overall)
    notices += [
        f"{names} {'was' if alone else 'were'} not computed: {why}"
        for names, why, alone in group_refusals(document["refused"])
    ]
    notices += document.get("notes", [])
    return notices


def _incomplete_notice(document: Document) -> str:
    total, rows = document["outcomes"]["total"], document.get("rows")
    share = f" of {format_count(rows)}" if rows and rows > total else ""
    return (
        f"This run is not finished: it has {format_count(total)}{share} samples so far, "
        "and every number is about these samples only."
    )


def _failure_notice(outcomes: Mapping[str, int], overall: Sequence[NumberDocument]) -> str:
    lost = f"{pluralise(outcomes['failed'], 'sample')} of {format_count(outcomes['total'])} failed"
    lost += " and " + ("is" if outcomes["failed"] == 1 else "are") + " left out."
    if not overall or not has_bounds(overall[0]):
        return lost
    name = overall[0]["metric"]
    best, worst = (typeset_value(overall[0], side) for side in ("best", "worst"))
    return f"{lost} If all of them had been best, {metric_title(name)} would be {best}; if worst, {worst}."


def _unreadable_notices(overall: Sequence[NumberDocument]) -> list[str]:
    """Describe unreadable answers, with one sentence for all metrics that treat them alike."""
    like: dict[tuple[int, bool], list[str]] = {}
    for number in overall:
        wrong = "unreadable-wrong" in number["signature"]
        like.setdefault((number["unreadable"], wrong), []).append(metric_title(number["metric"]))
    return [
        f"{pluralise(lost, 'answer')} could not be read: "
        f"{'counted as wrong in' if wrong else 'left out of'} {', '.join(names)}."
        for (lost, wrong), names in like.items()
        if lost
    ]


# --- the sections -----------------------------------------------------------------------------


def _sections(
    document: Document, overall: Sequence[NumberDocument], worst_samples: Sequence[SampleView]
) -> list[Section]:
    """Yield anchor, title and content of each section that this run has."""
    made: list[tuple[str, str, Sequence[Markup | None]]] = [
        ("metrics", "Metrics", _metric_tables(overall)),
        ("breakdowns", "Breakdowns", _breakdowns(document["numbers"])),
        ("classes", "Classes", label_sections.render_classes(overall)),
        ("dimensions", "Dimensions", label_sections.render_dimensions(overall)),
        ("worst", "Worst samples", _worst_section(document, overall, worst_samples)),
        ("failures", "Failures", [sample_cards.render_failures(document)] if document["failures"] else []),
        ("unreadable", "Not scored", [sample_cards.render_unreadable(document)] if document["unreadable"] else []),
    ]
    return [(anchor, name, join_markup(*content)) for anchor, name, content in made if content]


def _section(anchor: str, name: str, content: Markup) -> Markup:
    return tag("section", tag("h2", name), content, id=anchor)


def _metric_tables(overall: Sequence[NumberDocument]) -> list[Markup | None]:
    return [html_tables.render_overview(overall), html_tables.render_error_kinds(overall)] if overall else []


def _breakdowns(numbers: Sequence[NumberDocument]) -> list[Markup]:
    made = html_tables.render_breakdowns(numbers)
    if not made:
        return []
    metrics = {number["metric"] for number in numbers}
    words = (
        "Bars are 95 % intervals, ticks the values; the dashed line is the value over all samples. "
        "Each metric has one scale in all tables except collapsed ones."
    )
    if len(metrics) > html_tables.MAX_BREAKDOWN_METRICS:
        words += f" The first {html_tables.MAX_BREAKDOWN_METRICS} metrics are shown; metrics.json has all."
    kind = "fields" if len(metrics) < 3 else "fields single"
    drawn = any("<table" in each for each in made)
    return [tag("p", words, class_="quiet") if drawn else tag("p"), tag("div", made, class_=kind)]


def _worst_section(
    document: Document, overall: Sequence[NumberDocument], worst_samples: Sequence[SampleView]
) -> list[Markup]:
    if not worst_samples:
        return []
    metric = overall[0]["metric"] if overall else ""
    return [sample_cards.render_worst_samples(worst_samples, metric, document["task"].get("language") or "")]


# --- the foot of the page ------------------------------------------------------------------------


def _footer(document: Document, overall: Sequence[NumberDocument]) -> Markup:
    return tag(
        "footer",
        tag("h2", "Method"),
        tag(
            "div",
            tag("dl", _run_facts(document), class_="about"),
            tag(
                "dl",
                [
                    _term_row(word, meaning)
                    for word, meaning in (*OUTCOME_DESCRIPTIONS, *describe_speed_facts(document))
                ],
                class_="about",
            ),
            class_="fields",
        ),
        tag("p", _describe_intervals(document, overall)),
        tag("h3", "Signatures"),
        tag("ul", [_signature_item(each["signature"]) for each in overall], class_="signatures"),
        id="method",
    )


def _term_row(term: str, text: str | Markup) -> Markup:
    return tag("div", tag("dt", term), tag("dd", text))


def _run_facts(document: Document) -> list[Markup]:
    """Render data, model, version and date of the run."""
    task, model = document["task"], document["model"]
    arguments = [f"{name}={_format_argument(value)}" for name, value in (model.get("arguments") or {}).items()]
    facts = (
        ("Task", f"{task['name']}, version {task.get('version', 1)}"),
        ("Data", task.get("source") or ""),
        ("Revision", task.get("revision") or "local, not pinned"),
        ("Language", task.get("language") or ""),
        ("Licence", task.get("licence") or ""),
        ("Model", " ".join([model["name"], *arguments])),
        ("Made", f"{_format_time(document.get('created', ''))} by auricle {document.get('auricle', '')}"),
    )
    return [_term_row(term, tag("bdi", truncate(text, 2000))) for term, text in facts if text]


def _format_argument(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _format_time(created: str) -> str:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return created
    return f"{moment.day} {moment:%B %Y, %H:%M %Z}".strip()


def _describe_intervals(document: Document, overall: Sequence[NumberDocument]) -> str:
    """Describe how the intervals were computed, method by method."""
    cluster = document["task"].get("cluster") or "cluster"
    methods: dict[str, list[str]] = {}
    for number in overall:
        methods.setdefault(number["interval"], []).append(metric_title(number["metric"]))
    descriptions = [f"{', '.join(names)}: {_describe_method(name, cluster)}." for name, names in methods.items()]
    return " ".join(["Intervals hold 95 % of what repetitions would give.", *descriptions])


def _describe_method(name: str, cluster: str) -> str:
    kind, _, rounds = name.partition(":")
    drawn = f"{int(rounds):,} draws" if rounds.isdigit() else "too few samples to draw from"
    known = {
        "wilson": "Wilson’s score interval of a share",
        "bootstrap": f"percentile bootstrap over samples, {drawn}",
        "cluster-bootstrap": f"percentile bootstrap over groups of one {cluster}, {drawn}",
    }
    return known.get(kind, name)


def _signature_item(signature: str) -> Markup:
    return tag(
        "li",
        tag("code", signature),
        tag("button", "Copy", type="button", class_="copy", hidden=True, data_text=signature),
    )
