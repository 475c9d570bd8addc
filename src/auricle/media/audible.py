"""Which parts of 16-bit audio can be heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

AUDIBLE_AMPLITUDE = 104
"""Samples above this amplitude are audible: -50 dB relative to full scale (32,768)."""
MIN_PAUSE_SECONDS = 0.05
"""Shorter silences, such as the closure of a consonant, are no pauses."""


def find_audible(samples: NDArray[int16], rate: int, min_pause: float = MIN_PAUSE_SECONDS) -> list[tuple[int, int]]:
    """Find the audible parts of a clip.

    Args:
        samples: 16-bit mono audio.
        rate: Sample rate.
        min_pause: Seconds of silence that separate two parts.

    Returns:
        The index of the first sample of each part, and the index after its last.

    Examples:
        >>> import numpy as np
        >>> clip = np.array([0, 500, -500, 0, 0, 0, 0, 300, 0], dtype=np.int16)
        >>> find_audible(clip, rate=100, min_pause=0.03)
        [(1, 3), (7, 8)]
    """
    import numpy as np

    # Not abs(): the absolute value of -32,768 does not fit into 16 bits.
    indices = np.flatnonzero((samples > AUDIBLE_AMPLITUDE) | (samples < -AUDIBLE_AMPLITUDE))
    if not len(indices):
        return []
    breaks = np.flatnonzero(np.diff(indices) > min_pause * rate)
    starts = indices[np.concatenate([[0], breaks + 1])]
    ends = indices[np.concatenate([breaks, [len(indices) - 1]])] + 1
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def find_edges(samples: NDArray[int16]) -> tuple[int, int]:
    """Return the first audible sample of a clip, and the one after the last; both 0 if nothing is audible."""
    parts = find_audible(samples, rate=1, min_pause=len(samples))
    return parts[0] if parts else (0, 0)
