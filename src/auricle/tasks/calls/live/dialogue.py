"""What both sides have spoken so far, for callers that decide during the call what to do next."""

from __future__ import annotations

from auricle.core.calls import CallRecording, Utterance
from auricle.core.heard_speech import list_spoken_items


def make_dialogue(recording: CallRecording) -> list[Utterance]:
    """Return what was spoken in a call in progress, and heard, in order of time."""
    caller = [(span.start, Utterance("caller", span.text)) for span in recording.caller if span.text]
    agent = [(item.start, Utterance("agent", item.heard)) for item in list_spoken_items(recording) if item.heard]
    return [utterance for _, utterance in sorted([*caller, *agent], key=lambda entry: entry[0])]
