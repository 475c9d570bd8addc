"""Make noise: white, pink, brown, with the spectrum of a recording, or like music."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from auricle.media.perturbations.filters import fast_length, filter_zero_phase

if TYPE_CHECKING:
    from numpy import float64
    from numpy.random import Generator
    from numpy.typing import NDArray

LOWEST_FREQUENCY = 20.0
"""Pink and brown noise have no power below this frequency in Hz."""
EXPONENTS = {"white": 0.0, "pink": -0.5, "brown": -1.0}
"""Amplitude of the spectrum as a power of the frequency."""
FRAME_SECONDS = 0.032
"""Length of the frames over which the spectrum of a recording is averaged."""
PROGRESSION = ((0, 4, 7), (7, 11, 14), (9, 12, 16), (5, 9, 12))
"""Semitones above the key of the chords I, V, vi and IV."""
PARTIALS = 5


def make_coloured_noise(kind: str, count: int, rate: int, random: Generator) -> NDArray[float64]:
    """Return Gaussian noise whose spectrum falls with the frequency as `EXPONENTS` states."""
    import numpy as np

    exponent = EXPONENTS[kind]
    if not exponent:
        return random.standard_normal(count)
    size = fast_length(max(count, rate // 4))  # long enough for the lowest frequencies
    spectrum = np.fft.rfft(random.standard_normal(size))
    frequencies = np.fft.rfftfreq(size, 1 / rate)
    audible = frequencies >= min(LOWEST_FREQUENCY, rate / 2)
    spectrum[~audible] = 0
    spectrum[audible] *= frequencies[audible] ** exponent
    return np.fft.irfft(spectrum, size)[:count]


def make_speech_shaped_noise(samples: NDArray[Any], rate: int, random: Generator) -> NDArray[float64]:
    """Return Gaussian noise as long as a recording, with its long-term average spectrum."""
    import numpy as np

    frequencies, amplitudes = average_spectrum(samples, rate)
    noise = random.standard_normal(max(len(samples), rate // 4))
    return filter_zero_phase(noise, rate, lambda f: np.interp(f, frequencies, amplitudes))[: len(samples)]


def average_spectrum(samples: NDArray[Any], rate: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return frequencies, and the root mean square of the spectrum of Hann windows of 32 ms that overlap by half."""
    import numpy as np

    size = fast_length(round(FRAME_SECONDS * rate))
    hop = size // 2
    padded = np.zeros((-(-len(samples) // hop) + 2) * hop)  # with half a window before and after
    padded[hop : hop + len(samples)] = samples
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::hop]
    spectra = np.fft.rfft(frames * np.hanning(size), axis=1)
    power = np.mean(spectra.real**2 + spectra.imag**2, axis=0)
    power[0] = 0
    return np.fft.rfftfreq(size, 1 / rate), np.sqrt(power)


def make_music(count: int, rate: int, random: Generator) -> NDArray[float64]:
    """Return chords in a steady rhythm: I, V, vi, IV, four beats each, struck anew with a noise burst on each beat.

    Key (A2 to G sharp 3) and tempo (90 to 130 beats a minute) are drawn, and where the music begins.
    """
    import numpy as np

    key = 110 * 2 ** (int(random.integers(12)) / 12)
    beat = max(1, round(rate * 60 / random.uniform(90, 130)))
    times = np.arange(beat, dtype=np.float32) / rate
    decay = np.exp(-3 * times) * np.minimum(1, times / 0.005)
    burst = 0.5 * random.standard_normal(beat) * np.exp(-60 * times)
    bars = []
    for chord in PROGRESSION:
        struck = burst + decay * _sound_chord([key * 2 ** (tone / 12) for tone in chord], times, rate)
        bars += [struck * loudness for loudness in (1.0, 0.6, 0.8, 0.6)]
    music = np.concatenate(bars)
    start = int(random.integers(len(music)))
    return np.tile(music, count // len(music) + 2)[start : start + count]


def _sound_chord(tones: list[float], times: NDArray[Any], rate: int) -> NDArray[Any]:
    """Return the sum of the first partials of each tone, and of the octave below the lowest."""
    import numpy as np

    chord = np.zeros_like(times)
    for tone in (tones[0] / 2, *tones):
        for partial in range(1, PARTIALS + 1):
            if tone * partial < rate / 2:
                chord += np.sin(np.float32(2 * math.pi * tone * partial) * times) / np.float32(partial)
    return chord
