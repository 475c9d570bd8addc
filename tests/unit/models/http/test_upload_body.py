"""Request bodies that are uploaded in parts."""

import io

from auricle.models.http.upload_body import CHUNKED_THRESHOLD, TIMED_THRESHOLD, prepare_upload


def test_small_body_is_sent_at_once() -> None:
    assert prepare_upload(b"small", lambda: None) == b"small"


def test_large_body_is_sent_in_parts() -> None:
    assert isinstance(prepare_upload(bytes(CHUNKED_THRESHOLD + 1)), io.BytesIO)


def test_upload_is_reported_once_with_the_last_part() -> None:
    reports: list[str] = []
    body = prepare_upload(bytes(TIMED_THRESHOLD + 1), lambda: reports.append("uploaded"))
    assert isinstance(body, io.BytesIO)
    body.read(TIMED_THRESHOLD)
    assert reports == []
    body.read()
    body.read()
    assert reports == ["uploaded"]
