"""Epochs in a folder: what they begin with, and what they leave."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from auricle.runs.run_spec import OUTPUTS_FILE
from auricle.runs.shards import local_epochs
from auricle.runs.shards.local_epochs import LocalEpoch


def begin(root: Path, epoch: int, content: bytes = b"") -> Path:
    folder = LocalEpoch(root, 0, epoch).prepare()
    with (folder / OUTPUTS_FILE).open("ab") as file:
        file.write(content)
    return folder


def test_an_epoch_begins_with_the_lines_of_all_earlier_ones(tmp_path: Path) -> None:
    begin(tmp_path, 1, b"a\nb\nincompl")
    begin(tmp_path, 2, b"c\n")
    with (tmp_path / "shards/00000/1" / OUTPUTS_FILE).open("ab") as file:  # written late, by a suspended worker
        file.write(b"ete\nd\n")
    folder = begin(tmp_path, 3, b"e\n")
    assert (folder / OUTPUTS_FILE).read_bytes() == b"a\nb\nincomplete\nd\nc\ne\n"


def test_an_epoch_begins_with_the_latest_spec_and_with_all_media(tmp_path: Path) -> None:
    first = begin(tmp_path, 1)
    (first / "spec.json").write_text("1", encoding="utf-8")
    (first / "speech").mkdir()
    (first / "speech/a.wav").write_bytes(b"sound")
    second = begin(tmp_path, 2)
    (second / "spec.json").write_text("2", encoding="utf-8")
    (second / "scores.jsonl").write_text("derived", encoding="utf-8")
    third = begin(tmp_path, 3)
    assert (third / "spec.json").read_text(encoding="utf-8") == "2"
    assert (third / "speech/a.wav").read_bytes() == b"sound"
    assert not (third / "scores.jsonl").exists()


def test_the_first_epoch_is_empty(tmp_path: Path) -> None:
    assert [*LocalEpoch(tmp_path, 0, 1).prepare().iterdir()] == []


def fail(*_: object) -> None:
    raise KeyboardInterrupt


def refuse(*_: object) -> None:
    raise PermissionError


@pytest.mark.parametrize("step", ["_unite_lines", "_link_files", "fsync_folder"])
def test_a_killed_restore_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    begin(tmp_path, 1, b"a\nb\n")
    with monkeypatch.context() as patch:
        patch.setattr(local_epochs, step, fail)
        with pytest.raises(KeyboardInterrupt):
            LocalEpoch(tmp_path, 0, 2).prepare()
    assert (begin(tmp_path, 3) / OUTPUTS_FILE).read_bytes() == b"a\nb\n"


@pytest.mark.parametrize("link", [refuse, os.link])
def test_media_are_copied_where_links_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: Callable[..., None]
) -> None:
    first = begin(tmp_path, 1)
    (first / "calls").mkdir()
    (first / "calls/a.flac").write_bytes(b"call")
    monkeypatch.setattr(os, "link", link)
    assert (begin(tmp_path, 2) / "calls/a.flac").read_bytes() == b"call"


def test_a_finished_epoch_names_its_files(tmp_path: Path) -> None:
    epoch = LocalEpoch(tmp_path, 0, 1)
    folder = epoch.prepare()
    (folder / OUTPUTS_FILE).write_bytes(b"a\n")
    (folder / ".lock").touch()
    epoch.flush()
    (file,) = epoch.finish()
    epoch.close(is_stored=True)
    assert (file.name, file.size, file.pieces) == (OUTPUTS_FILE, 2, (f"shards/00000/1/{OUTPUTS_FILE}",))
    assert folder.is_dir()


def test_lines_that_only_other_epochs_have_are_unused(tmp_path: Path) -> None:
    begin(tmp_path, 1, b"a\nb\n")
    epoch = LocalEpoch(tmp_path, 0, 2)
    epoch.prepare()
    assert epoch.count_unused_lines() == 0
    with (tmp_path / "shards/00000/1" / OUTPUTS_FILE).open("ab") as file:
        file.write(b"c\nd\n")
    begin(tmp_path, 3, b"e\n")  # which begins with all lines
    assert epoch.count_unused_lines() == 3
