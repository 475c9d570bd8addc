"""Metrics that a language model scores by a rubric.

They ask nobody: `asks` says what a judge would have to be asked about a sample, and `score`
reads what it said. Who asks, and whom, is the engine's affair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auricle.core.errors import Unreadable, Unsupported
from auricle.core.types import Generate, Generation, Json, Output, Sample, Stat, Turn
from auricle.metrics.base import Details, Metric, SumAggregator, WeightedAggregate, constant_bounds, divide, mean
from auricle.metrics.conversation import build_transcript
from auricle.metrics.labels import get_choices, resolve_option
from auricle.metrics.multi_answer import ambiguous_answers_error
from auricle.metrics.rubric import Rubric, load_builtin_rubric, load_rubric
from auricle.metrics.text import reference_texts

if TYPE_CHECKING:
    from auricle.metrics.base import Array

__all__ = ["load_rubric", "make_judge_metric"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
GOLD_FIELDS = ("gold", "human", "human_label")
"""Meta fields that may hold what a person said where the judge is asked."""
SPOKEN_QUESTION_FIELD = "audio_content"  # the words of a question that is heard, not read
HUMAN_VERDICTS = {
    "yes-no": {"1": 1.0, "0": 0.0},
    "pairwise": {"win": 1.0, "1": 1.0, "0.5": 0.5, "loss": 0.0, "lose": 0.0, "0": 0.0},
}
WIN, TIE, LOSS = 1.0, 0.5, 0.0


def make_judge_metric(rubric: Rubric) -> Metric:
    """A metric whose stats are a judge's verdicts under this rubric."""
    reading = RubricScorer(rubric)
    pairwise = rubric.kind == "pairwise"
    limits = (float(rubric.low), float(rubric.high)) if rubric.kind == "scale" else (0.0, 1.0)
    kappa = Metric(
        f"{rubric.name}.kappa",
        reading.score_with_gold,
        KappaAggregator(quadratic=rubric.kind == "scale"),
        version=rubric.version,
        variant=rubric.digest,
        judge_requests=reading.judge_requests,
        applies=lambda sample: _find_gold_label(sample) is not None,
        custom_badness=lambda stat: abs(stat[0] - stat[1]),
    )
    return Metric(
        rubric.name,
        reading.score,
        win_rate if pairwise else mean,
        version=rubric.version,
        variant=rubric.digest,
        bounds=(lambda _: (_pairwise_stat(LOSS), _pairwise_stat(WIN))) if pairwise else constant_bounds(limits),
        unit="points" if rubric.kind == "scale" else "share",
        judge_requests=reading.judge_requests,
        with_votes=lambda votes: make_judge_metric(rubric.with_votes(votes)),
        companions=(kappa,),
    )


@dataclass(frozen=True, slots=True)
class RubricScorer:
    """A rubric applied to samples: requests out, verdicts in."""

    rubric: Rubric

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
        """One request a verdict; a pairwise rubric asks each vote in both orders."""
        values = build_template_values(sample, *outputs)
        if self._is_skipped(values):
            return ()
        one = [self._request(values)]
        if self.rubric.kind == "pairwise":
            swapped = {"answer": values["baseline"], "baseline": values["answer"]}
            one.append(self._request({**values, **swapped}))
        return (*one,) * self.rubric.votes

    def score(self, sample: Sample, *outputs: Output, verdicts: Sequence[str]) -> Stat:
        if self._is_skipped(build_template_values(sample, *outputs)):
            return _pairwise_stat(LOSS) if self.rubric.kind == "pairwise" else float(self.rubric.low)
        if self.rubric.kind != "pairwise":
            return self._combine_votes([self.rubric.parse_reply(each) for each in verdicts])
        votes, torn = self._read_pairwise_votes(verdicts)
        return _pairwise_stat(self._combine_votes(votes), torn)

    def score_with_gold(self, sample: Sample, *outputs: Output, verdicts: Sequence[str]) -> tuple[float, float]:
        """What the judge said, and what a person said."""
        stat = self.score(sample, *outputs, verdicts=verdicts)
        said = float(stat) if isinstance(stat, (int, float)) else float(str(stat[0]))
        gold = self._gold_value(sample)
        if self.rubric.kind == "scale":
            return said, gold
        if self.rubric.kind == "pairwise":
            return (said > TIE) + TIE * (said == TIE), gold
        if said == TIE:
            raise Unreadable("the votes are even, so there is no verdict to compare")
        return float(said > TIE), gold

    def _request(self, values: dict[str, str | None]) -> Generate:
        turn = Turn("user", (self.rubric.fill_template(values),))
        return Generate(turns=(turn,), max_tokens=self.rubric.max_tokens, temperature=self.rubric.temperature)

    def _is_skipped(self, values: dict[str, str | None]) -> bool:
        return self.rubric.empty == "worst" and not (values["answer"] or "").strip()

    def _combine_votes(self, votes: Sequence[float]) -> float:
        """Several votes as one verdict."""
        if self.rubric.aggregate == "mean":
            return sum(votes) / len(votes)
        (first, times), *rest = Counter(votes).most_common(2)
        if rest and rest[0][1] == times:
            if self.rubric.kind == "pairwise":
                return TIE
            raise Unreadable(f"the votes are split: {', '.join(f'{each:g}' for each in votes)}")
        return first

    def _read_pairwise_votes(self, verdicts: Sequence[str]) -> tuple[list[float], bool]:
        """Each vote from the answer's side, and whether some changed with the order."""
        said = [self.rubric.parse_reply(each) for each in verdicts]
        pairs = [(first, WIN - second) for first, second in zip(said[::2], said[1::2], strict=True)]
        votes = [first if first == second else TIE for first, second in pairs]
        return votes, any(first != second for first, second in pairs)

    def _gold_value(self, sample: Sample) -> float:
        given = _find_gold_label(sample)
        word = str(given).strip().casefold() if not isinstance(given, float) else f"{given:g}"
        known = HUMAN_VERDICTS.get(self.rubric.kind, {})
        try:
            if self.rubric.kind == "scale":
                return _check_range(float(word), self.rubric)
            return known[word] if word in known else self.rubric.parse_verdict(word)
        except (ValueError, Unreadable) as error:
            raise Unreadable(f"the gold label {given!r} is no verdict of this rubric") from error


def _check_range(value: float, rubric: Rubric) -> float:
    if not rubric.low <= value <= rubric.high:
        raise ValueError(value)
    return value


def _find_gold_label(sample: Sample) -> Json:
    """What a person said, or None."""
    given = (sample.meta.get(name) for name in GOLD_FIELDS)
    return next((each for each in given if each is not None and each != ""), None)


# --- what a judge is shown --------------------------------------------------------------


def build_template_values(sample: Sample, *outputs: Output) -> dict[str, str | None]:
    """What a template's fields stand for; None where the sample has nothing of the kind."""
    if len(outputs) > 1:
        raise ambiguous_answers_error(len(outputs))
    last = outputs[-1] if outputs else None
    if not isinstance(last, Generation):
        kind = type(last).__name__ if last else "nothing"
        raise Unsupported(f"a judge reads text, and this model's outputs are {kind}")
    target = None if sample.target is None else "\n".join(reference_texts(sample.target))
    baseline = sample.meta.get("baseline")
    return {
        "question": _question_text(sample) or build_transcript(sample, outputs, 0) or None,
        "reference": _correct_option(sample) or target,
        "answer": last.text,
        "choices": _lettered_choices(sample),
        "baseline": target if baseline is None else str(baseline),
    }


def _question_text(sample: Sample) -> str | None:
    """What was asked in writing, and what was asked aloud where the row says it."""
    parts = (sample.inputs.get("question"), sample.meta.get(SPOKEN_QUESTION_FIELD))
    asked = [part for part in parts if isinstance(part, str) and part.strip()]
    return "\n".join(asked) or None


def _lettered_choices(sample: Sample) -> str | None:
    lines = [_format_option(at, choice) for at, choice in enumerate(_choices_or_empty(sample))]
    return "\n".join(lines) or None


def _correct_option(sample: Sample) -> str | None:
    """The right option with its letter, so that either will do as an answer."""
    options = _choices_or_empty(sample)
    at = resolve_option(sample.target, options) if options and sample.target is not None else None
    return None if at is None else _format_option(at, options[at])


def _choices_or_empty(sample: Sample) -> list[str]:
    return get_choices(sample) if sample.inputs.get("choices") else []


def _format_option(index: int, choice: str) -> str:
    return f"{LETTERS[index]}. {choice}" if index < len(LETTERS) else choice


# --- folds --------------------------------------------------------------------------------


def _pairwise_stat(value: float, inconsistent: bool = False) -> tuple[float, ...]:
    """A pairwise stat: its worth, then won, tied, lost and inconsistent as counts."""
    return value, float(value > TIE), float(value == TIE), float(value < TIE), float(inconsistent)


def _pairwise_details(totals: Array) -> Details:
    names = ("wins", "ties", "losses", "inconsistent")
    return {name: int(total) for name, total in zip(names, totals[1:5], strict=True)}


win_rate = SumAggregator(lambda totals: divide(totals[0], totals[-1]), _pairwise_details)
"""The share won, a tie counting half."""


class KappaAggregator:
    """Cohen's kappa of (verdict, gold) pairs; `squared` weighs by how far apart they are."""

    def __init__(self, *, quadratic: bool) -> None:
        self._quadratic = quadratic

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        import numpy as np

        said, gold = np.asarray(stats, dtype=np.float64).reshape(-1, 2).T
        chance = _expected_squared_distance if self._quadratic else _expected_disagreement
        apart = (said - gold) ** 2 if self._quadratic else (said != gold).astype(np.float64)

        def value(weights: Array) -> float:
            shares = weights / weights.sum()
            expected = chance(said, gold, shares)
            return 1.0 - divide(float(apart @ shares), expected)

        return value

    def details(self, stats: Sequence[Any]) -> Details:
        """The share of pairs that are equal, which kappa corrects for chance."""
        return {"agreement": divide(sum(said == gold for said, gold in stats), len(stats))}


def _expected_squared_distance(verdicts: Array, gold: Array, shares: Array) -> float:
    """The mean squared distance, were verdicts and labels dealt out independently."""
    far = (verdicts**2 + gold**2) @ shares - 2 * (verdicts @ shares) * (gold @ shares)
    return max(0.0, float(far))


def _expected_disagreement(verdicts: Array, gold: Array, shares: Array) -> float:
    """The share of unequal pairs, were verdicts and labels dealt out independently."""
    levels = {*verdicts.tolist(), *gold.tolist()}
    met = sum(float(shares[verdicts == each].sum() * shares[gold == each].sum()) for each in levels)
    return 1.0 - met


judge_reference = make_judge_metric(load_builtin_rubric("judge-reference"))
judge_choice = make_judge_metric(load_builtin_rubric("judge-choice"))
judge_1_5 = make_judge_metric(load_builtin_rubric("judge-1-5"))
judge_1_10 = make_judge_metric(load_builtin_rubric("judge-1-10"))
judge_pairwise = make_judge_metric(load_builtin_rubric("judge-pairwise"))
judge_solution_1_5 = make_judge_metric(load_builtin_rubric("judge-solution-1-5"))
