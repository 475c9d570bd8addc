"""Limit the size of few-shot examples in tokens of text and seconds of audio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from auricle.audio import Audio
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Part, list_parts
from auricle.prompts.example_pool import Example

BYTES_PER_TOKEN = 4  # typical for English; in Chinese it counts three tokens for four characters

ExampleRenderer: TypeAlias = Callable[[Example], Sequence[Part]]


def all_parts(example: Example) -> list[Part]:
    """Return all parts that an example may be shown as: its inputs and its answer."""
    return [part for value in example.inputs.values() for part in list_parts(value)] + [example.answer]


@dataclass(frozen=True, eq=False)
class ExampleBudget:
    """The maximum total size of the examples of a sample; None is no limit."""

    max_tokens: int | None = None
    max_seconds: float | None = None
    tokenizer: str = ""
    """Tokeniser that counts the tokens; if empty, they are estimated from the length of the text."""
    render_example: ExampleRenderer = all_parts

    def select_fitting(self, examples: Sequence[Example]) -> list[Example]:
        """Return the leading examples that fit; the input is sorted best first."""
        selected: list[Example] = []
        tokens, seconds = 0, 0.0
        for example in examples:
            if self.max_tokens is not None:
                tokens += self._count_tokens(example)
            if self.max_seconds is not None:
                seconds += self._audio_seconds(example)
            if tokens > (self.max_tokens or 0) or seconds > (self.max_seconds or 0.0):
                break
            selected.append(example)
        return selected

    def _count_tokens(self, example: Example) -> int:
        texts = [part for part in self.render_example(example) if isinstance(part, str)]
        if not self.tokenizer:
            return sum(-(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN) for text in texts)
        return sum(len(self._tokenize(text, add_special_tokens=False)["input_ids"]) for text in texts)

    def _audio_seconds(self, example: Example) -> float:
        clips = [part for part in self.render_example(example) if isinstance(part, Audio)]
        try:
            return sum(clip.seconds for clip in clips)
        except SampleError as error:
            raise SpecError(
                f"Cannot read the duration of the example {example.id!r}: {error}", location=("shots", "pool")
            ) from error

    @cached_property
    def _tokenize(self) -> Any:
        try:
            from transformers import AutoTokenizer
        except ImportError as error:
            raise MissingExtra("Counting tokens exactly", "transformers") from error
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.tokenizer)
        except (OSError, ValueError) as error:
            raise self._tokenizer_error(str(error).strip().partition("\n")[0]) from error
        if not tokenizer("a", add_special_tokens=False)["input_ids"]:  # also for an empty folder
            raise self._tokenizer_error("it returns no tokens.")
        return tokenizer

    def _tokenizer_error(self, reason: str) -> SpecError:
        return SpecError(f"Cannot use the tokenizer {self.tokenizer}: {reason}", location=("shots", "tokenizer"))

    def validate(self) -> None:
        """Raise if the tokeniser cannot be used."""
        if self.max_tokens is not None and self.tokenizer:
            assert self._tokenize

    def __str__(self) -> str:
        limits = []
        if self.max_tokens is not None:
            limits.append(f"max_tokens={self.max_tokens} {self.tokenizer or 'estimated'}")
        if self.max_seconds is not None:
            limits.append(f"max_seconds={self.max_seconds:g}")
        return ", ".join(limits)
