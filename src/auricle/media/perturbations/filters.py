"""Filters in the frequency domain, and resampling that keeps the length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy import float32, float64
    from numpy.typing import NDArray


def fast_length(count: int) -> int:
    """Return the next length whose Fourier transform is fast: a power of two, or 5/8, 3/4 or 7/8 of one."""
    power = 1 << max(count - 1, 7).bit_length()
    return next(length for eighths in (5, 6, 7, 8) if (length := power * eighths // 8) >= count)


def filter_zero_phase(
    samples: NDArray[Any], rate: int, gain: Callable[[NDArray[Any]], NDArray[Any]], margin: float = 0.1
) -> NDArray[float64]:
    """Multiply the spectrum by a gain that depends on the frequency in Hz.

    Args:
        samples: The recording.
        rate: Sample rate.
        gain: Returns the gain for each frequency.
        margin: Seconds of silence after the recording, so that its end does not reach its start.
    """
    import numpy as np

    size = fast_length(len(samples) + round(margin * rate))
    spectrum = np.fft.rfft(samples, size)
    spectrum *= gain(np.fft.rfftfreq(size, 1 / rate))
    return np.fft.irfft(spectrum, size)[: len(samples)]


def convolve(samples: NDArray[Any], response: NDArray[Any]) -> NDArray[float64]:
    """Return the full linear convolution."""
    import numpy as np

    count = len(samples) + len(response) - 1
    size = fast_length(count)
    return np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(response, size), size)[:count]


def resample(samples: NDArray[Any], source: float, target: float) -> NDArray[float32]:
    """Resample with soxr HQ; at least one sample is returned."""
    import numpy as np
    import soxr

    values = np.ascontiguousarray(samples, np.float32)
    if source == target:
        return values
    resampled: NDArray[float32] = soxr.resample(values, source, target, quality="HQ")
    return resampled if len(resampled) else np.zeros(1, np.float32)


def fit_length(samples: NDArray[Any], count: int) -> NDArray[float32]:
    """Cut a recording, or add zeros, to a length in samples."""
    import numpy as np

    fitted = np.zeros(count, np.float32)
    fitted[: len(samples)] = samples[:count]
    return fitted
