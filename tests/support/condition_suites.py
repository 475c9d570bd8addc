"""A task under several conditions, answered by a model whose hearing is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from auricle.cli.run import run_config
from auricle.engine.config import RunConfig
from auricle.runs.metrics import Metrics, Number, read_metrics

RATE = 16_000
TEXT = "one two three four five six seven eight nine ten"
LISTENER = '''
"""A model that understands a tone in noise above a signal-to-noise ratio of its own for each frequency."""

import numpy as np

from auricle import BatchModel, Generation

TEXT = "one two three four five six seven eight nine ten"


class Listener(BatchModel):
    """Args: limit: SNR in dB below which the tone of the lowest frequency is lost; slip: which word is never heard."""

    batch_size = 64

    def __init__(self, *, limit: float = 5.0, slip: int = -1) -> None:
        self.limit, self.slip = limit, slip

    def generate(self, batch):
        return [Generation(text=self.hear(request.audio.decode())) for request in batch]

    def hear(self, samples):
        power = np.abs(np.fft.rfft(samples)) ** 2
        peak = int(power.argmax())
        snr = 10 * np.log10(power[peak] / (power.sum() - power[peak] + 1e-6))
        frequency = peak * 16_000 / len(samples)
        words = TEXT.split()
        heard = words if snr > self.limit - (frequency - 400) / 100 else words[:5]
        return " ".join(word for index, word in enumerate(heard) if index != self.slip)
'''


def write_task(folder: Path, samples: int = 12, speakers: int = 0) -> Path:
    """Write recordings of tones, a manifest and the model, and return the manifest."""
    rows: list[dict[str, Any]] = []
    for index in range(samples):
        wave = 0.3 * np.sin(2 * np.pi * (400 + 100 * index) * np.arange(RATE // 5) / RATE)
        soundfile.write(folder / f"{index}.wav", wave.astype(np.float32), RATE)
        speaker = {"speaker": f"s{index % speakers}"} if speakers else {}
        rows.append({"id": f"tone-{index}", "audio": f"{index}.wav", "text": TEXT, **speaker})
    manifest = folder / "tones.jsonl"
    manifest.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "listener.py").write_text(LISTENER)
    return manifest


def run_conditions(folder: Path, perturb: tuple[str, ...], name: str = "run", **model_args: Any) -> Path:
    """Run the task in a folder under conditions and return the folder of the suite."""
    config = RunConfig.from_fields(
        {
            "task": str(folder / "tones.jsonl"),
            "as": "asr",
            "model": f"{folder / 'listener.py'}:Listener",
            "model_args": model_args,
            "perturb": perturb,
            "out": folder / name,
        },
        "test",
    )
    assert run_config(config, as_json=False) == 0
    return folder / name


def run_two_listeners(folder: Path) -> list[Metrics]:
    """Run two models, of which the second hears better, under conditions with and without levels."""
    write_task(folder)
    first = run_conditions(folder, ("noise:snr=20,10,0,-10", "band:low=300"), "a", limit=12.0)
    second = run_conditions(folder, ("noise:snr=20,10,0,-10", "loss:rate=0.1"), "b", limit=-60.0)
    return [read_metrics(first), read_metrics(second)]


MANY = ("uar", "weighted_recall", "weighted_precision", "weighted_f1", "macro_precision", "ece")
"""Metrics beside the WER, of which only the first is a headline."""


def add_metrics(metrics: Metrics) -> Metrics:
    """Return metrics with `MANY`, whose numbers are those of the WER."""

    def rename(number: Number, name: str) -> Number:
        metric = name + number.metric.removeprefix("wer")
        signature = replace(number.signature, metric=replace(number.signature.metric, name=metric))
        return replace(number, metric=metric, title=metric, signature=signature)

    wer = [number for number in metrics.numbers if number.metric.startswith("wer")]
    return replace(metrics, numbers=(*wer, *(rename(number, name) for name in MANY for number in wer)))
