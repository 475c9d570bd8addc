"""PocketSphinx: a small English recogniser whose model is part of its package."""

from __future__ import annotations

from typing import Any

from auricle.audio import Audio
from auricle.core.errors import MissingExtra
from auricle.models.audio_input import SPEECH_RATE, Recogniser, to_pcm16


class PocketSphinx(Recogniser):
    """An English recogniser for the CPU; transcribes one clip at a time."""

    def __init__(self, **settings: Any) -> None:
        """Load the model.

        Args:
            **settings: Options of PocketSphinx's `Decoder`, such as `beam` or `fwdflat`.
        """
        try:
            from pocketsphinx import Decoder
        except ImportError as error:
            raise MissingExtra("The model pocketsphinx", "demo") from error
        self._decoder: Any = Decoder(samprate=SPEECH_RATE, loglevel="FATAL", **settings)

    def transcribe(self, audio: Audio) -> str:
        samples = to_pcm16(audio, SPEECH_RATE)
        # Cepstral mean normalisation carries over from clip to clip. Resetting it makes the result independent of
        # the order of the data.
        self._decoder.reinit_feat()
        self._decoder.start_utt()
        self._decoder.process_raw(samples, full_utt=True)
        self._decoder.end_utt()
        hypothesis = self._decoder.hyp()
        return hypothesis.hypstr if hypothesis else ""
