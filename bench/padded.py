"""What the engine adds to a padded torch encoder, beside a loop that sorts, decodes and runs.

The loop cuts the batches the engine cuts, from windows of as many files in the order of the
manifest, and the two must agree on every batch and every answer. It reads no file twice, keeps no
journal and hides no decoding; a second loop has a thread that decodes one batch ahead, and a third
sorts all files at once.

Lengths are those of read speech cut at pauses: most from 12 to 16 s, a tail of short ones, a few
up to 35 s. The sounds are FLAC files of noise.
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

import material
import numpy as np
import soundfile
import torch
from measure import Cost, Sheet, at_most, cost

from auricle import Audio, BatchModel, Generate, Generation, evaluate, model
from auricle.engine.batching import BATCHES_PER_WINDOW

FILES, RATE = 384, 16_000
SHORTEST, LONGEST = 1.5, 35.0
SIZE, SECONDS = 16, 224.0
"""The most sounds in a batch, and the most seconds of them once they are padded."""
WIDTH, LAYERS, LETTERS = 128, 2, " abcdefghijklmnopqrstuvwxyz'"
TARGET, ROUNDS = 1.15, 5

Batch = list[Path]
Loop = Callable[[Path, Path], None]


class Encoder(torch.nn.Module):
    """Convolutions to 25 frames a second, then attention over all of them, padding masked."""

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
        self.letters = torch.nn.Linear(WIDTH, len(LETTERS) + 1)
        self.eval()

    @torch.inference_mode()
    def transcribe(self, waves: Sequence[np.ndarray]) -> list[str]:
        """A text for each: the likeliest letter of each frame, without repeats and blanks."""
        padded = torch.nn.utils.rnn.pad_sequence([*map(torch.from_numpy, waves)], batch_first=True)
        frames = self.front(padded.unsqueeze(1)).transpose(1, 2)
        whole = torch.tensor([-(-len(wave) // 640) for wave in waves])
        beyond = torch.arange(frames.shape[1]) >= whole.unsqueeze(1)
        likeliest = self.letters(self.layers(frames, src_key_padding_mask=beyond)).argmax(-1)
        return [_said(row[:end]) for row, end in zip(likeliest.tolist(), whole, strict=True)]


def _said(likeliest: Iterable[int]) -> str:
    return "".join(LETTERS[at - 1] for at, _ in groupby(likeliest) if at)


@model("encoder")
class Padded(BatchModel):
    """The encoder as the engine has it; remembers of which files each batch was."""

    batch_size, batch_seconds, sample_rate = SIZE, SECONDS, RATE
    seen: list[Batch] = []  # noqa: RUF012 - of the class, as the engine makes the object

    def __init__(self) -> None:
        self._encoder = Encoder()

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        sounds = [_sound(request) for request in batch]
        self.seen.append([Path(sound.uri) for sound in sounds])
        texts = self._encoder.transcribe([sound.decode(RATE) for sound in sounds])
        return [Generation(text=text) for text in texts]


def _sound(request: Generate) -> Audio:
    return next(part for part in request.turns[-1].parts if isinstance(part, Audio))


def lengths(dice: np.random.Generator) -> np.ndarray:
    """Seven in ten about 14 s, a quarter anything shorter, the rest longer."""
    drawn = np.where(
        dice.random(FILES) < 0.7,
        dice.normal(14.3, 1.4, FILES),
        np.where(dice.random(FILES) < 0.85, dice.uniform(SHORTEST, 13.0, FILES), dice.uniform(16.0, LONGEST, FILES)),
    )
    return np.clip(drawn, SHORTEST, LONGEST)


def corpus(folder: Path) -> Path:
    dice = np.random.default_rng(material.SEED)
    noise = 0.05 * dice.normal(size=int(2 * LONGEST * RATE))
    told = []
    for at, (length, (text, _)) in enumerate(zip(lengths(dice), material.pairs(FILES), strict=True)):
        first = int(dice.integers(len(noise) // 2))
        soundfile.write(folder / f"{at}.flac", noise[first : first + int(length * RATE)], RATE)
        told.append({"id": str(at), "audio": f"{at}.flac", "text": text})
    return material.write(folder / "data.jsonl", told)


# By hand


def batches(data: Path, window: int) -> Iterator[Batch]:
    """Longest first out of each window; the lengths come from the headers, as they do for us."""
    with data.open() as lines:
        paths = [data.parent / json.loads(line)["audio"] for line in lines]
    for start in range(0, len(paths), window):
        seconds = {path: soundfile.info(path).duration for path in paths[start : start + window]}
        waiting = sorted(seconds, key=lambda path: -seconds[path])
        while waiting:
            size = max(1, min(SIZE, int(SECONDS / seconds[waiting[0]])))
            yield waiting[:size]
            waiting = waiting[size:]


def decoded(batch: Batch) -> tuple[Batch, list[np.ndarray]]:
    return batch, [soundfile.read(path, dtype="float32")[0] for path in batch]


def ahead(batches: Iterable[Batch]) -> Iterator[tuple[Batch, list[np.ndarray]]]:
    """Decoded batches; a thread decodes the next while one is in use."""
    with ThreadPoolExecutor(1) as thread:
        waiting = None
        for each in batches:
            begun = thread.submit(decoded, each)
            if waiting:
                yield waiting.result()
            waiting = begun
        if waiting:
            yield waiting.result()


def by_hand(window: int = BATCHES_PER_WINDOW * SIZE, prefetch: bool = False) -> Loop:
    def loop(data: Path, out: Path) -> None:
        encoder = Encoder()
        cut = batches(data, window)
        with out.open("w") as answers:
            for batch, waves in ahead(cut) if prefetch else map(decoded, cut):
                for path, text in zip(batch, encoder.transcribe(waves), strict=True):
                    answers.write(json.dumps({"id": path.stem, "text": text}) + "\n")

    return loop


# By the engine


def by_engine(infer_only: bool) -> Loop:
    def loop(data: Path, out: Path) -> None:
        Padded.seen.clear()
        evaluate(material.spec(data, "encoder", "asr"), out, infer_only=infer_only)

    return loop


def said(out: Path) -> dict[str, str]:
    """The answers by id, of a run or of a loop."""
    journal = out / "outputs.jsonl" if out.is_dir() else out
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    return {each["id"]: each["text"] if "text" in each else _one(each) for each in lines}


def _one(line: dict[str, list[dict[str, str]]]) -> str:
    assert line["outputs"], f"the engine failed: {line}"
    return line["outputs"][0]["text"]


def agree(data: Path) -> None:
    """Refuse to compare two that do not do the same work; also warms both up."""
    hand, run = data.with_name("hand"), data.with_name("run")
    fresh(data, run)
    by_hand()(data, hand)
    by_engine(infer_only=True)(data, run)
    assert Padded.seen == [*batches(data, BATCHES_PER_WINDOW * SIZE)], "the batches differ"
    assert said(hand) == said(run), "the answers differ"


def fresh(data: Path, out: Path) -> None:
    """No earlier answers, and new times on all sounds: nothing is remembered of them."""
    if out.is_dir():
        shutil.rmtree(out)
    out.unlink(missing_ok=True)
    for sound in data.parent.glob("*.flac"):
        os.utime(sound)


PLAIN, ENGINE = "loop, the same batches", "engine, asked"
PAIR = {PLAIN: by_hand(), ENGINE: by_engine(infer_only=True)}
OTHERS = {
    "engine, asked, scored and reported": by_engine(infer_only=False),
    "loop, the same batches, one decoded ahead": by_hand(prefetch=True),
    "loop, all files sorted at once": by_hand(window=FILES),
}


def spent(data: Path, loops: dict[str, Loop], count: int) -> dict[str, list[Cost]]:
    """What each takes, in turns, every second round in reverse."""
    out = data.with_name("out")
    costs: dict[str, list[Cost]] = {name: [] for name in loops}
    for at in range(count):
        for name in [*loops][:: -1 if at % 2 else 1]:
            fresh(data, out)
            costs[name].append(cost(partial(loops[name], data, out)))
    return costs


def compare(data: Path, threads: int, count: int) -> int:
    torch.set_num_threads(threads)
    sheet = Sheet(f"{FILES} FLAC files, torch with {threads} threads, best of {count} rounds")
    agree(data)
    pair = spent(data, PAIR, count)
    for name, costs in {**pair, **spent(data, OTHERS, max(1, count // 2))}.items():
        least, wall = min(costs), min(costs).wall / min(pair[PLAIN]).wall
        sheet.line(name, wall, "x", at_most(TARGET) if name == ENGINE else None, spent=least)
    processor = [min(each.cpu for each in pair[name]) for name in (ENGINE, PLAIN)]
    sheet.line("engine, asked, processor", processor[0] / processor[1], "x")
    each = [ours.wall / bare.wall for ours, bare in zip(pair[ENGINE], pair[PLAIN], strict=True)]
    print("  engine, asked, round by round:", *(f"{ratio:.2f}" for ratio in each), flush=True)
    return sheet.exit_code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data = corpus(Path(name))
        return max(compare(data, each, options.rounds) for each in options.threads)


if __name__ == "__main__":
    sys.exit(main())
