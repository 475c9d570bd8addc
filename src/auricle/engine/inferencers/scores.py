"""Inferencers that ask for scores, ratings and preferences of one recording or of two.

A classifier or reward model returns scores for one recording at a time. A model that generates text is asked for a
number on a scale, or for the better of two recordings, in both orders because some models always prefer the first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from auricle.core.errors import NotFinite, SampleError
from auricle.core.types import Ability, Ask, Generate, Generation, Input, Output, Part, Predict, Sample, Turn
from auricle.data.prompts.template import as_parts, render
from auricle.engine.inferencers.base import resolve_max_tokens

EXCLUDED_INPUTS = ("choices", "turns")  # lists that are not inputs of a predictor


@dataclass(frozen=True)
class Measure:
    """Asks for the scores of a sample; the output is that of the classifier or reward model."""

    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        labels = tuple(str(choice) for choice in as_parts(sample.inputs.get("choices", ())))
        return (await ask(Predict(inputs=select_named_inputs(sample.inputs), labels=labels)),)


@dataclass(frozen=True)
class Compare:
    """Asks for the scores of two candidates with the same other inputs; one output per candidate."""

    candidates: tuple[str, str] = ("a", "b")
    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        inputs = select_named_inputs(sample.inputs)
        require_inputs(self.candidates, inputs)
        shared = {name: part for name, part in inputs.items() if name not in self.candidates}
        answers = (
            _name_candidate(side, ask(Predict(inputs={**shared, "audio": inputs[side]}))) for side in self.candidates
        )
        return tuple(await asyncio.gather(*answers))


def require_inputs(names: Sequence[str], inputs: Mapping[str, object]) -> None:
    """Raise an error if the sample lacks one of these inputs."""
    if missing := [name for name in names if name not in inputs]:
        raise SampleError(f"missing input {missing[0]!r}")


async def _name_candidate(candidate: str, answer: Awaitable[Output]) -> Output:
    """Await an answer; name the candidate if its scores are not finite."""
    try:
        return await answer
    except NotFinite as error:
        raise NotFinite(f"{candidate}: {error}") from error


def select_named_inputs(inputs: Mapping[str, Input]) -> dict[str, Part]:
    """Return the first part of each input that is not empty."""
    parts_by_name = {name: as_parts(value) for name, value in inputs.items() if name not in EXCLUDED_INPUTS}
    return {name: parts[0] for name, parts in parts_by_name.items() if parts}


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
"""The heading of each input from which a recording was generated."""


@dataclass(frozen=True)
class Appraise:
    """Asks a reward model for the scores of one recording or of two."""

    dimensions: int = field(default=1, repr=False)
    """How many dimensions the data has."""
    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        if is_pair(sample):
            return await Compare()(sample, ask)
        require_inputs(("audio",), sample.inputs)
        return await Measure()(sample, ask)

    def adapt_to_pairs(self) -> AppraisePairs:
        return AppraisePairs(self.dimensions)


@dataclass(frozen=True)
class AppraisePairs:
    """Asks a model that compares two recordings in both orders; what it answers is about the first of them.

    A number is how much better the first is, so that those of both orders are the scores of the two recordings.
    """

    dimensions: int = field(default=1, repr=False)
    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        if not is_pair(sample):
            return await Appraise()(sample, ask)
        inputs = select_named_inputs(sample.inputs)
        require_inputs(SIDES, inputs)
        swapped = {**inputs, "a": inputs["b"], "b": inputs["a"]}
        outputs = tuple(await asyncio.gather(*(ask(Predict(inputs=order)) for order in (inputs, swapped))))
        if self.dimensions > 1 and any(isinstance(output, Generation) for output in outputs):
            raise SampleError(
                f"the model returned one text for {self.dimensions} dimensions: return a dict with a number for each, "
                "or annotate the function with `-> str` and take `text`, the question about one of them"
            )
        return outputs


@dataclass(frozen=True)
class Rate:
    """Asks for a rating as text, for each question and each recording."""

    questions: tuple[str, ...]
    low: float = 1.0
    high: float = 5.0
    prompt: str = RATING_PROMPT
    max_tokens: int = 512
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        names = SIDES if is_pair(sample) else ("audio",)
        require_inputs(names, sample.inputs)
        recordings = [sample.inputs[name] for name in names]
        requests = [self._request(sample, question, audio) for question in self.questions for audio in recordings]
        return tuple(await asyncio.gather(*map(ask, requests)))

    def _request(self, sample: Sample, question: str, audio: Input) -> Generate:
        scale = {"low": f"{self.low:g}", "high": f"{self.high:g}"}
        return _build_request(self.prompt, sample, {"audio": audio, "question": question, **scale}, self.max_tokens)


@dataclass(frozen=True)
class Prefer:
    """Asks for the better of two recordings as text, in both orders unless `swap` is off."""

    questions: tuple[str, ...]
    swap: bool = True
    prompt: str = PREFERENCE_PROMPT
    max_tokens: int = 512
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        require_inputs(SIDES, sample.inputs)
        a, b = (sample.inputs[side] for side in SIDES)
        orders = [(a, b), (b, a)] if self.swap else [(a, b)]
        requests = [
            _build_request(self.prompt, sample, {"a": first, "b": second, "question": question}, self.max_tokens)
            for question in self.questions
            for first, second in orders
        ]
        return tuple(await asyncio.gather(*map(ask, requests)))


@dataclass(frozen=True)
class RateOrPrefer:
    """Rates single recordings and compares pairs, for benchmarks that contain both."""

    rate: Rate
    prefer: Rate | Prefer
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return await (self.prefer if is_pair(sample) else self.rate)(sample, ask)


def is_pair(sample: Sample) -> bool:
    """Return whether a sample has candidates to compare."""
    return any(side in sample.inputs for side in SIDES)


def _build_request(prompt: str, sample: Sample, extra_inputs: Mapping[str, Input], max_tokens: int) -> Generate:
    shared = {name: value for name, value in sample.inputs.items() if name not in SIDES}
    inputs: dict[str, Input] = {**shared, "context": _render_context(sample), **extra_inputs}
    return Generate(turns=(Turn("user", render(prompt, inputs)),), max_tokens=resolve_max_tokens(sample, max_tokens))


def _render_context(sample: Sample) -> list[Part]:
    """Return the inputs from which a recording was generated, each with its heading."""
    parts: list[Part] = []
    for name, title in CONTEXT_LABELS.items():
        if name in sample.inputs:
            parts += [title, *as_parts(sample.inputs[name]), "\n"]
    return parts
