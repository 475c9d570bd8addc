"""The inferencer `speak`: asks a synthesiser to speak a text, with one seed or several."""

from __future__ import annotations

from dataclasses import dataclass, replace

from auricle.core.types import Generate, Sample, Turn
from auricle.engine.inferencers.base import PromptMixin
from auricle.engine.inferencers.generate import Respond
from auricle.media import Audio

PROMPT_AUDIO, PROMPT_TEXT = "prompt_audio", "prompt_text"
"""Inputs of a sample with the recording of the voice to imitate, and what is spoken in it."""


@dataclass(frozen=True)
class Speak(Respond):
    """Asks for a text to be spoken, once for each seed.

    The request has the text as its user turn. If the sample has a voice to imitate, an assistant turn before it
    contains the recording and what is spoken in it, as if the model had spoken it.
    """

    prompt: str = "{text}"

    def __post_init__(self, system: str) -> None:
        PromptMixin.__post_init__(self, system)  # synthesisers draw at random without a temperature, too

    def request(self, sample: Sample) -> Generate:
        request = super().request(sample)
        recording = sample.inputs.get(PROMPT_AUDIO)
        if not isinstance(recording, Audio):
            return request
        text = sample.inputs.get(PROMPT_TEXT)
        spoken = Turn("assistant", (recording, text) if isinstance(text, str) and text else (recording,))
        place = sum(turn.role == "system" for turn in request.turns)
        return replace(request, turns=(*request.turns[:place], spoken, *request.turns[place:]))
