"""Folders as storages."""

from pathlib import Path

import pytest

from auricle.core.errors import StorageError
from auricle.core.local_storage import LocalStorage


def test_a_missing_folder_is_refused_or_created(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"No such folder: .*/new\."):
        LocalStorage(tmp_path / "new")
    assert LocalStorage(tmp_path / "new", create_folder=True).url == str(tmp_path / "new")


def test_a_folder_that_cannot_be_created_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"Cannot access .*file/x': Not a directory"):
        LocalStorage(tmp_path / "file/x", create_folder=True)


def test_two_writes_within_a_tick_of_the_clock_have_different_versions(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path)
    etags = [storage.write("x", b"1").etag for _ in range(50)]
    assert len({*etags}) == 50
    assert storage.head("x").etag == etags[-1]


def test_reading_a_folder_is_an_error_of_the_storage(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StorageError, match="Is a directory"):
        LocalStorage(tmp_path).read("folder")


def test_writes_leave_no_scratch_files(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path)
    storage.create("a/x", b"1")
    with pytest.raises(FileExistsError):
        storage.create("a/x", b"2")
    storage.replace("a/x", b"3", storage.head("a/x").etag)
    storage.now()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["x"]


def test_links_to_nothing_and_to_folders_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "real").write_text("1")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert [info.path for info in LocalStorage(tmp_path).list()] == ["link", "real"]
