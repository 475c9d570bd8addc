"""Moonshine tiny-en: a real recogniser whose weights arrive inside its package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import MissingExtra
from auricle.core.types import Generate, Generation
from auricle.models.audio_input import get_single_audio
from auricle.models.base import BatchModel

RATE = 16_000


class Moonshine(BatchModel):
    """English speech to text on the CPU, one clip after another."""

    batch_size = 1
    sample_rate = RATE

    def __init__(self, *, vad_threshold: float = 0.0) -> None:
        """Voice detection is off (0): on short clips it invents words. For minutes, give 0.5."""
        self._transcriber = _load_transcriber(vad_threshold)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=self._transcribe(request)) for request in batch]

    def _transcribe(self, request: Generate) -> str:
        sound = get_single_audio(request).decode(RATE)
        heard = self._transcriber.transcribe_without_streaming(sound, RATE)
        return " ".join(line.text.strip() for line in heard.lines)

    def close(self) -> None:
        self._transcriber.close()


def _load_transcriber(vad_threshold: float) -> Any:
    try:
        from moonshine_voice import ModelArch, Transcriber, get_model_path
    except ImportError as error:
        raise MissingExtra("The model moonshine", "demo") from error
    weights = Path(get_model_path("tiny-en"))
    if not weights.exists():  # later releases of the package download theirs
        raise MissingExtra("The model moonshine (with its weights)", "demo")
    options = {"vad_threshold": str(vad_threshold)}
    return Transcriber(str(weights), ModelArch.TINY, options=options)
