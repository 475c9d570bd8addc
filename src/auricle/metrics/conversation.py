"""Split a conversation into answers, each with its reference and the turns before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from auricle.core.errors import SampleError
from auricle.core.types import Json, Output, Part, Sample, Turn

AnswerInContext: TypeAlias = tuple[Sample, Output]
"""The sample as of one answer, and that answer."""


def get_turns(sample: Sample) -> list[Turn]:
    """Return the turns of a sample, or an empty list."""
    for value in sample.inputs.values():
        if isinstance(value, (list, tuple)) and (turns := [part for part in value if isinstance(part, Turn)]):
            return turns
    return []


def is_conversation(sample: Sample) -> bool:
    """Return whether the outputs of a sample are turns, not several answers to one question."""
    return bool(get_turns(sample))


def get_scorable_answers(
    sample: Sample, outputs: Sequence[Output], *, include_transcript: bool
) -> list[AnswerInContext]:
    """Return the answers that have a reference, or all answers if the sample has no reference at all."""
    scorable = [
        (context, output)
        for context, output in get_answers_in_context(sample, outputs, include_transcript=include_transcript)
        if context.target is not None or sample.target is None
    ]
    if not scorable:
        raise SampleError("no turn has a reference answer")
    return scorable


def get_answers_in_context(
    sample: Sample, outputs: Sequence[Output], *, include_transcript: bool
) -> list[AnswerInContext]:
    """Return each answer with its own reference and, on request, with the transcript so far as its question."""
    answers = []
    references = _split_references(sample.target, len(outputs))
    for index, (reference, output) in enumerate(zip(references, outputs, strict=True)):
        context = replace(sample, target=reference)
        if include_transcript and (transcript := build_transcript(sample, outputs, index)):
            context = replace(context, inputs={**sample.inputs, "question": transcript})
        answers.append((context, output))
    return answers


def _split_references(target: Json, count: int) -> list[Json]:
    if target is None:
        return [None] * count
    references = list(target) if isinstance(target, (list, tuple)) else [target]
    if len(references) != count:
        raise SampleError(f"{count} answers, but {len(references)} reference answers")
    return references


def build_transcript(sample: Sample, outputs: Sequence[Output], index: int) -> str:
    """Return the conversation before the answer with this index, as text.

    Assistant turns come from the data; if it has none, from the model's own answers.
    """
    turns = get_turns(sample)
    user_turns = [position for position, turn in enumerate(turns) if turn.role == "user"]
    if len(user_turns) < len(outputs):
        return ""
    answered_in_data = len(user_turns) - len(outputs)
    earlier = turns[: user_turns[answered_in_data + index] + 1]
    use_outputs = not any(turn.role == "assistant" for turn in earlier) and not answered_in_data
    lines: list[str] = []
    answers = iter(outputs)
    for turn in earlier:
        lines.append(f"{turn.role.capitalize()}: {_parts_to_text(turn.parts)}")
        if use_outputs and turn.role == "user" and turn is not earlier[-1]:
            lines.append(f"Assistant: {_parts_to_text((getattr(next(answers), 'text', ''),))}")
    return "\n".join(lines) if len(lines) > 1 else _parts_to_text(earlier[-1].parts)


def _parts_to_text(parts: Sequence[Part]) -> str:
    texts = (part if isinstance(part, str) else f"[{type(part).__name__.lower()}]" for part in parts)
    return " ".join(texts).strip()
