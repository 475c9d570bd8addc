from pathlib import Path

import numpy as np
import pytest
import soundfile

from auricle.core.errors import DataError, SpecError
from auricle.media.sound_measures import estimate_activity
from auricle.perf.data.speech import RATE, SpeechPool, make_voice


def test_clip_has_exactly_the_requested_length() -> None:
    pool = SpeechPool([np.ones(100, np.float32), np.zeros(7, np.float32)])
    random = np.random.default_rng(1)
    for seconds in (0.001, 0.1, 1.5):
        assert len(pool.cut_clip(seconds, random).decode()) == round(seconds * RATE)


def test_clips_of_one_pool_differ() -> None:
    pool = SpeechPool([make_voice(3.0, np.random.default_rng(1))])
    random = np.random.default_rng(2)
    assert len({pool.cut_clip(1.0, random).hash for _ in range(20)}) == 20


def test_made_voice_resembles_speech() -> None:
    voice = make_voice(6.0, np.random.default_rng(1))
    assert len(voice) == 6 * RATE
    assert np.abs(voice).max() <= 1.0
    assert 0.3 < estimate_activity(voice, RATE) < 1.0  # with pauses
    power = np.abs(np.fft.rfft(voice)) ** 2
    frequencies = np.fft.rfftfreq(len(voice), 1 / RATE)
    assert power[(frequencies > 80) & (frequencies < 4000)].sum() > 0.8 * power.sum()


def test_pool_reads_the_recordings_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name, value in (("a.wav", 0.25), ("b/c.flac", 0.5)):
        soundfile.write(tmp_path / name, np.full(800, value), 8000)
    pool = SpeechPool.from_folder(tmp_path)
    assert [len(sound) for sound in pool.sounds] == [1600, 1600]  # resampled
    assert [float(sound[800]) for sound in pool.sounds] == pytest.approx([0.25, 0.5], abs=0.01)


def test_folder_without_recordings_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No recordings"):
        SpeechPool.from_folder(tmp_path)
    with pytest.raises(SpecError, match="is not a folder"):
        SpeechPool.from_folder(tmp_path / "missing")
