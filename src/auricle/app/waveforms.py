"""Charts of a recording: waveform and spectrogram."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

from auricle.app.theme import Palette

if TYPE_CHECKING:
    from numpy import float32, uint8
    from numpy.typing import NDArray

    from auricle.app.uploads import DecodedAudio

WAVEFORM_BINS = 600
SPECTROGRAM_COLUMNS, WINDOW_SECONDS = 700, 0.025
MAX_FREQUENCY = 8_000.0
"""Highest frequency shown, in hertz; speech has little energy above it."""
MIN_DECIBELS = -80.0
"""Lowest level shown, relative to the loudest."""


def compute_envelope(samples: NDArray[float32], rate: int, bins: int = WAVEFORM_BINS) -> list[dict[str, float]]:
    """Return the minimum and maximum of the samples in each of `bins` time slices."""
    import numpy as np

    count = max(1, min(bins, len(samples)))
    edges = np.linspace(0, len(samples), count + 1).astype(int)[:-1]
    low, high = np.minimum.reduceat(samples, edges), np.maximum.reduceat(samples, edges)
    return [
        {"t": round(float(edge) / rate, 5), "low": round(float(lowest), 4), "high": round(float(highest), 4)}
        for edge, lowest, highest in zip(edges, low, high, strict=True)
    ]


def compute_spectrogram(samples: NDArray[float32], rate: int) -> NDArray[float32]:
    """Return decibels relative to the loudest, as frequencies up to `MAX_FREQUENCY` (lowest first) by time."""
    import numpy as np

    size = max(16, int(rate * WINDOW_SECONDS))
    padded = np.pad(samples, (size // 2, size // 2 + size))
    starts = np.linspace(0, max(1, len(samples) - 1), min(SPECTROGRAM_COLUMNS, max(2, len(samples)))).astype(int)
    frames = padded[starts[:, None] + np.arange(size)] * np.hanning(size)
    bins = int(min(MAX_FREQUENCY, rate / 2) / rate * (length := 2 ** int(np.ceil(np.log2(size))))) + 1
    power = np.abs(np.fft.rfft(frames, n=length)[:, :bins]) ** 2
    decibels = 10 * np.log10(np.maximum(power, 1e-12))
    spectrogram: NDArray[float32] = np.clip(decibels - decibels.max(), MIN_DECIBELS, 0.0).T.astype(np.float32)
    return spectrogram


def waveform_chart(recording: DecodedAudio, palette: Palette) -> Any:
    """Draw amplitude over time."""
    import altair as alt

    data = alt.InlineData(values=compute_envelope(recording.samples, recording.rate))
    loudest = max(0.05, float(abs(recording.samples).max())) if len(recording.samples) else 1.0
    time, amplitude = alt.Scale(domain=[0, recording.seconds], nice=False), alt.Scale(domain=[-loudest, loudest])
    x = alt.X("t:Q", title=None, scale=time, axis=alt.Axis(labels=False, ticks=False))
    y = alt.Y("low:Q", title="amplitude", scale=amplitude, axis=alt.Axis(tickCount=3, minExtent=36))
    chart = alt.Chart(data, height=140).mark_area(color=palette.accent, interpolate="step-after")
    return chart.encode(x=x, y=y, y2="high:Q")


def spectrogram_chart(recording: DecodedAudio, palette: Palette) -> Any:
    """Draw level by frequency over time, as one image inside axes."""
    import altair as alt

    top = min(MAX_FREQUENCY, recording.rate / 2) / 1000
    data = alt.InlineData(values=[{"t": 0.0, "f": top, "url": _spectrogram_data_url(recording, palette)}])
    time, frequency = (alt.Scale(domain=[0, end], nice=False) for end in (recording.seconds, top))
    x = alt.X("t:Q", title="time (s)", scale=time, axis=alt.Axis(grid=False))
    y_axis = alt.Axis(grid=False, tickCount=4, minExtent=36)
    y = alt.Y("f:Q", title="frequency (kHz)", scale=frequency, axis=y_axis)
    size = {"width": alt.expr("width"), "height": alt.expr("height"), "aspect": False}
    image = alt.Chart(data, height=230).mark_image(**size, align="left", baseline="top")
    return image.encode(x=x, y=y, url="url:N")


def _spectrogram_data_url(recording: DecodedAudio, palette: Palette) -> str:
    """Return the spectrogram as a PNG in a data URL."""
    import numpy as np
    from PIL import Image

    shades = (compute_spectrogram(recording.samples, recording.rate)[::-1] - MIN_DECIBELS) / -MIN_DECIBELS * 255
    image = Image.fromarray(shades.astype(np.uint8), mode="P")
    image.putpalette(_colour_table(palette).tobytes())
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def _colour_table(palette: Palette) -> NDArray[uint8]:
    """Return 256 colours from silent to loudest."""
    import numpy as np

    stops = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in palette.sequential])
    positions = np.linspace(0, len(stops) - 1, 256)
    channels = [np.interp(positions, np.arange(len(stops)), stops[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=1).round().astype(np.uint8)
