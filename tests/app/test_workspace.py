"""Tests of the runs folder and of the files the app may read."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle.app.workspace import (
    DEMO_AUDIO_FOLDER,
    Workspace,
    check_run_file,
    current_workspace,
    is_file_inside_run,
    workspace_environment,
)
from auricle.core.errors import DataError, SpecError
from auricle.core.files import sounds_folder
from auricle.media import Audio
from auricle.media.perturbations.catalogue import parse_chain
from auricle.runs.perf_files import PerfManifest, write_perf_manifest


def write_run(folder: Path, created: str = "2026-01-01T00:00:00+00:00", complete: bool = True, **spec: Any) -> Path:
    folder.mkdir(parents=True)
    document = {"identity": {}, "spec": {"task": "demo", "model": "echo", **spec}, "created": created}
    (folder / "spec.json").write_text(json.dumps(document))
    (folder / "progress.json").write_text(json.dumps({"complete": complete}))
    return folder


def test_empty_or_missing_folder_has_no_runs(tmp_path: Path, workspace: Workspace) -> None:
    assert list(workspace.find_run_folders()) == []
    assert list(Workspace(tmp_path / "missing").find_run_folders()) == []


def test_folders_of_runs_are_found_in_subfolders_but_not_in_hidden_ones(workspace: Workspace) -> None:
    folders = [write_run(workspace.root / name) for name in ("demo/new", "old", ".trash/1/deleted")]
    assert list(workspace.find_run_folders()) == folders[:2]


def test_load_test_is_found_once_and_not_by_its_load_points(workspace: Workspace) -> None:
    folder = workspace.root / "load"
    write_run(folder / "00-closed-8")
    write_perf_manifest(folder, PerfManifest(spec={"task": "demo", "model": "echo"}, wanted={}))
    assert list(workspace.find_run_folders()) == [folder]


def test_run_is_resolved_by_name(workspace: Workspace) -> None:
    folder = write_run(workspace.root / "demo" / "moonshine")
    assert workspace.resolve_run("demo/moonshine") == folder


def test_missing_run_is_reported(workspace: Workspace) -> None:
    with pytest.raises(DataError, match="Run not found: 'missing'"):
        workspace.resolve_run("missing")


@pytest.mark.parametrize("name", ["../allowed", "/etc", "", ".", "a/../../allowed", "x\0y"])
def test_run_name_outside_the_runs_folder_is_rejected(workspace: Workspace, name: str) -> None:
    with pytest.raises(SpecError):
        workspace.resolve_run(name)


def test_link_out_of_the_runs_folder_is_neither_listed_nor_opened(tmp_path: Path, workspace: Workspace) -> None:
    write_run(tmp_path / "elsewhere")
    (workspace.root / "link").symlink_to(tmp_path / "elsewhere")
    assert list(workspace.find_run_folders()) == []
    with pytest.raises(SpecError, match="not in the runs folder"):
        workspace.resolve_run("link")


def test_run_with_a_file_linked_elsewhere_is_rejected(tmp_path: Path, workspace: Workspace) -> None:
    folder = write_run(workspace.root / "run")
    (tmp_path / "secret").write_text("x")
    (folder / "outputs.jsonl").symlink_to(tmp_path / "secret")
    with pytest.raises(DataError, match=r"outputs\.jsonl is a symbolic link to a path outside the runs folder"):
        workspace.resolve_run("run")


def test_recording_is_playable_if_all_its_files_are(tmp_path: Path, workspace: Workspace) -> None:
    for folder in (workspace.root, tmp_path):
        (folder / "a.wav").write_bytes(b"RIFF")
    allowed, secret = Audio(str(workspace.root / "a.wav")), Audio(str(tmp_path / "a.wav"))
    noisy = replace(allowed, perturbation=parse_chain("talker:5", "0|a", (allowed,)))
    assert workspace.resolve_recording(noisy) == noisy
    assert workspace.resolve_recording(secret) is None
    assert workspace.resolve_recording(Audio(data=b"RIFF")) is None
    assert workspace.resolve_recording(replace(allowed, perturbation=parse_chain("talker:5", "0|a", (secret,)))) is None


def test_audio_is_read_only_from_runs_allowed_folders_and_the_demo(tmp_path: Path, workspace: Workspace) -> None:
    allowed = workspace.allowed_folders[0]
    for folder in (workspace.root, allowed, tmp_path):
        (folder / "a.wav").write_bytes(b"RIFF")
    assert workspace.resolve_audio(workspace.root / "a.wav") == workspace.root / "a.wav"
    assert workspace.resolve_audio(allowed / "a.wav")
    assert workspace.resolve_audio(DEMO_AUDIO_FOLDER / "s01-clean.opus")
    assert workspace.resolve_audio(tmp_path / "a.wav") is None
    assert workspace.resolve_audio(allowed / ".." / "a.wav") is None
    assert workspace.resolve_audio(allowed / "missing.wav") is None
    assert workspace.resolve_audio("\0") is None


def test_sounds_that_a_task_made_can_be_played(
    tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = sounds_folder()
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "tone.wav").write_bytes(b"RIFF")
    assert workspace.resolve_audio(folder / "tone.wav") == folder / "tone.wav"
    assert workspace.resolve_audio(folder.parent / "tone.wav") is None


def test_other_files_are_not_resolved_as_audio(workspace: Workspace) -> None:
    (workspace.root / "keys.txt").write_text("secret")
    assert workspace.resolve_audio(workspace.root / "keys.txt") is None


def test_link_to_audio_elsewhere_is_rejected(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    (workspace.root / "b.wav").symlink_to(tmp_path / "a.wav")
    assert workspace.resolve_audio(workspace.root / "b.wav") is None


def test_workspace_is_rebuilt_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    original = Workspace(tmp_path / "a", (tmp_path / "b", tmp_path / "c"), ("MY_KEY",))
    for name, value in workspace_environment(original).items():
        monkeypatch.setenv(name, value)
    rebuilt = current_workspace()
    assert vars(rebuilt) == vars(original)


def test_file_linked_to_another_folder_is_not_inside_the_run(hostile_runs: Path) -> None:
    assert not is_file_inside_run(hostile_runs / "linked" / "metrics.json")
    assert Workspace(hostile_runs).resolve_audio(hostile_runs / "outside-audio" / "link.wav") is None


def test_file_that_leads_out_of_the_run_is_refused(hostile_runs: Path, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for file in (hostile_runs / "linked" / "metrics.json", tmp_path / "loop", tmp_path):
        with pytest.raises(DataError, match=f"{file.name} is not a file inside the run"):
            check_run_file(file)


def test_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("xxxxxxxxxxxx")
    check_run_file(tmp_path / "x.json")
    with pytest.raises(DataError, match=r"x\.json is larger than"):
        check_run_file(tmp_path / "x.json", max_bytes=10)


def test_missing_file_is_left_to_its_reader(tmp_path: Path) -> None:
    check_run_file(tmp_path / "missing.json")
