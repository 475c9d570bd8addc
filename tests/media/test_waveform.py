"""Operations on samples."""

import numpy as np
import pytest
from numpy.typing import NDArray

from auricle.core.errors import AudioError, SampleError
from auricle.media import waveform
from auricle.media.waveform import AudioInfo, Blocks


def as_blocks(rate: int, *values: NDArray[np.float32]) -> Blocks:
    return Blocks(rate, iter(values))


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
    values = np.zeros(8000, np.float32)
    assert waveform.join(waveform.resample(as_blocks(8000, values), 8000, "x")) is values
    assert len(waveform.join(waveform.resample(as_blocks(8000, values), 16_000, "x"))) == 2 * len(values)


def test_non_finite_samples_are_counted() -> None:
    with pytest.raises(AudioError, match="x contains 2 samples that are NaN or infinite"):
        waveform.check_finite(np.array([0.0, np.nan, np.inf], np.float32), "x")


def test_encoding_chooses_the_next_higher_rate() -> None:
    content = waveform.encode(as_blocks(20_000, np.zeros(20_000, np.float32)), 20_000, "opus", "x")
    assert content.startswith(b"OggS")
    with pytest.raises(AudioError, match="the sample rate must be above zero, not 0"):
        waveform.encode(as_blocks(8000, np.zeros(10, np.float32)), 0, "wav", "x")


def test_a_rate_that_a_format_cannot_store_is_refused() -> None:
    with pytest.raises(AudioError, match="x cannot be encoded as FLAC with 10000000 Hz and 1 channels"):
        waveform.encode(as_blocks(10_000_000, np.zeros(10, np.float32)), 10_000_000, "flac", "x")


@pytest.mark.parametrize("rates", [(48_000, 16_000), (44_100, 16_000), (8000, 24_000)])
@pytest.mark.parametrize("shape", [(50_000,), (50_000, 2)])
def test_resampling_in_blocks_equals_resampling_at_once(rates: tuple[int, int], shape: tuple[int, ...]) -> None:
    import soxr

    values = np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)
    blocks = as_blocks(rates[0], *np.split(values, [7, 9000, 30_000]))
    resampled = waveform.join(waveform.resample(blocks, rates[1], "x"))
    np.testing.assert_array_equal(resampled, soxr.resample(values, *rates, quality="HQ"), strict=True)


def test_audio_too_short_to_be_resampled_is_refused() -> None:
    with pytest.raises(AudioError, match="x: 1 samples at 48000 Hz are too short for 8000 Hz"):
        list(waveform.resample(as_blocks(48_000, np.zeros(1, np.float32)), 8000, "x"))


@pytest.mark.parametrize("audio_format", ["wav", "flac", "mp3"])
def test_encoding_in_blocks_equals_encoding_at_once(audio_format: waveform.Format) -> None:
    values = np.random.default_rng(0).uniform(-1, 1, 50_000).astype(np.float32)
    parts = np.split(values, [7, 9000, 30_000])
    in_blocks, at_once = (
        waveform.encode(as_blocks(16_000, *blocks), 16_000, audio_format, "x") for blocks in (parts, [values])
    )
    assert in_blocks == at_once
