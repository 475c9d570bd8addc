"""Everything derived from a run's journal, written beside it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

import orjson

from auricle.core.files import write_lines
from auricle.core.gc_tuning import seldom_collected
from auricle.metrics.base import Metric
from auricle.report import documents, html
from auricle.report.score import Scoreboard, scored
from auricle.report.summarise import Number, summarise
from auricle.report.worst_samples import Shown, shown
from auricle.runs.run_directory import Run
from auricle.runs.throughput import passes, speed
from auricle.runs.usage import Price, Tally
from auricle.runs.verdicts import Judge, Verdicts
from auricle.tasks.base import Task


def publish(run: Run, task: Task, model: str, judge: Judge | None = None) -> list[Number]:
    """Score a run and write every derived file; its numbers over all samples."""
    with ExitStack() as held:
        verdicts = None
        if judge and any(metric.asks for metric in task.metrics):
            verdicts = held.enter_context(Verdicts(run.verdicts, judge))
        return _published(run, task, model, verdicts)


def _published(run: Run, task: Task, model: str, verdicts: Verdicts | None) -> list[Number]:
    board = Scoreboard(
        judged_by(task.metrics, verdicts), task.cluster, verdicts=verdicts, by=task.by
    )
    tally = Tally(Price.kept(run.path))
    with seldom_collected():
        write_lines(run.path / "scores.jsonl", scored(tally.over(run.records()), board))
    about = _about(run, task, model)
    if verdicts:
        about["judge"] = verdicts.told()
    asked = f"{task.name}:{task.version}|{about['task']['revision'] or 'local'}|{_asked(run)}"
    numbers = summarise(board, asked, f"{_named(about['model'])}|auricle {about['auricle']}")
    document = {**documents.document(about, board, numbers), "usage": tally.document()}
    document["speed"] = speed(passes(run))
    run.write("metrics_summary.csv", documents.summary_csv(document))
    run.write("metrics_detail.csv", documents.detail_csv(document))
    run.write("report.html", html.render(document, _worst(board)).encode())
    run.write("metrics.json", orjson.dumps(document, option=orjson.OPT_INDENT_2))
    return [number for number in numbers if not number.field]


def judged_by(metrics: Sequence[Metric], verdicts: Verdicts | None) -> list[Metric]:
    """Metrics that ask, signed with who was asked, and with what is told beside them."""
    if verdicts is None:
        return list(metrics)
    by = f".by-{verdicts.judge.name}"
    return [
        replace(each, variant=each.variant + by) if each.asks else each
        for metric in metrics
        for each in (metric, *metric.beside)
    ]


def _worst(board: Scoreboard) -> list[Shown]:
    """The samples that did worst on the first metric, with what a judge said of them."""
    records = board.worst_records()
    first = board.columns[0].metric if board.columns else None
    if first is None or first.asks is None:
        return shown(records, first)
    lines: dict[str, dict[str, Any]] = {each.sample.id: {} for each in records}
    stats = {each.sample.id: board.result(first, each, lines[each.sample.id]) for each in records}
    return [
        replace(each, verdict=" | ".join(lines[each.id].get("verdicts", {}).get(first.name, ())))
        for each in shown(records, first, stats)
    ]


def _asked(run: Run) -> str:
    """The inferencer's name and four hex digits of everything it was told."""
    identity = run.spec["identity"]
    assert isinstance(identity, dict)
    told = str(identity["inferencer"])
    return f"{told.partition('(')[0]}#{_digits(told.encode())}"


def _named(model: dict[str, Any]) -> str:
    """The model's name and, where it was given arguments, four hex digits of them."""
    if not model["arguments"]:
        return str(model["name"])
    return (
        f"{model['name']}#{_digits(orjson.dumps(model['arguments'], option=orjson.OPT_SORT_KEYS))}"
    )


def _digits(content: bytes) -> str:
    return blake2b(content, digest_size=2).hexdigest()


def _about(run: Run, task: Task, model: str) -> dict[str, Any]:
    progress = run.progress()
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
