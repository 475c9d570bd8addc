"""Metrics over samples with several answers: which answer counts, or how the answers are combined.

`aggregate_answers(metric, "vote")` returns the same metric for samples that were answered more than once, or
in several turns. Intervals resample samples, never single answers, because answers to one question are alike.
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

from auricle.core.errors import AnswerRefused, SampleError, SpecError, Truncated, Unreadable, Unsupported
from auricle.core.types import Generate, Generation, Json, Output, Part, Predict, Sample, Stat, Turn
from auricle.metrics.base import (
    Aggregator,
    Codes,
    ConstantBounds,
    Details,
    Metric,
    Reply,
    ScoreFunction,
    Stats,
    SupportsScale,
    SupportsWeights,
    WeightedAggregate,
    mean,
)
from auricle.metrics.capabilities import (
    Bounded,
    Credited,
    Judged,
    Profiled,
    ReadsAnswer,
    ReadsReply,
    UsesSynonyms,
    Voting,
)
from auricle.metrics.readings import join_readings
from auricle.metrics.scales import REAL, RateScale, Scale
from auricle.text import Reading

PASS_AT_K = re.compile(r"pass@([1-9]\d*)")
AGGREGATION_NAMES = "vote, mean, best, pass@K, likeliest, turns, first or last"

AnswerInContext: TypeAlias = tuple[Sample, Output]
"""The sample as of one answer, and that answer."""
AnswerSelector: TypeAlias = Callable[[Sample, Sequence[Output]], list[AnswerInContext]]


def aggregate_answers(metric: Metric, aggregation: str) -> Metric:
    """Return the same metric for samples with several answers.

    Args:
        metric: A metric that scores one answer.
        aggregation: vote, mean, best, pass@K, likeliest, turns, first or last; see `docs/conversations.md`.

    Returns:
        A metric whose `score` takes all answers of a sample.

    Examples:
        >>> from auricle import Generation, Sample
        >>> from auricle.metrics.catalogue import METRICS
        >>> voted = aggregate_answers(METRICS.get("exact_match"), "vote")
        >>> answers = [Generation(text=text) for text in ("yes", "no", "yes")]
        >>> voted.aggregate([voted.score(Sample(id="1", inputs={}, target="yes"), *answers)])
        1.0
    """
    if aggregation in AGGREGATIONS:
        return AGGREGATIONS[aggregation](metric)
    if match := PASS_AT_K.fullmatch(aggregation):
        return _aggregate_by_pass_at_k(metric, int(match[1]))
    raise SpecError(f"answers should be {AGGREGATION_NAMES}, not {aggregation!r}.", location=("answers",))


def apply_aggregations(metrics: Sequence[Metric], aggregations: Sequence[str]) -> list[Metric]:
    """Apply one aggregation to all metrics, or several; with several, the names of the metrics differ.

    Metrics that need the model's time measure all answers of a sample together, and stay as they are.
    """
    common = [metric for metric in metrics if "model_seconds" in metric.facts]
    single = [metric for metric in metrics if "model_seconds" not in metric.facts]
    if len(aggregations) == 1:
        (aggregation,) = aggregations
        return [*(aggregate_answers(metric, aggregation) for metric in single), *common]
    combined = [
        _name_with_aggregation(aggregation, aggregate_answers(metric, aggregation), metric)
        for aggregation in aggregations
        for metric in single
    ]
    return [*combined, *common]


def _name_with_aggregation(aggregation: str, derived: Metric, metric: Metric) -> Metric:
    if derived.name != metric.name:
        return derived
    return derived.replace(name=f"{metric.name}.{aggregation}", title=f"{metric.title}, {aggregation}")


@lru_cache(maxsize=256)
def accepts_multiple_outputs(score: ScoreFunction) -> bool:
    """Return whether a score function takes more than one output of a sample."""
    try:
        parameters = inspect.signature(score).parameters.values()
    except (TypeError, ValueError):  # no signature available, as for some built-in functions
        return True
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return True
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in positional for parameter in parameters) > 2


def ambiguous_answers_error(count: int) -> Unsupported:
    """Build the error for a metric that scores one answer but gets several."""
    return Unsupported(
        f"scores one answer, but there are {count} per sample. Choose how to combine them with "
        f"-T answers={AGGREGATION_NAMES}"
    )


# --- scoring the selected answers -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnswerScorer:
    """Apply a metric to each of the answers that `select` returns."""

    metric: Metric
    select: AnswerSelector

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Generate | Predict, ...]:
        """Return the judge requests for all selected answers."""
        assert isinstance(self.metric, Judged)
        selected = self.select(sample, outputs)
        return tuple(request for answer in selected for request in self.metric.judge_requests(*answer))

    def read(self, sample: Sample, *outputs: Output) -> Reading[str]:
        """Read the selected answers."""
        assert isinstance(self.metric, ReadsReply)
        return join_readings(self.metric.reader(*answer) for answer in self.select(sample, outputs))

    def score_one(
        self, sample: Sample, *outputs: Output, verdicts: Sequence[Reply] | None = None, **facts: float | None
    ) -> Stat | None:
        """Return the statistic of the only selected answer; `facts` are what else the metric needs."""
        (answer,) = self.select(sample, outputs)
        return self._score_answer(answer, iter(verdicts or ()), facts)

    def score_all(
        self, sample: Sample, *outputs: Output, verdicts: Sequence[Reply] | None = None, **facts: float | None
    ) -> tuple[int, tuple[Stat, ...]] | None:
        """Return the number of unreadable answers, and the statistics of all answers that count.

        None if the metric applies to none of the answers.
        """
        remaining_verdicts = iter(verdicts or ())
        stats: list[Stat] = []
        unreadable: list[Unreadable] = []
        applicable = 0
        for answer in self.select(sample, outputs):
            try:
                if (stat := self._score_answer(answer, remaining_verdicts, facts)) is None:
                    continue
                stats.append(stat)
            except Unreadable as error:
                unreadable.append(error)
                if self.metric.unreadable == "wrong" and isinstance(self.metric, Bounded):
                    stats.append(self.metric.bounds(answer[0])[0])
            applicable += 1
        if unreadable and len(unreadable) == applicable:
            raise next((error for error in unreadable if not isinstance(error, AnswerRefused)), unreadable[0])
        return (len(unreadable), tuple(stats)) if applicable else None

    def _score_answer(
        self, answer: AnswerInContext, remaining_verdicts: Iterator[Reply], facts: Mapping[str, float | None]
    ) -> Stat | None:
        if hasattr(self.metric, "judge_requests"):  # which is much faster than to ask for the protocol
            verdicts = tuple(islice(remaining_verdicts, len(self.metric.judge_requests(*answer))))
            stat = self.metric.score(*answer, verdicts=verdicts, **facts)
        else:
            stat = self.metric.score(*answer, **facts)
        return tuple(stat) if isinstance(stat, list) else stat


def _derive_metric(
    metric: Metric, aggregation: str, select: AnswerSelector, suffix: str = "", **changes: Any
) -> Metric:
    """Make the parts that all aggregations share: names, signature, judge requests, and derived metrics."""
    scorer = AnswerScorer(metric, select)
    derived: dict[str, Any] = {
        "name": f"{metric.name}.{suffix}" if suffix else metric.name,
        "title": f"{metric.title}, {suffix}" if suffix else metric.title,
        "score": scorer.score_one,
        "variant": ".".join(filter(None, (metric.variant, aggregation))),
        "tokenize": None,  # it is unknown which of the answers a difference would show
        "read_answer": None,
    }
    if isinstance(metric, Judged):
        derived["judge_requests"] = scorer.judge_requests
    if isinstance(metric, ReadsReply):
        derived["reader"] = scorer.read
    if isinstance(metric, Profiled):
        derived["with_profile"] = lambda profile: aggregate_answers(metric.with_profile(profile), aggregation)
    if isinstance(metric, Voting):
        derived["with_votes"] = lambda votes: aggregate_answers(metric.with_votes(votes), aggregation)
    if isinstance(metric, UsesSynonyms):
        derived["without_synonyms"] = lambda: aggregate_answers(metric.without_synonyms(), aggregation)
    return metric.replace(**{**derived, **changes})


# --- one answer counts ------------------------------------------------------------------------


def _aggregate_by_position(metric: Metric, aggregation: str, index: int) -> Metric:
    """Score the first or the last answer; in a conversation, with the turns before it."""

    def select(sample: Sample, outputs: Sequence[Output]) -> list[AnswerInContext]:
        if not is_conversation(sample):
            return [(sample, outputs[index])]
        is_judged = isinstance(metric, Judged)
        context, output = get_answers_in_context(sample, outputs, include_transcript=is_judged)[index]
        if context.target is None and sample.target is not None and not is_judged:
            raise SampleError(f"the {aggregation} turn has no reference answer")
        return [(context, output)]

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        references = sample.target
        if is_conversation(sample) and isinstance(references, (list, tuple)) and references:
            sample = replace(sample, target=references[index])
        assert isinstance(metric, Bounded)
        return metric.bounds(sample)

    if not isinstance(metric, Bounded) or isinstance(metric.bounds, ConstantBounds):
        return _derive_metric(metric, aggregation, select)
    return _derive_metric(metric, aggregation, select, bounds=bounds)


def _aggregate_by_likelihood(metric: Metric) -> Metric:
    """Score the answer with the highest mean log-probability per token; the first on a tie."""
    return _derive_metric(metric, "likeliest", lambda sample, outputs: [(sample, max(outputs, key=_confidence))])


def _confidence(output: Output) -> float:
    if not isinstance(output, Generation):
        raise Unsupported(f"answers=likeliest compares generated texts, not {type(output).__name__}")
    if output.logprobs:
        return math.fsum(output.logprobs) / len(output.logprobs)
    if output.text.strip():
        raise Unsupported(
            "answers=likeliest needs the log-probability of each token, but the model returned none. "
            "OpenAI-compatible servers return them with -M logprobs=true"
        )
    return -math.inf


def _aggregate_by_best(metric: Metric) -> Metric:
    """Score the best answer: what a perfect selector would reach."""

    def score(sample: Sample, *outputs: Output, **verdicts: Any) -> Stat | None:
        scored = AnswerScorer(metric, _select_all).score_all(sample, *outputs, **verdicts)
        return min(scored[1], key=metric.badness) if scored else None

    is_pass_rate = metric.aggregate is mean and isinstance(metric, Credited) and metric.higher_is_better
    return _derive_metric(
        metric, "best", _select_all, suffix="pass@n" if is_pass_rate else "oracle", score=score, companions=()
    )


def _aggregate_by_pass_at_k(metric: Metric, k: int) -> Metric:
    """Estimate the probability that at least one of k answers is right, without bias, from all n answers."""
    if metric.aggregate is not mean or not metric.higher_is_better:
        raise Unsupported(f"pass@{k} needs a metric that scores answers as right or wrong; {metric.name} does not.")

    def score(sample: Sample, *outputs: Output, **verdicts: Any) -> float | None:
        if len(outputs) < k:
            raise Unsupported(f"pass@{k} needs at least {k} answers per sample, but there are {len(outputs)}")
        scored = AnswerScorer(metric, _select_all).score_all(sample, *outputs, **verdicts)
        if scored is None:
            return None
        _, stats = scored
        if partial_scores := [stat for stat in stats if stat not in (0, 1)]:
            raise Unsupported(f"pass@{k} needs scores of 0 or 1, not {partial_scores[0]!r}")
        if len(stats) < k:
            raise Unreadable(f"pass@{k} needs {k} readable answers, but there are {len(stats)}")
        wrong = stats.count(0)
        return 1.0 - math.comb(wrong, k) / math.comb(len(stats), k)

    aggregation = f"pass@{k}"
    return _derive_metric(metric, aggregation, _select_all, suffix=aggregation, score=score, companions=())


def _select_all(sample: Sample, outputs: Sequence[Output]) -> list[AnswerInContext]:
    if is_conversation(sample):
        raise Unsupported("conversations support only answers=turns, first or last")
    return [(sample, output) for output in outputs]


# --- all answers count ------------------------------------------------------------------------


def _aggregate_by_mean(metric: Metric) -> Metric:
    """Score every answer, with equal weight for every sample (avg@n)."""
    return _derive_pooled(
        metric,
        "mean",
        _select_all,
        aggregate=AnswerAggregator.wrap(metric.aggregate, "unreadable_answers", equal_sample_weights=True),
        bounds=_single_answer_bounds(metric),
    )


def _aggregate_by_turn(metric: Metric) -> Metric:
    """Score each answer of a conversation against its own reference, and pool all turns."""
    select = partial(get_scorable_answers, include_transcript=isinstance(metric, Judged))

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        assert isinstance(metric, Bounded)
        references = sample.target if isinstance(sample.target, (list, tuple)) else [sample.target]
        turn_bounds = [
            metric.bounds(replace(sample, target=reference)) for reference in references if reference is not None
        ]
        return (0, tuple(worst for worst, _ in turn_bounds)), (0, tuple(best for _, best in turn_bounds))

    return _derive_pooled(
        metric,
        "turns",
        select,
        aggregate=AnswerAggregator.wrap(metric.aggregate, "unreadable_answers"),
        bounds=bounds if isinstance(metric, Bounded) else None,
    )


def _aggregate_by_vote(metric: Metric) -> Metric:
    """Score the most frequent answer, as the metric reads it; the first on a tie."""
    if not isinstance(metric, ReadsAnswer):
        raise Unsupported(
            f"answers=vote needs a metric that can read an answer from a text; {metric.name} cannot. "
            "Use -T answers=mean, or set the metric's `read_answer`."
        )

    def select(sample: Sample, outputs: Sequence[Output]) -> list[AnswerInContext]:
        return [(sample, _elect_answer(metric, sample, outputs)[0])]

    def score(sample: Sample, *outputs: Output, **verdicts: Any) -> Stat | None:
        elected, tied = _elect_answer(metric, sample, outputs)
        stat = metric.score(sample, elected, **verdicts)
        return None if stat is None else (int(tied), (stat,))

    return _derive_pooled(
        metric,
        "vote",
        select,
        score=score,
        aggregate=AnswerAggregator.wrap(metric.aggregate, "ties", is_single_stat=True),
        bounds=_single_answer_bounds(metric),
    )


def _elect_answer(metric: Metric, sample: Sample, outputs: Sequence[Output]) -> tuple[Output, bool]:
    """Return the first output with the most frequent answer, and whether another answer is as frequent."""
    assert isinstance(metric, ReadsAnswer)
    answers = [(metric.read_answer(context, output), output) for context, output in _select_all(sample, outputs)]
    votes = Counter(answer for answer, _ in answers if answer is not None)
    if not votes:
        all_refused = isinstance(metric, ReadsReply) and all(
            metric.reader(sample, output).refused for output in outputs
        )
        kind, problem = (AnswerRefused, "is given") if all_refused else (Unreadable, "can be read")
        if any(isinstance(output, Generation) and output.is_cut_off for output in outputs):
            kind = Truncated
        raise kind(f"none of the {len(outputs)} answers {problem}")
    highest = max(votes.values())
    elected = next(output for answer, output in answers if answer is not None and votes[answer] == highest)
    return elected, sum(count == highest for count in votes.values()) > 1


def _single_answer_bounds(metric: Metric) -> Callable[[Sample], tuple[Stat, Stat]] | None:
    """Return the metric's bounds as statistics of a sample with one answer."""
    if not isinstance(metric, Bounded):
        return None
    bounds = metric.bounds
    if isinstance(bounds, ConstantBounds):
        return ConstantBounds((0, (bounds.worst,)), (0, (bounds.best,)))

    def wrapped_bounds(sample: Sample) -> tuple[Stat, Stat]:
        worst, best = bounds(sample)
        return (0, (worst,)), (0, (best,))

    return wrapped_bounds


def _derive_pooled(metric: Metric, aggregation: str, select: AnswerSelector, **changes: Any) -> Metric:
    """Make a metric whose statistic holds those of all selected answers."""
    pooled = {
        "score": AnswerScorer(metric, select).score_all,
        "credit": _average(metric.credit) if isinstance(metric, Credited) else None,
        "badness": _average(metric.badness),
        "judge_scale": None,
    }
    return _derive_metric(metric, aggregation, select, **{**pooled, **changes})


def _average(rate: Callable[[Any], float]) -> Callable[[Any], float]:
    """Return the mean of `rate` over the answers of a sample, as a function of the sample's statistic."""
    return lambda stat: sum(map(rate, stat[1])) / max(1, len(stat[1]))


AGGREGATIONS: Mapping[str, Callable[[Metric], Metric]] = {
    "vote": _aggregate_by_vote,
    "mean": _aggregate_by_mean,
    "best": _aggregate_by_best,
    "likeliest": _aggregate_by_likelihood,
    "turns": _aggregate_by_turn,
    "first": lambda metric: _aggregate_by_position(metric, "first", 0),
    "last": lambda metric: _aggregate_by_position(metric, "last", -1),
}


# --- aggregators over samples with several statistics -----------------------------------------


@dataclass(frozen=True)
class AnswerAggregator:
    """An aggregator over samples with one statistic per answer.

    The statistic of a sample is (count, stats): a count for the details, and the statistics of its answers.
    """

    inner: Aggregator
    count_name: str
    equal_sample_weights: bool = False
    is_single_stat: bool = False
    """Whether every sample has exactly one statistic, so that `unwrap` loses nothing."""

    @classmethod
    def wrap(cls, inner: Aggregator, count_name: str, **options: bool) -> AnswerAggregator:
        """Wrap an aggregator for samples with several answers; the result supports weights if `inner` does."""
        if isinstance(inner, SupportsWeights):
            return WeightedAnswerAggregator(inner, count_name, **options)
        return AnswerAggregator(inner, count_name, **options)

    def unwrap(self, stats: Stats) -> list[Any]:
        """Return the statistics of all answers, in order."""
        return [stat for _, answer_stats in stats for stat in answer_stats]

    def __call__(self, stats: Stats) -> float:
        return self.inner(self.unwrap(stats))

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        """Return the scale of the inner aggregator; the answers to a sample belong to the same unit."""
        import numpy as np

        if not isinstance(self.inner, SupportsScale):
            return REAL
        answer_counts = [len(answer_stats) for _, answer_stats in stats]
        scale = self.inner.choose_scale(self.unwrap(stats), np.repeat(units, answer_counts))
        if isinstance(scale, RateScale) and self.equal_sample_weights:
            return replace(scale, step=scale.step * sum(answer_counts) / len(stats))  # answers are averaged, not added
        return scale

    def details(self, stats: Stats) -> Details:
        """Return the details of the inner aggregator, the number of answers, and the sum of the counts."""
        inner_details = getattr(self.inner, "details", None)
        answer_stats = self.unwrap(stats)
        details = dict(inner_details(answer_stats)) if inner_details and answer_stats else {}
        if not self.is_single_stat:
            details["answers"] = len(answer_stats)
        return {**details, self.count_name: int(sum(count for count, _ in stats))}


@dataclass(frozen=True)
class WeightedAnswerAggregator(AnswerAggregator):
    """An `AnswerAggregator` around an aggregator that supports weights."""

    inner: SupportsWeights

    def __call__(self, stats: Stats) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        inner_value = self.inner.prepare_weighted(self.unwrap(stats))
        lengths = np.array([len(answer_stats) for _, answer_stats in stats])
        answer_weight = 1.0 / lengths if self.equal_sample_weights else np.ones(len(lengths))
        return lambda weights: inner_value(np.repeat(weights * answer_weight, lengths))


# --- conversations: each answer with its reference and the turns before it ---------------------


def get_turns(sample: Sample) -> list[Turn]:
    """Return the turns of a sample, or an empty list."""
    for value in sample.inputs.values():
        if isinstance(value, (list, tuple)) and (turns := [part for part in value if isinstance(part, Turn)]):
            return turns
    return []


def is_conversation(sample: Sample) -> bool:
    """Return whether the outputs of a sample are turns, not several answers to one question."""
    return bool(get_turns(sample))


def get_scorable_answers(
    sample: Sample, outputs: Sequence[Output], *, include_transcript: bool
) -> list[AnswerInContext]:
    """Return the answers that have a reference, or all answers if the sample has no reference at all."""
    scorable = [
        (context, output)
        for context, output in get_answers_in_context(sample, outputs, include_transcript=include_transcript)
        if context.target is not None or sample.target is None
    ]
    if not scorable:
        raise SampleError("no turn has a reference answer")
    return scorable


def get_answers_in_context(
    sample: Sample, outputs: Sequence[Output], *, include_transcript: bool
) -> list[AnswerInContext]:
    """Return each answer with its own reference and, on request, with the transcript so far as its question."""
    answers = []
    references = _split_references(sample.target, len(outputs))
    for index, (reference, output) in enumerate(zip(references, outputs, strict=True)):
        context = replace(sample, target=reference)
        if include_transcript and (transcript := build_transcript(sample, outputs, index)):
            context = replace(context, inputs={**sample.inputs, "question": transcript})
        answers.append((context, output))
    return answers


def _split_references(target: Json, count: int) -> list[Json]:
    if target is None:
        return [None] * count
    references = list(target) if isinstance(target, (list, tuple)) else [target]
    if len(references) != count:
        raise SampleError(f"{count} answers, but {len(references)} reference answers")
    return references


def build_transcript(sample: Sample, outputs: Sequence[Output], index: int) -> str:
    """Return the conversation before the answer with this index, as text.

    Assistant turns come from the data; if it has none, from the model's own answers.
    """
    turns = get_turns(sample)
    user_turns = [position for position, turn in enumerate(turns) if turn.role == "user"]
    if len(user_turns) < len(outputs):
        return ""
    answered_in_data = len(user_turns) - len(outputs)
    earlier = turns[: user_turns[answered_in_data + index] + 1]
    use_outputs = not any(turn.role == "assistant" for turn in earlier) and not answered_in_data
    lines: list[str] = []
    answers = iter(outputs)
    for turn in earlier:
        lines.append(f"{turn.role.capitalize()}: {_parts_to_text(turn.parts)}")
        if use_outputs and turn.role == "user" and turn is not earlier[-1]:
            lines.append(f"Assistant: {_parts_to_text((getattr(next(answers), 'text', ''),))}")
    return "\n".join(lines) if len(lines) > 1 else _parts_to_text(earlier[-1].parts)


def _parts_to_text(parts: Sequence[Part]) -> str:
    texts = (part if isinstance(part, str) else f"[{type(part).__name__.lower()}]" for part in parts)
    return " ".join(texts).strip()
