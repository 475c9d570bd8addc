"""Compare the results and the processor time of `auricle perf` and guidellm on the same server.

Install guidellm into a separate environment (`python -m venv DIR; DIR/bin/pip install guidellm`) and pass
`--guidellm DIR/bin/guidellm`. Both send the same prompts with the same number of users to the fake server. Processor
time per request is measured while requests are sent, over all processes of a tool, without its start.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from measure import Sheet, at_most
from perf_client import ServerProcess, run_server, write_questions

USERS, WORDS, LATENCY, PACE = 8, 16, 0.1, 50
COUNT, EXCLUDED = 900, 50
"""Requests, and how many of the first and last are excluded from the processor time."""
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
TOLERANCE = 5.0  # milliseconds of latencies, and per cent of throughput


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Median latencies in seconds and requests per second as a tool reports them, and its processor time."""

    ttft: float
    tpot: float
    latency: float
    rate: float
    cpu: float


def session_processor_seconds(session: int) -> dict[int, float]:
    """Return the processor seconds of each process of a session so far."""
    seconds = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended
        if int(fields[3]) == session:
            seconds[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND
    return seconds


def measure_processor_time(command: list[str], server: ServerProcess, count: int) -> float:
    """Return the processor seconds per request of a command and all its child processes.

    The first and last requests are excluded, so that neither the start nor the summary of the tool counts.
    """
    before = _count_requests(server)
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    readings: list[tuple[int, float]] = []
    seconds_by_process: dict[int, float] = {}
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdout=errors, stderr=errors, env=environment, start_new_session=True) as process,
    ):
        while process.poll() is None:
            seconds_by_process |= session_processor_seconds(process.pid)
            received = _count_requests(server) - before
            if EXCLUDED <= received <= count - EXCLUDED:
                readings.append((received, sum(seconds_by_process.values())))
            time.sleep(0.2)
        if process.returncode:
            errors.seek(0)
            raise SystemExit(f"{command[0]} failed with exit code {process.returncode}:\n{errors.read()[-2000:]}")
    (first, start), (last, end) = readings[0], readings[-1]
    return (end - start) / (last - first)


def _count_requests(server: ServerProcess) -> int:
    return sum(server.stats()["requests"].values())


def run_auricle(server: ServerProcess, folder: Path, count: int) -> ToolResult:
    out = folder / f"auricle-{count}"
    data = write_questions(folder, 200, WORDS)
    command = [sys.executable, "-m", "auricle", "perf", str(data), "--as", "qa", "-m", "openai"]
    model = ["-M", f"base_url={server.url}", "-M", "model=fake", "--stream", "--window", "all"]
    load = ["--load", f"closed:{USERS}", "--count", str(count), "-o", str(out), "--fresh"]
    cpu = measure_processor_time([*command, *model, *load], server, count)
    point = json.loads((out / "summary.json").read_bytes())["points"][0]
    ttft, tpot, latency = (point["measures"][name]["p50"] for name in ("ttft_s", "tpot_s", "latency_s"))
    return ToolResult(ttft, tpot, latency, point["run"]["req_s"]["value"], cpu)


def run_guidellm(program: str, server: ServerProcess, folder: Path, count: int) -> ToolResult:
    prompts = folder / "prompts.jsonl"
    rows = (json.loads(line) for line in write_questions(folder, 200, WORDS).open())
    prompts.write_text("".join(json.dumps({"prompt": row["question"]}) + "\n" for row in rows))
    out = folder / "guidellm.json"
    target = server.url.removesuffix("/v1")
    backend = f"target={target},model=fake,request_format=/v1/chat/completions,validate_backend=false"
    cpu = measure_processor_time(
        [
            *(program, "run", "--backend", f"kind=openai_http,{backend}"),
            *("--profile", f"kind=concurrent,streams={USERS}"),
            *("--constraint", f"kind=max_requests,count={count}"),
            *("--data", f"kind=json_file,path={prompts}"),
            *("--output", f"kind=json,path={out}", "--disable-console"),
        ],
        server,
        count,
    )
    metrics = json.loads(out.read_bytes())["benchmarks"][0]["metrics"]
    medians = {name: metric["successful"]["median"] for name, metric in metrics.items() if "successful" in metric}
    return ToolResult(
        medians["time_to_first_token_ms"] / 1000,
        medians["inter_token_latency_ms"] / 1000,  # the mean time per output token
        medians["request_latency"],
        metrics["requests_per_second"]["successful"]["mean"],
        cpu,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guidellm", required=True, help="path of the guidellm program")
    program = parser.parse_args().guidellm
    sheet = Sheet(f"{USERS} users, streams of {WORDS} words, {COUNT} requests")
    times = ("--latency", str(LATENCY), "--pace", str(PACE))
    with tempfile.TemporaryDirectory() as name, run_server(*times) as server:
        ours = run_auricle(server, Path(name), COUNT)
        theirs = run_guidellm(program, server, Path(name), COUNT)
    for field in ("ttft", "tpot", "latency"):
        our_value, their_value = (1000 * getattr(result, field) for result in (ours, theirs))
        sheet.line(f"{field}, auricle", our_value, "ms")
        sheet.line(f"{field}, guidellm", their_value, "ms")
        sheet.line(f"{field}, difference", abs(our_value - their_value), "ms", at_most(TOLERANCE))
    sheet.line("requests per second, auricle", ours.rate, "/s")
    sheet.line("requests per second, guidellm", theirs.rate, "/s")
    difference = 100 * abs(ours.rate / theirs.rate - 1)
    sheet.line("requests per second, difference", difference, "%", at_most(TOLERANCE))
    our_cpu, their_cpu = 1000 * ours.cpu, 1000 * theirs.cpu
    sheet.line("processor per request, guidellm", their_cpu, "ms")
    sheet.line("processor per request, auricle", our_cpu, "ms", at_most(their_cpu), our_cpu / their_cpu)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
