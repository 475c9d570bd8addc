"""The speech in outputs, and the text that it should contain."""

import numpy as np
import pytest

from auricle.core.calls import CallRecording, Event, EventKind, Span
from auricle.core.errors import Unreadable, Unsuited
from auricle.core.types import Generation, Output, Prediction, Sample
from auricle.media import Audio
from auricle.tasks.speech.metrics.outputs import find_recording, get_requested_text, list_spoken_outputs, require_audio

CLIP = Audio.of(np.full(800, 0.25, dtype=np.float32), rate=8000)
FREE = Sample(id="1", inputs={"question": "How are you?"}, target="fine")
READ = Sample(id="2", inputs={"text": "Good morning."}, target="Good morning.")


def record_call(agent: tuple[Span, ...] = (Span(start=0.5, end=0.9, kind="agent"),)) -> CallRecording:
    channels = np.stack([np.zeros(8000), np.linspace(0, 1, 8000)], axis=1).astype(np.float32)
    event = Event(at=0.5, side="received", kind=EventKind.TRANSCRIPT, item="a", text="Hello there")
    return CallRecording(events=(event,), caller=(), agent=agent, seconds=1.0, audio=Audio.of(channels, rate=8000))


def test_a_free_answer_should_contain_its_own_text() -> None:
    (spoken,) = list_spoken_outputs(FREE, [Generation(text="I am fine.", audio=CLIP)])
    assert (spoken.audio, spoken.text) == (CLIP, "I am fine.")


def test_requested_speech_should_contain_the_requested_text() -> None:
    (spoken,) = list_spoken_outputs(READ, [Generation(text="", audio=CLIP)])
    assert spoken.text == "Good morning."
    assert get_requested_text(FREE) is None
    assert get_requested_text(Sample(id="3", inputs={"text": "  "}, target="  ")) is None
    assert get_requested_text(Sample(id="4", inputs={"text": "Translate: Hallo"}, target="hello")) is None


@pytest.mark.parametrize("as_generation", [False, True])
def test_the_speech_of_a_call_is_that_of_the_agent(as_generation: bool) -> None:
    call = record_call()
    output: Output = Generation(text="understood", call=call) if as_generation else call
    (spoken,) = list_spoken_outputs(FREE, [output])
    assert spoken.text == "Hello there"
    assert spoken.audio is not None
    assert spoken.audio.decode() == pytest.approx(np.linspace(0, 1, 8000)[3200:8000], abs=1e-4)


def test_utterances_of_an_agent_are_cut_apart_with_a_margin() -> None:
    agent = tuple(Span(start=start, end=start + 0.1, kind="agent") for start in (0.0, 0.5))
    (spoken,) = list_spoken_outputs(FREE, [record_call(agent)])
    lengths = [len(utterance.decode()) for utterance in spoken.utterances]
    assert lengths == [1600, 2400]
    assert spoken.audio is not None
    assert len(spoken.audio.decode()) == sum(lengths)
    assert spoken.utterances[1].decode()[0] == pytest.approx(0.4, abs=1e-3)


def test_what_was_not_played_should_not_be_heard() -> None:
    started = Event(at=0.0, side="played", kind=EventKind.PLAYBACK_STARTED, item="a")
    received = Event(at=0.4, side="received", kind=EventKind.AUDIO, item="a", seconds=2.0)
    flushed = Event(at=1.0, side="played", kind=EventKind.PLAYBACK_FLUSHED, item="a", seconds=1.0)
    agent = (Span(start=0.0, end=1.0, kind="agent"),)
    call = record_call()
    cut = CallRecording(events=(started, *call.events, received, flushed), caller=(), agent=agent, seconds=1.0)
    assert list_spoken_outputs(FREE, [cut])[0].text == "Hello"


def test_an_agent_that_stays_silent_has_no_speech() -> None:
    assert list_spoken_outputs(FREE, [record_call(agent=())])[0].audio is None


def test_a_recording_with_one_channel_has_no_speech_of_the_agent() -> None:
    call = record_call()
    mono = CallRecording(events=call.events, caller=(), agent=call.agent, seconds=1.0, audio=CLIP)
    assert list_spoken_outputs(FREE, [mono])[0].audio is None


def test_answers_without_audio_are_not_readable() -> None:
    with pytest.raises(Unreadable, match="the answer has no audio"):
        require_audio(list_spoken_outputs(FREE, [Generation(text="I am fine.")]))


def test_numbers_are_no_speech() -> None:
    with pytest.raises(Unsuited, match="needs spoken answers; this model's outputs are Prediction"):
        list_spoken_outputs(FREE, [Prediction(values={"happy": 1.0}, scale="probability")])


def test_the_first_recording_of_several_inputs_is_used() -> None:
    sample = Sample(id="1", inputs={"voice": "alloy", "prompt_audio": [CLIP], "reference": Audio("b.wav")})
    assert find_recording(sample, ("voice", "prompt_audio", "reference")) is CLIP
    assert find_recording(sample, ("voice",)) is None
