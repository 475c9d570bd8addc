"""Uploads: decoded in a process under limits; what is broken is a message."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.app import uploads
from auricle.app.decode_worker import check_limits
from auricle.app.uploads import decode_audio
from auricle.core.errors import AudioError


def test_a_sound_comes_back_mono_at_its_rate(tmp_path: Path) -> None:
    left = np.linspace(-0.5, 0.5, 800, dtype=np.float32)
    soundfile.write(tmp_path / "a.wav", np.stack([left, left], 1), 8000, subtype="FLOAT")
    found = decode_audio((tmp_path / "a.wav").read_bytes(), "a.wav")
    assert (found.rate, found.channels, found.seconds) == (8000, 2, 0.1)
    assert np.allclose(found.samples, left)
    assert found.audio.decode(8000).shape == (800,)


@pytest.mark.parametrize("content", [b"", b"not a sound"])
def test_what_is_no_sound_is_told(content: bytes) -> None:
    with pytest.raises(AudioError, match=r"evil\.wav"):
        decode_audio(content, "evil.wav")


def test_a_sound_that_is_too_long_is_refused(tone: Any) -> None:
    with pytest.raises(AudioError, match="3 s long; up to 2 s"):
        decode_audio(tone("a.wav", 3.0).read_bytes(), "a.wav", max_seconds=2.0)


def test_many_channels_at_a_high_rate_count_as_much_as_they_are() -> None:
    assert check_limits(500.0, 96_000, 600.0) == ""
    assert "768 million samples" in check_limits(500.0, 8 * 192_000, 600.0)


def test_a_decoder_that_takes_too_long_is_ended(tone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "DECODE_TIMEOUT", 0.01)
    with pytest.raises(AudioError, match="takes more than"):
        decode_audio(tone("a.wav").read_bytes(), "a.wav")
