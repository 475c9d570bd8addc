"""What both sides of a call spoke and which tools the agent called, in the order in which it was heard."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from auricle.core.calls import CallRecording, EventKind
from auricle.core.heard_speech import list_spoken_items

CUT_OFF = "[cut off]"
"""Mark after the text of an item that was not played to its end."""

Speaker: TypeAlias = Literal["Caller", "Agent", "Tool"]


class DialogueLine(NamedTuple):
    """A turn of the caller, an item of the agent, or a tool call of the agent."""

    at: float
    speaker: Speaker
    text: str
    """What was heard of it; may be empty."""
    unheard: str = ""
    """What the agent spoke and was not played."""


def list_dialogue(recording: CallRecording) -> list[DialogueLine]:
    """Return the lines of a call; the text of an item of which only a part was played is cut where it was stopped."""
    return sorted([*_caller_lines(recording), *_agent_lines(recording), *_tool_lines(recording)])


def _caller_lines(recording: CallRecording) -> Iterator[DialogueLine]:
    for _, spans in groupby(recording.caller, key=lambda span: span.step):
        first, *others = spans
        texts = dict.fromkeys(span.text for span in (first, *others) if span.text)
        yield DialogueLine(first.start, "Caller", " ".join(texts) or f"[{first.kind}]")


def _agent_lines(recording: CallRecording) -> Iterator[DialogueLine]:
    for item in list_spoken_items(recording):
        is_cut = item.heard and item.unheard
        yield DialogueLine(item.start, "Agent", f"{item.heard} {CUT_OFF}" if is_cut else item.heard, item.unheard)


def _tool_lines(recording: CallRecording) -> Iterator[DialogueLine]:
    for event in recording.select(EventKind.TOOL_CALL):
        arguments = ", ".join(f"{name}={value!r}" for name, value in dict(event.data.get("arguments") or {}).items())
        yield DialogueLine(event.at, "Tool", f"{event.data.get('name', '')}({arguments})")
