"""Recordings of two channels."""

import numpy as np
import pytest

from auricle.media.waveform import AudioInfo
from auricle.tasks.calls.live.mixing import RECORDING_RATE, mix_tracks
from tests.support.voice_agents import tone


def test_tracks_are_channels_at_one_rate() -> None:
    audio = mix_tracks((tone(1.0, rate=8_000), 8_000), (tone(0.5), RECORDING_RATE), seconds=2.0)
    assert audio.info() == AudioInfo(RECORDING_RATE, 2, 2 * RECORDING_RATE)
    loud = np.abs(audio.decode(mono=False)) > 0.1
    last = [np.flatnonzero(channel)[-1] / RECORDING_RATE for channel in loud.T]
    assert last == [pytest.approx(1.0, abs=1e-3), pytest.approx(0.5, abs=1e-3)]


def test_samples_are_kept_exactly() -> None:
    samples = np.array([0, 1, -1, 32_767, -32_768], np.int16)
    audio = mix_tracks((samples, RECORDING_RATE), seconds=len(samples) / RECORDING_RATE)
    assert np.array_equal(audio.decode() * 32_768, samples)
