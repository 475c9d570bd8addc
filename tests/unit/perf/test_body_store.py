import pytest

from auricle.models.http.timing import PreparedRequest
from auricle.perf import body_store
from auricle.perf.body_store import BodyStore, digest_body
from auricle.testing.fake_server.script import compute_digest


def test_store_returns_the_bodies_it_was_given() -> None:
    store = BodyStore()
    requests = [
        PreparedRequest("/a", b"first", "application/json"),
        PreparedRequest("/b", b"second body", "text/plain"),
    ]
    stored = [store.put(request) for request in requests]
    assert [store.get(body) for body in reversed(stored)] == requests[::-1]
    assert store.size == len(b"first") + len(b"second body")
    store.close()


def test_store_is_full_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_store, "MAX_STORED_BYTES", 8)
    store = BodyStore()
    store.put(PreparedRequest("/a", b"1234567", "text/plain"))
    assert not store.is_full
    store.put(PreparedRequest("/a", b"8", "text/plain"))
    assert store.is_full
    store.close()


def test_digest_is_that_of_the_fake_server() -> None:
    assert digest_body(b"body") == compute_digest(b"body")
