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
from auricle.metrics.base import FirstValueMean, Metric, SumAggregator, divide, mean
from auricle.metrics.ratings import Dimension, output_variant
from auricle.text import extract_option

A, TIE, B = 0.0, 0.5, 1.0
CHOICE_BY_NAME: Mapping[str, float] = {"a": A, "tie": TIE, "b": B}
"""How a truth is written."""
OPTION_LETTERS = ("A", "B", "tie")
OPTION_NAMES = ("Recording A", "Recording B", "tie")

TiePolicy: TypeAlias = Literal["upstream", "half", "skip"]
TIE_POLICIES: tuple[TiePolicy, ...] = get_args(TiePolicy)
"""What becomes of a pair whose sides a model rates alike: b is taken, as CMI-RewardBench does; half
of it is earned; or it is left out and counted as unreadable."""


def get_choice(dimension: Dimension, outputs: Sequence[Output]) -> float:
    """Which side a model prefers: by its numbers for each, or in its words."""
    about = dimension.select_outputs(outputs)
    if isinstance(about[0], Generation) and dimension.is_pairwise:
        return _reconcile_orders([_read_choice(each) for each in about])
    if len(about) != 2:
        raise Unsupported(f"needs a number for either side; there are {len(about)}")
    a, b = dimension.get_value(about[0]), dimension.get_value(about[1])
    return TIE if a == b else B if b > a else A


def _read_choice(output: Output) -> float:
    assert isinstance(output, Generation)
    for names in (OPTION_NAMES, OPTION_LETTERS):
        if (found := extract_option(output.text, names)) is not None:
            return (A, B, TIE)[found]
    raise Unreadable(f"names neither A nor B: {output.text[:80]!r}")


def _reconcile_orders(choices: Sequence[float]) -> float:
    """One choice from those in either order; if they contradict each other, a tie."""
    first, *rest = choices
    return first if all(first == B - each for each in rest) else TIE


def get_true_choice(dimension: Dimension, sample: Sample) -> float:
    return CHOICE_BY_NAME[str(dimension.get_truth(sample))]


def apply_tie_policy(choice: float, ties: TiePolicy) -> float:
    """A choice under a tie policy."""
    if choice != TIE or ties == "half":
        return choice
    if ties == "upstream":
        return B
    raise Unreadable("rates both sides alike: a tie, left out")


def _score_credit(sample: Sample, *outputs: Output, dimension: Dimension, ties: TiePolicy) -> tuple[float, float]:
    """What a choice earns, and whether it is a tie."""
    said = get_choice(dimension, outputs)
    off = abs(apply_tie_policy(said, ties) - get_true_choice(dimension, sample))
    return 1.0 - off, float(said == TIE)


def _score_always_b(sample: Sample, *outputs: Output, dimension: Dimension) -> float:
    return 1.0 - abs(B - get_true_choice(dimension, sample))


def _score_chance(sample: Sample, *outputs: Output) -> float:
    return 0.5


def _score_position_bias(sample: Sample, *outputs: Output, dimension: Dimension) -> tuple[float, float] | None:
    """Was the first place chosen in both orders, or the second? Numbers know no place."""
    about = dimension.select_outputs(outputs)
    if isinstance(about[0], Prediction) or not dimension.is_pairwise or len(about) < 2:
        return None
    first, second = map(_read_choice, about)
    return float(first == second == A), float(first == second == B)


mean_credit = FirstValueMean(lambda totals: {"ties": int(totals[1])})
"""What is earned on average, and how many ties there are."""

position_bias_rate = SumAggregator(
    lambda totals: divide(totals[0] + totals[1], totals[-1]),
    lambda totals: {"first": int(totals[0]), "second": int(totals[1]), "pairs": int(totals[-1])},
)
"""The share of choices that follow the position, and which position they follow."""


def preference_metrics(dimension: Dimension, ties: TiePolicy) -> list[Metric]:
    """Pairwise accuracy under a tie policy; beside it chance, always b and position bias."""
    make = partial(_preference_metric, dimension)
    return [
        make(
            "accuracy",
            partial(_score_credit, ties=ties),
            aggregate=mean_credit,
            variant=f"ties-{ties}",
            bounds=lambda _: ((0.0, 0.0), (1.0, 0.0)),
            custom_badness=lambda stat: 1.0 - stat[0],
        ),
        make("chance", None, is_model_independent=True),
        make("always_b", _score_always_b, is_model_independent=True),
        make(
            "position_bias",
            _score_position_bias,
            aggregate=position_bias_rate,
            higher_is_better=False,
            custom_badness=sum,
        ),
    ]


def _preference_metric(dimension: Dimension, name: str, score: Callable[..., Any] | None, **fields: Any) -> Metric:
    variant = ".".join(filter(None, (fields.pop("variant", ""), output_variant(dimension))))
    return Metric(
        dimension.metric_name(name),
        partial(score, dimension=dimension) if score else _score_chance,
        fields.pop("aggregate", mean),
        variant=variant,
        unit="share",
        applies=dimension.is_rated,
        **fields,
    )
