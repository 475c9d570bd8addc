"""Operations on samples."""

import numpy as np
import pytest

from auricle.audio import waveform
from auricle.audio.waveform import AudioInfo, Waveform
from auricle.core.errors import AudioError, SampleError

INFO = AudioInfo(rate=100, channels=1, frames=250)


def test_seconds_are_converted_to_frames() -> None:
    assert INFO.seconds == 2.5
    assert waveform.frames_between(0.5, 1.0, INFO, "x") == slice(50, 100)
    assert waveform.frames_between(1.0, None, INFO, "x") == slice(100, 250)
    assert waveform.frames_between(1.0, 99.0, INFO, "x") == slice(100, 250)


def test_slice_error_has_the_requested_class() -> None:
    with pytest.raises(SampleError, match="x: a slice must end after its start, not at 1 s"):
        waveform.check_slice(2, 1, "x", SampleError)


def test_downmix_does_not_copy_mono() -> None:
    mono = np.zeros(10, np.float32)
    assert waveform.downmix(mono) is mono
    assert np.shares_memory(waveform.downmix(mono[:, None]), mono)
    stereo = np.array([[1.0, 0.0], [0.5, -0.5]], np.float32)
    assert waveform.downmix(stereo).tolist() == [0.5, 0.0]


def test_resampling_to_the_same_rate_returns_the_input() -> None:
    values = np.zeros(10, np.float32)
    assert waveform.resample(values, 8000, 8000, "x") is values
    assert len(waveform.resample(np.zeros(8000, np.float32), 8000, 16_000, "x")) == 16_000


def test_non_finite_samples_are_counted() -> None:
    with pytest.raises(AudioError, match="x contains 2 samples that are NaN or infinite"):
        waveform.check_finite(np.array([0.0, np.nan, np.inf], np.float32), "x")


def test_encoding_chooses_the_next_higher_rate() -> None:
    content = waveform.encode(Waveform(np.zeros(20_000, np.float32), 20_000), 20_000, "opus", "x")
    assert content.startswith(b"OggS")
    with pytest.raises(AudioError, match="the sample rate must be above zero, not 0"):
        waveform.encode(Waveform(np.zeros(10, np.float32), 8000), 0, "wav", "x")
