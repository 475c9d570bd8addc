"""What every storage does: ranges, lists, conditional writes. A folder and a bucket behave alike."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import ObjectChanged, StorageError
from auricle.core.redaction import SECRETS
from auricle.core.storage import (
    ObjectInfo,
    Storage,
    check_conditional_writes,
    is_remote,
    local_path,
    open_storage,
    split_location,
    url_scheme,
)


@pytest.fixture(params=["folder", pytest.param("bucket", marks=pytest.mark.slow)])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "folder":
        return open_storage(tmp_path / "data", create_folder=True)
    return open_storage(f"{request.getfixturevalue('bucket')}/some/pre fix")


def test_a_range_of_bytes_is_read(storage: Storage) -> None:
    storage.write("a/b.txt", b"0123456789")
    assert storage.read("a/b.txt") == b"0123456789"
    assert storage.read("a/b.txt", 3) == b"3456789"
    assert storage.read("a/b.txt", 3, 6) == b"345"
    assert storage.read("a/b.txt", 8, 100) == b"89"
    assert storage.read("a/b.txt", 4, 4) == b""
    assert storage.read("a/b.txt", 10) == b""
    assert storage.read("a/b.txt", 20, 30) == b""


def test_an_empty_object_is_read(storage: Storage) -> None:
    storage.write("empty", b"")
    assert storage.read("empty") == b""
    with storage.open("empty") as file:
        assert file.read() == b""


def test_an_object_is_streamed_in_blocks(storage: Storage) -> None:
    content = bytes(range(256)) * 1000
    storage.write("blocks", content)
    with storage.open("blocks", buffering=1000) as file:
        assert file.read(7) == content[:7]
        assert file.read(5000) == content[7:5007]
        file.seek(-3, 2)
        assert file.read() == content[-3:]
        file.seek(100)
        assert file.tell() == 100
        assert file.read() == content[100:]
    with storage.open("blocks", buffering=0) as file:
        assert file.read(300) == content[:300]


def test_a_missing_object_is_not_found(storage: Storage) -> None:
    for read in (storage.read, storage.open, storage.head):
        with pytest.raises(FileNotFoundError):
            read("missing")


def test_names_may_contain_anything_but_a_way_out(storage: Storage) -> None:
    names = ["100%.txt", "a b/ü#?.txt", "日本/語+.txt"]
    for name in names:
        storage.write(name, name.encode())
    assert [info.path for info in storage.list()] == sorted(names)
    assert [storage.read(name).decode() for name in names] == names
    with pytest.raises(StorageError):
        storage.read("../outside")


def test_a_list_is_recursive_and_sorted_by_path(storage: Storage) -> None:
    names = ["a-b/x", "a/x", "a/y/z", "a0", "b"]
    for name in reversed(names):
        storage.write(name, b"1" * len(name))
    assert [(info.path, info.size) for info in storage.list()] == [(name, len(name)) for name in names]
    assert [info.path for info in storage.list("a")] == ["a/x", "a/y/z"]
    assert [info.path for info in storage.list("a/")] == ["a/x", "a/y/z"]
    assert [*storage.list("missing")] == []


def test_head_and_list_agree_and_a_write_changes_the_version(storage: Storage) -> None:
    written = storage.write("x", b"one")
    assert storage.head("x") == written == ObjectInfo("x", 3, written.etag, written.modified)
    assert [*storage.list()] == [written]
    assert storage.write("x", b"two").etag != written.etag


def test_of_two_creations_one_fails_and_changes_nothing(storage: Storage) -> None:
    first = storage.create("lease/1", b"mine")
    with pytest.raises(FileExistsError):
        storage.create("lease/1", b"yours")
    assert storage.read("lease/1") == b"mine"
    assert storage.head("lease/1").etag == first.etag


def test_of_many_concurrent_creations_exactly_one_succeeds(storage: Storage) -> None:
    outcomes: list[str] = []

    def create(name: str) -> None:
        try:
            storage.create("k", b"same content")
            outcomes.append("created")
        except FileExistsError:
            outcomes.append("exists")

    threads = [threading.Thread(target=create, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["created"] + ["exists"] * 7


def test_only_the_current_version_is_replaced(storage: Storage) -> None:
    first = storage.create("x", b"1")
    second = storage.replace("x", b"2", first.etag)
    with pytest.raises(ObjectChanged):
        storage.replace("x", b"3", first.etag)
    assert storage.read("x") == b"2"
    assert storage.replace("x", b"3", second.etag).etag == storage.head("x").etag
    storage.delete("x")
    with pytest.raises(ObjectChanged):
        storage.replace("x", b"4", second.etag)


def test_a_file_is_uploaded(storage: Storage, tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(bytes(range(256)) * 30_000)  # more than one part of a multipart upload
    assert storage.upload("a/large", file).size == 7_680_000
    assert storage.read("a/large") == file.read_bytes()


def test_deleting_is_idempotent(storage: Storage) -> None:
    storage.write("x", b"1")
    storage.delete("x")
    storage.delete("x")
    assert [*storage.list()] == []


def test_the_clock_is_that_of_modification_times_and_leaves_nothing(storage: Storage) -> None:
    before = storage.write("x", b"1").modified
    assert before <= storage.now() + 1  # buckets count whole seconds
    assert [info.path for info in storage.list()] == ["x"]


def test_conditions_are_honoured_and_the_probe_leaves_nothing(storage: Storage) -> None:
    check_conditional_writes(storage)
    assert [*storage.list()] == []


class CarelessStorage:
    """A store that ignores conditions, as old ones do."""

    url = "s3://old-store"

    def create(self, path: str, _content: bytes) -> ObjectInfo:
        return ObjectInfo(path, 1, "1", 1.0)

    def replace(self, path: str, _content: bytes, _etag: str) -> ObjectInfo:
        return ObjectInfo(path, 1, "1", 1.0)

    def delete(self, path: str) -> None:
        pass


def test_a_store_that_ignores_conditions_is_refused() -> None:
    careless: Any = CarelessStorage()
    with pytest.raises(StorageError, match=r"s3://old-store ignores conditions of writes \(If-None-Match\)"):
        check_conditional_writes(careless)


def test_locations_are_split_into_folder_and_name() -> None:
    assert split_location("data/x.jsonl") == ("data", "x.jsonl")
    assert split_location("file:///a%20b/x.jsonl") == ("/a b", "x.jsonl")
    assert split_location("s3://bucket/x.tar") == ("s3://bucket", "x.tar")
    assert split_location("https://h/p/x.tar?X-Sig=a/b") == ("https://h/p", "x.tar?X-Sig=a/b")
    for location in ("s3://bucket", "s3://bucket/", "https://host"):
        with pytest.raises(StorageError, match="not the URL of a file"):
            split_location(location)


def test_schemes_decide_what_is_remote() -> None:
    assert [url_scheme(text) for text in ("S3://b", "a/b", "C:/x", "file:///x")] == ["s3", "", "", "file"]
    assert [is_remote(text) for text in ("s3://b", "a/b", "file:///x", "https://h")] == [True, False, False, True]
    assert local_path("file:///a%20b") == Path("/a b")


def test_an_unknown_scheme_names_the_usual_ones() -> None:
    with pytest.raises(StorageError, match=r"unknown scheme 'nope'.*s3://"):
        open_storage("nope://bucket")


def test_signatures_of_urls_are_secrets() -> None:
    try:
        split_location("https://host/a.tar?X-Amz-Signature=0123abcd4567efgh&part=1")
        assert "0123abcd4567efgh" not in SECRETS.redact("read 0123abcd4567efgh")
    finally:
        SECRETS.clear()
