"""How a sample becomes requests. An inferencer asks; it never scores and never batches.

Each inferencer is a frozen dataclass, so that its `repr` is its signature.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Protocol, cast

from auricle.errors import SampleError, Unsupported
from auricle.types import (
    Ability,
    Ask,
    Generate,
    Generation,
    Input,
    LogLikelihood,
    Output,
    Part,
    Predict,
    Request,
    Sample,
    Turn,
)

ASIDE = ("choices", "turns")  # inputs that are lists of their own, not one named thing each


class Inferencer(Protocol):
    """Turns one sample into outputs, by asking."""

    @property
    def needs(self) -> Ability: ...

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]: ...


@dataclass(frozen=True)
class Respond:
    """One prompt, one answer: ASR, question answering, captioning, MCQ by text."""

    template: str
    system: str = ""
    max_tokens: int = 512
    temperature: float = 0.0
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return (await ask(self.request(sample)),)

    def request(self, sample: Sample) -> Generate:
        turn = Turn("user", render(self.template, sample.inputs))
        system = (Turn("system", (self.system,)),) if self.system else ()
        return Generate(
            turns=(*system, turn), max_tokens=self.max_tokens, temperature=self.temperature
        )


@dataclass(frozen=True)
class Converse:
    """Several user turns, each answered in the light of the answers before it."""

    turns: str = "turns"
    max_tokens: int = 512
    needs: ClassVar[Ability] = "generate"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        history: list[Turn] = []
        answers: list[Output] = []
        for part in many(sample.inputs[self.turns]):
            history.append(Turn("user", (part,)))
            answer = await ask(Generate(turns=tuple(history), max_tokens=self.max_tokens))
            assert isinstance(answer, Generation)
            history.append(Turn("assistant", (answer.text,)))
            answers.append(answer)
        return tuple(answers)


@dataclass(frozen=True)
class Choose:
    """Score every choice by likelihood; one output per choice, in order."""

    template: str
    choices: str = "choices"
    needs: ClassVar[Ability] = "loglikelihood"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        turns = (Turn("user", render(self.template, sample.inputs)),)
        choices = [str(choice) for choice in many(sample.inputs[self.choices])]
        asked = (ask(LogLikelihood(turns=turns, continuation=choice)) for choice in choices)
        return tuple(await asyncio.gather(*asked))


@dataclass(frozen=True)
class Measure:
    """Named inputs in, named numbers out; the raw output of a classifier or reward model."""

    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return (await ask(Predict(inputs=named(sample.inputs))),)


@dataclass(frozen=True)
class Compare:
    """Measure two candidates under one instruction; one output per candidate."""

    candidates: tuple[str, str] = ("a", "b")
    needs: ClassVar[Ability] = "predict"

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        given = named(sample.inputs)
        shared = {name: part for name, part in given.items() if name not in self.candidates}
        asked = (ask(Predict(inputs={**shared, "audio": given[c]})) for c in self.candidates)
        return tuple(await asyncio.gather(*asked))


@dataclass(frozen=True)
class Either:
    """Several ways to ask the same; the first that a model can answer is taken."""

    ways: tuple[Inferencer, ...]

    @property
    def needs(self) -> Ability:
        return self.ways[0].needs

    async def __call__(self, sample: Sample, ask: Ask) -> tuple[Output, ...]:
        return await self.ways[0](sample, ask)


def suited(inferencer: Inferencer, can: Sequence[Ability], task: str, model: str) -> Inferencer:
    """The way to ask that the model can answer, or a refusal before anything is loaded."""
    ways = inferencer.ways if isinstance(inferencer, Either) else (inferencer,)
    for way in ways:
        if way.needs in can:
            return way
    needs = " or ".join(dict.fromkeys(way.needs for way in ways))
    raise Unsupported(
        f"{task} needs a model that can {needs}; {model} can {', '.join(can) or 'do nothing'}."
    )


async def preview(inferencer: Inferencer, sample: Sample) -> list[Request]:
    """What would be asked first, without asking."""
    asked: list[Request] = []

    async def ask(request: Request) -> Output:
        asked.append(request)
        return Generation(text="…")

    await inferencer(sample, ask)
    return asked


FIELD = re.compile(r"\{(\w+)(\??)\}")


def render(template: str, inputs: Mapping[str, Input]) -> tuple[Part, ...]:
    """Fill `{name}` fields once, leaving media as parts; `{name?}` may be absent."""
    before, fields = _parsed(template)
    parts: list[Part] = [before] if before else []
    for name, optional, after in fields:
        if name in inputs:
            parts.extend(many(inputs[name]))
        elif not optional:
            raise SampleError(f"the prompt wants {{{name}}}; the sample has {', '.join(inputs)}")
        if after:
            parts.append(after)
    return _joined(parts)


@lru_cache(maxsize=256)
def _parsed(template: str) -> tuple[str, list[tuple[str, bool, str]]]:
    """The text before the first field, then each field: name, may be absent, text after it."""
    before, *rest = FIELD.split(template)
    marks = zip(rest[0::3], rest[1::3], rest[2::3], strict=True)
    return before, [(name, mark == "?", after) for name, mark, after in marks]


def _joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Neighbouring texts as one, so that a model sees a prompt and not its seams."""
    joined: list[Part] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return tuple(joined)


def many(value: Input) -> list[Part]:
    return list(value) if isinstance(value, (list, tuple)) else [cast(Part, value)]


def named(inputs: Mapping[str, Input]) -> dict[str, Part]:
    """Inputs a model is told by name: the first of each, without what is empty."""
    given = {name: many(value) for name, value in inputs.items() if name not in ASIDE}
    return {name: parts[0] for name, parts in given.items() if parts}
