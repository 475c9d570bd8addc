"""The data types of calls."""

import pytest

from auricle.core.calls import CallRecording, Event, EventKind, Step, attach_recording, get_recording


def received(kind: EventKind, item: str, text: str, at: float = 0.0) -> Event:
    return Event(at=at, side="received", kind=kind, item=item, text=text)


def make_recording(*events: Event) -> CallRecording:
    return CallRecording(events=events, caller=(), agent=(), seconds=1.0)


@pytest.mark.parametrize(
    ("kind", "expected"), [("say", True), ("interrupt", True), ("backchannel", False), ("noise", False)]
)
def test_only_speech_to_the_agent_expects_a_response(kind: str, expected: bool) -> None:
    assert Step(kind=kind).expects_response is expected  # type: ignore[arg-type]


def test_transcripts_of_an_item_are_joined_and_items_are_separated() -> None:
    parts = [("a", "It is "), ("b", "Anything"), ("a", "nine."), ("b", " else?")]
    recording = make_recording(*(received(EventKind.TRANSCRIPT, item, text) for item, text in parts))
    assert recording.text == "It is nine. Anything else?"


def test_the_last_text_of_each_segment_is_what_was_understood() -> None:
    recording = make_recording(
        received(EventKind.PARTIAL, "1", "what tie"),
        received(EventKind.PARTIAL, "2", "tomorrow"),
        received(EventKind.FINAL, "1", "what time"),
    )
    assert recording.understood == "what time tomorrow"


def test_tool_calls_are_listed_with_their_arguments() -> None:
    call = {"call_id": "1", "name": "book", "arguments": {"day": "Friday"}}
    event = Event(at=1.0, side="received", kind=EventKind.TOOL_CALL, data=call)
    assert make_recording(event).tool_calls == [call]


def test_an_error_carries_what_was_recorded_before_it() -> None:
    recording = make_recording(received(EventKind.READY, "", ""))
    error = ConnectionError("lost")
    assert get_recording(error) is None
    attach_recording(error, recording)
    assert get_recording(error) is recording
