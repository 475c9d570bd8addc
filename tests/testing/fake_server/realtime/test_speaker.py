"""The pace of answers, and what goes wrong in them."""

from typing import Any

import numpy as np
import pytest
from pybase64 import b64decode

from auricle.testing.fake_server.realtime.script import TurnScript
from auricle.testing.fake_server.realtime.speaker import find_words, prepare_answer
from tests.support.realtime_sessions import FakeCall

AUDIO = "response.output_audio.delta"


def hold_call(seconds: float = 6.0, **turn: Any) -> FakeCall:
    """Hold a call in which the answer starts at 1.0; it has two seconds of audio unless the turn has another length."""
    call = FakeCall(TurnScript(**{"stop_after": 0.5, "answer_after": 0.0, "answer_seconds": 2.0, **turn}))
    call.speak(0.5)
    call.wait(seconds)
    return call


@pytest.mark.parametrize(
    ("pace", "expected"),
    [(1.0, [1.0, 1.5, 2.0, 2.5]), (0.5, [1.0, 2.0, 3.0, 4.0]), (0.0, [1.0] * 4), (2.0, [1.0, 1.25, 1.5, 1.75])],
)
def test_chunks_are_sent_at_their_pace(pace: float, expected: list[float]) -> None:
    call = hold_call(audio_pace=pace, audio_chunk_seconds=0.5)
    assert call.times_of(AUDIO) == expected


def test_gaps_delay_chunks_in_turn_and_keep_their_order() -> None:
    call = hold_call(audio_chunk_seconds=0.5, audio_gaps=(0.0, 0.3))
    assert call.times_of(AUDIO) == [1.0, 1.8, 2.0, 2.8]


def test_words_are_spread_over_chunks() -> None:
    assert [find_words("a b c d e", index, 3) for index in range(3)] == ["a b", " c d", " e"]
    assert [find_words("a", index, 3) for index in range(3)] == ["a", "", ""]
    assert "".join(find_words("a b c", index, 7) for index in range(7)) == "a b c"


def test_a_turn_without_an_answer_has_no_audio() -> None:
    assert prepare_answer(TurnScript(answer=None), 24_000) == ()


@pytest.mark.parametrize("fault", ["close", "reset", "eof"])
def test_connections_end_after_the_scripted_audio(fault: str) -> None:
    call = hold_call(faults=(fault,), fault_at=0.6)
    ((at, how),) = call.outbox.disconnections
    assert (round(at, 6), how) == (1.6, fault)
    assert call.audio_seconds() == pytest.approx(0.6)
    assert "response.done" not in call.types


def test_a_stall_pauses_the_connection() -> None:
    call = hold_call(faults=("stall",), fault_at=0.6, stall_seconds=0.7)
    assert call.outbox.pauses == [pytest.approx((1.6, 0.7))]


def test_faults_of_short_answers_occur_with_their_last_chunk() -> None:
    call = hold_call(answer_seconds=0.3, faults=("unknown_event",), fault_at=9.0)
    assert call.times_of("fake.unknown") == [1.2]


@pytest.mark.parametrize(
    ("fault", "type_"),
    [("unknown_event", "fake.unknown"), ("invalid_json", "invalid"), ("binary", "binary"), ("huge", "fake.huge")],
)
def test_wrong_events_occur_once_and_the_answer_goes_on(fault: str, type_: str) -> None:
    call = hold_call(faults=(fault,))
    assert call.types.count(type_) == 1
    assert call.audio_seconds() == pytest.approx(2.0)
    assert call.documents_of("response.done")[0]["response"]["status"] == "completed"


def test_odd_pieces_and_missing_ids_lose_no_audio() -> None:
    (plain, odd, anonymous) = (hold_call(faults=faults) for faults in ((), ("odd_bytes",), ("missing_ids",)))
    sounds = [
        b"".join(b64decode(document["delta"]) for document in call.documents_of(AUDIO))
        for call in (plain, odd, anonymous)
    ]
    assert sounds[0] == sounds[1] == sounds[2]
    sizes = [len(b64decode(document["delta"])) for document in odd.documents_of(AUDIO)]
    assert [size % 2 for size in sizes].count(1) == 2
    assert sum("item_id" not in document for document in anonymous.documents_of(AUDIO)) == 1


def test_audio_of_an_unknown_response_is_silent() -> None:
    call = hold_call(faults=("unknown_response",))
    (document,) = [document for document in call.documents_of(AUDIO) if document["item_id"] == "item_unknown"]
    assert not np.frombuffer(b64decode(document["delta"]), np.int16).any()


def test_late_audio_follows_an_interrupted_answer() -> None:
    call = hold_call(seconds=1.0, answer_seconds=4.0, faults=("late_audio",))
    call.speak(0.5)
    done = call.types.index("response.done")
    assert call.types[done + 1 :].count(AUDIO) == 2


def test_out_of_order_changes_the_order_and_nothing_else() -> None:
    call = FakeCall(TurnScript(answer_seconds=2.0, faults=("out_of_order",), transcript="hi"))
    transcription = {"transcription": {"model": "x"}}
    call.send(type="session.update", session={"type": "realtime", "audio": {"input": transcription}})
    call.speak(0.5)
    call.wait(1.5)
    call.speak(0.5)
    call.wait(4.0)
    completed = [i for i, name in enumerate(call.types) if name.endswith("transcription.completed")]
    done = [i for i, name in enumerate(call.types) if name == "response.done"]
    starts = [i for i, name in enumerate(call.types) if name.endswith("speech_started")]
    assert done[0] < starts[1]
    assert len(completed) == len(done) == 2
    assert call.types.index("response.content_part.added") < call.types.index("response.output_item.added")
