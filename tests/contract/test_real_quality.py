"""A real quality model on real speech in real noise, run from the command line."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from scipy.stats import spearmanr

from auricle.core.types import Prediction
from auricle.media import Audio
from auricle.runs.run_directory import Run
from tests.support.extras import require_extra

require_extra("mos")

RATE = 16_000
SENTENCES = 8
RATIOS = range(40, 4, -5)  # decibels
LASTING = ("rain", "sea_waves", "crackling_fire", "helicopter", "chainsaw")
"""Continuous noises; a barking dog, for example, leaves gaps."""


def rows(folder: Any) -> Any:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]


def mixed(speech: Any, noise: Any, ratio: Any) -> Any:
    """Mix speech with noise at a signal-to-noise ratio in dB, within full scale."""
    noise = np.resize(noise, len(speech))
    gain = np.sqrt(np.mean(speech**2) / np.mean(noise**2) / 10 ** (ratio / 10))
    sound = speech + gain * noise
    return sound / max(1.0, float(np.abs(sound).max()))


@pytest.fixture
def falling(real_speech: Any, tmp_path: Path, manifest: Any) -> Any:
    """Write sentences at falling signal-to-noise ratios, with the ratio as rating."""
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
    """Return the mean rank correlation of quality and ratio within a sentence."""
    groups = defaultdict(list)
    for record in Run.load(run).records():
        (output,) = record.outputs
        assert isinstance(output, Prediction)
        groups[record.sample.meta["sentence"]].append((record.sample.target, *output.values.values()))
    assert len(groups) == SENTENCES
    return np.mean([spearmanr(*zip(*pairs, strict=True)).statistic for pairs in groups.values()])


def test_quality_falls_with_the_signal_to_noise_ratio(auricle: Any, falling: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = auricle("run", falling, "--as", "reward", "-m", "plcmos", "-o", out)
    assert done.returncode == 0, done.stderr
    assert within(out) > 0.9
