"""Resemblyzer: speaker embeddings of 256 numbers; the weights are part of the package.

-m resemblyzer
-m resemblyzer -M vad=false
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any

from auricle.core.arguments import Hint
from auricle.core.errors import SampleError
from auricle.media import Audio
from auricle.media.mel import mel_power
from auricle.models.embeddings import EmbeddingModel
from auricle.models.listing import ModelListing
from auricle.models.request_input import SPEECH_RATE, crop_audio, parse_crop
from auricle.models.transformers.weights import resolve_device

FRAME_LENGTH, HOP_LENGTH, MEL_BANDS = 400, 160, 40
LEVEL = -30.0  # dBFS; quieter recordings are amplified to it
PARTIALS_PER_SECOND = 1.3
MIN_COVERAGE = 0.75  # share of the last window that must be sound


class Resemblyzer(EmbeddingModel):
    """A speaker encoder trained with the GE2E loss (LSTM) on English speech.

    A recording is embedded as the mean over windows of 1.6 s, as in the package. The package computes its spectra with
    librosa, whose just-in-time compilation takes half a minute; the same spectra are computed here with NumPy.
    """

    listing = ModelListing(
        group="Speakers", extra="speakers", packages=("resemblyzer", "torch", "webrtcvad"), weights="package"
    )

    def __init__(
        self,
        *,
        vad: bool = True,
        crop: float | None = None,
        device: Annotated[str, Hint(choices=("auto", "cpu", "cuda:0", "mps"))] = "auto",
    ) -> None:
        """Load the model.

        Args:
            vad: Remove long pauses first, with the package's voice activity detector (WebRTC, mode 3).
            crop: Use only the first `crop` seconds of each recording.
            device: `auto`, `cpu`, `cuda:N` or `mps`.
        """
        self.listing.require("The model resemblyzer")
        self._crop_seconds = parse_crop("resemblyzer", crop)
        self._vad = vad
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecated imports of the package and of webrtcvad
            from resemblyzer import VoiceEncoder
            from resemblyzer import audio as package_audio
        self._normalize_volume: Any = package_audio.normalize_volume
        self._trim_long_silences: Any = package_audio.trim_long_silences
        self._encoder: Any = VoiceEncoder(resolve_device("resemblyzer", device), verbose=False)
        self._encoder.eval()

    def embed(self, audios: Sequence[Audio]) -> list[Any]:
        import numpy as np

        windows = [self._compute_windows(audio) for audio in audios]
        partials = self._encode(np.concatenate(windows))
        ends = np.cumsum([len(item) for item in windows])
        return [_mean_direction(part) for part in np.split(partials, ends[:-1])]

    def _compute_windows(self, audio: Audio) -> Any:
        """Return the mel spectrograms of the windows of a recording, as (windows, frames, bands)."""
        import numpy as np

        samples = self._prepare(audio)
        wave_slices, mel_slices = self._encoder.compute_partial_slices(len(samples), PARTIALS_PER_SECOND, MIN_COVERAGE)
        padding = max(0, wave_slices[-1].stop - len(samples))
        mel = mel_power(np.pad(samples, (0, padding)), SPEECH_RATE, FRAME_LENGTH, HOP_LENGTH, MEL_BANDS)
        return np.array([mel[part] for part in mel_slices], dtype=np.float32)

    def _prepare(self, audio: Audio) -> Any:
        samples = crop_audio(audio, self._crop_seconds).decode(SPEECH_RATE).clip(-1.0, 1.0)
        if not samples.any():
            raise SampleError("the recording is silent")
        samples = self._normalize_volume(samples, LEVEL, increase_only=True).clip(-1.0, 1.0)
        if not self._vad:
            return samples
        trimmed = self._trim_long_silences(samples)
        if not len(trimmed):
            raise SampleError("no speech was detected in the recording; -M vad=false embeds it without trimming")
        return trimmed

    def _encode(self, windows: Any) -> Any:
        import torch

        with torch.no_grad():
            return self._encoder(torch.from_numpy(windows).to(self._encoder.device)).cpu().numpy()

    def close(self) -> None:
        self._encoder = None


def _mean_direction(partials: Any) -> Any:
    import numpy as np

    mean = partials.mean(axis=0)
    return mean / np.linalg.norm(mean)
