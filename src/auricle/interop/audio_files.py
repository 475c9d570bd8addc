"""Provide audio as files for code that expects paths."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from auricle.audio import Audio
from auricle.core.errors import SpecError
from auricle.models.request_input import crop_audio


class AudioFiles:
    """Context manager that returns paths of recordings and deletes temporary files on exit.

    Args:
        crop: Maximum seconds of each recording; None keeps all of it.
    """

    def __init__(self, crop: float | None = None) -> None:
        self._crop = crop
        self._folder: TemporaryDirectory[str] | None = None
        self._count = 0

    def get_path(self, audio: Audio) -> str:
        """Return the path of a recording: its own file if nothing is cut, else a temporary WAV file."""
        try:
            return self._path_for(crop_audio(audio, self._crop))
        except ImportError as error:  # the interpreter of another environment
            raise SpecError(
                "Audio that is cropped or in memory needs packages that the model's environment lacks: "
                f"{sys.executable} -m pip install numpy soundfile soxr."
            ) from error

    def _path_for(self, audio: Audio) -> str:
        is_whole_file = audio.data is None and not audio.start and audio.end is None
        if is_whole_file and audio.path is not None:
            return os.fspath(audio)
        self._folder = self._folder or TemporaryDirectory(prefix="auricle-audio-")
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
    """Write a lossless WAV file with all channels: 16-bit integers if they suffice, else floats."""
    import numpy as np
    import soundfile

    samples = audio.decode(mono=False)
    scaled = samples * 32_768
    is_16_bit = bool(np.all(scaled == np.rint(scaled)) and scaled.min() >= -32_768 and scaled.max() < 32_768)
    soundfile.write(
        path,
        scaled.astype(np.int16) if is_16_bit else samples,
        audio.info().rate,
        subtype="PCM_16" if is_16_bit else "FLOAT",
    )
