"""The longest sound that is decoded."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from auricle import Audio
from auricle.audio.limits import DEFAULT_MAX_SECONDS, MAX_SECONDS_VARIABLE, check_length, limit_audio, max_audio_seconds
from auricle.core.errors import AudioError

MEMORY_SCRIPT = """
import resource, sys
from auricle.audio import Audio
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
@pytest.mark.parametrize(("hours", "allowed"), [(10, 100), (1, 450)])
def test_memory_is_bounded_by_the_limit_and_a_block(tmp_path: Path, hours: int, allowed: int) -> None:
    """An hour of stereo at 48 kHz takes 1.3 GB as float32; at 16 kHz and mono it takes 220 MB."""
    import soundfile

    path = tmp_path / "long.flac"
    with soundfile.SoundFile(path, "w", 48_000, 2, "PCM_16", format="FLAC") as file:
        silence = np.zeros((48_000 * 60, 2), np.float32)
        for _ in range(60 * hours):
            file.write(silence)
    script = [sys.executable, "-c", MEMORY_SCRIPT, str(path)]
    outcome, megabytes = subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines()
    assert ("lasts 36,000 s" in outcome) if hours == 10 else outcome == str(3600 * 16_000)
    assert int(megabytes) < allowed
