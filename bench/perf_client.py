"""Run the fake server in a subprocess, and `auricle perf` against it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.perf.worker import raise_priority


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """URL and process of a fake server."""

    url: str
    pid: int

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats", timeout=60) as reply:
            stats: dict[str, Any] = json.load(reply)
        return stats


@contextmanager
def run_server(*options: str, has_priority: bool = False) -> Iterator[ServerProcess]:
    """Run `auricle fake-server` with these options; with priority, other processes delay it less."""
    command = [sys.executable, "-m", "auricle", "fake-server", "--port", "0", *options]
    prepare = raise_priority if has_priority else None
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=has_priority, preexec_fn=prepare
    ) as process:
        assert process.stdout
        first_line = process.stdout.readline()
        try:
            url = re.search(r"http[^ ;,]+", first_line)
            assert url, first_line
            yield ServerProcess(url[0], process.pid)
        finally:
            process.terminate()


def write_questions(folder: Path, count: int, words: int = 16) -> Path:
    """Write distinct questions with this number of words; the fake server repeats them."""
    path = folder / f"questions-{count}-{words}.jsonl"
    with path.open("w") as lines:
        for index in range(count):
            text = " ".join(f"w{index}" if not word else f"word{word}" for word in range(words))
            lines.write(json.dumps({"id": f"s{index}", "question": text, "answer": text}) + "\n")
    return path


def run_perf(
    server: ServerProcess,
    data: Path,
    out: Path,
    *options: str,
    source: Path | None = None,
    task: Sequence[str] = ("--as", "qa", "-m", "openai"),
) -> dict[str, Any]:
    """Run `auricle perf`, optionally of another source tree, and return its summary."""
    command = [sys.executable, "-m", "auricle", "perf", str(data), *task]
    model = ["-M", f"base_url={server.url}", "-M", "model=fake"]
    done = subprocess.run(
        [*command, *model, "-o", str(out), "--fresh", "--json", *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(source)} if source else None,
    )
    if done.returncode not in (0, 3):
        raise SystemExit(f"auricle perf failed with exit code {done.returncode}: {done.stderr}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def read_requests(out: Path, point: dict[str, Any]) -> list[dict[str, Any]]:
    lines = (out / point["folder"] / "requests.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]
