"""Sounds for code that wants paths: their own files, or temporary ones that are cleared away."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from auricle.audio import Audio
from auricle.core.errors import SpecError
from auricle.models.audio_input import crop_audio


class AudioFiles:
    """Paths of sounds, at most `crop` seconds of each; what is temporary ends with the block."""

    def __init__(self, crop: float | None = None) -> None:
        self._crop = crop
        self._folder: TemporaryDirectory[str] | None = None
        self._count = 0

    def get_path(self, audio: Audio) -> str:
        """The sound's own file if it is all of it, else a WAV file with what is asked for."""
        try:
            return self._path_for(crop_audio(audio, self._crop))
        except ImportError as error:  # another Python than Auricle's own
            raise SpecError(
                "Sounds that are cut or in memory need more where the model runs: "
                f"{sys.executable} -m pip install numpy soundfile soxr."
            ) from error

    def _path_for(self, audio: Audio) -> str:
        whole = audio.data is None and not audio.start and audio.end is None
        if whole and audio.path is not None:
            return os.fspath(audio)
        self._folder = self._folder or TemporaryDirectory(prefix="auricle-sounds-")
        self._count += 1
        path = Path(self._folder.name) / f"{self._count}.wav"
        write_wav(audio, path)
        return str(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder:
            self._folder.cleanup()


def write_wav(audio: Audio, path: Path) -> None:
    """A WAV file that loses nothing: all channels, 16 bits where they hold it, else floats."""
    import numpy as np
    import soundfile

    values = audio.decode(mono=False)
    steps = values * 32_768
    fits = bool(np.all(steps == np.rint(steps)) and steps.min() >= -32_768 and steps.max() < 32_768)
    soundfile.write(
        path, steps.astype(np.int16) if fits else values, audio.info().rate, subtype="PCM_16" if fits else "FLOAT"
    )
