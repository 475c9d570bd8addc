"""Made noise."""

import numpy as np
import pytest
from scipy.signal import welch

from auricle.media.perturbations.noise_sources import (
    average_spectrum,
    make_coloured_noise,
    make_music,
    make_speech_shaped_noise,
)
from tests.support.speech_like import speak


@pytest.mark.parametrize(("kind", "slope"), [("white", 0.0), ("pink", -1.0), ("brown", -2.0)])
def test_power_falls_with_the_frequency(kind: str, slope: float) -> None:
    noise = make_coloured_noise(kind, 320_000, 16_000, np.random.default_rng(0))
    frequencies, power = welch(noise, 16_000, nperseg=4_096)
    used = (frequencies > 50) & (frequencies < 7_000)
    fitted = np.polyfit(np.log(frequencies[used]), np.log(power[used]), 1)[0]
    assert fitted == pytest.approx(slope, abs=0.05)
    if slope:
        assert power[0] < 0.2 * power[used].max()


@pytest.mark.parametrize("kind", ["pink", "brown"])
def test_nothing_is_below_20_hertz(kind: str) -> None:
    power = np.abs(np.fft.rfft(make_coloured_noise(kind, 65_536, 16_000, np.random.default_rng(0)))) ** 2
    frequencies = np.fft.rfftfreq(65_536, 1 / 16_000)
    assert power[frequencies < 20].max() < 1e-12 * power.max()
    assert power[(frequencies > 20) & (frequencies < 30)].mean() > 0.01 * power.max()


def test_speech_shaped_noise_has_the_spectrum_of_the_recording() -> None:
    sound = speak(5.0)
    noise = make_speech_shaped_noise(*sound, np.random.default_rng(0))
    spectra = [10 * np.log10(welch(samples, 16_000, nperseg=512)[1][2:-2]) for samples in (sound.samples, noise)]
    difference = spectra[0] - spectra[1]
    assert np.std(difference) < 1.5
    assert np.ptp(spectra[0]) > 20


def test_average_spectrum_is_that_of_welch() -> None:
    sound = speak(2.0)
    frequencies, amplitudes = average_spectrum(*sound)
    padded = np.pad(sound.samples, (256, 256))
    expected = welch(padded, 16_000, nperseg=512, detrend=False, window=np.hanning(512))[1]
    ratio = amplitudes[2:-1] ** 2 / expected[2:-1]  # one-sided: all others count twice
    assert len(frequencies) == len(amplitudes)
    assert np.std(ratio) / np.mean(ratio) < 0.05


def test_music_has_a_beat_and_tones() -> None:
    music = make_music(160_000, 16_000, np.random.default_rng(0))
    envelope = np.sqrt(np.mean(music.reshape(-1, 160) ** 2, axis=1))
    rhythm = np.abs(np.fft.rfft(envelope - envelope.mean()))
    beat = float(np.fft.rfftfreq(len(envelope), 0.01)[rhythm.argmax()])
    assert any(90 / 60 - 0.1 <= beat * factor <= 130 / 60 + 0.1 for factor in (0.5, 1, 2, 4))
    spectrum = np.abs(np.fft.rfft(music)) ** 2
    assert np.sort(spectrum)[-80:].sum() > 0.2 * spectrum.sum()
    assert not np.array_equal(music, make_music(160_000, 16_000, np.random.default_rng(1)))


def test_tones_of_music_are_those_of_the_chords() -> None:
    random = np.random.default_rng(0)
    key = 110 * 2 ** (int(random.integers(12)) / 12)
    music = make_music(320_000, 16_000, np.random.default_rng(0))
    power = np.abs(np.fft.rfft(music * np.hanning(320_000))) ** 2
    tones = {
        (base + tone)
        for base, chord in ((0, (0, 4, 7)), (7, (0, 4, 7)), (9, (0, 3, 7)), (5, (0, 4, 7)))
        for tone in chord
    }
    expected = sum(power[round(20 * key * 2 ** (tone / 12)) + np.arange(-30, 31)].sum() for tone in tones)
    others = {tone + 0.5 for tone in tones}
    between = sum(power[round(20 * key * 2 ** (tone / 12)) + np.arange(-30, 31)].sum() for tone in others)
    assert expected > 5 * between


@pytest.mark.parametrize("count", [1, 160])
def test_short_noise_is_not_silent(count: int) -> None:
    random = np.random.default_rng(0)
    for kind in ("white", "pink", "brown"):
        assert make_coloured_noise(kind, count, 16_000, random).any()
    assert make_speech_shaped_noise(np.full(count, 0.1), 16_000, random).any()
    assert make_music(count, 16_000, random).any()
