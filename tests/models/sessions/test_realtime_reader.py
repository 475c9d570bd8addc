"""Events of OpenAI's Realtime protocol."""

import base64
import random
from typing import Any

import numpy as np
import orjson
import pytest

from auricle.core.calls import EventKind, SessionEvent
from auricle.core.errors import Rejected, Transient
from auricle.models.sessions.realtime_reader import BETA_NAMES, RealtimeReader
from tests.support.websocket_servers import call, kinds

TRANSCRIPTION = "conversation.item.input_audio_transcription"
AUDIO = base64.b64encode(np.arange(240, dtype=np.int16).tobytes()).decode()


def reader(**fields: Any) -> RealtimeReader:
    return RealtimeReader(call(**fields), lambda text: text.replace("secret", "…"), 24_000, 24_000)


def read(*messages: Any, protocol: RealtimeReader | None = None) -> list[SessionEvent]:
    protocol = protocol or reader()
    return [event for message in messages for event in protocol.read_frame(orjson.dumps(message), 5.0)]


def only(*messages: Any) -> SessionEvent:
    """Return the last event of the messages."""
    return read(*messages)[-1]


def test_detected_speech_has_its_position_in_the_audio_sent() -> None:
    started = only({"type": "input_audio_buffer.speech_started", "audio_start_ms": 1250, "item_id": "i"})
    assert (started.kind, started.position, started.item) == (EventKind.SPEECH_STARTED, 1.25, "i")
    stopped = only({"type": "input_audio_buffer.speech_stopped", "audio_end_ms": 2000, "item_id": "i"})
    assert (stopped.kind, stopped.position) == (EventKind.SPEECH_STOPPED, 2.0)
    assert only({"type": "input_audio_buffer.speech_stopped"}).position is None
    assert only({"type": "input_audio_buffer.committed", "item_id": "i"}).kind is EventKind.COMMITTED


def test_every_event_has_its_time_of_arrival_and_its_name() -> None:
    events = read({"type": "session.updated"}, {"type": "input_audio_buffer.committed"})
    assert [(event.received_at, event.type) for event in events] == [
        (5.0, "session.updated"),
        (5.0, "input_audio_buffer.committed"),
    ]


def test_only_the_first_update_starts_the_call() -> None:
    assert [event.kind for event in read({"type": "session.updated"}, {"type": "session.updated"})] == [
        EventKind.READY,
        EventKind.OTHER,
    ]


@pytest.mark.parametrize("side", ["input", "output"])
def test_a_session_at_another_rate_is_refused(side: str) -> None:
    def updated(rate: Any) -> Any:
        return {
            "type": "session.updated",
            "session": {"audio": {side: {"format": {"type": "audio/pcm", "rate": rate}}}},
        }

    with pytest.raises(Rejected, match=f"the server's {side} is at 16000 Hz instead of 24000 Hz; set -M rate=16000"):
        read(updated(16_000))
    for rate in (24_000, None, "fast"):
        assert kinds(read(updated(rate))) == ["ready"]


def test_partial_texts_are_accumulated_by_segment_and_the_final_text_has_the_last_word() -> None:
    events = read(
        {"type": f"{TRANSCRIPTION}.delta", "item_id": "a", "delta": "good"},
        {"type": f"{TRANSCRIPTION}.delta", "item_id": "b", "delta": "bye"},
        {"type": f"{TRANSCRIPTION}.delta", "item_id": "a", "delta": " day"},
        {"type": f"{TRANSCRIPTION}.completed", "item_id": "a", "transcript": "Good day!"},
    )
    assert [(event.kind.value, event.item, event.text) for event in events] == [
        ("partial", "a", "good"),
        ("partial", "b", "bye"),
        ("partial", "a", "good day"),
        ("final", "a", "Good day!"),
    ]


def test_usage_of_a_transcription_is_counted_apart() -> None:
    tokens = {"type": f"{TRANSCRIPTION}.completed", "transcript": "x", "usage": {"type": "tokens", "input_tokens": 3}}
    assert only(tokens).data == {"transcription_input_tokens": 3}
    seconds = {"type": f"{TRANSCRIPTION}.completed", "transcript": "x", "usage": {"type": "duration", "seconds": 2.5}}
    assert only(seconds).data == {"transcription_seconds": 2.5}


def test_a_failed_transcription_fails_a_recogniser_but_not_a_conversation() -> None:
    failed = {"type": f"{TRANSCRIPTION}.failed", "item_id": "a", "error": {"message": "secret overload"}}
    event = only(failed)
    assert (event.kind, event.text) == (EventKind.ERROR, "… overload")
    with pytest.raises(Transient, match="failed to transcribe a segment: … overload"):
        read(failed, protocol=reader(mode="transcribe"))


def response(status: str = "completed", **fields: Any) -> Any:
    return {"type": "response.done", "response": {"id": "r1", "status": status, **fields}}


def test_a_response_with_audio_transcript_and_usage() -> None:
    events = read(
        {"type": "response.created", "response": {"id": "r1", "status": "in_progress"}},
        {"type": "response.output_audio_transcript.delta", "response_id": "r1", "item_id": "i1", "delta": "Hi"},
        {"type": "response.output_audio.delta", "response_id": "r1", "item_id": "i1", "delta": AUDIO},
        {"type": "response.output_audio_transcript.done", "item_id": "i1", "transcript": "Hi"},
        response(usage={"input_tokens": 4, "output_tokens": 6}),
    )
    assert kinds(events) == ["response_started", "transcript", "audio", "response_done", "usage"]
    audio = events[2]
    assert (audio.item, audio.seconds) == ("i1", 0.01)
    assert audio.audio is not None
    assert audio.audio.dtype == np.int16
    assert events[-2].data == {"status": "completed"}
    assert events[-1].data == {"input_tokens": 4, "output_tokens": 6}


@pytest.mark.parametrize("name", BETA_NAMES)
def test_names_of_the_beta_mean_the_same(name: str) -> None:
    fields = {"item_id": "i", "delta": AUDIO, "transcript": "x", "text": "x", "item": {"id": "i"}, "session": {}}
    old, new = read({"type": name, **fields})[0], read({"type": BETA_NAMES[name], **fields})[0]
    assert (old.kind, old.item, old.text, old.seconds) == (new.kind, new.item, new.text, new.seconds)
    assert old.type == name


def test_an_interrupted_response_is_reported_with_its_reason() -> None:
    events = read(response("cancelled", status_details={"reason": "turn_detected"}))
    assert kinds(events) == ["interrupted", "response_done"]
    assert events[-1].data == {"status": "cancelled", "reason": "turn_detected"}
    assert kinds(read(response("cancelled", status_details={"reason": "client_cancelled"}))) == ["response_done"]


def test_audio_of_a_cancelled_response_is_not_played() -> None:
    late = {"type": "response.output_audio.delta", "response_id": "r", "item_id": "i", "delta": AUDIO}
    events = read(late, {"type": "response.done", "response": {"id": "r", "status": "cancelled"}}, late)
    assert [event.kind for event in events] == [EventKind.AUDIO, EventKind.RESPONSE_DONE, EventKind.OTHER]


def test_a_failed_response_has_its_error() -> None:
    details = {"type": "failed", "error": {"message": "secret quota", "code": "insufficient_quota"}}
    assert only(response("failed", status_details=details)).data == {"status": "failed", "error": "… quota"}


def test_an_unknown_status_is_that_of_a_complete_response() -> None:
    assert only({"type": "response.done"}).data == {"status": "completed"}


def test_a_truncated_item_has_the_acknowledged_seconds() -> None:
    event = only({"type": "conversation.item.truncated", "item_id": "i", "content_index": 0, "audio_end_ms": 1200})
    assert (event.kind, event.item, event.seconds) == (EventKind.TRUNCATED, "i", 1.2)


def test_a_whole_transcript_is_used_if_its_parts_are_missing() -> None:
    whole = {"type": "response.output_audio_transcript.done", "item_id": "i", "transcript": "Hello"}
    assert [(event.kind, event.text) for event in read(whole)] == [(EventKind.TRANSCRIPT, "Hello")]


def test_text_responses_are_transcripts_too() -> None:
    assert only({"type": "response.output_text.delta", "item_id": "i", "delta": "Hi"}).kind is EventKind.TRANSCRIPT


CALL = {"id": "i1", "type": "function_call", "call_id": "c1", "name": "book", "arguments": '{"day": "Friday"}'}
TOOL_CALL = {"call_id": "c1", "name": "book", "arguments": {"day": "Friday"}}


@pytest.mark.parametrize(
    "messages",
    [
        [{**CALL, "type": "response.function_call_arguments.done", "item_id": "i1"}],
        [
            {"type": "response.output_item.added", "item": {**CALL, "arguments": ""}},
            {
                "type": "response.function_call_arguments.done",
                "item_id": "i1",
                "call_id": "c1",
                "arguments": CALL["arguments"],
            },
        ],
        [{"type": "response.output_item.done", "item": CALL}],
        [response(output=[CALL])],
    ],
)
def test_a_tool_call_is_read_from_wherever_it_is_complete_and_once(messages: Any) -> None:
    events = read(*messages, {"type": "response.output_item.done", "item": CALL}, response(output=[CALL]))
    assert [event.data for event in events if event.kind is EventKind.TOOL_CALL] == [TOOL_CALL]


@pytest.mark.parametrize("arguments", ["{day: Friday}", "[1]", '"x"'])
def test_arguments_that_are_no_object_are_kept_as_text(arguments: str) -> None:
    event = only({"type": "response.function_call_arguments.done", "name": "book", "arguments": arguments})
    assert event.data["arguments"] == {}
    assert event.data["invalid_arguments"] == arguments


def test_errors_are_logged_with_code_and_event() -> None:
    error = {"type": "invalid_request_error", "code": "bad", "message": "no secret", "event_id": "e1", "param": None}
    event = only({"type": "error", "error": error})
    assert (event.kind, event.text) == (EventKind.ERROR, "no …")
    assert event.data == {"code": "bad", "type": "invalid_request_error", "event_id": "e1"}
    assert only({"type": "error", "error": "just a text"}).text == "just a text"
    assert only({"type": "error", "message": "flat"}).text == "flat"


@pytest.mark.parametrize("code", ["input_audio_buffer_commit_empty", "response_cancel_not_active"])
def test_errors_that_only_state_that_nothing_was_done_are_no_errors(code: str) -> None:
    protocol = reader()
    events = read({"type": "error", "error": {"code": code, "message": "nothing"}}, protocol=protocol)
    assert events[0].kind is EventKind.OTHER
    assert protocol.last_error is None


def test_audio_with_an_odd_number_of_bytes_is_reported_once_and_no_sample_is_lost() -> None:
    content = np.arange(5, dtype=np.int16).tobytes()
    parts = [base64.b64encode(part).decode() for part in (content[:3], content[3:6], content[6:])]
    events = read(*({"type": "response.output_audio.delta", "item_id": "i", "delta": part} for part in parts))
    assert kinds(events) == ["audio", "error", "audio", "audio"]
    samples = [event.audio.tolist() for event in events if event.audio is not None]
    assert samples == [[0], [1, 2], [3, 4]]


def test_audio_without_an_item_belongs_to_its_response() -> None:
    events = read(
        {"type": "response.created", "response": {}},
        {"type": "response.output_audio.delta", "delta": AUDIO},
        {"type": "response.done", "response": {}},
    )
    assert {event.item for event in events} == {"response-1"}


def test_an_item_that_is_not_announced_is_read_too() -> None:
    event = only({"type": "response.output_audio.delta", "response_id": "r9", "delta": AUDIO})
    assert (event.kind, event.item) == (EventKind.AUDIO, "r9")


@pytest.mark.parametrize(
    "message",
    [
        {"type": "response.output_audio.delta", "item_id": "i", "delta": "%%%"},
        {"type": "response.output_audio.delta", "item_id": "i", "delta": 7},
        {"type": "response.done", "response": [1]},
        {"type": "response.done", "response": {"output": "x"}},
        {"type": "input_audio_buffer.speech_started", "audio_start_ms": "soon"},
        {"type": "response.output_item.added", "item": "x"},
    ],
)
def test_fields_of_the_wrong_type_are_errors_and_nothing_else_happens(message: Any) -> None:
    event = only(message)
    assert (event.kind, event.type) == (EventKind.ERROR, message["type"])
    assert event.text.startswith("invalid message: expected")


def test_unknown_events_and_rate_limits_are_logged() -> None:
    assert only({"type": "new.kind", "item_id": "i"}).kind is EventKind.OTHER
    assert only({"type": "rate_limits.updated", "rate_limits": [{"name": "tokens"}]}).data == {
        "rate_limits": [{"name": "tokens"}]
    }


def test_no_message_of_any_shape_raises() -> None:
    rng = random.Random(7)
    protocol = reader()
    names = [*protocol._handlers, *BETA_NAMES, "other"]
    fields = [
        "item_id",
        "delta",
        "transcript",
        "response",
        "item",
        "error",
        "usage",
        "audio_start_ms",
        "session",
        "name",
    ]
    values: list[Any] = [
        None,
        0,
        -1.5,
        True,
        "x",
        AUDIO,
        [],
        [1],
        {},
        {"id": 3},
        {"id": "r", "status": 4},
        {"output": [{}]},
    ]
    for _ in range(5000):
        message = {name: rng.choice(values) for name in rng.sample(fields, 4)} | {"type": rng.choice(names)}
        for event in protocol.read_frame(orjson.dumps(message), 1.0):
            assert isinstance(event, SessionEvent)
