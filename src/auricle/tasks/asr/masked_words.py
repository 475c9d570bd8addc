"""The task kind `masked-words`: transcribe recordings in which words were cut out of the sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from auricle.core.arguments import takes_options
from auricle.core.errors import SampleError
from auricle.core.types import Sample
from auricle.engine.scored_language import ScoredLanguage
from auricle.engine.task import Task
from auricle.engine.task_options import GenerationOptions, check_option
from auricle.media import Audio
from auricle.media.perturbations.base import PerturbationChain
from auricle.media.perturbations.content import Mask
from auricle.tasks.asr.benchmark_fitting import MaskedWords, masked_words, read_spans
from auricle.tasks.asr.kind import ASR_COLUMNS, ASR_PROMPT, Transcription, require_transcript

FILLS = ("silence", "noise")


class MaskedTranscription(Transcription):
    """Transcripts of recordings in which words were masked."""

    def default_metrics(self, language: ScoredLanguage) -> tuple[str, ...]:
        return (*(metric.name for metric in masked_words), *super().default_metrics(language))


@takes_options(GenerationOptions)
def masked_words_task(*, margin: float = 0.05, fill: Literal["silence", "noise"] = "silence", **arguments: Any) -> Task:
    """Build a task of recordings whose spans, stated by each row, are replaced by silence or noise.

    Args:
        margin: Seconds that are masked before and after each span, too.
        fill: What replaces the sound: silence, or noise with its average spectrum and level.
        **arguments: Options of `GenerationOptions`.
    """
    is_number = isinstance(margin, (int, float)) and not isinstance(margin, bool)
    check_option("margin", margin, is_number and 0 <= margin <= 1, "seconds from 0 to 1")
    check_option("fill", fill, fill in FILLS, f"one of {', '.join(FILLS)}")

    def mask(sample: Sample) -> Sample:
        sample = require_transcript(sample)
        spans = read_spans(sample.meta)
        audio = sample.inputs.get("audio")
        if not (isinstance(audio, list) and len(audio) == 1 and isinstance(audio[0], Audio)):
            raise SampleError("needs exactly one recording")
        masked = mask_spans(audio[0], spans, sample.id, margin, fill)
        return replace(sample, inputs={**sample.inputs, "audio": [masked]})

    options = GenerationOptions.from_arguments("masked-words", arguments)
    kind = MaskedTranscription("masked-words", ASR_COLUMNS, ASR_PROMPT, (), mask, decides_language=True)
    return kind.task_from_manifest(options)


def mask_spans(
    audio: Audio, spans: Sequence[MaskedWords], seed: str, margin: float, fill: Literal["silence", "noise"]
) -> Audio:
    """Return a recording with spans masked when it is decoded.

    Args:
        audio: The recording.
        spans: What is masked; times count from the start of the recording.
        seed: Decides the noise.
        margin: Seconds that are masked before and after each span.
        fill: What replaces the sound.
    """
    times = "/".join(f"{max(0.0, span.start - margin):.4f}-{span.end + margin:.4f}" for span in spans)
    return replace(audio, perturbation=PerturbationChain((Mask(spans=times, fill=fill),), seed))
