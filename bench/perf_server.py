"""The fake server in a process of its own, and what it saw: the truth that clients are held to."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Server:
    """Where it is."""

    url: str
    pid: int

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats", timeout=60) as reply:
            told: dict[str, Any] = json.load(reply)
        return told


@contextmanager
def served(*words: str) -> Iterator[Server]:
    """`auricle fake-server` with these switches, until it is no longer needed."""
    command = [sys.executable, "-m", "auricle", "fake-server", "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        first = process.stdout.readline()
        try:
            yield Server(re.search(r"http[^ ;,]+", first)[0], process.pid)
        finally:
            process.terminate()


def questions(folder: Path, count: int, words: int = 16) -> Path:
    """Questions that differ, each of so many words: the fake server repeats them."""
    path = folder / f"questions-{count}-{words}.jsonl"
    with path.open("w") as lines:
        for at in range(count):
            text = " ".join(f"w{at}" if not word else f"word{word}" for word in range(words))
            lines.write(json.dumps({"id": f"s{at}", "question": text, "answer": text}) + "\n")
    return path


def measured(server: Server, data: Path, out: Path, *words: str) -> dict[str, Any]:
    """What `auricle perf` tells of it, as JSON."""
    command = [sys.executable, "-m", "auricle", "perf", str(data), "--as", "qa", "-m", "openai"]
    model = ["-M", f"base_url={server.url}", "-M", "model=fake"]
    ended = subprocess.run(
        [*command, *model, "-o", str(out), "--fresh", "--json", *words], capture_output=True, text=True, check=False
    )
    if ended.returncode not in (0, 3):
        raise SystemExit(f"auricle perf ended with {ended.returncode}: {ended.stderr}")
    told: dict[str, Any] = json.loads(ended.stdout)
    return told


def requests(out: Path, point: dict[str, Any]) -> list[dict[str, Any]]:
    lines = (out / point["folder"] / "requests.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]
