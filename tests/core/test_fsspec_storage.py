"""File systems of fsspec, here the one in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from auricle.core.errors import StorageError
from auricle.core.storage import Storage, open_storage
from tests.support.extras import require_extra

require_extra("huggingface")  # which brings fsspec


@pytest.fixture
def storage() -> Iterator[Storage]:
    import fsspec

    files = fsspec.filesystem("memory")
    files.pipe({"/data/b/x.txt": b"0123456789", "/data/a.txt": b"a"})
    yield open_storage("memory://data")
    files.store.clear()


def test_files_are_read_and_listed(storage: Storage) -> None:
    assert [(info.path, info.size) for info in storage.list()] == [("a.txt", 1), ("b/x.txt", 10)]
    assert [info.path for info in storage.list("b")] == ["b/x.txt"]
    assert storage.read("b/x.txt", 2, 5) == b"234"
    assert storage.read("b/x.txt", 8) == b"89"
    with storage.open("b/x.txt") as file:
        assert file.read() == b"0123456789"
    assert storage.head("b/x.txt").etag


def test_missing_files_and_writes_are_refused(storage: Storage) -> None:
    with pytest.raises(FileNotFoundError, match="memory://data/nope"):
        storage.read("nope")
    with pytest.raises(StorageError, match="can only be read"):
        storage.create("x", b"")
