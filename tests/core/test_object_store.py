"""Buckets: failures of the store, of the network and of the user."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from auricle.core import object_store
from auricle.core.errors import MissingExtra, StorageError
from auricle.core.object_store import ObjectStorage
from auricle.core.redaction import SECRETS
from auricle.core.storage import open_storage
from auricle.data.data_files import RemoteFile, stat_data_file
from tests.support.object_stores import FaultyProxy, reply_503, reset

pytestmark = pytest.mark.slow
StartProxy = Callable[..., FaultyProxy]


def test_more_than_a_thousand_keys_are_listed_in_order(bucket: str) -> None:
    storage = open_storage(bucket)
    names = [f"part-{number:05}" for number in range(1100)]
    with ThreadPoolExecutor(8) as pool:
        store = cast(ObjectStorage, storage)._store
        [*pool.map(lambda name: store.put(name, b"1"), names)]
    assert [info.path for info in storage.list()] == names


def test_a_missing_bucket_is_named(s3_environment: str) -> None:
    storage = open_storage("s3://no-such-bucket/prefix")
    for access in (
        lambda: storage.read("x"),
        lambda: storage.open("x"),
        lambda: storage.write("x", b""),
        lambda: [*storage.list()],
        lambda: stat_data_file(RemoteFile("s3://no-such-bucket/prefix/x.jsonl")),
    ):
        with pytest.raises(StorageError, match=r"There is no bucket 'no-such-bucket' \(s3://no-such-bucket/prefix\)"):
            access()


def test_a_location_without_a_bucket_is_refused() -> None:
    with pytest.raises(StorageError, match="expected s3://BUCKET/PREFIX"):
        open_storage("s3:///x")


def test_a_denied_request_names_the_variables(bucket: str, faulty_proxy: StartProxy) -> None:
    def deny(client: object) -> None:
        body = b"<?xml version='1.0'?><Error><Code>InvalidAccessKeyId</Code></Error>"
        client.sendall(  # type: ignore[attr-defined]
            b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )

    faulty_proxy(deny)
    with pytest.raises(StorageError, match=r"denied \(InvalidAccessKeyId\).*AWS_ACCESS_KEY_ID"):
        open_storage(bucket).read("x")


@pytest.mark.parametrize("fault", [reply_503, reset])
def test_a_passing_fault_is_retried(bucket: str, faulty_proxy: StartProxy, fault: Callable[..., None]) -> None:
    open_storage(bucket).write("x", b"content")
    proxy = faulty_proxy(fault, fault)
    assert open_storage(bucket).read("x") == b"content"
    assert len(proxy.requests) == 3


def test_a_lasting_fault_ends_with_an_error(
    bucket: str, faulty_proxy: StartProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "MAX_RETRIES", 1)
    faulty_proxy(*[reply_503] * 10)
    with pytest.raises(StorageError, match=rf"Cannot access {bucket}/x: .*503") as caught:
        open_storage(bucket).read("x")
    assert "very-secret-key" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_store_that_cannot_be_reached_names_its_address_and_variable(
    s3_environment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "MAX_RETRIES", 0)
    for endpoint in ("http://127.0.0.1:1", "http://minio.invalid:9000"):  # plain HTTP is allowed if it is asked for
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        with pytest.raises(StorageError, match=f"no connection to {endpoint}. Check AWS_ENDPOINT_URL and the network"):
            open_storage("s3://some-bucket").read("x")


def test_a_creation_whose_reply_was_lost_is_recognised_as_its_own(bucket: str, faulty_proxy: StartProxy) -> None:
    proxy = faulty_proxy(reset, after_reply=True)
    storage = open_storage(bucket)
    created = storage.create("lease", b"mine")
    assert [request.split()[0] for request in proxy.requests][:2] == ["PUT", "PUT"]
    assert storage.head("lease").etag == created.etag
    with pytest.raises(FileExistsError):
        storage.create("lease", b"mine")


def test_a_replacement_whose_reply_was_lost_is_recognised_as_its_own(bucket: str, faulty_proxy: StartProxy) -> None:
    first = open_storage(bucket).create("lease", b"1")
    faulty_proxy(reset, after_reply=True)
    assert open_storage(bucket).replace("lease", b"2", first.etag).etag != first.etag


def test_an_object_that_changes_while_it_is_read_is_noticed(bucket: str) -> None:
    storage = open_storage(bucket)
    storage.write("x", b"1" * 100)
    with storage.open("x", buffering=10) as file:
        assert file.read(10) == b"1" * 10
        storage.write("x", b"2" * 100)
        with pytest.raises(StorageError, match="changed while it was read"):
            file.read(20)


def test_credentials_are_registered_as_secrets(bucket: str) -> None:
    open_storage(bucket)
    assert SECRETS.redact("key very-secret-key-of-the-tests-1") == "key …"


def test_without_credentials_the_message_names_the_variables(bucket: str) -> None:
    message = "Error performing PUT http://169.254.169.254/latest/api/token - 403 Forbidden: denied"
    explained = object_store.ObjectStorage(bucket)._explain("x", ValueError(message))
    assert str(explained).startswith(f"No credentials for {bucket}/x. Set AWS_ACCESS_KEY_ID")


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    object_store._open_store.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install 'auricle\[cloud\]'"):
        open_storage("s3://some-bucket")
