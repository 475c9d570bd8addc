"""The speech in the outputs of a sample and the text that it should contain, for metrics that other models score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auricle.core.calls import CallRecording
from auricle.core.errors import Unreadable, Unsuited
from auricle.core.heard_speech import join_heard
from auricle.core.types import REFERENCE_INPUT, Generation, Output, Sample, get_call
from auricle.media import Audio

NO_AUDIO = "the answer has no audio"
AGENT_CHANNEL = 1
"""Channel of a call's recording that has the agent as it was played."""
TEXT_INPUT = "text"
"""Input with the text that a synthesiser is asked to speak."""
VOICE_INPUTS = ("voice", "prompt_audio", REFERENCE_INPUT)
"""Inputs with a recording of the voice that an answer should have, in order of preference."""


MARGIN_SECONDS = 0.1
"""What is kept before and after each utterance of an agent."""


@dataclass(frozen=True, slots=True)
class SpokenOutput:
    """One spoken output: its audio, if there is any, and the text that should be heard in it."""

    audio: Audio | None
    text: str
    utterances: tuple[Audio, ...] = ()
    """The audio in parts: the utterances of an agent, between which the caller spoke."""

    @classmethod
    def of(cls, audio: Audio | None, text: str) -> SpokenOutput:
        """Return an output that is one utterance."""
        return cls(audio, text, () if audio is None else (audio,))


def list_spoken_outputs(sample: Sample, outputs: Sequence[Output]) -> list[SpokenOutput]:
    """Return each output with the text that it should contain: the one asked for, or else its own transcript.

    Raises:
        Unsuited: if the model returns no text or speech at all.
    """
    return [_read_output(sample, output) for output in outputs]


def require_audio(spoken: Sequence[SpokenOutput]) -> list[Audio]:
    """Return the audio of all outputs that have one.

    Raises:
        Unreadable: if none has.
    """
    audios = [output.audio for output in spoken if output.audio is not None]
    if not audios:
        raise Unreadable(NO_AUDIO)
    return audios


def _read_output(sample: Sample, output: Output) -> SpokenOutput:
    if call := get_call(output):
        return _read_call(call)
    if not isinstance(output, Generation):
        raise Unsuited(f"needs spoken answers; this model's outputs are {type(output).__name__}")
    requested = get_requested_text(sample)
    return SpokenOutput.of(output.audio, output.text if requested is None else requested)


def _read_call(call: CallRecording) -> SpokenOutput:
    """Return what the agent spoke in a call, as far as it was played, without the silence in which it listened."""
    text = join_heard(call)
    if call.audio is None or not call.agent:
        return SpokenOutput(None, text)
    import numpy as np

    channels, rate = call.audio.decode(mono=False), call.audio.info().rate
    if channels.shape[1] <= AGENT_CHANNEL:
        return SpokenOutput(None, text)
    bounds = [(max(0.0, span.start - MARGIN_SECONDS), span.end + MARGIN_SECONDS) for span in call.agent]
    parts = [channels[round(start * rate) : round(end * rate), AGENT_CHANNEL].copy() for start, end in bounds]
    parts = [part for part in parts if len(part)]
    if not parts:
        return SpokenOutput(None, text)
    utterances = tuple(Audio.of(part, rate=rate) for part in parts)
    return SpokenOutput(Audio.of(np.concatenate(parts), rate=rate), text, utterances)


def get_requested_text(sample: Sample) -> str | None:
    """Return the text that the model was asked to speak, which is the target, too; None if it chose its own words."""
    text = sample.inputs.get(TEXT_INPUT)
    return text if isinstance(text, str) and text.strip() and text == sample.target else None


def find_recording(sample: Sample, names: Sequence[str]) -> Audio | None:
    """Return the first of several inputs that is audio, alone or as the first of a list."""
    for name in names:
        value = sample.inputs.get(name)
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        if isinstance(first, Audio):
            return first
    return None
