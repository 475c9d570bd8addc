"""Similarity of voices, rated by a speaker model."""

import math
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import Unreadable
from auricle.core.types import Generation, Predict, Sample
from auricle.media import Audio
from auricle.metrics.capabilities import Judged
from auricle.tasks.speech.metrics.speaker_similarity import read_value, speaker_similarity
from auricle.tasks.speech.roles import SPEAKER


def clip(level: float) -> Audio:
    return Audio.of(np.full(800, level, dtype=np.float32), rate=8000)


SPOKEN, VOICE, REFERENCE, OTHER = (clip(level) for level in (0.1, 0.2, 0.3, 0.4))


def ask(sample: Sample, *outputs: Generation) -> tuple[Any, ...]:
    assert isinstance(speaker_similarity, Judged)
    return speaker_similarity.judge_requests(sample, *outputs)


def test_the_answer_is_compared_with_the_voice_of_the_row() -> None:
    sample = Sample(id="1", inputs={"prompt_audio": VOICE})
    (request,) = ask(sample, Generation(text="", audio=SPOKEN))
    assert isinstance(request, Predict)
    assert request.inputs == {"a": SPOKEN, "b": VOICE}
    stat = speaker_similarity.score(sample, Generation(text="", audio=SPOKEN), verdicts=({"score": 0.8},))
    assert speaker_similarity.aggregate([stat]) == pytest.approx(0.8)
    assert speaker_similarity.details([stat]) == {"limits": [-1.0, 1.0]}
    assert isinstance(speaker_similarity, Judged)
    assert speaker_similarity.judge_role is SPEAKER


def test_pairs_of_people_give_the_number_a_meaning() -> None:
    full = Sample(id="1", inputs={"voice": VOICE, "reference": REFERENCE, "other_voice": OTHER})
    part = Sample(id="2", inputs={"voice": VOICE, "reference": REFERENCE})
    output = Generation(text="", audio=SPOKEN)
    assert [request.inputs["a"] for request in ask(full, output)] == [SPOKEN, REFERENCE, OTHER]
    stats = [
        speaker_similarity.score(full, output, verdicts=({"score": 0.7}, {"score": 0.9}, {"score": 0.1})),
        speaker_similarity.score(part, output, verdicts=({"score": 0.5}, {"score": 0.8})),
    ]
    assert speaker_similarity.aggregate(stats) == pytest.approx(0.6)
    people = {"same_speaker": 0.85, "same_speaker_pairs": 2, "different_speaker": 0.1, "different_speaker_pairs": 1}
    details = speaker_similarity.details(stats)
    assert {name: details[name] for name in people} == pytest.approx(people)


def test_a_reference_that_is_the_voice_itself_is_no_pair() -> None:
    assert len(ask(Sample(id="1", inputs={"reference": VOICE}), Generation(text="", audio=SPOKEN))) == 1


def test_several_answers_are_averaged() -> None:
    sample = Sample(id="1", inputs={"voice": VOICE})
    outputs = [Generation(text="", audio=SPOKEN), Generation(text="", audio=OTHER)]
    assert len(ask(sample, *outputs)) == 2
    stat: Any = speaker_similarity.score(sample, *outputs, verdicts=({"score": 0.2}, {"score": 0.4}))
    assert stat[0] == pytest.approx(0.3)


def test_rows_without_a_voice_are_left_out_and_the_need_is_stated() -> None:
    sample = Sample(id="1", inputs={"voice": "alloy"})
    assert ask(sample, Generation(text="", audio=SPOKEN)) == ()
    assert speaker_similarity.score(sample, Generation(text="", audio=SPOKEN)) is None
    assert speaker_similarity.needs == "a recording of the voice: voice, prompt_audio, reference"


def test_an_answer_without_audio_is_not_readable() -> None:
    with pytest.raises(Unreadable, match="the answer has no audio"):
        ask(Sample(id="1", inputs={"voice": VOICE}), Generation(text="hello"))


@pytest.mark.parametrize("values", [{"other": 1.0}, {"score": math.nan}])
def test_a_missing_value_is_not_readable(values: dict[str, float]) -> None:
    with pytest.raises(Unreadable, match=f"no number 'score'; it returned {next(iter(values))}"):
        read_value(values, "score")
