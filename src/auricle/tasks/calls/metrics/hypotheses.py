"""What a streaming recogniser had understood at each time of a call.

A partial text of a segment replaces the one before; the segments together are the hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rapidfuzz.distance import Levenshtein

from auricle.core.calls import CallRecording, EventKind
from auricle.core.types import Sample
from auricle.tasks.timestamps.timed_words import WORDS_FIELD, iter_valid_words

APPEND_ONLY_TYPES = ("inputTranscription",)
APPEND_ONLY_SUFFIX = ".delta"
"""Names of protocol events that can only append to a text, so that revisions cannot be observed."""
LEAD_FIELD = "lead"
"""Field of STEP_STARTED events: seconds of silence at the start of a recording, before what is audible."""

Splitter: TypeAlias = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """All that had been understood at a time."""

    at: float
    text: str


def list_hypotheses(recording: CallRecording) -> list[Hypothesis]:
    """Return what had been understood after each text that arrived; the last one is `recording.understood`."""
    latest: dict[str, str] = {}
    hypotheses = []
    for event in recording.select(EventKind.PARTIAL, EventKind.FINAL):
        latest[event.item] = event.text
        text = " ".join(text.strip() for text in latest.values() if text.strip())
        hypotheses.append(Hypothesis(event.at, text))
    return hypotheses


def list_segments(recording: CallRecording) -> list[list[str]]:
    """Return the texts of each segment, in the order of their arrival."""
    segments: dict[str, list[str]] = {}
    for event in recording.select(EventKind.PARTIAL, EventKind.FINAL):
        segments.setdefault(event.item, []).append(event.text)
    return list(segments.values())


def shows_revisions(recording: CallRecording) -> bool:
    """Return whether the recogniser could have revised what it returned before the final text."""
    partials = recording.select(EventKind.PARTIAL)
    return any(
        not event.type.endswith(APPEND_ONLY_SUFFIX) and event.type not in APPEND_ONLY_TYPES for event in partials
    )


def speech_interval(recording: CallRecording) -> tuple[float, float] | None:
    """Return when the caller's speech begins and ends; None if there is none."""
    spans = [span for span in recording.caller if span.kind != "noise"]
    return (spans[0].start, max(span.end for span in spans)) if spans else None


# --- reference words with times -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word of the reference, and when it ends on the clock of the call."""

    word: str
    end: float


def list_timed_words(sample: Sample, recording: CallRecording, split: Splitter) -> list[TimedWord]:
    """Return the reference words of a sample with their ends; empty if they are not known."""
    started = recording.select(EventKind.STEP_STARTED)
    if not started:
        return []
    origin = started[0].at - float(started[0].data.get(LEAD_FIELD, 0.0))
    timed = iter_valid_words(sample.meta.get(WORDS_FIELD))
    return [TimedWord(word, origin + item.end) for item in timed for word in split(item.text)]


def match_prefix(reference: Sequence[str], words: Sequence[str]) -> set[int]:
    """Return the reference words that a partial hypothesis has, aligned with the best beginning of the reference.

    The rest of the reference is not missing: it has not been spoken yet. Of equally good beginnings the longest counts.

    >>> sorted(match_prefix("the dog saw the cat".split(), "the cat".split()))
    [0]
    """
    size = min(len(words), len(reference))
    cost = Levenshtein.distance(reference[:size], words)
    lengths = range(max(0, size - cost), min(len(reference), size + cost) + 1)
    _, negative_length = min((Levenshtein.distance(reference[:length], words), -length) for length in lengths)
    return match_words(reference[:-negative_length], words)


def match_words(reference: Sequence[str], words: Sequence[str]) -> set[int]:
    """Return the indices of the reference words that are right in a minimum-cost alignment."""
    blocks = Levenshtein.editops(reference, words).as_matching_blocks()
    return {block.a + offset for block in blocks for offset in range(block.size)}


def count_common_prefix(first: Sequence[str], second: Sequence[str]) -> int:
    """Return with how many equal words two texts begin."""
    pairs = zip(first, second, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def list_emissions(
    reference: Sequence[TimedWord], hypotheses: Sequence[tuple[float, Sequence[str]]]
) -> list[tuple[float, float]]:
    """Return the emission delays of the words that are right in the end.

    Args:
        reference: The words with their ends.
        hypotheses: Time and words of each hypothesis.

    Returns:
        For each word, the seconds from its end to the first hypothesis with it, and to that from which on all have it.
    """
    if not hypotheses:
        return []
    words = [timed.word for timed in reference]
    matches = [match_prefix(words, hypothesis) for _, hypothesis in hypotheses[:-1]]
    matches.append(match_words(words, hypotheses[-1][1]))
    times = [at for at, _ in hypotheses]
    delays = []
    for index in sorted(matches[-1]):
        presence = [index in matched for matched in matches]
        last_absence = max((position for position, present in enumerate(presence) if not present), default=-1)
        first, stable = times[presence.index(True)], times[last_absence + 1]
        delays.append((first - reference[index].end, stable - reference[index].end))
    return delays
