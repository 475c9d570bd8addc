"""Moonshine tiny-en: an English recogniser whose weights are part of its package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import MissingExtra
from auricle.models.audio_input import SPEECH_RATE, Recogniser


class Moonshine(Recogniser):
    """An English recogniser for the CPU; transcribes one clip at a time."""

    def __init__(self, *, vad_threshold: float = 0.0) -> None:
        """Load the model.

        Args:
            vad_threshold: Threshold of voice activity detection. Off (0) by default, because on short clips it makes
                the model invent words; use 0.5 for recordings of several minutes.
        """
        self._transcriber = _load_transcriber(vad_threshold)

    def transcribe(self, audio: Audio) -> str:
        samples = audio.decode(SPEECH_RATE)
        transcript = self._transcriber.transcribe_without_streaming(samples, SPEECH_RATE)
        return " ".join(line.text.strip() for line in transcript.lines)

    def close(self) -> None:
        self._transcriber.close()


def _load_transcriber(vad_threshold: float) -> Any:
    try:
        from moonshine_voice import ModelArch, Transcriber, get_model_path
    except ImportError as error:
        raise MissingExtra("The model moonshine", "demo") from error
    weights = Path(get_model_path("tiny-en"))
    if not weights.exists():  # later releases of the package download the weights
        raise MissingExtra("The model moonshine (with its weights)", "demo")
    options = {"vad_threshold": str(vad_threshold)}
    return Transcriber(str(weights), ModelArch.TINY, options=options)
