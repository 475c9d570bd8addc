"""What sorting by length saves a model that pads: the engine's batches beside batches as they come.

Lengths are quantiles of a log-normal with the mean (7.42 s) and the spread (5.16 s) of LibriSpeech
test-clean, cut to its range (1.3 to 35 s). The sounds are stretches of one file of noise.
"""

from __future__ import annotations

import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import NormalDist
from unittest import mock

import material
import numpy as np
import soundfile
import torch
from measure import Sheet, at_least, best

from auricle import Audio, BatchModel, Generate, Generation, evaluate, model
from auricle.engine.batching import BatchLimits, PendingRequest

SAMPLES = 384
RATE = 16_000
LONGEST = 35.0
SHORTEST = 1.3
MEAN, SPREAD = 7.42, 5.16
TARGET = 1.4
ROUNDS = 2


@model("padded")
class Padded(BatchModel):
    """Convolutions over the wave, a GRU over their frames; all sounds as long as the longest."""

    batch_size = 16
    sample_rate = RATE
    seconds = 0.0
    """Padding counted, since it was last set to nothing."""

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
        self._letters = torch.nn.Linear(256, 32)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        waves = [torch.from_numpy(_wave(request)) for request in batch]
        padded = torch.nn.utils.rnn.pad_sequence(waves, batch_first=True)
        type(self).seconds += padded.numel() / RATE
        with torch.inference_mode():
            frames = self._front(padded.unsqueeze(1)).transpose(1, 2)
            letters = self._letters(self._recurrent(frames)[0]).argmax(-1)
        return [Generation(text=str(int(each.sum()))) for each in letters]


def _wave(request: Generate) -> np.ndarray:
    return next(p for p in request.turns[-1].parts if isinstance(p, Audio)).decode(RATE)


def lengths() -> np.ndarray:
    """Evenly spaced quantiles of the distribution, shuffled: its shape without luck."""
    variance = math.log(1 + (SPREAD / MEAN) ** 2)
    normal = NormalDist(math.log(MEAN) - variance / 2, math.sqrt(variance))
    drawn = np.exp([normal.inv_cdf((at + 0.5) / SAMPLES) for at in range(SAMPLES)])
    return np.random.default_rng(material.SEED).permutation(np.clip(drawn, SHORTEST, LONGEST))


def corpus(folder: Path) -> Path:
    noise = np.random.default_rng(material.SEED).normal(0, 0.1, int(2 * LONGEST * RATE))
    soundfile.write(folder / "noise.wav", noise, RATE)
    lines = (
        {"audio": "noise.wav", "start": at % 300 / 10, "end": at % 300 / 10 + length, "text": "-"}
        for at, length in enumerate(lengths().tolist())
    )
    return material.write(folder / "data.jsonl", lines)


def as_they_come(waiting: Sequence[PendingRequest], limits: BatchLimits) -> Iterator[list[PendingRequest]]:
    """Batches of the same size, in the order in which the samples asked."""
    for start in range(0, len(waiting), limits.size):
        yield list(waiting[start : start + limits.size])


def engine(data: Path, padded: list[float]) -> Callable[[], None]:
    out = data.with_name("run")

    def run() -> None:
        shutil.rmtree(out, ignore_errors=True)
        Padded.seconds = 0.0
        evaluate(material.spec(data, "padded", "asr"), out, infer_only=True)
        assert Padded.seconds >= lengths().sum(), "the model failed on some of the sounds"
        padded.append(Padded.seconds)

    return run


def main() -> int:
    total = lengths().sum()
    sheet = Sheet(f"{SAMPLES} sounds, {total / SAMPLES:.1f} s on average, in batches of 16")
    by_length: list[float] = []
    by_order: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        data = corpus(Path(folder))
        unsorted = mock.patch("auricle.engine.batching.cut", as_they_come)(engine(data, by_order))
        spent = best({"by order": unsorted, "by length": engine(data, by_length)}, ROUNDS)
    order, length = spent["by order"], spent["by length"]
    sheet.line("batches as they come", order.wall, "s", spent=order)
    sheet.line("batches by length", length.wall, "s", None, length.wall / order.wall, length)
    sheet.line("times faster", order.wall / length.wall, "x", at_least(TARGET))
    sheet.line("times less processor", order.cpu / length.cpu, "x")
    sheet.line("padded seconds, as they come", by_order[0], "s", ratio=by_order[0] / total)
    sheet.line("padded seconds, by length", by_length[0], "s", ratio=by_length[0] / total)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
