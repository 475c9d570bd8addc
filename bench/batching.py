"""Compare batches sorted by length with batches in the order of the data, for a model that pads.

Lengths are quantiles of a log-normal distribution with the mean (7.42 s) and deviation (5.16 s) of LibriSpeech
test-clean, clipped to its range (1.3 to 35 s). The clips are parts of one file of noise.
"""

from __future__ import annotations

import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import NormalDist
from unittest import mock

import numpy as np
import sample_data
import soundfile
import torch
from measure import Sheet, at_least, measure_best

from auricle import Audio, BatchModel, Generate, Generation, evaluate, model

SAMPLES = 384
RATE = 16_000
LONGEST = 35.0
SHORTEST = 1.3
MEAN, SPREAD = 7.42, 5.16
TARGET = 1.4
ROUNDS = 2


@model("padded")
class Padded(BatchModel):
    """Convolutions over the waveform and a GRU over their frames; clips are padded to the longest."""

    batch_size = 16
    sample_rate = RATE
    seconds = 0.0
    """Seconds of audio processed, including padding, since the last reset."""

    def __init__(self) -> None:
        torch.set_num_threads(1)  # the other core decodes
        torch.manual_seed(0)
        self._front = torch.nn.Sequential(
            torch.nn.Conv1d(1, 80, 400, stride=160),
            torch.nn.ReLU(),
            torch.nn.Conv1d(80, 128, 5, stride=4),
            torch.nn.ReLU(),
        )
        self._recurrent = torch.nn.GRU(128, 256, num_layers=2, batch_first=True)
        self._output = torch.nn.Linear(256, 32)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        waves = [torch.from_numpy(_decode(request)) for request in batch]
        padded = torch.nn.utils.rnn.pad_sequence(waves, batch_first=True)
        type(self).seconds += padded.numel() / RATE
        with torch.inference_mode():
            frames = self._front(padded.unsqueeze(1)).transpose(1, 2)
            labels = self._output(self._recurrent(frames)[0]).argmax(-1)
        return [Generation(text=str(int(row.sum()))) for row in labels]


def _decode(request: Generate) -> np.ndarray:
    return next(p for p in request.turns[-1].parts if isinstance(p, Audio)).decode(RATE)


def lengths() -> np.ndarray:
    """Return evenly spaced quantiles of the distribution, shuffled."""
    variance = math.log(1 + (SPREAD / MEAN) ** 2)
    normal = NormalDist(math.log(MEAN) - variance / 2, math.sqrt(variance))
    quantiles = np.exp([normal.inv_cdf((index + 0.5) / SAMPLES) for index in range(SAMPLES)])
    return np.random.default_rng(sample_data.SEED).permutation(np.clip(quantiles, SHORTEST, LONGEST))


def write_corpus(folder: Path) -> Path:
    noise = np.random.default_rng(sample_data.SEED).normal(0, 0.1, int(2 * LONGEST * RATE))
    soundfile.write(folder / "noise.wav", noise, RATE)
    lines = (
        {"audio": "noise.wav", "start": index % 300 / 10, "end": index % 300 / 10 + length, "text": "-"}
        for index, length in enumerate(lengths().tolist())
    )
    return sample_data.write(folder / "data.jsonl", lines)


def run_engine(data: Path, padded_seconds: list[float]) -> Callable[[], None]:
    out = data.with_name("run")

    def run() -> None:
        shutil.rmtree(out, ignore_errors=True)
        Padded.seconds = 0.0
        evaluate(sample_data.spec(data, "padded", "asr"), out, infer_only=True)
        assert Padded.seconds >= lengths().sum(), "the model failed on some of the clips"
        padded_seconds.append(Padded.seconds)

    return run


def main() -> int:
    total = lengths().sum()
    sheet = Sheet(f"{SAMPLES} clips, {total / SAMPLES:.1f} s on average, in batches of 16")
    by_length: list[float] = []
    by_order: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        data = write_corpus(Path(folder))
        in_order = mock.patch("auricle.engine.batching.sort_by_length", list)(run_engine(data, by_order))
        costs = measure_best({"by order": in_order, "by length": run_engine(data, by_length)}, ROUNDS)
    order, length = costs["by order"], costs["by length"]
    sheet.line("batches in order", order.wall, "s", cost=order)
    sheet.line("batches by length", length.wall, "s", None, length.wall / order.wall, length)
    sheet.line("speed-up", order.wall / length.wall, "x", at_least(TARGET))
    sheet.line("processor time saved", order.cpu / length.cpu, "x")
    sheet.line("padded seconds, in order", by_order[0], "s", ratio=by_order[0] / total)
    sheet.line("padded seconds, by length", by_length[0], "s", ratio=by_length[0] / total)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
