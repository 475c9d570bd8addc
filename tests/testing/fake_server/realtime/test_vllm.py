"""vLLM's realtime protocol."""

from typing import Any

import numpy as np
import orjson
import pytest

from auricle.testing.fake_server.realtime.dialect import ProtocolError
from auricle.testing.fake_server.realtime.script import TurnScript
from auricle.testing.fake_server.realtime.vllm import VllmDialect
from tests.support.realtime_sessions import FakeCall


def start_call(**turn: Any) -> FakeCall:
    call = FakeCall(TurnScript(transcript="please call me", **turn), dialect=VllmDialect())
    call.rate = 16_000
    call.send(type="session.update", model="voxtral")
    return call


def test_the_session_has_neither_a_session_field_nor_event_ids() -> None:
    (message,) = VllmDialect().opened()
    assert orjson.loads(message.content) == {"type": "session.created", "id": "sess-fake", "created": 0}


def test_a_model_is_not_confirmed() -> None:
    assert start_call().types == ["session.created"]


def test_deltas_come_while_audio_is_sent_and_the_text_after_the_final_commit() -> None:
    call = start_call(word_ends=(0.3, 0.6, 0.9), word_delay=0.2, transcript_after=0.4)
    call.send(type="input_audio_buffer.commit")
    call.speak(1.0)
    call.wait(0.5)
    call.send(type="input_audio_buffer.commit", final=True)
    call.wait(1.0)
    assert call.times_of("transcription.delta") == [0.5, 0.8, 1.1]
    assert "".join(document["delta"] for document in call.documents_of("transcription.delta")) == "please call me"
    (done,) = call.documents_of("transcription.done")
    assert call.times_of("transcription.done") == [pytest.approx(1.5 + 0.4)]
    assert (done["text"], done["usage"]["completion_tokens"]) == ("please call me", 3)


def test_a_second_start_is_ignored() -> None:
    call = start_call()
    call.send(type="input_audio_buffer.commit")
    call.send(type="input_audio_buffer.commit")
    assert call.types == ["session.created"]


def test_a_final_commit_without_audio_is_answered() -> None:
    call = start_call()
    call.send(type="input_audio_buffer.commit", final=True)
    call.clock.advance(1.0)
    assert call.types[-1] == "transcription.done"


def test_silence_does_not_end_an_utterance() -> None:
    call = start_call(stop_after=0.3)
    call.send_sound(np.concatenate([np.full(8_000, 1000), np.zeros(32_000)]).astype(np.int16))
    assert call.types == ["session.created"]


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"type": "input_audio_buffer.commit"}, "model_not_validated"),
        ({"type": "session.update"}, "invalid_event"),
        ({"type": "session.update", "model": "other"}, "model_not_found"),
        ({"type": "input_audio_buffer.clear"}, "unknown_event"),
    ],
)
def test_errors_have_a_text_and_a_code(event: dict[str, Any], code: str) -> None:
    dialect = VllmDialect(models=["voxtral"])
    with pytest.raises(ProtocolError) as caught:
        dialect.read(orjson.dumps(event).decode())
    (message,) = dialect.error(caught.value)
    document = orjson.loads(message.content)
    assert document["code"] == code
    assert isinstance(document["error"], str)
