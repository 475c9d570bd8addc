"""What a model class declares that it accepts."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle import Audio, BatchModel, Generate, Generation, Image, Spec, Turn, evaluate
from auricle.core.errors import Skipped
from auricle.models.limits import ModelLimits
from auricle.runs.run_directory import Run


def ask(*parts: Any) -> Generate:
    return Generate(turns=(Turn("user", parts),))


def clip(seconds: float, rate: int = 16_000) -> Audio:
    return Audio.of(np.zeros(int(seconds * rate), np.float32), rate=rate)


def test_a_class_without_limits_accepts_everything() -> None:
    limits = ModelLimits.of(BatchModel)
    assert limits == ModelLimits()
    limits.check_request(ask(clip(99), Image("a.png"), "what?"))
    limits.check_language("zh")


def test_longer_clips_are_skipped() -> None:
    limits = ModelLimits(max_seconds=2.0)
    limits.check_request(ask(clip(2.0)))
    with pytest.raises(Skipped, match=r"2\.1 s of audio; the model accepts 2 s \(max_seconds\)"):
        limits.check_request(ask(clip(1.0), clip(2.1)))


def test_other_sample_rates_are_skipped() -> None:
    limits = ModelLimits(sample_rates=(8_000, 16_000))
    limits.check_request(ask(clip(1, 8_000)))
    with pytest.raises(Skipped, match=r"44100 Hz; the model accepts 8000, 16000 Hz \(sample_rates\)"):
        limits.check_request(ask(clip(1, 44_100)))


def test_other_modalities_are_skipped() -> None:
    limits = ModelLimits(modalities=("audio",))
    limits.check_request(ask(clip(1), ""))
    with pytest.raises(Skipped, match=r"text in the request; the model accepts audio \(modalities\)"):
        limits.check_request(ask(clip(1), "what?"))


@pytest.mark.parametrize("language", ["", "en", "EN", "en-GB", "en_US", "zh-CN"])
def test_accepted_and_unknown_languages(language: str) -> None:
    ModelLimits(languages=("en", "zh-CN")).check_language(language)


@pytest.mark.parametrize("language", ["de", "zh", "zh-TW"])
def test_other_languages_are_skipped(language: str) -> None:
    with pytest.raises(Skipped, match=rf"the language is {language}; the model accepts en, zh-CN \(languages\)"):
        ModelLimits(languages=("en", "zh-CN")).check_language(language)


class Short(BatchModel):
    """Accepts two seconds of English."""

    max_seconds = 2.0
    languages = ("en",)

    def generate(self, batch: Any) -> Any:
        assert all(request.audio.seconds <= self.max_seconds for request in batch)
        return [Generation(text="hello") for _ in batch]


def test_a_run_skips_samples_beyond_the_limits_with_the_reason(tmp_path: Path) -> None:
    for name, seconds in (("a", 1), ("b", 3), ("c", 1)):
        soundfile.write(tmp_path / f"{name}.wav", np.zeros(8_000 * seconds, np.float32), 8_000)
    languages = {"a": "en-GB", "b": "en", "c": "de"}
    rows = [{"id": name, "audio": f"{name}.wav", "text": "hello", "language": languages[name]} for name in languages]
    (tmp_path / "clips.jsonl").write_text("\n".join(map(json.dumps, rows)))
    spec = Spec(task="asr", task_args={"data": str(tmp_path / "clips.jsonl")}, model=f"{__name__}:Short")
    result = evaluate(spec, tmp_path / "run")
    assert (result.outcomes.answered, result.outcomes.skipped) == (1, 2)
    reasons = {
        record.sample.id: record.error.message for record in Run.load(tmp_path / "run").records() if record.error
    }
    assert reasons == {
        "b": "3.0 s of audio; the model accepts 2 s (max_seconds)",
        "c": "the language is de; the model accepts en (languages)",
    }
