"""Speech quality by networks whose weights arrive inside Microsoft's package `speechmos`.

-m plcmos
-m dnsmos -M personalized=true
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auricle.core.errors import MissingExtra, SampleError, SpecError
from auricle.core.types import Predict, Prediction
from auricle.models.audio_input import crop_audio, get_candidate_audio, parse_crop
from auricle.models.base import BatchModel

RATE = 16_000
MIN_SECONDS = 0.1
"""Seconds; in less there is nothing to rate."""
WINDOW_SECONDS = 9.01  # seconds DNSMOS hears at once
FRAME_LENGTH, HOP_LENGTH, MEL_BANDS = 321, 160, 120
GENERAL_POLYNOMIALS = {
    "ovrl_mos": (-0.06766283, 1.11546468, 0.04602535),
    "sig_mos": (-0.08397278, 1.22083953, 0.0052439),
    "bak_mos": (-0.13166888, 1.60915514, -0.39604546),
}
"""From what the network says to what listeners say: polynomials, highest power first."""
PERSONALIZED_POLYNOMIALS = {
    "ovrl_mos": (-0.00533021, 0.005101, 1.18058466, -0.11236046),
    "sig_mos": (-0.01019296, 0.02751166, 1.19576786, -0.24348726),
    "bak_mos": (-0.04976499, 0.44276479, -0.1644611, 0.96883132),
}


class MosModel(BatchModel, ABC):
    """One clip after another, each as if alone. Subclasses rate."""

    batch_size = 1
    sample_rate = RATE
    name = ""

    def __init__(self, crop: float | None) -> None:
        self._crop_seconds = parse_crop(self.name, crop)

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        return [
            Prediction(values=self.predict_mos(_decode_samples(each, self._crop_seconds)), scale="continuous")
            for each in batch
        ]

    @abstractmethod
    def predict_mos(self, samples: Any) -> dict[str, float]:
        """Mean opinion scores, from 1 to 5, by the names the package gives them."""


class Plcmos(MosModel):
    """How a voice sounds where packets were lost, and in noise: the mean over made-up raters.

    The package draws raters anew for every clip, so that no two runs agree; here they are drawn
    once, from `seed`, and rate all clips.
    """

    name = "plcmos"

    def __init__(self, *, raters: int = 15, seed: int = 0, crop: float | None = None) -> None:
        super().__init__(crop)
        if not isinstance(raters, int) or raters < 1:
            raise SpecError(f"plcmos: raters should be a whole number from 1, not {raters!r}.")
        self._session = _load_session("plcmos", "plcmos_models/plcmos_v2.onnx")
        import numpy as np
        from speechmos.plcmos import PLCMOS

        self._spectrum = PLCMOS().stft_transform

        drawn = np.random.default_rng(seed).normal(size=(raters, 64))
        self._rater_embeddings = drawn.astype(np.float32)

    def predict_mos(self, samples: Any) -> dict[str, float]:
        import numpy as np

        heard = self._spectrum(samples).astype(np.float32)[None, None]
        said = [
            self._session.run(None, {"degraded_audio": heard, "rater_embed": rater[None]})
            for rater in self._rater_embeddings
        ]
        return {"plcmos": float(np.mean([each[0].item() for each in said]))}


class Dnsmos(MosModel):
    """How a voice sounds in noise, as listeners would rate it: P.835 (three scores) and P.808.

    The package's own code needs librosa, whose compiler takes half a minute; here its networks
    are given the same spectra without it.
    """

    name = "dnsmos"

    def __init__(self, *, personalized: bool = False, crop: float | None = None) -> None:
        """`personalized` takes other people's voices for noise."""
        super().__init__(crop)
        chosen = "pdnsmos_models" if personalized else "dnsmos_models"
        self._p835 = _load_session("dnsmos", f"{chosen}/sig_bak_ovr.onnx")
        self._p808 = _load_session("dnsmos", "dnsmos_models/model_v8.onnx")
        self._polynomials = PERSONALIZED_POLYNOMIALS if personalized else GENERAL_POLYNOMIALS

    def predict_mos(self, samples: Any) -> dict[str, float]:
        import numpy as np

        rated = np.mean([self._score_window(each) for each in split_windows(samples)], axis=0)
        return dict(zip((*self._polynomials, "p808_mos"), rated.tolist(), strict=True))

    def _score_window(self, samples: Any) -> list[Any]:
        import numpy as np

        (raw,) = self._p835.run(None, {"input_1": samples[None].astype(np.float32)})[0]
        spectrum = (log_mel(samples[:-HOP_LENGTH]) + 40) / 40
        (p808,) = self._p808.run(None, {"input_1": spectrum[None].astype(np.float32)})[0]
        signal, background, overall = raw
        said = {"ovrl_mos": overall, "sig_mos": signal, "bak_mos": background}
        fitted = [np.polyval(curve, said[name]) for name, curve in self._polynomials.items()]
        return [*fitted, p808[0]]


def split_windows(samples: Any) -> list[Any]:
    """Nine seconds from each second on; a shorter sound is doubled until there are nine."""
    import numpy as np

    length = int(WINDOW_SECONDS * RATE)
    while len(samples) < length:
        samples = np.concatenate([samples, samples])
    count = int(len(samples) // RATE - WINDOW_SECONDS) + 1
    return [samples[at * RATE : at * RATE + length] for at in range(count)]


def log_mel(samples: Any) -> Any:
    """Mel bands by frames in decibels below the loudest, as librosa has them."""
    import numpy as np

    padded = np.pad(samples, FRAME_LENGTH // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME_LENGTH)[::HOP_LENGTH]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME_LENGTH) / FRAME_LENGTH)
    power = np.abs(np.fft.rfft(frames * window)) ** 2 @ _mel_filterbank().T
    level = 10 * np.log10(np.maximum(power, 1e-10))
    return np.maximum(level, level.max() - 80) - level.max()


@cache
def _mel_filterbank() -> Any:
    """Slaney's triangles: even in hertz up to 1000, then in ratio; each of area one."""
    import numpy as np

    highest = 15 + 27 * np.log(RATE / 2 / 1000) / np.log(6.4)
    mels = np.linspace(0, highest, MEL_BANDS + 2)
    edges = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp((mels - 15) * np.log(6.4) / 27))
    bins = np.fft.rfftfreq(FRAME_LENGTH, 1 / RATE)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (bins - low) / (middle - low), (high - bins) / (high - middle)
    return np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)


def _load_session(name: str, weights: str) -> Any:
    """A network of the package, on one core: clips are short, and --replicas takes the others."""
    found = find_spec("speechmos")
    folders = found.submodule_search_locations if found else None
    if not folders or find_spec("onnxruntime") is None:
        raise MissingExtra(f"The model {name}", "mos")
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return InferenceSession(str(Path(folders[0]) / weights), options)


def _decode_samples(request: Predict, crop: float | None) -> Any:
    """What a player would play: resampling may overshoot full scale, which the package refuses."""
    samples = crop_audio(get_candidate_audio(request), crop).decode(RATE).clip(-1.0, 1.0)
    if len(samples) < MIN_SECONDS * RATE:
        raise SampleError(f"{len(samples) / RATE:.3f} s of sound; {MIN_SECONDS:g} s are the least")
    return samples
