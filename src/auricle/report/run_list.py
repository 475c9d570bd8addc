"""Runs on one line each, as the app and `auricle runs` list them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.report.html_format import format_count
from auricle.report.methods import TOO_FEW
from auricle.report.text_format import format_value
from auricle.report.text_table import format_table
from auricle.runs.metrics import Number, TaskFacts
from auricle.runs.run_summary import RunSummary
from auricle.runs.task_names import name_several_tasks

STATUS_MARKS = {"running": "▶", "stopped": "◼", "failed": "✕", "done": "✓"}
TABLE_HEADER = ("status", "run", "task", "model", "metric", "value", "95 % interval", "n", "failed", "date")


def describe_status(run: RunSummary) -> str:
    """Return the status, and what is done of a run that is not.

    Runs that cannot be read are marked; their page has the reason.
    """
    if run.error:
        return f"{STATUS_MARKS[run.status]} unreadable"
    is_partial = run.status in ("running", "stopped") and run.done is not None
    count = f" {describe_done(run)}" if is_partial else ""
    status = "stopping" if run.phase == "stopping" else run.status
    return f"{STATUS_MARKS[run.status]} {status}{count}"


def describe_done(run: RunSummary) -> str:
    """Return how many samples have a result: `279 of 1,440`."""
    return f"{format_count(run.done)} of {format_count(run.total)}" if run.total else format_count(run.done)


def describe_metric(number: Number | None) -> str:
    """Return the title of a metric with its unit and direction."""
    if number is None:
        return ""
    unit = ", %" if number.unit == "share" else ""
    return number.direction.mark(f"{number.title or number.metric}{unit}")


def format_runs(runs: Sequence[RunSummary]) -> list[str]:
    """Return the lines of a table for the terminal."""
    tasks = name_several_tasks([TaskFacts(run.task, source=run.data, revision=run.revision) for run in runs])
    return format_table(TABLE_HEADER, list(map(_format_row, runs, tasks))) if runs else []


def _format_row(run: RunSummary, task: str) -> list[str]:
    number = run.headline
    numbers = ["", "–", ""]
    if number:
        low, high = (format_value(number, bound).removesuffix(" %") for bound in ("low", "high"))
        interval = TOO_FEW if number.has_too_few_units else "" if "–" in (low, high) else f"{low} – {high}"
        numbers = [number.title or number.metric, format_value(number), interval]
    counts = ["–" if count is None else f"{count:,}" for count in (run.scored, run.failed)]
    date = run.created[:16].replace("T", " ")
    return [describe_status(run), run.title, task, run.model, *numbers, *counts, date]


def run_to_dict(run: RunSummary) -> dict[str, Any]:
    """Return what is known of a run as JSON values."""
    names = (
        *("name", "kind", "status", "task", "data", "model", "created"),
        *("done", "total", "failed", "dropped", "cost", "seconds"),
    )
    fields = ("metric", "value", "low", "high", "unit", "scored", "coverage")
    return {
        **{name: getattr(run, name) for name in names},
        "title": run.notes.title,
        "tags": list(run.notes.tags),
        "note": run.notes.note,
        "error": run.error,
        "numbers": [{name: getattr(number, name) for name in fields} for number in run.numbers],
    }
