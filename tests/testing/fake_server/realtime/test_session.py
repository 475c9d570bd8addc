"""When the fake realtime server does what, exact to a sample, with a clock that is moved by hand."""

import numpy as np
import pytest

from auricle.testing.fake_server.realtime.dialect import ProtocolError
from auricle.testing.fake_server.realtime.script import ScriptedToolCall, TurnScript
from tests.support.realtime_sessions import FakeCall

STARTED = "input_audio_buffer.speech_started"
STOPPED = "input_audio_buffer.speech_stopped"
AUDIO = "response.output_audio.delta"
DONE = "response.done"
MANUAL = {"type": "realtime", "audio": {"input": {"turn_detection": None}}}


def start_answer(**turn: object) -> FakeCall:
    """Return a call in which the caller spoke from 0.2 to 1.2, and the answer started at 2.0."""
    call = FakeCall(TurnScript(**{"stop_after": 0.5, "answer_after": 0.3, "answer_seconds": 4.0, **turn}))  # type: ignore[arg-type]
    call.wait(0.2)
    call.speak(1.0)
    call.wait(0.82)
    return call


def test_the_answer_follows_the_end_of_speech_by_both_delays() -> None:
    call = start_answer()
    assert call.times_of(STARTED) == [0.22]
    assert call.times_of(STOPPED) == call.times_of("response.created") == [1.7]
    assert call.times_of(AUDIO) == [2.0]
    assert call.documents_of(STARTED)[0]["audio_start_ms"] == 200
    assert call.documents_of(STOPPED)[0]["audio_end_ms"] == 1200


def test_speech_that_ends_inside_a_frame_is_over_at_its_last_sample() -> None:
    call = FakeCall(TurnScript(stop_after=0.5))
    call.send_sound(np.concatenate([np.full(24_000 + 123, 1000), np.zeros(24_000)]).astype(np.int16))
    assert call.times_of(STOPPED) == [1.52]
    assert call.session.turns[0].times["stopped"] == pytest.approx(1.5 + 123 / 24_000)
    assert call.times_of(AUDIO)[0] == pytest.approx(1.8 + 123 / 24_000, abs=1e-4)


def test_silence_counts_as_the_client_asks_unless_the_script_has_a_value() -> None:
    call = FakeCall(TurnScript())
    detection = {"type": "server_vad", "silence_duration_ms": 240}
    call.send(type="session.update", session={"type": "realtime", "audio": {"input": {"turn_detection": detection}}})
    call.speak(1.0)
    call.wait(1.0)
    assert call.times_of(STOPPED) == [1.24]


def test_a_pause_shorter_than_the_silence_does_not_end_the_turn() -> None:
    call = FakeCall(TurnScript(stop_after=1.5))
    call.speak(0.5)
    call.wait(1.2)
    call.speak(0.5)
    call.wait(2.0)
    assert call.times_of(STOPPED) == [3.7]


def test_the_caller_interrupts_after_the_scripted_time() -> None:
    call = start_answer(yield_after=0.2)
    call.wait(0.98)
    call.speak(0.6)
    call.wait(1.0)
    assert call.times_of(STARTED) == [0.22, 3.2]
    assert call.times_of(DONE)[0] == 3.2
    document = call.documents_of(DONE)[0]["response"]
    assert (document["status"], document["status_details"]["reason"]) == ("cancelled", "turn_detected")
    assert call.times_of(STOPPED) == [1.7, 4.1]


def test_an_answer_sent_at_once_is_interrupted_while_it_is_played() -> None:
    call = start_answer(audio_pace=0.0)
    assert call.times_of(DONE) == [2.0]
    call.wait(0.98)
    call.speak(0.6)
    assert call.times_of(STARTED) == [0.22, 3.2]
    assert call.documents_of(DONE)[0]["response"]["status"] == "completed"
    assert len(call.times_of(DONE)) == 1


def test_a_server_that_never_yields_ignores_speech_over_its_answer() -> None:
    call = start_answer(yield_after=None)
    call.speak(1.0)
    call.wait(4.0)
    assert call.times_of(STARTED) == [0.22]
    assert call.audio_seconds() == pytest.approx(4.0)
    assert call.session.ignored == [pytest.approx(2.02)]


def test_sounds_below_the_filter_do_not_interrupt() -> None:
    call = start_answer(ignore_below=0.5)
    call.speak(0.3)
    call.wait(4.0)
    assert call.times_of(STARTED) == [0.22]
    assert call.audio_seconds() == pytest.approx(4.0)
    assert len(call.session.ignored) == 1


def test_sounds_above_the_filter_interrupt_when_they_reach_it() -> None:
    call = start_answer(ignore_below=0.5, yield_after=0.2)
    call.speak(0.7)
    assert call.times_of(STARTED)[1] == pytest.approx(2.52, abs=0.006)


def test_a_slow_server_yields_after_the_caller_has_finished_and_answers_then() -> None:
    call = start_answer(yield_after=1.0)
    call.speak(0.2)
    call.wait(1.5)
    assert call.times_of(STARTED) == [0.22, 3.02]
    assert call.times_of(STOPPED) == [1.7, 3.02]
    assert call.times_of("response.created") == [1.7, 3.02]


def test_an_interrupted_answer_can_resume_where_it_stopped() -> None:
    call = start_answer(yield_after=0.2, resume_after=1.0)
    call.wait(0.98)
    call.speak(0.4)
    call.wait(6.0)
    assert call.times_of("response.created") == [1.7, 4.2]
    assert [document["response"]["status"] for document in call.documents_of(DONE)] == ["cancelled", "completed"]
    assert call.audio_seconds() == pytest.approx(4.0 + 0.2, abs=0.21)
    assert call.session.turns[0].times["resumed"] == pytest.approx(4.2)


def test_the_server_can_talk_over_the_caller() -> None:
    call = FakeCall(TurnScript(talk_at=0.5, answer_after=0.0, answer_seconds=4.0))
    call.wait(0.2)
    call.speak(3.0)
    call.wait(2.0)
    assert call.times_of(STOPPED) == [0.7]
    assert call.times_of(AUDIO)[0] == 0.7
    assert len(call.session.turns) == 1
    assert call.documents_of(DONE)[0]["response"]["status"] == "completed"


def test_a_turn_without_an_answer_gets_none() -> None:
    call = FakeCall(TurnScript(answer=None))
    call.speak(0.5)
    call.wait(3.0)
    assert call.times_of(STOPPED) == [1.0]
    assert "response.created" not in call.types


def test_each_turn_has_its_own_script() -> None:
    call = FakeCall(
        TurnScript(answer="First.", answer_seconds=0.2, stop_after=0.3, transcript="one"),
        TurnScript(answer="Second.", answer_seconds=0.2, stop_after=0.6, transcript="two"),
    )
    transcription = {"transcription": {"model": "x"}}
    call.send(type="session.update", session={"type": "realtime", "audio": {"input": transcription}})
    for _ in range(2):
        call.speak(0.5)
        call.wait(1.5)
    assert call.times_of(STOPPED) == [0.8, 3.1]
    texts = [document["transcript"] for document in call.documents_of("response.output_audio_transcript.done")]
    assert texts == ["First.", "Second."]
    completed = call.documents_of("conversation.item.input_audio_transcription.completed")
    assert [document["transcript"] for document in completed] == ["one", "two"]


def test_without_turn_detection_only_the_client_ends_turns() -> None:
    call = FakeCall(TurnScript(answer_after=0.3))
    call.send(type="session.update", session=MANUAL)
    call.speak(0.5)
    call.wait(2.0)
    assert STARTED not in call.types
    call.send(type="input_audio_buffer.commit")
    assert "response.created" not in call.types
    call.send(type="response.create")
    call.clock.advance(3.0)
    assert call.times_of(AUDIO)[0] == pytest.approx(2.5 + 0.3)
    turn = call.session.turns[0]
    assert (turn.start, turn.end) == pytest.approx((0.0, 0.5))


def test_push_to_talk_ignores_that_the_client_asks_for_turn_detection() -> None:
    call = FakeCall(TurnScript(), push_to_talk=True)
    call.speak(0.5)
    call.wait(2.0)
    assert STOPPED not in call.types


def test_the_client_can_create_cancel_and_clear() -> None:
    call = FakeCall(TurnScript(answer_seconds=4.0))
    call.send(type="session.update", session=MANUAL)
    call.send(type="input_audio_buffer.commit")
    call.send(type="response.cancel")
    codes = [document["error"]["code"] for document in call.documents_of("error")]
    assert codes == ["input_audio_buffer_commit_empty", "response_cancel_not_active"]
    call.speak(0.5)
    call.send(type="input_audio_buffer.clear")
    call.send(type="input_audio_buffer.commit", event_id="mine")
    assert call.documents_of("error")[-1]["error"]["code"] == "input_audio_buffer_commit_empty"
    call.send(type="response.create")
    call.send(type="response.create")
    assert call.documents_of("error")[-1]["error"]["code"] == "conversation_already_has_active_response"
    call.clock.advance(1.0)
    call.send(type="response.cancel")
    assert call.documents_of(DONE)[0]["response"]["status_details"]["reason"] == "client_cancelled"


def test_a_tool_is_called_before_the_answer_and_its_result_is_awaited() -> None:
    tool = ScriptedToolCall(name="opening_hours", arguments={"day": "Friday"})
    call = FakeCall(TurnScript(tool=tool, stop_after=0.5, answer_after=0.2, answer="Nine.", answer_seconds=0.5))
    call.speak(0.5)
    call.wait(2.0)
    done = call.documents_of("response.function_call_arguments.done")[0]
    deltas = [document["delta"] for document in call.documents_of("response.function_call_arguments.delta")]
    assert (done["name"], done["arguments"]) == ("opening_hours", '{"day":"Friday"}')
    assert len(deltas) == 3
    assert "".join(deltas) == done["arguments"]
    assert call.times_of(DONE) == [1.2]
    item = {"type": "function_call_output", "call_id": done["call_id"], "output": "{}"}
    call.send(type="conversation.item.create", item=item)
    assert AUDIO not in call.types
    call.send(type="response.create")
    call.wait(1.5)
    assert call.times_of(AUDIO)[0] == pytest.approx(2.5 + 0.2)
    assert call.documents_of(DONE)[1]["response"]["output"][0]["content"][0]["transcript"] == "Nine."


def test_truncation_is_confirmed_only_within_what_was_sent() -> None:
    call = start_answer(audio_pace=0.0)
    item_id = call.documents_of(AUDIO)[0]["item_id"]
    call.send(type="conversation.item.truncate", item_id=item_id, content_index=0, audio_end_ms=1200)
    call.send(type="conversation.item.truncate", item_id=item_id, content_index=0, audio_end_ms=4100)
    call.send(type="conversation.item.truncate", item_id="other", content_index=0, audio_end_ms=1)
    assert call.documents_of("conversation.item.truncated")[0]["audio_end_ms"] == 1200
    assert call.session.truncations == [(item_id, 1.2)]
    codes = [document["error"]["code"] for document in call.documents_of("error")]
    assert codes == ["invalid_value", "item_truncate_invalid_item_id"]


def test_partial_transcripts_follow_the_words_by_their_delay() -> None:
    turn = TurnScript(
        transcript="please call me", word_ends=(0.3, 0.6, 1.0), word_delay=0.3, stop_after=0.3, transcript_after=0.1
    )
    call = FakeCall(turn)
    transcription = {"transcription": {"model": "x"}}
    call.send(type="session.update", session={"type": "realtime", "audio": {"input": transcription}})
    call.wait(0.1)
    call.speak(1.0)
    call.wait(1.0)
    name = "conversation.item.input_audio_transcription"
    assert call.times_of(f"{name}.delta") == [0.7, 1.0, 1.4]
    assert "".join(document["delta"] for document in call.documents_of(f"{name}.delta")) == "please call me"
    assert call.times_of(f"{name}.completed") == [1.5]


def test_words_that_were_not_sent_before_the_end_come_with_the_final_transcript() -> None:
    call = FakeCall(TurnScript(transcript="please call me", word_delay=5.0, stop_after=0.3))
    transcription = {"transcription": {"model": "x"}}
    call.send(type="session.update", session={"type": "realtime", "audio": {"input": transcription}})
    call.speak(1.0)
    call.wait(1.0)
    deltas = call.documents_of("conversation.item.input_audio_transcription.delta")
    assert [document["delta"] for document in deltas] == ["please call me"]
    call.clock.advance(9.0)
    assert len(call.documents_of("conversation.item.input_audio_transcription.delta")) == 1


def test_errors_have_the_id_of_the_event() -> None:
    call = FakeCall()
    call.send(type="make.coffee", event_id="mine")
    error = call.documents_of("error")[0]["error"]
    assert (error["event_id"], error["code"]) == ("mine", "invalid_value")
    with pytest.raises(ProtocolError):
        call.dialect.read("not JSON")


def test_a_burst_of_audio_is_heard_in_its_own_time() -> None:
    call = FakeCall(TurnScript(stop_after=0.5, answer_seconds=0.2))
    sound = np.concatenate([np.zeros(2_400), np.full(24_000, 1000), np.zeros(24_000)]).astype(np.int16)
    call.send_frame(sound.tobytes())
    call.clock.advance(5.0)
    assert call.documents_of(STOPPED)[0]["audio_end_ms"] == 1100
    assert len(call.times_of(DONE)) == 1


def test_times_of_turns_are_reported() -> None:
    call = start_answer()
    call.wait(5.0)
    (turn,) = call.session.describe_turns()
    expected = {"start": 0.2, "end": 1.2, "speech_start": 0.2, "speech_end": 1.2, "stopped": 1.7, "first_audio": 2.0}
    assert {name: turn[name] for name in expected} == pytest.approx(expected)
    assert turn["last_audio"] == pytest.approx(5.8)


def test_a_tool_that_the_client_requires_is_called_once_before_the_answer() -> None:
    call = FakeCall(TurnScript(stop_after=0.5))
    tools = [{"type": "function", "name": "book_table"}]
    call.send(type="session.update", session={"type": "realtime", "tools": tools, "tool_choice": "required"})
    call.speak(1.0)
    call.wait(2.0)
    (called,) = call.documents_of("response.function_call_arguments.done")
    assert called["name"] == "book_table"
    output = {"type": "function_call_output", "call_id": called["call_id"], "output": "{}"}
    call.send(type="conversation.item.create", item=output)
    call.send(type="response.create")
    call.wait(1.0)
    assert len(call.documents_of("response.function_call_arguments.done")) == 1
    assert call.times_of(AUDIO)


def test_a_turn_without_speech_has_no_words_and_the_next_turn_is_the_first() -> None:
    call = FakeCall(TurnScript(transcript="hello", answer="First."), TurnScript(answer="Second."))
    audio = {"input": {"turn_detection": None, "transcription": {"model": "x"}}}
    call.send(type="session.update", session={"type": "realtime", "audio": audio})
    call.wait(0.5)
    call.send(type="input_audio_buffer.commit")
    call.speak(0.5)
    call.send(type="input_audio_buffer.commit")
    call.send(type="response.create")
    call.clock.advance(9.0)
    completed = call.documents_of("conversation.item.input_audio_transcription.completed")
    assert [document["transcript"] for document in completed] == ["", "hello"]
    assert call.documents_of("response.output_audio_transcript.done")[0]["transcript"] == "First."
