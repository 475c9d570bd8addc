"""The synthesiser eSpeak NG, which speaks more than a hundred languages with simple rules.

-m espeak
-m espeak -M voice=de
"""

from __future__ import annotations

from collections.abc import Sequence

from auricle.core.errors import AudioError, SpecError
from auricle.core.types import Generate, Generation
from auricle.media.voices import ESPEAK_PROGRAMS, find_voice
from auricle.models.base import BatchModel
from auricle.models.listing import ModelListing


class Espeak(BatchModel):
    """The program eSpeak NG, which has to be installed; it speaks a text always in the same way."""

    batch_size = 1
    modalities = ("text",)  # it does not imitate voices
    listing = ModelListing(group="Speech synthesis", programs=ESPEAK_PROGRAMS)

    def __init__(self, *, voice: str = "en-us") -> None:
        """Find the program.

        Args:
            voice: A voice or a language, such as `de`; see `espeak-ng --voices`.
        """
        self.listing.require("The model espeak")
        self._voice = find_voice(f"espeak:{voice}")
        try:
            self._voice.synthesise("a")  # an unknown voice is reported before the run
        except AudioError as error:
            raise SpecError(f"{error}. See `espeak-ng --voices`.") from error

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text="", audio=self._voice.synthesise(request.text)) for request in batch]
