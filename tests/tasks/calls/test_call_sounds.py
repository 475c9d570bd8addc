"""Sounds of callers that are no speech."""

from pathlib import Path

import numpy as np
import pytest

from auricle.media.perturbations.levels import measure_rms_level
from auricle.tasks.calls.call_sounds import SOUND_KINDS, make_sound


@pytest.mark.parametrize("kind", SOUND_KINDS)
def test_sounds_have_the_length_and_level_that_is_asked_for(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    audio = make_sound(kind, 0.4, -30.0)
    assert audio.seconds == pytest.approx(0.4)
    assert measure_rms_level(audio.decode()) == pytest.approx(-30, abs=0.1)
    again = make_sound(kind, 0.4, -30.0)
    assert again == audio
    audio.path.unlink()  # type: ignore[union-attr]
    assert np.array_equal(make_sound(kind, 0.4, -30.0).decode(), audio.decode())
