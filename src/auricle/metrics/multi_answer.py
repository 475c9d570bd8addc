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
from auricle.metrics.answer_aggregation import wrap_aggregator
from auricle.metrics.base import Metric, ScoreFunction, mean
from auricle.metrics.conversation import AnswerInContext, get_answers_in_context, get_scorable_answers, is_conversation

PASS_AT_K = re.compile(r"pass@([1-9]\d*)")
AGGREGATION_NAMES = "vote, mean, best, pass@K, likeliest, turns, first or last"

AnswerSelector: TypeAlias = Callable[[Sample, Sequence[Output]], list[AnswerInContext]]


def aggregate_answers(metric: Metric, aggregation: str) -> Metric:
    """The same metric for samples with several answers; `how` says what becomes of them."""
    if aggregation in AGGREGATIONS:
        return AGGREGATIONS[aggregation](metric)
    if found := PASS_AT_K.fullmatch(aggregation):
        return _aggregate_by_pass_at_k(metric, int(found[1]))
    raise SpecError(f"answers should be {AGGREGATION_NAMES}, not {aggregation!r}.", location=("answers",))


def apply_aggregations(metrics: Sequence[Metric], aggregations: Sequence[str]) -> list[Metric]:
    """Metrics under one way to count answers, or under several that stand side by side."""
    if len(aggregations) == 1:
        return [aggregate_answers(metric, aggregations[0]) for metric in metrics]
    return [
        _name_with_aggregation(how, aggregate_answers(metric, how), metric)
        for how in aggregations
        for metric in metrics
    ]


def _name_with_aggregation(aggregation: str, derived: Metric, metric: Metric) -> Metric:
    return replace(derived, name=f"{metric.name}.{aggregation}") if derived.name == metric.name else derived


@lru_cache(maxsize=256)
def accepts_multiple_outputs(score: ScoreFunction) -> bool:
    """Does a metric take more than one output of a sample?"""
    try:
        takes = inspect.signature(score).parameters.values()
    except (TypeError, ValueError):  # a function that does not tell
        return True
    if any(each.kind is each.VAR_POSITIONAL for each in takes):
        return True
    return sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in takes) > 2


def ambiguous_answers_error(count: int) -> Unsupported:
    """What to say of a metric that reads one answer and is given more."""
    return Unsupported(
        f"reads one answer and is given {count} a sample; say which counts with -T answers={AGGREGATION_NAMES}"
    )


# --- putting a metric to some of the answers --------------------------------------------


@dataclass(frozen=True, slots=True)
class AnswerScorer:
    """A metric put to the answers that `pick` takes, one by one."""

    metric: Metric
    select: AnswerSelector

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
        """What a judge must be asked about each of them."""
        assert self.metric.judge_requests
        picked = self.select(sample, outputs)
        return tuple(request for seen in picked for request in self.metric.judge_requests(*seen))

    def score_one(self, sample: Sample, *outputs: Output, verdicts: Sequence[str] | None = None) -> Stat:
        """The stat of the one answer that is picked."""
        (seen,) = self.select(sample, outputs)
        return self._score_answer(seen, iter(verdicts or ()))

    def score_all(
        self, sample: Sample, *outputs: Output, verdicts: Sequence[str] | None = None
    ) -> tuple[int, tuple[Stat, ...]]:
        """How many answers cannot be read, and the stats of all that count."""
        said = iter(verdicts or ())
        stats: list[Stat] = []
        unreadable: list[str] = []
        picked = self.select(sample, outputs)
        for seen in picked:
            try:
                stats.append(self._score_answer(seen, said))
            except Unreadable as error:
                unreadable.append(str(error))
                stats += self._worst_stats(seen[0])
        if len(unreadable) == len(picked):
            raise Unreadable(unreadable[0])
        return len(unreadable), tuple(stats)

    def _score_answer(self, answer: AnswerInContext, verdict_texts: Iterator[str]) -> Stat:
        if self.metric.judge_requests is None:
            stat = self.metric.score(*answer)
        else:
            verdicts = tuple(islice(verdict_texts, len(self.metric.judge_requests(*answer))))
            stat = self.metric.score(*answer, verdicts=verdicts)
        return tuple(stat) if isinstance(stat, list) else stat

    def _worst_stats(self, sample: Sample) -> list[Stat]:
        """What an unreadable answer counts for, by the metric's own protocol."""
        if self.metric.unreadable == "unscored" or self.metric.bounds is None:
            return []
        return [self.metric.bounds(sample)[0]]


def _derive_metric(metric: Metric, aggregation: str, select: AnswerSelector, **changes: Any) -> Metric:
    """What all ways share: another signature, and the same way under another profile."""
    asked = AnswerScorer(metric, select)
    under, voted = metric.with_profile, metric.with_votes
    known: dict[str, Any] = {
        "score": asked.score_one,
        "variant": ".".join(filter(None, (metric.variant, aggregation))),
        "judge_requests": asked.judge_requests if metric.judge_requests else None,
        "with_profile": (lambda profile: aggregate_answers(under(profile), aggregation)) if under else None,
        "with_votes": (lambda votes: aggregate_answers(voted(votes), aggregation)) if voted else None,
        "companions": tuple(aggregate_answers(each, aggregation) for each in metric.companions),
        "tokenize": None,  # which text it would show is not told
        "read_answer": None,
    }
    if strict := metric.without_synonyms:
        known["without_synonyms"] = lambda: aggregate_answers(strict(), aggregation)
    return replace(metric, **{**known, **changes})


# --- one answer counts ------------------------------------------------------------------


def _aggregate_by_position(metric: Metric, aggregation: str, index: int) -> Metric:
    """The first or the last answer: of a conversation, with what was said until then."""

    def pick(sample: Sample, outputs: Sequence[Output]) -> list[AnswerInContext]:
        if not is_conversation(sample):
            return [(sample, outputs[index])]
        judged = metric.judge_requests is not None
        until, output = get_answers_in_context(sample, outputs, include_transcript=judged)[index]
        if until.target is None and sample.target is not None and not judged:
            raise SampleError(f"the {aggregation} turn has no reference answer")
        return [(until, output)]

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        golds = sample.target
        if is_conversation(sample) and isinstance(golds, (list, tuple)) and golds:
            sample = replace(sample, target=golds[index])
        assert metric.bounds
        return metric.bounds(sample)

    return _derive_metric(metric, aggregation, pick, bounds=bounds if metric.bounds else None)


def _aggregate_by_likelihood(metric: Metric) -> Metric:
    return _derive_metric(metric, "likeliest", lambda sample, outputs: [(sample, _select_likeliest(outputs))])


def _select_likeliest(outputs: Sequence[Output]) -> Output:
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


def _aggregate_by_best(metric: Metric) -> Metric:
    """The best answer there was: what a perfect chooser would reach, not what a user gets."""

    def pick(sample: Sample, outputs: Sequence[Output]) -> list[AnswerInContext]:
        return _select_all(sample, outputs)

    def score(sample: Sample, *outputs: Output, **verdicts: Any) -> Stat:
        _, stats = AnswerScorer(metric, pick).score_all(sample, *outputs, **verdicts)
        return min(stats, key=metric.badness)

    name = f"{metric.name}.{'pass@n' if _is_right_or_wrong(metric) else 'oracle'}"
    return _derive_metric(metric, "best", pick, name=name, score=score, companions=())


def _aggregate_by_pass_at_k(metric: Metric, k: int) -> Metric:
    """The chance that one of k answers is right, estimated without bias from n of them."""
    if metric.aggregate is not mean or not metric.higher_is_better:
        raise Unsupported(f"pass@{k} is for metrics that say right or wrong, and {metric.name} does not.")

    def score(sample: Sample, *outputs: Output, **verdicts: Any) -> float:
        if len(outputs) < k:
            raise Unsupported(f"pass@{k} of {len(outputs)} answers a sample: ask for {k} or more")
        _, stats = AnswerScorer(metric, _select_all).score_all(sample, *outputs, **verdicts)
        if strange := [stat for stat in stats if stat not in (0, 1)]:
            raise Unsupported(f"pass@{k} counts right and wrong, and this is {strange[0]!r}")
        if len(stats) < k:
            raise Unreadable(f"pass@{k}, and only {len(stats)} of the answers can be read")
        wrong = stats.count(0)
        return 1.0 - math.comb(wrong, k) / math.comb(len(stats), k)

    how = f"pass@{k}"
    return _derive_metric(metric, how, _select_all, name=f"{metric.name}.{how}", score=score, companions=())


def _is_right_or_wrong(metric: Metric) -> bool:
    return metric.aggregate is mean and metric.unit == "share" and metric.higher_is_better


def _select_all(sample: Sample, outputs: Sequence[Output]) -> list[AnswerInContext]:
    if is_conversation(sample):
        raise Unsupported("answers of a conversation count as turns, first or last")
    return [(sample, output) for output in outputs]


# --- answers count together -----------------------------------------------------------------


def _aggregate_by_mean(metric: Metric) -> Metric:
    """Every answer counts, and every sample weighs the same: avg@n."""
    asked = AnswerScorer(metric, _select_all)
    fold = wrap_aggregator(metric.aggregate, "unreadable_answers", equal_sample_weights=True)
    return _derive_metric(
        metric,
        "mean",
        _select_all,
        score=asked.score_all,
        aggregate=fold,
        bounds=_single_answer_bounds(metric),
        custom_badness=_mean_badness(metric),
    )


def _aggregate_by_turn(metric: Metric) -> Metric:
    """Each answer of a conversation against its own reference, all turns pooled."""
    pick = partial(get_scorable_answers, include_transcript=metric.judge_requests is not None)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        assert metric.bounds
        golds = sample.target if isinstance(sample.target, (list, tuple)) else [sample.target]
        each = [metric.bounds(replace(sample, target=g)) for g in golds if g is not None]
        return (0, tuple(worst for worst, _ in each)), (0, tuple(best for _, best in each))

    return _derive_metric(
        metric,
        "turns",
        pick,
        score=AnswerScorer(metric, pick).score_all,
        aggregate=wrap_aggregator(metric.aggregate, "unreadable_answers"),
        bounds=bounds if metric.bounds else None,
        custom_badness=_mean_badness(metric),
    )


def _aggregate_by_vote(metric: Metric) -> Metric:
    """What most answers say, as the metric reads them; of equals, what was said first."""
    if metric.read_answer is None:
        raise Unsupported(
            f"{metric.name} does not tell when two answers say the same, so they cannot vote; "
            "take -T answers=mean, or give the metric a `reading`."
        )

    def pick(sample: Sample, outputs: Sequence[Output]) -> list[AnswerInContext]:
        return [(sample, _elect_answer(metric, sample, outputs)[0])]

    def score(sample: Sample, *outputs: Output) -> Stat:
        elected, tied = _elect_answer(metric, sample, outputs)
        return int(tied), (metric.score(sample, elected),)

    return _derive_metric(
        metric,
        "vote",
        pick,
        score=score,
        aggregate=wrap_aggregator(metric.aggregate, "ties", is_single_stat=True),
        bounds=_single_answer_bounds(metric),
        custom_badness=_mean_badness(metric),
    )


def _elect_answer(metric: Metric, sample: Sample, outputs: Sequence[Output]) -> tuple[Output, bool]:
    """The first answer that says what most do, and whether others had as many votes."""
    assert metric.read_answer
    said = [(metric.read_answer(each, output), output) for each, output in _select_all(sample, outputs)]
    votes = Counter(reading for reading, _ in said if reading is not None)
    if not votes:
        raise Unreadable(f"none of {len(outputs)} answers can be read")
    most = max(votes.values())
    elected = next(output for reading, output in said if reading is not None and votes[reading] == most)
    return elected, sum(each == most for each in votes.values()) > 1


def _single_answer_bounds(metric: Metric) -> Callable[[Sample], tuple[Stat, Stat]] | None:
    """Bounds as the stat of a sample with one answer."""
    bounds = metric.bounds
    if bounds is None:
        return None

    def held(sample: Sample) -> tuple[Stat, Stat]:
        worst, best = bounds(sample)
        return (0, (worst,)), (0, (best,))

    return held


def _mean_badness(metric: Metric) -> Callable[[Any], float]:
    return lambda stat: sum(map(metric.badness, stat[1])) / max(1, len(stat[1]))


AGGREGATIONS: Mapping[str, Callable[[Metric], Metric]] = {
    "vote": _aggregate_by_vote,
    "mean": _aggregate_by_mean,
    "best": _aggregate_by_best,
    "likeliest": _aggregate_by_likelihood,
    "turns": _aggregate_by_turn,
    "first": lambda metric: _aggregate_by_position(metric, "first", 0),
    "last": lambda metric: _aggregate_by_position(metric, "last", -1),
}
