"""How much room examples may take: tokens of text, seconds of sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from auricle.audio import Audio
from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Part, parts_of
from auricle.prompts.pool import Shot

BYTES_PER_TOKEN = 4
"""What most tokenisers come to in English; in Chinese it makes three tokens of four characters."""

Shown: TypeAlias = Callable[[Shot], Sequence[Part]]


def everything(shot: Shot) -> list[Part]:
    """All that an example could be shown as: its inputs and its answer."""
    return [part for value in shot.inputs.values() for part in parts_of(value)] + [shot.answer]


@dataclass(frozen=True, eq=False)
class Budget:
    """The most that a sample's examples may take together; None is no limit."""

    tokens: int | None = None
    seconds: float | None = None
    tokenizer: str = ""
    """Whose tokens are counted; without a name they are estimated from the length of the text."""
    shown: Shown = everything

    def fitting(self, shots: Sequence[Shot]) -> list[Shot]:
        """As many as fit, of examples that stand best first: the farthest are left out."""
        kept: list[Shot] = []
        tokens, seconds = 0, 0.0
        for shot in shots:
            if self.tokens is not None:
                tokens += self._tokens(shot)
            if self.seconds is not None:
                seconds += self._seconds(shot)
            if tokens > (self.tokens or 0) or seconds > (self.seconds or 0.0):
                break
            kept.append(shot)
        return kept

    def _tokens(self, shot: Shot) -> int:
        texts = [part for part in self.shown(shot) if isinstance(part, str)]
        if not self.tokenizer:
            return sum(
                -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN) for text in texts
            )
        return sum(
            len(self._tokenize(text, add_special_tokens=False)["input_ids"]) for text in texts
        )

    def _seconds(self, shot: Shot) -> float:
        sounds = [part for part in self.shown(shot) if isinstance(part, Audio)]
        try:
            return sum(sound.seconds for sound in sounds)
        except SampleError as error:
            raise SpecError(
                f"The example {shot.id!r} cannot be measured: {error}", where=("shots", "pool")
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
            raise self._wordless(str(error).strip().partition("\n")[0]) from error
        if not found("a", add_special_tokens=False)["input_ids"]:  # of an empty folder, too
            raise self._wordless("it knows no words.")
        return found

    def _wordless(self, why: str) -> SpecError:
        return SpecError(
            f"The tokenizer {self.tokenizer} cannot be used: {why}", where=("shots", "tokenizer")
        )

    def ready(self) -> None:
        """Refuse a tokenizer that cannot count, before anything is asked."""
        if self.tokens is not None and self.tokenizer:
            assert self._tokenize

    def __str__(self) -> str:
        told = []
        if self.tokens is not None:
            told.append(f"max_tokens={self.tokens} {self.tokenizer or 'estimated'}")
        if self.seconds is not None:
            told.append(f"max_seconds={self.seconds:g}")
        return ", ".join(told)
