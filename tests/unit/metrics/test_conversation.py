"""Transcripts of conversations for judges."""

from auricle import Audio, Generation, Sample
from auricle.core.types import Turn
from auricle.metrics.conversation import build_transcript, get_turns, is_conversation
from auricle.metrics.judge import judge_reference


def test_a_transcript_uses_assistant_turns_of_the_data() -> None:
    turns = [Turn("user", (Audio("a.wav"), "hi")), Turn("assistant", ("gold",))]
    sample = Sample(id="1", inputs={"turns": [*turns, Turn("user", ("b",))]})
    one, two = [Generation(text="own")], [Generation(text="one"), Generation(text="own")]
    assert build_transcript(sample, one, 0) == "User: [audio] hi\nAssistant: gold\nUser: b"
    assert build_transcript(sample, two, 0) == "[audio] hi"


def test_a_judge_of_the_last_answer_sees_the_history_of_the_data() -> None:
    turns = [Turn("user", ("hello",)), Turn("assistant", ("hi",)), Turn("user", ("and now?",))]
    sample = Sample(id="t", inputs={"turns": turns}, target="noon")
    assert judge_reference.judge_requests
    (request,) = judge_reference.judge_requests(sample, Generation(text="it is noon"))
    assert "User: hello\nAssistant: hi\nUser: and now?" in str(request.turns[0].parts[0])


def test_a_sample_is_a_conversation_if_an_input_has_turns() -> None:
    turn = Turn("user", ("hi",))
    assert get_turns(Sample(id="1", inputs={"question": "?", "turns": [turn]})) == [turn]
    assert not is_conversation(Sample(id="1", inputs={"choices": ["a", "b"]}))
