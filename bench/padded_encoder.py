"""Compare the engine on a padded torch encoder with a loop that sorts, decodes and runs.

The loop forms the same batches as the engine, and both must agree on every batch and every answer. It reads each file
once, writes no journal, and does not overlap decoding with inference. A second loop decodes one batch ahead in a
thread, and a third sorts all files at once.

Lengths are those of read speech split at pauses: most between 12 and 16 s, a tail of short ones, a few up to 35 s.
The recordings are FLAC files of noise.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
import sample_data
import soundfile
import torch
from measure import Cost, Sheet, at_most, measure_cost

from auricle import Audio, BatchModel, Generate, Generation, evaluate, model
from auricle.engine.batching import BATCHES_PER_WINDOW

FILES, RATE = 384, 16_000
SHORTEST, LONGEST = 1.5, 35.0
SIZE, SECONDS = 16, 224.0
"""Most recordings in a batch, and most seconds of them after padding."""
WIDTH, LAYERS, ALPHABET = 128, 2, " abcdefghijklmnopqrstuvwxyz'"
TARGET, ROUNDS = 1.15, 5

Batch = list[Path]
Loop = Callable[[Path, Path], None]


class Encoder(torch.nn.Module):
    """Convolutions to 25 frames per second, then attention over all frames, with a mask for the padding."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.front = torch.nn.Sequential(
            torch.nn.Conv1d(1, 80, 400, stride=160, padding=200),
            torch.nn.GELU(),
            torch.nn.Conv1d(80, WIDTH, 3, stride=2, padding=1),
            torch.nn.GELU(),
            torch.nn.Conv1d(WIDTH, WIDTH, 3, stride=2, padding=1),
            torch.nn.GELU(),
        )
        layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.output = torch.nn.Linear(WIDTH, len(ALPHABET) + 1)
        self.eval()

    @torch.inference_mode()
    def transcribe(self, waves: Sequence[np.ndarray]) -> list[str]:
        """Return a text for each waveform: the most likely letter of each frame, without repeats and blanks."""
        padded = torch.nn.utils.rnn.pad_sequence([*map(torch.from_numpy, waves)], batch_first=True)
        frames = self.front(padded.unsqueeze(1)).transpose(1, 2)
        frame_counts = torch.tensor([-(-len(wave) // 640) for wave in waves])
        padding = torch.arange(frames.shape[1]) >= frame_counts.unsqueeze(1)
        labels = self.output(self.layers(frames, src_key_padding_mask=padding)).argmax(-1)
        return [_labels_to_text(row[:end]) for row, end in zip(labels.tolist(), frame_counts, strict=True)]


def _labels_to_text(labels: Iterable[int]) -> str:
    return "".join(ALPHABET[label - 1] for label, _ in groupby(labels) if label)


@model("encoder")
class Padded(BatchModel):
    """The encoder as a model; records the files of each batch."""

    batch_size, batch_seconds, sample_rate = SIZE, SECONDS, RATE
    batches: list[Batch] = []  # noqa: RUF012 - on the class, because the engine creates the object

    def __init__(self) -> None:
        self._encoder = Encoder()

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        clips = [_find_audio(request) for request in batch]
        self.batches.append([Path(clip.uri) for clip in clips])
        texts = self._encoder.transcribe([clip.decode(RATE) for clip in clips])
        return [Generation(text=text) for text in texts]


def _find_audio(request: Generate) -> Audio:
    return next(part for part in request.turns[-1].parts if isinstance(part, Audio))


def draw_lengths(generator: np.random.Generator) -> np.ndarray:
    """Draw lengths: 70 % about 14 s, a quarter shorter, the rest longer."""
    lengths = np.where(
        generator.random(FILES) < 0.7,
        generator.normal(14.3, 1.4, FILES),
        np.where(
            generator.random(FILES) < 0.85,
            generator.uniform(SHORTEST, 13.0, FILES),
            generator.uniform(16.0, LONGEST, FILES),
        ),
    )
    return np.clip(lengths, SHORTEST, LONGEST)


def write_corpus(folder: Path) -> Path:
    generator = np.random.default_rng(sample_data.SEED)
    noise = 0.05 * generator.normal(size=int(2 * LONGEST * RATE))
    rows = []
    for index, (length, (text, _)) in enumerate(zip(draw_lengths(generator), sample_data.pairs(FILES), strict=True)):
        first = int(generator.integers(len(noise) // 2))
        soundfile.write(folder / f"{index}.flac", noise[first : first + int(length * RATE)], RATE)
        rows.append({"id": str(index), "audio": f"{index}.flac", "text": text})
    return sample_data.write(folder / "data.jsonl", rows)


# --- bare loops --------------------------------------------------------------------


def split_batches(data: Path, window: int) -> Iterator[Batch]:
    """Yield batches of each window, longest first; lengths come from the headers, as in the engine."""
    with data.open() as lines:
        paths = [data.parent / json.loads(line)["audio"] for line in lines]
    for start in range(0, len(paths), window):
        seconds = {path: soundfile.info(path).duration for path in paths[start : start + window]}
        remaining = sorted(seconds, key=lambda path: -seconds[path])
        while remaining:
            size = max(1, min(SIZE, int(SECONDS / seconds[remaining[0]])))
            yield remaining[:size]
            remaining = remaining[size:]


def decode_batch(batch: Batch) -> tuple[Batch, list[np.ndarray]]:
    return batch, [soundfile.read(path, dtype="float32")[0] for path in batch]


def decode_ahead(batches: Iterable[Batch]) -> Iterator[tuple[Batch, list[np.ndarray]]]:
    """Yield decoded batches; a thread decodes the next one meanwhile."""
    with ThreadPoolExecutor(1) as executor:
        previous = None
        for batch in batches:
            current = executor.submit(decode_batch, batch)
            if previous:
                yield previous.result()
            previous = current
        if previous:
            yield previous.result()


def bare_loop(window: int = BATCHES_PER_WINDOW * SIZE, prefetch: bool = False) -> Loop:
    def loop(data: Path, out: Path) -> None:
        encoder = Encoder()
        batches = split_batches(data, window)
        with out.open("w") as answers:
            for batch, waves in decode_ahead(batches) if prefetch else map(decode_batch, batches):
                for path, text in zip(batch, encoder.transcribe(waves), strict=True):
                    answers.write(json.dumps({"id": path.stem, "text": text}) + "\n")

    return loop


# --- engine ------------------------------------------------------------------------


def engine_loop(infer_only: bool) -> Loop:
    def loop(data: Path, out: Path) -> None:
        Padded.batches.clear()
        evaluate(sample_data.spec(data, "encoder", "asr"), out, infer_only=infer_only)

    return loop


def read_answers(out: Path) -> dict[str, str]:
    """Return the answers of a run or of a loop by id."""
    journal = out / "outputs.jsonl" if out.is_dir() else out
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    return {line["id"]: line["text"] if "text" in line else _output_text(line) for line in lines}


def _output_text(line: dict[str, list[dict[str, str]]]) -> str:
    assert line["outputs"], f"the engine failed: {line}"
    return line["outputs"][0]["text"]


def check_agreement(data: Path) -> None:
    """Check that loop and engine do the same work; this also warms both up."""
    loop_out, engine_out = data.with_name("loop"), data.with_name("run")
    reset(data, engine_out)
    bare_loop()(data, loop_out)
    engine_loop(infer_only=True)(data, engine_out)
    assert Padded.batches == [*split_batches(data, BATCHES_PER_WINDOW * SIZE)], "the batches differ"
    assert read_answers(loop_out) == read_answers(engine_out), "the answers differ"


def reset(data: Path, out: Path) -> None:
    """Delete earlier answers and give all recordings new modification times, so that nothing is cached."""
    if out.is_dir():
        shutil.rmtree(out)
    out.unlink(missing_ok=True)
    for recording in data.parent.glob("*.flac"):
        os.utime(recording)


LOOP, ENGINE = "loop, same batches", "engine, inference"
PAIR = {LOOP: bare_loop(), ENGINE: engine_loop(infer_only=True)}
OTHERS = {
    "engine, inference, scoring and report": engine_loop(infer_only=False),
    "loop, same batches, one decoded ahead": bare_loop(prefetch=True),
    "loop, all files sorted at once": bare_loop(window=FILES),
}


def measure_loops(data: Path, loops: dict[str, Loop], rounds: int) -> dict[str, list[Cost]]:
    """Measure the loops in turn, every second round in reverse order."""
    out = data.with_name("out")
    costs: dict[str, list[Cost]] = {name: [] for name in loops}
    for round_number in range(rounds):
        for name in [*loops][:: -1 if round_number % 2 else 1]:
            reset(data, out)
            costs[name].append(measure_cost(partial(loops[name], data, out)))
    return costs


def compare(data: Path, threads: int, rounds: int) -> int:
    torch.set_num_threads(threads)
    sheet = Sheet(f"{FILES} FLAC files, torch with {threads} threads, best of {rounds} rounds")
    check_agreement(data)
    pair = measure_loops(data, PAIR, rounds)
    for name, costs in {**pair, **measure_loops(data, OTHERS, max(1, rounds // 2))}.items():
        ratio = min(costs).wall / min(pair[LOOP]).wall
        sheet.line(name, ratio, "x", at_most(TARGET) if name == ENGINE else None, cost=min(costs))
    engine_cpu, loop_cpu = (min(cost.cpu for cost in pair[name]) for name in (ENGINE, LOOP))
    sheet.line("engine, inference, processor", engine_cpu / loop_cpu, "x")
    ratios = [engine.wall / loop.wall for engine, loop in zip(pair[ENGINE], pair[LOOP], strict=True)]
    print("  engine, inference, by round:", *(f"{ratio:.2f}" for ratio in ratios), flush=True)
    return sheet.exit_code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data = write_corpus(Path(name))
        return max(compare(data, threads, options.rounds) for threads in options.threads)


if __name__ == "__main__":
    sys.exit(main())
