"""Tests that every speech recogniser with real weights passes."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar

import jiwer
import numpy as np
import pytest

from auricle import load_model
from auricle.core.errors import SampleError
from auricle.tasks.demo.kinds import FOLDER
from auricle.text import get_profile


def clean_clips() -> Any:
    rows = [json.loads(line) for line in (FOLDER / "manifest.jsonl").read_text().splitlines()]
    return [row for row in rows if row["subset"] == "clean" and row["voice"] == "hibari/heart"]


def word_error_rate(model: Any, clips: Any) -> Any:
    """Transcribe pairs of a file and its text, and return the error rate."""
    normalise = get_profile("whisper-en")
    received = [normalise(model.ask(path).text) for path, _ in clips]
    return jiwer.wer([normalise(text) for _, text in clips], received)


class RecogniserChecks:
    """Subclass it as `Test…` with the name of a model."""

    model_name: ClassVar[str]

    @pytest.fixture(scope="class")
    @classmethod
    def recogniser(cls) -> Iterator[Any]:
        with load_model(cls.model_name) as model:
            yield model

    def test_speech_is_mostly_recognised(self, recogniser: Any) -> None:
        clips = [(FOLDER / clip["audio"], clip["text"]) for clip in clean_clips()[:4]]
        assert word_error_rate(recogniser, clips) < 0.4

    def test_result_does_not_depend_on_earlier_clips(self, recogniser: Any) -> None:
        first, second = (FOLDER / clip["audio"] for clip in clean_clips()[:2])
        alone = recogniser.ask(first).text
        recogniser.ask(second)
        assert recogniser.ask(first).text == alone

    def test_silence_does_not_crash(self, recogniser: Any) -> None:
        silence = np.zeros(16_000, dtype=np.float32)
        assert isinstance(recogniser.ask(silence, rate=16_000).text, str)

    def test_recogniser_requires_one_clip(self, recogniser: Any) -> None:
        with pytest.raises(SampleError, match="expected exactly one audio clip in the request, got 0"):
            recogniser.ask(text="hello?")
