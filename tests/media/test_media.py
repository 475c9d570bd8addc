"""References to audio, images and videos."""

from __future__ import annotations

import io
import os
import pickle
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import av
import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from auricle.core.errors import AudioError, SampleError
from auricle.media.media import Audio, AudioInfo, Image, Video
from auricle.media.waveform import Format
from tests.support import paths

RECORDINGS = paths.SHARED_DATA
SOUNDFILE_FORMATS = {
    "wav": ("WAV", "PCM_16", 1e-4),
    "wav-8-bit": ("WAV", "PCM_U8", 1e-2),
    "wav-24-bit": ("WAV", "PCM_24", 1e-6),
    "wav-32-bit": ("WAV", "PCM_32", 1e-6),
    "wav-float": ("WAV", "FLOAT", 1e-7),
    "wav-double": ("WAV", "DOUBLE", 1e-7),
    "wav-extensible": ("WAVEX", "PCM_16", 1e-4),
    "wav-64-bit-sizes": ("RF64", "PCM_16", 1e-4),
    "flac": ("FLAC", "PCM_16", 1e-4),
    "aiff": ("AIFF", "PCM_16", 1e-4),
    "vorbis": ("OGG", "VORBIS", 0.05),
    "opus": ("OGG", "OPUS", 0.05),
    "mp3": ("MP3", "MPEG_LAYER_III", 0.05),
}
CONTAINER_FORMATS = {
    "m4a": ("mp4", "aac"),
    "aac": ("adts", "aac"),
    "webm": ("webm", "libopus"),
    "mkv": ("matroska", "libopus"),
    "wma": ("asf", "wmav2"),
    "transport-stream": ("mpegts", "aac"),
}


class Pipe(io.RawIOBase):
    """A file that cannot seek, so that headers cannot be completed at the end."""

    def __init__(self) -> None:
        self.content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.content += data
        return len(data)

    def getvalue(self) -> bytes:
        return bytes(self.content)


def tone(rate: int = 48_000, seconds: float = 1.0, channels: int = 1, pitch: float = 440.0) -> NDArray[np.float32]:
    wave = 0.4 * np.sin(2 * np.pi * pitch * np.arange(round(rate * seconds)) / rate)
    return (wave if channels == 1 else np.stack([wave] * channels, 1)).astype(np.float32)


def encode_audio(values: Any, rate: int = 48_000, container: str = "WAV", subtype: str | None = None) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, values, rate, format=container, subtype=subtype)
    return buffer.getvalue()


def encode_with_ffmpeg(
    values: NDArray[np.float32],
    container: str | None,
    codec: str,
    *,
    target: Any = None,
    rate: int = 48_000,
    codec_options: dict[str, str] | None = None,
    **options: str,
) -> bytes:
    """Encode mono audio with FFmpeg, to a pipe if that is the target."""
    target = target or io.BytesIO()
    with av.open(target, "w", format=container, options=options) as output:
        stream: Any = output.add_stream(codec, rate=rate, options=codec_options or {"b": "128000"})
        stream.layout = "mono"
        stream.codec_context.open()
        frame = av.AudioFrame.from_ndarray(values[None], format="fltp", layout="mono")
        frame.rate = rate
        resampler: Any = av.AudioResampler(
            format=stream.codec_context.format,
            layout="mono",
            rate=rate,
            frame_size=stream.codec_context.frame_size or 1024,
        )
        for part in [*resampler.resample(frame), *resampler.resample(None), None]:
            output.mux(stream.encode(part))
    return target.read_bytes() if isinstance(target, Path) else target.getvalue()


def encode_video(*, with_audio: bool) -> bytes:
    """Encode a one-second video, with or without audio."""
    target = io.BytesIO()
    with av.open(target, "w", format="mp4") as output:
        video = output.add_stream("mpeg4", rate=10)
        video.width = video.height = 64
        video.pix_fmt = "yuv420p"
        audio = output.add_stream("aac", rate=48_000, layout="mono") if with_audio else None
        image = np.zeros((64, 64, 3), np.uint8)
        for part in [av.VideoFrame.from_ndarray(image, format="rgb24") for _ in range(10)] + [None]:
            output.mux(video.encode(part))
        if audio is not None:
            frame = av.AudioFrame.from_ndarray(tone()[None], format="fltp", layout="mono")
            frame.rate = 48_000
            for audio_frame in (frame, None):
                output.mux(audio.encode(audio_frame))
    return target.getvalue()


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    path = tmp_path / "tone.wav"
    path.write_bytes(encode_audio(tone()))
    return path


# --- decoding ---------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("kind", SOUNDFILE_FORMATS)
def test_every_format_of_soundfile_is_decoded(kind: str, channels: int, tmp_path: Path) -> None:
    container, subtype, tolerance = SOUNDFILE_FORMATS[kind]
    content = encode_audio(tone(channels=channels), 48_000, container, subtype)
    path = tmp_path / "audio.bin"
    path.write_bytes(content)

    for audio in (Audio.of(path), Audio.of(content)):
        decoded = audio.decode(mono=False)
        assert audio.info() == AudioInfo(48_000, channels, 48_000)
        assert decoded.dtype == np.float32
        assert decoded.shape == (48_000, channels)
        assert np.abs(audio.decode() - tone())[1000:-1000].max() < tolerance


@pytest.mark.parametrize("kind", CONTAINER_FORMATS)
def test_every_format_of_ffmpeg_is_decoded(kind: str, tmp_path: Path) -> None:
    content = encode_with_ffmpeg(tone(), *CONTAINER_FORMATS[kind])
    path = tmp_path / "audio.wav"
    path.write_bytes(content)

    for audio in (Audio.of(path), Audio.of(content)):
        decoded = audio.decode()
        assert audio.info().rate == 48_000
        assert audio.seconds == pytest.approx(1.0, abs=0.06)
        assert len(decoded) == pytest.approx(48_000, abs=0.06 * 48_000)
        assert np.sqrt(np.mean(decoded[5000:-5000] ** 2)) == pytest.approx(0.4 / 2**0.5, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [8_000, 11_025, 44_100, 96_000, 192_000])
@pytest.mark.parametrize("channels", [3, 6, 8])
def test_many_channels_and_rates_are_decoded(rate: int, channels: int) -> None:
    audio = Audio.of(encode_audio(tone(rate, 0.1, channels), rate))
    assert audio.info() == AudioInfo(rate, channels, rate // 10)
    assert audio.decode() == pytest.approx(tone(rate, 0.1), abs=1e-4)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    rate=st.integers(8_000, 192_000),
    channels=st.integers(1, 8),
    frames=st.integers(1, 3_000),
    subtype=st.sampled_from(["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"]),
    container=st.sampled_from(["WAV", "WAVEX", "AIFF"]),
    seed=st.integers(0, 99),
)
def test_uncompressed_audio_is_decoded_exactly(
    rate: int, channels: int, frames: int, subtype: str, container: str, seed: int
) -> None:
    values = np.random.default_rng(seed).uniform(-0.99, 0.99, (frames, channels)).astype("f4")
    audio = Audio.of(encode_audio(values, rate, container, subtype))
    assert audio.info() == AudioInfo(rate, channels, frames)
    assert np.abs(audio.decode(mono=False) - values).max() <= 2**-15


def test_file_suffix_is_ignored(tmp_path: Path) -> None:
    for suffix in (".mp3", ".raw", ".m4a", ""):
        path = tmp_path / f"audio{suffix}"
        path.write_bytes(encode_audio(tone()))
        assert len(Audio.of(path).decode()) == 48_000


@pytest.mark.slow
def test_stereo_at_48_khz_is_converted_to_mono_at_16_khz() -> None:
    decoded = Audio.of(encode_audio(tone(channels=2))).decode(16_000)
    assert len(decoded) == pytest.approx(16_000, abs=1)
    assert decoded[400:15_600] == pytest.approx(tone(16_000)[400:15_600], abs=1e-2)


@settings(deadline=None, max_examples=60)
@given(st.integers(8_000, 96_000), st.integers(8_000, 96_000), st.integers(100, 20_000))
def test_resampling_keeps_the_duration(before: int, after: int, frames: int) -> None:
    decoded = Audio.of(np.zeros(frames, np.float32), rate=before).decode(after)
    assert len(decoded) == pytest.approx(frames * after / before, abs=1)


def test_downmixing_is_the_mean_of_the_channels() -> None:
    values = np.array([[1.0, 0.0, 0.5], [-1.0, -0.5, 0.0]], np.float32)
    assert Audio.of(values, rate=8_000).decode() == pytest.approx([0.5, -0.5])


def test_audio_of_a_video_is_decoded() -> None:
    assert Audio.of(encode_video(with_audio=True)).seconds == pytest.approx(1.0, abs=0.06)
    assert len(Audio.of(encode_video(with_audio=True)).decode()) == pytest.approx(48_000, abs=2_500)


@pytest.mark.parametrize(("container", "codec"), [("wav", "pcm_s16le"), ("flac", "flac"), ("mp3", "libmp3lame")])
def test_files_written_to_a_pipe_are_decoded_completely(container: str, codec: str) -> None:
    audio = Audio.of(encode_with_ffmpeg(tone(), container, codec, target=Pipe()))
    assert audio.seconds == pytest.approx(1.0, abs=0.05)
    assert len(audio.decode()) == audio.info().frames


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 0x7FFFF000, 0xFFFFFFFF])
def test_wav_header_with_unknown_size_is_accepted(size: int) -> None:
    complete = encode_audio(tone())
    content = complete[:40] + struct.pack("<I", size) + complete[44:]
    content = content[:4] + struct.pack("<I", 36 if size == 0 else size) + content[8:]
    assert Audio.of(content).decode() == pytest.approx(tone(), abs=1e-4)


def test_mp3_without_a_frame_count_is_decoded_completely() -> None:
    quiet_then_loud = np.random.default_rng(0).normal(0, 0.2, 480_000).astype(np.float32)
    quiet_then_loud[:240_000] *= 1e-4
    variable = {"flags": "+qscale", "global_quality": "200"}
    content = encode_with_ffmpeg(quiet_then_loud, "mp3", "libmp3lame", codec_options=variable, write_xing="0")
    assert Audio.of(content).seconds == pytest.approx(10.0, abs=0.06)
    assert len(Audio.of(content).decode()) == pytest.approx(480_000, abs=3_000)


def test_eight_threads_decode_the_same_as_one(tmp_path: Path) -> None:
    path = tmp_path / "noise.flac"
    noise = np.random.default_rng(1).normal(0, 0.1, (44_100, 2)).astype(np.float32)
    path.write_bytes(encode_audio(noise, 44_100, "FLAC"))
    clips = [Audio.of(path), Audio.of(encode_with_ffmpeg(tone(), "mp4", "aac"))] * 16
    with ThreadPoolExecutor(8) as pool:
        decoded = list(pool.map(lambda clip: clip.decode(16_000), clips))
    assert all(np.array_equal(values, clips[0].decode(16_000)) for values in decoded[::2])
    assert all(np.array_equal(values, clips[1].decode(16_000)) for values in decoded[1::2])


# --- slices -----------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["wav", "flac", "vorbis", "opus", "mp3", "aiff"]), st.floats(0, 0.9), st.floats(0.001, 1.5))
def test_slice_equals_the_slice_of_the_decoded_file(kind: str, start: float, length: float) -> None:
    values = np.random.default_rng(3).normal(0, 0.1, 48_000).astype(np.float32)
    content = encode_audio(values, 48_000, *SOUNDFILE_FORMATS[kind][:2])
    part = Audio.of(content, start=start, end=start + length)
    expected = Audio.of(content).decode()[round(start * 48_000) : round((start + length) * 48_000)]
    assert np.array_equal(part.decode(), expected)
    assert part.seconds == len(expected) / 48_000


def test_slice_of_an_mp3_is_exact() -> None:
    content = encode_audio(tone(44_100, 3.0), 44_100, "MP3")
    part = Audio.of(content, start=1.0, end=1.5).decode()
    assert np.array_equal(part, Audio.of(content).decode()[44_100:66_150])


def test_slice_of_an_m4a_is_exact() -> None:
    content = encode_with_ffmpeg(tone(), "mp4", "aac")
    part = Audio.of(content, start=0.25, end=0.5).decode()
    assert np.array_equal(part, Audio.of(content).decode()[12_000:24_000])


def test_slice_of_a_slice_is_relative_to_it_and_within_it() -> None:
    ramp = Audio.of(np.arange(1000, dtype=np.float32) / 1000, rate=100)
    outer = Audio.of(ramp, start=2, end=6)
    inner = Audio.of(outer, start=1, end=9)
    assert (inner.start, inner.end) == (3, 6)
    assert np.array_equal(inner.decode(), ramp.decode()[300:600])
    with pytest.raises(AudioError, match="starts at 0 s or later"):
        outer.segment(-1)


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (5.0, None, "starts at 5 s, but the audio lasts 1 s"),
        (-1.0, None, "starts at 0 s or later, not at -1.0 s"),
        (float("nan"), None, "starts at 0 s or later, not at nan s"),
        (0.5, 0.5, "must end after its start"),
        (0.5, 0.2, "must end after its start"),
        (0.5, 0.500001, "shorter than a sample"),
    ],
)
def test_empty_or_invalid_slice_is_rejected_when_used(wav: Path, start: float, end: float | None, message: str) -> None:
    for source in (wav, encode_with_ffmpeg(tone(), "flac", "flac", target=Pipe())):
        audio = Audio.of(source, start=start, end=end)
        with pytest.raises(AudioError, match=message):
            audio.decode()
        with pytest.raises(AudioError, match=message):
            _ = audio.seconds


# --- invalid files ----------------------------------------------------------------------


def first_half(content: bytes) -> bytes:
    return content[: len(content) // 2]


INVALID_FILES = {
    "an empty file": (b"", "is empty"),
    "a text file": (b"Not audio at all.\n" * 9, "is not an audio file of any known format\\.$"),
    "a playlist": (b"#EXTM3U\n#EXTINF:9,\nhttp://127.0.0.1:9/a.ts\n", "is not an audio file"),
    "one byte": (b"\xff", "is not an audio file"),
    "a header without audio": (encode_audio(tone()[:0]), "contains no audio"),
    "a truncated wav": (first_half(encode_audio(tone())), "is truncated: its header states 96,000 bytes"),
    "a truncated wav header": (encode_audio(tone())[:30], "damaged or truncated.*WAV"),
    "a truncated aiff": (first_half(encode_audio(tone(), container="AIFF")), "is truncated"),
    "a truncated flac": (first_half(encode_audio(tone(), container="FLAC")), "damaged or truncated"),
    "a truncated mp3": (first_half(encode_audio(tone(), container="MP3")), "truncated: its header states 1 s"),
    "a truncated ogg": (first_half(encode_audio(tone(), container="OGG")), "is truncated"),
    "a truncated m4a": (first_half(encode_with_ffmpeg(tone(), "mp4", "aac")), "is truncated"),
    "a truncated webm": (first_half(encode_with_ffmpeg(tone(), "webm", "libopus")), "is truncated"),
    "a truncated aac": (first_half(encode_with_ffmpeg(tone(), "adts", "aac")), "damaged or truncated"),
    "a video without audio": (encode_video(with_audio=False), r"has no audio stream \(it contains: video\)"),
    "not a number": (encode_audio(np.array([0, np.nan, 1], "f4"), subtype="FLOAT"), "1 samples.*NaN"),
    "infinity": (encode_audio(np.array([[0, np.inf]] * 2, "f4"), subtype="FLOAT"), "2 samples.*infinite"),
}


@pytest.mark.parametrize("kind", INVALID_FILES)
def test_invalid_file_is_rejected_by_name(kind: str, tmp_path: Path) -> None:
    content, message = INVALID_FILES[kind]
    path = tmp_path / "bad.wav"
    path.write_bytes(content)
    with pytest.raises(AudioError, match=message) as caught:
        Audio.of(path).decode(16_000)
    assert str(path) in str(caught.value)
    with pytest.raises(AudioError, match=message):
        Audio.of(content).decode(16_000)


def test_m4a_truncated_between_two_packets_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "tone.m4a"
    content = encode_with_ffmpeg(tone(), None, "aac", target=path, movflags="faststart")
    with av.open(io.BytesIO(content), "r") as container:
        positions = [packet.pos for packet in container.demux() if packet.size]
    with pytest.raises(AudioError, match="is truncated"):
        Audio.of(content[: positions[20]]).decode()


def test_audio_on_the_web_is_identified_by_its_address() -> None:
    audio = Audio.of("https://example.org/a.wav")
    assert audio.hash == Audio.of("https://example.org/a.wav").hash
    assert audio.hash != Audio.of("https://example.org/b.wav").hash
    assert audio.fetched() is audio
    assert audio.path is None


def test_unreadable_path_is_rejected(tmp_path: Path) -> None:
    for path, message in [
        (tmp_path / "none.wav", "none.wav does not exist"),
        (tmp_path, "is a directory"),
        ("nul\0l.wav", "cannot be opened"),
        ("unknown://bucket/a.wav", "unknown scheme 'unknown'"),
        (tmp_path / "x.tar#a.wav@0+10", "x.tar#a.wav@0.10 does not exist"),
        ("", "Neither a path nor data"),
    ]:
        audio = Audio.of(path)
        for use in (audio.decode, audio.info, lambda audio=audio: audio.hash):
            with pytest.raises(AudioError, match=message):
                use()


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from(["wav", "flac", "vorbis", "opus", "mp3", "aiff", "m4a", "webm"]),
    st.integers(0, 20_000),
    st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 255)), max_size=5),
)
def test_damaged_file_is_decoded_or_raises_audio_error(kind: str, cut: int, changes: list[tuple[int, int]]) -> None:
    content = bytearray(INTACT_FILES[kind])
    for position, value in changes:
        content[position % len(content)] = value
    audio = Audio.of(bytes(content[: len(content) - cut % len(content)]))
    for use in (audio.decode, audio.info):
        with suppress(AudioError):
            use()


INTACT_FILES = {
    kind: encode_audio(tone(seconds=0.2), 48_000, *SOUNDFILE_FORMATS[kind][:2])
    for kind in ("wav", "flac", "vorbis", "opus", "mp3", "aiff")
} | {kind: encode_with_ffmpeg(tone(seconds=0.2), *CONTAINER_FORMATS[kind]) for kind in ("m4a", "webm")}


def test_audio_too_short_for_the_rate_is_rejected() -> None:
    with pytest.raises(AudioError, match="1 samples at 48000 Hz are too short for 8000 Hz"):
        Audio.of([0.5], rate=48_000).decode(8_000)


@pytest.mark.parametrize("rate", [0, -16_000])
def test_rate_must_be_above_zero(rate: int) -> None:
    with pytest.raises(AudioError, match="above zero"):
        Audio.of([0.5], rate=16_000).decode(rate)
    with pytest.raises(AudioError, match="above zero"):
        Audio.of([0.5], rate=rate).decode()


# --- construction -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        (np.int16, [-32768, 16384], [-1.0, 0.5]),
        (np.int32, [-(2**31), 2**30], [-1.0, 0.5]),
        (np.int8, [-128, 64], [-1.0, 0.5]),
        (np.uint8, [0, 128, 192], [-1.0, 0.0, 0.5]),
        (np.float64, [-1.0, 0.5], [-1.0, 0.5]),
        (np.float16, [-1.0, 0.5], [-1.0, 0.5]),
    ],
)
def test_integer_arrays_are_scaled_to_one(dtype: Any, values: Any, expected: Any) -> None:
    decoded = Audio.of(np.array(values, dtype), rate=16_000).decode()
    assert decoded.dtype == np.float32
    assert decoded.tolist() == expected


def test_lists_and_hugging_face_values_are_accepted(wav: Path) -> None:
    stereo = np.array([[0.5, 0.5, 0.5], [0.0, 0.0, 0.0]], np.float32)
    decoder = SimpleNamespace(get_all_samples=lambda: SimpleNamespace(data=stereo, sample_rate=8_000))
    for value in (decoder, {"array": stereo, "sampling_rate": 8_000, "path": "a.wav"}):
        assert Audio.of(value).decode().tolist() == [0.25, 0.25, 0.25]
        assert Audio.of(value).info() == AudioInfo(8_000, 2, 3)
    assert Audio.of([1, 0, -1], rate=8_000).decode().tolist() == [1.0, 0.0, -1.0]
    assert Audio.of({"array": [0.5], "sampling_rate": 8_000, "path": None}).decode() == [0.5]
    assert Audio.of({"bytes": None, "path": str(wav)}) == Audio.of(wav)
    named = Audio.of({"bytes": wav.read_bytes(), "path": "shown.wav"})
    assert (named.uri, named.path, named.hash) == ("shown.wav", None, Audio.of(wav).hash)


@pytest.mark.parametrize(
    ("value", "rate", "message"),
    [
        (3.14, None, "Cannot create audio from float"),
        (None, None, "Cannot create audio from NoneType"),
        ([0.5], None, "needs its sample rate"),
        (["a"], 8_000, "must be numbers"),
        (np.zeros((2, 48_000)), 48_000, r"not \(2, 48000\); if channels come first, give array.T"),
        (np.zeros((2, 2, 2)), 48_000, "Audio is"),
        (np.zeros(9, np.int64), 48_000, "An array of int64 is not audio"),
        (np.zeros(9, bool), 48_000, "An array of bool is not audio"),
        ({"text": "hello"}, None, r"needs array, bytes or path; it has \['text'\]"),
    ],
)
def test_unsupported_value_is_rejected_at_once(value: object, rate: int | None, message: str) -> None:
    with pytest.raises(AudioError, match=message):
        Audio.of(value, rate=rate)


def test_empty_or_non_finite_array_is_rejected() -> None:
    with pytest.raises(AudioError, match="the array is empty"):
        Audio.of([], rate=8_000).decode()
    with pytest.raises(AudioError, match="2 samples that are NaN or infinite"):
        Audio.of([0.0, np.nan, np.inf], rate=8_000).decode()
    with pytest.raises(AudioError, match="needs its sample rate"):
        Audio(data=np.zeros(9, np.float32)).decode()


def test_mono_array_at_the_requested_rate_is_not_copied() -> None:
    values = tone()
    assert np.shares_memory(Audio.of(values, rate=48_000).decode(48_000), values)


def test_loaded_copy_keeps_name_path_hash_and_duration(wav: Path) -> None:
    part = Audio.of(wav, start=0.25, end=0.75)
    loaded = part.load(16_000)
    assert np.array_equal(loaded.decode(16_000), part.decode(16_000))
    assert isinstance(loaded.data, np.ndarray)
    assert np.shares_memory(loaded.decode(16_000), loaded.data)
    assert (loaded.uri, loaded.path, loaded.hash) == (str(wav), wav, part.hash)
    assert loaded.seconds == part.seconds == 0.5
    assert loaded.load(8_000).hash == part.hash
    assert loaded.segment(0.1, 0.2).hash == part.segment(0.1, 0.2).hash


def test_hash_depends_on_content_and_slice_but_not_on_the_path(wav: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.flac"
    copy.write_bytes(wav.read_bytes())
    same = {Audio.of(source).hash for source in (wav, copy, wav.read_bytes())}
    array = Audio.of(tone(), rate=48_000).hash
    different = {
        *same,
        array,
        Audio.of(tone(), rate=44_100).hash,
        Audio.of(wav, start=0.5).hash,
        Audio.of(wav, end=0.5).hash,
    }
    assert len(same) == 1
    assert len(different) == 5
    assert array == Audio.of(tone(), rate=48_000).hash
    assert all(len(digest) == 32 for digest in different)


def test_rewritten_file_has_another_hash(wav: Path) -> None:
    before = Audio.of(wav).hash
    wav.write_bytes(encode_audio(tone(pitch=441)))
    os.utime(wav, ns=(1, 1))
    assert Audio.of(wav).hash != before


def test_only_complete_files_can_be_used_as_paths(wav: Path) -> None:
    assert os.fspath(Audio.of(wav)) == str(wav)
    assert os.fspath(Audio.of(wav).load(8_000)) == str(wav)
    assert Audio.of(wav.as_uri()).path == wav
    for audio in (Audio.of(wav, start=0.5), Audio.of(wav.read_bytes()), Audio("s3://a/b.wav")):
        with pytest.raises(AudioError, match=r"use decode\(\)"):
            os.fspath(audio)


def test_audio_can_be_compared_hashed_and_pickled(wav: Path) -> None:
    audio = Audio.of(wav.read_bytes())
    assert repr(audio) == "Audio(uri='', start=0.0, end=None, rate=None)"
    assert pickle.loads(pickle.dumps(audio)).hash == audio.hash
    assert Audio.of(wav) == Audio.of(str(wav))
    assert len({Audio.of(wav), Audio.of(wav)}) == 1
    assert Audio.of(audio) is audio


@pytest.mark.parametrize(
    ("kind", "rate", "expected"),
    [
        ("wav", 96_000, 96_000),
        ("flac", 22_050, 22_050),
        ("mp3", 16_000, 16_000),
        ("mp3", 20_000, 22_050),
        ("mp3", 96_000, 48_000),
        ("opus", 8_000, 8_000),
        ("opus", 44_100, 48_000),
        ("opus", 96_000, 48_000),
    ],
)
def test_encoding_uses_a_rate_that_the_format_supports(kind: Format, rate: int, expected: int) -> None:
    encoded = Audio.of(Audio.of(encode_audio(tone(channels=2))).encode(kind, rate=rate))
    info = encoded.info()
    assert (info.rate, info.channels) == (expected, 1)
    assert info.frames == pytest.approx(expected, abs=1)
    assert encoded.decode(8_000)[400:7_600] == pytest.approx(tone(8_000)[400:7_600], abs=0.1)


def test_encoding_slices_clips_and_writes_16_bits() -> None:
    loud = Audio.of(np.full(16_000, 1.5, np.float32), rate=16_000, end=0.5)
    with soundfile.SoundFile(io.BytesIO(loud.encode())) as file:
        assert (file.subtype, file.samplerate, file.frames) == ("PCM_16", 16_000, 8_000)
        assert file.read().min() == pytest.approx(1.0, abs=1e-4)
    with pytest.raises(AudioError, match="choose one of wav, flac, mp3, opus"):
        loud.encode(cast("Format", "ogg"))


def test_channels_are_encoded_apart_on_request() -> None:
    values = np.stack([tone(8_000, 0.5), np.zeros(4_000, np.float32)], 1)
    encoded = Audio.of(Audio.of(values, rate=8_000).encode("flac", mono=False)).decode(mono=False)
    assert encoded == pytest.approx(values, abs=1e-4)


# --- images and videos ------------------------------------------------------------------


def test_images_and_videos_are_identified_by_content(tmp_path: Path) -> None:
    path = tmp_path / "image.dat"
    path.write_bytes(b"\x89PNG\r\n\x1a\n rest")
    image = Image.of(path)
    assert image.read() == path.read_bytes()
    assert (image.media_type, image.path) == ("image/png", path)
    assert image.hash == Image.of(path.read_bytes()).hash
    assert Image.of({"bytes": None, "path": str(path)}) == image == Image.of(image)
    assert Image("unknown.jpeg", b"???").media_type == "image/jpeg"
    assert Image.of(b"???").media_type == "application/octet-stream"
    assert Video.of(encode_video(with_audio=False)).media_type == "video/mp4"
    assert Video.of(encode_with_ffmpeg(tone(), "webm", "libopus")).media_type == "video/webm"


def test_hash_of_a_video_depends_on_its_slice() -> None:
    complete, part = Video("a", b"video"), Video("b", b"video", start=1.0, end=2.0)
    assert complete.hash == Video.of(b"video").hash
    assert complete.hash != part.hash
    with pytest.raises(SampleError, match="must end after its start"):
        _ = Video("a", b"video", start=2.0, end=1.0).hash


def test_slice_of_a_video_is_relative_to_the_slice_it_is_taken_from() -> None:
    part = Video.of("a.mp4", start=1.0, end=3.0)
    assert (part.start, part.end) == (1.0, 3.0)
    inner = Video.of(part, start=0.5, end=9.0)
    assert (inner.start, inner.end) == (1.5, 3.0)
    assert Video.of(part) is part


def test_images_and_videos_on_the_web_are_identified_by_their_address() -> None:
    address = "https://example.org/a.mp4"
    assert Video(address).hash == Video.of(address).hash != Video.of(address, end=2.0).hash
    assert Image("https://example.org/a.png").hash != Image("https://example.org/b.png").hash


def test_unreadable_image_is_a_sample_error(tmp_path: Path) -> None:
    for value, message in [
        (tmp_path / "none.png", "none.png does not exist"),
        (b"", "The image in memory is empty"),
        ("unknown://example.org/a.png", "unknown scheme 'unknown'"),
    ]:
        with pytest.raises(SampleError, match=message) as caught:
            Image.of(value).read()
        assert not isinstance(caught.value, AudioError)
    with pytest.raises(SampleError, match="Cannot create Video from int"):
        Video.of(3)


# --- resources and real recordings ------------------------------------------------------


def test_importing_audio_loads_no_library() -> None:
    code = (
        "import sys, auricle.media as a; a.Audio.of('a.wav', start=1); a.Audio.of({'path': 'a'});"
        "print([m for m in ('numpy', 'soundfile', 'soxr', 'av') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert result.stdout.strip() == b"[]"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files through /proc")
def test_files_are_closed_after_success_and_error(wav: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.wav"
    bad.write_bytes(b"not audio")
    Audio.of(wav).decode(16_000)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(20):
        Audio.of(wav).info()
        assert Audio.of(wav).decode().any()
        with pytest.raises(AudioError):
            Audio.of(bad).decode()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


@pytest.fixture(scope="module")
def recordings() -> list[Path]:
    files = sorted([*RECORDINGS.rglob("*.wav"), *RECORDINGS.rglob("*.flac")])
    if not files:
        pytest.skip("no recordings beside the repository (../shared/data)")
    return files[::8]


def test_real_recordings_decode_at_16_khz(recordings: list[Path]) -> None:
    for path in recordings:
        audio = Audio.of(path)
        decoded = audio.decode(16_000)
        assert len(decoded) == pytest.approx(audio.seconds * 16_000, abs=1)
        assert 0 < np.abs(decoded).max() <= 1.5


def test_named_pipe_is_rejected(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.wav"
    os.mkfifo(pipe)
    with pytest.raises(AudioError, match="not a regular file"):
        Audio(str(pipe)).decode()
    with pytest.raises(AudioError, match="not a regular file"):
        _ = Audio(str(pipe)).hash


@pytest.mark.parametrize("name", ["wav", "flac"])
def test_channels_are_kept_if_asked_for(name: Any) -> None:
    samples = np.stack([np.full(800, 0.25), np.full(800, -0.5)], axis=1).astype(np.float32)
    stereo = Audio.of(Audio.of(samples, rate=8_000).encode(name, mono=False)).decode(mono=False)
    assert np.abs(stereo - samples).max() < 1e-4
