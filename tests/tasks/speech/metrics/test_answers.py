"""Measures of the sound of an answer, on signals whose silence, clipping and ending are constructed."""

from __future__ import annotations

import numpy as np
import pytest

from auricle import Generation, Prediction, Sample
from auricle.core.errors import Unreadable, Unsuited
from auricle.tasks.speech.metrics.answers import (
    get_spoken_text,
    has_reference,
    measure_answer,
    measure_samples,
    require_audio,
)
from tests.support.spoken import RATE, make_answer, make_sample, make_speech

TONE = (0.5 * np.sin(2 * np.pi * 200 * np.arange(RATE) / RATE)).astype(np.float32)
SILENCE = np.zeros(RATE // 2, np.float32)


def fade_out(samples: np.ndarray, seconds: float = 0.05) -> np.ndarray:
    gain = np.ones(len(samples), np.float32)
    gain[-round(seconds * RATE) :] = np.linspace(1, 0, round(seconds * RATE))
    return samples * gain


def test_silence_before_within_and_after_speech_is_measured() -> None:
    measures = measure_samples(np.concatenate([SILENCE, TONE, SILENCE, TONE, SILENCE[:1600]]), RATE)
    assert measures.seconds == pytest.approx(3.1)
    assert measures.leading_silence == pytest.approx(0.5)
    assert measures.trailing_silence == pytest.approx(0.1)
    assert measures.silent_seconds == pytest.approx(1.1)
    assert measures.silence_share == pytest.approx(1.1 / 3.1)


def test_a_last_frame_that_is_shorter_counts_with_its_own_length() -> None:
    measures = measure_samples(np.zeros(250, np.float32), RATE)
    assert measures.silent_seconds == measures.leading_silence == measures.seconds == 250 / RATE
    assert measures.trailing_silence == 0.0


@pytest.mark.parametrize(("amplitude", "is_silent"), [(0.0099, True), (0.0101, False)])
def test_a_frame_is_silent_up_to_40_decibels_below_full_scale(amplitude: float, is_silent: bool) -> None:
    measures = measure_samples(np.full(1600, amplitude, np.float32), RATE)
    assert (measures.silent_seconds > 0) is is_silent


def test_speech_that_breaks_off_is_cut_off_and_speech_that_fades_is_not() -> None:
    assert measure_samples(TONE, RATE).is_cut_off
    assert not measure_samples(fade_out(TONE), RATE).is_cut_off
    assert not measure_samples(np.concatenate([TONE, SILENCE]), RATE).is_cut_off
    assert not measure_samples(SILENCE, RATE).is_cut_off
    assert not measure_samples(make_speech(), RATE).is_cut_off


def test_samples_at_full_scale_are_clipped() -> None:
    clipped = np.clip(4 * TONE, -1, 1)
    assert measure_samples(clipped, RATE).clipped == int((np.abs(clipped) >= 0.999).sum()) > 1000
    assert measure_samples(TONE, RATE).clipped_share == 0.0


def test_measures_are_those_of_the_content_and_not_of_the_name() -> None:
    quiet, loud = make_answer(SILENCE), make_answer(TONE)
    assert quiet.audio == loud.audio  # audio in memory is equal whatever it contains
    assert measure_answer(quiet).silence_share == 1.0
    assert measure_answer(loud).silence_share == 0.0


def test_an_answer_without_audio_is_unreadable_and_numbers_are_unsuited() -> None:
    with pytest.raises(Unreadable, match="the answer has no audio"):
        require_audio(Generation(text="hello"))
    with pytest.raises(Unsuited, match="needs spoken answers, not Prediction"):
        require_audio(Prediction(values={"mos": 3.0}, scale="continuous"))


def test_the_spoken_text_is_that_of_the_row_or_else_the_transcript() -> None:
    assert get_spoken_text(make_sample("good morning"), Generation(text="other")) == "good morning"
    question = Sample(id="1", inputs={"question": "What time is it?"}, target="noon")
    assert get_spoken_text(question, Generation(text="It is noon.")) == "It is noon."


def test_only_a_recording_is_a_reference() -> None:
    assert has_reference(make_sample(reference=TONE))
    assert not has_reference(make_sample())
    assert not has_reference(Sample(id="1", inputs={"reference": "text"}))
