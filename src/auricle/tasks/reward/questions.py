"""What the reward tasks share: dimensions, the questions about them, and how they are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from auricle.core.errors import SpecError
from auricle.metrics.base import Metric
from auricle.metrics.preference import POLICIES, Ties
from auricle.metrics.rewards import Dimension
from auricle.tasks.inferencers import Appraise, Either, Inferencer, InWords, Prefer, Rate
from auricle.tasks.inferencers.reward import CHOOSING, RATING
from auricle.tasks.options import listed

RATED: Mapping[str, str] = {
    "musicality": "How good is this recording as music?",
    "alignment": "How well does this recording fit what was asked for?",
}
CHOSEN: Mapping[str, str] = {
    "musicality": "Which recording is better as music?",
    "alignment": "Which recording fits better what was asked for?",
}
ASKS = ("choice", "number")


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What `-T` says of asking and of reading the answers, as every reward task takes it."""

    outputs: Mapping[str, str]
    """What the model calls a dimension, by what the data calls it."""
    ties: Ties
    question: str = ""
    """Asked of models that write, instead of the task's own question."""
    ask: str = "choice"
    """Are they asked which of two is better, or for a number for each?"""
    swap: bool = True
    scale: tuple[float, float] = (1.0, 5.0)
    prompt: str = ""
    max_tokens: int = 512

    @classmethod
    def of(cls, given: Mapping[str, Any], ties: Ties) -> tuple[Asking, dict[str, Any]]:
        """What is said of asking, and the options that are about something else."""
        known = {each.name for each in fields(cls)}
        said = {name: value for name, value in given.items() if name in known}
        rest = {name: value for name, value in given.items() if name not in known}
        said = {name: _checked(name, value) for name, value in said.items()}
        return cls(**{"ties": ties, "outputs": {}, **said}), rest

    def dimension(self, name: str, about: str, questions: Sequence[str]) -> Dimension:
        """A dimension of the data; `about` is asked for it, if that is one of the questions."""
        is_asked = about in questions
        return Dimension(
            name,
            self.outputs.get(name) or self.outputs.get(about, about),
            questions.index(about) if is_asked else 0,
            len(questions) if is_asked else 0,
            self.scale,
            self.ask == "choice",
        )

    def inferencer(self, about: Sequence[str]) -> Inferencer:
        """Numbers of a model that tells them, else what a model writes when it is asked."""
        low, high = self.scale
        rate = Rate(
            self._questions(RATED, about), low, high, self.prompt or RATING, self.max_tokens
        )
        choosing = self.prompt or CHOOSING
        prefer = Prefer(self._questions(CHOSEN, about), self.swap, choosing, self.max_tokens)
        written = InWords(rate, prefer if self.ask == "choice" else rate)
        return Either((Appraise(), written))

    def _questions(self, known: Mapping[str, str], about: Sequence[str]) -> tuple[str, ...]:
        otherwise = known["musicality"]
        return tuple(self.question or known.get(name, otherwise) for name in about)


def _checked(name: str, value: Any) -> Any:
    if name == "outputs":
        return _renamed(value)
    if name == "scale":
        return _scale(value)
    if name == "ties":
        return _one_of(name, value, POLICIES)
    if name == "ask":
        return _one_of(name, value, ASKS)
    due: type = {"swap": bool, "max_tokens": int}.get(name, str)
    if not isinstance(value, due):
        raise SpecError(f"{name} should be {WORDS[due]}, not {value!r}.", where=(name,))
    return value


WORDS: Mapping[type, str] = {bool: "true or false", int: "a whole number", str: "text"}


def _one_of(name: str, value: Any, known: Sequence[str]) -> str:
    if value not in known:
        raise SpecError(f"{name} is one of {', '.join(known)}, not {value!r}.", where=(name,))
    return cast(str, value)


def _renamed(value: Any) -> dict[str, str]:
    """`musicality=mos,alignment=clap`, a mapping, or one name alone for data with one truth."""
    if isinstance(value, Mapping):
        return {str(name): str(each) for name, each in value.items()}
    pairs = [each.partition("=") for each in listed(str(value))]
    return {(name if equals else ""): (each if equals else name) for name, equals, each in pairs}


def _scale(value: Any) -> tuple[float, float]:
    """`1-5`, or two numbers."""
    parts = str(value).split("-") if isinstance(value, str) else value
    try:
        low, high = (float(each) for each in parts)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    if not low < high:
        raise SpecError(
            f"scale should be two numbers such as 1-5, not {value!r}.", where=("scale",)
        )
    return low, high


def wanted(metrics: Sequence[Metric], names: Sequence[str]) -> list[Metric]:
    """Those that were asked for, by whole name or by what stands before the dot; else all."""
    if not names:
        return list(metrics)
    found = [each for each in metrics if {each.name, each.name.partition(".")[0]} & set(names)]
    known = dict.fromkeys(each.name.partition(".")[0] for each in metrics)
    for name in names:
        if not any(name in (each.name, each.name.partition(".")[0]) for each in metrics):
            raise SpecError(
                f"No metric called {name!r} here; there are {', '.join(known)}.", where=("metrics",)
            )
    return found
