"""Sounds as files that lose nothing and are cleared away."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.audio import Audio
from auricle.core.errors import SpecError
from auricle.interop.audio_files import AudioFiles


def test_sixteen_bits_are_kept_to_the_bit(tmp_path: Path) -> None:
    values = np.random.default_rng(0).integers(-32_768, 32_767, (800, 2), dtype=np.int16)
    soundfile.write(tmp_path / "a.wav", values, 44_100)
    with AudioFiles() as files:
        path = files.get_path(Audio.of((tmp_path / "a.wav").read_bytes()))
        found, rate = soundfile.read(path, dtype="int16")
        assert soundfile.info(path).subtype == "PCM_16"
    assert rate == 44_100
    assert np.array_equal(found, values)


def test_what_sixteen_bits_do_not_hold_is_written_as_floats() -> None:
    values = np.array([0.1, -1.5, 2.0, 0.3], np.float32)
    with AudioFiles() as files:
        found, _ = soundfile.read(files.get_path(Audio.of(values, rate=8_000)), dtype="float32")
    assert np.array_equal(found, values)


def test_a_file_within_the_crop_is_left_where_it_is(tone: Any) -> None:
    path = tone("a.wav", seconds=0.2)
    with AudioFiles(crop=0.2) as files:
        assert files.get_path(Audio.of(path)) == str(path)


def test_no_two_sounds_share_a_file_and_none_is_left(tone: Any) -> None:
    sound = Audio.of(tone("a.wav", seconds=0.2))
    with AudioFiles(crop=0.1) as files:
        paths = [Path(files.get_path(sound)) for _ in range(2)]
        assert len(set(paths)) == 2
        assert all(each.exists() for each in paths)
    assert not paths[0].parent.exists()


def test_nothing_is_left_where_the_model_raised(tone: Any) -> None:
    kept = []

    def stumble() -> None:
        with AudioFiles(crop=0.1) as files:
            kept.append(Path(files.get_path(Audio.of(tone("a.wav", seconds=0.2)))))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        stumble()
    assert not kept[0].exists()


def test_a_python_that_cannot_write_sounds_is_told_what_to_install(tone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Audio.of(tone("a.wav", seconds=0.2), end=0.1)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with AudioFiles() as files, pytest.raises(SpecError, match="pip install numpy soundfile soxr"):
        files.get_path(sound)
