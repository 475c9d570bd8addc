"""Options of the reward tasks: questions, rating scale, ties and the names of model outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from auricle.core.errors import SpecError
from auricle.metrics.base import Metric
from auricle.metrics.preference import TIE_POLICIES, TiePolicy
from auricle.metrics.ratings import Dimension
from auricle.tasks.inferencers import Appraise, FirstSupported, Inferencer, Prefer, Rate, RateOrPrefer
from auricle.tasks.inferencers.reward import PREFERENCE_PROMPT, RATING_PROMPT
from auricle.tasks.options import check_option, split_list

RATING_QUESTIONS: Mapping[str, str] = {
    "musicality": "How good is this recording as music?",
    "alignment": "How well does this recording fit what was asked for?",
}
PREFERENCE_QUESTIONS: Mapping[str, str] = {
    "musicality": "Which recording is better as music?",
    "alignment": "Which recording fits better what was asked for?",
}
ANSWER_MODES = ("choice", "number")


@dataclass(frozen=True, kw_only=True)
class RewardOptions:
    """The `-T` options that all reward tasks share."""

    outputs: Mapping[str, str]
    """The model's name of each dimension of the data."""
    ties: TiePolicy
    question: str = ""
    """Question for text-generating models, instead of that of the task."""
    ask: str = "choice"
    """Whether a pair is compared by `choice` or by a `number` for each recording."""
    swap: bool = True
    """Whether pairs are asked in both orders."""
    scale: tuple[float, float] = (1.0, 5.0)
    prompt: str = ""
    max_tokens: int = 512

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], ties: TiePolicy) -> tuple[RewardOptions, dict[str, Any]]:
        """Split arguments into reward options and the remaining arguments."""
        names = {option.name for option in fields(cls)}
        options = {name: _parse_option(name, value) for name, value in arguments.items() if name in names}
        rest = {name: value for name, value in arguments.items() if name not in names}
        return cls(**{"ties": ties, "outputs": {}, **options}), rest

    def build_dimension(self, name: str, asked_dimension: str, asked_dimensions: Sequence[str]) -> Dimension:
        """Build a dimension of the data.

        Args:
            name: Name in the data.
            asked_dimension: Dimension that the model is asked about for it.
            asked_dimensions: All dimensions that the model is asked about, in order.
        """
        is_asked = asked_dimension in asked_dimensions
        return Dimension(
            name,
            self.outputs.get(name) or self.outputs.get(asked_dimension, asked_dimension),
            asked_dimensions.index(asked_dimension) if is_asked else 0,
            len(asked_dimensions) if is_asked else 0,
            self.scale,
            self.ask == "choice",
        )

    def build_inferencer(self, dimensions: Sequence[str]) -> Inferencer:
        """Build the inferencer: scores of a reward model, or else answers of a text-generating model."""
        low, high = self.scale
        rate = Rate(
            self._questions(RATING_QUESTIONS, dimensions), low, high, self.prompt or RATING_PROMPT, self.max_tokens
        )
        prompt = self.prompt or PREFERENCE_PROMPT
        prefer = Prefer(self._questions(PREFERENCE_QUESTIONS, dimensions), self.swap, prompt, self.max_tokens)
        by_text = RateOrPrefer(rate, prefer if self.ask == "choice" else rate)
        return FirstSupported((Appraise(), by_text))

    def _questions(self, questions: Mapping[str, str], dimensions: Sequence[str]) -> tuple[str, ...]:
        default = questions["musicality"]
        return tuple(self.question or questions.get(name, default) for name in dimensions)


def _parse_option(name: str, value: Any) -> Any:
    if name == "outputs":
        return _parse_outputs(value)
    if name == "scale":
        return _parse_scale(value)
    if name in ("ties", "ask"):
        choices = TIE_POLICIES if name == "ties" else ANSWER_MODES
        return check_option(name, value, value in choices, f"one of {', '.join(choices)}")
    if name == "swap":
        return check_option(name, value, isinstance(value, bool), "true or false")
    if name == "max_tokens":
        return check_option(name, value, isinstance(value, int), "an integer")
    return check_option(name, value, isinstance(value, str), "text")


def _parse_outputs(value: Any) -> dict[str, str]:
    """Parse `musicality=mos,alignment=clap`, a mapping, or a single name for data with one dimension."""
    if isinstance(value, Mapping):
        return {str(name): str(output) for name, output in value.items()}
    pairs = [item.partition("=") for item in split_list(str(value))]
    return {(name if equals else ""): (output if equals else name) for name, equals, output in pairs}


def _parse_scale(value: Any) -> tuple[float, float]:
    """Parse a scale such as `1-5`, or two numbers."""
    parts = str(value).split("-") if isinstance(value, str) else value
    try:
        low, high = (float(part) for part in parts)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    check_option("scale", value, low < high, "two increasing numbers such as 1-5")
    return low, high


def select_metrics(metrics: Sequence[Metric], names: Sequence[str]) -> list[Metric]:
    """Select metrics by their full name or by the part before the dot; without names, return all."""
    if not names:
        return list(metrics)
    base_names = {metric.name: metric.name.partition(".")[0] for metric in metrics}
    for name in names:
        if name not in {*base_names, *base_names.values()}:
            available = ", ".join(dict.fromkeys(base_names.values()))
            raise SpecError(f"Unknown metric {name!r}. Metrics of this task: {available}.", location=("metrics",))
    return [metric for metric in metrics if {metric.name, base_names[metric.name]} & set(names)]


def has_value(value: Any) -> bool:
    """Return whether a cell has a value. Unlike in the authors' code, null does not count as text."""
    return value is not None and bool(str(value).strip())
