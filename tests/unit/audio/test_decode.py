"""Headers that are parsed without a library, and sources that are rejected."""

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from auricle.audio import decode
from auricle.audio.waveform import AudioInfo
from auricle.core.errors import AudioError, SampleError


def encode(frames: int = 1600, *, subtype: str = "PCM_16", channels: int = 1) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.zeros((frames, channels), np.float32), 16_000, format="WAV", subtype=subtype)
    return buffer.getvalue()


@pytest.mark.parametrize(("subtype", "channels"), [("PCM_16", 1), ("PCM_16", 2), ("PCM_24", 1)])
def test_plain_wav_header_agrees_with_the_library(subtype: str, channels: int) -> None:
    content = encode(subtype=subtype, channels=channels)
    info = decode._parse_plain_wav(content[:44], len(content))
    assert info == AudioInfo(16_000, channels, 1600)
    assert decode.probe(content, "x") == info


@pytest.mark.parametrize("content", [b"", encode()[:30], encode()[:2000], encode(subtype="FLOAT")])
def test_header_of_any_other_file_is_left_to_the_library(content: bytes) -> None:
    assert decode._parse_plain_wav(content[:44], len(content)) is None


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "FLOAT"])
@pytest.mark.parametrize("shape", [(8000,), (8000, 2)])
@pytest.mark.parametrize("times", [(0.0, None), (0.1, 0.25)])
def test_samples_of_a_wav_file_are_those_of_the_library(
    subtype: str, shape: tuple[int, ...], times: tuple[float, float | None], tmp_path: Path
) -> None:
    file = tmp_path / "clip.wav"
    soundfile.write(file, np.random.default_rng(0).uniform(-1, 1, shape), 16_000, subtype=subtype)
    start, end = times
    stop = None if end is None else round(end * 16_000)
    expected, _ = soundfile.read(file, dtype="float32", start=round(start * 16_000), stop=stop)
    for source in (file, file.read_bytes()):
        np.testing.assert_array_equal(decode.read(source, "clip.wav", start, end).values, expected, strict=True)


def test_read_returns_the_slice_with_all_channels() -> None:
    waveform = decode.read(encode(channels=2), "x", 0.025, 0.075)
    assert waveform.values.shape == (800, 2)
    assert waveform.rate == 16_000


def test_source_error_has_the_requested_class(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"gone\.wav does not exist"):
        decode.probe(tmp_path / "gone.wav", "gone.wav")
    with (
        pytest.raises(SampleError, match=r"x is empty \(0 bytes\)") as error,
        decode.open_source(b"", "x", SampleError),
    ):
        pass
    assert not isinstance(error.value, AudioError)


def test_truncated_chunk_is_reported_with_both_sizes() -> None:
    content = encode()
    with pytest.raises(AudioError, match="states 3,200 bytes of audio, but it contains 956"):
        decode.probe(content[:1000], "x")
