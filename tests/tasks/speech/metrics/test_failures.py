"""Speech that failed, on constructed answers."""

from __future__ import annotations

import numpy as np
import pytest

from auricle import Audio, Generation, Prediction, Sample
from auricle.core.errors import Unsuited
from auricle.tasks.speech.metrics.failures import count_characters, find_failures, speech_failures
from tests.support.spoken import RATE, make_answer, make_sample, make_speech

TEXT = "ten letters"  # without its space
NORMAL = make_speech(1.0)


def score(answer: Generation, text: str = TEXT) -> tuple[float, ...]:
    stat = speech_failures.score(make_sample(text), answer)
    assert isinstance(stat, tuple)
    return stat


def test_each_reason_is_counted_and_an_answer_with_two_counts_once() -> None:
    clipped = np.clip(20 * NORMAL, -1, 1)
    mostly_silent = np.concatenate([NORMAL, np.zeros(2 * RATE, np.float32)])
    too_long = np.concatenate([make_speech(4.0), np.zeros(5 * RATE, np.float32)])
    answers = [
        *[make_answer(NORMAL)] * 5,
        make_answer(None),
        make_answer(clipped),
        make_answer(mostly_silent),
        make_answer(make_speech(0.2)),
        make_answer(too_long),
    ]
    stats = [score(answer) for answer in answers]
    assert speech_failures.aggregate(stats) == pytest.approx(0.5)
    assert speech_failures.details(stats) == {
        "failed": 5,
        "empty": 1,
        "clipped": 1,
        "silent": 2,
        "too_short": 1,
        "too_long": 1,
        "median_seconds_per_character": 0.1,
    }


def test_the_pace_is_relative_to_the_median_of_seconds_per_character() -> None:
    stats = [(0.0, 0.0, 0.0, seconds, 10.0) for seconds in (1.0, 1.0, 1.0, 0.31, 0.29, 2.9, 3.1)]
    failures = find_failures(stats)
    assert failures["too_short"].tolist() == [False] * 4 + [True, False, False]
    assert failures["too_long"].tolist() == [False] * 6 + [True]


def test_an_answer_without_text_has_no_pace() -> None:
    assert speech_failures.aggregate([(0.0, 0.0, 0.0, 5.0, 0.0), (0.0, 0.0, 0.0, 1.0, 1.0)]) == 0.0


def test_audio_that_cannot_be_decoded_counts_as_empty() -> None:
    broken = Generation(text="", audio=Audio(data=b"RIFFbroken"))
    assert score(broken)[0] == 1.0


def test_weights_repeat_answers_without_changing_the_median() -> None:
    stats = [(1.0, 0.0, 0.0, 0.0, 10.0), (0.0, 0.0, 0.0, 1.0, 10.0)]
    weighted = speech_failures.aggregate.prepare_weighted(stats)  # type: ignore[attr-defined]
    assert weighted(np.array([3.0, 1.0])) == pytest.approx(0.75)


def test_empty_answers_are_the_worst_then_clipped_and_silent_ones() -> None:
    empty, clipped, quiet, fine = (1.0, 0, 0, 0, 9), (0.0, 0.01, 0.1, 1, 9), (0.0, 0, 0.3, 1, 9), (0.0, 0, 0.1, 1, 9)
    order = sorted([fine, quiet, clipped, empty], key=speech_failures.badness, reverse=True)
    assert order == [empty, clipped, quiet, fine]


def test_numbers_are_not_speech() -> None:
    with pytest.raises(Unsuited):
        speech_failures.score(Sample(id="1", inputs={}), Prediction(values={"a": 1.0}, scale="continuous"))


def test_spaces_are_no_characters() -> None:
    assert count_characters(" 你好 a\nb ") == 4
