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
from auricle.metrics.base import Details, Metric, Sums, Weighed, divide, mean, within
from auricle.metrics.labels import choices, option_index
from auricle.metrics.multi_answer import unsaid
from auricle.metrics.rubric import Rubric, load, shipped
from auricle.metrics.text import references
from auricle.metrics.turns import transcript

if TYPE_CHECKING:
    from auricle.metrics.base import Array

__all__ = ["judged", "load"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
GOLD = ("gold", "human", "human_label")
"""Meta fields that may hold what a person said where the judge is asked."""
SPOKEN = "audio_content"  # the words of a question that is heard, not read
HUMAN_WORDS = {
    "yes-no": {"1": 1.0, "0": 0.0},
    "pairwise": {"win": 1.0, "1": 1.0, "0.5": 0.5, "loss": 0.0, "lose": 0.0, "0": 0.0},
}
WIN, TIE, LOSS = 1.0, 0.5, 0.0


def judged(rubric: Rubric) -> Metric:
    """A metric whose stats are a judge's verdicts under this rubric."""
    reading = Reading(rubric)
    pairwise = rubric.kind == "pairwise"
    limits = (float(rubric.low), float(rubric.high)) if rubric.kind == "scale" else (0.0, 1.0)
    kappa = Metric(
        f"{rubric.name}.kappa",
        reading.beside_gold,
        Agreement(squared=rubric.kind == "scale"),
        version=rubric.version,
        variant=rubric.digest,
        asks=reading.asks,
        applies=lambda sample: _gold(sample) is not None,
        rank=lambda stat: abs(stat[0] - stat[1]),
    )
    return Metric(
        rubric.name,
        reading.stat,
        preferences if pairwise else mean,
        version=rubric.version,
        variant=rubric.digest,
        bounds=(lambda _: (_outcome(LOSS), _outcome(WIN))) if pairwise else within(limits),
        unit="points" if rubric.kind == "scale" else "share",
        asks=reading.asks,
        voted=lambda votes: judged(rubric.voted(votes)),
        beside=(kappa,),
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """A rubric applied to samples: requests out, verdicts in."""

    rubric: Rubric

    def asks(self, sample: Sample, *outputs: Output) -> tuple[Generate, ...]:
        """One request a verdict; a pairwise rubric asks each vote in both orders."""
        values = shown(sample, *outputs)
        if self._passed_over(values):
            return ()
        one = [self._request(values)]
        if self.rubric.kind == "pairwise":
            swapped = {"answer": values["baseline"], "baseline": values["answer"]}
            one.append(self._request({**values, **swapped}))
        return (*one,) * self.rubric.votes

    def stat(self, sample: Sample, *outputs: Output, verdicts: Sequence[str]) -> Stat:
        if self._passed_over(shown(sample, *outputs)):
            return _outcome(LOSS) if self.rubric.kind == "pairwise" else float(self.rubric.low)
        if self.rubric.kind != "pairwise":
            return self._decided([self.rubric.read(each) for each in verdicts])
        votes, torn = self._preferences(verdicts)
        return _outcome(self._decided(votes), torn)

    def beside_gold(
        self, sample: Sample, *outputs: Output, verdicts: Sequence[str]
    ) -> tuple[float, float]:
        """What the judge said, and what a person said."""
        stat = self.stat(sample, *outputs, verdicts=verdicts)
        said = float(stat) if isinstance(stat, (int, float)) else float(str(stat[0]))
        gold = self._gold(sample)
        if self.rubric.kind == "scale":
            return said, gold
        if self.rubric.kind == "pairwise":
            return (said > TIE) + TIE * (said == TIE), gold
        if said == TIE:
            raise Unreadable("the votes are even, so there is no verdict to compare")
        return float(said > TIE), gold

    def _request(self, values: dict[str, str | None]) -> Generate:
        turn = Turn("user", (self.rubric.filled(values),))
        return Generate(
            turns=(turn,),
            max_tokens=self.rubric.max_tokens,
            temperature=self.rubric.temperature,
        )

    def _passed_over(self, values: dict[str, str | None]) -> bool:
        return self.rubric.empty == "worst" and not (values["answer"] or "").strip()

    def _decided(self, votes: Sequence[float]) -> float:
        """Several votes as one verdict."""
        if self.rubric.aggregate == "mean":
            return sum(votes) / len(votes)
        (first, times), *rest = Counter(votes).most_common(2)
        if rest and rest[0][1] == times:
            if self.rubric.kind == "pairwise":
                return TIE
            raise Unreadable(f"the votes are split: {', '.join(f'{each:g}' for each in votes)}")
        return first

    def _preferences(self, verdicts: Sequence[str]) -> tuple[list[float], bool]:
        """Each vote from the answer's side, and whether some changed with the order."""
        said = [self.rubric.read(each) for each in verdicts]
        pairs = [(first, WIN - second) for first, second in zip(said[::2], said[1::2], strict=True)]
        votes = [first if first == second else TIE for first, second in pairs]
        return votes, any(first != second for first, second in pairs)

    def _gold(self, sample: Sample) -> float:
        given = _gold(sample)
        word = str(given).strip().casefold() if not isinstance(given, float) else f"{given:g}"
        known = HUMAN_WORDS.get(self.rubric.kind, {})
        try:
            if self.rubric.kind == "scale":
                return _within(float(word), self.rubric)
            return known[word] if word in known else self.rubric.value(word)
        except (ValueError, Unreadable) as error:
            raise Unreadable(f"the gold label {given!r} is no verdict of this rubric") from error


def _within(value: float, rubric: Rubric) -> float:
    if not rubric.low <= value <= rubric.high:
        raise ValueError(value)
    return value


def _gold(sample: Sample) -> Json:
    """What a person said, or None."""
    given = (sample.meta.get(name) for name in GOLD)
    return next((each for each in given if each is not None and each != ""), None)


# --- what a judge is shown --------------------------------------------------------------


def shown(sample: Sample, *outputs: Output) -> dict[str, str | None]:
    """What a template's fields stand for; None where the sample has nothing of the kind."""
    if len(outputs) > 1:
        raise unsaid(len(outputs))
    last = outputs[-1] if outputs else None
    if not isinstance(last, Generation):
        kind = type(last).__name__ if last else "nothing"
        raise Unsupported(f"a judge reads text, and this model's outputs are {kind}")
    target = None if sample.target is None else "\n".join(references(sample.target))
    baseline = sample.meta.get("baseline")
    return {
        "question": _question(sample) or transcript(sample, outputs, 0) or None,
        "reference": _right_option(sample) or target,
        "answer": last.text,
        "choices": _lettered(sample),
        "baseline": target if baseline is None else str(baseline),
    }


def _question(sample: Sample) -> str | None:
    """What was asked in writing, and what was asked aloud where the row says it."""
    parts = (sample.inputs.get("question"), sample.meta.get(SPOKEN))
    asked = [part for part in parts if isinstance(part, str) and part.strip()]
    return "\n".join(asked) or None


def _lettered(sample: Sample) -> str | None:
    lines = [_option(at, choice) for at, choice in enumerate(_options(sample))]
    return "\n".join(lines) or None


def _right_option(sample: Sample) -> str | None:
    """The right option with its letter, so that either will do as an answer."""
    options = _options(sample)
    at = option_index(sample.target, options) if options and sample.target is not None else None
    return None if at is None else _option(at, options[at])


def _options(sample: Sample) -> list[str]:
    return choices(sample) if sample.inputs.get("choices") else []


def _option(at: int, choice: str) -> str:
    return f"{LETTERS[at]}. {choice}" if at < len(LETTERS) else choice


# --- folds --------------------------------------------------------------------------------


def _outcome(value: float, torn: bool = False) -> tuple[float, ...]:
    """A pairwise stat: its worth, then won, tied, lost and inconsistent as counts."""
    return value, float(value > TIE), float(value == TIE), float(value < TIE), float(torn)


def _preference_details(totals: Array) -> Details:
    names = ("wins", "ties", "losses", "inconsistent")
    return {name: int(total) for name, total in zip(names, totals[1:5], strict=True)}


preferences = Sums(lambda totals: divide(totals[0], totals[-1]), _preference_details)
"""The share won, a tie counting half."""


class Agreement:
    """Cohen's kappa of (verdict, gold) pairs; `squared` weighs by how far apart they are."""

    def __init__(self, *, squared: bool) -> None:
        self._squared = squared

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.weigh(stats)(np.ones(len(stats)))

    def weigh(self, stats: Sequence[Any]) -> Weighed:
        import numpy as np

        said, gold = np.asarray(stats, dtype=np.float64).reshape(-1, 2).T
        chance = _squares_by_chance if self._squared else _misses_by_chance
        apart = (said - gold) ** 2 if self._squared else (said != gold).astype(np.float64)

        def value(weights: Array) -> float:
            shares = weights / weights.sum()
            expected = chance(said, gold, shares)
            return 1.0 - divide(float(apart @ shares), expected)

        return value

    def details(self, stats: Sequence[Any]) -> Details:
        """The share of pairs that are equal, which kappa corrects for chance."""
        return {"agreement": divide(sum(said == gold for said, gold in stats), len(stats))}


def _squares_by_chance(said: Array, gold: Array, shares: Array) -> float:
    """The mean squared distance, were verdicts and labels dealt out independently."""
    far = (said**2 + gold**2) @ shares - 2 * (said @ shares) * (gold @ shares)
    return max(0.0, float(far))


def _misses_by_chance(said: Array, gold: Array, shares: Array) -> float:
    """The share of unequal pairs, were verdicts and labels dealt out independently."""
    levels = {*said.tolist(), *gold.tolist()}
    met = sum(float(shares[said == each].sum() * shares[gold == each].sum()) for each in levels)
    return 1.0 - met


judge_reference = judged(shipped("judge-reference"))
judge_choice = judged(shipped("judge-choice"))
judge_1_5 = judged(shipped("judge-1-5"))
judge_1_10 = judged(shipped("judge-1-10"))
judge_pairwise = judged(shipped("judge-pairwise"))
judge_solution_1_5 = judged(shipped("judge-solution-1-5"))
