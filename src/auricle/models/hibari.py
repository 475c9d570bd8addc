"""A neural synthesiser for the CPU, whose English voice is part of its package.

-m hibari
-m hibari -M voice=emma -M speed=1.1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from auricle.core.arguments import Hint
from auricle.core.errors import SpecError
from auricle.core.types import Generate, Generation
from auricle.media.voices import HIBARI_VOICES, HibariVoice
from auricle.models.base import BatchModel
from auricle.models.listing import ModelListing

SPEED_RANGE = (0.5, 2.0)


class Hibari(BatchModel):
    """The package hibari-tts, which speaks English at 24 kHz; a seed decides what it draws at random."""

    batch_size = 1
    languages = ("en",)
    modalities = ("text",)  # it does not imitate voices
    listing = ModelListing(group="Speech synthesis", extra="tts", packages=("hibari",), weights="package")

    def __init__(
        self, *, voice: Annotated[str, Hint(choices=HIBARI_VOICES)] = HIBARI_VOICES[0], speed: float = 1.0
    ) -> None:
        """Load the voice.

        Args:
            voice: Name of a voice. All but the default are downloaded when they are first used.
            speed: Tempo relative to the usual one.
        """
        self.listing.require("The model hibari")
        if voice not in HIBARI_VOICES:
            raise SpecError(f"hibari: unknown voice {voice!r}. Voices: {', '.join(HIBARI_VOICES)}.")
        low, high = SPEED_RANGE
        if isinstance(speed, bool) or not isinstance(speed, (int, float)) or not low <= speed <= high:
            raise SpecError(f"hibari: speed must be a number from {low:g} to {high:g}, not {speed!r}.")
        self._voice = HibariVoice(voice)
        self._speed = float(speed)
        self._voice.load()

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [
            Generation(text="", audio=self._voice.synthesise(request.text, seed=request.seed, speed=self._speed))
            for request in batch
        ]
