"""Recordings of texts spoken by a synthesiser that knows the times of its words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import AudioError, DataError
from auricle.media.timed_speech import EspeakLibrary
from auricle.tasks.timestamps.joining import check_length


def speak_texts(texts: Sequence[str], folder: Path, voice: str = "en-us") -> list[dict[str, Any]]:
    """Speak texts, write them as WAV files, and return the rows of a manifest with the times of words.

    Args:
        texts: What is to be spoken; one recording each.
        folder: Folder of the WAV files; the rows contain its name.
        voice: A voice of eSpeak NG.

    Raises:
        DataError: if a text cannot be spoken, or the times exceed the sound.
        SpecError: if eSpeak NG is not installed or has no such voice.
    """
    import soundfile

    if not texts:
        raise DataError("There are no texts to speak.")
    library = EspeakLibrary(voice)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, text in enumerate(texts, 1):
        try:
            speech = library.speak(text)
        except AudioError as error:
            raise DataError(f"Line {number}: {error}.") from error
        path = folder / f"{number:04d}.wav"
        soundfile.write(path, speech.samples, speech.rate, subtype="PCM_16")
        check_length(path, speech.words[-1].end / speech.rate)
        words = [[word.text, word.start / speech.rate, word.end / speech.rate] for word in speech.words]
        rows.append({"id": path.stem, "audio": f"{folder.name}/{path.name}", "text": text, "words": words})
    return rows
