"""How fast speech is synthesised, and how soon it is heard."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from auricle import Generation
from auricle.core.types import Timing
from auricle.metrics.multi_answer import apply_aggregations
from auricle.tasks.speech.metrics.speed import synthesis_rtf, synthesis_rtfx, time_to_first_audible, time_to_first_audio
from tests.support.spoken import RATE, make_answer, make_sample

TONE = (0.5 * np.sin(2 * np.pi * 200 * np.arange(RATE) / RATE)).astype(np.float32)
ANSWER = make_answer(np.concatenate([np.zeros(RATE, np.float32), TONE]))  # 1 s of silence, 1 s of sound
SAMPLE = make_sample()


def test_real_time_factors_are_pooled_and_state_the_silence_at_the_ends() -> None:
    stats = [synthesis_rtf.score(SAMPLE, ANSWER, model_seconds=seconds) for seconds in (0.1, 0.3)]
    assert synthesis_rtf.aggregate(stats) == pytest.approx(0.1)
    assert synthesis_rtfx.aggregate(stats) == pytest.approx(10.0)
    assert synthesis_rtf.details(stats) == {
        "model_seconds": 0.4,
        "audio_seconds": 4.0,
        "rtf_without_silence_at_ends": 0.2,
    }


def test_answers_without_time_or_sound_are_passed_over() -> None:
    assert synthesis_rtf.score(SAMPLE, ANSWER, model_seconds=None) is None
    assert synthesis_rtf.score(SAMPLE, make_answer(None), model_seconds=0.1) is None
    silent = synthesis_rtf.score(SAMPLE, make_answer(np.zeros(RATE, np.float32)), model_seconds=0.1)
    assert math.isnan(synthesis_rtf.details([silent])["rtf_without_silence_at_ends"])


def test_the_time_of_a_sample_is_divided_by_all_its_answers() -> None:
    (metric,) = apply_aggregations([synthesis_rtf], ["mean"])
    stat = metric.score(SAMPLE, ANSWER, ANSWER, model_seconds=0.4)
    assert stat is not None
    assert metric.aggregate([stat]) == pytest.approx(0.1)


def with_timing(first_audio: float | None) -> Generation:
    return replace(ANSWER, timing=Timing(first_byte=0.05, first_token=first_audio, first_audio=first_audio))


def test_the_first_audible_sample_comes_after_the_leading_silence() -> None:
    answers = [with_timing(seconds) for seconds in (0.1, 0.2, 0.9)]
    first = [time_to_first_audio.score(SAMPLE, answer) for answer in answers]
    audible = [time_to_first_audible.score(SAMPLE, answer) for answer in answers]
    assert time_to_first_audio.aggregate(first) == pytest.approx(0.2)
    assert time_to_first_audible.aggregate(audible) == pytest.approx(1.2)
    assert time_to_first_audio.details(first)["p90"] == pytest.approx(0.76)


def test_answers_that_were_not_streamed_have_no_delay() -> None:
    assert time_to_first_audio.score(SAMPLE, ANSWER) is None
    assert time_to_first_audio.score(SAMPLE, with_timing(None)) is None
