"""`auricle perf` beside guidellm, on the same stub: what both tell, and what telling it costs.

guidellm lives in an environment of its own (`python -m venv DIR; DIR/bin/pip install guidellm`),
and is named with `--guidellm DIR/bin/guidellm`. Both have the same users send the same prompts to
the fake server. Processor seconds of a request are taken while requests go by, over all processes
of a tool: neither pays for its start.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Sheet, at_most
from perf_server import Server, questions, served

USERS, WORDS, LATENCY, PACE = 8, 16, 0.1, 50
COUNT, EDGE = 900, 50
TICKS = os.sysconf("SC_CLK_TCK")
AGREE = 5.0  # milliseconds of TTFT, and per cent of throughput


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool says, medians in seconds and requests a second, and what it took."""

    ttft: float
    tpot: float
    latency: float
    rate: float
    cpu: float


def family(session: int) -> dict[int, float]:
    """Processor seconds of each process of a session so far."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[3]) == session:
            found[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / TICKS
    return found


def spent(command: list[str], server: Server, count: int) -> float:
    """Processor seconds a request while requests go by, of a command and all that it started.

    Read when the first and when nearly the last of them have come, so that neither start nor
    summing up counts. Whoever does not wait for his children is counted all the same.
    """
    before = _came(server)
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    seen: list[tuple[int, float]] = []
    known: dict[int, float] = {}
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdout=errors, stderr=errors, env=environment, start_new_session=True) as process,
    ):
        while process.poll() is None:
            known |= family(process.pid)
            came = _came(server) - before
            if EDGE <= came <= count - EDGE:
                seen.append((came, sum(known.values())))
            time.sleep(0.2)
        if process.returncode:
            errors.seek(0)
            raise SystemExit(f"{command[0]} ended with {process.returncode}:\n{errors.read()[-2000:]}")
    (first, start), (last, end) = seen[0], seen[-1]
    return (end - start) / (last - first)


def _came(server: Server) -> int:
    return sum(server.stats()["requests"].values())


def ours(server: Server, folder: Path, count: int) -> Told:
    out = folder / f"ours-{count}"
    data = questions(folder, 200, WORDS)
    command = [sys.executable, "-m", "auricle", "perf", str(data), "--as", "qa", "-m", "openai"]
    model = ["-M", f"base_url={server.url}", "-M", "model=fake", "--stream", "--window", "all"]
    load = ["--load", f"closed:{USERS}", "--count", str(count), "-o", str(out), "--fresh"]
    cpu = spent([*command, *model, *load], server, count)
    point = json.loads((out / "summary.json").read_bytes())["points"][0]
    ttft, tpot, latency = (point["measures"][name]["p50"] for name in ("ttft_s", "tpot_s", "latency_s"))
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
        ],
        server,
        count,
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
    sheet = Sheet(f"{USERS} users, streams of {WORDS} words, {COUNT} requests")
    times = ("--latency", str(LATENCY), "--pace", str(PACE))
    with tempfile.TemporaryDirectory() as name, served(*times) as server:
        a = ours(server, Path(name), COUNT)
        b = theirs(program, server, Path(name), COUNT)
    for field in ("ttft", "tpot", "latency"):
        one, two = (1000 * getattr(each, field) for each in (a, b))
        sheet.line(f"{field}, auricle", one, "ms")
        sheet.line(f"{field}, guidellm", two, "ms")
        sheet.line(f"{field}, apart", abs(one - two), "ms", at_most(AGREE))
    sheet.line("requests a second, auricle", a.rate, "/s")
    sheet.line("requests a second, guidellm", b.rate, "/s")
    sheet.line("requests a second, apart", 100 * abs(a.rate / b.rate - 1), "%", at_most(AGREE))
    one, two = 1000 * a.cpu, 1000 * b.cpu
    sheet.line("processor a request, guidellm", two, "ms")
    sheet.line("processor a request, auricle", one, "ms", at_most(two), one / two)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
