"""Metrics of pairwise preference: accuracy, baselines and position bias.

A choice is a number: 0 for a, 1 for b, 0.5 for a tie. The credit of a choice is 1 minus its distance from the true
choice: a tie on one side gets half, a tie on both sides full credit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from auricle.core.errors import Unreadable, Unsupported
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.metrics.base import ConstantBounds, MeanAggregator, Metric, mean
from auricle.metrics.capabilities import Bounded, Choosing, Credited, ReadsReply, Restricted
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


mean_credit = MeanAggregator(lambda totals: {"ties": int(totals[1])})
"""The mean credit; the details count the ties."""

position_bias_rate = MeanAggregator(
    lambda totals: {"first": int(totals[0]), "second": int(totals[1]), "pairs": int(totals[-1])}, columns=(0, 1)
)
"""The share of pairs in which both orders chose the same position; the details count each position."""


class PreferenceMetric(Metric, Restricted):
    """A metric of the preferences of one dimension."""

    unit, aggregate = "share", mean
    short_name = short_title = convention = ""

    def __init__(self, dimension: Dimension) -> None:
        super().__init__(
            dimension.metric_name(self.short_name),
            title=dimension.metric_title(self.short_title),
            variant=".".join(filter(None, (self.convention, output_variant(dimension)))),
        )
        self.dimension = dimension

    def applies(self, sample: Sample) -> bool:
        return self.dimension.is_rated(sample)


class PreferenceAccuracy(PreferenceMetric, Bounded, Credited, ReadsReply):
    """The accuracy of choices."""

    short_name, short_title, version = "accuracy", "Accuracy", 3
    aggregate = mean_credit
    bounds = ConstantBounds((0.0, 0.0), (1.0, 0.0))
    plot = "pairs"

    def __init__(self, dimension: Dimension, ties: TiePolicy) -> None:
        self.convention = f"ties-{ties}"
        self.ties = ties
        super().__init__(dimension)

    def score(self, sample: Sample, *outputs: Output) -> tuple[float, float]:
        """Return the credit of a choice, and whether it is a tie."""
        choice = get_choice(self.dimension, outputs)
        distance = abs(apply_tie_policy(choice, self.ties) - get_true_choice(self.dimension, sample))
        return 1.0 - distance, float(choice == TIE)

    def credit(self, stat: tuple[float, float]) -> float:
        return float(stat[0])

    def reader(self, sample: Sample, *outputs: Output) -> Reading[str]:
        return read_choices(sample, *outputs, dimension=self.dimension)


class PairwiseAccuracy(PreferenceAccuracy, Choosing):
    """The accuracy of choices between two letters."""

    def options(self, sample: Sample) -> Mapping[str, str]:
        return dict(zip(OPTION_LETTERS, OPTION_NAMES, strict=True))


class ChanceLevel(PreferenceMetric):
    short_name, short_title = "chance", "Chance"
    is_model_independent = True

    def score(self, sample: Sample, *outputs: Output) -> float:
        return 0.5


class AlwaysB(PreferenceMetric):
    short_name, short_title = "always_b", "Always b"
    is_model_independent = True

    def score(self, sample: Sample, *outputs: Output) -> float:
        return 1.0 - abs(B - get_true_choice(self.dimension, sample))


class PositionBias(PreferenceMetric):
    """The share of pairs of which the same position was chosen in both orders."""

    short_name, short_title, version = "position_bias", "Position bias", 3
    aggregate = position_bias_rate
    higher_is_better = False

    def score(self, sample: Sample, *outputs: Output) -> tuple[float, float] | None:
        """Return whether the first or the second position was chosen in both orders; None for numeric ratings."""
        relevant = self.dimension.select_outputs(outputs)
        if isinstance(relevant[0], Prediction) or not self.dimension.is_pairwise or len(relevant) < 2:
            return None
        first, second = map(_read_choice, relevant)
        return float(first == second == A), float(first == second == B)

    def badness(self, stat: tuple[float, float]) -> float:
        return sum(stat)


def preference_metrics(dimension: Dimension, ties: TiePolicy) -> list[Metric]:
    """Make the metrics of one dimension: pairwise accuracy, chance level, always b, and position bias."""
    accuracy = PairwiseAccuracy if dimension.is_pairwise else PreferenceAccuracy
    return [accuracy(dimension, ties), ChanceLevel(dimension), AlwaysB(dimension), PositionBias(dimension)]


_, chance, always_b, position_bias = preference_metrics(Dimension(), "half")
