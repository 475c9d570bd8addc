"""Format the results of runs for the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from auricle.core.signature import Signature
from auricle.report.methods import TOO_FEW, explain_few_units, format_method
from auricle.report.text_format import (
    Bound,
    format_counts,
    format_coverage,
    format_dominance,
    format_number,
    format_silence,
    format_value,
    group_by_readings,
    group_failures,
    list_readings,
)
from auricle.report.text_table import format_table
from auricle.runs.extras import describe_extras
from auricle.runs.metrics import Metrics, Number
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.scores import JUDGED, UNREAD
from auricle.runs.task_names import name_several_tasks
from auricle.scoring.refusals import group_by_reason

MAX_UNREAD_SHARE = 0.02
"""Share of unread replies above which commands to look at them are offered."""
TABLE_HEADER = (
    *("task", "model", "metric", "profile", "group", "value", "95 % interval", "method", "n", "coverage", "notes"),
)


def format_metrics(runs: Sequence[Metrics], by: Iterable[str] = (), *, show_all: bool = True) -> list[str]:
    """Format the results of one or more runs, over all samples and by the given fields; with the task if several.

    Without `show_all`, only the headline metrics of each run are shown, and the others are counted below the table.
    Numbers of the same metric and task that are not comparable are marked, with the reasons below the table.
    """
    tasks = name_several_tasks([metrics.task for metrics in runs])
    marks, reasons = _mark_incomparable(runs, with_task=len({metrics.task.name for metrics in runs}) > 1)
    folded = [{number.metric for number in (() if show_all else metrics.folded)} for metrics in runs]
    shown = [
        (index, metrics, number)
        for field in ("", *by)
        for index, metrics in enumerate(runs)
        for number in metrics.table_rows
        if number.field == field and number.metric not in folded[index]
    ]
    if not shown:
        return ["No results: no sample was scored."]
    rows = [
        (tasks[index], *_metric_row(metrics, number, marks.get((index, number.metric), "")))
        for index, metrics, number in shown
    ]
    few_units = explain_few_units(number for _, _, number in shown)
    more = [f"{count} more metrics: auricle show RUN --all"] if (count := max(map(len, folded))) else []
    return [*format_table(TABLE_HEADER, rows), *more, *([few_units] if few_units else []), *reasons]


def _mark_incomparable(runs: Sequence[Metrics], *, with_task: bool) -> tuple[dict[tuple[int, str], str], list[str]]:
    """Return a mark for each run and metric that is not comparable with another one, and the reasons."""
    signatures: dict[tuple[str, str], dict[int, Signature]] = {}
    for index, metrics in enumerate(runs):
        for number in metrics.overall:
            signatures.setdefault((metrics.task.name, number.metric), {})[index] = number.signature
    marks: dict[tuple[int, str], str] = {}
    metrics_by_reason: dict[tuple[str, int, str], list[str]] = {}
    for (task, metric), by_run in signatures.items():
        (_, first), *others = sets = _split_comparable(by_run)
        for position, (members, _) in enumerate(sets if others else (), 1):
            marks |= {(index, metric): f" [{position}]" for index in members}
        for position, (_, other) in enumerate(others, 2):
            metrics_by_reason.setdefault((task, position, first.explain_difference(other)), []).append(metric)
    lines = [
        f"Not comparable: {f'{task} ' if with_task else ''}{', '.join(names)} [1] and [{position}]: {reason}"
        for (task, position, reason), names in metrics_by_reason.items()
    ]
    return marks, lines


def _split_comparable(signatures: Mapping[int, Signature]) -> list[tuple[list[int], Signature]]:
    """Split runs into sets whose numbers are comparable, each with the signature of its first."""
    sets: list[tuple[list[int], Signature]] = []
    for index, signature in signatures.items():
        for members, first in sets:
            if not first.explain_difference(signature):
                members.append(index)
                break
        else:
            sets.append(([index], signature))
    return sets


def _metric_row(metrics: Metrics, number: Number, mark: str) -> tuple[str, ...]:
    return (
        metrics.model.name,
        f"{number.direction.mark(number.metric)}{mark}",
        number.signature.metric.profile,
        f"{number.field}={number.group}" if number.field else "all",
        format_value(number),
        _format_interval(number),
        format_method(number.interval, number),
        str(number.scored),
        format_coverage(number),
        _notes(number, OutcomeCounts() if number.field else metrics.outcomes),
    )


def _format_interval(number: Number) -> str:
    if number.has_too_few_units:
        return TOO_FEW
    return "–" if number.low is None else f"{format_value(number, 'low')} … {format_value(number, 'high')}"


def _notes(number: Number, outcomes: OutcomeCounts) -> str:
    return ", ".join([*_detail_notes(number), *_sample_notes(number, outcomes)])


def _detail_notes(number: Number) -> list[str]:
    """Return notes about what the value consists of."""
    notes, details = [], number.details
    if "substitutions" in details and not number.field:
        notes.append("S {substitutions} D {deletions} I {insertions}".format(**details))
    notes += [note for note in (format_dominance(number), format_silence(details), format_counts(details)) if note]
    if (highest := details.get("ceiling")) is not None:
        notes.append(f"at most {format_number(highest, 'share')}")
    if labels := details.get("human_labels"):
        notes.append(f"{labels} human labels")
    if ties := details.get("ties"):
        notes.append(f"{ties} tie{'s' * (ties != 1)}")
    return notes


def _sample_notes(number: Number, outcomes: OutcomeCounts) -> list[str]:
    """Return notes about samples that were not scored, or not as answers."""
    notes = []
    if number.failed:
        notes.append(f"{number.failed} failed{_format_failure_bounds(number)}")
    cut_off = max(outcomes.truncated, number.truncated)  # some may be scored, of texts all are
    unread = {"unreadable": number.unreadable, "cut off": cut_off}
    if named := ", ".join(f"{count} {name}" for name, count in unread.items() if count):
        notes.append(f"{named}{_format_bounds(number, 'unread_wrong', 'unread_right')}")
    counts = {
        "refused": number.refused,
        "not applicable": number.not_applicable,
        "empty": outcomes.empty,
        "without audio": outcomes.audio_not_sent,
    }
    notes += [f"{count} {name}" for name, count in counts.items() if count]
    left = number.total - number.scored - number.failed
    if left > 0 and left != number.unreadable + number.refused + number.truncated - number.counted_wrong:
        notes.append(f"{left} not scored")
    return notes


def _format_failure_bounds(number: Number) -> str:
    """Format the value if all failed samples had been best and worst, and how many of them that leaves out."""
    if number.unbounded == number.failed:
        return " (not bounded)"
    return _format_bounds(number, "worst", "best", f", {number.unbounded} not bounded" if number.unbounded else "")


def _format_bounds(number: Number, worst: Bound, best: Bound, remark: str = "") -> str:
    """Format two bounds of a value, the lower first; nothing if they are unknown."""
    if getattr(number, worst) is None or getattr(number, best) is None:
        return ""
    low, high = (worst, best) if number.higher_is_better else (best, worst)
    return f" (bounds {format_value(number, low)} … {format_value(number, high)}{remark})"


def format_readings(metrics: Metrics, run: Path) -> list[str]:
    """Format how answers were read, with a line for metrics that read alike, and how often they were read right.

    If many are unread, commands to look at them and to let a judge read them are offered.
    """
    lines, groups = [], group_by_readings(metrics.overall)
    for group in groups:
        shares = ", ".join(f"{name} {format_number(share, 'share')}" for name, _, share in list_readings(group[0]))
        lines.append(f"How answers were read ({', '.join(number.metric for number in group)}): {shares}")
    unread = [readings for (number, *_) in groups if _is_often_unread(readings := number.readings)]
    if unread:
        judge = f"; let a judge read them: auricle score {run} --judge-unread MODEL"
        lines.append(f"Look at unread replies: auricle audit {run}{'' if JUDGED in unread[0] else judge}")
    return [*lines, *describe_extras(metrics)]


def _is_often_unread(readings: Mapping[str, int]) -> bool:
    return readings.get(UNREAD, 0) > MAX_UNREAD_SHARE * sum(readings.values())


def format_failures(metrics: Metrics, max_examples: int = 3) -> list[str]:
    """Format failures by kind, with a few examples."""
    lines = []
    for failure in group_failures(metrics):
        lines.append(f"{failure.count} × {failure.kind}")
        for example in failure.examples[:max_examples]:
            lines.append(f"    {example.origin or example.id}: {to_one_line(example.message)}")
        if failure.count > max_examples:
            lines.append(f"    … and {failure.count - max_examples} more: auricle samples RUN --failed")
    if metrics.not_computed:
        lines += [f"{', '.join(names)}: {to_one_line(why)}" for names, why in group_by_reason(metrics.not_computed)]
    return lines


def format_notes(metrics: Metrics, known: Collection[str] = ()) -> list[str]:
    """Format notes about the data and possible contamination, except those that are known."""
    return [f"Note: {to_one_line(note, 600)}" for note in metrics.notes if note not in known]


def to_one_line(text: str, max_length: int = 200) -> str:
    """Put a message on one line and remove control characters."""
    printable = "".join(each if each.isprintable() else " " for each in text)
    printable = " ".join(printable.split())
    return printable if len(printable) <= max_length else printable[: max_length - 1] + "…"
