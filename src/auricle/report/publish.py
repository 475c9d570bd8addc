"""Write everything that is derived from a run's journal."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

import orjson

from auricle.core.gc_tuning import infrequent_gc
from auricle.core.signature import JUDGE_MARK, MetricSignature, Signature
from auricle.metrics.base import Metric
from auricle.report import metrics_document, run_html
from auricle.report.sample_view import SampleView, build_sample_views
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import summarise
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts, write_metrics
from auricle.runs.run_directory import Run
from auricle.runs.scores import ScoreLine, write_scores
from auricle.runs.throughput import StreamDelays, read_passes, summarise_throughput
from auricle.runs.usage import Price, UsageTotals
from auricle.runs.verdicts import Judge, VerdictIndex
from auricle.tasks.base import Task


def publish(run: Run, task: Task, model: str, judge: Judge | None = None) -> Metrics:
    """Score a run, write all derived files and return its metrics."""
    with ExitStack() as stack:
        verdicts = None
        if judge and any(metric.judge_requests for metric in task.metrics):
            verdicts = stack.enter_context(VerdictIndex(run.verdicts_path, judge))
        return _score_and_write(run, task, model, verdicts)


def _score_and_write(run: Run, task: Task, model: str, verdicts: VerdictIndex | None) -> Metrics:
    score_table = ScoreTable(
        add_judge_metrics(task.metrics, verdicts), task.cluster, verdicts=verdicts, breakdown_fields=task.group_by
    )
    totals, delays = UsageTotals(Price.load(run.path)), StreamDelays()
    with infrequent_gc():
        records = delays.count_records(totals.count_records(run.records()))
        write_scores(run.path, score_records(records, score_table))
    facts = _collect_run_facts(run, task, model)
    numbers = summarise(score_table, _describe_measurement(run, facts["task"], facts["model"]))
    metrics = metrics_document.build_metrics(
        score_table,
        numbers,
        **facts,
        judge=verdicts.to_facts() if verdicts else None,
        usage=totals.to_usage(),
        speed=summarise_throughput(read_passes(run), delays),
    )
    run.write("metrics_summary.csv", metrics_document.summary_csv(metrics))
    run.write("metrics_detail.csv", metrics_document.detail_csv(metrics))
    run.write("report.html", run_html.render_report(metrics, _view_worst_samples(score_table)).encode())
    write_metrics(run.path, metrics)
    return metrics


def add_judge_metrics(metrics: Sequence[Metric], verdicts: VerdictIndex | None) -> list[Metric]:
    """Add the judge to the signatures of metrics that use one, and add their companions."""
    if verdicts is None:
        return list(metrics)
    by = f"{JUDGE_MARK}{verdicts.judge.name}"
    return [
        replace(each, variant=each.variant + by) if each.judge_requests else each
        for metric in metrics
        for each in (metric, *metric.companions)
    ]


def _view_worst_samples(score_table: ScoreTable) -> list[SampleView]:
    """Return the worst samples by the first metric, with their verdicts."""
    worst = score_table.worst_records()
    first = score_table.columns[0].metric if score_table.columns else None
    name = first.name if first else ""
    stats = {record.sample.id: line.stats[name] for record, line in worst}
    views = build_sample_views([record for record, _ in worst], first, stats)
    return [_add_remarks(view, line, name) for view, (_, line) in zip(views, worst, strict=False)]


def _add_remarks(view: SampleView, line: ScoreLine, metric: str) -> SampleView:
    """Add the verdicts, and why the answer could not be read."""
    reason = f"Unreadable: {line.unreadable[metric]} " if metric in line.unreadable else ""
    return replace(view, verdict=" | ".join(line.verdicts.get(metric, ())), note=f"{reason}{view.note}".rstrip())


def _describe_measurement(run: Run, task: TaskFacts, model: ModelFacts) -> Signature:
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


def _collect_run_facts(run: Run, task: Task, model: str) -> dict[str, Any]:
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
        ),
        "model": ModelFacts(model, dict(run.spec.model_args)),
        "auricle": version("auricle"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "complete": progress.complete,
        "rows": progress.rows,
        "notes": progress.notes,
    }
