"""The `Metric` class, the `@metric` decorator and the basic aggregators.

A metric has two parts. `score` returns a statistic for one sample: a number, an (errors, length) pair, a
(predicted, true) pair. `aggregate` turns the statistics of many samples into one number. Because the two are
separate, corpus-level rates, confidence intervals, breakdowns and resumed runs need no further code.

An aggregator is any function from statistics to a number. One that also has `prepare_weighted` (such as
`SumAggregator`) is resampled much faster.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from auricle.core.direction import Direction, Optimum
from auricle.core.types import MAX_TEXT_LENGTH, Generation, Output, Record, Sample, Stat
from auricle.metrics.capabilities import CAPABILITIES, Credited, Judged
from auricle.metrics.catalogue import METRICS, PROFILE_MARK
from auricle.metrics.scales import NONNEGATIVE, REAL, SHARE, RateScale, Scale, choose_mean_scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"
Codes: TypeAlias = "NDArray[np.int64]"
Mask: TypeAlias = "NDArray[np.bool_]"
Aggregator: TypeAlias = Callable[[Any], float]
Stats: TypeAlias = "Sequence[Any] | NDArray[Any]"
ScoreFunction: TypeAlias = Callable[..., "Stat | None"]
WeightedAggregate: TypeAlias = "Callable[[Array], float]"
Details: TypeAlias = Mapping[str, Any]
Reply: TypeAlias = str | Mapping[str, float]
"""What a judge replies: text, or numbers by name."""
Unit: TypeAlias = Literal["", "share", "points", "s"]
"""How a number is shown: a share in per cent, points unscaled, seconds with an s, anything else with four decimals."""
Plot: TypeAlias = Literal["", "errors", "classes", "separation", "ratings", "pairs", "detection"]
"""How results are drawn: error types, a confusion matrix, densities of labels, predictions against human ratings,
pairs against a baseline, or the errors of a detector."""
Fact: TypeAlias = Literal["audio_seconds", "model_seconds"]
"""What a score may depend on beside a sample and its outputs: the duration of its audio, the time of its answers."""

COMPANION_SUFFIXES = (".kappa", ".alpha", ".corrected", ".rank_agreement")
"""Ends of the names of metrics that compare a judge with people or other judges; a single sample has no such score."""
OVERSIZED_TEXT = f"the answer or its reference is longer than {MAX_TEXT_LENGTH:,} characters"


@runtime_checkable
class SupportsWeights(Protocol):
    """An aggregator that can weight each statistic instead of repeating it."""

    def __call__(self, stats: Stats) -> float: ...
    def prepare_weighted(self, stats: Stats) -> WeightedAggregate: ...


@runtime_checkable
class SupportsScale(Protocol):
    """An aggregator that knows the range of its numbers, on which their interval depends."""

    def __call__(self, stats: Stats) -> float: ...
    def choose_scale(self, stats: Stats, units: Codes) -> Scale: ...


@runtime_checkable
class SupportsMembers(Protocol):
    """An aggregator whose statistics each belong to several independent units, as a trial does to two speakers.

    A statistic is left out with any of its units. The weights that `prepare_weighted` receives may be truth values.
    """

    member_name: str
    """What a unit is, such as `speaker`."""

    def __call__(self, stats: Stats) -> float: ...
    def prepare_weighted(self, stats: Stats) -> WeightedAggregate: ...
    def list_members(self, stats: Stats) -> Codes | None:
        """Return the index of the units of each statistic, one column per member; None if they are unknown."""


@runtime_checkable
class SupportsContexts(Protocol):
    """An aggregator whose details need data that most samples share, such as a model's label set.

    Each distinct context is stored once instead of in every statistic.
    """

    def __call__(self, stats: Stats) -> float: ...
    def extract_context(self, sample: Sample, *outputs: Output) -> Hashable: ...
    def with_contexts(self, contexts: Iterable[Hashable]) -> Aggregator: ...


class Metric:
    """A named way to score the outputs of a sample and to aggregate the scores of many samples.

    A simple metric is made from a function, with the `metric` decorator or `Metric(name, score, aggregate)`. Others are
    subclasses that set the fields and implement `score`, `aggregate`, and the methods of what else they can do; see
    `auricle.metrics.capabilities`.

    Args:
        name: Name in reports and in `metrics:` lists.
        score: Function of (sample, *outputs) that returns the sample's statistic, or None if the metric does not
            apply to the sample.
        aggregate: Function from statistics to one number, such as `mean` or `ratio`.
        higher_is_better: Whether a higher number is better.
        parts: Other fields, and functions for the methods of any capability, such as `bounds`.

    Examples:
        >>> from auricle import Generation, Sample
        >>> length = Metric("length", lambda sample, output: len(output.text), mean)
        >>> length.score(Sample(id="1", inputs={}), Generation(text="abcd"))
        4
        >>> length.aggregate([2, 4])
        3.0
    """

    name: str
    score: ScoreFunction
    aggregate: Aggregator
    higher_is_better: bool = True
    optimum: Optimum = ""
    """What is best if neither higher nor lower numbers are: `zero`, as for a bias, or `none`, as for a duration. It
    takes precedence over `higher_is_better`."""
    version: int = 1
    """Raised whenever the same outputs would give another number; part of the signature."""
    title: str = ""
    """Name shown to people. [default: `name`]"""
    unit: Unit = ""
    """What the number counts; decides how it is printed."""
    variant: str = ""
    """Anything else that decides the number, such as the normaliser; part of the signature."""
    profile: str = ""
    """Name of the text normaliser, which is also part of `variant`; empty if the metric uses none."""
    unreadable: Literal["wrong", "unscored"] = "unscored"
    """Whether an unreadable answer counts as wrong or is left out."""
    plot: Plot = ""
    """How results are drawn."""
    needs: str = ""
    """What a sample must have for the metric to apply to it; stated if none has it."""
    facts: tuple[Fact, ...] = ()
    """What else `score` takes, by name. The time that the model took for all answers of a sample is None if it is
    unknown or an answer is from the response cache."""
    derived_from: tuple[str, ...] = ()
    """Metrics whose values of a sample `score` receives instead of outputs; None for each that has no value."""
    is_model_independent: bool = False
    """Whether the number does not depend on the model, such as chance level; it is then not compared."""

    def __init__(
        self,
        name: str = "",
        score: ScoreFunction | None = None,
        aggregate: Aggregator | None = None,
        higher_is_better: bool | None = None,
        **parts: Any,
    ) -> None:
        if unknown := [part for part in parts if part not in PARTS and not hasattr(type(self), part)]:
            raise TypeError(f"a metric has no {unknown[0]!r}")
        own = {"score": score, "aggregate": aggregate, "higher_is_better": higher_is_better}
        self._assign({"name": name or self.name, **own, **parts})

    def _assign(self, parts: Mapping[str, Any]) -> None:
        """Set fields and methods. None is a method that the metric does not have."""
        self.__dict__.update({name: part for name, part in parts.items() if part is not None})
        self.title = self.title or self.name
        if "judge_requests" in self.__dict__:
            self.__dict__.update({name: self.__dict__.get(name, default) for name, default in JUDGED_DEFAULTS.items()})
        bounds = getattr(self, "bounds", None)
        if isinstance(bounds, ConstantBounds) and isinstance(self.aggregate, MeanAggregator):
            self.aggregate = self.aggregate.with_limits(bounds.worst, bounds.best)

    def __repr__(self) -> str:
        return self.signature

    def replace(self, **changes: Any) -> Metric:
        """Return the same metric with other fields or methods; None takes a method away."""
        kind = type(self)
        declared = [name for name in dir(kind) if getattr(kind, name) is not getattr(Metric, name, None)]
        own = {name: getattr(self, name) for name in declared if not name.startswith("_")}
        other = Metric.__new__(Metric)
        other._assign(own | vars(self) | changes)  # noqa: SLF001 - of the same class
        return other

    @property
    def direction(self) -> Direction:
        """Which numbers are better."""
        return Direction.of(self.higher_is_better, self.optimum)

    @property
    def signature(self) -> str:
        """Name, version and variant: two numbers are comparable only if these are equal."""
        policy = ".unreadable-wrong" if self.unreadable == "wrong" else ""
        variant = f".{self.variant}" if self.variant else ""
        name = self.name.removesuffix(f"{PROFILE_MARK}{self.profile}")
        return f"{name}:{self.version}{variant}{policy}"

    def named_after_profile(self) -> Metric:
        """Return the metric with the name of its profile added to its own, to stand next to the same under another."""
        return self.replace(name=f"{self.name}{PROFILE_MARK}{self.profile}", title=f"{self.title} ({self.profile})")

    def bound(self, sample: Sample) -> tuple[Stat, Stat] | None:
        """Return the worst and the best statistic that a failed sample could have had; None if they are unknown."""
        bounds: Callable[[Sample], tuple[Stat, Stat]] | None = getattr(self, "bounds", None)
        return bounds(sample) if bounds and self.is_bounded(sample) else None

    def is_bounded(self, sample: Sample) -> bool:
        """Return whether the bounds of a sample are known: if it has a target, or they are the same for all."""
        return sample.target is not None or isinstance(getattr(self, "bounds", None), ConstantBounds)

    def badness(self, stat: Any) -> float:
        """Return how bad a sample's statistic is, to list the worst samples; higher is worse."""
        credit: Callable[[Any], float] | None = getattr(self, "credit", None)
        if credit:
            return 1.0 - credit(stat)
        value = self.sample_value(stat)
        if math.isnan(value):
            return -math.inf  # it cannot be rated, so it is not listed among the worst
        return self.direction.cost(value)

    @property
    def has_own_badness(self) -> bool:
        """Whether `badness` follows from more than the number of a sample."""
        return getattr(self.badness, "__func__", None) is not Metric.badness

    def rate_stats(self, stats: Stats, among: Stats) -> Sequence[float]:
        """Return how bad statistics are among all those of a model; higher is worse, also in comparison of models."""
        rate: Callable[[Stats, Stats], Array] | None = getattr(self.aggregate, "rate", None)
        return rate(stats, among).tolist() if rate and len(stats) else [self.badness(stat) for stat in stats]

    def sample_value(self, stat: Stat) -> float:
        """Return the number of one sample alone; NaN if the aggregator needs more than one."""
        try:
            # The number of plain sums may be any function of them, such as the root of a mean square.
            if isinstance(stat, (int, float)) and type(self.aggregate) is not SumAggregator:
                return float(stat)
            return float(self.aggregate([stat]))
        except Exception:  # noqa: BLE001 - an aggregator may raise anything
            return math.nan

    @property
    def right_or_wrong(self) -> bool:
        """Whether the metric counts samples as right or wrong."""
        return isinstance(self, Credited)

    def is_hit(self, stat: Stat) -> bool | None:
        """Return whether a sample is right, or None if it is neither right nor wrong."""
        credit = self.credit(stat) if isinstance(self, Credited) else None
        return bool(credit) if credit in (0.0, 1.0) else None

    def details(self, stats: Stats) -> Details:
        """Return what is reported with the number, such as error types or figures per class."""
        return _call_if_present(self.aggregate, "details", stats)

    def plot_data(self, stats: Stats) -> Details:
        """Return the additional data that plots of this metric need."""
        return _call_if_present(self.aggregate, "plot_data", stats)


def _call_if_present(aggregate: Aggregator, method: str, stats: Stats) -> Details:
    describe: Callable[[Stats], Details] | None = getattr(aggregate, method, None)
    return describe(stats) if describe and len(stats) else {}


def metric(
    aggregate: Aggregator | None = None,
    *,
    name: str = "",
    title: str = "",
    higher_is_better: bool = True,
    limits: tuple[float, float] | None = None,
    unreadable: Literal["wrong", "unscored"] = "unscored",
) -> Callable[[ScoreFunction], Metric]:
    """Turn a function of (sample, *outputs) into a metric.

    Args:
        aggregate: Function from statistics to one number. [default: `mean`]
        name: Name of the metric. [default: the name of the function]
        title: Name shown to people. [default: the name of the metric]
        higher_is_better: Whether a higher number is better.
        limits: Lowest and highest statistic, if they are the same for every sample.
        unreadable: Whether an unreadable answer counts as wrong (needs `limits`) or is left out.

    Returns:
        A decorator that replaces the function with a `Metric`.

    Examples:
        >>> from auricle import Generation, Sample
        >>> @metric(limits=(0.0, 1.0))
        ... def mentions_music(sample, output):
        ...     return float("music" in output.text)
        >>> mentions_music.score(Sample(id="1", inputs={}), Generation(text="loud music"))
        1.0
    """
    if aggregate is not None and not callable(aggregate):
        raise TypeError(f"The first argument of metric() is an aggregator. To set the name, use name={aggregate!r}.")
    if unreadable == "wrong" and limits is None:
        raise TypeError("unreadable='wrong' needs limits=(lowest, highest): unreadable answers get the worst of them.")

    def make(score: ScoreFunction) -> Metric:
        return Metric(
            name or score.__name__,
            score,
            aggregate or mean,
            higher_is_better,
            title=title,
            bounds=constant_bounds(limits, higher_is_better) if limits else None,
            unit="share" if limits == (0.0, 1.0) else "",
            credit=(float if higher_is_better else lambda share: 1.0 - share) if limits == (0.0, 1.0) else None,
            unreadable=unreadable,
        )

    return make


def has_oversized_text(record: Record) -> bool:
    """Return whether an answer or a reference of a record is too long to be scored."""
    references = record.sample.target if isinstance(record.sample.target, (list, tuple)) else [record.sample.target]
    answers = [output.text for output in record.outputs if isinstance(output, Generation)]
    return any(isinstance(text, str) and len(text) > MAX_TEXT_LENGTH for text in (*answers, *references))


def as_metric(metric_or_score: Metric | ScoreFunction) -> Metric:
    """Return a metric unchanged, or make one from a plain score function."""
    return metric_or_score if isinstance(metric_or_score, Metric) else metric()(metric_or_score)


def resolve_metrics(name: str) -> list[Metric]:
    """Return the metric of a name, or all metrics of a set such as `hallucination`.

    Raises:
        UnknownName: if there is neither.
    """
    value = METRICS.get(name)
    return [as_metric(member) for member in (value if isinstance(value, (list, tuple)) else [value])]


JUDGED_DEFAULTS = {name: getattr(Judged, name) for name in ("judge_role", "judge_models", "judge_scale", "companions")}
PARTS = {*Metric.__annotations__, "badness", "is_bounded"}.union(*(vars(capability) for capability in CAPABILITIES))
"""What may be given to `Metric`: its fields, and functions for methods."""


@dataclass(frozen=True, slots=True)
class ConstantBounds:
    """Bounds that are the same for every sample, and known even for a row that could not be read."""

    worst: Stat
    best: Stat

    def __call__(self, sample: Sample) -> tuple[Stat, Stat]:
        return self.worst, self.best


def constant_bounds(limits: tuple[float, float], higher_is_better: bool = True) -> ConstantBounds:
    """Return bounds that are the same for every sample."""
    return ConstantBounds(*limits) if higher_is_better else ConstantBounds(*limits[::-1])


class WeightedAggregator:
    """Base class of aggregators that only implement `prepare_weighted`."""

    scale: Scale = REAL
    """Scale of the number, on which its interval is computed."""

    def __call__(self, stats: Stats) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        """Return the aggregate as a function of the weight of each statistic."""
        raise NotImplementedError

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        """Return the scale of the number; `units` has the index of the independent unit of each statistic."""
        return self.scale


class SumAggregator:
    """An aggregator that needs only the sum of each column of the statistics.

    Args:
        finish: Function from the column totals to the number. The last total is the number of statistics.
        details: Function from the same totals to what is reported with the number.
        scale: Scale of the number, on which its interval is computed.

    Examples:
        >>> error_rate = SumAggregator(lambda totals: float(totals[0] / totals[1]))
        >>> error_rate([(1, 4), (1, 6)])
        0.2
    """

    is_fast = False
    """Whether `finish_each` computes all rows at once."""

    def __init__(
        self, finish: Callable[[Array], float], details: Callable[[Array], Details] | None = None, scale: Scale = REAL
    ) -> None:
        self._finish = finish
        self._details = details
        self._scale = scale

    def __call__(self, stats: Stats) -> float:
        return float(self._finish(stats_to_matrix(stats).sum(axis=0)))

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        columns = np.ascontiguousarray(stats_to_matrix(stats).T)
        # Not `@`: at these sizes a threaded BLAS takes longer to start than to multiply.
        return lambda weights: float(self._finish(np.einsum("cn,n->c", columns, weights)))

    def finish_each(self, totals: Array) -> Array:
        """Compute the number of each row of column totals."""
        import numpy as np

        return np.array([self._finish(row) for row in totals], dtype=np.float64)

    def value_each(self, stats: Stats) -> Array:
        """Return the number of each sample alone; NaN where it has none."""
        return self.finish_each(stats_to_matrix(stats))

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        """Return the scale of the number; `units` has the index of the independent unit of each statistic."""
        return self._scale

    def details(self, stats: Stats) -> Details:
        return self.describe_totals(stats_to_matrix(stats).sum(axis=0), self.detail_columns(stats).sum(axis=0))

    def detail_columns(self, stats: Stats) -> Array:
        """Return further columns whose totals `describe_totals` needs, one row per statistic."""
        import numpy as np

        return np.empty((len(stats), 0))

    def describe_totals(self, totals: Array, detail_totals: Array) -> Details:
        """Return what is reported with the number of these column totals.

        Args:
            totals: Totals of the columns of the statistics, and their number.
            detail_totals: Totals of `detail_columns`.
        """
        return self._details(totals) if self._details else {}


class RatioAggregator(SumAggregator):
    """The sum of some columns over the sum of another: a corpus-level rate, not a mean of rates.

    Args:
        numerators: Columns whose sums are added up.
        denominator: Column whose sum they are divided by; the last one counts the statistics.
        details: Function from the column totals to what is reported with the number.
        is_share: Whether the ratio is between 0 and 1. Other ratios of counts, such as errors per word, are rates
            without an upper limit.

    Examples:
        >>> errors_per_word = RatioAggregator(numerators=(0, 1, 2), denominator=3)
        >>> errors_per_word([(1, 0, 0, 4), (0, 2, 0, 6)])
        0.3
    """

    is_fast = True

    def __init__(
        self,
        numerators: Sequence[int] = (0,),
        denominator: int = 1,
        details: Callable[[Array], Details] | None = None,
        *,
        is_share: bool = False,
    ) -> None:
        super().__init__(self._divide_totals, details, SHARE)
        self._numerators = list(numerators)
        self._denominator = denominator
        self._is_share = is_share

    def _divide_totals(self, totals: Array) -> float:
        return divide(totals[self._numerators].sum(), totals[self._denominator])

    def finish_each(self, totals: Array) -> Array:
        import numpy as np

        numerators, denominators = totals[:, self._numerators].sum(axis=1), totals[:, self._denominator]
        undefined = np.full(len(totals), math.nan)
        rates: Array = np.divide(numerators, denominators, out=undefined, where=denominators != 0)
        return rates

    def get_numerators(self, stats: Stats) -> Array:
        """Return the numerator of each statistic."""
        numerators: Array = stats_to_matrix(stats)[:, self._numerators].sum(axis=1)
        return numerators

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        """Return the scale of rates if the numerators are counts."""
        import numpy as np

        rows = stats_to_matrix(stats)
        counts, length = rows[:, self._numerators].sum(axis=1), float(rows[:, self._denominator].sum())
        if self._is_share:
            return SHARE
        if length <= 0 or (counts < 0).any():
            return REAL
        if (counts % 1).any():
            return NONNEGATIVE
        return RateScale(1 / length, int((np.bincount(units, weights=counts) > 0).sum()))


class MeanAggregator(RatioAggregator):
    """The mean of the first number of each statistic, or of the sum of several columns.

    Intervals keep to `limits`, the lowest and the highest possible number. [default: 0 and 1 if all are between]
    """

    def __init__(
        self,
        details: Callable[[Array], Details] | None = None,
        *,
        columns: Sequence[int] = (0,),
        limits: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(columns, -1, details)
        self.limits = None if limits == (0.0, 1.0) else limits

    def with_limits(self, *ends: Stat) -> MeanAggregator:
        """Return the same mean of numbers between those of two statistics."""
        columns = (end if isinstance(end, (tuple, list)) else (end,) for end in ends)
        low, high = sorted(float(sum(stat[at] for at in self._numerators)) for stat in columns)
        if (low, high) in ((0.0, 1.0), self.limits):
            return self
        limited = copy(self)
        limited.limits = (low, high)
        return limited

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        """Return the scale of the limits, or of a share if all numbers are between 0 and 1."""
        import numpy as np

        numbers = self.get_numerators(stats)
        with np.errstate(invalid="ignore"):  # infinite numbers
            is_whole, count = not (numbers % 1).any(), len(numbers)
        trials, samples = (count if is_whole else 0, 0) if has_one_sample_per_unit(units) else (0, count)
        return choose_mean_scale(float(numbers.min()), float(numbers.max()), self.limits, trials, samples)

    def describe_totals(self, totals: Array, detail_totals: Array) -> Details:
        details = super().describe_totals(totals, detail_totals)
        return {**details, "limits": list(self.limits)} if self.limits else details


def has_one_sample_per_unit(units: Codes) -> bool:
    """Return whether every sample is an independent unit."""
    return int(units.max()) + 1 == len(units)


def stats_to_matrix(stats: Stats) -> Array:
    """Return the statistics as rows of numbers, with a last column of ones that counts them."""
    import numpy as np

    rows = np.asarray(stats, dtype=np.float64).reshape(len(stats), -1)
    return np.column_stack([rows, np.ones(len(stats))])


def divide(numerator: float, denominator: float) -> float:
    """Divide two numbers; return NaN if the denominator is zero."""
    return float(numerator / denominator) if denominator else math.nan


mean = MeanAggregator()
"""The mean of one number per sample.

Examples:
    >>> mean([0.0, 1.0, 0.5])
    0.5
"""

ratio = RatioAggregator()
"""The sum of the first numbers over the sum of the second: a corpus-level rate, not a mean of rates.

Examples:
    >>> ratio([(1, 4), (1, 6)])
    0.2
"""
