"""Vosk: Kaldi recognisers for many languages, small enough for any machine.

-m vosk -M model=./vosk-model-small-en-us-0.15
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import MissingExtra, SpecError
from auricle.core.types import Generate, Generation
from auricle.models.audio_input import get_single_audio, to_pcm16
from auricle.models.base import BatchModel

RATE = 16_000
CHUNK_BYTES = 8_000  # bytes, a quarter of a second: what the library's own examples feed at a time
SEED = 1
ACOUSTIC_MODEL_FILES = ("am/final.mdl", "final.mdl")  # where a model has its acoustic part, new and old


class Vosk(BatchModel):
    """Speech to text on the CPU, one clip after another."""

    batch_size = 1
    sample_rate = RATE

    def __init__(self, model: str) -> None:
        """`model` is a folder, or the name of one where Vosk keeps its models."""
        try:
            import vosk
        except ImportError as error:
            raise MissingExtra("The model vosk", "vosk") from error
        vosk.SetLogLevel(-1)
        self._new_recogniser = vosk.KaldiRecognizer
        self._model: Any = _load_model(vosk, _find_model_folder(model, vosk.MODEL_DIRS))

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [Generation(text=self._transcribe(request)) for request in batch]

    def _transcribe(self, request: Generate) -> str:
        sound = to_pcm16(get_single_audio(request), RATE)
        # A recogniser adapts to what it hears: each clip gets its own, and the same noise, so that
        # an answer depends neither on the order of the data nor on chance.
        _reseed()
        recogniser = self._new_recogniser(self._model, RATE)
        heard = [
            recogniser.Result()  # a pause: what was said before it is final
            for start in range(0, len(sound), CHUNK_BYTES)
            if recogniser.AcceptWaveform(sound[start : start + CHUNK_BYTES])
        ]
        texts = (json.loads(each)["text"] for each in [*heard, recogniser.FinalResult()])
        return " ".join(text for text in texts if text)


def _reseed() -> None:
    """Kaldi adds a little noise to every sound, drawn by C's own generator: the same each time."""
    if sys.platform != "win32":  # there, a library's C generator is out of reach
        ctypes.CDLL(None).srand(SEED)


def _find_model_folder(model: str, model_dirs: Sequence[str | Path | None]) -> Path:
    """Nothing is downloaded: the library would fetch without a checksum, or end the process."""
    places = [Path(model).expanduser(), *(Path(place) / model for place in model_dirs if place)]
    places = list(dict.fromkeys(places))  # a whole path is the same from anywhere
    for folder in places:
        if folder.is_dir():
            return folder
    raise SpecError(
        f"vosk: there is no folder {', nor '.join(map(str, places))}. Unpack a model from "
        "https://alphacephei.com/vosk/models there, and give -M model=FOLDER."
    )


def _load_model(vosk: Any, folder: Path) -> Any:
    if not any((folder / name).is_file() for name in ACOUSTIC_MODEL_FILES):
        raise SpecError(f"vosk: {folder} is no Vosk model: it has no {' or '.join(ACOUSTIC_MODEL_FILES)}.")
    try:
        return vosk.Model(model_path=str(folder))
    except Exception as error:
        raise SpecError(f"vosk: the model in {folder} cannot be loaded: {error}.") from error
