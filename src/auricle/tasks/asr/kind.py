"""The task kind `asr`: transcripts of speech."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from auricle.core.arguments import takes_options
from auricle.core.errors import SampleError
from auricle.core.types import Sample
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.engine.kinds import MEDIA_TEMPLATE, TaskKind
from auricle.engine.recipes import Recipe
from auricle.engine.scored_language import UNSPACED_LANGUAGES, ScoredLanguage
from auricle.engine.task import Task
from auricle.engine.task_options import GenerationOptions, ScoringOptions
from auricle.metrics.base import Metric
from auricle.tasks.asr.word_options import TranscriptOptions, add_list_metrics, check_lists

METRICS_BY_LANGUAGE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("zh", "yue"), ("mer", "cer")),
    **dict.fromkeys(UNSPACED_LANGUAGES, ("cer",)),
    # Korean has spaces, but where they go varies between writers, so that its recognition is reported by character.
    "ko": ("cer", "wer"),
}


def transcript_metrics(language: ScoredLanguage) -> tuple[str, ...]:
    """Return the metrics of transcripts in a language, best first."""
    return ("mer", "cer") if language.is_mixed else METRICS_BY_LANGUAGE.get(language.code, ("wer", "cer"))


@dataclass(frozen=True)
class Transcription(TaskKind):
    """A kind whose targets are transcripts, scored in words or characters as their language requires."""

    def default_metrics(self, language: ScoredLanguage) -> tuple[str, ...]:
        return transcript_metrics(language)

    def add_metrics(self, metrics: list[Metric], options: ScoringOptions) -> list[Metric]:
        return add_list_metrics(metrics, options, is_default=not options.metrics)

    def _load_manifest(self, options: GenerationOptions, recipe: Recipe) -> Manifest:
        return check_lists(super()._load_manifest(options, recipe), options)


ASR_COLUMNS = ColumnMapping(
    target_columns=("text", "transcript", "transcription", "sentence", "answer", "target"),
    default_question="Please transcribe the spoken content into written text.",
    requires_media=True,
)
ASR_PROMPT = f"{MEDIA_TEMPLATE}{{question}}"


@takes_options(TranscriptOptions)
def asr(**arguments: Any) -> Task:
    """Build a speech recognition task."""
    options = TranscriptOptions.from_arguments("asr", arguments)
    kind = Transcription("asr", ASR_COLUMNS, ASR_PROMPT, ("wer", "cer"), require_transcript, decides_language=True)
    return kind.task_from_manifest(options)


def require_transcript(sample: Sample) -> Sample:
    """Convert the target to text; reject a list of transcripts."""
    if isinstance(sample.target, (list, bool)):
        raise SampleError(f"expected one transcript, got {sample.target!r}")
    return replace(sample, target=str(sample.target))
