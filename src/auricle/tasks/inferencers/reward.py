"""Asking how good a sound is, or which of two is better: of reward models, and of those that write.

A reward model tells numbers of one sound at a time. A model that writes is asked for a number on a
scale, or for the better of two sounds, in both orders: some choose the first whatever it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from auricle.core.errors import SampleError
from auricle.core.types import Ability, Ask, Generate, Input, Output, Part, Sample, Turn
from auricle.prompts.placeholders import as_parts, render
from auricle.tasks.inferencers.base import resolve_max_tokens
from auricle.tasks.inferencers.measure import Compare, Measure

SIDES = ("a", "b")
RATING_PROMPT = "{context?}Recording:\n{audio}\n{question}\nAnswer with one number from {low} to {high}."
PREFERENCE_PROMPT = (
    "{context?}Recording A:\n{a}\nRecording B:\n{b}\n{question}\n"
    "Answer with A or B; if you cannot tell them apart, answer tie."
)
CONTEXT_LABELS: Mapping[str, str] = {
    "text": "What was asked for: ",
    "lyrics": "Lyrics: ",
    "ref_audio": "Reference recording:\n",
}
"""What stands before each thing that a sound was made from."""


@dataclass(frozen=True)
class Appraise:
    """Named numbers for a sound, or for either of two."""

    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        if is_pair(sample):
            return await Compare()(sample, ask)
        _refuse_missing_audio(sample)
        return await Measure()(sample, ask)


@dataclass(frozen=True)
class Rate:
    """A number in words for a sound, or for either of two; one question after the other."""

    questions: tuple[str, ...]
    low: float = 1.0
    high: float = 5.0
    prompt: str = RATING_PROMPT
    max_tokens: int = 512
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        given = sample.inputs
        if is_pair(sample):
            _refuse_missing_candidate(sample)
        else:
            _refuse_missing_audio(sample)
        sounds = [given[side] for side in SIDES] if is_pair(sample) else [given["audio"]]
        asked = [self._build_request(sample, question, sound) for question in self.questions for sound in sounds]
        return tuple(await asyncio.gather(*map(ask, asked)))

    def _build_request(self, sample: Sample, question: str, sound: Input) -> Generate:
        scale = {"low": f"{self.low:g}", "high": f"{self.high:g}"}
        return _build_request(self.prompt, sample, {"audio": sound, "question": question, **scale}, self)


@dataclass(frozen=True)
class Prefer:
    """The better of two sounds in words, asked in both orders unless `swap` is off."""

    questions: tuple[str, ...]
    swap: bool = True
    prompt: str = PREFERENCE_PROMPT
    max_tokens: int = 512
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        _refuse_missing_candidate(sample)
        a, b = (sample.inputs[side] for side in SIDES)
        orders = [(a, b), (b, a)] if self.swap else [(a, b)]
        asked = [
            _build_request(self.prompt, sample, {"a": one, "b": other, "question": question}, self)
            for question in self.questions
            for one, other in orders
        ]
        return tuple(await asyncio.gather(*map(ask, asked)))


@dataclass(frozen=True)
class RateOrPrefer:
    """Rate what is one sound, prefer among two: for benchmarks that have both."""

    rate: Rate
    prefer: Rate | Prefer
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return await (self.prefer if is_pair(sample) else self.rate)(sample, ask)


def is_pair(sample: Sample) -> bool:
    return any(side in sample.inputs for side in SIDES)


def _refuse_missing_candidate(sample: Sample) -> None:
    if missing := [side for side in SIDES if side not in sample.inputs]:
        raise SampleError(f"there is no {missing[0]} to compare")


def _refuse_missing_audio(sample: Sample) -> None:
    if "audio" not in sample.inputs:
        raise SampleError("there is no audio to rate")


def _build_request(
    prompt: str, sample: Sample, extra_inputs: Mapping[str, Input], inferencer: Rate | Prefer
) -> Generate:
    held = {name: value for name, value in sample.inputs.items() if name not in SIDES}
    inputs: dict[str, Input] = {**held, "context": _render_context(sample), **extra_inputs}
    return Generate(
        turns=(Turn("user", render(prompt, inputs)),), max_tokens=resolve_max_tokens(sample, inferencer.max_tokens)
    )


def _render_context(sample: Sample) -> list[Part]:
    """What a sound was made from, each under its name; nothing of what there is not."""
    parts: list[Part] = []
    for name, title in CONTEXT_LABELS.items():
        if name in sample.inputs:
            parts += [title, *as_parts(sample.inputs[name]), "\n"]
    return parts
