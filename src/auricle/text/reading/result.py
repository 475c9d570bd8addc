"""What was read from a reply, and from what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Strength(StrEnum):
    """What an answer was read from, from the firmest to the least firm."""

    STRUCTURE = "structure"
    """Markup or a field holds the answer: `{"answer": "B"}`, `\\boxed{B}`."""
    MARKER = "explicit marker"
    """A phrase announces the answer: "The answer is B", "Score: 4"."""
    WHOLE_REPLY = "whole reply"
    """The reply, or its first or last line, is nothing but the answer: "B", "happy", "4"."""
    STATEMENT = "statement"
    """A clause names one option, and nothing else in the reply speaks against it: "It is a guitar"."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[Value]):
    """The answer of a reply; without a value, the reply is unreadable or refuses to answer."""

    value: Value | None = None
    strength: Strength | None = None
    """None without a value."""
    refused: bool = False
    """Whether the reply declines to answer, or states that there is no audio or that it cannot be heard."""
