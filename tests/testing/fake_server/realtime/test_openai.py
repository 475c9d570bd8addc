"""OpenAI's realtime protocol: what is read, and what is rendered."""

from typing import Any

import orjson
import pytest

from auricle.testing.fake_server.realtime.dialect import (
    AddItem,
    AppendAudio,
    CancelResponse,
    ClearAudio,
    Commit,
    Configure,
    CreateResponse,
    ProtocolError,
    Response,
    ReturnToolResult,
    TruncateItem,
    Turn,
)
from auricle.testing.fake_server.realtime.openai import OpenAIDialect
from auricle.testing.fake_server.realtime.script import TurnScript
from auricle.testing.fake_server.realtime.voice import make_chunk


def read(dialect: OpenAIDialect, **event: Any) -> Any:
    return dialect.read(orjson.dumps(event).decode())


def build_response(**fields: Any) -> Response:
    turn = Turn(0, TurnScript(transcript="hello there"), "item_1", 1.0, 2.0)
    return Response(**{"id": "resp_1", "item_id": "item_2", "turn": turn, "text": "Good morning.", **fields})


def documents(messages: list[Any]) -> list[dict[str, Any]]:
    parsed = [orjson.loads(message.content) for message in messages]
    assert [document["type"] for document in parsed] == [message.type for message in messages]
    return parsed


def test_events_of_clients_are_understood() -> None:
    dialect = OpenAIDialect()
    (audio,) = read(dialect, type="input_audio_buffer.append", audio="AAABAA==")
    assert audio == AppendAudio(b"\0\0\1\0", 24_000)
    assert read(dialect, type="input_audio_buffer.commit") == [Commit()]
    assert read(dialect, type="input_audio_buffer.clear") == [ClearAudio()]
    assert read(dialect, type="response.create") == [CreateResponse()]
    assert read(dialect, type="response.cancel", response_id="r") == [CancelResponse("r")]
    truncate = read(dialect, type="conversation.item.truncate", item_id="i", content_index=0, audio_end_ms=1500)
    assert truncate == [TruncateItem("i", 1.5)]
    (item,) = read(dialect, type="conversation.item.create", item={"type": "message", "id": "mine"})
    assert isinstance(item, AddItem)
    assert item.item["id"] == "mine"
    output = {"type": "function_call_output", "call_id": "c", "output": "{}"}
    (result,) = read(dialect, type="conversation.item.create", item=output)
    assert isinstance(result, ReturnToolResult)
    assert result.call_id == "c"


def test_a_session_keeps_the_fields_that_an_update_does_not_have() -> None:
    dialect = OpenAIDialect("gpt")
    detection = {"type": "server_vad", "silence_duration_ms": 200}
    changes = {"type": "realtime", "audio": {"input": {"turn_detection": detection}}}
    assert read(dialect, type="session.update", session=changes) == [Configure()]
    (updated,) = documents(dialect.configured())
    fields = updated["session"]["audio"]["input"]["turn_detection"]
    assert (fields["silence_duration_ms"], fields["prefix_padding_ms"]) == (200, 300)
    assert updated["session"]["model"] == "gpt"
    assert dialect.settings.silence_seconds == 0.2
    none = {"type": "realtime", "audio": {"input": {"turn_detection": None, "transcription": {"model": "x"}}}}
    read(dialect, type="session.update", session=none)
    assert (dialect.settings.detects_turns, dialect.settings.transcribes) == (False, True)
    again = {"type": "realtime", "audio": {"input": {"turn_detection": {"type": "semantic_vad"}}}}
    read(dialect, type="session.update", session=again)
    assert dialect.settings.detects_turns


@pytest.mark.parametrize(
    ("session", "code"),
    [
        ({}, "missing_required_parameter"),
        ({"type": "transcription"}, "invalid_value"),
        ({"type": "realtime", "output_modalities": ["audio", "text"]}, "invalid_value"),
        ({"type": "realtime", "audio": {"input": {"format": {"type": "audio/pcmu"}}}}, "invalid_value"),
        ({"type": "realtime", "audio": {"input": {"format": {"type": "audio/pcm", "rate": 8000}}}}, "invalid_value"),
    ],
)
def test_updates_that_the_service_refuses_are_refused(session: dict[str, Any], code: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read(OpenAIDialect(), type="session.update", event_id="mine", session=session)
    assert (caught.value.code, caught.value.event_id) == (code, "mine")


def test_events_without_their_fields_and_binary_frames_are_refused() -> None:
    dialect = OpenAIDialect()
    with pytest.raises(ProtocolError, match="session"):
        read(dialect, type="session.update")
    with pytest.raises(ProtocolError, match="Binary"):
        dialect.read(b"{}")


def test_the_beta_has_a_flat_session_and_other_names() -> None:
    dialect = OpenAIDialect(beta=True)
    changes = {"turn_detection": None, "input_audio_transcription": {"model": "x"}, "modalities": ["text"]}
    read(dialect, type="session.update", session=changes)
    settings = dialect.settings
    assert (settings.detects_turns, settings.transcribes, settings.speaks) == (False, True, False)
    read(dialect, type="session.update", session={"modalities": ["audio", "text"]})
    response = build_response(sent_text="Good")
    messages = [
        *dialect.item_added({"id": "x"}),
        *dialect.answer_text(response, "Good"),
        *dialect.answer_audio(response, make_chunk(b"\0\0", 24_000)),
        *dialect.response_done(response),
    ]
    types = [document["type"] for document in documents(messages)]
    assert types == [
        "conversation.item.created",
        "response.audio_transcript.delta",
        "response.audio.delta",
        "response.audio.done",
        "response.audio_transcript.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.done",
    ]


def test_transcription_sessions_have_their_own_type() -> None:
    dialect = OpenAIDialect(transcription=True)
    (created,) = documents(dialect.opened())
    assert created["session"]["type"] == "transcription"
    assert dialect.settings.only_transcribes
    read(dialect, type="session.update", session={"type": "transcription", "audio": {"input": {}}})
    assert dialect.settings.transcribes
    beta = OpenAIDialect(transcription=True, beta=True)
    assert [message.type for message in beta.opened()] == ["transcription_session.created"]
    read(beta, type="transcription_session.update", session={"turn_detection": None})
    assert [message.type for message in beta.configured()] == ["transcription_session.updated"]


def test_transcripts_are_appended_and_their_end_has_the_whole_text() -> None:
    dialect = OpenAIDialect()
    turn = build_response().turn
    first = documents(dialect.partial_transcript(turn, ["hello"]))
    turn.words_sent = 1
    *rest, completed = documents(dialect.final_transcript(turn))
    assert [document["delta"] for document in (*first, *rest)] == ["hello", " there"]
    assert completed["transcript"] == "hello there"
    assert completed["usage"] == {"type": "duration", "seconds": 1.0}


def test_audio_has_the_ids_of_its_response_unless_they_are_missing() -> None:
    dialect = OpenAIDialect()
    chunk = make_chunk(bytes(480), 24_000)
    message, *_ = dialect.answer_audio(build_response(), chunk)
    (document,) = documents([message])
    assert (document["response_id"], document["item_id"], document["delta"]) == ("resp_1", "item_2", chunk.base64)
    assert message.seconds == pytest.approx(0.01)
    (anonymous,) = documents(dialect.answer_audio_without_ids(build_response(), chunk))
    assert not {"response_id", "item_id"} & set(anonymous)
    (unknown,) = documents(dialect.unknown_audio(chunk))
    assert unknown["response_id"] == "resp_unknown"


def test_text_answers_have_text_events() -> None:
    dialect = OpenAIDialect()
    read(dialect, type="session.update", session={"type": "realtime", "output_modalities": ["text"]})
    response = build_response(sent_text="Good morning.", status="completed")
    events = documents([*dialect.answer_text(response, "Good"), *dialect.response_done(response)])
    assert [event["type"] for event in events][:2] == ["response.output_text.delta", "response.output_text.done"]
    assert events[-1]["response"]["output"][0]["content"] == [{"type": "output_text", "text": "Good morning."}]


def test_token_counts_follow_the_lengths_of_audio() -> None:
    done = documents(OpenAIDialect().response_done(build_response(status="completed", sent_seconds=2.0)))[-1]
    usage = done["response"]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (10, 40, 50)
