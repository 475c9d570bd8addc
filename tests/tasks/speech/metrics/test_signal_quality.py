"""Silence, clipping, pace and duration of spoken answers, pooled."""

from __future__ import annotations

import numpy as np
import pytest

from auricle import Generation
from auricle.metrics.base import Metric
from auricle.tasks.speech.metrics import signal_quality as signal
from tests.support.spoken import RATE, make_answer, make_sample

TONE = (0.5 * np.sin(2 * np.pi * 200 * np.arange(RATE) / RATE)).astype(np.float32)
HALF = np.zeros(RATE // 2, np.float32)
ANSWERS = [
    make_answer(np.concatenate([HALF, TONE, HALF, HALF])),  # 2.5 s
    make_answer(np.clip(2.1 * TONE, -1, 1)),  # 1 s
]
TEXTS = ["good morning to you", "yes"]


def aggregate(metric: Metric, answers: list[Generation] = ANSWERS) -> float:
    samples = [make_sample(text) for text in TEXTS]
    stats = [metric.score(sample, answer) for sample, answer in zip(samples, answers, strict=True)]
    return metric.aggregate(stats)


def test_shares_are_pooled_over_seconds_and_samples() -> None:
    assert aggregate(signal.speech_silence) == pytest.approx(1.5 / 3.5)
    clipped = int((np.abs(np.clip(2.1 * TONE, -1, 1)) >= 0.999).sum())
    assert aggregate(signal.speech_clipping) == pytest.approx(clipped / (3.5 * RATE))


def test_seconds_are_means_over_answers() -> None:
    assert aggregate(signal.speech_leading_silence) == pytest.approx(0.25)
    assert aggregate(signal.speech_trailing_silence) == pytest.approx(0.5)
    assert aggregate(signal.speech_duration) == pytest.approx(1.75)


def test_the_share_of_cut_off_answers_is_counted() -> None:
    assert aggregate(signal.speech_cut_off) == pytest.approx(0.5)


def test_pace_is_pooled_over_all_text_and_seconds() -> None:
    assert aggregate(signal.characters_per_second) == pytest.approx((16 + 3) / 3.5)
    assert aggregate(signal.words_per_second) == pytest.approx((4 + 1) / 3.5)


def test_an_answer_without_text_has_no_pace() -> None:
    from auricle import Sample

    assert signal.words_per_second.score(Sample(id="1", inputs={"question": "?"}), ANSWERS[0]) is None


def test_intervals_of_seconds_are_not_those_of_shares() -> None:
    metric = signal.speech_leading_silence
    scale = metric.aggregate.choose_scale([0.1, 0.2], np.arange(2))  # type: ignore[attr-defined]
    assert scale.__class__.__name__ != "ShareScale"
    assert scale is metric.aggregate.choose_scale([10.0, 20.0], np.arange(2))  # type: ignore[attr-defined]
