"""Metrics that a judge model scores with a rubric.

The metrics send no requests themselves: `judge_requests` returns the requests for the judge, and `score` reads its
replies. The engine sends them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


def make_judge_metric(rubric: Rubric, build_values: Callable[..., TemplateValues] = build_template_values) -> Metric:
    """Make a metric from a rubric.

    Its companions are computed if some samples have human verdicts: Cohen's kappa, and the score corrected with them.

    Args:
        rubric: What the judge is asked, and how its reply is read.
        build_values: Function of (sample, *outputs) that returns the value of each template field.
    """
    scorer = RubricScorer(rubric, build_values)
    is_pairwise = rubric.kind == "pairwise"
    scale = (rubric.low * rubric.factor, rubric.high * rubric.factor)
    limits = scale if rubric.kind == "scale" else (0.0, 1.0)
    kappa = Metric(
        f"{rubric.name}.kappa",
        scorer.pair_with_gold,
        KappaAggregator(quadratic=rubric.kind == "scale"),
        version=rubric.version,
        title=f"{rubric.name} κ",
        variant=rubric.digest,
        derived_from=(rubric.name,),
        applies=lambda sample: find_gold_label(sample) is not None,
        badness=lambda stat: abs(stat[0] - stat[1]),
    )
    metric = Metric(
        rubric.name,
        scorer.score,
        win_rate if is_pairwise else mean,
        version=rubric.version,
        variant=rubric.digest,
        credit=float if rubric.kind == "yes-no" else None,
        bounds=ConstantBounds(_pairwise_stat(LOSS), _pairwise_stat(WIN)) if is_pairwise else constant_bounds(limits),
        unit="points" if rubric.kind == "scale" else "share",
        judge_requests=scorer.judge_requests,
        with_votes=lambda votes: make_judge_metric(rubric.with_votes(votes), build_values),
        judge_scale=JUDGE_SCALES[rubric.kind],
        read_pair_verdict=rubric.parse_reply if is_pairwise else None,
    )
    step = rubric.factor if rubric.kind == "scale" else 1.0
    corrected = make_corrected_metric(metric, scorer.read_gold, step=step, limits=limits, unit=metric.unit)
    return metric.replace(companions=(kappa, corrected))


@dataclass(frozen=True, slots=True)
class RubricScorer:
    """Build the judge requests of a rubric and score its verdicts."""

    rubric: Rubric
    build_values: Callable[..., TemplateValues] = build_template_values

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
        """Return one request per verdict; a pairwise rubric needs two per vote, one for each order."""
        values = self.build_values(sample, *outputs)
        if self._is_skipped(values):
            return ()
        requests = [self._request(values)]
        if self.rubric.kind == "pairwise":
            swapped = {"answer": values["baseline"], "baseline": values["answer"]}
            requests.append(self._request({**values, **swapped}))
        return (*requests,) * self.rubric.votes

    def score(self, sample: Sample, *outputs: Output, verdicts: Sequence[str]) -> Stat:
        if self._is_skipped(self.build_values(sample, *outputs)):
            return _pairwise_stat(LOSS) if self.rubric.kind == "pairwise" else self.rubric.low * self.rubric.factor
        if self.rubric.kind != "pairwise":
            return self._combine_votes([self.rubric.parse_reply(reply) for reply in verdicts]) * self.rubric.factor
        votes, inconsistent = self._read_pairwise_votes(verdicts)
        return _pairwise_stat(self._combine_votes(votes), inconsistent)

    def read_gold(self, sample: Sample) -> float | None:
        """Return the verdict of a human as a score, or None if there is none."""
        return None if find_gold_label(sample) is None else self._gold_value(sample) * self.rubric.factor

    def pair_with_gold(self, sample: Sample, verdict: float | None) -> tuple[float, float]:
        """Return the verdicts of the judge and of a human."""
        if verdict is None:
            raise Unreadable("there is no verdict of the judge")
        gold = self._gold_value(sample)
        if self.rubric.kind == "scale":
            return verdict / self.rubric.factor, gold
        if self.rubric.kind == "pairwise":
            return (verdict > TIE) + TIE * (verdict == TIE), gold
        if verdict == TIE:
            raise Unreadable("the votes are tied, so there is no verdict to compare")
        return float(round(verdict)), gold

    def _request(self, values: TemplateValues) -> Generate:
        turn = Turn("user", (self.rubric.fill_template(values),))
        return Generate(turns=(turn,), max_tokens=self.rubric.max_tokens, temperature=self.rubric.temperature)

    def _is_skipped(self, values: TemplateValues) -> bool:
        return self.rubric.empty == "worst" and not (values["answer"] or "").strip()

    def _combine_votes(self, votes: Sequence[float]) -> float:
        if self.rubric.aggregate == "mean":
            return sum(votes) / len(votes)
        winner, *others = multimode(votes)
        if not others:
            return winner
        if self.rubric.kind == "pairwise":
            return TIE
        raise Unreadable(f"no majority among the votes: {', '.join(f'{vote:g}' for vote in votes)}")

    def _read_pairwise_votes(self, verdicts: Sequence[str]) -> tuple[list[float], bool]:
        """Return the votes, seen from the answer, and whether any vote changed with the order."""
        values = [self.rubric.parse_reply(reply) for reply in verdicts]
        pairs = [(first, WIN - second) for first, second in zip(values[::2], values[1::2], strict=True)]
        votes = [first if first == second else TIE for first, second in pairs]
        return votes, any(first != second for first, second in pairs)

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


# --- aggregators --------------------------------------------------------------------------


def _pairwise_stat(value: float, inconsistent: bool = False) -> tuple[float, ...]:
    """Return a pairwise statistic: its value, then wins, ties, losses and inconsistent verdicts as counts."""
    return value, float(value > TIE), float(value == TIE), float(value < TIE), float(inconsistent)


def _pairwise_details(totals: Array) -> Details:
    names = ("wins", "ties", "losses", "inconsistent")
    return {name: int(total) for name, total in zip(names, totals[1:5], strict=True)}


JUDGE_SCALES: Mapping[str, JudgeScale] = {
    "yes-no": JudgeScale("nominal"),
    "scale": JudgeScale("interval"),
    "pairwise": JudgeScale("ordinal", _pairwise_stat),
}
"""How verdicts of several judges are combined and compared, by the kind of rubric."""

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


judge_reference, judge_choice, judge_1_5, judge_1_10, judge_pairwise, judge_solution_1_5 = (
    make_judge_metric(load_rubric(RUBRICS_DIR / f"judge-{name}.yaml"))
    for name in ("reference", "choice", "1-5", "1-10", "pairwise", "solution-1-5")
)
