"""What both sides have spoken so far, for callers that decide during the call what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auricle.core.calls import Event, Span, Utterance, join_transcripts, keep_share
from auricle.models.sessions.player import Player


def make_dialogue(caller: Iterable[Span], transcripts: Sequence[Event], player: Player) -> list[Utterance]:
    """Return what was spoken, in order of time.

    Args:
        caller: What the caller did; the first span of each step has its text.
        transcripts: Parts of the text that the agent spoke.
        player: What was played of it. The text of an item of which only a part was played is cut in proportion.
    """
    spoken = [(span.start, Utterance("caller", span.text)) for span in caller if span.text]
    for item in dict.fromkeys(event.item for event in transcripts):
        parts = [event for event in transcripts if event.item == item]
        start = player.find_start(item)
        text = keep_share(join_transcripts(parts), player.played_share(item))
        if text:
            spoken.append((parts[0].at if start is None else start, Utterance("agent", text)))
    return [utterance for _, utterance in sorted(spoken, key=lambda entry: entry[0])]
