"""The task kind `tts`: texts that a synthesiser speaks, with or without a voice to imitate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from auricle.core.arguments import takes_options
from auricle.core.errors import AudioError, SampleError
from auricle.core.types import OTHER_VOICE_INPUT, REFERENCE_INPUT, Input, Json, Sample
from auricle.data.manifest import ColumnMapping, resolve_path
from auricle.engine.kinds import TaskKind, allow_no_samples
from auricle.engine.recipes import Recipe, Samples
from auricle.engine.task import Task
from auricle.engine.task_options import GenerationOptions
from auricle.media import Audio
from auricle.metrics.base import Metric, resolve_metrics
from auricle.tasks.speech.inferencers import PROMPT_AUDIO, PROMPT_TEXT
from auricle.tasks.speech.metrics.round_trip import parity_metric
from auricle.tasks.speech.metrics.seed_spread import spread_over_seeds

TEXT_COLUMNS = ("text", "sentence", "transcript", "transcription", "target")
REFERENCE_COLUMNS = (REFERENCE_INPUT, "reference_audio", "ground_truth")
"""Columns with a person who speaks the same text; a column for audio, such as that of a recogniser's data, is the last
choice."""
PROMPT_AUDIO_COLUMNS = (PROMPT_AUDIO, "prompt_wav", "prompt_speech")
PROMPT_TEXT_COLUMNS = (PROMPT_TEXT, "prompt_transcript")
# The blank question keeps the manifest from rejecting rows without audio.
COLUMNS = ColumnMapping(target_columns=TEXT_COLUMNS, question_columns=(), default_question=" ")
PROMPT = "{text}"
METRICS = ("spoken_answers",)
SPREAD_METRICS = ("speech_duration", "characters_per_second", "speech_silence", "pesq_wb", "mcd", "f0_rmse_cents")
"""Metrics whose standard deviation between the seeds of a text is reported, too."""


class SpeechSynthesis(TaskKind):
    """A kind whose answers are speech; its target is the text to speak."""

    def task_from_samples(self, options: GenerationOptions, recipe: Recipe, samples: Samples) -> Task:
        task = super().task_from_samples(options, recipe, samples)
        if options.metrics:
            return task
        spreads = _list_spreads(task.metrics) if options.samples > 1 else []
        metrics = [*map(allow_no_samples, task.metrics), *spreads]
        return replace(task, metrics=metrics, judged_metrics=[parity_metric(task.language)])


def _list_spreads(metrics: Sequence[Metric]) -> list[Metric]:
    """Return the standard deviations over seeds that are reported with these metrics."""
    names = {metric.name for metric in metrics}
    return [spread_over_seeds(metric) for name in SPREAD_METRICS if name in names for metric in resolve_metrics(name)]


@takes_options(GenerationOptions)
def tts(**arguments: Any) -> Task:
    """Build a task of texts to speak; with `samples`, each is spoken with several seeds."""
    options = GenerationOptions.from_arguments("tts", arguments)
    base = Path(options.root) if options.root else Path(options.data).parent
    transform = partial(read_sample, base=base)
    kind = SpeechSynthesis("tts", COLUMNS, PROMPT, METRICS, transform, "speak", decides_language=True)
    return kind.task_from_manifest(options)


def read_sample(sample: Sample, base: Path) -> Sample:
    """Name the text and the recordings of a row as synthesisers and metrics expect.

    Args:
        sample: What the manifest made of a row.
        base: Folder that paths start from.
    """
    if not isinstance(sample.target, str) or not sample.target.strip():
        raise SampleError(f"the text to speak must be text that is not empty, not {sample.target!r}")
    values = dict(sample.meta)
    recorded = sample.inputs.get("audio")
    reference = _pop_audio(values, REFERENCE_COLUMNS, base) or (
        recorded[0] if isinstance(recorded, list) and recorded and isinstance(recorded[0], Audio) else None
    )
    prompt_text = _pop_first(values, PROMPT_TEXT_COLUMNS)
    if not isinstance(prompt_text, str | None):
        raise SampleError(f"{PROMPT_TEXT} must be text, not {type(prompt_text).__name__}")
    inputs: dict[str, Input | None] = {
        "text": sample.target,
        REFERENCE_INPUT: reference,
        PROMPT_AUDIO: _pop_audio(values, PROMPT_AUDIO_COLUMNS, base),
        PROMPT_TEXT: prompt_text or None,
        OTHER_VOICE_INPUT: _pop_audio(values, (OTHER_VOICE_INPUT,), base),
    }
    stated = {name: value for name, value in inputs.items() if value is not None}
    return replace(sample, inputs=stated, meta=values)


def _pop_first(values: dict[str, Json], columns: Sequence[str]) -> Json:
    """Remove and return the value of the first of these columns that has one."""
    for name in columns:
        value = values.pop(name, None)
        if value is not None and value != "":
            return value
    return None


def _pop_audio(values: dict[str, Json], columns: Sequence[str], base: Path) -> Audio | None:
    value = _pop_first(values, columns)
    try:
        return None if value is None else Audio.of(resolve_path(value, base))
    except (AudioError, TypeError, ValueError) as error:
        raise SampleError(f"invalid {columns[0]}: {error}") from error
