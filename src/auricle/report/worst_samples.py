"""The worst samples of a run, as its page shows them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from auricle.core.judge_roles import JudgeRole
from auricle.core.types import Outcome, Record
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Judged
from auricle.report.figures import load_figure_sources
from auricle.report.sample_view import MAX_SAMPLES, SampleView, build_sample_views
from auricle.runs.metrics import Number
from auricle.runs.run_directory import Run
from auricle.runs.scores import ScoreLine, read_scores
from auricle.scoring.stored_stats import get_stat, load_stats

ScoredRecord = tuple[Record, ScoreLine]


def view_worst_samples(worst: Sequence[ScoredRecord], metric: Metric | None, *, audio: bool = True) -> list[SampleView]:
    """Prepare the worst samples of a run for display, with their verdicts and why answers could not be read.

    Args:
        worst: Records with their scores, worst first.
        metric: The metric by which they are the worst.
        audio: Whether to add recordings, within the limits of a page.
    """
    name = metric.name if metric else ""
    stats = {record.sample.id: line.stats.get(name) for record, line in worst}
    views = build_sample_views([record for record, _ in worst], metric, stats, audio=audio)
    title = (metric.judge_role if isinstance(metric, Judged) else JudgeRole.JUDGE).noun
    views = [replace(view, judge_title=title) for view in views]
    return [_add_remarks(view, line, name) for view, (_, line) in zip(views, worst, strict=False)]


def _add_remarks(view: SampleView, line: ScoreLine, metric: str) -> SampleView:
    """Add the verdicts, and why the answer could not be read."""
    outcome = line.resolve_outcome(Outcome.ANSWERED).capitalize()
    reason = f"{outcome}: {line.unreadable[metric]} " if metric in line.unreadable else ""
    view = replace(view, verdict=" | ".join(line.verdicts.get(metric, ())), note=f"{reason}{view.note}".rstrip())
    for source in load_figure_sources():
        view = source.add_scores(view, line)
    return view


def load_worst_samples(path: Path, number: Number, *, audio: bool) -> list[SampleView]:
    """Read the worst samples by a number of a run that was scored; none if its metric is not available.

    Raises:
        DataError: if the scores or the journal are missing or damaged.
    """
    stored = load_stats(path, number)
    if stored is None:
        return []
    metric = stored.metric.replace(name=number.metric)
    ratings = metric.rate_stats(stored.stats, stored.stats)
    worst = heapq.nlargest(MAX_SAMPLES, _rate_lines(path, number, ratings), key=lambda rated: rated[:3])
    with Run.load(path).open_index() as index:
        records = [(record, line) for *_, line in worst if (record := index.get(line.id))]
    return view_worst_samples(records, metric, audio=audio)


def _rate_lines(path: Path, number: Number, ratings: Iterable[float]) -> Iterator[tuple[float, int, int, ScoreLine]]:
    """Yield how bad each sample is, with its row and place: the earlier of two equal samples comes first."""
    coming = iter(ratings)
    for place, line in enumerate(read_scores(path)):
        if (stat := get_stat(line, number)) is not None:
            yield next(coming), -line.row, -place, replace(line, stats={number.metric: stat})
