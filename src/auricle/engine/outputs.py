"""Check and normalise what a model returns, so that a value costs its sample and never the run.

Texts, numbers and mappings of NumPy or PyTorch become those of Python. What cannot be stored is refused by name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from auricle.core.calls import CallRecording
from auricle.core.errors import NotFinite, SampleError
from auricle.core.types import (
    MAX_TEXT_LENGTH,
    Call,
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Predict,
    Prediction,
    Request,
    Segment,
)
from auricle.media import Audio

OUTPUT_TYPES: dict[type, tuple[type, ...]] = {
    Generate: (Generation,),
    LogLikelihood: (Likelihood,),
    Predict: (Prediction, Generation),  # a function without annotations may answer a classification task with text
    Call: (CallRecording,),
}
MAX_SEGMENTS = 1_000_000
"""Most segments of one answer: more than the words of a day of speech."""
MAX_INTEGER = 2**63 - 1
"""Largest integer that JSON readers agree on."""


def normalise_output(request: Request, output: Output | str) -> Output:
    """Return an output that consists of Python's own types; text alone is a `Generation`.

    Raises:
        SampleError: if the output has a wrong type, or contains a value that cannot be stored.
    """
    expected = OUTPUT_TYPES[type(request)]
    if isinstance(output, str) and Generation in expected:
        output = Generation(text=str(output))
    if isinstance(output, str) or not isinstance(output, expected):
        raise SampleError(f"the model returned {type(output).__name__} instead of {expected[0].__name__}")
    if isinstance(output, Generation):
        generation = output if _is_plain(output) else _normalise_generation(output)
        if (length := len(generation.text)) > MAX_TEXT_LENGTH:
            raise SampleError(
                f"the model returned {length:,} characters; an answer may have at most {MAX_TEXT_LENGTH:,}"
            )
        return generation
    if isinstance(output, Prediction):
        return replace(output, values=_to_numbers("values", output.values))
    if isinstance(output, CallRecording):
        return output
    return replace(output, text=_to_text("text", output.text), logprobs=_to_logprobs(output.logprobs))


def _is_plain(output: Generation) -> bool:
    """Return whether the usual fields have the usual types, and the others are unset."""
    return (
        type(output.text) is str
        and (output.tokens is None or _is_count(output.tokens))
        and (output.input_tokens is None or _is_count(output.input_tokens))
        and output.logprobs is None
        and output.first_token_logprobs is None
        and output.audio is None
        and output.segments is None
        and type(output.finish) is type(output.prompt) is str
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MAX_INTEGER


def _normalise_generation(output: Generation) -> Generation:
    if output.audio is not None and not isinstance(output.audio, Audio):
        raise SampleError(f"the model returned {type(output.audio).__name__} instead of Audio for 'audio'")
    first = output.first_token_logprobs
    return replace(
        output,
        text=_to_text("text", output.text),
        tokens=_to_count("tokens", output.tokens),
        input_tokens=_to_count("input_tokens", output.input_tokens),
        finish=_to_text("finish", output.finish),
        prompt=_to_text("prompt", output.prompt),
        logprobs=None if output.logprobs is None else _to_logprobs(output.logprobs),
        first_token_logprobs=None if first is None else _to_numbers("first_token_logprobs", first),
        segments=None if output.segments is None else _to_segments(output.segments),
    )


def _to_segments(values: Any) -> tuple[Segment, ...]:
    try:
        segments = tuple(values)
    except TypeError as error:
        raise SampleError(f"the model returned {type(values).__name__} instead of a list for 'segments'") from error
    if len(segments) > MAX_SEGMENTS:
        raise SampleError(f"the model returned {len(segments):,} segments; an answer may have at most {MAX_SEGMENTS:,}")
    return tuple([_to_segment(segment) for segment in segments])


def _to_segment(segment: Any) -> Segment:
    if not isinstance(segment, Segment):
        raise SampleError(f"the model returned {type(segment).__name__} instead of Segment for 'segments'")
    return Segment(
        _to_number("start", segment.start),
        _to_number("end", segment.end),
        _to_text("text", segment.text),
        _to_text("speaker", segment.speaker),
        None if segment.score is None else _to_number("score", segment.score),
    )


def _to_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise SampleError(f"the model returned {type(value).__name__} instead of text for {name!r}")
    return value if type(value) is str else str(value)


def _to_plain_number(name: str, value: Any) -> int | float:
    """Return a number of Python; scalars of NumPy and PyTorch have `item`."""
    if type(value) not in (int, float) and callable(item := getattr(value, "item", None)):
        with suppress(TypeError, ValueError, RuntimeError):  # an array with several elements
            value = item()
    if not isinstance(value, (int, float)):
        raise SampleError(f"the model returned {type(value).__name__} instead of a number for {name!r}")
    return value


def _to_number(name: str, value: Any) -> float:
    number = _to_plain_number(name, value)
    try:
        if math.isfinite(number):
            return number if abs(number) <= MAX_INTEGER else float(number)
    except OverflowError:
        raise SampleError(f"the model returned a number with more than 300 digits for {name!r}") from None
    raise NotFinite(f"the model returned a non-finite value ({number}) for {name!r}")


def _to_count(name: str, value: Any) -> int | None:
    """Return a count of tokens."""
    if value is None:
        return None
    number = _to_plain_number(name, value)
    if not 0 <= number <= MAX_INTEGER or number != int(number):
        shown = number if abs(number) <= MAX_INTEGER else "a huge number"
        raise SampleError(f"the model returned {shown} for {name!r}, which is not a number of tokens")
    return int(number)


def _to_logprobs(values: Any) -> tuple[float, ...]:
    """Return log-probabilities; that of an impossible token is minus infinity."""
    try:
        return tuple([value if value == -math.inf else _to_number("logprobs", value) for value in values])
    except TypeError as error:
        raise SampleError(f"the model returned {type(values).__name__} instead of a list for 'logprobs'") from error


def _to_numbers(name: str, values: Any) -> Mapping[str, float]:
    """Return named numbers; whole numbers as names, such as the classes of a classifier, become text."""
    if not isinstance(values, Mapping):
        raise SampleError(f"the model returned {type(values).__name__} instead of a mapping for {name!r}")
    return {_to_label(label): _to_number(str(label), value) for label, value in values.items()}


def _to_label(label: Any) -> str:
    if isinstance(label, str):
        return str(label)
    if type(label) is int or (hasattr(label, "item") and type(label.item()) is int):
        return str(int(label))
    raise SampleError(f"the model returned a label of type {type(label).__name__}, which is not text: {label!r:.100}")
