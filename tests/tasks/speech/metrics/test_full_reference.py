"""PESQ, STOI, ESTOI and SI-SDR: their rules of length and their edge cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Restricted
from auricle.tasks.speech.metrics.full_reference import (
    estoi,
    find_delay,
    load_pair,
    pesq_nb,
    pesq_wb,
    si_sdr,
    si_sdr_of,
    stoi,
)
from tests.support.extras import require_extra
from tests.support.spoken import RATE, make_answer, make_sample, make_speech

SPEECH = make_speech(2.0)
NOISE = np.random.default_rng(0).standard_normal(len(SPEECH)).astype(np.float32)
QUALITY = (pesq_wb, pesq_nb, stoi, estoi)


def add_noise(snr: float) -> np.ndarray:
    gain = np.sqrt(np.mean(SPEECH**2) / np.mean(NOISE**2)) * 10 ** (-snr / 20)
    noisy: np.ndarray = (SPEECH + gain * NOISE).astype(np.float32)
    return noisy


def score(metric: Metric, answer: np.ndarray, reference: np.ndarray = SPEECH) -> Any:
    return metric.score(make_sample(reference=reference), make_answer(answer))


def value(metric: Metric, answer: np.ndarray, reference: np.ndarray = SPEECH) -> float:
    return metric.aggregate([score(metric, answer, reference)])


@pytest.mark.slow
def test_identical_speech_has_the_highest_scores() -> None:
    require_extra("speech-quality")
    assert value(pesq_wb, SPEECH) == pytest.approx(4.644, abs=0.001)
    assert value(pesq_nb, SPEECH) == pytest.approx(4.549, abs=0.001)
    assert value(stoi, SPEECH) == pytest.approx(1.0, abs=1e-6)
    assert value(estoi, SPEECH) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.slow
def test_every_measure_falls_with_noise() -> None:
    require_extra("speech-quality")
    for metric in (*QUALITY[:3], estoi, si_sdr):
        values = [value(metric, add_noise(snr)) for snr in (40, 20, 5)]
        assert values == sorted(values, reverse=True)
        assert values[0] > values[-1]


@pytest.mark.parametrize("snr", [40, 20, 10, 0, -5])
def test_si_sdr_of_white_noise_is_the_signal_to_noise_ratio(snr: int) -> None:
    assert value(si_sdr, add_noise(snr)) == pytest.approx(snr, abs=0.1)


def test_si_sdr_ignores_level_and_offset() -> None:
    noisy = add_noise(10).astype(np.float64)
    assert si_sdr_of(SPEECH.astype(float), 3 * noisy + 0.2) == pytest.approx(si_sdr_of(SPEECH.astype(float), noisy))


def test_identical_and_orthogonal_answers_are_infinite_and_kept_out_with_a_count() -> None:
    random = np.random.default_rng(0)
    reference = random.standard_normal(1000)
    assert si_sdr_of(reference, reference) > 200
    other = np.concatenate([np.ones(500), -np.ones(500)])
    even = np.tile([1.0, -1.0], 500)
    assert si_sdr_of(even, other) < -200
    assert math.isnan(si_sdr_of(reference, np.ones(1000)))
    assert math.isnan(si_sdr_of(np.zeros(1000), reference))
    stats = [score(si_sdr, SPEECH), score(si_sdr, add_noise(10)), score(si_sdr, np.zeros_like(SPEECH))]
    assert si_sdr.aggregate(stats) == pytest.approx(10, abs=0.1)
    assert si_sdr.details(stats) == {"defined": 1, "undefined": 2, "identical": 1, "silent": 1}


def test_a_delay_of_one_sample_is_noticed_since_it_ruins_si_sdr() -> None:
    clicks = np.random.default_rng(0).standard_normal(RATE).astype(np.float32) * 0.1
    late = np.concatenate([[0], clicks[:-1]]).astype(np.float32)
    stat = score(si_sdr, late, clicks)
    assert si_sdr.aggregate([stat]) < -30
    assert si_sdr.details([stat])["delayed"] == 1
    assert find_delay(clicks.astype(float), late.astype(float), RATE) == 1
    assert find_delay(late.astype(float), clicks.astype(float), RATE) == -1
    assert "delayed" not in si_sdr.details([score(si_sdr, add_noise(20))])


@pytest.mark.slow
def test_pesq_is_undefined_below_a_quarter_of_a_second_and_for_silence() -> None:
    require_extra("speech-quality")
    short = SPEECH[: RATE // 5]
    assert pesq_wb.details([score(pesq_wb, short, short)]) == {"defined": 0, "undefined": 1, "too_short": 1}
    silent = score(pesq_wb, np.zeros_like(SPEECH))
    assert pesq_wb.details([silent]) == {"defined": 0, "undefined": 1, "silent": 1}
    assert math.isnan(pesq_wb.aggregate([silent]))


@pytest.mark.slow
def test_stoi_is_undefined_below_30_frames() -> None:
    require_extra("speech-quality")
    short = SPEECH[: RATE // 4]
    for metric in (stoi, estoi):
        assert metric.details([score(metric, short, short)]) == {"defined": 0, "undefined": 1, "too_few_frames": 1}
        assert metric.details([score(metric, SPEECH, np.zeros_like(SPEECH))])["silent"] == 1


def test_answers_of_another_length_are_another_performance() -> None:
    for metric in (*QUALITY, si_sdr):
        assert score(metric, make_speech(2.2)) is None


def test_the_end_of_the_longer_one_is_cut_within_50_ms() -> None:
    longer = np.concatenate([SPEECH, np.ones(700, np.float32)])
    pair = load_pair(make_sample(reference=SPEECH), make_answer(longer))
    assert pair is not None
    np.testing.assert_array_equal(pair.answer, pair.reference)


def test_other_rates_are_resampled() -> None:
    pair = load_pair(make_sample(reference=SPEECH), make_answer(make_speech(2.0, rate=24_000), rate=24_000), 8000)
    assert pair is not None
    assert len(pair.reference) == len(pair.answer) == 16_000


def test_samples_without_a_recording_are_passed_over() -> None:
    for metric in (*QUALITY, si_sdr):
        assert isinstance(metric, Restricted)
        assert not metric.applies(make_sample())
        assert metric.applies(make_sample(reference=SPEECH))


def test_signatures_state_band_rate_and_the_rule_of_lengths() -> None:
    assert pesq_wb.signature == "pesq_wb:1.P.862.2.16kHz.cut-to-shorter-within-50ms.mean-of-answers"
    assert pesq_nb.signature == "pesq_nb:1.P.862.8kHz.cut-to-shorter-within-50ms.mean-of-answers"
