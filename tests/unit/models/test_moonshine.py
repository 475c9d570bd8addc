"""Moonshine with its real weights."""

import json
from collections.abc import Iterator
from typing import Any, cast

import jiwer
import numpy as np
import pytest

from auricle import load_model
from auricle.core.errors import SampleError
from auricle.core.types import Generation
from auricle.tasks.demo import FOLDER
from auricle.text import get_profile


def clean_clips(voice: Any) -> Any:
    rows = [json.loads(line) for line in (FOLDER / "manifest.jsonl").read_text().splitlines()]
    return [row for row in rows if row["subset"] == "clean" and row["voice"] == voice]


@pytest.fixture(scope="module")
def recogniser() -> Iterator[Any]:
    with load_model("moonshine") as model:
        yield model


def test_speech_is_mostly_recognised(recogniser: Any) -> None:
    normalise = get_profile("whisper-en")
    clips = clean_clips("hibari/heart")
    received = [normalise(recogniser.ask(FOLDER / clip["audio"]).text) for clip in clips]
    assert jiwer.wer([normalise(clip["text"]) for clip in clips], received) < 0.4


def test_result_does_not_depend_on_earlier_clips(recogniser: Any) -> None:
    first, second = (FOLDER / clip["audio"] for clip in clean_clips("hibari/heart")[:2])
    alone = recogniser.ask(first).text
    recogniser.ask(second)
    assert recogniser.ask(first).text == alone


def test_silence_does_not_crash(recogniser: Any) -> None:
    silence = np.zeros(16_000, dtype=np.float32)
    assert isinstance(recogniser.ask(silence, rate=16_000).text, str)


def test_recogniser_requires_one_clip(recogniser: Any) -> None:
    with pytest.raises(SampleError, match="expected exactly one audio clip in the request, got 0"):
        recogniser.ask(text="hello?")


def test_real_recordings_are_recognised(real_speech: Any) -> None:
    lines = (real_speech / "manifest.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    normalise = get_profile("whisper-en")
    with load_model("moonshine") as model:
        received = [normalise(cast(Generation, model.ask(real_speech / row["audio_path"])).text) for row in rows[:12]]
    assert jiwer.wer([normalise(row["answer"]) for row in rows[:12]], received) < 0.4
