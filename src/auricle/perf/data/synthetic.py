"""Synthetic requests: prompts and sounds with lengths by distribution, shared prefixes and mixes by weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from auricle.core.errors import SpecError
from auricle.core.types import Part, Sample
from auricle.engine.inferencers import Respond
from auricle.engine.task import Task
from auricle.perf.data.lengths import Lengths
from auricle.perf.data.speech import SpeechPool
from auricle.perf.data.texts import make_block, make_text

if TYPE_CHECKING:
    from numpy.random import Generator

SYNTAX = (
    "in=TOKENS[,out=TOKENS][,prefix=TOKENSxGROUPS][,audio=SECONDS][,pool=DIR][,weight=NUMBER], "
    "several shapes separated by ';'"
)
INSTRUCTION = "Please transcribe the spoken content into written text."
"""Prompt of a request with sound whose `in` is not set."""
DEFAULT_OUTPUT_TOKENS = 128
MIN_CLIP_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Prefix:
    """Texts that many prompts begin with."""

    tokens: int
    groups: int = 1

    @classmethod
    def parse(cls, text: str) -> Prefix:
        tokens, separator, groups = text.partition("x")
        if not tokens.isdecimal() or not int(tokens) or (separator and (not groups.isdecimal() or not int(groups))):
            raise ValueError(f"expected tokens and groups, such as 256x8, not {text!r}")
        return cls(int(tokens), int(groups or 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestShape:
    """Lengths of one kind of request, and its share of a mix."""

    input_tokens: Lengths | None = None
    """Tokens of the prompt after the prefix."""
    output_tokens: Lengths | None = None
    prefix: Prefix | None = None
    audio_seconds: Lengths | None = None
    pool: str = ""
    """Folder with recordings; empty for speech-like sound."""
    weight: float = 1.0

    @classmethod
    def parse(cls, text: str) -> RequestShape:
        """Parse `in=512,out=128`.

        Raises:
            ValueError: with what is wrong with the text.
        """
        options: dict[str, str] = {}
        for word in filter(None, map(str.strip, text.split(","))):
            name, _, value = word.partition("=")
            if name in options:
                raise ValueError(f"{name} is given twice")
            options[name] = value
        shape = cls(
            input_tokens=_parse_lengths(options.pop("in", "")),
            output_tokens=_parse_lengths(options.pop("out", "")),
            prefix=Prefix.parse(options.pop("prefix")) if "prefix" in options else None,
            audio_seconds=_parse_lengths(options.pop("audio", ""), seconds=True),
            pool=options.pop("pool", ""),
            weight=_parse_weight(options.pop("weight", "1")),
        )
        if options:
            raise ValueError(f"unknown option {next(iter(options))!r}")
        if shape.input_tokens is None and shape.audio_seconds is None:
            raise ValueError("in= or audio= is missing")
        if shape.pool and shape.audio_seconds is None:
            raise ValueError("pool= needs audio=")
        return shape


def _parse_lengths(text: str, *, seconds: bool = False) -> Lengths | None:
    return Lengths.parse(text, seconds=seconds) if text else None


def _parse_weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0 < weight < float("inf"):
        raise ValueError(f"weight must be a number above 0, not {text!r}")
    return weight


@dataclass(frozen=True)
class SyntheticSamples:
    """Endless samples. Each depends only on the seed and its number, so all senders make the same."""

    shapes: tuple[RequestShape, ...]
    seed: int = 0
    text: str = field(default="", compare=False)

    @property
    def revision(self) -> str:
        return f"synthetic:{self.text},seed={self.seed}"

    @property
    def forces_length(self) -> bool:
        """Whether answers should have exactly `max_tokens` tokens."""
        return any(shape.output_tokens for shape in self.shapes)

    def __iter__(self) -> Iterator[Sample]:
        return (self.make_sample(row) for row in count())

    @cached_property
    def _pools(self) -> dict[str, SpeechPool]:
        folders = {shape.pool for shape in self.shapes if shape.audio_seconds}
        return {folder: SpeechPool.from_folder(Path(folder)) if folder else SpeechPool.made() for folder in folders}

    def make_sample(self, row: int) -> Sample:
        import numpy as np

        random = np.random.default_rng([0, self.seed, row])
        weights = np.array([shape.weight for shape in self.shapes])
        index = int(random.choice(len(weights), p=weights / weights.sum()))
        shape = self.shapes[index]
        content: list[Part] = []
        if shape.audio_seconds:
            seconds = shape.audio_seconds.draw(random, MIN_CLIP_SECONDS)
            content.append(self._pools[shape.pool].cut_clip(seconds, random))
        content.append(self._make_prompt(index, shape, random))
        tokens = shape.output_tokens.draw_count(random) if shape.output_tokens else DEFAULT_OUTPUT_TOKENS
        return Sample(id=str(row), inputs={"content": content}, target=None, meta={"max_tokens": tokens})

    def _make_prompt(self, index: int, shape: RequestShape, random: Generator) -> str:
        """Return the prefix of a random group, if there are any, and random words."""
        words = []
        if shape.prefix:
            group = int(random.integers(shape.prefix.groups))
            words.append(make_block((self.seed, index, group), shape.prefix.tokens))
        if shape.input_tokens:
            words.append(make_text(shape.input_tokens.draw_count(random), random))
        return " ".join(words) or INSTRUCTION


def synthetic(*, requests: str, seed: int = 0) -> Task:
    """Build a task of synthetic requests, which are not scored.

    Args:
        requests: Shapes of requests, such as `in=512±50,out=128,prefix=256x8`.
        seed: Random seed of lengths and contents.
    """
    try:
        shapes = tuple(map(RequestShape.parse, requests.split(";")))
    except ValueError as error:
        raise SpecError(f"Data 'synthetic:{requests}': {error}. Expected {SYNTAX}.") from error
    return Task(SyntheticSamples(shapes, seed, requests), Respond("{content}"), [], name="synthetic")
