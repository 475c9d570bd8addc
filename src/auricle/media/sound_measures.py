"""Measure a recording: level, peak, clipping, signal-to-noise ratio, bandwidth and speech activity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from numpy import float32, float64
    from numpy.typing import NDArray

BLOCK_SECONDS = 0.02
NOISE_PERCENTILE = 10
"""Blocks up to this percentile of power are taken for pauses, which contain only noise."""
MIN_ACTIVE_RATIO = 1.6
"""A block is active if its power exceeds that of the noise by this factor, about 2 dB."""
MIN_ACTIVE_SHARE = 0.02
MIN_BLOCKS = 15
MIN_POWER = 1e-10
"""Power of the rounding noise of 16-bit samples, -100 dB; digital silence counts as this."""
FULL_SCALE = 0.999
ACTIVITY_MARGIN = 10**1.59
"""A block is active if its power is at most 15.9 dB below the mean power of active blocks, as in ITU-T P.56."""
HANGOVER_BLOCKS = 10
"""Blocks after an active one that count as active, too: 0.2 s, as in ITU-T P.56."""
ACTIVITY_STEPS = 10
"""Times that the threshold of activity is adapted to the level; fewer suffice for speech."""
BAND_SHARE = 0.99
BAND_BLOCK_SECONDS = 0.05
MAX_BAND_BLOCKS = 200
"""Blocks whose spectrum is computed; they are spread evenly over longer recordings."""
MIN_BAND_POWER = 1e-3
"""Blocks with less than this share of the median power are pauses, which do not count for the bandwidth."""


class SignalMeasures(NamedTuple):
    """Measures of a recording, in decibels relative to full scale; NaN if unknown."""

    level: float
    """Root mean square."""
    peak: float
    clipped: float
    """Share of samples at full scale."""
    snr: float
    """Estimated ratio of signal to noise in dB; see `estimate_snr`."""
    band: float
    """Upper limit of the bandwidth in Hz; see `estimate_band`."""
    active: float
    """Share of time in which there is speech or other sound above its pauses; see `estimate_activity`."""


def measure_signal(samples: NDArray[float32], rate: int) -> SignalMeasures:
    """Measure a mono recording.

    >>> import numpy as np
    >>> tone = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000).astype(np.float32)
    >>> round(measure_signal(0.5 * tone, 16000).level, 1)
    -9.0
    """
    import numpy as np

    if not len(samples):
        return SignalMeasures(*[math.nan] * len(SignalMeasures._fields))
    power = float(np.mean(np.square(samples, dtype=np.float64)))
    magnitude = np.abs(samples)
    return SignalMeasures(
        level=_to_decibels(power),
        peak=_to_decibels(float(magnitude.max()) ** 2),
        clipped=float(np.mean(magnitude >= FULL_SCALE)),
        snr=estimate_snr(samples, rate),
        band=estimate_band(samples, rate),
        active=estimate_activity(samples, rate),
    )


def estimate_snr(samples: NDArray[float32], rate: int) -> float:
    """Estimate the signal-to-noise ratio in dB from the powers of blocks of 20 ms.

    Noise is the power of the quietest tenth of the blocks; signal is the mean power of the blocks above it, less the
    noise. An offset and rumble below the length of a block do not count. This needs pauses: NaN for a recording without
    any, such as a steady tone, or one that is too short. What comes and goes with the signal, such as reverberation,
    counts as signal.
    """
    import numpy as np

    powers = _block_powers(samples, rate)
    count = len(powers)
    if count < MIN_BLOCKS:
        return math.nan
    quietest = np.sort(powers)[: max(1, round(count * NOISE_PERCENTILE / 100))]
    noise = float(quietest.mean())
    active = powers[powers > MIN_ACTIVE_RATIO * noise]
    if len(active) < max(1, MIN_ACTIVE_SHARE * count):
        return math.nan
    return _to_decibels((float(active.mean()) - noise) / noise)


def estimate_activity(samples: NDArray[float32], rate: int) -> float:
    """Estimate the share of time in which there is speech, with the margin and hangover of ITU-T P.56.

    P.56 itself follows the envelope of every sample; this follows the power of blocks of 20 ms, which is many times
    faster. In noise less than 15.9 dB below the speech, pauses count as active. NaN if there is no sound.
    """
    import numpy as np

    powers = _block_powers(samples, rate)
    active = powers > MIN_POWER
    if not active.any():
        return math.nan
    for _ in range(ACTIVITY_STEPS):
        previous, active = active, powers >= float(powers[active].mean()) / ACTIVITY_MARGIN
        if (active == previous).all():
            break
    with_hangover = np.convolve(active, np.ones(HANGOVER_BLOCKS + 1))[: len(active)] > 0.5
    return float(with_hangover.mean())


def estimate_band(samples: NDArray[float32], rate: int) -> float:
    """Estimate the frequency in Hz below which 99 % of the energy is, for example 3,400 Hz of telephone speech.

    All blocks count alike, however loud: nearly all energy of speech is in its vowels, below 4,000 Hz in any recording,
    whereas consonants reach the end of the band. NaN if there is no sound.
    """
    import numpy as np

    size = max(2, round(rate * BAND_BLOCK_SECONDS))
    count = len(samples) // size
    if not count:
        return math.nan
    blocks = samples[: count * size].reshape(count, size)
    if count > MAX_BAND_BLOCKS:
        blocks = blocks[np.linspace(0, count - 1, MAX_BAND_BLOCKS).astype(np.int64)]
    blocks = (blocks - blocks.mean(axis=1, keepdims=True)) * np.hanning(size).astype(np.float32)
    spectra = np.square(np.abs(np.fft.rfft(blocks, axis=1)))
    totals = spectra.sum(axis=1)
    audible = totals > max(MIN_BAND_POWER * float(np.median(totals)), size * MIN_POWER)
    if not audible.any():
        return math.nan
    energy = np.cumsum((spectra[audible] / totals[audible, None]).sum(axis=0))
    return float(np.searchsorted(energy, BAND_SHARE * energy[-1])) * rate / size


def _block_powers(samples: NDArray[float32], rate: int) -> NDArray[float64]:
    """Return the power of each block of 20 ms, without its offset."""
    import numpy as np

    size = max(1, round(rate * BLOCK_SECONDS))
    count = len(samples) // size
    powers: NDArray[float64] = np.var(samples[: count * size].reshape(count, size), axis=1, dtype=np.float64)
    return np.maximum(powers, MIN_POWER)


def _to_decibels(power: float) -> float:
    return 10 * math.log10(max(power, MIN_POWER))
