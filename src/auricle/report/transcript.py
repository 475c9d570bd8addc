"""The turns of a conversation, or several answers to one sample, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from auricle.core.calls import CallRecording
from auricle.core.dialogue import list_dialogue
from auricle.core.types import Generation, Json, Output, Part, Record, Turn
from auricle.metrics.multi_answer import get_turns

MAX_LINES = 60  # longer conversations would hide everything else


class TranscriptLine(NamedTuple):
    """A speaker (`User`, `Answer`, `Answer 2`, `Reference`) and a text."""

    speaker: str
    text: str


def transcript_lines(record: Record, max_lines: int = MAX_LINES) -> tuple[TranscriptLine, ...]:
    """List a conversation turn by turn, or several answers; return nothing for a single answer."""
    turns = get_turns(record.sample)
    last = record.outputs[-1] if record.outputs else None
    if isinstance(last, CallRecording):  # what was transcribed during a call is a single answer
        lines = [
            TranscriptLine(line.speaker, f"{line.text} (spoken, but not heard: {line.unheard})".strip())
            if line.unheard
            else TranscriptLine(line.speaker, line.text)
            for line in list_dialogue(last)
        ]
    elif turns and record.outputs:
        lines = list(_conversation_lines(turns, record.outputs, record.sample.target))
    elif len(record.outputs) > 1 and all(isinstance(o, Generation) for o in record.outputs):
        lines = [TranscriptLine(f"Answer {at + 1}", _output_to_text(o)) for at, o in enumerate(record.outputs)]
    else:
        return ()
    if len(lines) <= max_lines:
        return tuple(lines)
    return (*lines[:max_lines], TranscriptLine("…", f"{len(lines) - max_lines} more lines"))


def _conversation_lines(turns: Sequence[Turn], outputs: Sequence[Output], target: Json) -> Iterator[TranscriptLine]:
    """List the turns of the data, each answer after its turn, followed by its reference."""
    given = sum(turn.role == "user" for turn in turns) - len(outputs)
    answers = iter(zip(outputs, _align_references(target, len(outputs)), strict=True))
    compared = False
    for turn in turns:
        if turn.role != "assistant" or not compared:
            yield TranscriptLine(turn.role.capitalize(), _parts_to_text(turn.parts))
        if turn.role != "user":
            continue
        given -= 1
        if given < 0:
            output, reference = next(answers, (None, None))
            if output is not None:
                yield TranscriptLine("Answer", _output_to_text(output))
            if compared := reference is not None:
                yield TranscriptLine("Reference", _reference_to_text(reference))


def _align_references(target: Json, count: int) -> list[Json]:
    if isinstance(target, (list, tuple)) and len(target) == count:
        return list(target)
    return [*[None] * (count - 1), target]


def _reference_to_text(reference: Json) -> str:
    many = reference if isinstance(reference, (list, tuple)) else [reference]
    return " / ".join(map(str, many))


def _output_to_text(output: Output) -> str:
    return output.text if isinstance(output, Generation) else str(output)


def _parts_to_text(parts: Sequence[Part]) -> str:
    """Format text as it is, and media by their file names."""
    return " ".join(part if isinstance(part, str) else _media_placeholder(part) for part in parts).strip()


def _media_placeholder(part: Part) -> str:
    kind = type(part).__name__.lower()
    name = PurePath(getattr(part, "uri", "")).name
    return f"[{kind} {name}]" if name else f"[{kind}]"
