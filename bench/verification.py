"""Measure speaker verification: time of a million trials, coverage of intervals by speaker, and a run with many trials.

    python bench/verification.py                  seconds of each number with and without its interval
    python bench/verification.py coverage -r 100  how often 95 % intervals contain the true number
    python bench/verification.py run -n 100000    trials per second and memory of a run with a small embedder

Coverage is simulated: speakers have an embedding and are easy or hard to recognise, recordings scatter around it, and
the score is the cosine. Non-target trials share speakers with each other and with target trials. The true number is
that of 6,000 speakers.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from coverage_table import CoverageTable

from auricle.metrics.intervals import compare_paired, compute_interval
from auricle.tasks.speakers.metrics import act_dcf, cllr, eer, eer_interpolated, min_cllr, min_dcf, min_dcf_05

TRIALS = 1_000_000
SPEAKERS = 1_251
"""As in VoxCeleb1-E."""
DIMENSIONS = 16
RECORDINGS = 10
TARGETS_PER_SPEAKER = 30
POPULATION = 6_000
OTHERS_PER_SPEAKER = 100
SPEAKER_COUNTS = (6, 10, 20, 40, 100)
MAX_REPETITIONS = 100
METRICS = (eer, eer_interpolated, min_dcf_05, min_dcf, min_cllr, cllr)


def draw_many(trials: int, speakers: int) -> Any:
    """Draw trials with scores that depend on the speakers of both sides."""
    rng = np.random.default_rng(0)
    same = rng.random(trials) < 0.5
    a = rng.integers(0, speakers, trials)
    b = np.where(same, a, (a + 1 + rng.integers(0, speakers - 1, trials)) % speakers)
    ease = rng.normal(0, 0.3, speakers)
    scores = rng.normal(np.where(same, 1.5, -1.5)) + ease[a] + ease[b]
    return np.column_stack([scores, same, a, b]).astype(np.float64)


def measure_time(trials: int, speakers: int) -> None:
    stats = draw_many(trials, speakers)
    print(f"{trials:,} trials of {speakers:,} speakers")
    for metric in (eer, min_dcf, min_cllr, cllr, act_dcf):
        start = time.perf_counter()
        value = metric.aggregate(stats)
        alone = time.perf_counter() - start
        start = time.perf_counter()
        interval = compute_interval(stats, metric.aggregate)
        both = time.perf_counter() - start
        print(
            f"{metric.name:10} {value:.4f} [{interval.low:.4f}, {interval.high:.4f}]  number {alone:.2f} s, "
            f"with interval {both:.2f} s, ratio {both / alone:.1f}"
        )


# --- coverage --------------------------------------------------------------------------------


def draw_trials(rng: np.random.Generator, speakers: int, others_per_speaker: int, noise: float = 1.0) -> Any:
    centres = rng.normal(size=(speakers, 1, DIMENSIONS))
    spread = noise * np.exp(rng.normal(0, 0.25, (speakers, 1, 1)))
    vectors = centres + spread * rng.normal(size=(speakers, RECORDINGS, DIMENSIONS))
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    a = np.repeat(np.arange(speakers), TARGETS_PER_SPEAKER + others_per_speaker)
    same = np.tile(np.arange(TARGETS_PER_SPEAKER + others_per_speaker) < TARGETS_PER_SPEAKER, speakers)
    b = np.where(same, a, (a + 1 + rng.integers(0, speakers - 1, len(a))) % speakers)
    first = rng.integers(0, RECORDINGS, len(a))
    second = (first + 1 + rng.integers(0, RECORDINGS - 1, len(a))) % RECORDINGS
    scores = 12 * ((vectors[a, first] * vectors[b, second]).sum(axis=1) - 0.3)
    return np.column_stack([scores, same, a, b]).astype(np.float64)


def measure_coverage(repetitions: int, speakers: int, others_per_speaker: int) -> dict[str, float | str]:
    """Return the share of intervals that contain the number of all speakers, and of equal systems that differ."""
    population = draw_trials(np.random.default_rng(1), POPULATION, others_per_speaker)
    truth = {metric.name: metric.aggregate(population) for metric in METRICS}
    hits: dict[str, int | None] = dict.fromkeys(truth, 0)
    rejections = 0
    for repetition in range(repetitions):
        rng = np.random.default_rng([7, speakers, repetition])
        stats = draw_trials(rng, speakers, others_per_speaker)
        for metric in METRICS:
            interval, count = compute_interval(stats, metric.aggregate), hits[metric.name]
            is_hit = interval.low <= truth[metric.name] <= interval.high
            hits[metric.name] = None if interval.reason or count is None else count + is_hit
        systems = [stats.copy(), stats.copy()]  # two equal systems: the same scores with independent noise
        for system in systems:
            system[:, 0] += rng.normal(0, 1.0, len(stats))
        rejections += compare_paired(systems[0], systems[1], eer.aggregate).p < 0.05
    names = {metric.name: f"`{metric.name}` ({truth[metric.name]:.2f})" for metric in METRICS}
    shares = {names[name]: "withheld" if count is None else count / repetitions for name, count in hits.items()}
    return shares | {"equal systems rejected by `eer`": rejections / repetitions}


def tables(repetitions: int) -> Iterator[CoverageTable]:
    """Yield the coverage of numbers of trials of two speakers."""
    most = min(repetitions, MAX_REPETITIONS)
    columns = [measure_coverage(most, speakers, OTHERS_PER_SPEAKER) for speakers in SPEAKER_COUNTS]
    yield CoverageTable(
        "Coverage, trials of two speakers",
        [f"{count} speakers" for count in SPEAKER_COUNTS],
        [(name, [column[name] for column in columns]) for name in columns[0]],
        note=f"{TARGETS_PER_SPEAKER} trials of the same speaker and {OTHERS_PER_SPEAKER} others per speaker; at most "
        f"{MAX_REPETITIONS} repetitions. `withheld`: too few trials, no interval.",
    )


# --- a run -----------------------------------------------------------------------------------

EMBEDDER = """
import numpy as np

def embed(audio) -> np.ndarray:
    return np.abs(np.fft.rfft(audio.decode()[:512]))
"""


def measure_run(trials: int) -> None:
    """Run many trials of 500 recordings through the command line, with an embedder that costs next to nothing."""
    import soundfile

    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for speaker in range(50):
            (folder / f"s{speaker}").mkdir()
            for index in range(10):
                soundfile.write(folder / f"s{speaker}/{index}.wav", rng.normal(0, 0.1, 8_000), 16_000)
        sides = rng.integers(0, 500, (trials, 2))
        lines = [f"{int(a // 10 == b // 10)} s{a // 10}/{a % 10}.wav s{b // 10}/{b % 10}.wav\n" for a, b in sides]
        (folder / "trials.txt").write_text("".join(lines))
        (folder / "embedder.py").write_text(EMBEDDER)
        command = [sys.executable, "-m", "auricle", "run", "trials.txt", "--as", "verify", "-m", "embedder.py:embed"]
        start = time.perf_counter()
        subprocess.run([*command, "-o", "run", "--json"], cwd=folder, check=True, capture_output=True)
        seconds = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        sizes = {
            path.name: round(path.stat().st_size / 1e6, 1) for path in (folder / "run").iterdir() if path.is_file()
        }
        print(f"{trials:,} trials: {seconds:.0f} s, {trials / seconds:,.0f} per second, {memory:,.0f} MB")
        print(f"megabytes: {json.dumps(sizes)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("what", nargs="?", choices=("time", "coverage", "run"), default="time")
    parser.add_argument("-n", type=int, default=0, help="number of trials")
    parser.add_argument("-r", type=int, default=300, help="repetitions")
    arguments = parser.parse_args()
    if arguments.what == "coverage":
        for table in tables(arguments.r):
            print(table.to_markdown())
    elif arguments.what == "run":
        measure_run(arguments.n or 100_000)
    else:
        for speakers in (40, SPEAKERS):
            measure_time(arguments.n or TRIALS, speakers)


if __name__ == "__main__":
    main()
