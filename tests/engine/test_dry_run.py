"""Tests of the checks of a run before it is started."""

from pathlib import Path
from typing import Any

import pytest

from auricle.engine.config import RunConfig
from auricle.engine.dry_run import CheckLine, check_config
from auricle.models.recognisers import Moonshine


def check(**fields: Any) -> list[CheckLine]:
    return list(check_config(RunConfig.from_fields(fields, "test"), sample_count=2))


def failures(lines: list[CheckLine]) -> list[str]:
    return [line.text for line in lines if line.passed is False]


def test_run_that_can_start_passes_every_check() -> None:
    lines = check(task="demo", model="echo")
    assert [line.passed for line in lines] == [True, True, True]
    assert lines[0].text == "demo × echo: 48 samples, asked with Respond"
    assert lines[1].text.startswith("2 of the first 2 rows are valid samples")


def test_folder_without_recordings_fails(tmp_path: Path) -> None:
    (text,) = failures(check(task="ravdess", model="fake-labels", task_args={"root": str(tmp_path)}))
    assert text.startswith("RAVDESS: No RAVDESS speech recordings in")


def test_model_that_does_not_suit_the_task_fails() -> None:
    (text,) = failures(check(task="demo", model="fake-reward"))
    assert "fake-reward" in text


def test_argument_that_is_missing_or_not_a_choice_fails() -> None:
    assert failures(check(task="demo", model="openai")) == ["openai: missing model. Set it with -M model=…"]
    wrong = failures(check(task="demo", model="openai", model_args={"audio_as": "tape", "model": "x"}))
    assert wrong == ["openai: audio_as must be input_audio or audio_url, not 'tape'."]


def test_setting_that_does_not_apply_fails() -> None:
    (text,) = failures(check(task="demo", model="echo", processes=2))
    assert "--processes does not apply" in text


def test_weights_that_would_be_downloaded_are_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    line = check(task="demo", model="faster-whisper", model_args={"model": "tiny"})[-1]
    assert line.passed is not True
    assert "not on this machine yet" in line.text or "not installed" in line.text


def test_missing_package_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    listing = type(Moonshine.listing)(extra="demo", packages=("no_such_package",), weights="package")
    monkeypatch.setattr(Moonshine, "listing", listing)
    assert failures(check(task="demo", model="moonshine")) == ["moonshine: not installed: pip install 'auricle[demo]'"]


def test_rows_that_cannot_be_read_are_named_once(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_text('{"audio": "a.wav", "text": "a"}\n{"audio": "b.wav", "text": "b"}\n')
    lines = failures(check(task=str(data), **{"as": "asr"}, model="echo"))
    verdict, *rows = lines
    assert verdict.startswith("0 of the first 2 rows are valid")
    assert [line.partition(":")[0] for line in rows] == ["rows.jsonl"] * 2
