"""Sounds, pictures and films: what is read, what is refused, and in which words."""

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
from typing import Any

import av
import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from auricle.audio.media import Audio, AudioInfo, Image, Video
from auricle.core.errors import AudioError, SampleError
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
    """A place to write to that cannot go back and mend a header."""

    def __init__(self) -> None:
        self.written = bytearray()

    def writable(self) -> Any:
        return True

    def write(self, data: Any) -> Any:
        self.written += data
        return len(data)

    def getvalue(self) -> Any:
        return bytes(self.written)


def tone(rate: int = 48_000, seconds: float = 1.0, channels: int = 1, pitch: float = 440.0) -> Any:
    wave = 0.4 * np.sin(2 * np.pi * pitch * np.arange(round(rate * seconds)) / rate)
    return (wave if channels == 1 else np.stack([wave] * channels, 1)).astype(np.float32)


def written(values: Any, rate: int = 48_000, container: str = "WAV", subtype: Any = None) -> Any:
    buffer = io.BytesIO()
    soundfile.write(buffer, values, rate, format=container, subtype=subtype)
    return buffer.getvalue()


def muxed(
    values: Any,
    container: Any,
    codec: Any,
    *,
    target: Any = None,
    rate: int = 48_000,
    codec_options: Any = None,
    **options: Any,
) -> Any:
    """A mono sound as FFmpeg writes it, to a pipe if that is the target."""
    target = target or io.BytesIO()
    with av.open(target, "w", format=container, options=options) as output:
        stream = output.add_stream(codec, rate=rate, options=codec_options or {"b": "128000"})
        stream.layout = "mono"
        stream.codec_context.open()
        frame = av.AudioFrame.from_ndarray(values[None], format="fltp", layout="mono")
        frame.rate = rate
        framed = av.AudioResampler(
            format=stream.codec_context.format,
            layout="mono",
            rate=rate,
            frame_size=stream.codec_context.frame_size or 1024,
        )
        for part in [*framed.resample(frame), *framed.resample(None), None]:
            output.mux(stream.encode(part))
    return target.read_bytes() if isinstance(target, Path) else target.getvalue()


def filmed(*, sound: Any) -> Any:
    """A one-second film, with or without sound."""
    target = io.BytesIO()
    with av.open(target, "w", format="mp4") as output:
        video = output.add_stream("mpeg4", rate=10)
        video.width = video.height = 64
        video.pix_fmt = "yuv420p"
        audio = output.add_stream("aac", rate=48_000, layout="mono") if sound else None
        picture = np.zeros((64, 64, 3), np.uint8)
        for part in [av.VideoFrame.from_ndarray(picture, format="rgb24") for _ in range(10)] + [None]:
            output.mux(video.encode(part))
        if audio is not None:
            frame = av.AudioFrame.from_ndarray(tone()[None], format="fltp", layout="mono")
            frame.rate = 48_000
            for part in (frame, None):
                output.mux(audio.encode(part))
    return target.getvalue()


@pytest.fixture
def wav(tmp_path: Path) -> Any:
    path = tmp_path / "tone.wav"
    path.write_bytes(written(tone()))
    return path


# What is read


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("kind", SOUNDFILE_FORMATS)
def test_a_sound_comes_back_from_every_format_soundfile_reads(kind: Any, channels: int, tmp_path: Path) -> None:
    container, subtype, tolerance = SOUNDFILE_FORMATS[kind]
    content = written(tone(channels=channels), 48_000, container, subtype)
    path = tmp_path / "sound.bin"
    path.write_bytes(content)

    for audio in (Audio.of(path), Audio.of(content)):
        decoded = audio.decode(mono=False)
        assert audio.info() == AudioInfo(48_000, channels, 48_000)
        assert decoded.dtype == np.float32
        assert decoded.shape == (48_000, channels)
        assert np.abs(audio.decode() - tone())[1000:-1000].max() < tolerance


@pytest.mark.parametrize("kind", CONTAINER_FORMATS)
def test_a_sound_comes_back_from_every_format_only_ffmpeg_reads(kind: Any, tmp_path: Path) -> None:
    content = muxed(tone(), *CONTAINER_FORMATS[kind])
    path = tmp_path / "sound.wav"
    path.write_bytes(content)

    for audio in (Audio.of(path), Audio.of(content)):
        decoded = audio.decode()
        assert audio.info().rate == 48_000
        assert audio.seconds == pytest.approx(1.0, abs=0.06)
        assert len(decoded) == pytest.approx(48_000, abs=0.06 * 48_000)
        assert np.sqrt(np.mean(decoded[5000:-5000] ** 2)) == pytest.approx(0.4 / 2**0.5, rel=0.03)


@pytest.mark.parametrize("rate", [8_000, 11_025, 44_100, 96_000, 192_000])
@pytest.mark.parametrize("channels", [3, 6, 8])
def test_many_channels_and_rates_are_read(rate: int, channels: int) -> None:
    audio = Audio.of(written(tone(rate, 0.1, channels), rate))
    assert audio.info() == AudioInfo(rate, channels, rate // 10)
    assert audio.decode() == pytest.approx(tone(rate, 0.1), abs=1e-4)


@settings(deadline=None, max_examples=60)
@given(
    rate=st.integers(8_000, 192_000),
    channels=st.integers(1, 8),
    frames=st.integers(1, 3_000),
    subtype=st.sampled_from(["PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"]),
    container=st.sampled_from(["WAV", "WAVEX", "AIFF"]),
    seed=st.integers(0, 99),
)
def test_any_uncompressed_sound_comes_back_to_the_bit_depth(
    rate: Any, channels: Any, frames: Any, subtype: Any, container: Any, seed: Any
) -> None:
    values = np.random.default_rng(seed).uniform(-0.99, 0.99, (frames, channels)).astype("f4")
    audio = Audio.of(written(values, rate, container, subtype))
    assert audio.info() == AudioInfo(rate, channels, frames)
    assert np.abs(audio.decode(mono=False) - values).max() <= 2**-15


def test_content_counts_and_the_suffix_does_not(tmp_path: Path) -> None:
    for suffix in (".mp3", ".raw", ".m4a", ""):
        path = tmp_path / f"sound{suffix}"
        path.write_bytes(written(tone()))
        assert len(Audio.of(path).decode()) == 48_000


def test_stereo_at_48_khz_becomes_the_same_tone_in_mono_at_16_khz() -> None:
    decoded = Audio.of(written(tone(channels=2))).decode(16_000)
    assert len(decoded) == pytest.approx(16_000, abs=1)
    assert decoded[400:15_600] == pytest.approx(tone(16_000)[400:15_600], abs=1e-2)


@settings(deadline=None, max_examples=60)
@given(st.integers(8_000, 96_000), st.integers(8_000, 96_000), st.integers(100, 20_000))
def test_resampling_keeps_the_length_in_seconds(before: Any, after: Any, frames: Any) -> None:
    decoded = Audio.of(np.zeros(frames, np.float32), rate=before).decode(after)
    assert len(decoded) == pytest.approx(frames * after / before, abs=1)


def test_downmixing_is_the_mean_of_the_channels() -> None:
    values = np.array([[1.0, 0.0, 0.5], [-1.0, -0.5, 0.0]], np.float32)
    assert Audio.of(values, rate=8_000).decode() == pytest.approx([0.5, -0.5])


def test_a_film_with_sound_gives_its_sound() -> None:
    assert Audio.of(filmed(sound=True)).seconds == pytest.approx(1.0, abs=0.06)
    assert len(Audio.of(filmed(sound=True)).decode()) == pytest.approx(48_000, abs=2_500)


@pytest.mark.parametrize(("container", "codec"), [("wav", "pcm_s16le"), ("flac", "flac"), ("mp3", "libmp3lame")])
def test_files_written_to_a_pipe_are_read_to_their_end(container: str, codec: str) -> None:
    audio = Audio.of(muxed(tone(), container, codec, target=Pipe()))
    assert audio.seconds == pytest.approx(1.0, abs=0.05)
    assert len(audio.decode()) == audio.info().frames


@pytest.mark.parametrize("size", [0, 0x7FFFF000, 0xFFFFFFFF])
def test_a_wav_header_that_was_never_finished_is_forgiven(size: int) -> None:
    whole = written(tone())
    content = whole[:40] + struct.pack("<I", size) + whole[44:]
    content = content[:4] + struct.pack("<I", 36 if size == 0 else size) + content[8:]
    assert Audio.of(content).decode() == pytest.approx(tone(), abs=1e-4)


def test_an_mp3_without_a_frame_count_is_not_cut_by_a_wrong_guess() -> None:
    quiet_then_loud = np.random.default_rng(0).normal(0, 0.2, 480_000).astype(np.float32)
    quiet_then_loud[:240_000] *= 1e-4
    variable = {"flags": "+qscale", "global_quality": "200"}
    content = muxed(quiet_then_loud, "mp3", "libmp3lame", codec_options=variable, write_xing="0")
    assert Audio.of(content).seconds == pytest.approx(10.0, abs=0.06)
    assert len(Audio.of(content).decode()) == pytest.approx(480_000, abs=3_000)


def test_eight_threads_decode_what_one_does(tmp_path: Path) -> None:
    path = tmp_path / "noise.flac"
    noise = np.random.default_rng(1).normal(0, 0.1, (44_100, 2)).astype(np.float32)
    path.write_bytes(written(noise, 44_100, "FLAC"))
    sounds = [Audio.of(path), Audio.of(muxed(tone(), "mp4", "aac"))] * 16
    with ThreadPoolExecutor(8) as pool:
        decoded = list(pool.map(lambda sound: sound.decode(16_000), sounds))
    assert all(np.array_equal(one, sounds[0].decode(16_000)) for one in decoded[::2])
    assert all(np.array_equal(one, sounds[1].decode(16_000)) for one in decoded[1::2])


# Slices


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["wav", "flac", "vorbis", "opus", "mp3", "aiff"]), st.floats(0, 0.9), st.floats(0.001, 1.5))
def test_any_slice_is_the_slice_of_the_whole(kind: Any, start: Any, length: Any) -> None:
    values = np.random.default_rng(3).normal(0, 0.1, 48_000).astype(np.float32)
    content = written(values, 48_000, *SOUNDFILE_FORMATS[kind][:2])
    part = Audio.of(content, start=start, end=start + length)
    expected = Audio.of(content).decode()[round(start * 48_000) : round((start + length) * 48_000)]
    assert np.array_equal(part.decode(), expected)
    assert part.seconds == len(expected) / 48_000


def test_a_slice_of_a_tone_in_mp3_begins_where_it_should() -> None:
    content = written(tone(44_100, 3.0), 44_100, "MP3")
    part = Audio.of(content, start=1.0, end=1.5).decode()
    assert np.array_equal(part, Audio.of(content).decode()[44_100:66_150])


def test_a_slice_of_m4a_is_the_slice_of_the_whole() -> None:
    content = muxed(tone(), "mp4", "aac")
    part = Audio.of(content, start=0.25, end=0.5).decode()
    assert np.array_equal(part, Audio.of(content).decode()[12_000:24_000])


def test_a_slice_of_a_slice_counts_from_the_outer_start_and_stays_inside() -> None:
    ramp = Audio.of(np.arange(1000, dtype=np.float32) / 1000, rate=100)
    outer = Audio.of(ramp, start=2, end=6)
    inner = Audio.of(outer, start=1, end=9)
    assert (inner.start, inner.end) == (3, 6)
    assert np.array_equal(inner.decode(), ramp.decode()[300:600])
    with pytest.raises(AudioError, match="starts at 0 s or later"):
        outer.segment(-1)


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (5.0, None, "starts at 5 s, but the sound lasts 1 s"),
        (-1.0, None, "starts at 0 s or later, not at -1.0 s"),
        (float("nan"), None, "starts at 0 s or later, not at nan s"),
        (0.5, 0.5, "must end after its start"),
        (0.5, 0.2, "must end after its start"),
        (0.5, 0.500001, "shorter than a sample"),
    ],
)
def test_a_slice_that_holds_no_sound_is_refused_when_used(wav: Any, start: Any, end: float | None, words: str) -> None:
    for source in (wav, muxed(tone(), "flac", "flac", target=Pipe())):
        audio = Audio.of(source, start=start, end=end)
        with pytest.raises(AudioError, match=words):
            audio.decode()
        with pytest.raises(AudioError, match=words):
            _ = audio.seconds


# What is refused


def with_data_cut(content: Any) -> Any:
    return content[: len(content) // 2]


BAD = {
    "an empty file": (b"", "is empty"),
    "a text file": (b"Not a sound at all.\n" * 9, "is not a sound file.*begins with b'Not a sound"),
    "a playlist": (b"#EXTM3U\n#EXTINF:9,\nhttp://127.0.0.1:9/a.ts\n", "is not a sound file"),
    "one byte": (b"\xff", "is not a sound file"),
    "a header without sound": (written(tone()[:0]), "holds no sound"),
    "a cut wav": (with_data_cut(written(tone())), "is cut short: it promises 96,000 bytes"),
    "a cut wav header": (written(tone())[:30], "damaged or cut short.*WAV"),
    "a cut aiff": (with_data_cut(written(tone(), container="AIFF")), "is cut short"),
    "a cut flac": (with_data_cut(written(tone(), container="FLAC")), "damaged or cut short"),
    "a cut mp3": (with_data_cut(written(tone(), container="MP3")), "cut short: it promises 1 s"),
    "a cut ogg": (with_data_cut(written(tone(), container="OGG")), "is cut short"),
    "a cut m4a": (with_data_cut(muxed(tone(), "mp4", "aac")), "is cut short"),
    "a cut webm": (with_data_cut(muxed(tone(), "webm", "libopus")), "is cut short"),
    "a cut aac": (with_data_cut(muxed(tone(), "adts", "aac")), "damaged or cut short"),
    "a film without sound": (filmed(sound=False), r"has no audio stream \(it holds: video\)"),
    "not a number": (written(np.array([0, np.nan, 1], "f4"), subtype="FLOAT"), "1 samples.*NaN"),
    "infinity": (written(np.array([[0, np.inf]] * 2, "f4"), subtype="FLOAT"), "2 samples.*infinite"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_sound_is_refused_by_name_and_in_words(kind: Any, tmp_path: Path) -> None:
    content, words = BAD[kind]
    path = tmp_path / "bad.wav"
    path.write_bytes(content)
    with pytest.raises(AudioError, match=words) as caught:
        Audio.of(path).decode(16_000)
    assert str(path) in str(caught.value)
    with pytest.raises(AudioError, match=words):
        Audio.of(content).decode(16_000)


def test_an_m4a_cut_between_two_packets_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tone.m4a"
    content = muxed(tone(), None, "aac", target=path, movflags="faststart")
    with av.open(io.BytesIO(content)) as container:
        places = [packet.pos for packet in container.demux() if packet.size]
    with pytest.raises(AudioError, match="is cut short"):
        Audio.of(content[: places[20]]).decode()


def test_a_sound_at_an_address_is_known_by_it_and_not_decoded() -> None:
    audio = Audio.of("https://example.org/a.wav")
    assert audio.hash == Audio.of("https://example.org/a.wav").hash
    assert audio.hash != Audio.of("https://example.org/b.wav").hash
    for use in (audio.decode, audio.info):
        with pytest.raises(AudioError, match="download it first"):
            use()


def test_what_is_not_a_readable_file_is_refused_in_words(tmp_path: Path) -> None:
    for path, words in [
        (tmp_path / "none.wav", "none.wav does not exist"),
        (tmp_path, "is a directory"),
        ("nul\0l.wav", "cannot be opened"),
        ("s3://bucket/a.wav", "download it first"),
        ("", "Neither a path nor data"),
    ]:
        audio = Audio.of(path)
        for use in (audio.decode, audio.info, lambda audio=audio: audio.hash):
            with pytest.raises(AudioError, match=words):
                use()


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from(["wav", "flac", "vorbis", "opus", "mp3", "aiff", "m4a", "webm"]),
    st.integers(0, 20_000),
    st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 255)), max_size=5),
)
def test_damage_of_any_kind_is_an_audio_error_or_still_sound(kind: Any, cut: Any, changes: Any) -> None:
    content = bytearray(DAMAGED[kind])
    for place, value in changes:
        content[place % len(content)] = value
    audio = Audio.of(bytes(content[: len(content) - cut % len(content)]))
    for use in (audio.decode, audio.info):
        with suppress(AudioError):
            use()


DAMAGED = {
    kind: written(tone(seconds=0.2), 48_000, *SOUNDFILE_FORMATS[kind][:2])
    for kind in ("wav", "flac", "vorbis", "opus", "mp3", "aiff")
} | {kind: muxed(tone(seconds=0.2), *CONTAINER_FORMATS[kind]) for kind in ("m4a", "webm")}


def test_too_short_for_the_rate_is_refused() -> None:
    with pytest.raises(AudioError, match="1 samples at 48000 Hz are none at 8000 Hz"):
        Audio.of([0.5], rate=48_000).decode(8_000)


@pytest.mark.parametrize("rate", [0, -16_000])
def test_a_rate_must_be_above_zero(rate: int) -> None:
    with pytest.raises(AudioError, match="above zero"):
        Audio.of([0.5], rate=16_000).decode(rate)
    with pytest.raises(AudioError, match="above zero"):
        Audio.of([0.5], rate=rate).decode()


# What an Audio is made of


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


def test_lists_and_hugging_face_values_become_sounds(wav: Any) -> None:
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
    ("value", "rate", "words"),
    [
        (3.14, None, "Cannot make a sound of float"),
        (None, None, "Cannot make a sound of NoneType"),
        ([0.5], None, "needs its sample rate"),
        (["a"], 8_000, "not all numbers"),
        (np.zeros((2, 48_000)), 48_000, r"not \(2, 48000\); if channels come first, give array.T"),
        (np.zeros((2, 2, 2)), 48_000, "A sound is"),
        (np.zeros(9, np.int64), 48_000, "An array of int64 is not sound"),
        (np.zeros(9, bool), 48_000, "An array of bool is not sound"),
        ({"text": "hello"}, None, r"needs array, bytes or path; found \['text'\]"),
    ],
)
def test_what_is_not_a_sound_is_refused_at_once(value: Any, rate: int | None, words: str) -> None:
    with pytest.raises(AudioError, match=words):
        Audio.of(value, rate=rate)


def test_an_empty_or_unreal_array_is_refused() -> None:
    with pytest.raises(AudioError, match="the array is empty"):
        Audio.of([], rate=8_000).decode()
    with pytest.raises(AudioError, match="2 samples that are NaN or infinite"):
        Audio.of([0.0, np.nan, np.inf], rate=8_000).decode()
    with pytest.raises(AudioError, match="needs its sample rate"):
        Audio(data=np.zeros(9, np.float32)).decode()


def test_a_mono_array_at_the_rate_wanted_is_not_copied() -> None:
    values = tone()
    assert np.shares_memory(Audio.of(values, rate=48_000).decode(48_000), values)


def test_a_loaded_copy_keeps_name_path_hash_and_length(wav: Any) -> None:
    part = Audio.of(wav, start=0.25, end=0.75)
    loaded = part.load(16_000)
    assert np.array_equal(loaded.decode(16_000), part.decode(16_000))
    assert np.shares_memory(loaded.decode(16_000), loaded.data)
    assert (loaded.uri, loaded.path, loaded.hash) == (str(wav), wav, part.hash)
    assert loaded.seconds == part.seconds == 0.5
    assert loaded.load(8_000).hash == part.hash
    assert loaded.segment(0.1, 0.2).hash == part.segment(0.1, 0.2).hash


def test_the_hash_follows_content_and_slice_and_not_the_path(wav: Any, tmp_path: Path) -> None:
    copy = tmp_path / "copy.flac"
    copy.write_bytes(wav.read_bytes())
    same = {Audio.of(sound).hash for sound in (wav, copy, wav.read_bytes())}
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


def test_a_file_written_anew_has_another_hash(wav: Any) -> None:
    before = Audio.of(wav).hash
    wav.write_bytes(written(tone(pitch=441)))
    os.utime(wav, ns=(1, 1))
    assert Audio.of(wav).hash != before


def test_whole_files_are_paths_and_others_say_what_to_use(wav: Any) -> None:
    assert os.fspath(Audio.of(wav)) == str(wav)
    assert os.fspath(Audio.of(wav).load(8_000)) == str(wav)
    assert Audio.of(wav.as_uri()).path == wav
    for audio in (Audio.of(wav, start=0.5), Audio.of(wav.read_bytes()), Audio("s3://a/b.wav")):
        with pytest.raises(AudioError, match=r"use decode\(\)"):
            os.fspath(audio)


def test_audio_is_a_plain_value(wav: Any) -> None:
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
def test_encoding_keeps_the_sound_at_a_rate_the_format_knows(kind: str, rate: int, expected: int) -> None:
    again = Audio.of(Audio.of(written(tone(channels=2))).encode(kind, rate=rate))
    assert again.info() == AudioInfo(expected, 1, pytest.approx(expected, abs=1))
    assert again.decode(8_000)[400:7_600] == pytest.approx(tone(8_000)[400:7_600], abs=0.1)


def test_encoding_takes_the_slice_clips_and_writes_16_bits() -> None:
    loud = Audio.of(np.full(16_000, 1.5, np.float32), rate=16_000, end=0.5)
    with soundfile.SoundFile(io.BytesIO(loud.encode())) as file:
        assert (file.subtype, file.samplerate, file.frames) == ("PCM_16", 16_000, 8_000)
        assert file.read().min() == pytest.approx(1.0, abs=1e-4)
    with pytest.raises(AudioError, match="choose one of wav, flac, mp3, opus"):
        loud.encode("ogg")


# Pictures and films


def test_pictures_and_films_are_read_and_known_by_content(tmp_path: Path) -> None:
    path = tmp_path / "picture.dat"
    path.write_bytes(b"\x89PNG\r\n\x1a\n rest")
    image = Image.of(path)
    assert image.read() == path.read_bytes()
    assert (image.media_type, image.path) == ("image/png", path)
    assert image.hash == Image.of(path.read_bytes()).hash
    assert Image.of({"bytes": None, "path": str(path)}) == image == Image.of(image)
    assert Image("unknown.jpeg", b"???").media_type == "image/jpeg"
    assert Image.of(b"???").media_type == "application/octet-stream"
    assert Video.of(filmed(sound=False)).media_type == "video/mp4"
    assert Video.of(muxed(tone(), "webm", "libopus")).media_type == "video/webm"


def test_the_hash_of_a_film_follows_its_slice() -> None:
    whole, part = Video("a", b"film"), Video("b", b"film", start=1.0, end=2.0)
    assert whole.hash == Video.of(b"film").hash
    assert whole.hash != part.hash
    with pytest.raises(SampleError, match="must end after its start"):
        _ = Video("a", b"film", start=2.0, end=1.0).hash


def test_a_picture_that_cannot_be_read_is_a_sample_error_in_words(tmp_path: Path) -> None:
    for value, words in [
        (tmp_path / "none.png", "none.png does not exist"),
        (b"", "The image in memory is empty"),
        ("https://example.org/a.png", "download it first"),
    ]:
        with pytest.raises(SampleError, match=words) as caught:
            Image.of(value).read()
        assert not isinstance(caught.value, AudioError)
    with pytest.raises(SampleError, match="Cannot make Video of int"):
        Video.of(3)


# Cost and reality


def test_importing_audio_loads_nothing_heavy() -> None:
    code = (
        "import sys, auricle.audio as a; a.Audio.of('a.wav', start=1); a.Audio.of({'path': 'a'});"
        "print([m for m in ('numpy', 'soundfile', 'soxr', 'av') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert result.stdout.strip() == b"[]"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files through /proc")
def test_files_are_closed_whether_sound_or_not(wav: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.wav"
    bad.write_bytes(b"not a sound")
    Audio.of(wav).decode(16_000)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(20):
        Audio.of(wav).info()
        assert Audio.of(wav).decode().any()
        with pytest.raises(AudioError):
            Audio.of(bad).decode()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


@pytest.fixture(scope="module")
def recordings() -> Any:
    found = sorted([*RECORDINGS.rglob("*.wav"), *RECORDINGS.rglob("*.flac")])
    if not found:
        pytest.skip("no recordings beside the repository (../shared/data)")
    return found[::8]


def test_real_recordings_decode_at_16_khz(recordings: Any) -> None:
    for path in recordings:
        audio = Audio.of(path)
        decoded = audio.decode(16_000)
        assert len(decoded) == pytest.approx(audio.seconds * 16_000, abs=1)
        assert 0 < np.abs(decoded).max() <= 1.5


def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.wav"
    os.mkfifo(pipe)
    with pytest.raises(AudioError, match="not a regular file"):
        Audio(str(pipe)).decode()
    with pytest.raises(AudioError, match="not a regular file"):
        _ = Audio(str(pipe)).hash
