"""Write everything that is derived from a run's journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

import orjson

from auricle.core.csv_text import render_records
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.signature import MetricSignature, Signature
from auricle.engine.command_line import format_repeat_command
from auricle.engine.inferencers.base import find_max_tokens
from auricle.engine.task import Task
from auricle.metrics.capabilities import Judged, ReadsReply, Restricted
from auricle.report import run_html
from auricle.runs.health import JournalHealth, take_fingerprints
from auricle.runs.labels import HumanLabels
from auricle.runs.metrics import (
    SOURCE_FILES,
    FailureExample,
    FailureKind,
    Metrics,
    ModelFacts,
    Number,
    ScoringArguments,
    TaskFacts,
    write_metrics,
)
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.run_directory import Run
from auricle.runs.scores import SCORES_FILE, write_scores
from auricle.runs.signals import read_signals
from auricle.runs.throughput import StreamDelays, read_passes, summarise_throughput
from auricle.runs.usage import RunPrices, UsageTotals
from auricle.runs.verdicts import Judge
from auricle.scoring.gaps import compute_report_groups
from auricle.scoring.judge_panel import JudgePanel
from auricle.scoring.record_observers import make_observers, observe
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.signal_slices import SignalTable
from auricle.scoring.summary import summarise
from auricle.scoring.worst_samples import view_worst_samples
from auricle.studies.judges.document import JudgeChecks
from auricle.studies.people.correlations_document import PeopleCorrelations
from auricle.studies.readings.document import summarise_audit

VALUE_COLUMNS = (
    *("value", "low", "high", "interval", "cluster", "units", "worst", "best"),
    *("unread_wrong", "unread_right"),
)
COUNT_COLUMNS = (
    *("scored", "total", "coverage", "failed", "unbounded", "unreadable", "refused", "truncated", "not_applicable"),
)
SUMMARY_COLUMNS = (
    "task",
    "model",
    "metric",
    *VALUE_COLUMNS,
    *COUNT_COLUMNS,
    "higher_is_better",
    "signature",
    "throughput",
    "rtfx",
)
ERROR_COLUMNS = ("substitutions", "deletions", "insertions", "reference_length", "utterance_mean")
EMOTION_FIGURES = ("mean", "sd", "d", "auc")
CLASS_FIGURES = ("precision", "recall", "f1")
DERIVED_FILES = (SCORES_FILE, "metrics_summary.csv", "metrics_detail.csv", "report.html")
DETAIL_COLUMNS = (
    *("task", "model", "metric", "field", "group", *VALUE_COLUMNS, "censored", *COUNT_COLUMNS, *ERROR_COLUMNS),
)


def publish(
    run: Run, task: Task, model: str, judges: Sequence[Judge] = (), scoring: ScoringArguments | None = None
) -> Metrics:
    """Score a run, write all derived files and return its metrics.

    Args:
        run: Run directory.
        task: Task with the metrics to compute.
        model: Name of the model for people.
        judges: Whose verdicts are read.
        scoring: What replaced the run's own arguments in `task`, to be stored with the numbers.
    """
    with ExitStack() as stack:
        verdicts, prices = None, RunPrices.load(run.path)
        if judges and any(isinstance(metric, Judged) for metric in task.metrics):
            verdicts = stack.enter_context(JudgePanel(run.verdicts_path, judges, prices.judges))
        sources = take_fingerprints(run.path, SOURCE_FILES)  # what is appended from here on makes the numbers outdated
        thread = stack.enter_context(ThreadPoolExecutor(1, thread_name_prefix="auricle-report"))
        metrics = _score_and_write(run, task, model, verdicts, UsageTotals(prices.model), thread)
        derived = {name: derived.digest for name, derived in take_fingerprints(run.path, DERIVED_FILES).items()}
        metrics = replace(metrics, sources=sources, derived=derived, scoring=scoring or ScoringArguments())
        write_metrics(run.path, metrics)
        return metrics


def _score_and_write(
    run: Run, task: Task, model: str, verdicts: JudgePanel | None, totals: UsageTotals, thread: ThreadPoolExecutor
) -> Metrics:
    labels = HumanLabels.load(run.path)
    used_metrics = verdicts.expand(task.metrics, has_labels=labels.exist_in(run)) if verdicts else task.metrics
    score_table = ScoreTable(used_metrics, task.cluster, verdicts=verdicts, breakdown_fields=task.group_by)
    delays, signals = StreamDelays(), SignalTable(read_signals(run.path))
    observers = make_observers(used_metrics)
    with infrequent_gc(), run.open_index() as index:
        records = signals.observe(delays.count_records(totals.count_records(labels.attach(index.records()))))
        write_scores(run.path, score_records(observe(records, observers.values()), score_table))
    damaged = [*index.damaged, *(verdicts.damaged if verdicts else ())]
    health = JournalHealth.build(score_table.total, run.read_progress().completed_rows, damaged)
    ranking = score_table.ranking_column
    first = ranking.metric if ranking else None
    worst_samples = thread.submit(view_worst_samples, score_table.worst_records(), first)  # encodes audio meanwhile
    facts = collect_run_facts(run, replace(task, cluster=score_table.clusters.field), model)
    remarks = [note for observer in observers.values() for note in observer.notes()]
    facts["notes"] = (*facts["notes"], *health.describe(), *remarks)
    numbers = [
        number if number.field else replace(number, total=number.total + health.missing)
        for number in summarise(score_table, describe_measurement(run, facts["task"], facts["model"]))
    ]
    metrics = build_metrics(
        score_table,
        numbers,
        max_tokens=find_max_tokens(task.inferencer),
        needs_finish=must_know_ends(run, task),
        **facts,
        journal=health,
        judges=verdicts.to_facts() if verdicts else (),
        judge_checks=JudgeChecks.load(run.path).results if verdicts else (),
        people_correlations=PeopleCorrelations.load(run.path),
        usage=totals.to_usage(),
        speed=None if index.has_further_rows else summarise_throughput(read_passes(run), delays),
        audit=summarise_audit(run.path, [number for number in numbers if not number.field]),
    )
    run.write("metrics_summary.csv", summary_csv(metrics))
    run.write("metrics_detail.csv", detail_csv(metrics))
    command = format_repeat_command(run.spec, str(run.location))
    sliced, gaps = compute_report_groups(score_table, signals, numbers)
    shown = replace(metrics, numbers=(*metrics.numbers, *sliced))
    findings = {"gaps": gaps, **{name: observer.finding() for name, observer in observers.items()}}
    page = run_html.render_report(shown, worst_samples.result(), command=command, findings=findings)
    run.write("report.html", page.encode())
    return metrics


def must_know_ends(run: Run, task: Task) -> bool:
    """Return whether numbers may be wrong if replies were cut off unnoticed."""
    return "max_tokens" in run.spec.spec.get("task_args", ()) or any(isinstance(metric, ReadsReply) for metric in task.metrics)


def describe_measurement(run: Run, task: TaskFacts, model: ModelFacts) -> Signature:
    """Return the signature that all numbers of a run share, but for their metric."""
    inferencer = str(run.spec.identity["inferencer"])
    arguments = orjson.dumps(model.arguments, option=orjson.OPT_SORT_KEYS)
    return Signature(
        metric=MetricSignature(""),
        task=f"{task.name}:{task.version}",
        revision=task.revision or "local",
        inferencer=f"{inferencer.partition('(')[0]}#{_short_digest(inferencer.encode())}",
        model=f"{model.name}#{_short_digest(arguments)}" if model.arguments else model.name,
        auricle=f"auricle {version('auricle')}",
    )


def _short_digest(content: bytes) -> str:
    return blake2b(content, digest_size=2).hexdigest()


def collect_run_facts(run: Run, task: Task, model: str) -> dict[str, Any]:
    """Return the fields of `Metrics` that are known without its statistics."""
    progress = run.read_progress()
    return {
        "task": TaskFacts(
            name=task.name,
            version=task.version,
            language=task.language,
            licence=task.licence,
            source=task.source,
            revision=progress.revision,
            cluster=task.cluster,
            citation=task.citation,
            languages=task.languages,
        ),
        "model": ModelFacts(model, dict(run.spec.model_args)),
        "auricle": version("auricle"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "complete": progress.complete,
        "rows": progress.rows,
        "limit": progress.limit,
        "notes": progress.notes,
    }


# --- metrics.json and the CSV files -----------------------------------------------------------------


def build_metrics(
    score_table: ScoreTable,
    numbers: Sequence[Number],
    *,
    max_tokens: int | None = None,
    needs_finish: bool = False,
    **run_facts: Any,
) -> Metrics:
    """Build the content of `metrics.json`.

    Args:
        score_table: The statistics of all samples.
        numbers: The results.
        max_tokens: Most tokens of an answer, if that is known.
        needs_finish: Whether it matters if replies were cut off unnoticed.
        run_facts: Further fields of `Metrics`, such as the task and the model.
    """
    outcomes = OutcomeCounts.count(
        score_table.outcomes, score_table.audio_not_sent, score_table.rightly_empty, score_table.finish_unknown
    )
    notes = [note for number in numbers if not number.field for note in number.details.get("notes", ())]
    notes += outcomes.warnings(max_tokens, needs_finish=needs_finish)
    notes += list_left_out(score_table)
    return Metrics(
        **{**run_facts, "notes": tuple(dict.fromkeys([*run_facts.get("notes", ()), *notes]))},
        outcomes=outcomes,
        failures=tuple(
            FailureKind(kind, count, tuple(map(FailureExample.from_record, score_table.examples[kind])))
            for kind, count in score_table.failures.most_common()
        ),
        not_computed=collect_refusals(score_table),
        unsuited=tuple(c.metric.name for c in score_table.columns if c.is_unsuited or c.reads_no_answer),
        unreadable={
            column.metric.name: dict(column.reasons.most_common()) for column in score_table.columns if column.reasons
        },
        numbers=tuple(numbers),
    )


def list_left_out(score_table: ScoreTable) -> list[str]:
    """Describe what metrics left out because it cannot be decided, with a note for all metrics that left out alike."""
    names: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for column in score_table.columns:
        if counts := tuple((reason, count) for reason, count in column.left_out.items() if count):
            names.setdefault(counts, []).append(column.metric.name)
    return [
        f"{', '.join(metrics)}: left out: {'; '.join(f'{count:,}, because {reason}' for reason, count in counts)}."
        for counts, metrics in names.items()
    ]


def collect_refusals(score_table: ScoreTable) -> dict[str, str]:
    """List metrics and breakdowns that were requested but not computed, with reasons."""
    reasons = {c.metric.name: c.refusal_reason for c in score_table.columns if c.refusal_reason}
    for column in (column for column in score_table.columns if not column.metric.derived_from):
        if column.reasons and not column.indices and not column.refusal_reason:
            reason = column.reasons.most_common(1)[0][0]
            reasons[column.metric.name] = f"no answer could be scored: {reason}"
        elif column.not_applicable and not column.indices and not isinstance(column.metric, Restricted):
            need = f"rows need {column.metric.needs}" if column.metric.needs else "it returned None for each"
            reasons[column.metric.name] = f"it applies to none of the samples: {need}"
        elif column.not_applicable and not any(each.indices for each in score_table.columns):
            reasons.setdefault(column.metric.name, "it applies to none of the samples")
    if problem := score_table.clusters.problem:
        reasons["cluster"] = problem
    for name in score_table.breakdown_fields:
        if name not in score_table.fields and score_table.total:
            reasons[f"by {name}"] = f"no sample has the metadata field {name!r}, or it has too many values"
    return reasons


def summary_csv(metrics: Metrics) -> bytes:
    """Return one CSV row per metric, over all samples."""
    return _write_csv(SUMMARY_COLUMNS, metrics, map(_number_row, metrics.overall))


def detail_csv(metrics: Metrics) -> bytes:
    """Return one CSV row per metric and group, and one per figure of each class and emotion."""
    rows = (row for number in metrics.numbers for row in (_number_row(number), *_figure_rows(number)))
    return _write_csv(DETAIL_COLUMNS, metrics, rows)


def _number_row(number: Number) -> dict[str, Any]:
    columns = {name: getattr(number, name) for name in Number.__slots__}
    return {**columns, **number.details, "coverage": number.coverage if number.total else None}


def _figure_rows(number: Number) -> Iterator[dict[str, Any]]:
    """Return the figures of classes and of emotions over all samples."""
    tables: list[tuple[str, str, Mapping[str, Any], Sequence[str], str]]
    tables = [("class", number.metric, number.details.get("classes", {}), CLASS_FIGURES, "support")]
    tables += [
        ("emotion", dimension, figures["emotions"], EMOTION_FIGURES, "n")
        for dimension, figures in number.details.get("dimensions", {}).items()
    ]
    for field, name, figures_by_label, columns, count in [] if number.field else tables:
        for label, figures in figures_by_label.items():
            shared = {"field": field, "group": label, "scored": figures[count]}
            yield from ({**shared, "metric": f"{name}.{column}", "value": figures[column]} for column in columns)


def _write_csv(columns: Sequence[str], metrics: Metrics, rows: Iterable[Mapping[str, Any]]) -> bytes:
    shared = {
        "task": metrics.task.name,
        "model": metrics.model.name,
        "throughput": metrics.speed.throughput if metrics.speed else None,
        "rtfx": metrics.speed.rtfx if metrics.speed else None,
    }
    return render_records(columns, ({**row, **shared} for row in rows)).encode()
