"""Metrics that a judge model scores with a rubric.

The metrics send no requests themselves: `judge_requests` returns the requests for the judge, and `score` reads its
replies. The engine sends them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import multimode
from string import ascii_uppercase
from typing import TypeAlias

from auricle.core.errors import Unreadable, Unsupported
from auricle.core.types import Generate, Generation, Json, Output, Sample, Stat, Turn
from auricle.metrics.agreement import JudgeScale
from auricle.metrics.base import (
    Array,
    ConstantBounds,
    Details,
    MeanAggregator,
    Metric,
    Stats,
    WeightedAggregate,
    WeightedAggregator,
    constant_bounds,
    divide,
    mean,
)
from auricle.metrics.calibration import make_corrected_metric
from auricle.metrics.capabilities import Bounded, Credited, Judged, Pairwise, Voting
from auricle.metrics.multi_answer import ambiguous_answers_error, build_transcript
from auricle.metrics.rubric import RUBRICS_DIR, Rubric, load_rubric
from auricle.metrics.scales import CORRELATION
from auricle.metrics.targets import get_choices, get_question, reference_texts, resolve_option

__all__ = ["load_rubric", "make_judge_metric"]

GOLD_FIELDS = ("gold", "human", "human_label")
"""Metadata fields with the verdict of a human, in order of preference."""
HUMAN_VERDICTS = {
    "yes-no": {"1": 1.0, "0": 0.0},
    "pairwise": {"win": 1.0, "1": 1.0, "0.5": 0.5, "loss": 0.0, "lose": 0.0, "0": 0.0},
}
WIN, TIE, LOSS = 1.0, 0.5, 0.0
TemplateValues: TypeAlias = dict[str, str | None]


def build_template_values(sample: Sample, *outputs: Output) -> TemplateValues:
    """Return the value of each template field; None if the sample has no such value."""
    if len(outputs) > 1:
        raise ambiguous_answers_error(len(outputs))
    output = next(iter(outputs), None)
    if not isinstance(output, Generation):
        kind = type(output).__name__ if output else "empty"
        raise Unsupported(f"a judge needs text; this model's outputs are {kind}")
    target = None if sample.target is None else "\n".join(reference_texts(sample.target))
    baseline = sample.meta.get("baseline")
    return {
        "question": get_question(sample) or build_transcript(sample, outputs, 0) or None,
        "reference": _correct_option(sample) or target,
        "answer": output.text,
        "choices": _lettered_choices(sample),
        "baseline": target if baseline is None else str(baseline),
    }


# --- aggregators --------------------------------------------------------------------------


def _pairwise_stat(value: float, inconsistent: bool = False) -> tuple[float, ...]:
    """Return a pairwise statistic: its value, then wins, ties, losses and inconsistent verdicts as counts."""
    return value, float(value > TIE), float(value == TIE), float(value < TIE), float(inconsistent)


def _pairwise_details(totals: Array) -> Details:
    names = ("wins", "ties", "losses", "inconsistent")
    return {name: int(total) for name, total in zip(names, totals[1:5], strict=True)}


win_rate = MeanAggregator(_pairwise_details)
"""The share of wins; a tie counts half."""


class KappaAggregator(WeightedAggregator):
    """Cohen's kappa of (verdict, gold) pairs; `quadratic` weights disagreements by their squared distance."""

    scale = CORRELATION

    def __init__(self, *, quadratic: bool) -> None:
        self._quadratic = quadratic

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        levels, codes = np.unique(np.asarray(stats, dtype=np.float64).ravel(), return_inverse=True)
        verdicts, gold = codes.reshape(-1, 2).T
        gaps = levels[:, None] - levels
        distances = gaps**2 if self._quadratic else (gaps != 0).astype(np.float64)

        def value(weights: Array) -> float:
            shares = weights / (weights.sum() or 1.0)  # all are zero if the only sample is left out
            by_verdict, by_gold = (np.bincount(side, shares, len(levels)) for side in (verdicts, gold))
            # If verdicts and labels were independent, each pair of levels would have the product of their shares.
            expected = float(by_verdict @ distances @ by_gold)
            return 1.0 - divide(float(distances[verdicts, gold] @ shares), expected)

        return value

    def details(self, stats: Stats) -> Details:
        """Return the share of equal pairs, not corrected for chance."""
        return {"agreement": divide(sum(verdict == gold for verdict, gold in stats), len(stats))}


# --- metrics ---------------------------------------------------------------------------


def make_judge_metric(rubric: Rubric, build_values: Callable[..., TemplateValues] = build_template_values) -> Metric:
    """Make a metric from a rubric.

    Its companions are computed if some samples have human verdicts: Cohen's kappa, and the score corrected with them.

    Args:
        rubric: What the judge is asked, and how its reply is read.
        build_values: Function of (sample, *outputs) that returns the value of each template field.
    """
    kinds: Mapping[str, Callable[..., Metric]] = {
        "yes-no": YesNoMetric,
        "scale": ScaleMetric,
        "pairwise": PairwiseMetric,
    }
    return kinds[rubric.kind](rubric, build_values)


def build_requests(rubric: Rubric, values: TemplateValues) -> tuple[Generate, ...]:
    """Return one request per verdict; a pairwise rubric needs two per vote, one for each order."""
    if _is_skipped(rubric, values):
        return ()
    orders = [values]
    if rubric.kind == "pairwise":
        orders.append({**values, "answer": values["baseline"], "baseline": values["answer"]})
    requests = [
        Generate(
            turns=(Turn("user", (rubric.fill_template(shown),)),),
            max_tokens=rubric.max_tokens,
            temperature=rubric.temperature,
        )
        for shown in orders
    ]
    return (*requests,) * rubric.votes


def _is_skipped(rubric: Rubric, values: TemplateValues) -> bool:
    return rubric.empty == "worst" and not (values["answer"] or "").strip()


class RubricMetric(Metric, Judged, Voting, Bounded):
    """A metric of the verdicts of a judge; a subclass for each kind of rubric."""

    aggregate = mean

    def __init__(
        self,
        rubric: Rubric,
        build_values: Callable[..., TemplateValues],
        limits: tuple[float, float] = (0.0, 1.0),
        bounds: ConstantBounds | None = None,
        step: float = 1.0,
    ) -> None:
        bounds = bounds or constant_bounds(limits)
        super().__init__(rubric.name, version=rubric.version, variant=rubric.digest, bounds=bounds)
        self.rubric = rubric
        self._build_values = build_values
        corrected = make_corrected_metric(self, self.read_gold, step=step, limits=limits, unit=self.unit)
        kappa = Metric(
            f"{rubric.name}.kappa",
            self.pair_with_gold,
            KappaAggregator(quadratic=rubric.kind == "scale"),
            version=rubric.version,
            title=f"{rubric.name} κ",
            variant=rubric.digest,
            derived_from=(rubric.name,),
            applies=lambda sample: find_gold_label(sample) is not None,
            badness=lambda stat: abs(stat[0] - stat[1]),
        )
        self.companions = (kappa, corrected)

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
        return build_requests(self.rubric, self._build_values(sample, *outputs))

    def with_votes(self, votes: int) -> Metric:
        return make_judge_metric(self.rubric.with_votes(votes), self._build_values)

    def score(self, sample: Sample, *outputs: Output, verdicts: Sequence[str]) -> Stat:
        if _is_skipped(self.rubric, self._build_values(sample, *outputs)):
            return self.rubric.low * self.rubric.factor
        return self._combine_votes([self.rubric.parse_reply(reply) for reply in verdicts]) * self.rubric.factor

    def read_gold(self, sample: Sample) -> float | None:
        """Return the verdict of a human as a score, or None if there is none."""
        return None if find_gold_label(sample) is None else self._gold_value(sample) * self.rubric.factor

    def pair_with_gold(self, sample: Sample, value: float | None) -> tuple[float, float]:
        """Return the verdicts of the judge and of a human."""
        if value is None:
            raise Unreadable("there is no verdict of the judge")
        gold = self._gold_value(sample)
        return self.to_verdict(value), gold

    def to_verdict(self, value: float) -> float:
        """Return the verdict that the score of a sample stands for."""
        return value / self.rubric.factor

    def _combine_votes(self, votes: Sequence[float]) -> float:
        if self.rubric.aggregate == "mean":
            return sum(votes) / len(votes)
        winner, *others = multimode(votes)
        if not others:
            return winner
        if self.rubric.kind == "pairwise":
            return TIE
        raise Unreadable(f"no majority among the votes: {', '.join(f'{vote:g}' for vote in votes)}")

    def _gold_value(self, sample: Sample) -> float:
        label = find_gold_label(sample)
        word = str(label).strip().casefold() if not isinstance(label, float) else f"{label:g}"
        value_by_word = HUMAN_VERDICTS.get(self.rubric.kind, {})
        invalid = Unreadable(f"the gold label {label!r} is not a valid verdict of this rubric")
        try:
            if self.rubric.kind != "scale":
                return value_by_word[word] if word in value_by_word else self.rubric.parse_verdict(word)
            value = float(word)
        except (ValueError, Unreadable) as error:
            raise invalid from error
        if not self.rubric.low <= value <= self.rubric.high:
            raise invalid
        return value


class YesNoMetric(RubricMetric, Credited):
    """The share of answers that a judge accepts."""

    unit = "share"
    judge_scale = JudgeScale("nominal")
    credit = staticmethod(float)

    def to_verdict(self, value: float) -> float:
        if value == TIE:
            raise Unreadable("the votes are tied, so there is no verdict to compare")
        return float(round(value))


class ScaleMetric(RubricMetric):
    """The mean of a judge's points."""

    unit = "points"
    judge_scale = JudgeScale("interval")

    def __init__(self, rubric: Rubric, build_values: Callable[..., TemplateValues]) -> None:
        limits = (rubric.low * rubric.factor, rubric.high * rubric.factor)
        super().__init__(rubric, build_values, limits, step=rubric.factor)


class PairwiseMetric(RubricMetric, Pairwise):
    """The share of answers that a judge prefers to a baseline."""

    unit, aggregate = "share", win_rate
    judge_scale = JudgeScale("ordinal", _pairwise_stat)

    def __init__(self, rubric: Rubric, build_values: Callable[..., TemplateValues]) -> None:
        super().__init__(rubric, build_values, bounds=ConstantBounds(_pairwise_stat(LOSS), _pairwise_stat(WIN)))

    def read_pair_verdict(self, reply: str) -> float:
        return self.rubric.parse_reply(reply)

    def score(self, sample: Sample, *outputs: Output, verdicts: Sequence[str]) -> Stat:
        if _is_skipped(self.rubric, self._build_values(sample, *outputs)):
            return _pairwise_stat(LOSS)
        values = [self.rubric.parse_reply(reply) for reply in verdicts]
        pairs = [(first, WIN - second) for first, second in zip(values[::2], values[1::2], strict=True)]
        votes = [first if first == second else TIE for first, second in pairs]  # seen from the answer
        return _pairwise_stat(self._combine_votes(votes), any(first != second for first, second in pairs))

    def to_verdict(self, value: float) -> float:
        return (value > TIE) + TIE * (value == TIE)


def find_gold_label(sample: Sample) -> Json:
    """Return the verdict of a human, or None."""
    labels = (sample.meta.get(name) for name in GOLD_FIELDS)
    return next((label for label in labels if label is not None and label != ""), None)


# --- values of the template fields ------------------------------------------------------


def _lettered_choices(sample: Sample) -> str | None:
    lines = [_format_option(index, choice) for index, choice in enumerate(_choices_or_empty(sample))]
    return "\n".join(lines) or None


def _correct_option(sample: Sample) -> str | None:
    """Return the right option with its letter, so that the judge accepts either as an answer."""
    options = _choices_or_empty(sample)
    index = resolve_option(sample.target, options) if options and sample.target is not None else None
    return None if index is None else _format_option(index, options[index])


def _choices_or_empty(sample: Sample) -> list[str]:
    return get_choices(sample) if sample.inputs.get("choices") else []


def _format_option(index: int, choice: str) -> str:
    return f"{ascii_uppercase[index]}. {choice}" if index < len(ascii_uppercase) else choice


judge_reference, judge_choice, judge_1_5, judge_1_10, judge_pairwise, judge_solution_1_5 = (
    make_judge_metric(load_rubric(RUBRICS_DIR / f"judge-{name}.yaml"))
    for name in ("reference", "choice", "1-5", "1-10", "pairwise", "solution-1-5")
)
