"""What sessions may yield."""

from typing import Any, cast

import numpy as np
import pytest

from auricle.core.calls import EventKind, SessionEvent
from auricle.core.errors import InvalidEvent
from auricle.tasks.calls.live.event_checks import check_event


def make_event(kind: str, **fields: Any) -> SessionEvent:
    return SessionEvent(kind=cast(EventKind, kind), **fields)


def test_a_kind_may_be_a_text() -> None:
    assert check_event(make_event("speech_started")).kind is EventKind.SPEECH_STARTED


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (make_event("speech_start"), "Did you mean 'speech_started'"),
        (make_event("step_started"), "Invalid kind"),
        (make_event("transcript", text=cast(Any, 7)), "kind transcript: 7, not a text"),
        (make_event("audio"), "Invalid audio of a SessionEvent of kind audio: None"),
        (make_event("audio", audio=cast(Any, np.zeros(3))), "an array of float64 with 1 dimensions"),
        (make_event("tool_call", data={"name": "look"}), r'data\["arguments"\]'),
        (make_event("response_done", data={"status": "canceled"}), "Did you mean 'cancelled'"),
        (make_event("truncated", seconds=float("nan")), "a number of seconds or None"),
        ("hello", "the session yielded str"),
    ],
)
def test_a_mistake_is_named_with_its_field(event: Any, message: str) -> None:
    with pytest.raises(InvalidEvent, match=message):
        check_event(event)
