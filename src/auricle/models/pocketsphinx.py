"""PocketSphinx: a small classic recogniser with its English model inside its package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.core.errors import MissingExtra
from auricle.core.types import Generate, Generation
from auricle.models.audio_input import get_single_audio, to_pcm16
from auricle.models.base import BatchModel

RATE = 16_000


class PocketSphinx(BatchModel):
    """English speech to text on the CPU, one clip after another."""

    batch_size = 1
    sample_rate = RATE

    def __init__(self, **settings: Any) -> None:
        """`settings` are PocketSphinx's own, such as `beam` or `fwdflat`."""
        try:
            from pocketsphinx import Decoder
        except ImportError as error:
            raise MissingExtra("The model pocketsphinx", "demo") from error
        self._decoder: Any = Decoder(samprate=RATE, loglevel="FATAL", **settings)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=self._transcribe(request)) for request in batch]

    def _transcribe(self, request: Generate) -> str:
        samples = to_pcm16(get_single_audio(request), RATE)
        # Its mean-subtraction adapts from one clip to the next; each clip starts afresh, so that
        # an answer does not depend on the order of the data.
        self._decoder.reinit_feat()
        self._decoder.start_utt()
        self._decoder.process_raw(samples, full_utt=True)
        self._decoder.end_utt()
        heard = self._decoder.hyp()
        return heard.hypstr if heard else ""
