"""`report.html`: the results of a run in one self-contained file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from markupsafe import Markup

from auricle.core.errors import SpecError, describe
from auricle.core.registry import Registry, name_to_title
from auricle.metrics.catalogue import metric_title
from auricle.report import detection_figures, plots
from auricle.report.audiogram import Audiogram
from auricle.report.audiogram_figure import draw_audiogram
from auricle.report.gaps import Gap, describe_gaps
from auricle.report.html_format import (
    Scale,
    collect_extents,
    format_count,
    get_bounds,
    group_refusals,
    pluralise,
    typeset_coverage,
    typeset_value,
)
from auricle.report.listening_table import format_gain, format_gain_interval, format_headline, list_tables
from auricle.report.listening_test_html import render_listening_test, render_people_correlations
from auricle.report.listening_test_text import get_tables
from auricle.report.methods import describe_method
from auricle.report.plot_data import ConfusionMatrix, Plane, list_averages, list_classes, list_dimensions
from auricle.report.sample_view import SampleView, common_question
from auricle.report.sound_classes import SHARE_SCALE, describe_rare_classes, list_event_classes, list_tag_classes
from auricle.report.speech_view import count_answers, list_failures
from auricle.report.templating import render, render_page
from auricle.report.text_format import format_audit, group_by_readings, group_failures, truncate
from auricle.report.usage_text import describe_speed_facts, usage_facts
from auricle.report.word_errors import WordErrors
from auricle.report.word_times import draw_error_curve, list_worst_words
from auricle.runs.metrics import PART_FIELD, POSITION_FIELD, Metrics, Number
from auricle.runs.suites import LISTENING

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
MAX_LABELS_BESIDE_TABLE = 7  # a matrix of this size fits beside the table of classes

Groups = dict[str, dict[str, Number]]
Samples = Sequence[SampleView]
Section = Callable[[Metrics, Samples], str | None]
"""Renders a section from the metrics and the worst samples of a run; text that is not `Markup` is escaped."""


@dataclass(frozen=True, slots=True)
class RunTables:
    """What a page shows besides the numbers of a run and its worst samples."""

    gaps: Sequence[Gap] = ()
    """How much groups of samples differ from the others."""
    words: WordErrors | None = None
    """Which words a recogniser got wrong."""


def render_report(
    metrics: Metrics,
    worst_samples: Samples,
    *,
    command: str = "",
    home: str = "",
    notices: Sequence[str] = (),
    tables: RunTables | None = None,
) -> str:
    """Render the page of a run.

    Args:
        metrics: The numbers of the run.
        worst_samples: The samples to show, worst first.
        command: The command that repeats the run, if one is to be shown.
        home: Address of the leaderboard that the page belongs to, if any.
        notices: What to state besides the notices of the run.
        tables: What else was computed for the page.
    """
    sections, section_errors = _sections(metrics, worst_samples, tables or RunTables())
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


def _sections(
    metrics: Metrics, worst_samples: Samples, tables: RunTables
) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return anchor, title and content of each section that this run has, and the errors of packages' sections."""
    sections: dict[str, Section] = {**_SECTIONS, "words": partial(_render_words, words=tables.words)}
    contents = {name: render_section(metrics, worst_samples) for name, render_section in sections.items()}
    if contents["breakdowns"] and (gap_table := _render_gaps(tables.gaps)):
        contents["breakdowns"] += gap_table
    errors = []
    for name in SECTIONS.package_names():
        try:
            contents[name] = SECTIONS.get(name)(metrics, worst_samples)
        except SpecError as error:
            errors.append(str(error))
        except Exception as error:  # noqa: BLE001 - a package may raise anything, and the report must be written
            errors.append(
                f"The report section {name!r} of the package {SECTIONS.package(name)} failed: "
                f"{type(error).__name__}: {describe(error)}"
            )
    return [(name, name_to_title(name), content) for name, content in contents.items() if content], errors


# --- sections -------------------------------------------------------------------------------------


def _render_if(content: object, template: str, **context: Any) -> Markup | None:
    """Render a template of a section that has content."""
    return render(f"report/templates/{template}.html", **context) if content else None


def _render_metrics(metrics: Metrics, _: Samples) -> Markup | None:
    """Render every metric over all samples; metrics with the unit of the first share a scale."""
    numbers = metrics.overall
    groups = [("Metrics over all samples", metrics.headlines), ("More metrics", metrics.folded)]
    unit = numbers[0].unit if numbers else ""
    alike = [number for number in numbers if number.unit == unit]
    return _render_if(
        numbers,
        "metrics",
        numbers=numbers,
        groups=groups if metrics.folded else groups[:1],
        scale=Scale.fit(collect_extents(alike), include_zero=True) if unit else None,
        readings=group_by_readings(numbers),
        audit=format_audit(metrics.audit) if metrics.audit else "",
        reading_descriptions=READING_DESCRIPTIONS,
        error_rates=[number for number in numbers if "substitutions" in number.details],
    )


def _render_listening(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the controls of a listening check, by each metric, and the answers by position."""
    tables = list_tables(metrics) if metrics.purpose == LISTENING else []
    rows = tables[0].rows if tables else ()
    return _render_if(
        tables,
        "listening",
        tables=tables,
        headline=format_headline(metrics),
        format_gain=format_gain,
        format_gain_interval=format_gain_interval,
        others={name: number.title for row in rows for name, number in row.others.items()},
        positions=[number for number in metrics.numbers if number.field == POSITION_FIELD],
    )


def _render_parts(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the parts of a suite with the first of their combined numbers."""
    if metrics.purpose == LISTENING:
        return None
    numbers = [number for number in metrics.numbers if number.field == PART_FIELD]
    by_part = {number.group: number for number in reversed(numbers)}
    parts = [(part, by_part.get(part.name)) for part in metrics.parts]
    return _render_if(parts, "parts", parts=parts, title=numbers[0].title if numbers else "Value")


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The numbers of each value of a metadata field, by metric, with a scale for each metric."""

    field: str
    groups: Groups
    scales: dict[str, Scale]

    @property
    def is_collapsed(self) -> bool:
        return len(self.groups) > MAX_UNFOLDED_GROUPS


def _render_breakdowns(metrics: Metrics, _: Samples) -> Markup | None:
    """Render one table per metadata field: subsets first, long tables last, a line for a field with one value."""
    has_tables = metrics.purpose == LISTENING or get_tables(metrics) is not None  # of its own
    numbers = () if has_tables else metrics.numbers
    overall = metrics.headlines[:MAX_BREAKDOWN_METRICS] if numbers else ()
    shown = {number.metric for number in overall}
    fields: dict[str, Groups] = {}
    for number in numbers:
        if number.field and number.metric in shown:
            fields.setdefault(number.field, {}).setdefault(number.group, {})[number.metric] = number
    common = _fit_scales(overall, [groups for groups in fields.values() if len(groups) <= MAX_UNFOLDED_GROUPS])
    breakdowns = [
        Breakdown(field, groups, common if len(groups) <= MAX_UNFOLDED_GROUPS else _fit_scales(overall, [groups]))
        for field, groups in fields.items()
    ]
    breakdowns.sort(key=lambda breakdown: (breakdown.is_collapsed, breakdown.field != "subset"))
    return _render_if(
        fields,
        "breakdowns",
        overall=overall,
        breakdowns=breakdowns,
        hidden_metrics=len(metrics.overall) > MAX_BREAKDOWN_METRICS,
    )


def _render_gaps(gaps: Sequence[Gap]) -> Markup | None:
    """Render how much each group differs from the others, if any can be tested."""
    tested = [gap for gap in gaps if not math.isnan(gap.p)]
    return _render_if(tested, "gaps", gaps=tested, sentences=describe_gaps(tested))


def _fit_scales(overall: Sequence[Number], fields: Sequence[Groups]) -> dict[str, Scale]:
    """Return a scale for each metric that covers these groups and all samples."""
    members = [numbers for groups in fields for numbers in groups.values()]
    return {
        number.metric: Scale.fit(
            collect_extents([number, *(each[number.metric] for each in members if number.metric in each)])
        )
        for number in overall
    }


def _render_classes(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the results per class and the confusion matrix of every metric that has one."""
    matrices = [
        (ConfusionMatrix.from_details(number.details), list_classes(number.details), list_averages(number.details))
        for number in metrics.overall
        if "matrix" in number.details
    ]
    return _render_if(
        matrices,
        "classes",
        matrices=[
            (matrix, plots.draw_confusion(matrix) if matrix.is_readable else None, classes, averages)
            for matrix, classes, averages in matrices
        ],
        max_labels_beside_table=MAX_LABELS_BESIDE_TABLE,
        max_confusions=MAX_CONFUSIONS,
    )


def _render_sound_classes(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the results per label of tagging, and per class of sound events."""
    tags, events = list_tag_classes(metrics.overall), list_event_classes(metrics.overall)
    return _render_if(
        tags or events,
        "sound_classes",
        tags=tags,
        sentences=describe_rare_classes(metrics.overall),
        scale=SHARE_SCALE,
        events=events,
    )


def _render_dimensions(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the distribution of each emotion along each dimension, as plots and tables."""
    details = next((number.details for number in metrics.overall if "dimensions" in number.details), {})
    dimensions, plane = list_dimensions(details), Plane.from_details(details)
    return _render_if(
        details,
        "dimensions",
        dimensions=dimensions,
        violins=[plots.draw_violins(dimension) for dimension in dimensions],
        plane=plane,
        scatter=plots.draw_scatter(plane) if plane else None,
    )


def _render_detection(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the curve, the scores and the calibration of a detector."""
    number = next(filter(detection_figures.has_figures, metrics.overall), None)
    details = number.details if number else {}
    return _render_if(
        number,
        "detection",
        number=number,
        det=detection_figures.draw_det(number) if number else None,
        scores=detection_figures.draw_scores(details) if number else None,
        calibration_curve=detection_figures.draw_calibration(details) if number else None,
        **{name: details.get(name) for name in ("marks", "eer_threshold", "calibration", "targets", "nontargets")},
    )


def _render_timestamps(metrics: Metrics, samples: Samples) -> Markup | None:
    """Render the errors of word boundaries as a curve, and the words with the largest ones."""
    series = {
        name: number.details
        for name, metric in (("Starts", "start_error"), ("Ends", "end_error"))
        for number in metrics.overall
        if number.metric == metric and number.details.get("matched")
    }
    details = next(iter(series.values()), {})
    return _render_if(
        series,
        "timestamps",
        curve=draw_error_curve({name: own["within_ms"] for name, own in series.items()}) if series else None,
        matched=details.get("matched"),
        reference_words=details.get("reference_words"),
        resolution=details.get("resolution_ms"),
        words=list_worst_words((view.id, view.word_times) for view in samples if view.word_times),
    )


def _render_words(_: Metrics, samples: Samples, words: WordErrors | None = None) -> Markup | None:
    """Render which words were lost, confused and inserted; samples that have a card are linked."""
    return _render_if(words, "words", words=words, cards={sample.id for sample in samples})


def _render_spoken_answers(metrics: Metrics, samples: Samples) -> Markup | None:
    """Render why spoken answers fail, with those among the samples shown."""
    number = next((number for number in metrics.overall if number.metric == "speech_failures"), None)
    details = number.details if number else {}
    rows = list_failures(details, [(view.id, view.speech) for view in samples if view.speech])
    return _render_if(rows, "spoken_answers", rows=rows, failed=details.get("failed", 0), total=count_answers(number))


def render_worst_samples(samples: Sequence[SampleView], title: str, language: str) -> Markup | None:
    """Render one card per sample, in the given order; `title` is that of the metric."""
    return _render_if(
        samples,
        "worst_samples",
        samples=samples,
        unfolded=MAX_UNFOLDED_SAMPLES,
        metric_title=title,
        language=language,
        common_question=common_question(samples),
    )


def _render_not_scored(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the reasons for unreadable answers; metrics with the same reason share a row."""
    metrics_by_reason: dict[tuple[str, int], list[str]] = {}
    for metric, reasons in metrics.unreadable.items():
        for reason_and_count in reasons.items():
            metrics_by_reason.setdefault(reason_and_count, []).append(metric_title(metric))
    return _render_if(metrics_by_reason, "unreadable", metrics_by_reason=metrics_by_reason)


def _render_worst(metrics: Metrics, samples: Samples) -> Markup | None:
    """Render the samples with the worst scores of the first metric."""
    title = metrics.overall[0].title if metrics.overall else ""
    return render_worst_samples(samples, title, metrics.task.language)


def _render_failures(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the failures by kind, with examples."""
    return _render_if(metrics.failures, "failures", failures=group_failures(metrics))


def _render_recordings(_: Metrics, samples: Samples) -> Markup | None:
    """Render the errors of the worst recordings of meetings."""
    recordings = [(sample.id, sample.meeting) for sample in samples if sample.meeting]
    return _render_if(recordings, "recordings", recordings=recordings)


def _render_judge_checks(metrics: Metrics, _: Samples) -> Markup | None:
    """Render what was measured about the judges."""
    checks = metrics.judge_checks
    return _render_if(checks, "judge_checks", checks=checks, has_judges=len({check.judge for check in checks}) > 1)


def _render_audiogram(metrics: Metrics, _: Samples) -> Markup | None:
    """Render the figure of a task under conditions, for each metric; only those of the headline metrics unfolded."""
    audiogram = Audiogram.from_metrics([metrics])
    folded = {number.metric for number in metrics.folded}
    figures = [draw_audiogram(audiogram, metric) for metric in audiogram.metrics if metric not in folded]
    more = [draw_audiogram(audiogram, metric) for metric in audiogram.metrics if metric in folded]
    return _render_if(figures, "audiograms", figures=figures, more=more)


_SECTIONS: Mapping[str, Section] = {
    "audiogram": _render_audiogram,
    "listening-test": render_listening_test,
    "correlation-with-people": render_people_correlations,
    "classes": _render_classes,
    "detection": _render_detection,
    "metrics": _render_metrics,
    "listening": _render_listening,
    "parts": _render_parts,
    "judge-checks": _render_judge_checks,
    "breakdowns": _render_breakdowns,
    "sound-classes": _render_sound_classes,
    "dimensions": _render_dimensions,
    "timestamps": _render_timestamps,
    "words": _render_words,
    "spoken-answers": _render_spoken_answers,
    "recordings": _render_recordings,
    "worst-samples": _render_worst,
    "failures": _render_failures,
    "not-scored": _render_not_scored,
}
SECTIONS: Registry[Section] = Registry("report section", _SECTIONS, expects=(Callable, "a function"))
"""The sections of a report; the name of one is its anchor and title. Those of packages follow the built-in ones."""


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
