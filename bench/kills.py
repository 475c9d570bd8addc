"""Kill runs at random moments and resume them: no sample may be lost or doubled, and no number may change.

Each kill is a SIGKILL at a random moment (seeded) between the start of the command and its expected end, so imports,
model loading, inference, judging, scoring and report writing are all hit. The next command resumes the run.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.warm_cli import WarmCli  # noqa: E402

from auricle.testing.fake_server import FakeServer, Script  # noqa: E402 - after the path is set

SAMPLES = 120
BATCH_MODEL = ("-m", "echo", "-M", "delay=0.04", "-M", "wrong=0.1", "--batch-size", "4")
API_MODEL = ("-m", "openai", "-M", "model=fake", "-j", "4")
SHARES = {"Ray": 0.4}
"""Kills of a lane relative to those of the others; starting Ray takes long."""


@dataclass(frozen=True)
class Lane:
    """A way to run a model, and the file in which its answers accumulate."""

    options: tuple[str, ...]
    journal: str = "outputs.jsonl"
    key: str = "id"
    """Field that identifies a line of the journal."""


def list_lanes(url: str, judge_url: str) -> dict[str, Lane]:
    server = ("-M", f"base_url={url}")
    lanes = {
        "async": Lane(("-m", "fake-api", "-M", "delay=0.04", "-M", "wrong=0.1", "-j", "4")),
        "batch": Lane(BATCH_MODEL),
        "replicas": Lane((*BATCH_MODEL, "--replicas", "2")),
        "another Python": Lane((*BATCH_MODEL, "-M", f"python={sys.executable}")),
        "sharded": Lane((*BATCH_MODEL, "--shards", "4", "--workers", "2")),
        "Ray": Lane((*BATCH_MODEL, "--backend", "ray", "--replicas", "2")),
        "API": Lane((*API_MODEL, *server)),
        "API, 2 processes": Lane((*API_MODEL, *server, "--processes", "2")),
        "judge": Lane(
            ("-m", "echo", "-T", "metrics=judge-1-5", "--judge", "openai", "-J", f"base_url={judge_url}",
             "-J", "model=fake", "-j", "4"),
            "verdicts.jsonl", "key",
        ),
    }  # fmt: skip
    if importlib.util.find_spec("ray") is None:
        del lanes["Ray"]
    return lanes


@dataclass
class Result:
    """What happened to the runs of a lane."""

    kills: int = 0
    runs: int = 0
    lost: int = 0
    """Samples without an answer in a finished run."""
    doubled: int = 0
    """Samples with more than one answer in a finished run."""
    different: int = 0
    """Finished runs whose numbers differ from those of the uninterrupted run."""
    seconds: float = 0.0
    errors: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return self.kills > 0 and not (self.lost or self.doubled or self.different or self.errors)


class KilledRuns:
    """Runs of one lane that are killed and resumed.

    Args:
        lane: How the model is run.
        folder: Folder for the runs.
        cli: Starts commands.
        rng: Chooses the moments.
        warm_up: Whether a first run fills caches, so that the moments cover no more than the time of a run.
    """

    def __init__(self, lane: Lane, folder: Path, cli: WarmCli, rng: random.Random, *, warm_up: bool) -> None:
        self._lane, self._folder, self._cli, self._rng, self._warm_up = lane, folder, cli, rng, warm_up
        self.result = Result()

    def run(self, kills: int) -> Result:
        """Kill runs this many times; a run that ends before its kill is checked and followed by a new one."""
        started_at = time.monotonic()
        if self._warm_up:
            self._finish(self._folder / "first")
        begun = time.monotonic()
        expected = self._finish(self._folder / "uninterrupted")
        duration = time.monotonic() - begun
        out = self._folder / "0"
        while self.result.kills < kills:
            process = self._cli.start(self._command(out), self._folder, self._folder)
            deadline = time.monotonic() + self._rng.uniform(0, duration)
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
            if process.poll() is None:
                process.kill()
                process.wait()
                self.result.kills += 1
            else:
                self._check(out, expected)
                out = self._folder / str(self.result.runs)
        self._finish(out)
        self._check(out, expected)
        self.result.seconds = time.monotonic() - started_at
        return self.result

    def _command(self, out: Path) -> list[str]:
        return ["run", str(self._folder / "data.jsonl"), "--as", "qa", "-o", str(out), *self._lane.options]

    def _finish(self, out: Path) -> dict[str, Any]:
        """Run or resume without a kill, and return the numbers."""
        done = self._cli(self._command(out), self._folder, self._folder)
        if done.returncode:
            self.result.errors.append(done.stderr.strip().rpartition("\n")[2])
        return self._read_numbers(out)

    def _read_numbers(self, out: Path) -> dict[str, Any]:
        metrics = json.loads((out / "metrics.json").read_text())
        return {"numbers": metrics["numbers"], "outcomes": metrics["outcomes"]}

    def _check(self, out: Path, expected: dict[str, Any]) -> None:
        lines = (json.loads(line) for line in (out / self._lane.journal).read_bytes().splitlines())
        counts = Counter(line[self._lane.key] for line in lines if self._lane.key in line)
        self.result.runs += 1
        self.result.lost += SAMPLES - len(counts)
        self.result.doubled += sum(count > 1 for count in counts.values())
        self.result.different += self._read_numbers(out) != expected


def write_data(folder: Path) -> None:
    folder.mkdir(parents=True)
    rows = [{"id": f"s{row}", "question": f"word {row} {row % 7}", "answer": f"word {row} 3"} for row in range(SAMPLES)]
    (folder / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@contextmanager
def warm_cli() -> Iterator[WarmCli]:
    cli = WarmCli()
    try:
        yield cli
    finally:
        cli.close()


def kill_lanes(
    count: int, seed: int, names: list[str], report: Callable[[str, Result], None], *, warm_up: bool
) -> bool:
    """Kill runs of some lanes, or of all, `count` times in total; return whether everything came out right."""
    servers = FakeServer(Script(latency=0.04)), FakeServer(Script(latency=0.04, reply="Score: 4"))
    with servers[0], servers[1], warm_cli() as cli, tempfile.TemporaryDirectory() as folder:
        lanes = list_lanes(servers[0].url, servers[1].url)
        names = names or list(lanes)
        total, remaining, is_right = sum(SHARES.get(name, 1.0) for name in names), count, True
        for name in names:
            kills = max(1, round(count * SHARES.get(name, 1.0) / total)) if name != names[-1] else remaining
            remaining -= kills
            lane_folder = Path(folder) / name
            write_data(lane_folder)
            rng = random.Random(f"{seed} {name}")
            result = KilledRuns(lanes[name], lane_folder, cli, rng, warm_up=warm_up).run(kills)
            report(name, result)
            is_right = is_right and result.is_right
        return is_right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="Number of kills over all lanes.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lane", action="append", default=[], help="Only this lane; may be repeated.")
    parser.add_argument("--no-warm-up", action="store_true", help="Start no run that only fills caches.")
    arguments = parser.parse_args()
    totals = Result()

    def report(name: str, result: Result) -> None:
        print(
            f"{name:17} {result.kills:5} {result.runs:5} {result.lost:5} {result.doubled:8} {result.different:10}"
            f" {result.seconds:8.0f}",
            *result.errors,
            flush=True,
        )
        for count in ("kills", "runs", "lost", "doubled", "different", "seconds"):
            setattr(totals, count, getattr(totals, count) + getattr(result, count))

    print("lane              kills  runs  lost  doubled  different  seconds")
    warm_up = not arguments.no_warm_up
    is_right = kill_lanes(arguments.count, arguments.seed, arguments.lane, report, warm_up=warm_up)
    report("all", totals)
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
