"""The folder in which a run was started."""

import os
from pathlib import Path

import pytest

from auricle.core.home_folder import home_folder, keep_home_folder


def test_relative_paths_are_meant_from_where_a_run_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with keep_home_folder():
        os.chdir("elsewhere")
        assert home_folder() == str(tmp_path)
    assert Path.cwd() == tmp_path
    assert home_folder() == ""


def test_a_folder_that_was_deleted_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with keep_home_folder():
        assert home_folder() == ""
