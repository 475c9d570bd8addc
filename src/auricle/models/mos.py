"""Speech quality models whose weights are part of Microsoft's package `speechmos`.

-m plcmos
-m dnsmos -M personalized=true
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Predict, Prediction
from auricle.media.mel import mel_power
from auricle.models.base import BatchModel
from auricle.models.listing import ModelListing
from auricle.models.request_input import crop_audio, get_candidate_audio, parse_crop

RATE = 16_000
MIN_SECONDS = 0.1  # shortest clip that is rated
WINDOW_SECONDS = 9.01  # input length of DNSMOS
FRAME_LENGTH, HOP_LENGTH, MEL_BANDS = 321, 160, 120
GENERAL_POLYNOMIALS = {
    "ovrl_mos": (-0.06766283, 1.11546468, 0.04602535),
    "sig_mos": (-0.08397278, 1.22083953, 0.0052439),
    "bak_mos": (-0.13166888, 1.60915514, -0.39604546),
}
"""Polynomials that map network outputs to listener ratings, highest power first."""
PERSONALIZED_POLYNOMIALS = {
    "ovrl_mos": (-0.00533021, 0.005101, 1.18058466, -0.11236046),
    "sig_mos": (-0.01019296, 0.02751166, 1.19576786, -0.24348726),
    "bak_mos": (-0.04976499, 0.44276479, -0.1644611, 0.96883132),
}


class MosModel(BatchModel, ABC):
    """Base class of models that predict mean opinion scores, one clip at a time."""

    listing = ModelListing(
        group="Quality and reward", extra="mos", packages=("speechmos", "onnxruntime"), weights="package"
    )
    batch_size = 1
    sample_rate = RATE
    name = ""

    def __init__(self, crop: float | None) -> None:
        self._crop_seconds = parse_crop(self.name, crop)

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [
            Prediction(values=self.predict_mos(_decode_samples(request, self._crop_seconds)), scale="continuous")
            for request in batch
        ]

    @abstractmethod
    def predict_mos(self, samples: Any) -> dict[str, float]:
        """Return mean opinion scores from 1 to 5, under the names used by the package."""


class Plcmos(MosModel):
    """Speech quality under packet loss and noise, averaged over simulated raters.

    The package draws new raters for every clip, so no two runs agree. Here they are drawn once, from `seed`, and
    rate all clips.
    """

    name = "plcmos"

    def __init__(self, *, raters: int = 15, seed: int = 0, crop: float | None = None) -> None:
        super().__init__(crop)
        if not isinstance(raters, int) or raters < 1:
            raise SpecError(f"plcmos: raters must be a whole number of at least 1, not {raters!r}.")
        self._session = _load_session("plcmos", "plcmos_models/plcmos_v2.onnx")
        import numpy as np
        from speechmos.plcmos import PLCMOS

        self._spectrum = PLCMOS().stft_transform

        embeddings = np.random.default_rng(seed).normal(size=(raters, 64))
        self._rater_embeddings = embeddings.astype(np.float32)

    def predict_mos(self, samples: Any) -> dict[str, float]:
        import numpy as np

        spectrum = self._spectrum(samples).astype(np.float32)[None, None]
        outputs = [
            self._session.run(None, {"degraded_audio": spectrum, "rater_embed": rater[None]})
            for rater in self._rater_embeddings
        ]
        return {"plcmos": float(np.mean([output[0].item() for output in outputs]))}


class Dnsmos(MosModel):
    """Speech quality in noise: P.835 (three scores) and P.808.

    The package computes its spectra with librosa, whose just-in-time compilation takes half a minute. The same
    spectra are computed here with NumPy.
    """

    name = "dnsmos"

    def __init__(self, *, personalized: bool = False, crop: float | None = None) -> None:
        """Load the networks.

        Args:
            personalized: Use the networks that treat other speakers as noise.
            crop: Rate only the first `crop` seconds of each clip.
        """
        super().__init__(crop)
        folder = "pdnsmos_models" if personalized else "dnsmos_models"
        self._p835 = _load_session("dnsmos", f"{folder}/sig_bak_ovr.onnx")
        self._p808 = _load_session("dnsmos", "dnsmos_models/model_v8.onnx")
        self._polynomials = PERSONALIZED_POLYNOMIALS if personalized else GENERAL_POLYNOMIALS

    def predict_mos(self, samples: Any) -> dict[str, float]:
        import numpy as np

        scores = np.mean([self._score_window(window) for window in split_windows(samples)], axis=0)
        return dict(zip((*self._polynomials, "p808_mos"), scores.tolist(), strict=True))

    def _score_window(self, samples: Any) -> list[Any]:
        import numpy as np

        (raw,) = self._p835.run(None, {"input_1": samples[None].astype(np.float32)})[0]
        spectrum = (log_mel(samples[:-HOP_LENGTH]) + 40) / 40
        (p808,) = self._p808.run(None, {"input_1": spectrum[None].astype(np.float32)})[0]
        signal, background, overall = raw
        raw_scores = {"ovrl_mos": overall, "sig_mos": signal, "bak_mos": background}
        fitted = [np.polyval(polynomial, raw_scores[name]) for name, polynomial in self._polynomials.items()]
        return [*fitted, p808[0]]


def split_windows(samples: Any) -> list[Any]:
    """Return a nine-second window starting at every second; shorter clips are repeated to fill one."""
    import numpy as np

    length = int(WINDOW_SECONDS * RATE)
    while len(samples) < length:
        samples = np.concatenate([samples, samples])
    count = int(len(samples) // RATE - WINDOW_SECONDS) + 1
    return [samples[second * RATE : second * RATE + length] for second in range(count)]


def log_mel(samples: Any) -> Any:
    """Compute the log-mel spectrogram in dB below the maximum, as librosa does."""
    import numpy as np

    power = mel_power(samples, RATE, FRAME_LENGTH, HOP_LENGTH, MEL_BANDS)
    level = 10 * np.log10(np.maximum(power, 1e-10))
    return np.maximum(level, level.max() - 80) - level.max()


def _load_session(name: str, weights: str) -> Any:
    """Load a network of the package on one core: clips are short, and `--replicas` uses the other cores."""
    package = find_spec("speechmos")
    folders = package.submodule_search_locations if package else None
    if not folders or find_spec("onnxruntime") is None:
        raise MissingExtra(f"The model {name}", "mos")
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return InferenceSession(str(Path(folders[0]) / weights), options)


def _decode_samples(request: Predict, crop: float | None) -> Any:
    """Decode a clip and clip it to full scale: resampling may overshoot, which the package rejects."""
    samples = crop_audio(get_candidate_audio(request), crop).decode(RATE).clip(-1.0, 1.0)
    if len(samples) < MIN_SECONDS * RATE:
        raise SampleError(f"the clip has {len(samples) / RATE:.3f} s; at least {MIN_SECONDS:g} s are needed")
    return samples
