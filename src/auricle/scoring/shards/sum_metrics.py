"""The numbers of a run that does not fit into memory, from the sums of its shards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from auricle.core.files import write_lines_atomically
from auricle.core.serialization import dumps
from auricle.core.types import Record
from auricle.engine.factory import model_name
from auricle.engine.inferencers.base import find_max_tokens
from auricle.engine.judge import read_judges
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Judged, Restricted
from auricle.runs.health import JournalHealth
from auricle.runs.journal import JournalIndex
from auricle.runs.metrics import SOURCE_FILES, FailureKind, Metrics, Number, Throughput
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.scores import SCORES_FILE, ScoreLine, read_scores
from auricle.runs.shards.merged_files import DUPLICATES_FILE
from auricle.runs.shards.store import ShardStore
from auricle.runs.sound_measures import SIGNALS_FILE
from auricle.runs.throughput import summarise_throughput
from auricle.runs.verdicts import Judge
from auricle.scoring.judge_panel import JudgePanel
from auricle.scoring.run_scores import collect_run_facts, describe_measurement, must_know_ends
from auricle.scoring.score_table import MAX_WORST_SAMPLES
from auricle.scoring.shards.running_column import RunningColumn
from auricle.scoring.shards.running_sums import RunningSums
from auricle.scoring.shards.shard_reader import ShardReader
from auricle.scoring.shards.stored_sums import store_sums
from auricle.scoring.shards.sum_numbers import compute_numbers

NOTHING_RETURNED = "it applies to none of the samples: it returned None for each"
SHARDED_NOTE = (
    "Numbers are computed from sums over {shards:,} shards. Their samples are in the run directories below shards/."
)


@dataclass(frozen=True)
class ScoredShards:
    """The numbers of a run from the sums of its shards, and its worst samples."""

    metrics: Metrics
    worst: list[tuple[Record, ScoreLine]]
    ranking: Metric | None
    """The metric by which these are the worst."""


def score_shards(store: ShardStore, run: Run, task: Task, spec: Spec) -> ScoredShards:
    """Compute the numbers of a run from the sums of its shards, and write the sums and the progress of the run.

    Args:
        store: The sharded run.
        run: Local run directory of the merged run.
        task: Task with the metrics to compute, over all samples.
        spec: What was evaluated.
    """
    for name in (*SOURCE_FILES, SCORES_FILE, SIGNALS_FILE):  # of an earlier merge of fewer shards
        (run.path / name).unlink(missing_ok=True)
    sums = _add_up(store, run, task, read_judges(run))
    store_sums(run.path, sums)
    is_complete = sums.shards == store.plan.count
    run.write_progress(_describe_progress(task, spec, sums, is_complete=is_complete))
    ranking = sums.ranking_column
    return ScoredShards(
        _build_metrics(run, task, sums),
        _read_worst(store, sums) if ranking else [],
        ranking.metric if ranking else None,
    )


def _add_up(store: ShardStore, run: Run, task: Task, judges: Sequence[Judge]) -> RunningSums:
    reader = ShardReader(store, task, judges)
    sums = RunningSums(_expand_metrics(run, task, judges), task.cluster, task.group_by)
    for completion, shard_sums in reader.read():
        sums.add(shard_sums, completion.shard, completion.rows)
    if reader.duplicates:
        write_lines_atomically(run.path / DUPLICATES_FILE, map(dumps, reader.duplicates))
    else:
        (run.path / DUPLICATES_FILE).unlink(missing_ok=True)
    return sums


def _expand_metrics(run: Run, task: Task, judges: Sequence[Judge]) -> Sequence[Metric]:
    """Return the metrics with their judges; those for which no shard has a statistic have no number."""
    if not judges or not any(isinstance(metric, Judged) for metric in task.metrics):
        return task.metrics
    with JudgePanel(run.verdicts_path, judges, {}) as panel:
        return panel.expand(task.metrics)


def _describe_progress(task: Task, spec: Spec, sums: RunningSums, *, is_complete: bool) -> Progress:
    """Describe a run; notes that need all of the data are left out, because reading it once more could take hours."""
    return Progress(
        complete=is_complete,
        rows=sums.rows,
        total=sums.rows if is_complete else None,
        passes=tuple(sums.passes.to_timings()),
        revision=task.revision,
        notes=(*task.find_contamination(spec.model, spec.model_args), SHARDED_NOTE.format(shards=sums.shards)),
    )


def _build_metrics(run: Run, task: Task, sums: RunningSums) -> Metrics:
    facts = collect_run_facts(run, replace(task, cluster=sums.cluster), model_name(run))
    health = replace(
        JournalHealth.build(sums.total, run.read_progress().completed_rows, ()),
        damaged_records=sums.damaged["records"],
        damaged_verdicts=sums.damaged["verdicts"],
    )
    numbers = [
        number if number.field else replace(number, total=number.total + health.missing)
        for number in compute_numbers(sums, describe_measurement(run, facts["task"], facts["model"]))
    ]
    outcomes = OutcomeCounts.count(sums.outcomes, sums.audio_not_sent, sums.rightly_empty, sums.finish_unknown)
    warnings = outcomes.warnings(find_max_tokens(task.inferencer), needs_finish=must_know_ends(run, task))
    details = [note for number in numbers if not number.field for note in number.details.get("notes", ())]
    notes = [*facts.pop("notes"), *health.describe(), *details, *warnings]
    return Metrics(
        **facts,
        notes=tuple(dict.fromkeys(notes)),
        outcomes=outcomes,
        failures=tuple(
            FailureKind(kind, count, tuple(sums.examples.get(kind, ()))) for kind, count in sums.failures.most_common()
        ),
        not_computed=_collect_refusals(sums, numbers),
        unsuited=tuple(
            column.metric.name
            for column in sums.columns.values()
            if column.is_unsuited or (not column.scored and 0 < column.mismatched == column.count(0, "unreadable"))
        ),
        unreadable={name: dict(c.reasons.most_common()) for name, c in sums.columns.items() if c.reasons},
        numbers=tuple(numbers),
        judges=tuple(sums.judges.values()),
        usage=sums.usage.to_usage(),
        speed=_summarise_speed(sums),
        journal=health,
    )


def _summarise_speed(sums: RunningSums) -> Throughput | None:
    """Summarise the passes over all shards; rates are those of one worker."""
    speed = summarise_throughput(sums.passes.to_timings())
    if speed is None:
        return None
    first_token, first_audio = sums.delays["first_token"].summarise(), sums.delays["first_audio"].summarise()
    return replace(speed, passes=sums.passes.count, ttft_s=first_token, ttfa_s=first_audio)


def _collect_refusals(sums: RunningSums, numbers: Sequence[Number]) -> dict[str, str]:
    """List metrics and breakdowns that were requested but not computed, with reasons."""
    reasons = {name: reason for name, column in sums.columns.items() if (reason := _explain(column, bool(numbers)))}
    for name, column in sums.columns.items():
        if column.is_sampled and sums.fields:
            reasons[f"{name} by group"] = "it has too many distinct statistics to be computed by group from sums"
    if sums.cluster_problem:
        reasons["cluster"] = sums.cluster_problem
    for name in sums.breakdown_fields:
        if name not in sums.fields and sums.total:
            reasons[f"by {name}"] = f"no sample has the metadata field {name!r}, or it has too many values"
    return reasons


def _explain(column: RunningColumn, has_numbers: bool) -> str:
    """Return why a metric has no number; empty if it has one, or that needs no mention."""
    metric = column.metric
    if column.refusal_reason or column.scored or metric.derived_from:
        return column.refusal_reason
    if column.reasons:
        return f"no answer could be scored: {column.reasons.most_common(1)[0][0]}"
    if column.count(0, "not_applicable") and not isinstance(metric, Restricted):
        return f"it applies to none of the samples: rows need {metric.needs}" if metric.needs else NOTHING_RETURNED
    return "it applies to none of the samples" if column.count(0, "not_applicable") and not has_numbers else ""


def _read_worst(store: ShardStore, sums: RunningSums) -> list[tuple[Record, ScoreLine]]:
    """Read the worst samples from the shards that have them."""
    wanted = sums.worst_samples()[:MAX_WORST_SAMPLES]
    by_shard: dict[int, set[str]] = {}
    for sample in wanted:
        by_shard.setdefault(sample.shard, set()).add(sample.id)
    read: dict[tuple[int, str], tuple[Record, ScoreLine]] = {}
    with TemporaryDirectory(prefix="auricle-worst-") as scratch:
        for completion in store.completions():
            if ids := by_shard.get(completion.shard):
                shard = store.fetch(completion, Path(scratch) / str(completion.shard))
                read |= {(completion.shard, line.id): (record, line) for record, line in _read_samples(shard, ids)}
    return [read[sample.shard, sample.id] for sample in wanted if (sample.shard, sample.id) in read]


def _read_samples(shard: Path, ids: set[str]) -> list[tuple[Record, ScoreLine]]:
    lines = [line for line in read_scores(shard) if line.id in ids]
    with JournalIndex(shard / OUTPUTS_FILE) as index:
        return [(record, line) for line in lines if (record := index.get(line.id))]
