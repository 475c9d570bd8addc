"""What both sides of a call spoke and which tools the agent called, in the order in which it was heard."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from auricle.core.calls import CallRecording, EventKind, keep_share

CUT_OFF = "[cut off]"
"""Mark after the text of an item that was not played to its end."""

Speaker: TypeAlias = Literal["Caller", "Agent", "Tool"]


class DialogueLine(NamedTuple):
    """A turn of the caller, an item of the agent, or a tool call of the agent."""

    at: float
    speaker: Speaker
    text: str


def list_dialogue(recording: CallRecording) -> list[DialogueLine]:
    """Return the lines of a call; the text of an item of which only a part was played is cut in proportion."""
    return sorted([*_caller_lines(recording), *_agent_lines(recording), *_tool_lines(recording)])


def _caller_lines(recording: CallRecording) -> Iterator[DialogueLine]:
    for _, spans in groupby(recording.caller, key=lambda span: span.step):
        first, *others = spans
        texts = dict.fromkeys(span.text for span in (first, *others) if span.text)
        yield DialogueLine(first.start, "Caller", " ".join(texts) or f"[{first.kind}]")


def _agent_lines(recording: CallRecording) -> Iterator[DialogueLine]:
    starts = {event.item: event.at for event in reversed(recording.select(EventKind.PLAYBACK_STARTED))}
    transcripts: dict[str, str] = {}
    for event in recording.select(EventKind.TRANSCRIPT):
        starts.setdefault(event.item, event.at)
        transcripts[event.item] = transcripts.get(event.item, "") + event.text
    for item, text in transcripts.items():
        share = _played_share(recording, item)
        if heard := keep_share(text.strip(), share):
            is_cut = share is not None and share < 1.0
            yield DialogueLine(starts[item], "Agent", f"{heard} {CUT_OFF}" if is_cut else heard)


def _tool_lines(recording: CallRecording) -> Iterator[DialogueLine]:
    for event in recording.select(EventKind.TOOL_CALL):
        arguments = ", ".join(f"{name}={value!r}" for name, value in dict(event.data.get("arguments") or {}).items())
        yield DialogueLine(event.at, "Tool", f"{event.data.get('name', '')}({arguments})")


def _played_share(recording: CallRecording, item: str) -> float | None:
    """Return how much of the received audio of an item was played; None if no audio of it was dropped."""
    flushed = [event.seconds for event in recording.select(EventKind.PLAYBACK_FLUSHED) if event.item == item]
    received = sum(event.seconds or 0.0 for event in recording.select(EventKind.AUDIO) if event.item == item)
    return (flushed[-1] or 0.0) / received if flushed and received else None
