"""Which of two sounds is better: pairwise accuracy, ties, and choices that follow the position.

A choice is a number: 0 for a, 1 for b, a half for a tie. What a choice earns is one less its
distance from the truth, so that of a tie on either side a half is earned, and all if both tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from auricle.core.errors import Unreadable, Unsupported
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.metrics.base import Leading, Metric, Sums, divide, mean
from auricle.metrics.rewards import Dimension, meant
from auricle.text import option

A, TIE, B = 0.0, 0.5, 1.0
CHOICES: Mapping[str, float] = {"a": A, "tie": TIE, "b": B}
"""How a truth is written."""
LETTERS = ("A", "B", "tie")
SPELLED = ("Recording A", "Recording B", "tie")

Ties: TypeAlias = Literal["upstream", "half", "skip"]
POLICIES: tuple[Ties, ...] = get_args(Ties)
"""What becomes of a pair whose sides a model rates alike: b is taken, as CMI-RewardBench does; half
of it is earned; or it is left out and counted as unreadable."""


def choice(dimension: Dimension, outputs: Sequence[Output]) -> float:
    """Which side a model prefers: by its numbers for each, or in its words."""
    about = dimension.of(outputs)
    if isinstance(about[0], Generation) and dimension.chosen:
        return _settled([_letter(each) for each in about])
    if len(about) != 2:
        raise Unsupported(f"needs a number for either side; there are {len(about)}")
    a, b = dimension.value(about[0]), dimension.value(about[1])
    return TIE if a == b else B if b > a else A


def _letter(output: Output) -> float:
    assert isinstance(output, Generation)
    for names in (SPELLED, LETTERS):
        if (found := option(output.text, names)) is not None:
            return (A, B, TIE)[found]
    raise Unreadable(f"names neither A nor B: {output.text[:80]!r}")


def _settled(letters: Sequence[float]) -> float:
    """One choice from those in either order; if they contradict each other, a tie."""
    first, *rest = letters
    return first if all(first == B - each for each in rest) else TIE


def truth_of(dimension: Dimension, sample: Sample) -> float:
    return CHOICES[str(dimension.truth(sample))]


def decided(said: float, ties: Ties) -> float:
    """A choice under a tie policy."""
    if said != TIE or ties == "half":
        return said
    if ties == "upstream":
        return B
    raise Unreadable("rates both sides alike: a tie, left out")


def _credit(
    sample: Sample, *outputs: Output, dimension: Dimension, ties: Ties
) -> tuple[float, float]:
    """What a choice earns, and whether it is a tie."""
    said = choice(dimension, outputs)
    off = abs(decided(said, ties) - truth_of(dimension, sample))
    return 1.0 - off, float(said == TIE)


def _always_b(sample: Sample, *outputs: Output, dimension: Dimension) -> float:
    return 1.0 - abs(B - truth_of(dimension, sample))


def _chance(sample: Sample, *outputs: Output) -> float:
    return 0.5


def _followed(sample: Sample, *outputs: Output, dimension: Dimension) -> tuple[float, float] | None:
    """Was the first place chosen in both orders, or the second? Numbers know no place."""
    about = dimension.of(outputs)
    if isinstance(about[0], Prediction) or not dimension.chosen or len(about) < 2:
        return None
    first, second = map(_letter, about)
    return float(first == second == A), float(first == second == B)


earned = Leading(lambda totals: {"ties": int(totals[1])})
"""What is earned on average, and how many ties there are."""

followed = Sums(
    lambda totals: divide(totals[0] + totals[1], totals[-1]),
    lambda totals: {"first": int(totals[0]), "second": int(totals[1]), "pairs": int(totals[-1])},
)
"""The share of choices that follow the position, and which position they follow."""


def preference_metrics(dimension: Dimension, ties: Ties) -> list[Metric]:
    """Pairwise accuracy under a tie policy; beside it chance, always b and position bias."""
    make = partial(_metric, dimension)
    return [
        make(
            "accuracy",
            partial(_credit, ties=ties),
            fold=earned,
            variant=f"ties-{ties}",
            bounds=lambda _: ((0.0, 0.0), (1.0, 0.0)),
            rank=lambda stat: 1.0 - stat[0],
        ),
        make("chance", None, baseline=True),
        make("always_b", _always_b, baseline=True),
        make("position_bias", _followed, fold=followed, higher_is_better=False, rank=sum),
    ]


def _metric(
    dimension: Dimension, name: str, score: Callable[..., Any] | None, **rest: Any
) -> Metric:
    variant = ".".join(filter(None, (rest.pop("variant", ""), meant(dimension))))
    return Metric(
        dimension.titled(name),
        partial(score, dimension=dimension) if score else _chance,
        rest.pop("fold", mean),
        variant=variant,
        unit="share",
        applies=dimension.is_rated,
        **rest,
    )
