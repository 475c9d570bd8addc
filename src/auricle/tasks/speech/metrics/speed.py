"""How fast speech is synthesised, and how soon it can be heard."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from auricle.core.types import Generation, Output, Sample
from auricle.metrics.base import Array, Details, Metric
from auricle.metrics.pooling import PooledQuantile
from auricle.metrics.scales import NONNEGATIVE_UNKNOWN
from auricle.tasks.speech.metrics.answers import SILENCE, NonnegativeRatio, measure_answer


def _applies(sample: Sample) -> bool:
    """Whether an answer was timed is known only from the answer."""
    return True


def _measure_speed(*outputs: Output, model_seconds: float | None) -> tuple[float, float, float] | None:
    """Return the seconds that the model took, those of sound, and those without the silence at the ends."""
    spoken = [output for output in outputs if isinstance(output, Generation) and output.audio]
    if not model_seconds or not spoken:
        return None
    measures = [measure_answer(output) for output in spoken]
    edges = sum(item.leading_silence + item.trailing_silence for item in measures)
    seconds = sum(item.seconds for item in measures)
    return model_seconds, seconds, seconds - edges


def _describe_speed(totals: Array) -> Details:
    model, sound, trimmed = map(float, totals[:3])
    return {
        "model_seconds": round(model, 4),
        "audio_seconds": round(sound, 4),
        "rtf_without_silence_at_ends": round(model / trimmed, 4) if trimmed else math.nan,
    }


def _speed_metric(name: str, title: str, columns: tuple[int, int], **fields: Any) -> Metric:
    def score(sample: Sample, *outputs: Output, model_seconds: float | None) -> Any:
        return _measure_speed(*outputs, model_seconds=model_seconds)

    numerator, denominator = columns
    return Metric(
        name,
        score,
        NonnegativeRatio((numerator,), denominator, _describe_speed),
        title=title,
        variant="model-time.whole-recording.pooled",
        unit="points",
        applies=_applies,
        facts=("model_seconds",),
        **fields,
    )


synthesis_rtf = _speed_metric("synthesis_rtf", "Real-time factor of synthesis", (0, 1), higher_is_better=False)
synthesis_rtfx = _speed_metric("synthesis_rtfx", "RTFx of synthesis", (1, 0))


def _delay_metric(name: str, title: str, measure: Callable[[Generation, float], float], variant: str) -> Metric:
    """Make a metric of the median of a delay of streamed answers."""

    def score(sample: Sample, output: Output) -> tuple[tuple[float, ...]] | None:
        timing = output.timing if isinstance(output, Generation) else None
        if not isinstance(output, Generation) or output.audio is None or timing is None or timing.first_audio is None:
            return None
        return ((measure(output, timing.first_audio),),)

    return Metric(
        name,
        score,
        PooledQuantile(0.5, scale=NONNEGATIVE_UNKNOWN),
        higher_is_better=False,
        title=title,
        variant=f"median.{variant}",
        unit="s",
        applies=_applies,
    )


time_to_first_audio = _delay_metric(
    "time_to_first_audio",
    "Time to first audio",
    lambda _, first_audio: first_audio,
    "request-sent.first-audio-received",
)
time_to_first_audible = _delay_metric(
    "time_to_first_audible",
    "Time to first audible sample",
    lambda output, first_audio: first_audio + measure_answer(output).leading_silence,
    f"request-sent.first-audio-received-plus-leading-silence.{SILENCE}",
)
