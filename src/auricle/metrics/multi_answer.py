"""Several answers to one sample: which of them counts, or how they count together.

`over(metric, "vote")` is the same metric for samples that were answered more than once, or in
several turns. It keeps the metric's fold, so numbers, intervals and bounds come as ever; samples
are resampled, never single answers, because answers to one question are alike.
"""

from __future__ import annotations

import inspect
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Any, TypeAlias

from auricle.core.errors import SampleError, SpecError, Unreadable, Unsupported
from auricle.core.types import Generate, Generation, Output, Sample, Stat
from auricle.metrics.answer_aggregation import folded
from auricle.metrics.base import Metric, Score, mean
from auricle.metrics.turns import Seen, is_conversation, turns, views

PASS = re.compile(r"pass@([1-9]\d*)")
HOWS = "vote, mean, best, pass@K, likeliest, turns, first or last"

Pick: TypeAlias = Callable[[Sample, Sequence[Output]], list[Seen]]


def over(metric: Metric, how: str) -> Metric:
    """The same metric for samples with several answers; `how` says what becomes of them."""
    if how in WAYS:
        return WAYS[how](metric)
    if found := PASS.fullmatch(how):
        return _passing(metric, int(found[1]))
    raise SpecError(f"answers should be {HOWS}, not {how!r}.", where=("answers",))


def over_each(metrics: Sequence[Metric], hows: Sequence[str]) -> list[Metric]:
    """Metrics under one way to count answers, or under several that stand side by side."""
    if len(hows) == 1:
        return [over(metric, hows[0]) for metric in metrics]
    return [_named_after(how, over(metric, how), metric) for how in hows for metric in metrics]


def _named_after(how: str, made: Metric, metric: Metric) -> Metric:
    return replace(made, name=f"{metric.name}.{how}") if made.name == metric.name else made


@lru_cache(maxsize=256)
def reads_several(score: Score) -> bool:
    """Does a metric take more than one output of a sample?"""
    try:
        takes = inspect.signature(score).parameters.values()
    except (TypeError, ValueError):  # a function that does not tell
        return True
    if any(each.kind is each.VAR_POSITIONAL for each in takes):
        return True
    return (
        sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in takes) > 2
    )


def unsaid(count: int) -> Unsupported:
    """What to say of a metric that reads one answer and is given more."""
    return Unsupported(
        f"reads one answer and is given {count} a sample; say which counts with -T answers={HOWS}"
    )


# --- putting a metric to some of the answers --------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """A metric put to the answers that `pick` takes, one by one."""

    metric: Metric
    pick: Pick

    def asks(self, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
        """What a judge must be asked about each of them."""
        assert self.metric.asks
        picked = self.pick(sample, outputs)
        return tuple(request for seen in picked for request in self.metric.asks(*seen))

    def one(self, sample: Sample, *outputs: Output, verdicts: Sequence[str] | None = None) -> Stat:
        """The stat of the one answer that is picked."""
        (seen,) = self.pick(sample, outputs)
        return self._stat(seen, iter(verdicts or ()))

    def every(
        self, sample: Sample, *outputs: Output, verdicts: Sequence[str] | None = None
    ) -> tuple[int, tuple[Stat, ...]]:
        """How many answers cannot be read, and the stats of all that count."""
        said = iter(verdicts or ())
        stats: list[Stat] = []
        unreadable: list[str] = []
        picked = self.pick(sample, outputs)
        for seen in picked:
            try:
                stats.append(self._stat(seen, said))
            except Unreadable as error:
                unreadable.append(str(error))
                stats += self._worst(seen[0])
        if len(unreadable) == len(picked):
            raise Unreadable(unreadable[0])
        return len(unreadable), tuple(stats)

    def _stat(self, seen: Seen, said: Iterator[str]) -> Stat:
        if self.metric.asks is None:
            stat = self.metric.score(*seen)
        else:
            verdicts = tuple(islice(said, len(self.metric.asks(*seen))))
            stat = self.metric.score(*seen, verdicts=verdicts)
        return tuple(stat) if isinstance(stat, list) else stat

    def _worst(self, sample: Sample) -> list[Stat]:
        """What an unreadable answer counts for, by the metric's own protocol."""
        if self.metric.unreadable == "unscored" or self.metric.bounds is None:
            return []
        return [self.metric.bounds(sample)[0]]


def _derived(metric: Metric, how: str, pick: Pick, **changes: Any) -> Metric:
    """What all ways share: another signature, and the same way under another profile."""
    asked = Asked(metric, pick)
    under, voted = metric.under, metric.voted
    known: dict[str, Any] = {
        "score": asked.one,
        "variant": ".".join(filter(None, (metric.variant, how))),
        "asks": asked.asks if metric.asks else None,
        "under": (lambda profile: over(under(profile), how)) if under else None,
        "voted": (lambda votes: over(voted(votes), how)) if voted else None,
        "beside": tuple(over(each, how) for each in metric.beside),
        "view": None,  # which text it would show is not told
        "reading": None,
    }
    if strict := getattr(metric, "strict", None):
        known["strict"] = lambda: over(strict(), how)
    return replace(metric, **{**known, **changes})


# --- one answer counts ------------------------------------------------------------------


def _placed(metric: Metric, how: str, at: int) -> Metric:
    """The first or the last answer: of a conversation, with what was said until then."""

    def pick(sample: Sample, outputs: Sequence[Output]) -> list[Seen]:
        if not is_conversation(sample):
            return [(sample, outputs[at])]
        judged = metric.asks is not None
        until, output = views(sample, outputs, told=judged)[at]
        if until.target is None and sample.target is not None and not judged:
            raise SampleError(f"the {how} turn has no reference answer")
        return [(until, output)]

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        golds = sample.target
        if is_conversation(sample) and isinstance(golds, (list, tuple)) and golds:
            sample = replace(sample, target=golds[at])
        assert metric.bounds
        return metric.bounds(sample)

    return _derived(metric, how, pick, bounds=bounds if metric.bounds else None)


def _likeliest(metric: Metric) -> Metric:
    return _derived(metric, "likeliest", lambda sample, outputs: [(sample, _surest(outputs))])


def _surest(outputs: Sequence[Output]) -> Output:
    """The answer whose tokens the model found likeliest on average, the first of equals."""
    return max(outputs, key=_confidence)


def _confidence(output: Output) -> float:
    if not isinstance(output, Generation):
        raise Unsupported(f"answers=likeliest compares texts, not {type(output).__name__}")
    if output.logprobs:
        return math.fsum(output.logprobs) / len(output.logprobs)
    if output.text.strip():
        raise Unsupported(
            "answers=likeliest needs the log-probability of each token, and the model told none; "
            "servers that speak OpenAI's protocol tell them with -M logprobs=true"
        )
    return -math.inf  # an empty answer has no tokens to be sure of


def _best(metric: Metric) -> Metric:
    """The best answer there was: what a perfect chooser would reach, not what a user gets."""

    def pick(sample: Sample, outputs: Sequence[Output]) -> list[Seen]:
        return _all(sample, outputs)

    def score(sample: Sample, *outputs: Output, **verdicts: Any) -> Stat:
        _, stats = Asked(metric, pick).every(sample, *outputs, **verdicts)
        return min(stats, key=metric.badness)

    name = f"{metric.name}.{'pass@n' if _is_hit(metric) else 'oracle'}"
    return _derived(metric, "best", pick, name=name, score=score, beside=())


def _passing(metric: Metric, k: int) -> Metric:
    """The chance that one of k answers is right, estimated without bias from n of them."""
    if metric.fold is not mean or not metric.higher_is_better:
        raise Unsupported(
            f"pass@{k} is for metrics that say right or wrong, and {metric.name} does not."
        )

    def score(sample: Sample, *outputs: Output, **verdicts: Any) -> float:
        if len(outputs) < k:
            raise Unsupported(f"pass@{k} of {len(outputs)} answers a sample: ask for {k} or more")
        _, stats = Asked(metric, _all).every(sample, *outputs, **verdicts)
        if strange := [stat for stat in stats if stat not in (0, 1)]:
            raise Unsupported(f"pass@{k} counts right and wrong, and this is {strange[0]!r}")
        if len(stats) < k:
            raise Unreadable(f"pass@{k}, and only {len(stats)} of the answers can be read")
        wrong = stats.count(0)
        return 1.0 - math.comb(wrong, k) / math.comb(len(stats), k)

    how = f"pass@{k}"
    return _derived(metric, how, _all, name=f"{metric.name}.{how}", score=score, beside=())


def _is_hit(metric: Metric) -> bool:
    return metric.fold is mean and metric.unit == "share" and metric.higher_is_better


def _all(sample: Sample, outputs: Sequence[Output]) -> list[Seen]:
    if is_conversation(sample):
        raise Unsupported("answers of a conversation count as turns, first or last")
    return [(sample, output) for output in outputs]


# --- answers count together -----------------------------------------------------------------


def _mean(metric: Metric) -> Metric:
    """Every answer counts, and every sample weighs the same: avg@n."""
    asked = Asked(metric, _all)
    fold = folded(metric.fold, "unreadable_answers", alike=True)
    return _derived(
        metric, "mean", _all, score=asked.every, fold=fold, bounds=_held(metric), rank=_rank(metric)
    )


def _by_turn(metric: Metric) -> Metric:
    """Each answer of a conversation against its own reference, all turns pooled."""
    pick = partial(turns, told=metric.asks is not None)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        assert metric.bounds
        golds = sample.target if isinstance(sample.target, (list, tuple)) else [sample.target]
        each = [metric.bounds(replace(sample, target=g)) for g in golds if g is not None]
        return (0, tuple(worst for worst, _ in each)), (0, tuple(best for _, best in each))

    return _derived(
        metric,
        "turns",
        pick,
        score=Asked(metric, pick).every,
        fold=folded(metric.fold, "unreadable_answers"),
        bounds=bounds if metric.bounds else None,
        rank=_rank(metric),
    )


def _vote(metric: Metric) -> Metric:
    """What most answers say, as the metric reads them; of equals, what was said first."""
    if metric.reading is None:
        raise Unsupported(
            f"{metric.name} does not tell when two answers say the same, so they cannot vote; "
            "take -T answers=mean, or give the metric a `reading`."
        )

    def pick(sample: Sample, outputs: Sequence[Output]) -> list[Seen]:
        return [(sample, _elected(metric, sample, outputs)[0])]

    def score(sample: Sample, *outputs: Output) -> Stat:
        elected, tied = _elected(metric, sample, outputs)
        return int(tied), (metric.score(sample, elected),)

    return _derived(
        metric,
        "vote",
        pick,
        score=score,
        fold=folded(metric.fold, "ties", single=True),
        bounds=_held(metric),
        rank=_rank(metric),
    )


def _elected(metric: Metric, sample: Sample, outputs: Sequence[Output]) -> tuple[Output, bool]:
    """The first answer that says what most do, and whether others had as many votes."""
    assert metric.reading
    said = [(metric.reading(each, output), output) for each, output in _all(sample, outputs)]
    votes = Counter(reading for reading, _ in said if reading is not None)
    if not votes:
        raise Unreadable(f"none of {len(outputs)} answers can be read")
    most = max(votes.values())
    elected = next(
        output for reading, output in said if reading is not None and votes[reading] == most
    )
    return elected, sum(each == most for each in votes.values()) > 1


def _held(metric: Metric) -> Callable[[Sample], tuple[Stat, Stat]] | None:
    """Bounds as the stat of a sample with one answer."""
    bounds = metric.bounds
    if bounds is None:
        return None

    def held(sample: Sample) -> tuple[Stat, Stat]:
        worst, best = bounds(sample)
        return (0, (worst,)), (0, (best,))

    return held


def _rank(metric: Metric) -> Callable[[Any], float]:
    return lambda stat: sum(map(metric.badness, stat[1])) / max(1, len(stat[1]))


WAYS: Mapping[str, Callable[[Metric], Metric]] = {
    "vote": _vote,
    "mean": _mean,
    "best": _best,
    "likeliest": _likeliest,
    "turns": _by_turn,
    "first": lambda metric: _placed(metric, "first", 0),
    "last": lambda metric: _placed(metric, "last", -1),
}
