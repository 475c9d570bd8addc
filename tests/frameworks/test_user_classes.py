from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle.core.errors import SpecError, UnknownName
from auricle.frameworks.user_classes import (
    AudioFiles,
    check_arguments,
    create_adapter_class,
    display_name,
    split_class_path,
)
from auricle.media import Audio


class Adapter:
    class_path = ""


class Model:
    def __init__(self, size: int, name: str = "") -> None: ...


def test_a_class_path_has_a_module_and_a_class() -> None:
    assert split_class_path("kimi", "C:/a.py:My") == ("C:/a.py", "My")
    for invalid in ("", "My", ":My", "a.py:"):
        with pytest.raises(UnknownName, match=r"Expected kimi:package.module:Class or kimi:file.py:Class"):
            split_class_path("kimi", invalid)


def test_display_names_omit_folders() -> None:
    assert display_name("ser", "some/where/a.py:My") == "ser:a.py:My"
    assert display_name("ser", "pkg.mod:My") == "ser:pkg.mod:My"


def test_an_adapter_class_is_created_without_running_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("raise RuntimeError")
    adapter = create_adapter_class("kimi", f"{tmp_path}/a.py:My", Adapter, "a test")
    assert (adapter.__name__, adapter.class_path, adapter.__doc__) == ("My", f"{tmp_path}/a.py:My", "My, a test.")
    with pytest.raises(UnknownName, match=r"There is no file missing\.py"):
        create_adapter_class("kimi", "missing.py:My", Adapter, "a test")


def test_unknown_and_missing_arguments_are_rejected() -> None:
    check_arguments("model", Model, {"size": 1})
    with pytest.raises(SpecError, match=r"model: missing .*'size'\. Accepted arguments: root, size, name\."):
        check_arguments("model", Model, {}, ["root"])


def test_16_bit_audio_is_written_unchanged(tmp_path: Path) -> None:
    values = np.random.default_rng(0).integers(-32_768, 32_767, (800, 2), dtype=np.int16)
    soundfile.write(tmp_path / "a.wav", values, 44_100)
    with AudioFiles() as files:
        path = files.get_path(Audio.of((tmp_path / "a.wav").read_bytes()))
        written, rate = soundfile.read(path, dtype="int16")
        assert soundfile.info(path).subtype == "PCM_16"
    assert rate == 44_100
    assert np.array_equal(written, values)


def test_values_beyond_16_bits_are_written_as_floats() -> None:
    values = np.array([0.1, -1.5, 2.0, 0.3], np.float32)
    with AudioFiles() as files:
        written, _ = soundfile.read(files.get_path(Audio.of(values, rate=8_000)), dtype="float32")
    assert np.array_equal(written, values)


def test_a_file_within_the_crop_is_not_copied(tone: Any) -> None:
    path = tone("a.wav", seconds=0.2)
    with AudioFiles(crop=0.2) as files:
        assert files.get_path(Audio.of(path)) == str(path)


def test_temporary_files_are_distinct_and_deleted(tone: Any) -> None:
    audio = Audio.of(tone("a.wav", seconds=0.2))
    with AudioFiles(crop=0.1) as files:
        paths = [Path(files.get_path(audio)) for _ in range(2)]
        assert len(set(paths)) == 2
        assert all(path.exists() for path in paths)
    assert not paths[0].parent.exists()


def test_temporary_files_are_deleted_after_an_error(tone: Any) -> None:
    paths = []

    def fail() -> None:
        with AudioFiles(crop=0.1) as files:
            paths.append(Path(files.get_path(Audio.of(tone("a.wav", seconds=0.2)))))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not paths[0].exists()


def test_missing_packages_are_named_in_the_error(tone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    audio = Audio.of(tone("a.wav", seconds=0.2), end=0.1)
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with AudioFiles() as files, pytest.raises(SpecError, match="pip install numpy soundfile soxr"):
        files.get_path(audio)
