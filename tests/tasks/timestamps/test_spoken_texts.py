"""Texts that are spoken with times, as data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from auricle.core.errors import AudioError, DataError
from auricle.media.timed_speech import SpokenWord, TimedSpeech
from auricle.tasks.timestamps import spoken_texts
from auricle.tasks.timestamps.spoken_texts import speak_texts


class FakeLibrary:
    """Speaks a word of 0.1 s per word of a text."""

    def __init__(self, voice: str) -> None:
        if voice == "long":
            self.excess = 800
        else:
            self.excess = 0

    def speak(self, text: str) -> TimedSpeech:
        words = text.split()
        if "?" in words:
            raise AudioError("eSpeak NG speaks no word of '?'")
        spoken = tuple(SpokenWord(word, 800 * at, 800 * (at + 1) + self.excess) for at, word in enumerate(words))
        return TimedSpeech(np.full(800 * len(words), 0.25, np.float32), 8000, spoken)


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spoken_texts, "EspeakLibrary", FakeLibrary)


def test_a_row_has_the_words_with_their_times(tmp_path: Path) -> None:
    rows = speak_texts(["hello there", "good"], tmp_path / "spoken")
    assert rows[0] == {
        "id": "0001",
        "audio": "spoken/0001.wav",
        "text": "hello there",
        "words": [["hello", 0.0, 0.1], ["there", 0.1, 0.2]],
    }
    assert [row["id"] for row in rows] == ["0001", "0002"]
    assert soundfile.info(tmp_path / "spoken" / "0001.wav").duration == pytest.approx(0.2)


def test_a_text_that_cannot_be_spoken_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Line 2: eSpeak NG speaks no word of '\?'\."):
        speak_texts(["hello", "?"], tmp_path / "spoken")


def test_times_that_exceed_the_sound_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"0001\.wav has 0\.100 s, but its last word ends at 0\.200 s"):
        speak_texts(["hello"], tmp_path / "spoken", "long")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There are no texts to speak"):
        speak_texts([], tmp_path / "spoken")
