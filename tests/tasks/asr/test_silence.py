"""The task of sounds without speech."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Generate, Generation, Sample, Spec, SpecError, evaluate
from auricle.core.errors import DataError
from auricle.engine.catalogue import TASKS
from auricle.media.perturbations.levels import measure_rms_level
from auricle.models.catalogue import MODELS
from auricle.tasks.asr import silence as module
from auricle.tasks.asr.silence import FAINT_LEVEL, KINDS, LEVEL, RATE, NonSpeechSamples, Sound, silence


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "auricle" / "sounds"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", (1, 2))


def test_there_are_forty_sounds_of_four_lengths_and_more_with_more_seeds() -> None:
    samples = NonSpeechSamples(1, "")
    assert (len(samples), len(NonSpeechSamples(3, ""))) == (40, 40 + 2 * 36)
    assert samples.revision != NonSpeechSamples(3, "").revision
    assert len(KINDS) == 10


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_is_the_same_every_time_and_has_its_level(kind: str) -> None:
    waveform, again = (Sound(kind, 1).make_waveform() for _ in range(2))
    assert waveform.dtype == np.int16
    assert len(waveform) == RATE
    assert (waveform == again).all()
    if kind == "silence":
        assert not waveform.any()
        return
    level = measure_rms_level(waveform / 2**15)
    assert level == pytest.approx(FAINT_LEVEL if kind.startswith("faint") else LEVEL, abs=0.3)
    assert (Sound(kind, 1, seed=1).make_waveform() != waveform).any()
    assert not (Sound(kind, 2).make_waveform()[:RATE] == waveform).all()


def test_tones_beeps_and_hums_have_their_frequencies() -> None:
    def peak(kind: str) -> float:
        spectrum = np.abs(np.fft.rfft(Sound(kind, 1).make_waveform()))
        return float(np.argmax(spectrum))  # of one second, so in Hz

    assert 200 <= peak("tone") <= 2000
    assert peak("hum") in (50, 60)
    beeps = Sound("beeps", 2).make_waveform()
    assert beeps[:3000].any()
    assert not beeps[3300:RATE].any()
    assert beeps[RATE : RATE + 3000].any()


def test_files_are_named_after_their_content_and_written_again_if_they_are_gone(tmp_path: Path) -> None:
    sound = Sound("clicks", 1)
    path = sound.write(tmp_path)
    assert path.name.startswith("clicks-1s-")
    content = path.read_bytes()
    path.unlink()
    assert sound.write(tmp_path) == path
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert (Audio(str(path)).decode() * 2**15 == sound.make_waveform()).all()


@pytest.mark.usefixtures("short")
def test_samples_have_an_empty_reference_and_name_kind_and_length(cache: Path) -> None:
    task = TASKS.get("silence")(language="de", seeds=2)
    samples = list(task.samples)
    assert all(isinstance(sample, Sample) and sample.target == "" for sample in samples)
    assert [sample.meta for sample in samples[:2]] == [
        {"kind": "silence", "seconds": 1},
        {"kind": "silence", "seconds": 2},
    ]
    assert [sample.id for sample in samples if sample.meta["kind"] == "tone"] == [
        *("tone-1s", "tone-2s", "tone-1s-2", "tone-2s-2")
    ]
    assert len(list(cache.iterdir())) == len(samples) == 38
    assert task.language == "de"


@pytest.mark.usefixtures("cache", "short")
def test_words_on_sounds_without_speech_are_counted_and_a_resumed_run_asks_nothing_twice(tmp_path: Path) -> None:
    asked = []

    def recognise(request: Generate) -> Generation:
        assert request.audio
        asked.append(request.audio)
        return Generation(text="Thank you." if len(asked) <= 2 else "")

    spec = Spec(task="silence", model=MODELS.add_object(recognise))
    result = evaluate(spec, tmp_path / "run")
    assert result.metrics
    numbers = {number.metric: number for number in result.metrics.overall}
    assert numbers["nonspeech_words_per_minute"].value == pytest.approx(4 / (30 / 60))
    assert numbers["nonspeech_output"].value == 0.1
    assert (numbers["repetition_loops"].value, numbers["other_script"].value) == (0, 0)
    assert {number.field for number in result.metrics.numbers} >= {"kind"}
    assert not any("empty" in note for note in result.metrics.notes)
    for path in (tmp_path / "cache").rglob("*.wav"):
        path.unlink()
    evaluate(spec, tmp_path / "run")
    assert len(asked) == 20


@pytest.mark.parametrize("seeds", [0, 26, "three", True])
def test_an_invalid_number_of_seeds_is_refused(seeds: Any) -> None:
    with pytest.raises(SpecError, match="Invalid seeds"):
        silence(seeds=seeds)


def test_a_cache_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"Cannot write a sound to .*XDG_CACHE_HOME"):
        next(iter(silence().samples))
