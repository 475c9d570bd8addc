"""Measures of spoken answers that need neither a reference nor a model: silence, clipping, pace and duration."""

from __future__ import annotations

from typing import Any

from auricle.core.types import Generation, Sample
from auricle.metrics.base import Array, Details, MeanAggregator, Metric, RatioAggregator
from auricle.tasks.speech.metrics.answers import (
    CUT_OFF_MARGIN,
    SILENCE,
    NonnegativeRatio,
    get_spoken_text,
    measure_answer,
    on_answer,
)
from auricle.tasks.speech.metrics.failures import count_characters


def _totals(*names: str) -> Any:
    def details(totals: Array) -> Details:
        return {name: round(float(total), 4) for name, total in zip(names, totals, strict=False)}

    return details


def _count_words(text: str) -> int:
    return len(text.split())


def _pace_metric(name: str, title: str, count: Any, unit_name: str) -> Metric:
    """Make a metric of units of text per second of sound, pooled over all answers that have a text."""

    def score(sample: Sample, output: Generation) -> tuple[float, float] | None:
        seconds = measure_answer(output).seconds
        units = count(get_spoken_text(sample, output))
        return (units, seconds) if units else None

    return Metric(
        name,
        score,
        NonnegativeRatio(details=_totals(unit_name, "seconds")),
        title=title,
        variant=f"{unit_name}-per-second.whole-recording.pooled",
        unit="points",
        optimum="none",
    )


speech_silence = Metric(
    "speech_silence",
    on_answer(lambda measures: (measures.silent_seconds, measures.seconds)),
    RatioAggregator(details=_totals("silent_seconds", "seconds"), is_share=True),
    higher_is_better=False,
    title="Silence in speech",
    variant=f"pooled.{SILENCE}",
    unit="share",
)
speech_leading_silence = Metric(
    "speech_leading_silence",
    on_answer(lambda measures: measures.leading_silence),
    NonnegativeRatio(denominator=-1),
    higher_is_better=False,
    title="Leading silence",
    variant=SILENCE,
    unit="s",
)
speech_trailing_silence = Metric(
    "speech_trailing_silence",
    on_answer(lambda measures: measures.trailing_silence),
    NonnegativeRatio(denominator=-1),
    higher_is_better=False,
    title="Trailing silence",
    variant=SILENCE,
    unit="s",
)
speech_cut_off = Metric(
    "speech_cut_off",
    on_answer(lambda measures: float(measures.is_cut_off)),
    MeanAggregator(_totals("cut_off")),
    higher_is_better=False,
    title="Speech cut off",
    variant=f"last-10ms-within-{CUT_OFF_MARGIN:g}dB.{SILENCE}",
    unit="share",
    credit=lambda stat: 1.0 - stat,
)
speech_clipping = Metric(
    "speech_clipping",
    on_answer(lambda measures: (float(measures.clipped), float(measures.samples))),
    RatioAggregator(details=_totals("clipped", "samples"), is_share=True),
    higher_is_better=False,
    title="Clipped samples",
    variant="pooled.full-scale-0.999",
    unit="share",
)
speech_duration = Metric(
    "speech_duration",
    on_answer(lambda measures: measures.seconds),
    NonnegativeRatio(denominator=-1, details=_totals("seconds")),
    higher_is_better=False,
    title="Duration of speech",
    unit="s",
    optimum="none",
)
characters_per_second = _pace_metric("characters_per_second", "Characters per second", count_characters, "characters")
words_per_second = _pace_metric("words_per_second", "Words per second", _count_words, "words")
