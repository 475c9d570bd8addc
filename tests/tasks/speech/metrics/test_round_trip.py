"""Error rates of a recogniser on spoken answers."""

from dataclasses import replace
from typing import Any

import jiwer
import numpy as np
import pytest

from auricle.core.errors import Unreadable
from auricle.core.types import Generation, Sample
from auricle.media import Audio
from auricle.metrics.capabilities import Judged, Localized, Restricted
from auricle.tasks.speech.metrics.round_trip import (
    parity_metric,
    round_trip,
    round_trip_cer,
    round_trip_floor,
    round_trip_wer,
    round_trip_wer_mean,
)
from auricle.tasks.speech.roles import RECOGNISER

CLIP = Audio.of(np.full(800, 0.25, dtype=np.float32), rate=8000)
HUMAN = Audio.of(np.full(900, 0.5, dtype=np.float32), rate=8000)
FREE = Sample(id="1", inputs={"question": "How are you?"}, target="fine")
TEXTS = ("the cat sat on the mat", "hello world", "one two three")
TRANSCRIPTS = ("the cat sat on a mat", "hello brave new world", "")


def read(text: str) -> Sample:
    return Sample(id=text, inputs={"text": text, "reference": HUMAN}, target=text)


def score_all(metric: Any, audio: Audio | None = CLIP) -> list[Any]:
    return [
        metric.score(read(text), Generation(text="", audio=audio), verdicts=(heard,))
        for text, heard in zip(TEXTS, TRANSCRIPTS, strict=True)
    ]


def test_rates_are_pooled_as_jiwer_pools_them() -> None:
    expected = jiwer.process_words(list(TEXTS), list(TRANSCRIPTS))
    assert round_trip_wer.aggregate(score_all(round_trip_wer)) == pytest.approx(expected.wer, abs=1e-12)
    characters = jiwer.cer(list(TEXTS), list(TRANSCRIPTS))
    assert round_trip_cer.aggregate(score_all(round_trip_cer)) == pytest.approx(characters, abs=1e-12)


def test_the_parity_number_is_the_mean_of_utterance_rates() -> None:
    stats = score_all(round_trip_wer_mean)
    rates = [jiwer.wer(text, heard) for text, heard in zip(TEXTS, TRANSCRIPTS, strict=True)]
    assert round_trip_wer_mean.aggregate(stats) == pytest.approx(np.mean(rates), abs=1e-12)
    details = round_trip_wer_mean.details(stats)
    assert details["pooled"] == pytest.approx(jiwer.wer(list(TEXTS), list(TRANSCRIPTS)), abs=1e-12)
    assert details["reference_length"] == 11
    assert "utterance_mean" not in details


# Computed with run_wer.py of seed-tts-eval, its two lists of punctuation, and jiwer.
@pytest.mark.parametrize(
    ("language", "text", "heard", "expected"),
    [
        ("en", "Well, it's a well-known fact: 3.5 metres!", "well its a well known fact 35 meters", 4 / 7),
        ("en", "“Don’t” stop — please.", "dont stop please", 0.0),
        ("en", "Hello  there,   you", "hello there", 1 / 3),
        ("zh", "你好，世界。It's 3点！", "你好世间its3点", 0.3),
        ("zh", "天气很好", "天很好啊", 0.5),
    ],
)
def test_texts_are_normalised_as_by_seed_tts_eval(language: str, text: str, heard: str, expected: float) -> None:
    assert isinstance(round_trip_wer_mean, Localized)
    metric = round_trip_wer_mean.with_language(language)
    stat = metric.score(read(text), Generation(text="", audio=CLIP), verdicts=(heard,))
    assert metric.aggregate([stat]) == pytest.approx(expected, abs=1e-12)
    assert f"utterance-mean.seed-tts-{language}:1" in metric.signature


@pytest.mark.parametrize("language", ["", "de", "en-GB"])
def test_other_languages_than_chinese_are_normalised_as_english(language: str) -> None:
    assert "seed-tts-en" in parity_metric(language).signature


@pytest.mark.parametrize("metric", [round_trip_wer, round_trip_cer, round_trip_wer_mean])
def test_missing_speech_that_was_asked_for_is_wrong_throughout(metric: Any) -> None:
    output = Generation(text="the cat sat")
    assert metric.judge_requests(read("the cat sat"), output) == ()
    assert metric.aggregate([metric.score(read("the cat sat"), output)]) == 1.0


def test_free_answers_are_compared_with_their_own_text() -> None:
    stat = round_trip_wer.score(FREE, Generation(text="I am fine", audio=CLIP), verdicts=("I am mine",))
    assert round_trip_wer.aggregate([stat]) == pytest.approx(1 / 3)


def test_free_answers_without_audio_or_text_are_not_readable() -> None:
    assert isinstance(round_trip_wer, Judged)
    with pytest.raises(Unreadable, match="the answer has no audio"):
        round_trip_wer.judge_requests(FREE, Generation(text="I am fine"))
    with pytest.raises(Unreadable, match="no text that its speech could be compared with"):
        round_trip_wer.score(FREE, Generation(text="", audio=CLIP), verdicts=("hm",))


def test_several_spoken_turns_are_pooled_and_turns_without_audio_left_out() -> None:
    turns = [Generation(text="one two", audio=CLIP), Generation(text="three"), Generation(text="four", audio=HUMAN)]
    assert isinstance(round_trip_wer, Judged)
    requests = round_trip_wer.judge_requests(FREE, *turns)
    assert [request.audio for request in requests] == [CLIP, HUMAN]
    stat = round_trip_wer.score(FREE, *turns, verdicts=("one two", "for"))
    assert stat == (1, 0, 0, 3, 1.0, 2.0)


def test_all_metrics_ask_the_recogniser_the_same() -> None:
    output = Generation(text="", audio=CLIP)
    judged = [metric for metric in round_trip if isinstance(metric, Judged)]
    questions = [metric.judge_requests(read("hello"), output) for metric in judged[:3]]
    assert questions[0] == questions[1] == questions[2]
    assert len(judged) == len(round_trip)
    assert all(metric.judge_role is RECOGNISER for metric in judged)


def test_the_floor_is_measured_on_people_who_speak_the_same_texts() -> None:
    assert isinstance(round_trip_floor, Restricted)
    assert isinstance(round_trip_floor, Judged)
    sample, output = read("hello world"), Generation(text="", audio=CLIP)
    (request,) = round_trip_floor.judge_requests(sample, output)
    assert request.audio is HUMAN
    assert round_trip_floor.aggregate([round_trip_floor.score(sample, output, verdicts=("hello word",))]) == 0.5
    assert round_trip_floor.applies(sample)
    assert not round_trip_floor.applies(replace(sample, inputs={"text": "hello world"}))
    assert not round_trip_floor.applies(replace(FREE, inputs={"reference": HUMAN}))
    assert round_trip_floor.is_model_independent


def test_failed_samples_are_bounded_only_if_the_text_is_known() -> None:
    worst, best = round_trip_wer.bound(read("hello world")) or (None, None)
    assert (round_trip_wer.aggregate([worst]), round_trip_wer.aggregate([best])) == (1.0, 0.0)
    assert round_trip_wer.bound(FREE) is None


@pytest.mark.parametrize("metric", [round_trip_wer, round_trip_cer, round_trip_floor])
def test_profiles_replace_the_normaliser(metric: Any) -> None:
    changed = metric.with_profile("none")
    assert (changed.name, changed.profile) == (metric.name, "none")
    assert changed.judge_role is RECOGNISER
    assert changed.signature != metric.signature
    stat = changed.score(read("Hello"), Generation(text="", audio=CLIP), verdicts=("hello",))
    assert changed.aggregate([stat]) > 0
