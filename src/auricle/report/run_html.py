"""`report.html`: the results of a run in one self-contained file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from markupsafe import Markup

from auricle.report import html_tables, label_sections, sample_cards
from auricle.report.html_format import (
    format_count,
    get_bounds,
    group_refusals,
    pluralise,
    typeset_coverage,
    typeset_value,
)
from auricle.report.sample_view import SampleView
from auricle.report.templating import render_page
from auricle.report.text_format import truncate
from auricle.report.usage_text import describe_speed_facts, usage_facts
from auricle.runs.metrics import Metrics

OUTCOME_DESCRIPTIONS = [
    ("answered", "The model gave an output."),
    ("failed", "The request failed or returned no output. Left out, and counted."),
    ("unreadable", "A metric could not extract an answer from the output. Wrong or unscored, as the "
                   "metric’s signature states."),
    ("empty", "The output is only white space. Scored like any other answer."),
]  # fmt: skip


def render_report(metrics: Metrics, worst_samples: Sequence[SampleView]) -> str:
    """Render the page."""
    return render_page(
        "report/templates/run.html",
        title=f"{metrics.task.name} · {metrics.model.name}",
        version=metrics.auricle,
        metrics=metrics,
        facts=_facts(metrics),
        fact_descriptions=dict(describe_speed_facts(metrics)),
        notices=_notices(metrics),
        sections=_sections(metrics, worst_samples),
        run_facts=_run_facts(metrics),
        outcome_descriptions=OUTCOME_DESCRIPTIONS,
        interval_description=_describe_intervals(metrics),
    )


def _facts(metrics: Metrics) -> list[tuple[str, str]]:
    outcomes, first = metrics.outcomes, next(iter(metrics.overall), None)
    return [
        ("Samples", format_count(outcomes.total)),
        ("Scored", format_count(first.scored if first else 0)),
        ("Coverage", typeset_coverage(first) if first else "–"),
        ("Failed", format_count(outcomes.failed)),
        ("Unreadable", format_count(first.unreadable if first else 0)),
        ("Empty", format_count(outcomes.empty)),
        *usage_facts(metrics),
    ]


def _sections(metrics: Metrics, worst_samples: Sequence[SampleView]) -> list[tuple[str, str, Markup]]:
    """Return anchor, title and content of each section that this run has."""
    overall = metrics.overall
    title = overall[0].title if overall else ""
    sections = [
        ("metrics", "Metrics", html_tables.render_metrics(overall) if overall else None),
        ("breakdowns", "Breakdowns", html_tables.render_breakdowns(metrics.numbers)),
        ("classes", "Classes", label_sections.render_classes(overall)),
        ("dimensions", "Dimensions", label_sections.render_dimensions(overall)),
        ("worst", "Worst samples", sample_cards.render_worst_samples(worst_samples, title, metrics.task.language)),
        ("failures", "Failures", sample_cards.render_failures(metrics.failures)),
        ("unreadable", "Not scored", sample_cards.render_unreadable(metrics.unreadable)),
    ]
    return [(anchor, name, content) for anchor, name, content in sections if content]


# --- caveats --------------------------------------------------------------------------------------


def _notices(metrics: Metrics) -> list[str]:
    """Describe caveats in sentences."""
    outcomes = metrics.outcomes
    notices = [] if metrics.complete else [_incomplete_notice(metrics)]
    if not outcomes.total:
        notices.append("No sample has been answered yet.")
    elif outcomes.failed == outcomes.total:
        notices.append("Every sample failed, so there are no results. The errors are listed below.")
    elif outcomes.failed:
        notices.append(_failure_notice(metrics))
    notices += _unreadable_notices(metrics)
    notices += [
        f"{names} {'was' if alone else 'were'} not computed: {why}"
        for names, why, alone in group_refusals(metrics.refused)
    ]
    return [*notices, *metrics.notes]


def _incomplete_notice(metrics: Metrics) -> str:
    total, rows = metrics.outcomes.total, metrics.rows
    share = f" of {format_count(rows)}" if rows and rows > total else ""
    return (
        f"This run is not finished: it has {format_count(total)}{share} samples so far, "
        "and every number is about these samples only."
    )


def _failure_notice(metrics: Metrics) -> str:
    failed, first = metrics.outcomes.failed, next(iter(metrics.overall), None)
    lost = f"{pluralise(failed, 'sample')} of {format_count(metrics.outcomes.total)} failed"
    lost += " and " + ("is" if failed == 1 else "are") + " left out."
    if not first or not get_bounds(first):
        return lost
    best, worst = typeset_value(first, "best"), typeset_value(first, "worst")
    return f"{lost} If all of them had been best, {first.title} would be {best}; if worst, {worst}."


def _unreadable_notices(metrics: Metrics) -> list[str]:
    """Describe unreadable answers, with one sentence for all metrics that treat them alike."""
    like: dict[tuple[int, bool], list[str]] = {}
    for number in metrics.overall:
        like.setdefault((number.unreadable, number.signature.metric.unreadable_wrong), []).append(number.title)
    return [
        f"{pluralise(lost, 'answer')} could not be read: "
        f"{'counted as wrong in' if wrong else 'left out of'} {', '.join(titles)}."
        for (lost, wrong), titles in like.items()
        if lost
    ]


# --- the foot of the page -------------------------------------------------------------------------


def _run_facts(metrics: Metrics) -> list[tuple[str, str]]:
    """List data, model, version and date of the run."""
    task, model = metrics.task, metrics.model
    arguments = [f"{name}={_format_argument(value)}" for name, value in model.arguments.items()]
    facts = (
        ("Task", f"{task.name}, version {task.version}"),
        ("Data", task.source),
        ("Revision", task.revision or "local, not pinned"),
        ("Language", task.language),
        ("Licence", task.licence),
        ("Model", " ".join([model.name, *arguments])),
        ("Made", f"{_format_time(metrics.created)} by auricle {metrics.auricle}"),
    )
    return [(term, truncate(text, 2000)) for term, text in facts if text]


def _format_argument(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _format_time(created: str) -> str:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return created
    return f"{moment.day} {moment:%B %Y, %H:%M %Z}".strip()


def _describe_intervals(metrics: Metrics) -> str:
    """Describe how the intervals were computed, method by method."""
    methods: dict[str, list[str]] = {}
    for number in metrics.overall:
        methods.setdefault(number.interval, []).append(number.title)
    cluster = metrics.task.cluster or "cluster"
    descriptions = [f"{', '.join(titles)}: {_describe_method(name, cluster)}." for name, titles in methods.items()]
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
