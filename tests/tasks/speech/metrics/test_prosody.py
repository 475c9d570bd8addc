"""Mel-cepstral distance and errors of pitch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from auricle.metrics.base import Metric
from auricle.tasks.speech.metrics import prosody
from auricle.tasks.speech.metrics.prosody import (
    compare_frames,
    f0_correlation,
    f0_rmse,
    f0_rmse_cents,
    mcd,
    mcd_plain,
    vuv_error,
)
from auricle.tasks.speech.metrics.world import Analysis
from tests.support.extras import require_extra
from tests.support.spoken import make_answer, make_sample, make_speech

METRICS = (mcd, mcd_plain, f0_rmse, f0_rmse_cents, f0_correlation, vuv_error)
SPEECH = make_speech(0.8)


def make_analysis(count: int, seed: int) -> Analysis:
    random = np.random.default_rng(seed)
    pitch = random.uniform(80, 300, count) * (random.random(count) < 0.7)
    return Analysis(pitch, np.cumsum(0.1 * random.standard_normal((count, 25)), axis=0))


def brute_force(answer: Analysis, reference: Analysis) -> dict[str, float]:
    """Follow a table of cells back from its end, and compare frame by frame."""
    rows, columns = len(answer.pitch), len(reference.pitch)
    distance = {
        (i, j): math.dist(answer.cepstrum[i][1:], reference.cepstrum[j][1:])
        for i in range(rows)
        for j in range(columns)
    }
    best: dict[tuple[int, int], tuple[float, tuple[int, int] | None]] = {(0, 0): (distance[0, 0], None)}
    for i in range(rows):
        for j in range(columns):
            if i or j:
                earlier = [cell for cell in ((i - 1, j - 1), (i - 1, j), (i, j - 1)) if cell in best]
                origin = min(earlier, key=lambda cell: best[cell][0])
                best[i, j] = best[origin][0] + distance[i, j], origin
    path: list[tuple[int, int]] = []
    cell: tuple[int, int] | None = (rows - 1, columns - 1)
    while cell is not None:
        path.append(cell)
        cell = best[cell][1]
    pitches = [(answer.pitch[i], reference.pitch[j]) for i, j in path]
    voiced = [(a, b) for a, b in pitches if a and b]
    return {
        "mcd": sum(10 / math.log(10) * math.sqrt(2) * distance[cell] for cell in path) / len(path),
        "hertz": math.sqrt(sum((a - b) ** 2 for a, b in voiced) / len(voiced)),
        "cents": math.sqrt(sum((1200 * math.log2(a / b)) ** 2 for a, b in voiced) / len(voiced)),
        "correlation": float(np.corrcoef(np.array(voiced).T)[0, 1]),
        "voicing": sum(bool(a) != bool(b) for a, b in pitches) / len(pitches),
    }


@pytest.mark.parametrize(("rows", "columns", "seed"), [(40, 55, 0), (55, 40, 1), (30, 30, 2)])
def test_all_measures_equal_those_of_a_table_of_cells(rows: int, columns: int, seed: int) -> None:
    answer, reference = make_analysis(rows, seed), make_analysis(columns, seed + 100)
    result, expected = compare_frames(answer, reference), brute_force(answer, reference)
    assert result.distance / result.pairs == pytest.approx(expected["mcd"], abs=1e-9)
    assert math.sqrt(result.squared_hertz / result.voiced) == pytest.approx(expected["hertz"], abs=1e-9)
    assert math.sqrt(result.squared_cents / result.voiced) == pytest.approx(expected["cents"], abs=1e-9)
    assert result.correlation == pytest.approx(expected["correlation"], abs=1e-9)
    assert result.voicing_differs / result.pairs == pytest.approx(expected["voicing"], abs=1e-9)
    assert (result.plain_frames == 30) is (rows == columns)


def score(metric: Metric, answer: np.ndarray, reference: np.ndarray = SPEECH) -> Any:
    return metric.score(make_sample(reference=reference), make_answer(answer))


@pytest.mark.slow
def test_identical_speech_has_no_error() -> None:
    require_extra("speech-quality")
    values = {metric.name: metric.aggregate([score(metric, SPEECH)]) for metric in METRICS}
    assert values == pytest.approx(
        {"mcd": 0, "mcd_plain": 0, "f0_rmse": 0, "f0_rmse_cents": 0, "f0_correlation": 1, "vuv_error": 0}, abs=1e-9
    )


@pytest.mark.slow
def test_a_semitone_is_a_hundred_cents() -> None:
    require_extra("speech-quality")
    higher = make_speech(0.8, 120 * 2 ** (1 / 12))
    assert f0_rmse_cents.aggregate([score(f0_rmse_cents, higher)]) == pytest.approx(100, abs=15)


@pytest.mark.slow
def test_another_tempo_is_warped_but_has_no_plain_distance() -> None:
    require_extra("speech-quality")
    slower = make_speech(1.0)
    assert score(mcd_plain, slower) is None
    assert 0 < mcd.aggregate([score(mcd, slower)]) < mcd.aggregate([score(mcd, make_speech(0.8, 220, seed=5))])


def test_errors_are_pooled_over_frames_before_the_root_is_taken() -> None:
    assert f0_rmse.aggregate([(400.0, 4), (0.0, 12), (0.0, 0)]) == pytest.approx(5.0)
    assert mcd.aggregate([(12.0, 4), (0.0, 2)]) == pytest.approx(2.0)
    assert vuv_error.aggregate([(1, 4), (1, 6)]) == pytest.approx(0.2)
    assert f0_rmse.details([(400.0, 4), (0.0, 12)]) == {"frames": 16}


@pytest.mark.slow
def test_without_a_common_voiced_frame_the_pitch_is_undefined() -> None:
    require_extra("speech-quality")
    silent = np.full(len(SPEECH), 1e-6, np.float32)
    assert math.isnan(f0_rmse.aggregate([score(f0_rmse, silent)]))
    stat = score(f0_correlation, silent)
    assert f0_correlation.details([stat]) == {"defined": 0, "undefined": 1, "no_voice": 1}


def test_very_short_and_very_long_recordings_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert score(mcd, SPEECH[:800]) is None
    monkeypatch.setattr(prosody, "MAX_SECONDS", 0.7)
    assert score(mcd, SPEECH) is None


def test_signatures_state_order_shift_warping_and_pitch_tracker() -> None:
    cepstrum = "world-cheaptrick.mel-cepstrum-1-24.alpha0.42.shift5ms.16kHz"
    assert mcd.signature == f"mcd:1.dtw.pooled.{cepstrum}"
    assert mcd_plain.signature == f"mcd_plain:1.plain.same-length.pooled.{cepstrum}"
    tracker = "world-dio-stonemask.71-800Hz.shift5ms.dtw-on-mel-cepstra"
    assert f0_rmse.signature == f"f0_rmse:1.Hz.voiced-in-both.pooled.{tracker}"
