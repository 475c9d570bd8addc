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

from auricle.core.files import write_lines_atomically
from auricle.core.gc_tuning import infrequent_gc
from auricle.metrics.base import Metric
from auricle.report import metrics_document, run_html
from auricle.report.sample_view import SampleView, build_sample_views
from auricle.report.score_table import ScoreTable, score_records
from auricle.report.summary import Number, summarise
from auricle.runs.run_directory import Run
from auricle.runs.throughput import read_passes, summarise_throughput
from auricle.runs.usage import Price, UsageTotals
from auricle.runs.verdicts import Judge, VerdictIndex
from auricle.tasks.base import Task


def publish(run: Run, task: Task, model: str, judge: Judge | None = None) -> list[Number]:
    """Score a run, write all derived files and return its results over all samples."""
    with ExitStack() as stack:
        verdicts = None
        if judge and any(metric.judge_requests for metric in task.metrics):
            verdicts = stack.enter_context(VerdictIndex(run.verdicts_path, judge))
        return _score_and_write(run, task, model, verdicts)


def _score_and_write(run: Run, task: Task, model: str, verdicts: VerdictIndex | None) -> list[Number]:
    board = ScoreTable(
        add_judge_metrics(task.metrics, verdicts), task.cluster, verdicts=verdicts, breakdown_fields=task.group_by
    )
    tally = UsageTotals(Price.load(run.path))
    with infrequent_gc():
        write_lines_atomically(run.path / "scores.jsonl", score_records(tally.count_records(run.records()), board))
    about = _collect_run_facts(run, task, model)
    if verdicts:
        about["judge"] = verdicts.to_dict()
    asked = f"{task.name}:{task.version}|{about['task']['revision'] or 'local'}|{_inferencer_signature(run)}"
    numbers = summarise(board, asked, f"{_model_signature(about['model'])}|auricle {about['auricle']}")
    document = {**metrics_document.build_document(about, board, numbers), "usage": tally.to_dict()}
    document["speed"] = summarise_throughput(read_passes(run))
    run.write("metrics_summary.csv", metrics_document.summary_csv(document))
    run.write("metrics_detail.csv", metrics_document.detail_csv(document))
    run.write("report.html", run_html.render_report(document, _view_worst_samples(board)).encode())
    run.write("metrics.json", orjson.dumps(document, option=orjson.OPT_INDENT_2))
    return [number for number in numbers if not number.field]


def add_judge_metrics(metrics: Sequence[Metric], verdicts: VerdictIndex | None) -> list[Metric]:
    """Add the judge to the signatures of metrics that use one, and add their companions."""
    if verdicts is None:
        return list(metrics)
    by = f".by-{verdicts.judge.name}"
    return [
        replace(each, variant=each.variant + by) if each.judge_requests else each
        for metric in metrics
        for each in (metric, *metric.companions)
    ]


def _view_worst_samples(score_table: ScoreTable) -> list[SampleView]:
    """Return the worst samples by the first metric, with their verdicts."""
    records = score_table.worst_records()
    first = score_table.columns[0].metric if score_table.columns else None
    if first is None or first.judge_requests is None:
        return build_sample_views(records, first)
    lines: dict[str, dict[str, Any]] = {each.sample.id: {} for each in records}
    stats = {each.sample.id: score_table.score_record(first, each, lines[each.sample.id]) for each in records}
    return [
        replace(each, verdict=" | ".join(lines[each.id].get("verdicts", {}).get(first.name, ())))
        for each in build_sample_views(records, first, stats)
    ]


def _inferencer_signature(run: Run) -> str:
    """Return the inferencer's name and four hex digits of its configuration."""
    identity = run.spec["identity"]
    assert isinstance(identity, dict)
    description = str(identity["inferencer"])
    return f"{description.partition('(')[0]}#{_short_digest(description.encode())}"


def _model_signature(model: dict[str, Any]) -> str:
    """Return the model's name and four hex digits of its arguments, if it has any."""
    if not model["arguments"]:
        return str(model["name"])
    return f"{model['name']}#{_short_digest(orjson.dumps(model['arguments'], option=orjson.OPT_SORT_KEYS))}"


def _short_digest(content: bytes) -> str:
    return blake2b(content, digest_size=2).hexdigest()


def _collect_run_facts(run: Run, task: Task, model: str) -> dict[str, Any]:
    progress = run.read_progress()
    spec = run.spec["spec"]
    assert isinstance(spec, dict)
    return {
        "task": {
            "name": task.name,
            "version": task.version,
            "language": task.language,
            "licence": task.licence,
            "source": task.source,
            "revision": progress.get("revision", ""),
            "cluster": task.cluster,
        },
        "model": {"name": model, "arguments": spec.get("model_args", {})},
        "auricle": version("auricle"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "complete": bool(progress.get("complete")),
        "rows": progress.get("rows"),
        "notes": progress.get("notes", []),
    }
