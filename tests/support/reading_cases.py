"""Replies with what should be read from them, by reader."""

import string
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from auricle.text import Reading, read_label, read_number, read_option, read_yes_no

REFUSED = "refused"
"""The reply declines to answer, or states that the audio cannot be heard."""

Cases = Mapping[Any, Any]
"""What should be read from each reply, by the labels, the limits or the question."""


def parameters(cases: Cases) -> list[Any]:
    """Return the arguments of a test, one case per reply."""
    return [
        pytest.param(key, reply, expected, id=ascii(reply)[:60])
        for key, replies in cases.items()
        for reply, expected in replies.items()
    ]


def option(choices: Sequence[str], reply: str) -> Any:
    """Return the letter that is read, `REFUSED`, or None."""
    reading = read_option(reply, choices)
    return _result(reading, None if reading.value is None else string.ascii_uppercase[reading.value])


def label(labels: Sequence[str], reply: str) -> Any:
    """Return the label that is read, `REFUSED`, or None."""
    reading = read_label(reply, labels)
    return _result(reading, reading.value)


def yes_no(reply: str) -> Any:
    """Return True, False, `REFUSED`, or None."""
    reading = read_yes_no(reply)
    return _result(reading, reading.value)


def number(limits: tuple[float, float], reply: str) -> Any:
    """Return the number that is read, `REFUSED`, or None."""
    reading = read_number(reply, limits)
    return _result(reading, reading.value)


def _result(reading: Reading[Any], value: Any) -> Any:
    return REFUSED if reading.refused else value
