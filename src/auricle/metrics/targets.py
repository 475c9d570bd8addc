"""What the row of a sample states: its references, its options, its question, and which option is right."""

from __future__ import annotations

from collections.abc import Sequence

from auricle.core.errors import SampleError
from auricle.core.types import Json, Sample
from auricle.metrics.readings import read_option

SPOKEN_QUESTION_FIELD = "audio_content"
"""Metadata field with the transcript of a spoken question."""


def reference_text(target: Json) -> str:
    return target if isinstance(target, str) else str(target)


def reference_texts(target: Json) -> list[str]:
    """Return all acceptable answers; a target is one of them or a list."""
    references = target if isinstance(target, (list, tuple)) else [target]
    return [reference_text(reference) for reference in references]


def get_choices(sample: Sample) -> list[str]:
    """Return the options or labels that a sample offers."""
    choices = sample.inputs.get("choices", ())
    return [str(choice) for choice in choices] if isinstance(choices, (list, tuple)) else [str(choices)]


def get_question(sample: Sample) -> str:
    """Return the written question and the transcript of the spoken one; empty without either."""
    parts = (sample.inputs.get("question"), sample.meta.get(SPOKEN_QUESTION_FIELD))
    return "\n".join(part for part in parts if isinstance(part, str) and part.strip())


def resolve_option(target: Json, options: Sequence[str]) -> int | None:
    """Return the index of the option that a target names by its text, its letter or its index (from 0)."""
    text = str(target).strip()
    texts = [option.strip() for option in options]
    lowered = [option.casefold() for option in texts]
    if text.casefold() in lowered:
        return texts.index(text) if text in texts else lowered.index(text.casefold())
    label = text.strip("().:： ").upper()
    if label.isascii() and label.isdigit():
        index = int(label)
    elif len(label) == 1 and "A" <= label <= "Z":
        index = ord(label) - ord("A")
    else:
        return read_option(text, tuple(options)).value if options else None
    return index if index < len(options) or not options else None


def correct_option_index(sample: Sample) -> int:
    """Return the index of the option that the target names."""
    choices = get_choices(sample)
    index = resolve_option(sample.target, choices)
    if index is None and not choices:
        raise SampleError(f"the row has no options, and the answer {sample.target!r} is not a letter")
    if index is None:
        raise SampleError(f"the answer {sample.target!r} is not one of the {len(choices)} options")
    return index
