"""Codecs."""

import io

import numpy as np
import pytest
import soundfile
import soxr

from auricle.core.errors import SpecError
from auricle.media.perturbations import codecs
from auricle.media.perturbations.base import PerturbedSound, Sound, make_generator
from auricle.media.perturbations.codecs import CODECS, Codec, list_codecs, measure_delay
from auricle.media.perturbations.levels import measure_rms_level
from tests.support import paths
from tests.support.speech_like import speak

SPEECH = speak(1.5)
LOWEST_SNR = {
    "g711-mu": 30.0,
    "g711-a": 30.0,
    "g722": 20.0,
    "g726@16k": 5.0,
    "g726@40k": 20.0,
    "adpcm": 15.0,
    "opus@24k": 10.0,
    "mp3@64k": 20.0,
    "aac@64k": 20.0,
}
"""Ratio in dB of the recording to the error of codecs that keep the waveform."""
PARAMETRIC = ("g723", "amr-nb@4.75k", "amr-nb@12.2k", "opus@6k", "mp3@8k", "aac@16k")


def apply(codec: str, sound: Sound = SPEECH) -> PerturbedSound:
    return Codec(codec).apply(sound, make_generator("a", ""), [])


def limit_band(sound: Sound, codec: str) -> Sound:
    """The control of a codec: what its sample rate alone changes."""
    rate = CODECS[codec.partition("@")[0]].sample_rates[0]
    samples = soxr.resample(soxr.resample(sound.samples, sound.rate, rate), rate, sound.rate)
    return Sound(samples[: len(sound.samples)], sound.rate)


def estimate_delay(decoded: Sound, original: Sound) -> float:
    """Seconds by which a recording is late, from the peak of the correlation at high frequencies."""
    first, second = (np.diff(sound.samples, 2) for sound in (decoded, original))
    lag = int(np.argmax(np.correlate(first, second, "full"))) - (len(second) - 1)
    return lag / original.rate


@pytest.mark.parametrize("codec", LOWEST_SNR)
def test_waveform_is_kept_without_a_delay(codec: str) -> None:
    result = apply(codec)
    control = limit_band(SPEECH, codec)
    error = result.sound.samples - control.samples
    assert measure_rms_level(control.samples) - measure_rms_level(error) > LOWEST_SNR[codec]
    assert len(result.sound.samples) == len(SPEECH.samples)


@pytest.mark.parametrize("codec", [*LOWEST_SNR, *PARAMETRIC])
def test_delay_is_below_a_millisecond(codec: str) -> None:
    assert abs(estimate_delay(apply(codec).sound, limit_band(SPEECH, codec))) < 0.001


@pytest.mark.parametrize("name", [name for name, coding in CODECS.items() if coding.delay is not None])
def test_stated_delay_is_the_measured_one(name: str) -> None:
    assert measure_delay(name, CODECS[name].default) == pytest.approx(CODECS[name].delay, abs=2)


@pytest.mark.parametrize(("codec", "subtype"), [("g711-mu", "ULAW"), ("g711-a", "ALAW")])
def test_g711_is_that_of_libsndfile(codec: str, subtype: str) -> None:
    sound = speak(0.5, 8_000)
    buffer = io.BytesIO()
    integers = np.round(np.clip(sound.samples, -1, 1) * 32767).astype(np.int16)
    soundfile.write(buffer, integers, 8_000, subtype, format="WAV")
    buffer.seek(0)
    expected = soundfile.read(buffer, dtype="float32")[0]
    error = measure_rms_level(expected - apply(codec, sound).sound.samples)
    assert error < measure_rms_level(expected) - 40


@pytest.mark.parametrize("codec", ["g726@16k", "amr-nb@4.75k", "amr-nb@12.2k", "mp3@32k", "opus@24k", "aac@32k"])
def test_bit_rate_is_that_which_was_asked_for(codec: str) -> None:
    assert apply(codec).measured["kbps"] == pytest.approx(Codec(codec).level, rel=0.25)


def test_more_bits_are_better() -> None:
    control = limit_band(SPEECH, "opus").samples
    errors = [measure_rms_level(apply(f"opus@{rate}k").sound.samples - control) for rate in (6, 12, 32)]
    assert errors == sorted(errors, reverse=True)


def test_many_bits_keep_high_frequencies() -> None:
    tone = Sound((0.3 * np.sin(2 * np.pi * 11_000 * np.arange(48_000) / 48_000)).astype(np.float32), 48_000)
    assert measure_rms_level(apply("opus@64k", tone).sound.samples) > -16
    assert measure_rms_level(apply("opus@16k", tone).sound.samples) < -40


def test_written_form_states_the_bit_rate() -> None:
    assert str(Codec("amr-nb")) == "codec:amr-nb@12.2k"
    assert str(Codec("g722")) == "codec:g722"
    assert Codec("opus") == Codec("opus@16k") == Codec("opus@16.0k")
    assert (Codec("opus@6k").level, Codec("opus@6k").family, Codec("g711-a").level) == (6, "codec:opus", 64)


def test_key_contains_the_versions_of_the_encoders() -> None:
    import av

    version = ".".join(map(str, av.library_versions["libavcodec"]))
    assert f"libavcodec {version} " in Codec("opus").key


@pytest.mark.parametrize(
    ("codec", "problem"),
    [
        ("flac", "unknown codec 'flac'. Choose one of g711-mu"),
        ("opus@6", "unknown codec 'opus@6'"),
        ("opus@900k", "opus has the bit rates 6k to 256k, not 900k"),
        ("amr-nb@5k", "amr-nb has the bit rates 4.75k, 5.15k"),
        ("g722@48k", "g722 has the bit rates 64k, not 48k"),
    ],
)
def test_unknown_codecs_and_bit_rates_are_refused(codec: str, problem: str) -> None:
    with pytest.raises(SpecError, match=problem):
        Codec(codec)


def test_codec_that_cannot_be_encoded_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codecs, "can_encode", lambda encoder: encoder in ("pcm_mulaw", "libopus"))
    with pytest.raises(SpecError, match=r"cannot encode gsm. It encodes g711-mu, opus\."):
        Codec("gsm")


def test_wheel_of_pyav_encodes_the_codecs_of_the_documentation() -> None:
    assert list_codecs()[:10] == ["g711-mu", "g711-a", "g722", "g723", "g726", "adpcm", "amr-nb", "opus", "mp3", "aac"]


def test_page_of_the_documentation_has_all_codecs_and_bit_rates() -> None:
    lines = (paths.ROOT / "docs" / "perturbations.md").read_text(encoding="utf-8").splitlines()
    for name, coding in CODECS.items():
        (row,) = [line for line in lines if line.startswith("| `") and f"`{name}`" in line.split("|")[1]]
        if coding.delay is not None:
            rates = " to " if coding.is_range else ", "
            assert rates.join(f"{rate:g}" for rate in coding.bit_rates) in row
            assert len(coding.bit_rates) == 1 or f"({coding.default:g})" in row
