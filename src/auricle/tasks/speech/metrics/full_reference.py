"""PESQ, STOI, ESTOI and SI-SDR of an answer against the recording of its row.

They compare sample by sample, so they are for codecs, vocoders, enhancement and copy synthesis. An answer that is more
than 50 ms shorter or longer than its recording is another performance of the text: they do not apply to it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auricle.core.errors import MissingExtra
from auricle.core.types import Output, Sample
from auricle.metrics.base import Metric
from auricle.metrics.scales import RatingScale
from auricle.tasks.speech.metrics.answers import get_reference, has_reference, require_audio
from auricle.tasks.speech.metrics.defined_mean import DefinedMean

EXTRA = "speech-quality"
RATE = 16_000
NARROW_RATE = 8_000
MAX_LENGTH_DIFFERENCE = 0.05
"""Seconds by which an answer may be shorter or longer; the end of the longer one is then cut."""
ALIGNED = f"cut-to-shorter-within-{1000 * MAX_LENGTH_DIFFERENCE:g}ms"
SILENT = "silent"
MAX_DELAY_SECONDS = 0.5

Signal = NDArray[np.float64]


class Pair(NamedTuple):
    """A reference and an answer of the same length and rate."""

    reference: Signal
    answer: Signal
    rate: int


def load_pair(sample: Sample, output: Output, rate: int = RATE) -> Pair | None:
    """Return the signals to compare, or None if their lengths differ too much."""
    answer, reference = require_audio(output), get_reference(sample)
    if abs(answer.seconds - reference.seconds) > MAX_LENGTH_DIFFERENCE:
        return None
    signals = [audio.decode(rate).astype(np.float64) for audio in (reference, answer)]
    count = min(map(len, signals))
    return Pair(signals[0][:count], signals[1][:count], rate)


def si_sdr_of(reference: Signal, answer: Signal) -> float:
    """Return the scale-invariant signal-to-distortion ratio in dB, of signals without their means.

    It is infinite for an answer that is the reference at any level, minus infinity for one that has nothing of it, and
    NaN if one of them is constant.

    >>> clean = np.sin(np.arange(1000.0))
    >>> round(si_sdr_of(clean, 0.5 * clean + 0.1 * np.cos(np.arange(1000.0))), 1)
    14.0
    """
    reference, answer = reference - reference.mean(), answer - answer.mean()
    energy = float(reference @ reference)
    if not energy or not answer.any():
        return np.nan
    target = (float(answer @ reference) / energy) * reference
    distortion = answer - target
    with np.errstate(divide="ignore"):
        return float(10 * (np.log10(target @ target) - np.log10(distortion @ distortion)))


def find_delay(reference: Signal, answer: Signal, rate: int) -> int:
    """Return by how many samples an answer is later than the reference, where they correlate best within 0.5 s."""
    size = len(reference) + len(answer)
    products = np.fft.rfft(answer, size) * np.conj(np.fft.rfft(reference, size))
    correlation = np.fft.irfft(products, size)
    reach = min(len(reference), round(MAX_DELAY_SECONDS * rate))
    lags = np.concatenate([np.arange(reach), np.arange(-reach, 0)])
    return int(lags[np.argmax(np.abs(correlation[lags]))])


# --- metrics ---------------------------------------------------------------------------------------------------------

_SDR = DefinedMean(("identical", "orthogonal", SILENT, "delayed"))
_PESQ = DefinedMean(("too_short", SILENT), RatingScale(1.0, 4.65))  # to which P.862.1 and P.862.2 map raw scores
_STOI = DefinedMean(("too_few_frames", SILENT), RatingScale(-1.0, 1.0))
MIN_DB, MAX_DB = -200.0, 200.0
"""Beyond these, only rounding differs from nothing or everything."""


def _score_si_sdr(pair: Pair) -> tuple[float, ...]:
    value = si_sdr_of(pair.reference, pair.answer)
    if np.isnan(value):
        return _SDR.make_stat(None, SILENT)
    if value > MAX_DB:
        return _SDR.make_stat(None, "identical")
    if value < MIN_DB:
        return _SDR.make_stat(None, "orthogonal")
    delay = find_delay(pair.reference, pair.answer, pair.rate)
    return _SDR.make_stat(value, *["delayed"] * bool(delay))


def _score_pesq(pair: Pair, band: str) -> tuple[float, ...]:
    try:
        import pesq
    except ImportError as error:
        raise MissingExtra("PESQ", EXTRA) from error
    if not pair.reference.any() or not pair.answer.any():
        return _PESQ.make_stat(None, SILENT)
    try:
        return _PESQ.make_stat(float(pesq.pesq(pair.rate, pair.reference, pair.answer, band)))
    except pesq.BufferTooShortError:
        return _PESQ.make_stat(None, "too_short")
    except (pesq.NoUtterancesError, ValueError):  # nothing that it takes for speech
        return _PESQ.make_stat(None, SILENT)


def _score_stoi(pair: Pair, extended: bool) -> tuple[float, ...]:
    try:
        import pystoi
    except ImportError as error:
        raise MissingExtra("STOI", EXTRA) from error
    if not pair.reference.any():
        return _STOI.make_stat(None, SILENT)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # which is how it reports too few frames, beside a made-up value
        try:
            return _STOI.make_stat(float(pystoi.stoi(pair.reference, pair.answer, pair.rate, extended=extended)))
        except (RuntimeWarning, ValueError):
            return _STOI.make_stat(None, "too_few_frames")


def _reference_metric(
    name: str, title: str, score_pair: Callable[[Pair], tuple[float, ...]], rate: int = RATE, **fields: Any
) -> Metric:
    """Make a metric of the mean over answers of what compares an answer with its recording."""

    def score(sample: Sample, output: Output) -> tuple[float, ...] | None:
        pair = load_pair(sample, output, rate)
        return None if pair is None else score_pair(pair)

    variant = f"{fields.pop('method')}.{rate // 1000}kHz.{ALIGNED}.mean-of-answers"
    return Metric(name, score, title=title, variant=variant, unit="points", applies=has_reference, **fields)


pesq_wb = _reference_metric(
    "pesq_wb", "PESQ (wide band)", partial(_score_pesq, band="wb"), aggregate=_PESQ, method="P.862.2"
)
pesq_nb = _reference_metric(
    "pesq_nb", "PESQ (narrow band)", partial(_score_pesq, band="nb"), NARROW_RATE, aggregate=_PESQ, method="P.862"
)
stoi = _reference_metric("stoi", "STOI", partial(_score_stoi, extended=False), aggregate=_STOI, method="pystoi")
estoi = _reference_metric("estoi", "ESTOI", partial(_score_stoi, extended=True), aggregate=_STOI, method="pystoi")
si_sdr = _reference_metric("si_sdr", "SI-SDR (dB)", _score_si_sdr, aggregate=_SDR, method="mean-removed")
