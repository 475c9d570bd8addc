"""The longest sound that is decoded."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from auricle import Audio
from auricle.core.audio_limit import (
    DEFAULT_MAX_SECONDS,
    MAX_SECONDS_VARIABLE,
    check_length,
    limit_audio,
    max_audio_seconds,
)
from auricle.core.errors import AudioError

MEMORY_SCRIPT = """
import resource, sys
from auricle.media import Audio
from auricle.core.errors import AudioError

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(len(Audio(sys.argv[1]).decode(16_000)))
except AudioError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_limit_is_two_hours_unless_it_is_set() -> None:
    assert max_audio_seconds() == DEFAULT_MAX_SECONDS == 7200.0
    with limit_audio(1.5):
        assert max_audio_seconds() == 1.5
        assert os.environ[MAX_SECONDS_VARIABLE] == "1.5"  # for worker processes
        with limit_audio(3.0):
            assert max_audio_seconds() == 3.0
        assert max_audio_seconds() == 1.5
    assert MAX_SECONDS_VARIABLE not in os.environ


def test_error_names_the_sound_the_limit_and_the_option() -> None:
    check_length(7200.0, "long.wav")
    with pytest.raises(AudioError) as error:
        check_length(36_000.0, "long.wav")
    assert str(error.value) == (
        "long.wav lasts 36,000 s or longer, more than the limit of 7,200 s per sound. "
        "Use a part of it with start and end, or raise the limit with --max-audio."
    )


def test_arrays_are_limited_too() -> None:
    audio = Audio.of(np.zeros(3000, np.float32), rate=1000)
    with limit_audio(2.0), pytest.raises(AudioError, match="lasts 3 s"):
        audio.decode()
    with limit_audio(2.0):
        assert len(audio.segment(0.5, 2.0).decode()) == 1500


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "expected", "allowed"), [(60.0, "lasts 720 s", 60), (720.0, str(720 * 16_000), 150)])
def test_memory_is_bounded_by_the_limit_and_a_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float, expected: str, allowed: int
) -> None:
    """Twelve minutes of stereo at 48 kHz take 276 MB as float32; at 16 kHz and mono they take 46 MB."""
    import soundfile

    path = tmp_path / "long.flac"
    with soundfile.SoundFile(path, "w", 48_000, 2, "PCM_16", format="FLAC") as file:
        silence = np.zeros((48_000 * 60, 2), np.float32)
        for _ in range(12):
            file.write(silence)
    monkeypatch.setenv(MAX_SECONDS_VARIABLE, str(limit))
    script = [sys.executable, "-c", MEMORY_SCRIPT, str(path)]
    outcome, megabytes = subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines()
    assert expected in outcome
    assert int(megabytes) < allowed
