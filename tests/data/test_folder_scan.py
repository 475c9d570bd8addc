"""Tests of scanning a folder for the recordings of a corpus."""

from __future__ import annotations

from pathlib import Path

from auricle.data.folder_scan import (
    Clip,
    count_phrase,
    describe_contents,
    describe_count_mismatch,
    iter_files,
    not_a_folder_error,
    scan_by_name,
)


def parse(path: Path) -> Clip | None:
    label = path.stem.partition("_")[0]
    return Clip(path.stem, path, label, {}) if label in ("happy", "sad") else None


def write(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"x")
    return root


def test_hidden_files_and_circular_links_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a/one.wav", ".b/two.wav", "__MACOSX/three.wav", "a/.four.wav", "a/five.txt")
    (tmp_path / "a" / "circle").symlink_to(tmp_path)
    assert [path.name for path in iter_files(tmp_path, (".wav",))] == ["one.wav"]


def test_a_duplicate_is_used_once_in_its_best_format(tmp_path: Path) -> None:
    result = scan_by_name(write(tmp_path, "mp3/sad_1.mp3", "wav/sad_1.wav"), parse)
    assert [clip.path.name for clip in result.clips] == ["sad_1.wav"]
    assert "1 recording is in the folder more than once" in result.notes[0]


def test_rejected_clips_are_counted_and_other_files_are_noted(tmp_path: Path) -> None:
    root = write(tmp_path, "sad_1.wav", "happy_1.wav", "other.wav")
    result = scan_by_name(root, parse, lambda clip: clip.label == "sad")
    assert [clip.id for clip in result.clips] == ["sad_1"]
    assert result.excluded_count == 1
    assert result.notes == ["1 file is not named like this corpus and left out, such as other.wav."]


def test_a_count_that_differs_from_the_publication_is_described() -> None:
    assert describe_count_mismatch("X", ["sad"], {"sad": 1}, "example.org") == []
    (note,) = describe_count_mismatch("X", ["sad"], {"sad": 2}, "example.org")
    assert note.startswith("X: 1 recording is here, 2 are published (sad 1 of 2).")
    assert "example.org" in note
    (note,) = describe_count_mismatch("X", ["sad"] * 3, {"sad": 2}, "example.org")
    assert "extra or renamed files" in note


def test_the_contents_of_a_folder_are_described(tmp_path: Path) -> None:
    assert describe_contents(tmp_path) == "The folder is empty."
    write(tmp_path, *(f"{number}.wav" for number in range(9)), "a.zip")
    assert "and 2 more. Unpack a.zip first." in describe_contents(tmp_path)


def test_a_missing_folder_and_a_file_are_distinguished(tmp_path: Path) -> None:
    assert str(not_a_folder_error(tmp_path / "x", "ESD")).startswith("Folder not found: ")
    write(tmp_path, "file")
    assert str(not_a_folder_error(tmp_path / "file", "ESD")).startswith("Not a folder: ")


def test_count_phrase_agrees_in_number() -> None:
    assert [count_phrase(count, "file") for count in (1, 1200)] == ["1 file is", "1,200 files are"]
