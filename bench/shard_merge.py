"""Measure the merge of shards: time for 10,000 shards in a folder, and memory from 1e5 to 1e8 rows.

    python bench/shard_merge.py                    both
    python bench/shard_merge.py --rows 100000000   peak memory for that many rows in shards of 10,000

The sums and ids of shards are fabricated. Each measurement of memory has a process of its own.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from auricle.core.local_storage import LocalStorage
from auricle.core.signature import MetricSignature, Signature
from auricle.core.types import Generation, Record, Sample
from auricle.data.parts import DataPart
from auricle.metrics.base import resolve_metrics
from auricle.report.merging import StoreSnapshot
from auricle.runs.shards.completions import Completion, StoredFile, digest_content
from auricle.runs.shards.merged_files import IDS_FILE, SUMS_FILE
from auricle.runs.shards.plan import ShardPlan
from auricle.runs.shards.store import ShardStore
from auricle.scoring.score_table import ScoreTable, score_records
from auricle.scoring.shards.buckets import digest_texts
from auricle.scoring.shards.packing import pack
from auricle.scoring.shards.running_sums import RunningSums
from auricle.scoring.shards.scoring import USAGE_FIELDS
from auricle.scoring.shards.shard_reader import RepeatedIds, ShardReader
from auricle.scoring.shards.sum_numbers import compute_numbers
from auricle.scoring.shards.sums import ShardSums

TEMPLATES = 8
MAX_SECONDS = 10.0
MAX_GROWTH = 64.0
"""Megabytes for buffers of a fixed size, which the fewest rows do not fill."""
METRICS = [metric for name in ("wer", "cer", "exact_match") for metric in resolve_metrics(name)]
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
FACTS: dict[str, Any] = {
    "usage": dict.fromkeys(USAGE_FIELDS, 1),
    "price": None,
    "delays": {},
    "passes": [{"wall_seconds": 1.0, "samples": 10, "audio_seconds": 1.0, "model_seconds": 1.0}],
    "judges": [],
    "damaged": {},
}


def fabricate_sums(rows: int, seed: int) -> bytes:
    rng = random.Random(seed)
    table = ScoreTable(METRICS)
    ids = []

    def make() -> Iterator[Record]:
        for row in range(rows):
            text = " ".join(rng.choices(WORDS, k=rng.randint(3, 12)))
            answer = " ".join(word if rng.random() < 0.9 else rng.choice(WORDS) for word in text.split())
            meta = {"speaker": f"s{rng.randrange(5000)}", "subset": rng.choice("abcd"), "accent": rng.choice("uvwxyz")}
            ids.append(f"{seed}-{row}")
            sample = Sample(id=ids[-1], inputs={}, target=text, meta=meta)
            yield Record(sample=sample, row=row, outputs=(Generation(text=answer),))

    for _ in score_records(make(), table):
        pass
    return ShardSums.build(table, digest_texts(ids), FACTS).to_bytes()


def fabricate_ids(rows: int, seed: int) -> bytes:
    digests = np.random.default_rng(seed).integers(0, 2**64, (rows, 2), dtype=np.uint64)
    return pack({"format": 1}, {"rows": np.arange(rows), "digests": digests})


def describe_shard(number: int, rows: int, files: tuple[StoredFile, ...] = ()) -> Completion:
    return Completion(
        shard=number,
        generation=1,
        epoch=1,
        rows=rows,
        answered=rows,
        failed=0,
        attempts=rows,
        audio_seconds=1.0,
        cost=None,
        currency=None,
        wall_seconds=1.0,
        unused_lines=0,
        source="",
        worker="w",
        files=files,
    )


class FabricatedStore:
    """A run of shards whose sums are a few templates, and whose ids are made when they are read."""

    folder = Path("fabricated")

    def __init__(self, shards: int, rows: int, templates: list[bytes]) -> None:
        self.plan = SimpleNamespace(count=shards)
        self._rows = rows
        self._templates = templates

    def completions(self) -> Iterator[Completion]:
        return (describe_shard(number, self._rows) for number in range(self.plan.count))

    def read_file(self, completion: Completion, name: str) -> bytes:
        if name == IDS_FILE:
            return fabricate_ids(self._rows, completion.shard)
        return self._templates[completion.shard % len(self._templates)]


def write_store(folder: Path, shards: int, rows: int) -> ShardStore:
    storage = LocalStorage(folder, create_folder=True)
    parts = [DataPart(f"/data/{number}.jsonl", "file", size=1, etag="x") for number in range(shards)]
    store = ShardStore(storage, ShardPlan.create(storage, parts))
    templates = [fabricate_sums(rows, seed) for seed in range(TEMPLATES)]
    for number in range(shards):
        files = []
        for name, content in ((SUMS_FILE, templates[number % TEMPLATES]), (IDS_FILE, fabricate_ids(rows, number))):
            path = f"shards/{number:05d}/1/{name}"
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
            files.append(StoredFile(name=name, size=len(content), digest=digest_content(content), pieces=(path,)))
        store.complete(describe_shard(number, rows, tuple(files)))
    return store


class Clock:
    """Measures wall and processor time."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> str:
        return f"{time.perf_counter() - self._wall:.1f} s ({time.process_time() - self._cpu:.1f} s of processor time)"


def merge(store: Any) -> tuple[RunningSums, str, str]:
    """Add up all shards; return the sums, the time for comparing ids and that for the rest."""
    started = Clock()
    RepeatedIds.find(store)
    for_ids = started.read()
    compared = Clock()
    sums = RunningSums(METRICS)
    reader = ShardReader(store, None, ())  # type: ignore[arg-type]
    with_ids = RepeatedIds.find
    RepeatedIds.find = classmethod(lambda cls, store: cls({}))  # type: ignore[assignment]
    try:
        for completion, shard_sums in reader.read():
            sums.add(shard_sums, completion.shard, completion.rows)
    finally:
        RepeatedIds.find = with_ids  # type: ignore[method-assign]
    compute_numbers(sums, Signature(MetricSignature("")))
    return sums, for_ids, compared.read()


def read_peak_memory() -> float:
    """Return the peak memory of this process in MB; `getrusage` would include that of its parent."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def measure_memory(rows: int) -> None:
    templates = [fabricate_sums(10_000, seed) for seed in range(TEMPLATES)]
    before = read_peak_memory()
    _, ids, rest = merge(FabricatedStore(rows // 10_000, 10_000, templates))
    peak = read_peak_memory()
    print(f"{rows:>12,} rows  {rows // 10_000:>7,} shards  peak {peak:6.0f} MB (before {before:4.0f} MB)  "
          f"ids {ids}  sums {rest}  {len(templates[0]):,} bytes a shard", file=sys.stderr)  # fmt: skip
    print(peak)


def measure_folder(shards: int, rows: int) -> float:
    """Return the seconds that a merge of shards in a folder takes."""
    with tempfile.TemporaryDirectory() as folder:
        store = write_store(Path(folder), shards, rows)
        started_at = time.perf_counter()
        snapshot = StoreSnapshot(ShardStore.open(folder))
        seconds_to_list = time.perf_counter() - started_at
        _, ids, rest = merge(snapshot)
        seconds = time.perf_counter() - started_at
        size = sum((Path(folder) / f"shards/{n:05d}/1/{SUMS_FILE}").stat().st_size for n in range(shards)) / shards
        print(f"merge of {store.plan.count:,} shards in a folder, {shards * rows:,} rows: {seconds:.1f} s, of which "
              f"completions {seconds_to_list:.1f} s, ids {ids}, sums {rest}", flush=True)  # fmt: skip
        print(f"{size / 1024:.0f} KB a shard", flush=True)
        return seconds


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int)
    parser.add_argument("--shards", type=int, default=10_000)
    arguments = parser.parse_args()
    if arguments.rows:
        measure_memory(arguments.rows)
        return 0
    is_fast = measure_folder(arguments.shards, 1000) < MAX_SECONDS
    peaks = []
    for rows in (100_000, 1_000_000, 10_000_000, 100_000_000):
        command = [sys.executable, __file__, "--rows", str(rows)]
        peaks.append(float(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))
    growth = max(peaks) - peaks[0]
    is_flat = growth <= MAX_GROWTH
    print(f"target: {MAX_SECONDS:.0f} s: {'met' if is_fast else 'missed'}")
    print(f"target: at most {MAX_GROWTH:.0f} MB more than for the fewest rows: {'met' if is_flat else 'missed'}")
    return 0 if is_fast and is_flat else 1


if __name__ == "__main__":
    sys.exit(main())
