"""What a metric is: a stat for each sample, and a fold over the stats.

The per-sample function returns whatever the fold needs and no more: a number, an
(errors, length) pair, a (predicted, true) pair. Corpus metrics, confidence
intervals, breakdowns and resumed runs all follow from that split.

A fold is any function from stats to a number. One that can also `weigh` its stats
(see `Sums`) is resampled a thousand times in the time a plain one takes for a few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from auricle.core.types import Generate, Output, Sample, Stat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

Aggregator: TypeAlias = Callable[[Sequence[Any]], float]
ScoreFunction: TypeAlias = Callable[..., Stat]
WeightedAggregate: TypeAlias = "Callable[[Array], float]"
Details: TypeAlias = Mapping[str, Any]


@runtime_checkable
class SupportsWeights(Protocol):
    """A fold that can count each stat a given number of times without copying it."""

    def __call__(self, stats: Sequence[Any]) -> float: ...
    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate: ...


@runtime_checkable
class SupportsContexts(Protocol):
    """A fold whose details need what nearly all samples share, such as a model's whole label set.

    That is noted once for many samples, and is no part of their stats.
    """

    def __call__(self, stats: Sequence[Any]) -> float: ...
    def extract_context(self, sample: Sample, *outputs: Output) -> Hashable: ...
    def with_contexts(self, contexts: Iterable[Hashable]) -> Aggregator: ...


@dataclass(frozen=True)
class Metric:
    """A named way to score a sample's outputs, and to sum up many."""

    name: str
    score: ScoreFunction
    aggregate: Aggregator
    higher_is_better: bool = True
    version: int = 1
    variant: str = ""
    """What else decides the number, such as the normaliser; part of the signature."""
    unreadable: Literal["wrong", "unscored"] = "unscored"
    bounds: Callable[[Sample], tuple[Stat, Stat]] | None = None
    """The worst and the best stat a sample could have had."""
    unit: Literal["", "share", "points"] = ""
    """A share is told in per cent, points as they are; nothing known, four decimals."""
    with_profile: Callable[[str], Metric] | None = None
    """The same metric under another normaliser profile."""
    tokenize: Callable[[str], list[str]] | None = None
    """A text as this metric sees it, token by token, for a diff a reader can check."""
    custom_badness: Callable[[Any], float] | None = None
    """How bad one stat is, for the list of worst samples; by default its own value."""
    judge_requests: Callable[..., tuple[Generate, ...]] | None = None
    """What a judge must be asked about (sample, *outputs), one request a verdict; `score` is then
    given the replies as `verdicts`. The same request twice is two votes."""
    with_votes: Callable[[int], Metric] | None = None
    """The same metric with another number of votes."""
    companions: tuple[Metric, ...] = ()
    """Metrics of the same verdicts that are told beside this one."""
    applies: Callable[[Sample], bool] | None = None
    """Whom it is about; the rest is passed over, neither scored nor unreadable. Where this is given
    `score` may return None as well, for answers it is not about."""
    read_answer: Callable[[Sample, Any], str | None] | None = None
    """What an output says in this metric's eyes, None if nothing: two that say the same vote
    together."""
    without_synonyms: Callable[[], Metric] | None = None
    """The same metric where a label's synonyms are other labels."""
    is_model_independent: bool = False
    """Is it the same whatever a model says, such as chance? Two models do not differ in it."""
    has_label_ceiling: bool = False
    """Is a sample lost to it whose label the model does not have?"""

    def __repr__(self) -> str:
        return self.signature

    @property
    def signature(self) -> str:
        policy = "" if self.unreadable == "unscored" else f".unreadable-{self.unreadable}"
        variant = f".{self.variant}" if self.variant else ""
        return f"{self.name}:{self.version}{variant}{policy}"

    def badness(self, stat: Stat) -> float:
        """The higher, the worse did this sample."""
        if self.custom_badness:
            return self.custom_badness(stat)
        value = stat if isinstance(stat, (int, float)) else self.aggregate([stat])
        return -float(value) if self.higher_is_better else float(value)

    def details(self, stats: Sequence[Any]) -> Details:
        """What stands beside the number: error kinds, per-class figures."""
        own: Callable[[Sequence[Any]], Details] | None = getattr(self.aggregate, "details", None)
        return own(stats) if own and len(stats) else {}

    def plot_data(self, stats: Sequence[Any]) -> Details:
        """What a picture of all samples needs besides."""
        own: Callable[[Sequence[Any]], Details] | None = getattr(self.aggregate, "plot_data", None)
        return own(stats) if own and len(stats) else {}


def metric(
    aggregate: Aggregator | None = None,
    *,
    name: str = "",
    higher_is_better: bool = True,
    limits: tuple[float, float] | None = None,
    unreadable: Literal["wrong", "unscored"] = "unscored",
) -> Callable[[ScoreFunction], Metric]:
    """Decorator: a function of (sample, *outputs) becomes a metric."""
    if aggregate is not None and not callable(aggregate):
        raise TypeError(f"metric() takes a fold first; a name is given as name={aggregate!r}")
    if unreadable == "wrong" and limits is None:
        raise TypeError("unreadable='wrong' needs limits: how bad is the worst?")

    def make(score: ScoreFunction) -> Metric:
        return Metric(
            name or score.__name__,
            score,
            aggregate or mean,
            higher_is_better,
            bounds=constant_bounds(limits, higher_is_better) if limits else None,
            unit="share" if limits == (0.0, 1.0) else "",
            unreadable=unreadable,
        )

    return make


def as_metric(metric_or_score: Metric | ScoreFunction) -> Metric:
    """A metric, or a plain function as one."""
    return metric_or_score if isinstance(metric_or_score, Metric) else metric()(metric_or_score)


def constant_bounds(
    limits: tuple[float, float], higher_is_better: bool = True
) -> Callable[[Sample], tuple[Stat, Stat]]:
    """Bounds that are the same for every sample."""
    worst, best = limits if higher_is_better else limits[::-1]
    return lambda _: (worst, best)


class SumAggregator:
    """A fold of sums: `finish` sees each column's total and, last, the number of stats."""

    def __init__(self, finish: Callable[[Array], float], details: Callable[[Array], Details] | None = None) -> None:
        self._finish = finish
        self._details = details

    def __call__(self, stats: Sequence[Any]) -> float:
        return float(self._finish(stats_to_matrix(stats).sum(axis=0)))

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        import numpy as np

        columns = np.ascontiguousarray(stats_to_matrix(stats).T)
        # Not `@`: at these sizes a threaded BLAS takes longer to wake up than to multiply.
        return lambda weights: float(self._finish(np.einsum("cn,n->c", columns, weights)))

    def details(self, stats: Sequence[Any]) -> Details:
        return self._details(stats_to_matrix(stats).sum(axis=0)) if self._details else {}


class FirstValueMean(SumAggregator):
    """The mean of each stat's first number; the others are only told beside it."""

    is_single_stat = True

    def __init__(self, details: Callable[[Array], Details] | None = None) -> None:
        super().__init__(lambda totals: divide(totals[0], totals[-1]), details)

    @property
    def inner(self) -> Aggregator:
        return mean

    def unwrap(self, stats: Sequence[Any]) -> Sequence[Any]:
        return [float(stat[0]) for stat in stats]


def stats_to_matrix(stats: Sequence[Any]) -> Array:
    """Stats as rows of numbers, with a last column of ones that counts them."""
    import numpy as np

    rows = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)
    return np.column_stack([rows, np.ones(len(stats))])


def divide(numerator: float, denominator: float) -> float:
    return float(numerator / denominator) if denominator else math.nan


mean = SumAggregator(lambda totals: divide(totals[0], totals[-1]))
"""The mean of a number a sample."""

ratio = SumAggregator(lambda totals: divide(totals[0], totals[1]))
"""Sum of the parts over sum of the wholes: the corpus rate, not a mean of rates."""
