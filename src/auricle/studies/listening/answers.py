"""The answers of a model under the conditions of a listening check, and the numbers that are made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from auricle.core.signature import MetricSignature
from auricle.engine.conditions import CLEAN
from auricle.engine.sample_changes import NoAudio, OptionShift
from auricle.metrics.base import Codes, Metric, mean
from auricle.metrics.capabilities import Credited, Tokenized
from auricle.metrics.intervals import Interval, compute_interval
from auricle.runs.metrics import PART_FIELD, Metrics, Number
from auricle.runs.suites import SuiteRun
from auricle.scoring.clusters import encode_clusters, renumber_clusters
from auricle.studies.listening.items import Item
from auricle.studies.listening.table import GAIN

WITHOUT_SOUND = (NoAudio.name, "replace")
"""First steps of the controls in which the sound of the sample is missing."""
NO_INTERVAL = Interval(math.nan, math.nan, "", 0)
"""For numbers that have none."""


@dataclass(frozen=True)
class ListeningAnswers:
    """The answers of a model under all conditions."""

    suite: SuiteRun
    results: Mapping[str, Metrics]
    """The numbers of each condition."""
    metrics: Sequence[Metric]
    items: Mapping[str, Mapping[str, Item]]
    """The answered samples of each condition, by id."""

    @property
    def clean(self) -> Mapping[str, Item]:
        return self.items[CLEAN]

    @cached_property
    def controls(self) -> list[str]:
        """The controls that were run and in which at least one sample was answered."""
        return [part.name for part in self.suite.parts if part.condition and self.items.get(part.name)]

    @cached_property
    def soundless(self) -> list[str]:
        """The controls without the sound of the sample."""
        return [name for name in self.controls if name.partition(":")[0] in WITHOUT_SOUND]

    @cached_property
    def orders(self) -> list[str]:
        """The conditions that differ only in the order of the options, if there are several."""
        shifted = [name for name in self.controls if name.partition(":")[0] == OptionShift.name and "+" not in name]
        return [CLEAN, *shifted] if shifted else []

    @cached_property
    def hit_metric(self) -> Metric | None:
        """The first metric that shows whether a sample is right."""
        return next((metric for metric in self.metrics if isinstance(metric, (Credited, Tokenized))), None)

    @cached_property
    def hit_controls(self) -> list[str]:
        """The controls without the sound that show whether samples are right."""
        metric = self.hit_metric
        return [name for name in self.soundless if metric and self.list_scored(metric, [name])]

    def explain_undefined(self) -> dict[str, str]:
        """Return why controls have no score."""
        reasons = {}
        for part in self.suite.parts:
            if not part.condition or part.name in self.controls:
                continue
            failures = self.results[part.name].failures if part.name in self.results else ()
            example = next((example.message for failure in failures for example in failure.examples), "")
            reasons[part.name] = f"no sample was answered: {example.rstrip('.')}." if example else "it was not run."
        return reasons

    def is_right(self, metric: Metric, condition: str, sample: str) -> bool:
        """Return whether a sample is right: a hit, or a transcript without errors."""
        stat = self.items[condition][sample].stats[metric.name]
        return metric.is_hit(stat) is True if isinstance(metric, Credited) else metric.sample_value(stat) == 0

    def list_scored(self, metric: Metric, conditions: Sequence[str]) -> list[str]:
        """List the samples that a metric scored under all of these conditions, in the order of the data."""
        first, *others = (self.items[name] for name in conditions)
        return [
            sample
            for sample, item in first.items()
            if metric.name in item.stats
            and all(sample in other and metric.name in other[sample].stats for other in others)
        ]

    def stats(self, metric: Metric, condition: str, ids: Iterable[str]) -> list[Any]:
        """Return the statistics of some samples under a condition."""
        return [self.items[condition][sample].stats[metric.name] for sample in ids]

    def encode_clusters(self, ids: Sequence[str]) -> Codes | None:
        """Number the clusters of some samples; return None if they are independent or in one cluster."""
        if not self.results[CLEAN].task.cluster:
            return None
        return renumber_clusters(encode_clusters(self.cluster_of(sample) for sample in ids))

    def cluster_of(self, sample: str) -> str | None:
        """Return the cluster of a sample; None if it is a unit of its own."""
        item = self.clean.get(sample)
        return item.cluster if item else None

    def make_share(
        self, name: str, title: str, ids: Sequence[str], is_counted: Callable[[str], bool], **fields: Any
    ) -> Number:
        """Make the share of samples that count; see `make_number`."""
        number = self.make_mean(name, title, [(sample, float(is_counted(sample))) for sample in ids], **fields)
        return replace(number, unit="share")

    def make_mean(self, name: str, title: str, values: Sequence[tuple[str, float]], **fields: Any) -> Number:
        """Make the mean of one value per sample; see `make_number`."""
        stats = [value for _, value in values]
        interval = compute_interval(stats, mean, clusters=self.encode_clusters([sample for sample, _ in values]))
        number = self.make_number(name, title, float(mean(stats)), interval, **fields)
        return replace(number, scored=len(stats), total=len(stats))

    def make_number(self, name: str, title: str, value: float, interval: Interval, **fields: Any) -> Number:
        """Make a number.

        Args:
            name: Name of the metric.
            title: Its name for people.
            value: The value; None in the number if it is not finite.
            interval: Its interval.
            **fields: Further fields of the number; `group` names a control, or another group if there is a `field`.
        """
        group = fields.get("group", "")
        signature = self.results[CLEAN].overall[0].signature
        bases = {metric.name: metric.signature for metric in self.metrics}
        decisive = bases.get(name.removesuffix(GAIN)) or "\n".join(bases.values())
        text = "\n".join([decisive, *([group] if group else [CLEAN, *self.controls])])
        details = {
            key: _defined(entry) if isinstance(entry, float) else entry
            for key, entry in fields.get("details", {}).items()
        }
        variant = blake2b(text.encode(), digest_size=4).hexdigest()
        return Number(
            metric=name,
            title=title,
            **{"field": PART_FIELD if group else "", "group": "all", **fields, "details": details},
            value=_defined(value),
            low=_defined(interval.low),
            high=_defined(interval.high),
            interval=interval.method,
            cluster=self.results[CLEAN].task.cluster if interval.units else "",
            units=interval.units,
            signature=replace(signature, metric=MetricSignature(name, 1, (f"listening#{variant}",))),
        )


def _defined(value: float) -> float | None:
    return value if math.isfinite(value) else None
