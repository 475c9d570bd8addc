"""Metrics of pairwise preference: accuracy, baselines and position bias.

A choice is a number: 0 for a, 1 for b, 0.5 for a tie. The credit of a choice is 1 minus its distance from the true
choice: a tie on one side gets half, a tie on both sides full credit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

from auricle.core.errors import Unreadable, Unsupported
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.metrics.base import ConstantBounds, MeanAggregator, Metric, mean
from auricle.metrics.readings import as_text, join_readings, read_option, require_value
from auricle.tasks.rewards.ratings import Dimension, output_variant
from auricle.text import Reading

A, TIE, B = 0.0, 0.5, 1.0
CHOICE_BY_NAME: Mapping[str, float] = {"a": A, "tie": TIE, "b": B}
"""Spellings of the true choice in the data."""
OPTION_LETTERS = ("A", "B", "tie")
OPTION_NAMES = ("Recording A", "Recording B", "tie")

TiePolicy: TypeAlias = Literal["upstream", "half", "skip"]
TIE_POLICIES: tuple[TiePolicy, ...] = get_args(TiePolicy)
"""How equal ratings count: `upstream` chooses b, as CMI-RewardBench does; `half` gives half credit; `skip` leaves the
pair out and counts it as unreadable."""


def get_choice(dimension: Dimension, outputs: Sequence[Output]) -> float:
    """Return the side that a model prefers, from its two ratings or from its written choice."""
    relevant = dimension.select_outputs(outputs)
    if isinstance(relevant[0], Generation) and dimension.is_pairwise:
        return _reconcile_orders([_read_choice(output) for output in relevant])
    if len(relevant) != 2:
        raise Unsupported(f"needs a number for each of the two sides; there are {len(relevant)}")
    a, b = dimension.get_value(relevant[0]), dimension.get_value(relevant[1])
    if b > a:
        return B
    return A if a > b else TIE


def _read_choice(output: Output) -> float:
    assert isinstance(output, Generation)
    return (A, B, TIE)[require_value(_read_side(output), output, "names neither A nor B")]


def _read_side(output: Generation) -> Reading[int]:
    """Read the index of the preferred side: 0 for a, 1 for b, 2 for a tie."""
    text, is_cut_off = output.text, output.is_cut_off
    reading = read_option(text, OPTION_NAMES, is_cut_off=is_cut_off)
    is_read = reading.value is not None or reading.refused
    return reading if is_read else read_option(text, OPTION_LETTERS, is_cut_off=is_cut_off)


def read_choices(sample: Sample, *outputs: Output, dimension: Dimension) -> Reading[str]:
    """Read the written choices or ratings of one dimension; those of a reward model have no reading."""
    if not dimension.is_pairwise:
        return dimension.read_values(sample, *outputs)
    return join_readings(
        as_text(_read_side(output), OPTION_LETTERS.__getitem__)
        for output in dimension.select_outputs(outputs)
        if isinstance(output, Generation)
    )


def _reconcile_orders(choices: Sequence[float]) -> float:
    """Combine the choices of both orders into one; a contradiction is a tie."""
    first, *rest = choices
    return first if all(first == B - swapped for swapped in rest) else TIE


def get_true_choice(dimension: Dimension, sample: Sample) -> float:
    return CHOICE_BY_NAME[str(dimension.get_truth(sample))]


def apply_tie_policy(choice: float, ties: TiePolicy) -> float:
    if choice != TIE or ties == "half":
        return choice
    if ties == "upstream":
        return B
    raise Unreadable("both sides have the same rating; ties are skipped")


def _score_credit(sample: Sample, *outputs: Output, dimension: Dimension, ties: TiePolicy) -> tuple[float, float]:
    """Return the credit of a choice, and whether it is a tie."""
    choice = get_choice(dimension, outputs)
    distance = abs(apply_tie_policy(choice, ties) - get_true_choice(dimension, sample))
    return 1.0 - distance, float(choice == TIE)


def _score_position_bias(sample: Sample, *outputs: Output, dimension: Dimension) -> tuple[float, float] | None:
    """Return whether the first or the second position was chosen in both orders; None for numeric ratings."""
    relevant = dimension.select_outputs(outputs)
    if isinstance(relevant[0], Prediction) or not dimension.is_pairwise or len(relevant) < 2:
        return None
    first, second = map(_read_choice, relevant)
    return float(first == second == A), float(first == second == B)


mean_credit = MeanAggregator(lambda totals: {"ties": int(totals[1])})
"""The mean credit; the details count the ties."""

position_bias_rate = MeanAggregator(
    lambda totals: {"first": int(totals[0]), "second": int(totals[1]), "pairs": int(totals[-1])}, columns=(0, 1)
)
"""The share of pairs in which both orders chose the same position; the details count each position."""


def preference_metrics(dimension: Dimension, ties: TiePolicy) -> list[Metric]:
    """Make the metrics of one dimension: pairwise accuracy, chance level, always b, and position bias."""
    make = partial(_preference_metric, dimension)
    return [
        make(
            "accuracy",
            "Accuracy",
            partial(_score_credit, ties=ties),
            aggregate=mean_credit,
            version=3,
            variant=f"ties-{ties}",
            bounds=ConstantBounds((0.0, 0.0), (1.0, 0.0)),
            reader=partial(read_choices, dimension=dimension),
            options=(lambda _: dict(zip(OPTION_LETTERS, OPTION_NAMES, strict=True))) if dimension.is_pairwise else None,
            credit=lambda stat: float(stat[0]),
            plot="pairs",
        ),
        make("chance", "Chance", lambda *_, dimension: 0.5, is_model_independent=True),
        make(
            "always_b",
            "Always b",
            lambda sample, *_, dimension: 1.0 - abs(B - get_true_choice(dimension, sample)),
            is_model_independent=True,
        ),
        make(
            "position_bias",
            "Position bias",
            _score_position_bias,
            version=3,
            aggregate=position_bias_rate,
            higher_is_better=False,
            badness=sum,
        ),
    ]


def _preference_metric(dimension: Dimension, name: str, title: str, score: Callable[..., Any], **fields: Any) -> Metric:
    variant = ".".join(filter(None, (fields.pop("variant", ""), output_variant(dimension))))
    return Metric(
        dimension.metric_name(name),
        partial(score, dimension=dimension),
        fields.pop("aggregate", mean),
        title=dimension.metric_title(title),
        variant=variant,
        unit="share",
        applies=dimension.is_rated,
        **fields,
    )


_, chance, always_b, position_bias = preference_metrics(Dimension(), "half")
