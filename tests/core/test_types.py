"""Helpers for samples and requests."""

from typing import Any

import pytest

from auricle import Audio, Generate, Generation, Image, LogLikelihood, Predict, Sample, Turn
from auricle.core.calls import CallRecording
from auricle.core.types import (
    Input,
    Likelihood,
    Outcome,
    Output,
    Part,
    Record,
    determine_outcome,
    get_call,
    get_max_tokens,
    has_audio,
    has_media,
    list_parts,
)
from tests.support.calls import make_recording

CLIP, PICTURE = Audio("a.wav"), Image("a.png")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", False),
        (["a", "b"], False),
        ([Turn("user", ("a",))], False),
        (CLIP, True),
        (["a", CLIP], True),
        ([Turn("user", ("a", CLIP))], True),
    ],
)
def test_media_are_noticed_in_every_kind_of_input(value: Input, expected: bool) -> None:
    assert has_media(Sample(id="1", inputs={"question": "x", "value": value})) is expected


def test_parts_of_turns_are_listed_in_order() -> None:
    assert list_parts("text") == ["text"]
    mixed: list[Part] = ["a", CLIP]
    assert list_parts(mixed) == mixed
    assert list_parts([Turn("user", ("a", CLIP)), Turn("assistant", ("b",))]) == ["a", CLIP, "b"]


def test_media_of_a_request_are_listed_in_order() -> None:
    assert Generate(turns=(Turn("user", ("a", CLIP)), Turn("user", (PICTURE,)))).media == [CLIP, PICTURE]
    assert Predict(inputs={"text": "a", "audio": CLIP}).media == [CLIP]


def test_max_tokens_of_a_row_is_read_from_its_metadata() -> None:
    assert get_max_tokens(Sample(id="1", inputs={}, meta={"max_tokens": 3, "max_out_len": 9})) == 3
    assert get_max_tokens(Sample(id="1", inputs={}, meta={"max_out_len": 9})) == 9
    assert get_max_tokens(Sample(id="1", inputs={})) is None


def test_a_spoken_answer_without_a_transcript_is_not_empty() -> None:
    sample = Sample(id="a", inputs={})
    for audio, outcome in ((None, Outcome.EMPTY), (Audio("a.wav"), Outcome.ANSWERED)):
        assert Record(sample=sample, row=0, outputs=(Generation(text=" ", audio=audio),)).outcome is outcome


def test_segments_without_a_text_are_not_empty() -> None:
    assert determine_outcome([Generation(text="", segments=())], None) is Outcome.ANSWERED


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, Outcome.ANSWERED),
        ({"events": ()}, Outcome.ANSWERED),
        ({"agent": ()}, Outcome.ANSWERED),
        ({"agent": (), "events": ()}, Outcome.EMPTY),
    ],
    ids=["both", "speech alone", "transcript and tool call alone", "nothing"],
)
def test_a_call_in_which_the_agent_does_nothing_is_empty(changes: dict[str, Any], outcome: Outcome) -> None:
    assert determine_outcome((make_recording(**changes),), None) is outcome


def test_the_call_of_an_output_is_itself_or_beside_the_text() -> None:
    call = make_recording()
    outputs: list[Output] = [call, Generation(text="a", call=call), Generation(text="a"), Likelihood(logprobs=())]
    assert list(map(get_call, outputs)) == [call, call, None, None]


def test_audio_is_noticed_in_inputs_lists_and_turns() -> None:
    values: list[Input] = [CLIP, [CLIP], (Turn("user", (CLIP, "What?")),)]
    for value in values:
        assert has_audio(Sample(id="a", inputs={"x": value}))
    assert not has_audio(Sample(id="a", inputs={"x": "a.wav", "y": (Turn("user", ("What?",)),)}))


def test_every_kind_of_request_gives_access_to_its_content() -> None:
    turns = (Turn("system", ("be brief",)), Turn("user", (CLIP, "what?", PICTURE)), Turn("assistant", ("a cat",)))
    for request in (Generate(turns=turns), LogLikelihood(turns=turns, continuation="x")):
        assert (request.audio, request.audios, request.images, request.videos) == (CLIP, [CLIP], [PICTURE], [])
        assert request.text == "be brief\nwhat?"
        assert request.parts == ["be brief", CLIP, "what?", PICTURE, "a cat"]
    prediction = Predict(inputs={"audio": CLIP, "text": "calm piano"})
    assert (prediction.audio, prediction.text, prediction.images) == (CLIP, "calm piano", [])
    assert Predict(inputs={}).audio is None


def test_call_of_a_record_is_that_of_its_last_output_with_one() -> None:
    sample = Sample(id="1", inputs={})
    first, last = (CallRecording(events=(), caller=(), agent=(), seconds=seconds) for seconds in (1.0, 2.0))
    outputs = (first, Generation(text="heard", call=last), Generation(text="no call"))
    assert Record(sample=sample, row=0, outputs=outputs).call is last
    assert Record(sample=sample, row=0).call is None
