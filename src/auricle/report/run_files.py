"""Write the files that are derived from a scored run: its numbers, tables for spreadsheets and its page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from auricle.core.csv_text import render_records
from auricle.engine.command_line import format_repeat_command
from auricle.engine.task import Task
from auricle.report.run_html import render_report
from auricle.report.worst_samples import view_worst_samples
from auricle.runs.health import take_fingerprints
from auricle.runs.metrics import SOURCE_FILES, Metrics, Number, ScoringArguments, write_metrics
from auricle.runs.run_directory import Run
from auricle.runs.scores import SCORES_FILE
from auricle.runs.verdicts import Judge
from auricle.scoring.gaps import compute_report_groups
from auricle.scoring.run_scores import compute_metrics, score_run

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


def score_and_write(
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
    sources = take_fingerprints(run.path, SOURCE_FILES)  # what is appended from here on makes the numbers outdated
    scored = score_run(run, task, judges)
    table = scored.table
    ranking = table.ranking_column
    with ThreadPoolExecutor(1, thread_name_prefix="auricle-report") as thread:
        worst = thread.submit(view_worst_samples, table.worst_records(), ranking.metric if ranking else None)
        metrics = compute_metrics(run, task, model, scored)  # meanwhile, the thread encodes audio
        sliced, gaps = compute_report_groups(table, scored.signals, metrics.numbers)
        samples = worst.result()
    page = render_report(
        replace(metrics, numbers=(*metrics.numbers, *sliced)),
        samples,
        command=format_repeat_command(run.spec, str(run.location)),
        findings={"gaps": gaps, **{name: observer.finding() for name, observer in scored.observers.items()}},
    )
    metrics = replace(metrics, sources=sources, scoring=scoring or ScoringArguments())
    return write_run_files(run, metrics, page)


def write_run_files(run: Run, metrics: Metrics, page: str) -> Metrics:
    """Write the tables, the page and `metrics.json`; return the metrics with the digests of the other files."""
    run.write("metrics_summary.csv", summary_csv(metrics))
    run.write("metrics_detail.csv", detail_csv(metrics))
    run.write("report.html", page.encode())
    derived = {name: file.digest for name, file in take_fingerprints(run.path, DERIVED_FILES).items()}
    metrics = replace(metrics, derived=derived)
    write_metrics(run.path, metrics)
    return metrics


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
