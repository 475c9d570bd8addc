"""A conversation as a metric sees it: each answer, its reference, and what was said until then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from auricle.core.errors import SampleError
from auricle.core.types import Json, Output, Part, Sample, Turn

AnswerInContext: TypeAlias = tuple[Sample, Output]
"""An answer, and the sample as it stood when that was given."""


def get_turns(sample: Sample) -> list[Turn]:
    """The turns of a sample, where it has any."""
    for value in sample.inputs.values():
        if isinstance(value, (list, tuple)) and any(isinstance(each, Turn) for each in value):
            return [each for each in value if isinstance(each, Turn)]
    return []


def is_conversation(sample: Sample) -> bool:
    """Are its answers turns, and not answers to one question?"""
    return bool(get_turns(sample))


def get_scorable_answers(
    sample: Sample, outputs: Sequence[Output], *, include_transcript: bool
) -> list[AnswerInContext]:
    """Each answer that has a reference; where a sample has none at all, each answer."""
    seen = [
        view
        for view in get_answers_in_context(sample, outputs, include_transcript=include_transcript)
        if view[0].target is not None or sample.target is None
    ]
    if not seen:
        raise SampleError("no turn has a reference answer")
    return seen


def get_answers_in_context(
    sample: Sample, outputs: Sequence[Output], *, include_transcript: bool
) -> list[AnswerInContext]:
    """Each answer with its own reference and, where that is `told`, what was said until then."""
    found = []
    golds = _split_references(sample.target, len(outputs))
    for at, (gold, output) in enumerate(zip(golds, outputs, strict=True)):
        until = replace(sample, target=gold)
        if include_transcript and (said := build_transcript(sample, outputs, at)):
            until = replace(until, inputs={**sample.inputs, "question": said})
        found.append((until, output))
    return found


def _split_references(target: Json, count: int) -> list[Json]:
    if target is None:
        return [None] * count
    golds = list(target) if isinstance(target, (list, tuple)) else [target]
    if len(golds) != count:
        raise SampleError(f"{count} answers, and {len(golds)} reference answers to compare with")
    return golds


def build_transcript(sample: Sample, outputs: Sequence[Output], index: int) -> str:
    """What was said before the answer `at`, in words: by the data, or else by the model itself."""
    said = get_turns(sample)
    asked = [place for place, turn in enumerate(said) if turn.role == "user"]
    if len(asked) < len(outputs):
        return ""
    gone_before = len(asked) - len(outputs)
    until = said[: asked[gone_before + index] + 1]
    own = not any(turn.role == "assistant" for turn in until) and not gone_before
    lines: list[str] = []
    answers = iter(outputs)
    for turn in until:
        lines.append(f"{turn.role.capitalize()}: {_parts_to_text(turn.parts)}")
        if own and turn.role == "user" and turn is not until[-1]:
            lines.append(f"Assistant: {_parts_to_text((getattr(next(answers), 'text', ''),))}")
    return "\n".join(lines) if len(lines) > 1 else _parts_to_text(until[-1].parts)


def _parts_to_text(parts: Sequence[Part]) -> str:
    shown = (part if isinstance(part, str) else f"[{type(part).__name__.lower()}]" for part in parts)
    return " ".join(shown).strip()
