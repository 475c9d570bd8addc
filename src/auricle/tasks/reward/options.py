"""What the reward tasks share: dimensions, the questions about them, and how they are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from auricle.core.errors import SpecError
from auricle.metrics.base import Metric
from auricle.metrics.preference import TIE_POLICIES, TiePolicy
from auricle.metrics.ratings import Dimension
from auricle.tasks.inferencers import Appraise, FirstSupported, Inferencer, Prefer, Rate, RateOrPrefer
from auricle.tasks.inferencers.reward import PREFERENCE_PROMPT, RATING_PROMPT
from auricle.tasks.options import split_list

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
    """What `-T` says of asking and of reading the answers, as every reward task takes it."""

    outputs: Mapping[str, str]
    """What the model calls a dimension, by what the data calls it."""
    ties: TiePolicy
    question: str = ""
    """Asked of models that write, instead of the task's own question."""
    ask: str = "choice"
    """Are they asked which of two is better, or for a number for each?"""
    swap: bool = True
    scale: tuple[float, float] = (1.0, 5.0)
    prompt: str = ""
    max_tokens: int = 512

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], ties: TiePolicy) -> tuple[RewardOptions, dict[str, Any]]:
        """What is said of asking, and the options that are about something else."""
        known = {each.name for each in fields(cls)}
        said = {name: value for name, value in arguments.items() if name in known}
        rest = {name: value for name, value in arguments.items() if name not in known}
        said = {name: _parse_option(name, value) for name, value in said.items()}
        return cls(**{"ties": ties, "outputs": {}, **said}), rest

    def build_dimension(self, name: str, asked_dimension: str, asked_dimensions: Sequence[str]) -> Dimension:
        """A dimension of the data; `about` is asked for it, if that is one of the questions."""
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
        """Numbers of a model that tells them, else what a model writes when it is asked."""
        low, high = self.scale
        rate = Rate(
            self._questions(RATING_QUESTIONS, dimensions), low, high, self.prompt or RATING_PROMPT, self.max_tokens
        )
        choosing = self.prompt or PREFERENCE_PROMPT
        prefer = Prefer(self._questions(PREFERENCE_QUESTIONS, dimensions), self.swap, choosing, self.max_tokens)
        written = RateOrPrefer(rate, prefer if self.ask == "choice" else rate)
        return FirstSupported((Appraise(), written))

    def _questions(self, questions: Mapping[str, str], dimensions: Sequence[str]) -> tuple[str, ...]:
        otherwise = questions["musicality"]
        return tuple(self.question or questions.get(name, otherwise) for name in dimensions)


def _parse_option(name: str, value: Any) -> Any:
    if name == "outputs":
        return _parse_outputs(value)
    if name == "scale":
        return _parse_scale(value)
    if name == "ties":
        return _check_choice(name, value, TIE_POLICIES)
    if name == "ask":
        return _check_choice(name, value, ANSWER_MODES)
    due: type = {"swap": bool, "max_tokens": int}.get(name, str)
    if not isinstance(value, due):
        raise SpecError(f"{name} should be {TYPE_NAMES[due]}, not {value!r}.", location=(name,))
    return value


TYPE_NAMES: Mapping[type, str] = {bool: "true or false", int: "a whole number", str: "text"}


def _check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    if value not in choices:
        raise SpecError(f"{name} is one of {', '.join(choices)}, not {value!r}.", location=(name,))
    return cast(str, value)


def _parse_outputs(value: Any) -> dict[str, str]:
    """`musicality=mos,alignment=clap`, a mapping, or one name alone for data with one truth."""
    if isinstance(value, Mapping):
        return {str(name): str(each) for name, each in value.items()}
    pairs = [each.partition("=") for each in split_list(str(value))]
    return {(name if equals else ""): (each if equals else name) for name, equals, each in pairs}


def _parse_scale(value: Any) -> tuple[float, float]:
    """`1-5`, or two numbers."""
    parts = str(value).split("-") if isinstance(value, str) else value
    try:
        low, high = (float(each) for each in parts)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    if not low < high:
        raise SpecError(f"scale should be two numbers such as 1-5, not {value!r}.", location=("scale",))
    return low, high


def select_metrics(metrics: Sequence[Metric], names: Sequence[str]) -> list[Metric]:
    """Those that were asked for, by whole name or by what stands before the dot; else all."""
    if not names:
        return list(metrics)
    found = [each for each in metrics if {each.name, each.name.partition(".")[0]} & set(names)]
    known = dict.fromkeys(each.name.partition(".")[0] for each in metrics)
    for name in names:
        if not any(name in (each.name, each.name.partition(".")[0]) for each in metrics):
            raise SpecError(f"No metric called {name!r} here; there are {', '.join(known)}.", location=("metrics",))
    return found
