"""The cache of fetched objects."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.core.object_cache import evict, list_cached_files, read_limit, read_through_cache
from auricle.core.storage import ObjectInfo, Storage, open_storage


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Storage:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("AURICLE_OBJECT_CACHE", "0.001")
    return open_storage(tmp_path / "data", create_folder=True)


class CountingStorage:
    """Counts the objects that are read."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.url = storage.url
        self.reads = 0

    def read(self, path: str) -> bytes:
        self.reads += 1
        return self._storage.read(path)

    def head(self, path: str) -> ObjectInfo:
        return self._storage.head(path)


def test_an_object_is_read_once_until_it_changes(storage: Storage) -> None:
    counting = CountingStorage(storage)
    storage.write("x", b"one")
    assert [read_through_cache(counting, "x") for _ in range(3)] == [b"one"] * 3  # type: ignore[arg-type]
    assert counting.reads == 1
    storage.write("x", b"two")
    assert read_through_cache(counting, "x") == b"two"  # type: ignore[arg-type]
    assert counting.reads == 2


def test_nothing_is_kept_without_a_limit(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AURICLE_OBJECT_CACHE")
    storage.write("x", b"one")
    assert read_through_cache(storage, "x") == b"one"
    assert list_cached_files() == []


def test_the_least_recently_used_objects_are_deleted_first(storage: Storage) -> None:
    for name in "abc":
        storage.write(name, name.encode() * 100)
        read_through_cache(storage, name)
    for age, file in enumerate(sorted(list_cached_files(), key=lambda file: file.path.read_bytes())):
        os.utime(file.path, (age, age))
    read_through_cache(storage, "a")
    evict(250)
    assert sorted(file.path.read_bytes()[:1] for file in list_cached_files()) == [b"a", b"c"]


@pytest.mark.parametrize("text", ["lots", "-1", "inf", "nan"])
def test_a_limit_that_is_not_a_number_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AURICLE_OBJECT_CACHE", text)
    with pytest.raises(SpecError, match="is not a number of gigabytes"):
        read_limit()
