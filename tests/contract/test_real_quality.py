"""A real quality model hears real speech go under in real noise, as a user would have it run."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from scipy.stats import spearmanr

from auricle.audio import Audio
from auricle.runs.run_directory import Run

pytest.importorskip("onnxruntime", reason="pip install 'auricle[mos]'")
pytest.importorskip("speechmos", reason="pip install 'auricle[mos]'")

RATE = 16_000
SENTENCES = 12
RATIOS = range(40, 4, -5)  # decibels
LASTING = ("rain", "sea_waves", "crackling_fire", "helicopter", "chainsaw")
"""Noises that go on: between two barks of a dog there is none."""


def rows(folder: Any) -> Any:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]


def mixed(speech: Any, noise: Any, ratio: Any) -> Any:
    """Speech with as much noise as leaves it `ratio` decibels louder, within full scale."""
    noise = np.resize(noise, len(speech))
    gain = np.sqrt(np.mean(speech**2) / np.mean(noise**2) / 10 ** (ratio / 10))
    sound = speech + gain * noise
    return sound / max(1.0, float(np.abs(sound).max()))


@pytest.fixture
def falling(real_speech: Any, tmp_path: Path, manifest: Any) -> Any:
    """Sentences at falling ratios, each in one noise, with the ratio as their rating."""
    sounds = real_speech.parent / "esc10"
    lasting = [item for item in rows(sounds) if item["label"] in LASTING]
    result = []
    for number, sentence in enumerate(rows(real_speech)[:SENTENCES]):
        speech = Audio.of(real_speech / sentence["audio_path"]).decode(RATE)
        chosen = lasting[number * 7 % len(lasting)]["audio_path"]
        noise = Audio.of(sounds / chosen).decode(RATE)
        for ratio in RATIOS:
            name = f"{number}-{ratio}.wav"
            soundfile.write(tmp_path / name, mixed(speech, noise, ratio), RATE)
            row = {"id": name, "audio": name, "score": ratio, "sentence": str(number)}
            result.append(row)
    return manifest(result)


def within(run: Any) -> Any:
    """The mean over sentences of how well quality follows the ratio."""
    groups = defaultdict(list)
    for record in Run.load(run).records():
        (output,) = record.outputs
        groups[record.sample.meta["sentence"]].append((record.sample.target, *output.values.values()))
    assert len(groups) == SENTENCES
    return np.mean([spearmanr(*zip(*pairs, strict=True)).statistic for pairs in groups.values()])


def test_quality_falls_with_the_signal_to_noise_ratio(auricle: Any, falling: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = auricle("run", falling, "--as", "reward", "-m", "plcmos", "-o", out)
    assert done.returncode == 0, done.stderr
    assert within(out) > 0.9
