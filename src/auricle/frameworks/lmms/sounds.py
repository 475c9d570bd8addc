"""Audio as code of lmms-eval receives it: the decoded form of Hugging Face's datasets, old and new.

Older versions of datasets return a dict, newer ones an `AudioDecoder`; code is written for either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class SampleTensor:
    """Samples with the methods that code calls to turn a tensor into an array, so that PyTorch is not needed."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def cpu(self) -> SampleTensor:
        return self

    detach = cpu

    def numpy(self) -> Any:
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self._array if dtype is None else self._array.astype(dtype)
        return array.copy() if copy else array

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._array, name)


@dataclass(frozen=True)
class AudioSamples:
    """What `AudioDecoder.get_all_samples` returns."""

    data: SampleTensor
    """Samples with the shape (channels, samples)."""
    sample_rate: int
    duration_seconds: float
    pts_seconds: float = 0.0


class AudioDict(dict[str, Any]):
    """Audio with `path`, `array` and `sampling_rate`, which is also an `AudioDecoder`."""

    @property
    def array(self) -> Any:
        return self["array"]

    @property
    def sampling_rate(self) -> int:
        rate: int = self["sampling_rate"]
        return rate

    _desired_sample_rate = sampling_rate

    def get_all_samples(self) -> AudioSamples:
        array, rate = self["array"], self["sampling_rate"]
        return AudioSamples(SampleTensor(array[None]), rate, len(array) / rate)
