"""What was read from a reply, and how firmly the reply states it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Strength(StrEnum):
    """How a reply states its answer, from the firmest to the least firm."""

    MARKER = "explicit marker"
    """A phrase or markup announces the answer: "The answer is B", "Score: 4"."""
    WHOLE_REPLY = "whole reply"
    """The reply is nothing but the answer: "B", "happy", "4"."""
    OPTION_TEXT = "option text"
    """A sentence asserts the answer in passing: "It is a guitar", "No, only traffic"."""
    WEAK = "weak"
    """The answer is hedged, misspelt or only implied: "It might be A", "There is no dog"."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[Value]):
    """The answer of a reply; without a value, the reply is unreadable or refuses to answer."""

    value: Value | None = None
    strength: Strength | None = None
    """None without a value."""
    refused: bool = False
    """Whether the reply declines to answer, or states that there is no audio or that it cannot be heard."""
