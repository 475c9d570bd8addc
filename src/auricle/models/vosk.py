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

from auricle.audio import Audio
from auricle.core.errors import MissingExtra, SpecError
from auricle.models.audio_input import SPEECH_RATE, Recogniser, to_pcm16

CHUNK_BYTES = 8_000  # a quarter of a second, as in the library's examples
SEED = 1
ACOUSTIC_MODEL_FILES = ("am/final.mdl", "final.mdl")  # new and old layout


class Vosk(Recogniser):
    """A recogniser for the CPU; transcribes one clip at a time."""

    def __init__(self, model: str) -> None:
        """Load the model.

        Args:
            model: A folder, or the name of a model in one of Vosk's model directories.
        """
        try:
            import vosk
        except ImportError as error:
            raise MissingExtra("The model vosk", "vosk") from error
        vosk.SetLogLevel(-1)
        self._new_recogniser = vosk.KaldiRecognizer
        self._model: Any = _load_model(vosk, _find_model_folder(model, vosk.MODEL_DIRS))

    def transcribe(self, audio: Audio) -> str:
        pcm = to_pcm16(audio, SPEECH_RATE)
        # A recogniser adapts to its input and adds random noise. A new recogniser and a fixed seed per clip make the
        # result independent of the order of the data and reproducible.
        _reseed()
        recogniser = self._new_recogniser(self._model, SPEECH_RATE)
        results = [
            recogniser.Result()  # after a pause, the text before it is final
            for start in range(0, len(pcm), CHUNK_BYTES)
            if recogniser.AcceptWaveform(pcm[start : start + CHUNK_BYTES])
        ]
        texts = (json.loads(result)["text"] for result in [*results, recogniser.FinalResult()])
        return " ".join(text for text in texts if text)


def _reseed() -> None:
    """Seed C's random generator, from which Kaldi draws its dither noise."""
    if sys.platform != "win32":  # on Windows the generator of a library cannot be reached
        ctypes.CDLL(None).srand(SEED)


def _find_model_folder(model: str, model_dirs: Sequence[str | Path | None]) -> Path:
    """Find a local model. Vosk's own lookup downloads without a checksum or ends the process."""
    folders = [Path(model).expanduser(), *(Path(model_dir) / model for model_dir in model_dirs if model_dir)]
    folders = list(dict.fromkeys(folders))  # an absolute path is the same in every directory
    for folder in folders:
        if folder.is_dir():
            return folder
    raise SpecError(
        f"vosk: model folder not found: {', '.join(map(str, folders))}. Unpack a model from "
        "https://alphacephei.com/vosk/models and set -M model=FOLDER."
    )


def _load_model(vosk: Any, folder: Path) -> Any:
    if not any((folder / name).is_file() for name in ACOUSTIC_MODEL_FILES):
        raise SpecError(f"vosk: {folder} is not a Vosk model: missing {' or '.join(ACOUSTIC_MODEL_FILES)}.")
    try:
        return vosk.Model(model_path=str(folder))
    except Exception as error:
        raise SpecError(f"vosk: cannot load the model in {folder}: {error}.") from error
