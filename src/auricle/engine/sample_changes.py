"""Changes of samples that take the sound away or move the options: `no-audio`, `transcript` and `options`."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Any, ClassVar

from auricle.core.errors import SampleError
from auricle.core.types import Input, Json, Part, Sample, Turn, has_audio, list_parts
from auricle.media import Audio
from auricle.media.perturbations.base import ConditionStep
from auricle.metrics.targets import get_choices, resolve_option

TRANSCRIPT_FIELDS = ("transcript", "transcription", "audio_content", "text")
"""Columns that may contain what is spoken in the recording, best first."""
TARGET = "target"


@dataclass(frozen=True)
class SampleChange(ConditionStep, ABC):
    """A change of a sample other than that of its recordings."""

    @abstractmethod
    def change(self, sample: Sample) -> Sample:
        """Return the changed sample, with the same id.

        Raises:
            SampleError: if it cannot be changed in this way.
        """


@dataclass(frozen=True)
class NoAudio(SampleChange):
    """Leave the recordings out; everything else is asked as before."""

    name: ClassVar[str] = "no-audio"
    summary: ClassVar[str] = "Leave the audio out of the prompt."

    def change(self, sample: Sample) -> Sample:
        _require_audio(sample)
        return _replace_inputs(sample, lambda part: None if isinstance(part, Audio) else part)


@dataclass(frozen=True)
class Transcript(SampleChange):
    """Send the transcript of the recording instead of the recording.

    Args:
        field: Column with the transcript, or target. By default transcript, transcription, audio_content or text,
            whichever the sample has.
    """

    name: ClassVar[str] = "transcript"
    summary: ClassVar[str] = "Send the transcript of the recording instead of the recording."

    field: str = ""

    def change(self, sample: Sample) -> Sample:
        _require_audio(sample)
        text = self.find_transcript(sample)
        if not text:
            missing = repr(self.field) if self.field else ", ".join(TRANSCRIPT_FIELDS)
            raise SampleError(f"the sample has no transcript (looked for {missing})")
        recordings = [part for value in sample.inputs.values() for part in list_parts(value) if isinstance(part, Audio)]
        if len(recordings) > 1:
            raise SampleError(f"the sample has {len(recordings)} recordings and one transcript")
        return _replace_inputs(sample, lambda part: f"{text}\n" if isinstance(part, Audio) else part)

    def find_transcript(self, sample: Sample) -> str:
        """Return the transcript of a sample, or an empty text."""
        if self.field == TARGET:
            return sample.target if isinstance(sample.target, str) else ""
        for name in (self.field,) if self.field else TRANSCRIPT_FIELDS:
            if isinstance(text := sample.meta.get(name), str) and text.strip():
                return text.strip()
        return ""


@dataclass(frozen=True)
class OptionShift(SampleChange):
    """Move each option of a question to a later position; the last ones become the first.

    Args:
        shift: Number of positions.
    """

    name: ClassVar[str] = "options"
    summary: ClassVar[str] = "Move the options of each question to later positions; the last ones become the first."

    shift: int

    def __post_init__(self) -> None:
        self._require(self.shift > 0, "shift", "a positive integer")

    def change(self, sample: Sample) -> Sample:
        old = get_choices(sample)
        if len(old) <= self.shift:
            raise SampleError(f"the sample has {len(old)} options, which cannot be shifted by {self.shift}")
        new = [*old[-self.shift :], *old[: -self.shift]]
        texts = _replace_inputs(sample, lambda part: _shift_text(part, old, new) if isinstance(part, str) else part)
        return replace(
            texts, inputs={**texts.inputs, "choices": new}, target=_shift_target(sample.target, old, self.shift)
        )


SAMPLE_CHANGES: Mapping[str, type[SampleChange]] = {step.name: step for step in (NoAudio, Transcript, OptionShift)}
"""Changes of samples, by name."""


# --- inputs ---------------------------------------------------------------------------------


def replace_parts(value: Input, change: Callable[[Part], Part | None]) -> Any:
    """Return an input with each of its texts and media changed; those changed to None are left out."""
    if isinstance(value, Turn):
        return Turn(value.role, tuple(replace_parts(value.parts, change)))
    if isinstance(value, (list, tuple)):
        changed = (replace_parts(part, change) for part in value)
        return type(value)(part for part in changed if part is not None)
    return change(value)  # type: ignore[arg-type]  # what is neither a turn nor a sequence is a part


def _replace_inputs(sample: Sample, change: Callable[[Part], Part | None]) -> Sample:
    """Return a sample with changed inputs; a prompt shows nothing where an input was left out.

    Raises:
        SampleError: if nothing is left of a turn.
    """
    changed = {name: replace_parts(value, change) for name, value in sample.inputs.items()}
    inputs = {name: [] if value is None else value for name, value in changed.items()}
    turns = [part for value in inputs.values() if isinstance(value, (list, tuple)) for part in value]
    if any(isinstance(turn, Turn) and not turn.parts for turn in turns):
        raise SampleError("a turn consists of audio alone, so that nothing is asked without it")
    return replace(sample, inputs=inputs)


def _require_audio(sample: Sample) -> None:
    if not has_audio(sample):
        raise SampleError("the sample has no audio")


# --- options --------------------------------------------------------------------------------


def _shift_target(target: Json, options: Sequence[str], shift: int) -> Json:
    """Return what names the same option in the new order: a letter or an index changes, the text of an option stays."""
    if isinstance(target, (list, tuple)):
        return [_shift_target(member, options, shift) for member in target]
    index = resolve_option(target, options)
    text = str(target).strip()
    if index is None or text.casefold() in {option.strip().casefold() for option in options}:
        return target
    label, shifted = text.strip("().:： "), (index + shift) % len(options)
    if label.upper() == ascii_uppercase[index : index + 1]:
        return ascii_uppercase[shifted]
    if label == str(index):
        return shifted if isinstance(target, int) else str(shifted)
    return options[index]


def _shift_text(text: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Return a text with its options in the new order: after letters, or in a list such as `yes, no`."""
    spans = _find_lettered_options(text, old)
    if len(spans) < len(old):
        for separator in (", ", "\n", " / "):
            text = text.replace(separator.join(old), separator.join(new))
        return text
    pieces, end = [], 0
    for (start, stop), option in zip(spans, new, strict=True):
        pieces += [text[end:start], option]
        end = stop
    return "".join([*pieces, text[end:]])


def _find_lettered_options(text: str, options: Sequence[str]) -> list[tuple[int, int]]:
    """Return where a text lists options after their letters, in order; fewer if it does not list all of them."""
    spans: list[tuple[int, int]] = []
    for letter, option in zip(ascii_uppercase, options, strict=False):
        pattern = re.compile(rf"(?<!\w){letter}\s?[.)）:：、]\s*({re.escape(option)})")
        match = pattern.search(text, spans[-1][1] if spans else 0)
        if match is None:
            break
        spans.append(match.span(1))
    return spans
