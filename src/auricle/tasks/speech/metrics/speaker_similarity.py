"""How similar the voice of spoken answers is to the voice that they should have, rated by a speaker model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auricle.core.errors import Unreadable
from auricle.core.types import OTHER_VOICE_INPUT, REFERENCE_INPUT, Output, Predict, Sample
from auricle.media import Audio
from auricle.metrics.base import Array, Details, MeanAggregator, Metric, divide
from auricle.tasks.speech.metrics.outputs import VOICE_INPUTS, find_recording, list_spoken_outputs, require_audio
from auricle.tasks.speech.roles import SPEAKER

SCORE = "score"
"""Value of a speaker model: higher for voices that are more alike."""


class Voices(NamedTuple):
    """The recordings of people that a row has: the voice to compare with, and others for context."""

    voice: Audio
    same: Audio | None
    """Another recording of the same speaker."""
    other: Audio | None
    """A recording of another speaker."""


def find_voices(sample: Sample) -> Voices | None:
    """Return the recordings of a row; None if it has no voice to compare answers with."""
    voice = find_recording(sample, VOICE_INPUTS)
    if voice is None:
        return None
    reference = find_recording(sample, (REFERENCE_INPUT,))
    same = reference if reference is not None and reference.hash != voice.hash else None
    return Voices(voice, same, find_recording(sample, (OTHER_VOICE_INPUT,)))


@dataclass(frozen=True, slots=True)
class SimilarityScorer:
    """Builds the requests for a speaker model, and reads its scores."""

    def judge_requests(self, sample: Sample, *outputs: Output) -> tuple[Predict, ...]:
        """Return a request for each spoken output, and for the pairs of people that give its score a meaning."""
        voices = find_voices(sample)
        if voices is None:
            return ()
        spoken = require_audio(list_spoken_outputs(sample, outputs))
        people = (audio for audio in (voices.same, voices.other) if audio is not None)
        return tuple(Predict(inputs={"a": audio, "b": voices.voice}) for audio in (*spoken, *people))

    def score(
        self, sample: Sample, *_: Output, verdicts: Sequence[Mapping[str, float]] = ()
    ) -> tuple[float, ...] | None:
        """Return the mean over the outputs, then for each pair of people the score and 1, or two zeros."""
        voices = find_voices(sample)
        if voices is None:
            return None
        scores = [read_value(verdict, SCORE) for verdict in verdicts]
        other = (scores.pop(), 1.0) if voices.other is not None else (0.0, 0.0)
        same = (scores.pop(), 1.0) if voices.same is not None else (0.0, 0.0)
        return (math.fsum(scores) / len(scores), *same, *other)


def read_value(verdict: Mapping[str, float], name: str) -> float:
    """Return a value that a model predicted.

    Raises:
        Unreadable: if it did not return a number under this name.
    """
    value = verdict.get(name)
    if value is None or math.isnan(value):
        returned = ", ".join(verdict) or "nothing"
        raise Unreadable(f"the model returned no number {name!r}; it returned {returned}")
    return value


def _describe_people(totals: Array) -> Details:
    """Return the mean score of recordings of the same speaker and of different speakers, where rows have them."""
    _, same, same_count, other, other_count, _ = totals
    details: dict[str, float] = {}
    if same_count:
        details |= {"same_speaker": divide(same, same_count), "same_speaker_pairs": int(same_count)}
    if other_count:
        details |= {"different_speaker": divide(other, other_count), "different_speaker_pairs": int(other_count)}
    return details


_scorer = SimilarityScorer()
speaker_similarity = Metric(
    "speaker_similarity",
    _scorer.score,
    MeanAggregator(_describe_people, limits=(-1.0, 1.0)),
    title="Speaker similarity",
    variant=SCORE,
    judge_requests=_scorer.judge_requests,
    judge_role=SPEAKER,
    needs=f"a recording of the voice: {', '.join(VOICE_INPUTS)}",
)
