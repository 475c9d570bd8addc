"""Levels of recordings: root mean square, and the active speech level of ITU-T P.56."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from auricle.core.errors import AudioError

if TYPE_CHECKING:
    from numpy import float32, float64, int8
    from numpy.typing import NDArray

TIME_CONSTANT = 0.03
"""Seconds of each of the two smoothing filters of the envelope."""
HANGOVER = 0.2
"""Seconds for which speech counts as active after its envelope fell below a threshold."""
MARGIN = 15.9
"""Decibels by which the active level exceeds the threshold of activity."""
THRESHOLDS = range(-40, 0)
"""Powers of two. P.56 begins at -15 for 16 bits; lower ones matter only for recordings below -74 dB."""


class ActiveLevel(NamedTuple):
    """Level of active speech in decibels relative to full scale, and the share of time in which it is active."""

    level: float
    activity: float


def measure_active_level(samples: NDArray[Any], rate: int) -> ActiveLevel:
    """Measure the active speech level by method B of ITU-T P.56, which pauses do not lower.

    The envelope is the absolute value after two one-pole filters of 30 ms. For each threshold c, a power of two, the
    active time is where the envelope is at least c, and 0.2 s after. The level is the mean power over the active time
    of the threshold that is 15.9 dB below it, interpolated between thresholds. For a recording that is too short or
    too peaked for that, it is the mean power while there is any sound.

    >>> import numpy as np
    >>> tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(80000) / 16000)
    >>> level, _ = measure_active_level(np.concatenate([tone, np.zeros(240000)]), 16000)
    >>> round(level)  # the root mean square of the tone alone is -9 dB, with the silence -15 dB
    -9

    Raises:
        AudioError: if the recording is silent, so that its level is undefined.
    """
    import numpy as np

    energy = sum_squares(samples)
    counts = _count_active(samples, rate)
    used = np.flatnonzero(counts)
    if not energy or not len(used):
        raise AudioError("The recording is silent: the level of its speech is undefined.")
    levels = 10 * np.log10(energy / counts[used])
    margins = levels - 20 * math.log10(2) * np.asarray(THRESHOLDS)[used]
    upper = int(np.argmax(margins <= MARGIN))  # 0 if there is none
    level = float(levels[0])
    if upper:
        share = (margins[upper - 1] - MARGIN) / (margins[upper - 1] - margins[upper])
        level = float(levels[upper - 1] + share * (levels[upper] - levels[upper - 1]))
    return ActiveLevel(level, energy / (len(samples) * 10 ** (level / 10)))


def measure_rms_level(samples: NDArray[Any]) -> float:
    """Measure the root mean square in decibels relative to full scale; minus infinity for silence."""
    energy = sum_squares(samples)
    return 10 * math.log10(energy / len(samples)) if energy else -math.inf


def sum_squares(samples: NDArray[Any]) -> float:
    """Return the energy of a recording, in double precision."""
    import numpy as np

    values = samples.astype(np.float64, copy=False)
    return float(np.einsum("i,i->", values, values))  # not BLAS, whose threads cost more than they save


def scale_to_level(samples: NDArray[Any], level: float, target: float) -> NDArray[float32]:
    """Scale a recording from its level to another one, in decibels."""
    import numpy as np

    return (samples * 10 ** ((target - level) / 20)).astype(np.float32)


def restore_active_level(samples: NDArray[Any], original: NDArray[Any], rate: int) -> NDArray[float32]:
    """Scale a changed recording to the active level of the original one; silence is returned as it is."""
    import numpy as np

    if not original.any():
        return samples.astype(np.float32, copy=False)
    level = measure_active_level(original, rate).level
    for _ in range(2):  # the thresholds of P.56 are fixed, so that levels are not exactly proportional
        samples = scale_to_level(samples, measure_active_level(samples, rate).level, level)
    return samples


def fit_full_scale(samples: NDArray[Any]) -> tuple[NDArray[float32], float]:
    """Scale a recording down if it exceeds full scale, and return it with the gain in decibels."""
    import numpy as np

    peak = float(np.abs(samples).max(initial=0.0))
    if peak <= 1:
        return samples.astype(np.float32, copy=False), 0.0
    return (samples / peak).astype(np.float32), -20 * math.log10(peak)


def smooth_envelope(samples: NDArray[Any], rate: int) -> NDArray[float64]:
    """Return the envelope of P.56: the absolute value after y[n] = g * y[n-1] + (1 - g) * x[n], twice.

    Blocks as long as the time constant are filtered at once: within a block, the output of the first filter divided by
    g**n is a cumulative sum, and that of the second one a cumulative sum of this. Only the last values of both filters
    are carried from block to block.
    """
    import numpy as np

    g = math.exp(-1 / (rate * TIME_CONSTANT))
    size = max(1, min(len(samples), round(rate * TIME_CONSTANT)))
    powers = g ** np.arange(size)
    blocks = np.zeros((-(-len(samples) // size), size))
    np.abs(samples, out=blocks.reshape(-1)[: len(samples)])
    blocks *= (1 - g) ** 2 / powers
    np.cumsum(blocks, axis=1, out=blocks)
    first_ends = blocks[:, -1] / (1 - g)
    np.cumsum(blocks, axis=1, out=blocks)
    first, second = np.empty(len(blocks)), np.empty(len(blocks))
    last_first = last_second = 0.0
    for index, (first_end, second_end) in enumerate(zip(first_ends.tolist(), blocks[:, -1].tolist(), strict=True)):
        first[index], second[index] = last_first, last_second
        last_second = powers[-1] * (g * last_second + (1 - g) * size * g * last_first + second_end)
        last_first = powers[-1] * (g * last_first + first_end)
    blocks += np.multiply.outer(g * (1 - g) * first, np.arange(1, size + 1))
    blocks += g * second[:, None]
    blocks *= powers
    return blocks.reshape(-1)[: len(samples)]


def _count_active(samples: NDArray[Any], rate: int) -> NDArray[Any]:
    """Count the samples at which each threshold was reached by the envelope, now or within the hangover before."""
    import numpy as np

    envelope = smooth_envelope(samples, rate)
    reached = np.frexp(envelope)[1]  # one more than the exponent of the largest power of two that is reached
    reached -= THRESHOLDS.start  # zero for less than the lowest threshold
    np.clip(reached, 0, len(THRESHOLDS), out=reached)
    reached[envelope == 0] = 0
    recent = _maximum_of_recent(reached.astype(np.int8), 1 + round(HANGOVER * rate))
    counts = np.bincount(recent, minlength=len(THRESHOLDS) + 1)[1:]
    return counts[::-1].cumsum()[::-1]


def _maximum_of_recent(values: NDArray[int8], size: int) -> NDArray[int8]:
    """Return the maximum of each value and the `size - 1` values before it.

    Such a window consists of the end of one block and the start of the next, whose running maxima are computed for all
    blocks at once (van Herk's algorithm).
    """
    import numpy as np

    count = -(-len(values) // size)
    blocks = np.zeros((count + 1, size), np.int8)  # a block of zeros first
    blocks.reshape(-1)[size : size + len(values)] = values
    from_start = np.maximum.accumulate(blocks, axis=1).reshape(-1)[size:]
    to_end = np.maximum.accumulate(blocks[:, ::-1], axis=1)[:, ::-1].reshape(-1)[1:]
    return np.maximum(from_start, to_end[: len(from_start)])[: len(values)]
