"""Headers that are parsed without a library, and sources that are rejected."""

import io
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import soundfile

from auricle.core.audio_limit import limit_audio
from auricle.core.errors import AudioError, SampleError
from auricle.media import decode
from auricle.media.waveform import AudioInfo, join


def encode(frames: int = 1600, *, subtype: str = "PCM_16", channels: int = 1) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.zeros((frames, channels), np.float32), 16_000, format="WAV", subtype=subtype)
    return buffer.getvalue()


def read(source: Path | bytes, start: float = 0.0, end: float | None = None) -> tuple[Any, int]:
    with decode.open_blocks(source, "clip", start, end) as blocks:
        return join(blocks.values), blocks.rate


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
        values, _ = read(source, start, end)
        np.testing.assert_array_equal(values, expected, strict=True)


def test_read_returns_the_slice_with_all_channels() -> None:
    values, rate = read(encode(channels=2), 0.025, 0.075)
    assert (values.shape, rate) == ((800, 2), 16_000)


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


FORMATS = {
    "wav": {"format": "WAV"},
    "float wav": {"format": "WAV", "subtype": "FLOAT"},
    "flac": {"format": "FLAC"},
    "mp3": {"format": "MP3"},
    "ogg": {"format": "OGG"},
}


def noise(seconds: float, **options: Any) -> bytes:
    buffer = io.BytesIO()
    samples = np.random.default_rng(0).uniform(-0.5, 0.5, (int(seconds * 16_000), 2))
    soundfile.write(buffer, samples, 16_000, **options)
    return buffer.getvalue()


def as_aac(content: bytes) -> bytes:
    """Return the sound in ADTS frames, which state no length."""
    buffer = io.BytesIO()
    with av.open(io.BytesIO(content), "r") as source, av.open(buffer, "w", format="adts") as target:
        stream = target.add_stream("aac", rate=16_000)
        for frame in source.decode(audio=0):
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", [*FORMATS, "aac"])
@pytest.mark.parametrize("times", [(0.0, None), (0.31, 1.17), (1.0, None)])
def test_samples_do_not_depend_on_the_size_of_blocks(
    kind: str, times: tuple[float, float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = as_aac(noise(2.0, format="WAV")) if kind == "aac" else noise(2.0, **FORMATS[kind])
    expected, _ = read(content, *times)
    monkeypatch.setattr(decode, "BLOCK_FRAMES", 1000)
    with decode.open_blocks(content, "clip", *times) as blocks:
        lengths = [len(block) for block in blocks.values]
    assert len(lengths) > 5
    assert max(lengths) < 3000
    # libsndfile decodes MP3 with differences of one bit at other block sizes.
    np.testing.assert_allclose(read(content, *times)[0], expected, rtol=0, atol=2e-7 if kind == "mp3" else 0)


@pytest.mark.parametrize("kind", [*FORMATS, "aac"])
def test_sound_longer_than_the_limit_is_refused(kind: str) -> None:
    content = as_aac(noise(2.0, format="WAV")) if kind == "aac" else noise(2.0, **FORMATS[kind])
    with limit_audio(1.0), pytest.raises(AudioError, match=r"clip lasts 2 s or longer, more than the limit of 1 s"):
        read(content)
    with limit_audio(1.0):
        assert len(read(content, 0.5, 1.5)[0]) == 16_000  # the limit is for the part that is used


def test_sound_that_states_no_length_is_refused_while_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "BLOCK_FRAMES", 1000)
    content = as_aac(noise(5.0, format="WAV"))
    lengths: list[int] = []
    refused = pytest.raises(AudioError, match="more than the limit of 1 s per sound")
    with limit_audio(1.0), decode.open_blocks(content, "clip", 0.0, None) as blocks, refused:
        lengths.extend(map(len, blocks.values))
    assert sum(lengths) <= 16_000


def test_a_seek_that_a_damaged_header_demands_fails_quietly(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"0123456789")
    for stream in (io.BytesIO(b"0123456789"), path.open("rb", buffering=0)):
        with stream:
            file = decode._ContainerFile(stream)
            assert file.seek(4) == file.tell() == 4
            assert file.read(2) == b"45"
            assert [file.seek(-20), file.seek(2**80)] == [-1, -1]
            assert file.tell() == 6


def encode_click(container: str, codec: str, rate: int) -> tuple[bytes, int]:
    """Encode silence with a click after half a second; return it with its number of samples."""
    count = rate + 1234
    values = np.zeros((1, count), np.float32)
    values[0, rate // 2 - 20 : rate // 2 + 20] = 0.9 * np.hanning(40)
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        stream: Any = output.add_stream(codec, rate=rate, layout="mono")
        stream.codec_context.open()
        frame = av.AudioFrame.from_ndarray(values, format="fltp", layout="mono")
        frame.sample_rate, frame.pts = rate, 0
        resampler: Any = av.AudioResampler(
            format=stream.codec_context.format, layout="mono", rate=rate, frame_size=stream.codec_context.frame_size
        )
        for part in [*resampler.resample(frame), *resampler.resample(None), None]:
            output.mux(stream.encode(part))
    return buffer.getvalue(), count


def set_codec_delay(webm: bytes, nanoseconds: int) -> bytes:
    """Change the delay that a WebM file states for its codec."""
    start = webm.index(b"\x56\xaa") + 3
    size = webm[start - 1] & 0x7F
    return webm[:start] + nanoseconds.to_bytes(size) + webm[start + size :]


@pytest.mark.parametrize("rate", [8_000, 16_000, 24_000, 48_000])
@pytest.mark.parametrize("writer", ["this version of FFmpeg", "an earlier one", "one that states no delay"])
def test_opus_in_webm_has_the_position_and_length_of_the_original(rate: int, writer: str) -> None:
    webm, count = encode_click("webm", "libopus", rate)
    if writer != "this version of FFmpeg":
        webm = set_codec_delay(webm, 6_500_000 * rate // 48_000 if writer == "an earlier one" else 0)
    values, decoded_rate = read(webm)
    click = int(np.abs(values).argmax())
    assert (decoded_rate, len(values)) == (48_000, count * 48_000 // rate)
    # The low-pass of a narrower band moves the peak by up to three milliseconds.
    assert abs(click / 48_000 - 0.5) < (0.001 if rate > 8_000 else 0.003)
    assert decode.probe(webm, "clip").seconds == pytest.approx(count / rate, abs=0.01)


@pytest.mark.parametrize(
    ("container", "codec", "end"), [("ogg", "libopus", 0), ("mp3", "libmp3lame", 0), ("mp4", "aac", 1024)]
)
def test_frames_that_a_codec_adds_at_the_start_are_dropped(container: str, codec: str, end: int) -> None:
    content, count = encode_click(container, codec, 48_000)
    values, _ = read(content)
    assert count <= len(values) <= count + end  # FFmpeg keeps what AAC adds at the end
    assert abs(int(np.abs(values).argmax()) - 24_000) <= 2
