"""Waveform and spectrogram of a recording: as charts, and as pictures with its words below."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from auricle.app.theme import Palette
from auricle.media.sound_measures import measure_signal
from auricle.report.templating import render
from auricle.tasks.timestamps.timed_words import WORDS_FIELD, iter_valid_words

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


MAX_WORDS = 400


class TimedWord(NamedTuple):
    """A word of the reference and when it is spoken, in seconds."""

    text: str
    start: float
    end: float
    is_wrong: bool = False
    """Whether the answer has another word there, or none."""


def read_timed_words(meta: Mapping[str, Any], seconds: float) -> list[TimedWord]:
    """Read the words of a sample whose metadata state when they are spoken, as aligners write them.

    >>> read_timed_words({"words": [{"word": "hello", "start": 0.2, "end": 0.6}]}, 1.0)
    [TimedWord(text='hello', start=0.2, end=0.6, is_wrong=False)]
    """
    words = meta.get(WORDS_FIELD)
    shown = words[:MAX_WORDS] if isinstance(words, (list, tuple)) else ()
    return [
        TimedWord(word.text, word.start, min(word.end, seconds))
        for word in iter_valid_words(shown)
        if 0 <= word.start < min(word.end, seconds)
    ]


def mark_wrong_words(words: Sequence[TimedWord], edits: Sequence[tuple[str, Sequence[str], Any]]) -> list[TimedWord]:
    """Mark the words that an alignment with the answer replaces or deletes; none if it has other words than these."""
    tokens = [kind != "equal" for kind, reference, _ in edits for _ in reference]
    if len(tokens) != len(words):
        return list(words)
    return [word._replace(is_wrong=is_wrong) for word, is_wrong in zip(words, tokens, strict=True)]


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
    url = _spectrogram_data_url(recording.samples, recording.rate, palette)
    data = alt.InlineData(values=[{"t": 0.0, "f": top, "url": url}])
    time, frequency = (alt.Scale(domain=[0, end], nice=False) for end in (recording.seconds, top))
    x = alt.X("t:Q", title="time (s)", scale=time, axis=alt.Axis(grid=False))
    y_axis = alt.Axis(grid=False, tickCount=4, minExtent=36)
    y = alt.Y("f:Q", title="frequency (kHz)", scale=frequency, axis=y_axis)
    size = {"width": alt.expr("width"), "height": alt.expr("height"), "aspect": False}
    image = alt.Chart(data, height=230).mark_image(**size, align="left", baseline="top")
    return image.encode(x=x, y=y, url="url:N")


def build_strip(samples: NDArray[float32], rate: int, palette: Palette, words: Sequence[TimedWord] = ()) -> Markup:
    """Build the waveform above the spectrogram, as pictures, with words and the measures of the signal below them."""
    seconds = len(samples) / rate
    return render(
        "app/templates/strip.html",
        seconds=seconds,
        waveform=_waveform_data_url(samples, rate, palette),
        spectrogram=_spectrogram_data_url(samples, rate, palette),
        kilohertz=min(MAX_FREQUENCY, rate / 2) / 1000,
        ticks=list_ticks(seconds),
        measures=measure_signal(samples, rate),
        words=words,
    )


def list_ticks(seconds: float) -> list[float]:
    """Return at most eight round times of an axis, from 0; none so close to its end that its label would be cut off.

    >>> list_ticks(3.0)
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    """
    exponent = 10 ** math.floor(math.log10(seconds / 7)) if seconds > 0 else 1.0
    step = next(exponent * factor for factor in (1, 2, 5, 10) if seconds / (exponent * factor) <= 7)
    return [round(step * index, 6) for index in range(int(0.95 * seconds / step) + 1)]


def _waveform_data_url(samples: NDArray[float32], rate: int, palette: Palette) -> str:
    """Return the waveform as an SVG in a data URL, as high as its loudest sample."""
    envelope = compute_envelope(samples, rate)
    loudest = max(0.01, *(max(abs(bin_["low"]), abs(bin_["high"])) for bin_ in envelope))
    tops = [f"{index},{-bin_['high'] / loudest:.3f}" for index, bin_ in enumerate(envelope)]
    bottoms = [f"{index},{-bin_['low'] / loudest + 0.01:.3f}" for index, bin_ in enumerate(envelope)]
    points = " ".join([*tops, *reversed(bottoms)])
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -1 {max(1, len(envelope) - 1)} 2" '
        f'preserveAspectRatio="none"><polygon points="{points}" fill="{palette.accent}"/></svg>'
    )
    return encode_svg(svg)


def encode_svg(svg: str) -> str:
    """Return a drawing as a data URL."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _spectrogram_data_url(samples: NDArray[float32], rate: int, palette: Palette) -> str:
    """Return the spectrogram as a PNG in a data URL."""
    import numpy as np
    from PIL import Image

    shades = (compute_spectrogram(samples, rate)[::-1] - MIN_DECIBELS) / -MIN_DECIBELS * 255
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
