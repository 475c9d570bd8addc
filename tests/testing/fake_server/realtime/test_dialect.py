"""What all realtime protocols share."""

import orjson
import pytest
from pybase64 import b64encode

from auricle.testing.fake_server.realtime.dialect import (
    ProtocolError,
    Response,
    Turn,
    decode_audio,
    parse_json,
    render_wrong_event,
    split_text,
)
from auricle.testing.fake_server.realtime.script import TurnScript


@pytest.mark.parametrize("content", ["{", "[1]", b"\xff", '"text"'])
def test_frames_that_are_not_objects_are_refused(content: str | bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_json(content)
    assert caught.value.code == "invalid_json"


@pytest.mark.parametrize("value", [None, "not base64!", b64encode(b"odd").decode()])
def test_audio_that_is_not_16_bit_is_refused(value: object) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode_audio(value)
    assert caught.value.code == "invalid_audio"


def test_audio_is_decoded() -> None:
    assert decode_audio(b64encode(b"abcd").decode()) == b"abcd"


@pytest.mark.parametrize(("text", "pieces"), [("", 3), ("a", 3), ("abcdefgh", 3), ("abc", 1)])
def test_pieces_join_to_the_text(text: str, pieces: int) -> None:
    parts = split_text(text, pieces)
    assert "".join(parts) == text
    assert len(parts) <= pieces


def test_a_turn_without_a_transcript_has_its_number() -> None:
    assert Turn(1, TurnScript(), "item").transcript == "turn 2"
    assert Turn(1, TurnScript(transcript=""), "item").transcript == ""


def test_usage_counts_seconds() -> None:
    response = Response(id="r", item_id="i", turn=Turn(0, TurnScript(), "item", 1.0, 3.0), text="", sent_seconds=1.5)
    assert response.usage == {"input": 20, "output": 30}


def test_wrong_events_are_wrong() -> None:
    (unknown,) = render_wrong_event("unknown_event")
    assert orjson.loads(unknown.content)["type"] == "fake.unknown"
    (huge,) = render_wrong_event("huge")
    assert len(huge.content) > 2**20
    (invalid,) = render_wrong_event("invalid_json")
    with pytest.raises(ProtocolError):
        parse_json(invalid.content)
    (binary,) = render_wrong_event("binary")
    assert isinstance(binary.content, bytes)
    assert render_wrong_event("close") == []
