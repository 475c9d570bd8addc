"""`auricle perf` beside guidellm, on the same stub: what both tell, and what telling it costs.

guidellm lives in an environment of its own (`python -m venv DIR; DIR/bin/pip install guidellm`),
and is named with `--guidellm DIR/bin/guidellm`. Both have the same users send the same prompts to
the fake server. Processor seconds of a request are the difference between a long and a short run
over the difference of their requests, so that neither pays for its start; children count.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Sheet, at_most
from perf_server import Server, questions, served

USERS, WORDS, LATENCY, PACE = 32, 16, 0.1, 50
FEW, MANY = 200, 3000
AGREE = 5.0  # milliseconds of TTFT, and per cent of throughput


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool says, medians in seconds and requests a second, and what it took."""

    ttft: float
    tpot: float
    latency: float
    rate: float
    cpu: float


def spent(command: list[str]) -> float:
    """Processor seconds of a command and of all that it started and waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ended.returncode:
        raise SystemExit(f"{command[0]} ended with {ended.returncode}:\n{ended.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(server: Server, folder: Path, count: int) -> Told:
    out = folder / f"ours-{count}"
    data = questions(folder, 200, WORDS)
    command = [sys.executable, "-m", "auricle", "perf", str(data), "--as", "qa", "-m", "openai"]
    model = ["-M", f"base_url={server.url}", "-M", "model=fake", "--stream", "--window", "all"]
    load = ["--load", f"closed:{USERS}", "--count", str(count), "-o", str(out), "--fresh"]
    cpu = spent([*command, *model, *load])
    point = json.loads((out / "summary.json").read_bytes())["points"][0]
    ttft, tpot, latency = (
        point["measures"][name]["p50"] for name in ("ttft_s", "tpot_s", "latency_s")
    )
    return Told(ttft, tpot, latency, point["run"]["req_s"]["value"], cpu)


def theirs(program: str, server: Server, folder: Path, count: int) -> Told:
    prompts = folder / "prompts.jsonl"
    rows = (json.loads(line) for line in questions(folder, 200, WORDS).open())
    prompts.write_text("".join(json.dumps({"prompt": row["question"]}) + "\n" for row in rows))
    out = folder / "theirs.json"
    target = server.url.removesuffix("/v1")
    where = f"target={target},model=fake,request_format=/v1/chat/completions,validate_backend=false"
    cpu = spent(
        [
            *(program, "run", "--backend", f"kind=openai_http,{where}"),
            *("--profile", f"kind=concurrent,streams={USERS}"),
            *("--constraint", f"kind=max_requests,count={count}"),
            *("--data", f"kind=json_file,path={prompts}"),
            *("--output", f"kind=json,path={out}", "--disable-console"),
        ]
    )
    metrics = json.loads(out.read_bytes())["benchmarks"][0]["metrics"]
    half: Callable[[str], Any] = lambda name: metrics[name]["successful"]["median"]  # noqa: E731
    return Told(
        half("time_to_first_token_ms") / 1000,
        half("inter_token_latency_ms") / 1000,  # the mean decode gap, which others call TPOT
        half("request_latency"),
        metrics["requests_per_second"]["successful"]["mean"],
        cpu,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guidellm", required=True, help="the program, in its own environment")
    program = parser.parse_args().guidellm
    sheet = Sheet(f"{USERS} users, streams of {WORDS} words, {MANY} and {FEW} requests")
    times = ("--latency", str(LATENCY), "--pace", str(PACE))
    told: dict[str, dict[int, Told]] = {"auricle": {}, "guidellm": {}}
    with tempfile.TemporaryDirectory() as name, served(*times) as server:
        folder = Path(name)
        for count in (FEW, MANY):
            told["auricle"][count] = ours(server, folder, count)
            told["guidellm"][count] = theirs(program, server, folder, count)
    a, b = (told[tool][MANY] for tool in ("auricle", "guidellm"))
    for field in ("ttft", "tpot", "latency"):
        one, two = (1000 * getattr(each, field) for each in (a, b))
        sheet.line(f"{field}, auricle", one, "ms")
        sheet.line(f"{field}, guidellm", two, "ms")
        sheet.line(f"{field}, apart", abs(one - two), "ms", at_most(AGREE))
    sheet.line("requests a second, auricle", a.rate, "/s")
    sheet.line("requests a second, guidellm", b.rate, "/s")
    sheet.line("requests a second, apart", 100 * abs(a.rate / b.rate - 1), "%", at_most(AGREE))
    costs = {
        tool: 1000 * (runs[MANY].cpu - runs[FEW].cpu) / (MANY - FEW) for tool, runs in told.items()
    }
    sheet.line("processor a request, guidellm", costs["guidellm"], "ms")
    sheet.line(
        "processor a request, auricle",
        costs["auricle"],
        "ms",
        at_most(costs["guidellm"]),
        costs["auricle"] / costs["guidellm"],
    )
    for tool, runs in told.items():
        sheet.line(f"whole command, {FEW} requests, {tool}", runs[FEW].cpu, "s cpu")
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
