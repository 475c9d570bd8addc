"""`report.html`: the results of a run in one self-contained file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from markupsafe import Markup

from auricle.core.errors import SpecError, describe
from auricle.core.features import Builtin
from auricle.core.registry import Registry, name_to_title
from auricle.core.value_text import pluralise
from auricle.metrics.catalogue import metric_title
from auricle.report.gap_text import describe_gaps, typeset_gap
from auricle.report.html_format import (
    Scale,
    collect_extents,
    format_count,
    get_bounds,
    group_refusals,
    typeset_coverage,
    typeset_value,
)
from auricle.report.methods import describe_method
from auricle.report.sample_view import SampleView, common_question
from auricle.report.templating import render, render_page
from auricle.report.text_format import group_by_readings, group_failures, truncate
from auricle.report.usage_text import describe_speed_facts, usage_facts
from auricle.runs.extras import describe_extras
from auricle.runs.metrics import PART_FIELD, Metrics, Number
from auricle.scoring.gaps import Gap

OUTCOME_DESCRIPTIONS = [
    ("answered", "The model gave an output."),
    ("failed", "The request failed or returned no output. Left out, and counted."),
    ("refused", "The reply declines to answer, or states that there is no audio. Wrong or unscored, like unreadable."),
    ("unreadable", "A metric could not extract an answer from the output. Wrong or unscored, as the "
                   "metric’s signature states."),
    ("truncated", "The reply was cut off at a token limit or in its reasoning. Transcripts and open answers are "
                  "scored, others only if the answer was announced before; else like unreadable."),
    ("dropped", "The agent lost the call after it had begun. No success and no answer to what was left to say."),
    ("empty", "The output is only white space, without audio. Scored like any other answer."),
]  # fmt: skip

READING_DESCRIPTIONS = {
    "structure": "Markup or a field holds the answer: “{'answer': 'B'}”.",
    "marker": "A phrase announces the answer: “The answer is B”.",
    "whole_reply": "The reply, or a line of it, is nothing but the answer: “B”.",
    "statement": "A clause names one option, and nothing speaks against it: “It is a guitar”.",
    "judge": "The rules could not read the reply; a judge did.",
    "unread": "No answer could be read.",
    "refused": "The reply declines to answer, or states that there is no audio.",
    "truncated": "The reply was cut off before it gave an answer.",
}

MAX_UNFOLDED_GROUPS = 12  # longer breakdowns are collapsed, with a scale of their own
MAX_BREAKDOWN_METRICS = 4  # more metrics would not fit side by side
MAX_CONFUSIONS = 10
MAX_UNFOLDED_SAMPLES = 10

NO_FINDINGS: Mapping[str, Any] = {}
Groups = dict[str, dict[str, Number]]
Section = Callable[["Page"], str | None]
"""Renders a section of the page of a run; text that is not `Markup` is escaped."""


@dataclass(frozen=True, slots=True)
class Page:
    """What sections render."""

    metrics: Metrics
    """The numbers of the run."""
    samples: Sequence[SampleView]
    """The samples to show, worst first."""
    findings: Mapping[str, Any]
    """What was found in all samples, by the names of observers."""


def render_report(
    metrics: Metrics,
    samples: Sequence[SampleView],
    *,
    command: str = "",
    home: str = "",
    notices: Sequence[str] = (),
    findings: Mapping[str, Any] = NO_FINDINGS,
) -> str:
    """Render the page of a run.

    Args:
        metrics: The numbers of the run.
        samples: The samples to show, worst first.
        command: The command that repeats the run, if one is to be shown.
        home: Address of the leaderboard that the page belongs to, if any.
        notices: What to state besides the notices of the run.
        findings: What was found in all samples, by the names of observers; `gaps` are those between groups.
    """
    sections, section_errors = _sections(Page(metrics, samples, findings))
    return render_page(
        "report/templates/run.html",
        title=f"{metrics.task.name} · {metrics.model.name}",
        version=metrics.auricle,
        metrics=metrics,
        facts=_facts(metrics),
        fact_descriptions=dict(describe_speed_facts(metrics)),
        notices=[*_notices(metrics), *section_errors, *notices],
        command=command,
        home=home,
        sections=sections,
        run_facts=_run_facts(metrics),
        outcome_descriptions=OUTCOME_DESCRIPTIONS,
        interval_description=_describe_intervals(metrics),
    )


def _facts(metrics: Metrics) -> list[tuple[str, str]]:
    outcomes, first = metrics.outcomes, next(iter(metrics.overall), None)
    all_samples = f" of {format_count(metrics.journal.total)}" if metrics.journal.missing else ""
    return [
        ("Samples", f"{format_count(outcomes.total)}{all_samples}"),
        ("Scored", format_count(first.scored if first else 0)),
        ("Coverage", typeset_coverage(first) if first else "–"),
        ("Failed", format_count(outcomes.failed)),
        ("Refused", format_count(first.refused if first else 0)),
        ("Unreadable", format_count(first.unreadable if first else 0)),
        ("Cut off", format_count(outcomes.truncated)),
        *([("Calls dropped", format_count(outcomes.dropped))] if outcomes.dropped else []),
        ("Empty", format_count(outcomes.empty)),
        *([("Without audio", format_count(outcomes.audio_not_sent))] if outcomes.audio_not_sent else []),
        *usage_facts(metrics),
    ]


def _find_place(name: str) -> float:
    """Return the place of a section; those of other packages that state none are last."""
    part = SECTIONS.find_part(name)
    return float(part.extra) if part and part.extra.isdecimal() else math.inf


def _describe_failure(name: str, package: str, error: Exception) -> str:
    return f"The report section {name!r} of the package {package} failed: {type(error).__name__}: {describe(error)}"


def _sections(page: Page) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return anchor, title and content of each section that this run has, and the errors of packages' sections."""
    contents: dict[str, str] = {}
    errors = []
    replaced: set[str] = set()
    for name in sorted([*SECTIONS.builtin, *SECTIONS.package_names()], key=_find_place):
        package = SECTIONS.package(name)
        try:
            section = SECTIONS.get(name)
            content = section(page)
        except Exception as error:  # a package may raise anything, and the page must be written
            if not package:
                raise
            errors.append(str(error) if isinstance(error, SpecError) else _describe_failure(name, package, error))
            continue
        if content:
            contents[name] = content
            replaced |= {*getattr(section, "replaces", ())}
    shown = {name: content for name, content in contents.items() if name not in replaced}
    return [(name, name_to_title(name), content) for name, content in shown.items()], errors


# --- sections -------------------------------------------------------------------------------------


def render_if(content: object, template: str, **context: Any) -> Markup | None:
    """Render the template of a section that has content."""
    return render(template, **context) if content else None


def render_metrics(page: Page) -> Markup | None:
    """Render every metric over all samples; metrics with the unit of the first share a scale."""
    metrics = page.metrics
    numbers = metrics.overall
    groups = [("Metrics over all samples", metrics.headlines), ("More metrics", metrics.folded)]
    unit = numbers[0].unit if numbers else ""
    alike = [number for number in numbers if number.unit == unit]
    return render_if(
        numbers,
        "report/templates/metrics.html",
        numbers=numbers,
        groups=groups if metrics.folded else groups[:1],
        scale=Scale.fit(collect_extents(alike), include_zero=True) if unit else None,
        readings=group_by_readings(numbers),
        remarks=describe_extras(metrics),
        reading_descriptions=READING_DESCRIPTIONS,
        error_rates=[number for number in numbers if "substitutions" in number.details],
    )


def render_parts(page: Page) -> Markup | None:
    """Render the parts of a suite with the first of their combined numbers."""
    metrics = page.metrics
    numbers = [number for number in metrics.numbers if number.field == PART_FIELD]
    by_part = {number.group: number for number in reversed(numbers)}
    parts = [(part, by_part.get(part.name)) for part in metrics.parts]
    return render_if(parts, "report/templates/parts.html", parts=parts, title=numbers[0].title if numbers else "Value")


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The numbers of each value of a metadata field, by metric, with a scale for each metric."""

    field: str
    groups: Groups
    scales: dict[str, Scale]

    @property
    def is_collapsed(self) -> bool:
        return len(self.groups) > MAX_UNFOLDED_GROUPS


def render_breakdowns(page: Page) -> Markup | None:
    """Render one table per metadata field: subsets first, long tables last, a line for a field with one value."""
    metrics = page.metrics
    overall = metrics.headlines[:MAX_BREAKDOWN_METRICS]
    shown = {number.metric for number in overall}
    fields: dict[str, Groups] = {}
    for number in metrics.numbers:
        if number.field and number.metric in shown:
            fields.setdefault(number.field, {}).setdefault(number.group, {})[number.metric] = number
    common = _fit_scales(overall, [groups for groups in fields.values() if len(groups) <= MAX_UNFOLDED_GROUPS])
    breakdowns = [
        Breakdown(field, groups, common if len(groups) <= MAX_UNFOLDED_GROUPS else _fit_scales(overall, [groups]))
        for field, groups in fields.items()
    ]
    breakdowns.sort(key=lambda breakdown: (breakdown.is_collapsed, breakdown.field != "subset"))
    content = render_if(
        fields,
        "report/templates/breakdowns.html",
        overall=overall,
        breakdowns=breakdowns,
        hidden_metrics=len(metrics.overall) > MAX_BREAKDOWN_METRICS,
    )
    gaps = _render_gaps(page.findings.get("gaps", ()))
    return content + gaps if content and gaps else content


def _render_gaps(gaps: Sequence[Gap]) -> Markup | None:
    """Render how much each group differs from the others, if any can be tested."""
    tested = [gap for gap in gaps if not math.isnan(gap.p)]
    return render_if(
        tested, "report/templates/gaps.html", gaps=tested, typeset_gap=typeset_gap, sentences=describe_gaps(tested)
    )


def _fit_scales(overall: Sequence[Number], fields: Sequence[Groups]) -> dict[str, Scale]:
    """Return a scale for each metric that covers these groups and all samples."""
    members = [numbers for groups in fields for numbers in groups.values()]
    return {
        number.metric: Scale.fit(
            collect_extents([number, *(each[number.metric] for each in members if number.metric in each)])
        )
        for number in overall
    }


def render_worst_samples(samples: Sequence[SampleView], title: str, language: str) -> Markup | None:
    """Render one card per sample, in the given order; `title` is that of the metric."""
    return render_if(
        samples,
        "report/templates/worst_samples.html",
        samples=samples,
        unfolded=MAX_UNFOLDED_SAMPLES,
        metric_title=title,
        language=language,
        common_question=common_question(samples),
    )


def render_not_scored(page: Page) -> Markup | None:
    """Render the reasons for unreadable answers; metrics with the same reason share a row."""
    metrics = page.metrics
    metrics_by_reason: dict[tuple[str, int], list[str]] = {}
    for metric, reasons in metrics.unreadable.items():
        for reason_and_count in reasons.items():
            metrics_by_reason.setdefault(reason_and_count, []).append(metric_title(metric))
    return render_if(metrics_by_reason, "report/templates/unreadable.html", metrics_by_reason=metrics_by_reason)


def render_worst(page: Page) -> Markup | None:
    """Render the samples with the worst scores of the first metric."""
    metrics = page.metrics
    title = metrics.overall[0].title if metrics.overall else ""
    return render_worst_samples(page.samples, title, metrics.task.language)


def render_failures(page: Page) -> Markup | None:
    """Render the failures by kind, with examples."""
    metrics = page.metrics
    return render_if(metrics.failures, "report/templates/failures.html", failures=group_failures(metrics))


_SECTIONS: Mapping[str, Builtin] = {
    name: Builtin(f"auricle.report.run_html:{function}", summary, place)
    for name, function, summary, place in (
        ("metrics", "render_metrics", "every metric over all samples", "100"),
        ("parts", "render_parts", "the parts of a suite", "120"),
        ("breakdowns", "render_breakdowns", "numbers by metadata field, and gaps between groups", "200"),
        ("worst-samples", "render_worst", "the samples with the worst scores", "300"),
        ("failures", "render_failures", "failures by kind, with examples", "310"),
        ("not-scored", "render_not_scored", "why answers were not scored", "320"),
    )
}
SECTIONS: Registry[Section] = Registry("report section", _SECTIONS, expects=(Callable, "a function"))
"""The sections of a page, in the order of their places; the name of one is its anchor and title."""


# --- caveats --------------------------------------------------------------------------------------


def _notices(metrics: Metrics) -> list[str]:
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
        for names, why, alone in group_refusals(metrics.not_computed)
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
    if first and first.unbounded:
        which = "them" if first.unbounded == failed else f"{format_count(first.unbounded)} of them"
        lost += f" {first.title} is not bounded for {which}."
    if not first or not get_bounds(first):
        return lost
    best, worst = typeset_value(first, "best"), typeset_value(first, "worst")
    which = "the others" if first.unbounded else "all of them"
    return f"{lost} If {which} had been best, {first.title} would be {best}; if worst, {worst}."


def _unreadable_notices(metrics: Metrics) -> list[str]:
    """Describe refused, cut-off and unreadable answers, with one sentence for all metrics that treat them alike."""
    like: dict[tuple[str, bool], list[str]] = {}
    for number in metrics.overall:
        unread = f"{pluralise(number.unreadable, 'answer')} could not be read"
        refused = f"{pluralise(number.refused, 'reply', 'replies')} refused to answer"
        cut_off = f"{pluralise(number.truncated, 'reply', 'replies')} cut off before the answer"
        problems = ((number.unreadable, unread), (number.refused, refused), (number.truncated, cut_off))
        for count, problem in problems:
            if count:
                like.setdefault((problem, number.signature.metric.unreadable_wrong), []).append(number.title)
    return [
        f"{problem}: {'counted as wrong in' if wrong else 'left out of'} {', '.join(titles)}."
        for (problem, wrong), titles in like.items()
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
        ("Language", ", ".join(task.languages) or task.language),
        ("Licence", task.licence),
        ("Cite", task.citation),
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
    for number in (number for number in metrics.overall if number.interval):
        clustered = f" Clusters are the values of {number.cluster}." if number.cluster else ""
        methods.setdefault(f"{describe_method(number.interval)}.{clustered}", []).append(number.title)
    descriptions = [f"{', '.join(titles)}: {description}" for description, titles in methods.items()]
    return " ".join(["Intervals are 95 % confidence intervals.", *descriptions])
