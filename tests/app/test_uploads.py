"""Tests of decoding uploads."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from auricle.app import uploads
from auricle.app.uploads import check_limits, decode_audio
from auricle.core.errors import AudioError

WriteTone = Callable[..., Path]


def test_audio_is_decoded_to_mono_at_its_own_rate(tmp_path: Path) -> None:
    left = np.linspace(-0.5, 0.5, 800, dtype=np.float32)
    soundfile.write(tmp_path / "a.wav", np.stack([left, left], 1), 8000, subtype="FLOAT")
    decoded = decode_audio((tmp_path / "a.wav").read_bytes(), "a.wav")
    assert (decoded.rate, decoded.channels, decoded.seconds) == (8000, 2, 0.1)
    assert np.allclose(decoded.samples, left)
    assert decoded.audio.decode(8000).shape == (800,)


@pytest.mark.parametrize("suffix", ["wav", "mp3", "flac"])
def test_common_formats_are_decoded(tmp_path: Path, suffix: str) -> None:
    wave = 0.3 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
    soundfile.write(tmp_path / f"a.{suffix}", wave, 16_000)
    decoded = decode_audio((tmp_path / f"a.{suffix}").read_bytes(), f"a.{suffix}")
    assert decoded.rate == 16_000
    assert decoded.seconds == pytest.approx(1.0, abs=0.1)
    assert np.abs(decoded.samples).max() == pytest.approx(0.3, abs=0.05)


@pytest.mark.parametrize("content", [b"", b"not audio"])
def test_error_for_other_content_names_the_file(content: bytes) -> None:
    with pytest.raises(AudioError, match=r"evil\.wav") as error:
        decode_audio(content, "evil.wav")
    assert "in memory" not in str(error.value)


def test_audio_that_is_too_long_is_rejected(tone: WriteTone) -> None:
    with pytest.raises(AudioError, match="3 s long; the maximum is 2 s"):
        decode_audio(tone("a.wav", 3.0).read_bytes(), "a.wav", max_seconds=2.0)


def test_decoder_is_stopped_after_the_timeout(tone: WriteTone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "DECODE_TIMEOUT", 0.01)
    with pytest.raises(AudioError, match=r"Decoding a\.wav took longer than"):
        decode_audio(tone("a.wav").read_bytes(), "a.wav")


# --- in the child process ------------------------------------------------------------


def decode(content: bytes, max_seconds: str = "10") -> tuple[dict[str, object], bytes]:
    command = [sys.executable, "-m", "auricle.app.uploads", max_seconds]
    output = subprocess.run(command, input=content, stdout=subprocess.PIPE, check=True).stdout
    header, _, samples = output.partition(b"\n")
    return json.loads(header), samples


def test_header_is_followed_by_float_samples(tone: Callable[..., Path]) -> None:
    header, samples = decode(tone("a.wav", 0.1).read_bytes())
    assert header == {"rate": 16_000, "channels": 1}
    assert len(samples) == 4 * 1600


def test_content_that_is_not_audio_gives_an_error() -> None:
    header, samples = decode(b"not audio")
    assert header.keys() == {"error"}
    assert samples == b""


def test_limits_count_the_samples_of_all_channels() -> None:
    assert check_limits(500.0, 96_000, 600.0) == ""
    assert "768 million samples" in check_limits(500.0, 8 * 192_000, 600.0)
