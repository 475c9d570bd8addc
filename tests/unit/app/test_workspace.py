"""The shelf: which runs an app shows, and which files it may touch."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.app import workspace as shelves
from auricle.app.workspace import DEMO_AUDIO_FOLDER, Workspace
from auricle.core.errors import DataError, SpecError


def put(folder: Any, when: str = "2026-01-01T00:00:00+00:00", complete: bool = True, **spec: Any) -> Any:
    folder.mkdir(parents=True)
    held = {"identity": {}, "spec": {"task": "demo", "model": "echo", **spec}, "created": when}
    (folder / "spec.json").write_text(json.dumps(held))
    (folder / "progress.json").write_text(json.dumps({"complete": complete}))
    return folder


@pytest.fixture
def shelf(tmp_path: Path) -> Any:
    (tmp_path / "runs").mkdir()
    (tmp_path / "sounds").mkdir()
    return Workspace(tmp_path / "runs", (tmp_path / "sounds",))


def test_an_empty_or_missing_folder_has_no_entries(tmp_path: Path, shelf: Any) -> None:
    assert shelf.entries() == []
    assert Workspace(tmp_path / "nowhere").list_entries() == []


def test_runs_are_found_in_folders_of_folders_newest_first(shelf: Any) -> None:
    put(shelf.root / "old", when="2025-01-01")
    put(shelf.root / "demo" / "new", when="2026-01-01", model="moonshine", complete=False)
    new, old = shelf.entries()
    assert (new.name, new.model, new.task, new.finished) == ("demo/new", "moonshine", "demo", False)
    assert (old.name, old.kind, old.finished, old.reason) == ("old", "run", True, "")


def test_a_measurement_is_one_entry_whatever_its_points_hold(shelf: Any) -> None:
    folder = put(shelf.root / "load")
    (folder / "perf.json").write_text((folder / "spec.json").read_text())
    put(folder / "00-closed-8")
    (entry,) = shelf.entries()
    assert (entry.kind, entry.finished) == ("perf", False)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"spec": 3}', "\x00", '{"spec": {"model": '])
def test_a_broken_run_is_listed_with_a_reason(shelf: Any, content: str) -> None:
    put(shelf.root / "run")
    (shelf.root / "run" / "spec.json").write_text(content)
    (entry,) = shelf.entries()
    assert entry.reason


def test_names_that_are_no_words_are_left_empty(shelf: Any) -> None:
    put(shelf.root / "run", model=["x"], task={"a": 1})
    (entry,) = shelf.entries()
    assert (entry.model, entry.task) == ("", "")


def test_a_run_is_found_by_its_name(shelf: Any) -> None:
    folder = put(shelf.root / "demo" / "moonshine")
    assert shelf.run("demo/moonshine") == folder


@pytest.mark.parametrize("name", ["../sounds", "/etc", "", ".", "a/../../sounds", "x\0y"])
def test_a_name_that_leads_out_is_refused(shelf: Any, name: str) -> None:
    with pytest.raises(SpecError):
        shelf.run(name)


def test_a_link_out_of_the_folder_is_neither_listed_nor_opened(tmp_path: Path, shelf: Any) -> None:
    put(tmp_path / "elsewhere")
    (shelf.root / "link").symlink_to(tmp_path / "elsewhere")
    assert shelf.entries() == []
    with pytest.raises(SpecError, match="not in the runs folder"):
        shelf.run("link")


def test_a_run_whose_files_are_links_elsewhere_is_refused(tmp_path: Path, shelf: Any) -> None:
    folder = put(shelf.root / "run")
    (tmp_path / "secret").write_text("x")
    (folder / "outputs.jsonl").symlink_to(tmp_path / "secret")
    with pytest.raises(DataError, match=r"its outputs\.jsonl is a link elsewhere"):
        shelf.run("run")


def test_sounds_are_given_from_named_folders_runs_and_the_package_only(tmp_path: Path, shelf: Any) -> None:
    for place in (shelf.root, tmp_path / "sounds", tmp_path):
        (place / "a.wav").write_bytes(b"RIFF")
    assert shelf.sound(shelf.root / "a.wav") == shelf.root / "a.wav"
    assert shelf.sound(tmp_path / "sounds" / "a.wav")
    assert shelf.sound(DEMO_AUDIO_FOLDER / "s01-clean.opus")
    assert shelf.sound(tmp_path / "a.wav") is None
    assert shelf.sound(tmp_path / "sounds" / ".." / "a.wav") is None
    assert shelf.sound(tmp_path / "sounds" / "gone.wav") is None
    assert shelf.sound("\0") is None


def test_what_is_no_sound_is_not_given_as_one(shelf: Any) -> None:
    (shelf.root / "keys.txt").write_text("secret")
    assert shelf.sound(shelf.root / "keys.txt") is None


def test_a_link_to_a_sound_elsewhere_is_refused(tmp_path: Path, shelf: Any) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    (shelf.root / "b.wav").symlink_to(tmp_path / "a.wav")
    assert shelf.sound(shelf.root / "b.wav") is None


def test_another_process_makes_the_same_shelf_from_its_environment(monkeypatch: pytest.MonkeyPatch, shelf: Any) -> None:
    for name, value in shelves.workspace_environment(shelf).items():
        monkeypatch.setenv(name, value)
    found = shelves.current_workspace()
    assert (found.root, found.allowed_folders) == (shelf.root, shelf.allowed)
