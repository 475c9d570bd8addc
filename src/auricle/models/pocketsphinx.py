"""PocketSphinx: a small English recogniser whose model is part of its package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.core.errors import MissingExtra
from auricle.core.types import Generate, Generation
from auricle.models.audio_input import get_single_audio, to_pcm16
from auricle.models.base import BatchModel

RATE = 16_000


class PocketSphinx(BatchModel):
    """An English recogniser for the CPU; transcribes one clip at a time."""

    batch_size = 1
    sample_rate = RATE

    def __init__(self, **settings: Any) -> None:
        """Load the model.

        Args:
            **settings: Options of PocketSphinx's `Decoder`, such as `beam` or `fwdflat`.
        """
        try:
            from pocketsphinx import Decoder
        except ImportError as error:
            raise MissingExtra("The model pocketsphinx", "demo") from error
        self._decoder: Any = Decoder(samprate=RATE, loglevel="FATAL", **settings)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=self._transcribe(request)) for request in batch]

    def _transcribe(self, request: Generate) -> str:
        samples = to_pcm16(get_single_audio(request), RATE)
        # Cepstral mean normalisation carries over from clip to clip. Resetting it makes the result independent of
        # the order of the data.
        self._decoder.reinit_feat()
        self._decoder.start_utt()
        self._decoder.process_raw(samples, full_utt=True)
        self._decoder.end_utt()
        hypothesis = self._decoder.hyp()
        return hypothesis.hypstr if hypothesis else ""
