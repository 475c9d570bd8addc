"""Score the records of a run, and compute its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from itertools import islice
from typing import Any

import orjson

from auricle.core.files import open_replacement
from auricle.core.gc_tuning import infrequent_gc
from auricle.core.signature import MetricSignature, Signature
from auricle.engine.inferencers.base import find_max_tokens
from auricle.engine.task import Task
from auricle.metrics.capabilities import Judged, ReadsReply, Restricted
from auricle.runs.extras import load_extras
from auricle.runs.health import DamagedLine, JournalHealth
from auricle.runs.labels import HumanLabels
from auricle.runs.metrics import FailureExample, FailureKind, JudgeFacts, Metrics, ModelFacts, Number, TaskFacts
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.run_directory import Run
from auricle.runs.scores import SCORES_FILE
from auricle.runs.sound_measures import read_signals
from auricle.runs.throughput import StreamDelays, read_passes, summarise_throughput
from auricle.runs.usage import RunPrices, UsageTotals
from auricle.runs.verdicts import Judge
from auricle.scoring.judge_panel import JudgePanel
from auricle.scoring.record_observers import RecordObserver, make_observers
from auricle.scoring.score_table import SCORING_BATCH_SIZE, ScoreTable
from auricle.scoring.sound_slices import SoundTable
from auricle.scoring.summary import summarise


@dataclass(frozen=True)
class ScoredRecords:
    """What is known of the records of a run after they were scored."""

    table: ScoreTable
    totals: UsageTotals
    delays: StreamDelays
    signals: SoundTable
    observers: dict[str, RecordObserver]
    """What features found in the records, by name."""
    judges: tuple[JudgeFacts, ...]
    damaged: list[DamagedLine]
    has_further_rows: bool
    """Whether the journal has rows beyond those that the numbers are about."""


def score_run(run: Run, task: Task, judges: Sequence[Judge] = ()) -> ScoredRecords:
    """Score the records of a run and write `scores.jsonl`.

    Args:
        run: Run directory.
        task: Task with the metrics to compute.
        judges: Whose verdicts are read.
    """
    labels, prices, metrics = HumanLabels.load(run.path), RunPrices.load(run.path), task.metrics
    with ExitStack() as stack:
        verdicts = None
        if judges and any(isinstance(metric, Judged) for metric in metrics):
            verdicts = stack.enter_context(JudgePanel(run.verdicts_path, judges, prices.judges))
            metrics = verdicts.expand(metrics, has_labels=labels.exist_in(run))
        table = ScoreTable(metrics, task.cluster, verdicts=verdicts, breakdown_fields=task.group_by)
        totals, delays, signals = UsageTotals(prices.model), StreamDelays(), SoundTable(read_signals(run.path))
        observers = make_observers(metrics)
        stack.enter_context(infrequent_gc())
        index = stack.enter_context(run.open_index())
        scores_file = stack.enter_context(open_replacement(run.path / SCORES_FILE))
        records = labels.attach(index.records())
        while batch := list(islice(records, SCORING_BATCH_SIZE)):
            for record in batch:
                totals.add(record)
                delays.add(record)
                signals.add(record.key, record.audio_seconds, record.sample.target)
                for observer in observers.values():
                    observer.see(record)
            scores_file.writelines(line.to_json_line() for line in table.add_all(batch))
        table.close()
        return ScoredRecords(
            table,
            totals,
            delays,
            signals,
            observers,
            verdicts.to_facts() if verdicts else (),
            [*index.damaged, *(verdicts.damaged if verdicts else ())],
            index.has_further_rows,
        )


def compute_metrics(run: Run, task: Task, model: str, scored: ScoredRecords) -> Metrics:
    """Compute the numbers of a run from its scored records.

    Args:
        run: Run directory.
        task: Task with the metrics to compute.
        model: Name of the model for people.
        scored: The records, as `score_run` returns them.
    """
    table = scored.table
    health = JournalHealth.build(table.total, run.read_progress().completed_rows, scored.damaged)
    facts = collect_run_facts(run, replace(task, cluster=table.clusters.field), model)
    remarks = [note for observer in scored.observers.values() for note in observer.notes()]
    facts["notes"] = (*facts["notes"], *health.describe(), *remarks)
    numbers = [
        number if number.field else replace(number, total=number.total + health.missing)
        for number in summarise(table, describe_measurement(run, facts["task"], facts["model"]))
    ]
    metrics = build_metrics(
        table,
        numbers,
        max_tokens=find_max_tokens(task.inferencer),
        needs_finish=must_know_ends(run, task),
        **facts,
        journal=health,
        judges=scored.judges,
        usage=scored.totals.to_usage(),
        speed=None if scored.has_further_rows else summarise_throughput(read_passes(run), scored.delays),
    )
    return replace(metrics, extras=load_extras(run.path, metrics))


def must_know_ends(run: Run, task: Task) -> bool:
    """Return whether numbers may be wrong if replies were cut off unnoticed."""
    return "max_tokens" in run.spec.spec.get("task_args", ()) or any(
        isinstance(metric, ReadsReply) for metric in task.metrics
    )


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
