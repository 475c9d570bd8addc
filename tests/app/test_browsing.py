"""Tests of what pickers list."""

from pathlib import Path

import pytest

from auricle.app import browsing
from auricle.app.browsing import find_parent, list_folder, list_roots, resolve_folder
from auricle.app.workspace import Workspace


@pytest.fixture
def corpus(workspace: Workspace) -> Path:
    folder = workspace.allowed_folders[0]
    for name in ("Actor_02", "actor_01", ".hidden"):
        (folder / name).mkdir()
    for name in ("a.wav", "b.WAV", "data.jsonl", "notes.txt", ".secret.jsonl"):
        (folder / name).write_text("")
    return folder


def test_folders_and_requested_files_are_listed_by_name(workspace: Workspace, corpus: Path) -> None:
    listing = list_folder(workspace, corpus, (".jsonl",))
    assert [path.name for path in listing.folders] == ["actor_01", "Actor_02"]
    assert [path.name for path in listing.files] == ["data.jsonl"]
    assert listing.audio_count == 2
    assert listing.is_complete


def test_links_to_other_places_are_left_out(workspace: Workspace, corpus: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.jsonl").write_text("")
    (corpus / "link").symlink_to(outside)
    (corpus / "file.jsonl").symlink_to(outside / "x.jsonl")
    listing = list_folder(workspace, corpus, (".jsonl",))
    assert "link" not in [path.name for path in listing.folders]
    assert [path.name for path in listing.files] == ["data.jsonl"]
    assert list_folder(workspace, corpus / "link") == list_folder(workspace, outside)
    assert list_folder(workspace, outside).folders == ()


@pytest.mark.parametrize("path", ["", "/", "/etc", "..", "{}/..", "{}/../../..", "{}/a.wav", "{}/missing", "\0"])
def test_folder_elsewhere_is_not_resolved(workspace: Workspace, corpus: Path, path: str) -> None:
    assert resolve_folder(workspace, path.format(corpus)) is None


def test_parent_of_an_allowed_folder_cannot_be_entered(workspace: Workspace, corpus: Path) -> None:
    assert find_parent(workspace, corpus / "Actor_02") == corpus
    assert find_parent(workspace, corpus) is None
    assert find_parent(workspace, workspace.root) is None


def test_pickers_start_from_allowed_folders_and_the_runs_folder(workspace: Workspace) -> None:
    assert list_roots(workspace) == [*workspace.allowed_folders, workspace.root]


def test_long_folder_is_cut(workspace: Workspace, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsing, "MAX_ENTRIES", 1)
    listing = list_folder(workspace, corpus)
    assert len(listing.folders) == 1
    assert not listing.is_complete
