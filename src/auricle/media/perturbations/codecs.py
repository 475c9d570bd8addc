"""Encode and decode a recording with a speech or audio codec."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from auricle.core.errors import AudioError, SpecError
from auricle.media.perturbations.base import Perturbation, PerturbedSound, Sound
from auricle.media.perturbations.filters import fit_length, resample

if TYPE_CHECKING:
    from numpy import float32
    from numpy.random import Generator
    from numpy.typing import NDArray

PADDING = 0.1
"""Seconds of silence that are encoded after the recording, so that a delay does not cut its end."""
FULL_BAND_RATE = 48.0
"""From this bit rate in kbit/s on, wide-band codecs keep the sample rate of the recording up to 48 kHz."""
LIBRARIES = ("libavcodec", "libavformat", "libavutil", "libswresample")


class Coding(NamedTuple):
    """How PyAV encodes a codec."""

    encoder: str
    container: str
    bit_rates: tuple[float, ...]
    """Bit rates in kbit/s: the only ones, or the lowest and the highest if `is_range`."""
    default: float
    sample_rates: tuple[int, ...] = (8000,)
    """Sample rates in increasing order. Higher ones than the first are used from `FULL_BAND_RATE` on."""
    delay: int | None = 0
    """Samples by which decoded audio is late, at the first sample rate; None if it is measured at the first use."""
    is_range: bool = False
    options: tuple[tuple[str, str], ...] = ()
    """Settings of the encoder."""

    def accepts(self, bit_rate: float) -> bool:
        if self.is_range:
            return self.bit_rates[0] <= bit_rate <= self.bit_rates[-1]
        return bit_rate in self.bit_rates


WIDE_BAND = (16_000, 24_000, 48_000)
AMR_NB_RATES = (4.75, 5.15, 5.9, 6.7, 7.4, 7.95, 10.2, 12.2)
AMR_WB_RATES = (6.6, 8.85, 12.65, 14.25, 15.85, 18.25, 19.85, 23.05, 23.85)
MP3_RATES = (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128)
CODECS = {
    "g711-mu": Coding("pcm_mulaw", "wav", (64,), 64),
    "g711-a": Coding("pcm_alaw", "wav", (64,), 64),
    "g722": Coding("g722", "wav", (64,), 64, (16_000,), delay=22),
    "g723": Coding("g723_1", "wav", (6.3,), 6.3, delay=60),
    "g726": Coding("g726", "wav", (16, 24, 32, 40), 32),
    "adpcm": Coding("adpcm_ima_wav", "wav", (32,), 32),
    "amr-nb": Coding("libopencore_amrnb", "amr", AMR_NB_RATES, 12.2, delay=40),
    "opus": Coding("libopus", "ogg", (6, 256), 16, WIDE_BAND, is_range=True, options=(("compression_level", "5"),)),
    "mp3": Coding("libmp3lame", "mp3", MP3_RATES, 32, WIDE_BAND),
    "aac": Coding("aac", "ipod", (12, 96), 32, WIDE_BAND, is_range=True),
    # Encoders that PyAV's own wheels lack, and that other builds of FFmpeg have.
    "gsm": Coding("libgsm_ms", "wav", (13,), 13, delay=None),
    "amr-wb": Coding("libvo_amrwbenc", "amr", AMR_WB_RATES, 12.65, (16_000,), delay=None),
    "ilbc": Coding("libilbc", "ilbc", (13.33, 15.2), 13.33, delay=None),
    "speex": Coding("libspeex", "ogg", (4, 44), 16, (16_000,), delay=None, is_range=True),
}


@dataclass(frozen=True)
class Codec(Perturbation):
    """Encode and decode the recording with a codec.

    The recording is resampled to the rate of the codec (8 or 16 kHz; Opus, MP3 and AAC keep up to 48 kHz from 48 kbit/s
    on), limited to full scale, encoded by the FFmpeg libraries of PyAV, decoded and resampled to its own rate. The
    delay of the codec is removed, and the length is kept.

    Args:
        codec: Name and bit rate in kbit/s, such as `opus@6k`, `amr-nb@12.2k` or `g711-mu`.
    """

    name: ClassVar[str] = "codec"
    summary: ClassVar[str] = "Encode and decode with a codec, such as g711-mu, amr-nb@4.75k or opus@6k."
    level_name: ClassVar[str] = "codec"
    unit: ClassVar[str] = "kbit/s"
    is_logarithmic: ClassVar[bool] = True

    codec: str

    def __post_init__(self) -> None:
        name, bit_rate = _parse(self.codec)
        coding = CODECS[name]
        has_choice = len(coding.bit_rates) > 1
        object.__setattr__(self, "codec", f"{name}@{bit_rate:g}k" if has_choice else name)
        if not can_encode(coding.encoder):
            raise SpecError(
                f"codec: the installed PyAV {_av_version()} cannot encode {name}. "
                f"It encodes {', '.join(list_codecs())}."
            )

    @property
    def level(self) -> float:
        """The bit rate in kbit/s."""
        return _parse(self.codec)[1]

    @property
    def family(self) -> str:
        return f"codec:{_parse(self.codec)[0]}"

    @property
    def build(self) -> str:
        return format_versions(LIBRARIES)

    def apply(self, sound: Sound, random: Generator, others: Sequence[Sound]) -> PerturbedSound:
        name, bit_rate = _parse(self.codec)
        coding = CODECS[name]
        rates = coding.sample_rates if bit_rate >= FULL_BAND_RATE else coding.sample_rates[:1]
        rate = next((candidate for candidate in rates if candidate >= sound.rate), rates[-1])
        coded, measured_rate = transcode(resample(sound.samples, sound.rate, rate), rate, name, bit_rate)
        late = round(_get_delay(name, bit_rate) * rate / CODECS[name].sample_rates[0])
        decoded = resample(coded[late:], rate, sound.rate)
        return PerturbedSound(Sound(fit_length(decoded, len(sound.samples)), sound.rate), {"kbps": measured_rate})


def format_versions(libraries: Sequence[str]) -> str:
    """Return the versions of libraries of FFmpeg that PyAV contains."""
    import av

    return " ".join(f"{name} {'.'.join(map(str, av.library_versions[name]))}" for name in libraries)


def list_codecs() -> list[str]:
    """List the codecs that the installed PyAV encodes."""
    return [name for name, coding in CODECS.items() if can_encode(coding.encoder)]


@cache
def can_encode(encoder: str) -> bool:
    """Return whether the installed PyAV has an encoder of that name."""
    import av

    try:
        av.Codec(encoder, "w")
    except av.codec.codec.UnknownCodecError:
        return False
    return True


def transcode(samples: NDArray[Any], rate: int, name: str, bit_rate: float) -> tuple[NDArray[float32], float]:
    """Encode and decode samples, and return them at the same rate, with the bit rate in kbit/s."""
    import av

    buffer = io.BytesIO()
    try:
        size = _encode(buffer, fit_length(samples, len(samples) + round(PADDING * rate)), rate, name, bit_rate)
        buffer.seek(0)
        decoded = _decode(buffer, rate)
    except av.FFmpegError as error:
        raise AudioError(f"The recording cannot be encoded with {name}: {error}") from error
    return decoded, size * 8 / 1000 / (len(samples) / rate + PADDING)


def _encode(buffer: io.BytesIO, samples: NDArray[float32], rate: int, name: str, bit_rate: float) -> int:
    """Encode samples to a file, and return the size of its packets in bytes."""
    import av
    import numpy as np

    coding = CODECS[name]
    integers = np.round(np.clip(samples, -1, 1) * 32767).astype(np.int16)
    frame = av.AudioFrame.from_ndarray(integers.reshape(1, -1), format="s16", layout="mono")
    frame.sample_rate, frame.pts = rate, 0
    size = 0
    with av.open(buffer, "w", format=coding.container) as container:
        stream: Any = container.add_stream(coding.encoder, rate=rate, options=dict(coding.options))
        stream.codec_context.layout = "mono"
        stream.bit_rate = round(bit_rate * 1000)
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            size += packet.size
            container.mux(packet)
    return size


def _decode(buffer: io.BytesIO, rate: int) -> NDArray[float32]:
    import av
    import numpy as np

    with av.open(buffer, "r") as container:
        resampler = av.AudioResampler(format="flt", layout="mono")
        frames = [*container.decode(audio=0)]
        converted = [part for frame in [*frames, None] for part in resampler.resample(frame)]
    samples = np.concatenate([part.to_ndarray().reshape(-1) for part in converted])
    return resample(samples, converted[0].sample_rate, rate)


@cache
def _get_delay(name: str, bit_rate: float) -> int:
    """Return by how many samples decoded audio is late, at the first sample rate of the codec."""
    delay = CODECS[name].delay
    return measure_delay(name, bit_rate) if delay is None else delay


def measure_delay(name: str, bit_rate: float) -> int:
    """Measure the delay of a codec on a made sound: vowels with a gliding pitch, for which speech codecs are built."""
    import numpy as np

    rate = CODECS[name].sample_rates[0]
    times = np.arange(2 * rate) / rate
    phase = 2 * math.pi * (120 * times + 15 * np.sin(3 * times))
    vowels = np.sum([np.sin(k * phase) / k for k in range(1, 20)], axis=0) * np.sin(5 * times) ** 2
    samples = 0.1 * vowels
    decoded = fit_length(transcode(samples, rate, name, bit_rate)[0], len(samples))
    size = 2 * len(samples)
    # High frequencies count more: codecs shift the phase of low ones.
    spectra = [np.fft.rfft(np.diff(values, 2), size) for values in (decoded, samples)]
    correlation = np.fft.irfft(spectra[0] * spectra[1].conj(), size)
    return int(np.argmax(correlation[: round(PADDING * rate)]))


def _parse(text: str) -> tuple[str, float]:
    """Return the name and the bit rate in kbit/s."""
    match = re.fullmatch(r"([a-z0-9-]+)(?:@(\d+(?:\.\d+)?)k)?", text)
    if match is None or match[1] not in CODECS:
        raise SpecError(
            f"codec: unknown codec {text!r}. Choose one of {', '.join(list_codecs())}, with a bit rate such as opus@6k."
        )
    coding = CODECS[match[1]]
    bit_rate = float(match[2] or coding.default)
    if not coding.accepts(bit_rate):
        rates = [f"{rate:g}k" for rate in coding.bit_rates]
        expected = " to ".join(rates) if coding.is_range else ", ".join(rates)
        raise SpecError(f"codec: {match[1]} has the bit rates {expected}, not {bit_rate:g}k.")
    return match[1], bit_rate


def _av_version() -> str:
    import av

    return av.__version__
