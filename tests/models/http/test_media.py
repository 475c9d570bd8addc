"""Encoding of audio and images for requests."""

import io
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import soundfile

from auricle import Audio
from auricle.core.errors import AudioError, SampleError, SpecError
from auricle.media import Image
from auricle.models.http.media import AudioEncoder, read_media_file

WAVE = np.sin(np.arange(16_000) / 10).astype(np.float32) / 3


def written(path: Any, format_: str = "wav", rate: int = 16_000) -> Any:
    path.write_bytes(Audio.of(WAVE, rate=rate).encode(cast(Any, format_)))
    return path


@pytest.mark.parametrize("format_", ["wav", "mp3"])
@pytest.mark.parametrize("rate", [16_000, 44_100])
def test_complete_wav_or_mp3_is_sent_unchanged(tmp_path: Path, format_: str, rate: int) -> None:
    path = written(tmp_path / f"a.{format_}", format_, rate)
    for sound in (Audio(str(path)), Audio(data=path.read_bytes())):
        sent = AudioEncoder()(sound)
        assert (sent.content, sent.format) == (path.read_bytes(), format_)


def test_file_with_a_wrong_suffix_is_encoded_again(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", "flac")
    sent = AudioEncoder()(Audio(str(path)))
    assert sent.format == "wav"
    assert sent.content[8:12] == b"WAVE"


def test_modified_array_is_encoded() -> None:
    sound = Audio.of({"array": WAVE, "sampling_rate": 16_000, "path": "gone.wav"})
    values, rate = soundfile.read(io.BytesIO(AudioEncoder()(sound).content))
    assert (len(values), rate) == (16_000, 16_000)


def test_decoded_copy_is_sent_at_its_own_rate(tmp_path: Path) -> None:
    sound = Audio(str(written(tmp_path / "a.wav"))).load(8000)
    assert soundfile.info(io.BytesIO(AudioEncoder()(sound).content)).samplerate == 8000


@pytest.mark.parametrize(
    ("format_", "media_type"),
    [("wav", "audio/wav"), ("mp3", "audio/mpeg"), ("flac", "audio/flac"), ("opus", "audio/ogg")],
)
def test_requested_format_is_encoded(tmp_path: Path, format_: str, media_type: str) -> None:
    other = "mp3" if format_ == "wav" else "wav"
    sent = AudioEncoder(cast(Any, format_))(Audio(str(written(tmp_path / f"a.{other}", other))))
    assert (sent.format, sent.media_type) == (format_, media_type)
    assert Audio(data=sent.content).seconds == pytest.approx(1.0, abs=0.1)


def test_matching_sample_rate_keeps_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav")
    assert AudioEncoder(rate=16_000)(Audio(str(path))).content == path.read_bytes()


def test_channels_are_mixed_only_when_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.stack([WAVE, WAVE], axis=1), 16_000)
    assert AudioEncoder()(Audio(str(path))).content == path.read_bytes()
    assert soundfile.info(io.BytesIO(AudioEncoder(rate=8000)(Audio(str(path))).content)).channels == 1


@pytest.mark.parametrize("name", ["missing.wav", "missing.mp3", "missing.flac"])
def test_missing_file_is_reported_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(AudioError, match=name):
        AudioEncoder()(Audio(str(tmp_path / name)))


@pytest.mark.parametrize("content", [b"", b"RIFF", b"ID3 and no sound", bytes(500)])
@pytest.mark.parametrize("suffix", ["wav", "mp3", "flac"])
def test_broken_file_is_reported_by_name(tmp_path: Path, suffix: str, content: Any) -> None:
    path = tmp_path / f"broken.{suffix}"
    path.write_bytes(content)
    with pytest.raises(AudioError, match=r"broken\."):
        AudioEncoder()(Audio(str(path)))


def test_size_limit_applies_to_the_encoded_audio(tmp_path: Path) -> None:
    sound = Audio(str(written(tmp_path / "a.wav")))
    with pytest.raises(AudioError, match=r"a\.wav has 0\.0 MB as wav"):
        AudioEncoder(max_megabytes=0.02)(sound)
    assert AudioEncoder("opus", max_megabytes=0.02)(sound).format == "opus"


def test_unknown_format_is_refused() -> None:
    with pytest.raises(SpecError, match="audio_format must be one of auto, wav"):
        AudioEncoder(cast(Any, "smoke"))


def test_too_large_image_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "big.png"
    path.write_bytes(bytes(20_000))
    with pytest.raises(SampleError, match=r"big\.png has 0\.0 MB.*max_megabytes"):
        read_media_file(Image(str(path)), 0.01)
