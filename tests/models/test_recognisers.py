"""Moonshine and PocketSphinx with their real weights, and the folders of Vosk."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, load_model
from auricle.core.errors import SpecError
from auricle.core.types import Generation, Segment
from auricle.models import recognisers
from auricle.tasks.demo.kinds import FOLDER
from tests.support.extras import require_extra
from tests.support.model_requests import generate
from tests.support.recogniser_checks import RecogniserChecks, clean_clips, word_error_rate

pytestmark = pytest.mark.slow


class TestPocketSphinx(RecogniserChecks):
    model_name = "pocketsphinx"

    def test_times_of_words_are_reported_if_requested_and_do_not_change_the_text(self, recogniser: Any) -> None:
        clip = clean_clips()[0]
        plain = recogniser.ask(FOLDER / clip["audio"])
        with load_model("pocketsphinx", words=True) as model:
            timed: Any = model.ask(FOLDER / clip["audio"])
        assert plain.segments is None
        assert timed.text == plain.text
        assert [segment.text for segment in timed.segments] == timed.text.split()
        ends = [time for segment in timed.segments for time in (segment.start, segment.end)]
        assert ends == sorted(ends)
        assert 0 <= ends[0] < ends[-1] <= Audio(str(FOLDER / clip["audio"])).seconds + 0.02


class TestMoonshine(RecogniserChecks):
    model_name = "moonshine"

    def test_real_recordings_are_recognised(self, recogniser: Any, real_speech: Any) -> None:
        rows = [json.loads(line) for line in (real_speech / "manifest.jsonl").read_text().splitlines()[:6]]
        clips = [(real_speech / row["audio_path"], row["answer"]) for row in rows]
        assert word_error_rate(recogniser, clips) < 0.4


def test_times_of_vosk_are_reported_if_requested(monkeypatch: pytest.MonkeyPatch, tone: Any) -> None:
    """Vosk's weights are no package; a recogniser with its interface stands for it."""

    class FakeRecogniser:
        def __init__(self, model: Any, rate: int) -> None:
            self.has_words = False

        def SetWords(self, enabled: bool) -> None:  # noqa: N802 - Vosk's name
            self.has_words = enabled

        def AcceptWaveform(self, chunk: bytes) -> bool:  # noqa: N802
            return False

        def FinalResult(self) -> str:  # noqa: N802
            words = [{"word": "hello", "start": 0.1, "end": 0.4, "conf": 0.9}]
            return json.dumps({"text": "hello", **({"result": words} if self.has_words else {})})

    monkeypatch.setattr(recognisers, "load_vosk", lambda model, name: (None, FakeRecogniser))
    request = generate(Audio(str(tone("a.wav"))))
    assert recognisers.Vosk("any").generate([request]) == [Generation(text="hello")]
    timed = Generation(text="hello", segments=(Segment(0.1, 0.4, "hello", score=0.9),))
    assert recognisers.Vosk("any", words=True).generate([request]) == [timed]


def test_vosk_finds_a_model_by_name_in_its_model_directories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    require_extra("vosk")
    import vosk as library

    (tmp_path / "vosk-model-mine").mkdir()
    monkeypatch.setattr(library, "MODEL_DIRS", [None, tmp_path])
    with pytest.raises(SpecError, match=f"{tmp_path}/vosk-model-mine is not a Vosk model"):
        load_model("vosk", model="vosk-model-mine")
