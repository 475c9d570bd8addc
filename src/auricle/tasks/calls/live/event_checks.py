"""Check what the session of a model yields, so that a mistake is reported where it was made."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from auricle.core.calls import EventKind, SessionEvent
from auricle.core.errors import InvalidEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS = list(EventKind)
YIELDED_KINDS = tuple(_KINDS[: _KINDS.index(EventKind.STEP_STARTED)])
"""Kinds that a session may yield; the others are only in logs."""
STATUSES = ("completed", "cancelled", "failed", "incomplete")


def check_event(event: Any) -> SessionEvent:
    """Return what a session yielded, with its kind as an `EventKind`.

    Raises:
        InvalidEvent: if it is no event, or has a field with an invalid value.

    Examples:
        >>> check_event(SessionEvent(kind="speech_started")).kind
        <EventKind.SPEECH_STARTED: 'speech_started'>
        >>> check_event(SessionEvent(kind="speech_start"))
        Traceback (most recent call last):
        auricle.core.errors.InvalidEvent: Invalid kind 'speech_start' of a SessionEvent. Did you mean 'speech_started'?
    """
    if not isinstance(event, SessionEvent):
        raise InvalidEvent(f"the session yielded {type(event).__name__}; expected a SessionEvent")
    checked: SessionEvent = event
    return _check_fields(checked)


def _check_fields(event: SessionEvent) -> SessionEvent:
    if type(event.kind) is not EventKind or event.kind not in YIELDED_KINDS:
        event = replace(event, kind=EventKind(_check_choice(event, "kind", event.kind, YIELDED_KINDS)))
    for name in ("type", "item", "text"):
        _require(event, name, isinstance(getattr(event, name), str), "a text")
    for name in ("position", "seconds", "received_at"):
        value = getattr(event, name)
        is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        _require(event, name, value is None or (is_number and math.isfinite(value)), "a number of seconds or None")
    _require(event, "words", event.words is None or all(map(_is_word, event.words)), "tuples of word, start and end")
    _require(event, "data", isinstance(event.data, Mapping), "a mapping")
    if event.kind is EventKind.AUDIO:
        is_pcm = isinstance(event.audio, np.ndarray) and event.audio.dtype == np.int16 and event.audio.ndim == 1
        _require(event, "audio", is_pcm, "a one-dimensional array of int16")
    if not event.type:  # events with a name in a protocol have what a server sent, which is logged as it is
        _check_data(event)
    return event


def _check_data(event: SessionEvent) -> None:
    if event.kind is EventKind.RESPONSE_DONE:
        _check_choice(event, 'data["status"]', event.data.get("status", "completed"), STATUSES)
    elif event.kind is EventKind.TOOL_CALL:
        for name, kind, expected in (("name", str, "a text"), ("arguments", Mapping, "a mapping")):
            value = event.data.get(name)
            _require(event, f'data["{name}"]', isinstance(value, kind), expected, value)


def _require(event: SessionEvent, name: str, is_valid: bool, expected: str, *values: Any) -> None:
    if not is_valid:
        value = values[0] if values else getattr(event, name)
        raise InvalidEvent(
            f"Invalid {name} of a SessionEvent of kind {event.kind}: {_name_type(value)}, not {expected}."
        )


def _check_choice(event: SessionEvent, name: str, value: Any, choices: Sequence[str]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    near = difflib.get_close_matches(str(value), choices, n=1)
    hint = f"Did you mean {str(near[0])!r}?" if near else f"Expected one of: {', '.join(choices)}."
    where = "" if name == "kind" else f" of kind {event.kind}"
    raise InvalidEvent(f"Invalid {name} {value!r} of a SessionEvent{where}. {hint}")


def _is_word(word: Any) -> bool:
    return isinstance(word, (tuple, list)) and len(word) == 3 and isinstance(word[0], str)


def _name_type(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with {value.ndim} dimensions"
    return "None" if value is None else f"{value!r}" if isinstance(value, (str, int, float)) else type(value).__name__
