"""Tagging and voice activity detection with real sounds: ESC-10 and the speech of the demo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

import auricle
from auricle.tasks.demo.kinds import FOLDER
from auricle.testing.sound_scenes import place_clips
from tests.conftest import SHARED
from tests.support.extras import require_extra

pytestmark = pytest.mark.slow

RATE = 16_000
SOUNDS = SHARED / "esc10"


def evaluate(folder: Path, kind: str, rows: list[dict[str, Any]], model: Any, **options: Any) -> dict[str, Any]:
    data = folder / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    spec = auricle.Spec(task=kind, task_args={"data": str(data), **options}, model=model)
    result = auricle.evaluate(spec, folder / "run")
    return {number.metric: number.value for number in result.numbers if not number.field}


def describe(samples: Any) -> Any:
    """Return the mean and the spread of the level in bands of frequencies."""
    frames = samples[: len(samples) // 1024 * 1024].reshape(-1, 1024)
    power = np.abs(np.fft.rfft(frames * np.hanning(1024))) ** 2
    levels = np.log(np.add.reduceat(power, np.geomspace(2, 480, 24).astype(int), axis=1) + 1e-6)
    features = np.concatenate([levels.mean(axis=0) - levels.mean(), levels.std(axis=0)])
    return features / np.linalg.norm(features)


def test_spectra_of_other_clips_tag_mixtures_of_real_sounds_better_than_chance(tmp_path: Path) -> None:
    if not SOUNDS.exists():
        pytest.skip(f"no real recordings at {SOUNDS}")
    manifest = [json.loads(line) for line in (SOUNDS / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    names = [row["audio_path"] for row in manifest]
    labels = {row["audio_path"]: row["label"] for row in manifest}
    clips = {name: auricle.Audio(str(SOUNDS / name)).decode(RATE) for name in names}
    features = {name: describe(clip) for name, clip in clips.items()}
    rng, rows, parts = np.random.default_rng(0), [], {}
    for number in range(30):
        first, second = rng.choice(names, 2, replace=False)
        length = min(len(clips[first]), len(clips[second]))
        mixed = sum(clips[name][:length] / (np.abs(clips[name]).max() + 1e-6) for name in (first, second))
        path = tmp_path / f"mixture-{number:02d}.wav"
        soundfile.write(path, 0.4 * np.asarray(mixed), RATE)
        parts[path.name] = {first, second}
        rows.append({"audio": path.name, "labels": sorted({labels[first], labels[second]})})

    def tag(audio: auricle.Audio) -> dict[str, float]:
        assert audio.path is not None
        own = describe(audio.decode(RATE))
        scores: dict[str, float] = {}
        for name in set(names) - parts[audio.path.name]:  # never the clips of the mixture themselves
            scores[labels[name]] = max(scores.get(labels[name], -1.0), float(own @ features[name]))
        return scores

    numbers = evaluate(tmp_path, "tag", rows, tag)
    assert numbers["mean_ap"] > 1.2 * numbers["base_rate"]
    assert numbers["mean_auc"] > 0.55


def test_silero_finds_sentences_between_noise(tmp_path: Path) -> None:
    require_extra("vad")
    speech = {}
    for number in range(1, 7):
        samples = auricle.Audio(str(FOLDER / f"s{number:02d}-clean.opus")).decode(RATE)
        loud = np.flatnonzero(np.abs(samples) > 0.02)
        speech[f"sentence {number}"] = samples[loud[0] : loud[-1]]
    rows = []
    for number in range(4):
        scene = place_clips(speech, seconds=16.0, events=2, seed=number)
        soundfile.write(tmp_path / f"scene-{number}.wav", scene.samples, RATE)
        events = [{"start": event.start, "end": event.end} for event in scene.events]
        rows.append({"audio": f"scene-{number}.wav", "events": events})
    numbers = evaluate(tmp_path, "detect", rows, "silero-vad", single_class="speech", resolution=0.1)
    assert numbers["segment_f1"] > 0.9
    assert numbers["segment_miss_rate"] < 0.1
    assert numbers["segment_false_alarm_rate"] < 0.1
    assert "psds1" not in numbers  # regions have no scores
