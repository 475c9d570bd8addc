"""Tests of waveform and spectrogram."""

import numpy as np
import pytest

from auricle.app.palette import DARK, LIGHT
from auricle.app.uploads import DecodedAudio
from auricle.app.waveforms import (
    MIN_DECIBELS,
    SPECTROGRAM_COLUMNS,
    WAVEFORM_BINS,
    TimedWord,
    build_strip,
    compute_envelope,
    compute_spectrogram,
    list_ticks,
    mark_wrong_words,
    read_timed_words,
    spectrogram_chart,
    waveform_chart,
)


def make_tone(hertz: float, seconds: float = 1.0, rate: int = 16_000) -> DecodedAudio:
    time = np.arange(int(seconds * rate)) / rate
    return DecodedAudio("x", rate, 1, (0.5 * np.sin(2 * np.pi * hertz * time)).astype(np.float32))


def test_envelope_keeps_extremes_of_long_audio() -> None:
    samples = np.zeros(1_000_000, np.float32)
    samples[123_456] = 0.9
    rows = compute_envelope(samples, 16_000)
    assert len(rows) == WAVEFORM_BINS
    assert max(row["high"] for row in rows) == 0.9


def test_spectrogram_is_loudest_at_the_tone() -> None:
    spectrogram = compute_spectrogram(make_tone(2000).samples, 16_000)
    middle = spectrogram[:, spectrogram.shape[1] // 2]
    assert spectrogram.shape[1] == SPECTROGRAM_COLUMNS
    assert abs(np.argmax(middle) / (len(middle) - 1) * 8000 - 2000) < 40
    assert middle[len(middle) * 3 // 4] < -40


@pytest.mark.parametrize("length", [1, 50, 16_000])
def test_silent_and_very_short_audio_can_be_drawn(length: int) -> None:
    recording = DecodedAudio("x", 16_000, 1, np.zeros(length, np.float32))
    assert compute_spectrogram(recording.samples, 16_000).min() >= MIN_DECIBELS
    for chart in (waveform_chart, spectrogram_chart):
        assert chart(recording, LIGHT).to_dict()


def test_spectrogram_of_ten_minutes_is_small() -> None:
    chart = spectrogram_chart(make_tone(440, seconds=600, rate=8000), DARK).to_json()
    assert len(chart) < 400_000


def test_axes_have_units() -> None:
    encoding = spectrogram_chart(make_tone(440), LIGHT).to_dict()["encoding"]
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("time (s)", "frequency (kHz)")


WORDS = [TimedWord("hello", 0.1, 0.4), TimedWord("<b>", 0.5, 0.9)]


def test_strip_has_both_pictures_and_places_words_below_their_sounds() -> None:
    strip = build_strip(make_tone(440).samples, 16_000, LIGHT, WORDS)
    assert strip.count('<img src="data:image/') == 2
    assert 'style="left:10.00%;width:30.00%"' in strip
    assert "<bdi>&lt;b&gt;</bdi>" in strip
    assert len(strip) < 200_000


@pytest.mark.parametrize("length", [1, 50, 16_000])
def test_strip_of_silent_and_very_short_audio_can_be_built(length: int) -> None:
    assert "Waveform" in build_strip(np.zeros(length, np.float32), 16_000, DARK)


@pytest.mark.parametrize("seconds", [0.004, 0.4, 3.2, 59.9, 3600.0])
def test_ticks_are_few_round_and_within_the_recording(seconds: float) -> None:
    ticks = list_ticks(seconds)
    assert ticks[0] == 0
    assert 2 <= len(ticks) <= 8
    assert ticks[-1] < seconds


def test_words_without_usable_times_are_left_out() -> None:
    words = [
        {"word": " hello", "start": 0.1, "end": 0.4},
        {"text": "late", "start": 0.9, "end": 3.0},
        {"word": "after the end", "start": 2.0, "end": 3.0},
        {"word": "backwards", "start": 0.5, "end": 0.5},
        {"word": "without times"},
        "text",
    ]
    assert read_timed_words({"words": words}, 1.0) == [TimedWord("hello", 0.1, 0.4), TimedWord("late", 0.9, 1.0)]
    assert read_timed_words({"words": "three"}, 1.0) == []
    assert read_timed_words({}, 1.0) == []


def test_words_that_the_answer_misses_are_marked() -> None:
    edits = [("equal", ("hello",), ("hello",)), ("insert", (), ("you",)), ("replace", ("<b>",), ("b",))]
    assert [word.is_wrong for word in mark_wrong_words(WORDS, edits)] == [False, True]
    assert [word.is_wrong for word in mark_wrong_words(WORDS, edits[:1])] == [False, False]
