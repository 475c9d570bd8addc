"""Gemini's Live protocol."""

from typing import Any

import orjson
import pytest
from pybase64 import b64encode

from auricle.testing.fake_server.realtime.dialect import AddItem, AppendAudio, Commit, ProtocolError, StartActivity
from auricle.testing.fake_server.realtime.gemini import GeminiDialect, get_field
from auricle.testing.fake_server.realtime.script import ScriptedToolCall, TurnScript
from tests.support.realtime_sessions import FakeCall

SETUP = {"model": "models/fake", "inputAudioTranscription": {}, "outputAudioTranscription": {}}


class GeminiCall(FakeCall):
    """A call in Gemini's protocol."""

    def __init__(self, *turns: TurnScript, setup: dict[str, Any] | None = None, binary: bool = False) -> None:
        super().__init__(*turns, dialect=GeminiDialect(binary=binary))
        self.rate = 16_000
        self.send(setup={**SETUP, **(setup or {})})

    def send_frame(self, pcm: bytes) -> None:
        self.send(realtimeInput={"audio": {"data": b64encode(pcm).decode(), "mimeType": "audio/pcm;rate=16000"}})


def read(message: dict[str, Any]) -> Any:
    dialect = GeminiDialect()
    dialect.read(orjson.dumps({"setup": SETUP}))
    return dialect.read(orjson.dumps(message))


@pytest.mark.parametrize("binary", [False, True])
def test_a_turn_is_answered_with_audio_and_transcripts(binary: bool) -> None:
    turn = TurnScript(stop_after=0.5, answer_after=0.3, answer="Good morning.", answer_seconds=0.5, transcript="hello")
    call = GeminiCall(turn, binary=binary)
    call.speak(0.5)
    call.wait(2.0)
    assert call.times_of("modelTurn") == [1.3, 1.5, 1.7]
    assert call.audio_seconds() == pytest.approx(0.5)
    assert call.times_of("generationComplete") == [1.7]
    assert call.times_of("turnComplete") == [1.8]
    (heard,) = call.documents_of("inputTranscription")
    assert heard["serverContent"]["inputTranscription"] == {"text": "hello", "finished": True}
    texts = [
        document["serverContent"]["outputTranscription"]["text"]
        for document in call.documents_of("outputTranscription")
    ]
    assert "".join(texts) == "Good morning."
    part = call.documents_of("modelTurn")[0]["serverContent"]["modelTurn"]["parts"][0]
    assert part["inlineData"]["mimeType"] == "audio/pcm;rate=24000"
    assert call.documents_of("turnComplete")[0]["usageMetadata"]["responseTokenCount"] == 10
    assert all(isinstance(message.content, bytes) is binary for _, message in call.outbox.sent)


@pytest.mark.parametrize("pace", [0.0, 1.0])
def test_an_interruption_is_reported_without_a_complete_generation(pace: float) -> None:
    call = GeminiCall(
        TurnScript(stop_after=0.5, answer_after=0.0, answer_seconds=4.0, audio_pace=pace, yield_after=0.2)
    )
    call.speak(0.5)
    call.wait(1.5)
    call.speak(0.5)
    call.wait(0.2)
    assert call.times_of("interrupted") == [2.2]
    interrupted = call.types.index("interrupted")
    assert call.types[interrupted + 1] == "turnComplete"
    assert ("generationComplete" in call.types) is (pace == 0.0)


def test_snake_case_is_accepted_within_camel_case() -> None:
    dialect = GeminiDialect()
    config = {"automatic_activity_detection": {"disabled": True, "silence_duration_ms": 300}}
    dialect.read(orjson.dumps({"setup": {"realtimeInputConfig": config, "generation_config": {}}}))
    assert (dialect.settings.detects_turns, dialect.settings.silence_seconds) == (False, 0.3)
    assert dialect.read(b'{"realtime_input": {"audioStreamEnd": true}}') == [Commit(respond=True, if_empty="skip")]
    audio = {"data": "AAABAA==", "mime_type": "audio/pcm"}
    assert read({"realtime_input": {"media_chunks": [audio]}}) == [AppendAudio(b"\0\0\1\0", 16_000)]
    (chunk,) = read({"realtimeInput": {"audio": {"data": "-_8=", "mimeType": "audio/pcm;rate=8000"}}})
    assert chunk == AppendAudio(b"\xfb\xff", 8_000)
    assert get_field({"turn_complete": False}, "turnComplete") is False


def test_settings_of_the_client_are_respected() -> None:
    dialect = GeminiDialect()
    setup = {
        "generationConfig": {"responseModalities": ["TEXT"]},
        "realtimeInputConfig": {"activityHandling": "NO_INTERRUPTION"},
    }
    dialect.read(orjson.dumps({"setup": setup}))
    settings = dialect.settings
    assert (settings.speaks, settings.interrupts_response, settings.transcribes) == (False, False, False)


def test_the_client_marks_its_turns_if_detection_is_disabled() -> None:
    detection = {"realtimeInputConfig": {"automaticActivityDetection": {"disabled": True}}}
    call = GeminiCall(TurnScript(answer_after=0.1, answer_seconds=4.0), setup=detection)
    call.send(realtimeInput={"activityStart": {}})
    call.speak(0.5)
    call.wait(1.0)
    assert "modelTurn" not in call.types
    call.send(realtimeInput={"activityEnd": {}})
    call.wait(1.0)
    assert call.times_of("modelTurn")[0] == pytest.approx(1.6)
    call.send(realtimeInput={"activityStart": {}})
    assert call.types[-2:] == ["interrupted", "turnComplete"]


def test_text_interrupts_and_is_answered() -> None:
    call = GeminiCall(TurnScript(answer_after=0.0, answer_seconds=4.0, answer="Yes."))
    call.send(clientContent={"turns": [{"role": "user", "parts": [{"text": "hi"}]}], "turnComplete": False})
    call.clock.advance(1.0)
    assert "modelTurn" not in call.types
    call.send(clientContent={"turnComplete": True})
    call.clock.advance(2.0)
    call.send(realtimeInput={"text": "stop"})
    call.clock.advance(2.1)
    assert call.times_of("modelTurn")[0] == 1.0
    assert call.types.count("interrupted") == 1
    assert call.times_of("modelTurn")[-1] == 2.0


def test_a_tool_call_has_its_arguments_as_an_object_and_its_response_is_answered() -> None:
    tool = ScriptedToolCall(name="book", arguments={"day": "Friday"})
    call = GeminiCall(TurnScript(stop_after=0.5, answer_after=0.0, tool=tool, answer_seconds=0.2))
    call.speak(0.5)
    call.wait(1.0)
    (document,) = call.documents_of("toolCall")
    (function,) = document["toolCall"]["functionCalls"]
    assert (function["name"], function["args"]) == ("book", {"day": "Friday"})
    assert "generationComplete" not in call.types
    call.send(tool_response={"function_responses": [{"id": function["id"], "name": "book", "response": {}}]})
    call.wait(0.5)
    assert call.types.count("generationComplete") == 1


def test_revised_words_are_interim_texts() -> None:
    words = {"transcript": "call me now", "word_ends": (0.2, 0.4, 0.6), "word_delay": 0.1, "revisions": {1: "may"}}
    call = GeminiCall(TurnScript(stop_after=0.5, answer=None, **words))  # type: ignore[arg-type]
    call.speak(0.6)
    call.wait(1.0)
    interims = [
        document["serverContent"]["interimInputTranscription"]["text"]
        for document in call.documents_of("interimInputTranscription")
    ]
    assert interims == ["call", "call may", "call me now"]
    (final,) = call.documents_of("inputTranscription")
    assert final["serverContent"]["inputTranscription"]["text"] == "call me now"


@pytest.mark.parametrize(
    "message",
    [
        {"setup": {}},
        {"greeting": 1},
        {"realtimeInput": {}},
        {"realtimeInput": {"audio": {"mimeType": "audio/mp3", "data": ""}}},
    ],
)
def test_errors_close_the_connection(message: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        read(message)
    call = GeminiCall(TurnScript())
    call.send(**message)
    ((code, reason),) = call.outbox.close_codes
    assert code == 1007
    assert reason


def test_the_first_message_must_be_the_setup() -> None:
    with pytest.raises(ProtocolError, match="setup"):
        GeminiDialect().read(b'{"realtimeInput": {"text": "hi"}}')


def test_actions_of_the_client_are_understood() -> None:
    assert read({"realtimeInput": {"activityStart": {}}}) == [StartActivity()]
    assert read({"clientContent": {"turns": [], "turnComplete": True}}) == [
        AddItem({"id": "content", "turns": []}, respond=True)
    ]


def test_clients_are_warned_before_a_session_expires() -> None:
    (message,) = GeminiDialect().expiring(0.25)
    assert orjson.loads(message.content) == {"goAway": {"timeLeft": "0.25s"}}
