"""Pictures of a sound: its waveform and its spectrogram, with units."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

from auricle.app.theme import Palette

if TYPE_CHECKING:
    from numpy import float32, uint8
    from numpy.typing import NDArray

    from auricle.app.uploads import DecodedAudio

WAVEFORM_BINS = 600  # of the waveform; more than the pixels it is drawn on
SPECTROGRAM_COLUMNS, WINDOW_SECONDS = 700, 0.025  # of the spectrogram, and its window in seconds
MAX_FREQUENCY = 8_000.0  # hertz that are drawn: speech has little above
MIN_DECIBELS = -80.0  # decibels below the loudest


def compute_envelope(samples: NDArray[float32], rate: int, bins: int = WAVEFORM_BINS) -> list[dict[str, float]]:
    """The lowest and the highest sample of each stretch of a sound."""
    import numpy as np

    count = max(1, min(bins, len(samples)))
    edges = np.linspace(0, len(samples), count + 1).astype(int)[:-1]
    low, high = np.minimum.reduceat(samples, edges), np.maximum.reduceat(samples, edges)
    return [
        {"t": round(float(at) / rate, 5), "low": round(float(a), 4), "high": round(float(b), 4)}
        for at, a, b in zip(edges, low, high, strict=True)
    ]


def compute_spectrogram(samples: NDArray[float32], rate: int) -> NDArray[float32]:
    """Decibels below the loudest: frequencies up to HIGHEST, low ones first, by time."""
    import numpy as np

    size = max(16, int(rate * WINDOW_SECONDS))
    padded = np.pad(samples, (size // 2, size // 2 + size))
    starts = np.linspace(0, max(1, len(samples) - 1), min(SPECTROGRAM_COLUMNS, max(2, len(samples)))).astype(int)
    frames = padded[starts[:, None] + np.arange(size)] * np.hanning(size)
    bins = int(min(MAX_FREQUENCY, rate / 2) / rate * (length := 2 ** int(np.ceil(np.log2(size))))) + 1
    power = np.abs(np.fft.rfft(frames, n=length)[:, :bins]) ** 2
    decibels = 10 * np.log10(np.maximum(power, 1e-12))
    found: NDArray[float32] = np.clip(decibels - decibels.max(), MIN_DECIBELS, 0.0).T.astype(np.float32)
    return found


def waveform_chart(recording: DecodedAudio, colours: Palette) -> Any:
    """Amplitude over seconds."""
    import altair as alt

    data = alt.InlineData(values=compute_envelope(recording.samples, recording.rate))
    loudest = max(0.05, float(abs(recording.samples).max())) if len(recording.samples) else 1.0
    x = alt.X("t:Q", title=None, scale=alt.Scale(domain=[0, recording.seconds], nice=False),
              axis=alt.Axis(labels=False, ticks=False))  # fmt: skip
    y = alt.Y("low:Q", title="amplitude", scale=alt.Scale(domain=[-loudest, loudest]),
              axis=alt.Axis(tickCount=3, minExtent=36))  # fmt: skip
    drawn = alt.Chart(data, height=140).mark_area(color=colours.accent, interpolate="step-after")
    return drawn.encode(x=x, y=y, y2="high:Q")


def spectrogram_chart(recording: DecodedAudio, colours: Palette) -> Any:
    """Loudness by frequency over seconds, drawn as one picture inside axes."""
    import altair as alt

    top = min(MAX_FREQUENCY, recording.rate / 2) / 1000
    data = alt.InlineData(values=[{"t": 0.0, "f": top, "url": _spectrogram_data_url(recording, colours)}])
    return (
        alt.Chart(data, height=230)
        .mark_image(
            width=alt.expr("width"), height=alt.expr("height"), aspect=False,
            align="left", baseline="top",
        )
        .encode(
            x=alt.X("t:Q", title="time (s)",
                    scale=alt.Scale(domain=[0, recording.seconds], nice=False),
                    axis=alt.Axis(grid=False)),
            y=alt.Y("f:Q", title="frequency (kHz)", scale=alt.Scale(domain=[0, top], nice=False),
                    axis=alt.Axis(grid=False, tickCount=4, minExtent=36)),
            url="url:N",
        )
    )  # fmt: skip


def _spectrogram_data_url(recording: DecodedAudio, colours: Palette) -> str:
    """The spectrogram as a PNG in a data address."""
    import numpy as np
    from PIL import Image

    shades = (compute_spectrogram(recording.samples, recording.rate)[::-1] - MIN_DECIBELS) / -MIN_DECIBELS * 255
    picture = Image.fromarray(shades.astype(np.uint8), mode="P")
    picture.putpalette(_colour_table(colours).tobytes())
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def _colour_table(colours: Palette) -> NDArray[uint8]:
    """256 colours from nothing to loudest."""
    import numpy as np

    known = np.array([[int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in colours.sequential])
    places = np.linspace(0, len(known) - 1, 256)
    one_by_one = [np.interp(places, np.arange(len(known)), known[:, at]) for at in range(3)]
    return np.stack(one_by_one, axis=1).round().astype(np.uint8)
