"""The statistics behind a number of a run that was scored, read from its `scores.jsonl`.

Code that a run names is never executed. A metric that is neither built in nor part of an installed package is replaced
by the mean or the ratio of its statistics, if that gives the published number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from auricle.core.direction import Optimum
from auricle.core.errors import AuricleError, DataError
from auricle.metrics.base import Aggregator, Metric, Stats, Unit, mean, ratio
from auricle.metrics.capabilities import Profiled, UsesSynonyms
from auricle.metrics.catalogue import METRICS
from auricle.runs.metrics import Number
from auricle.runs.scores import ScoreLine, read_scores, restore_stat
from auricle.scoring.score_table import StatArray

RELATIVE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class StoredStats:
    """The statistics behind a number, with the ids of their samples and the metric that aggregates them."""

    ids: list[str]
    stats: Stats
    metric: Metric

    def compute_sample_values(self) -> Iterator[tuple[str, float]]:
        """Yield the id and the number of each sample alone, except of those that have none."""
        for sample_id, stat in zip(self.ids, self.stats, strict=True):
            value = self.metric.sample_value(stat.item() if getattr(stat, "shape", None) == () else stat)
            if math.isfinite(value):
                yield sample_id, value


def load_stats(path: Path, number: Number) -> StoredStats | None:
    """Read the statistics behind a number; return None if no metric that is at hand gives the number again.

    Raises:
        DataError: if `scores.jsonl` is missing or damaged.
    """
    ids: list[str] = []
    stats = StatArray()
    for line in read_scores(path):
        if (stat := get_stat(line, number)) is not None:
            try:
                stats.append(stat)
            except TypeError as error:
                raise DataError(f"{path}: {error}. Run `auricle score {path}` to score it again.") from error
            ids.append(line.id)
    if not ids:
        return None
    all_stats = stats[np.arange(len(ids))]
    metric = _resolve_metric(number, all_stats)
    return StoredStats(ids, all_stats, metric) if metric else None


def get_stat(line: ScoreLine, number: Number) -> Any:
    """Return the statistic of a sample behind a number; None if it has none."""
    stat = line.stats.get(number.metric)
    return None if stat is None else restore_stat(stat)


def _resolve_metric(number: Number, stats: Stats) -> Metric | None:
    return next((metric for metric in _list_candidates(number) if _reproduces(number, metric, stats)), None)


def _list_candidates(number: Number) -> Iterator[Metric]:
    """Yield the metric that the signature names, and metrics with the usual aggregators."""
    signature = number.signature.metric
    if signature.name in METRICS:
        try:
            metric: Metric = METRICS.get(signature.name)
            if signature.profile and isinstance(metric, Profiled):
                metric = metric.with_profile(signature.profile)
            if isinstance(metric, UsesSynonyms) and not signature.uses_synonyms:
                metric = metric.without_synonyms()
        except AuricleError:  # its extra is not installed, or it has no such profile
            pass
        else:
            yield metric
    limits = number.details.get("limits")
    limited_mean = mean.with_limits(*limits) if limits else mean
    yield _stand_in(number, limited_mean, credit=_read_credit if number.right_or_wrong else None)
    yield _stand_in(number, ratio)


def _stand_in(number: Number, aggregate: Aggregator, credit: Callable[[Any], float] | None = None) -> Metric:
    """Return a metric that describes a number but cannot score."""

    def refuse_to_score(*_: Any) -> float:
        raise NotImplementedError(f"The metric {number.metric!r} is not available.")

    return Metric(
        number.metric,
        refuse_to_score,
        aggregate,
        number.higher_is_better,
        title=number.title,
        optimum=number.optimum if number.optimum in get_args(Optimum) else "",
        unit=number.unit if number.unit in get_args(Unit) else "",
        credit=credit and (credit if number.higher_is_better else lambda stat: 1.0 - credit(stat)),
    )


def _read_credit(stat: Any) -> float:
    """Return the first number of a statistic, which is what `mean` averages."""
    return float(np.ravel(stat)[0])


def _reproduces(number: Number, metric: Metric, stats: Stats) -> bool:
    """Return whether a metric can aggregate and rate these statistics, and gives the number."""
    try:
        value = float(metric.aggregate(stats))
        metric.badness(stats[0])
    except Exception:  # noqa: BLE001 - the statistics may be those of any other metric
        return False
    return number.value is not None and math.isclose(value, number.value, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-12)
