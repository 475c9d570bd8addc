"""How much room examples may take: tokens of text, seconds of sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from auricle.audio import Audio
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Part, list_parts
from auricle.prompts.example_pool import Example

BYTES_PER_TOKEN = 4
"""What most tokenisers come to in English; in Chinese it makes three tokens of four characters."""

ExampleRenderer: TypeAlias = Callable[[Example], Sequence[Part]]


def all_parts(example: Example) -> list[Part]:
    """All that an example could be shown as: its inputs and its answer."""
    return [part for value in example.inputs.values() for part in list_parts(value)] + [example.answer]


@dataclass(frozen=True, eq=False)
class ExampleBudget:
    """The most that a sample's examples may take together; None is no limit."""

    max_tokens: int | None = None
    max_seconds: float | None = None
    tokenizer: str = ""
    """Whose tokens are counted; without a name they are estimated from the length of the text."""
    render_example: ExampleRenderer = all_parts

    def select_fitting(self, examples: Sequence[Example]) -> list[Example]:
        """As many as fit, of examples that stand best first: the farthest are left out."""
        kept: list[Example] = []
        tokens, seconds = 0, 0.0
        for shot in examples:
            if self.max_tokens is not None:
                tokens += self._count_tokens(shot)
            if self.max_seconds is not None:
                seconds += self._audio_seconds(shot)
            if tokens > (self.max_tokens or 0) or seconds > (self.max_seconds or 0.0):
                break
            kept.append(shot)
        return kept

    def _count_tokens(self, example: Example) -> int:
        texts = [part for part in self.render_example(example) if isinstance(part, str)]
        if not self.tokenizer:
            return sum(-(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN) for text in texts)
        return sum(len(self._tokenize(text, add_special_tokens=False)["input_ids"]) for text in texts)

    def _audio_seconds(self, example: Example) -> float:
        sounds = [part for part in self.render_example(example) if isinstance(part, Audio)]
        try:
            return sum(sound.seconds for sound in sounds)
        except SampleError as error:
            raise SpecError(
                f"The example {example.id!r} cannot be measured: {error}", location=("shots", "pool")
            ) from error

    @cached_property
    def _tokenize(self) -> Any:
        try:
            from transformers import AutoTokenizer
        except ImportError as error:
            raise MissingExtra("Counting tokens exactly", "transformers") from error
        try:
            found = AutoTokenizer.from_pretrained(self.tokenizer)
        except (OSError, ValueError) as error:
            raise self._tokenizer_error(str(error).strip().partition("\n")[0]) from error
        if not found("a", add_special_tokens=False)["input_ids"]:  # of an empty folder, too
            raise self._tokenizer_error("it knows no words.")
        return found

    def _tokenizer_error(self, reason: str) -> SpecError:
        return SpecError(f"The tokenizer {self.tokenizer} cannot be used: {reason}", location=("shots", "tokenizer"))

    def validate(self) -> None:
        """Refuse a tokenizer that cannot count, before anything is asked."""
        if self.max_tokens is not None and self.tokenizer:
            assert self._tokenize

    def __str__(self) -> str:
        told = []
        if self.max_tokens is not None:
            told.append(f"max_tokens={self.max_tokens} {self.tokenizer or 'estimated'}")
        if self.max_seconds is not None:
            told.append(f"max_seconds={self.max_seconds:g}")
        return ", ".join(told)
