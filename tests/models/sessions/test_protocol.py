"""Reading messages of realtime protocols."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from auricle.core.calls import EventKind, SessionEvent
from auricle.models.http.fields import as_text
from auricle.models.sessions.protocol import ServerError, SessionProtocol
from tests.support.websocket_servers import call, kinds


class Echo(SessionProtocol):
    """Yields the text of a message, then its number."""

    def read(self, message: Mapping[str, Any]) -> Iterator[SessionEvent]:
        yield self.event(EventKind.OTHER, text=as_text(message["text"]))
        yield self.event(EventKind.FINAL, text=as_text(message["number"]))


def echo() -> Echo:
    return Echo(call(), lambda text: text.replace("secret", "…"), 8_000)


def test_events_before_an_invalid_field_are_kept() -> None:
    events = echo().read_frame('{"type": "t", "text": "a", "number": 1}', 2.5)
    assert [(event.kind, event.text) for event in events] == [
        (EventKind.OTHER, "a"),
        (EventKind.ERROR, "invalid message: expected text, got int"),
    ]
    assert {event.received_at for event in events} == {2.5}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("nonsense", "not a JSON message (8 characters)"),
        (b"\xff\x00", "not a JSON message (2 bytes)"),
        ("7", "invalid message: expected an object, got int"),
    ],
)
def test_what_is_no_message_is_an_error_event(content: Any, text: str) -> None:
    (event,) = echo().read_frame(content, 0.0)
    assert (event.kind, event.text) == (EventKind.ERROR, text)


def test_an_error_is_remembered_without_secrets() -> None:
    protocol = echo()
    event = protocol.read_error({"message": "the secret", "code": "bad", "type": None})
    assert (event.text, event.data) == ("the …", {"code": "bad"})
    assert protocol.last_error == ServerError("the …", "bad", "")


def test_audio_has_its_duration_and_half_samples_are_reported_once() -> None:
    protocol, content = echo(), np.arange(80, dtype=np.int16).tobytes()
    data = [base64.b64encode(part).decode() for part in (content[:81], content[81:162], content[:0])]
    events = [event for part in data for event in protocol.read_audio(part, "i", "audio")]
    assert kinds(events) == ["audio", "error", "audio"]
    assert sum(event.seconds or 0 for event in events) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("code", "may_pass"),
    [("rate_limit_exceeded", True), ("server_error", True), ("session_limit_reached", True), ("invalid_value", False)],
)
def test_errors_that_may_pass_are_known_by_their_code(code: str, may_pass: bool) -> None:
    assert ServerError("no", code).may_pass is may_pass
    assert ServerError("no", "", code).may_pass is may_pass
