"""Compare `auricle perf` with guidellm, evalscope perf and AIPerf on a server whose own times are known.

Each tool is installed into a virtualenv of its own under `--venvs DIR`, which is kept and used again. All send the
same prompts at the same rate to the fake server, which records when each request arrived and each chunk was sent. For
every tool: the error of p50 and p95 of TTFT, ITL and latency against the server's times of that tool's requests, the
rate that reached the server, and processor time per request while requests are sent, over all processes of the tool.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measure import Sheet
from perf_client import ServerProcess, run_server, write_questions

WORDS, LATENCY, JITTER, PACE = 16, 0.1, 0.05, 50
RATE, COUNT, EXCLUDED = 20, 400, 40
"""Requests per second, requests, and how many of the first and last are excluded from the processor time."""
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
TOKENIZER = "bench/words"
WRITE_TOKENIZER = """
import sys
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
vocabulary = {"[UNK]": 0, **{f"word{index}": index for index in range(1, 1000)}}
words = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
words.pre_tokenizer = pre_tokenizers.Whitespace()
PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]").save_pretrained(sys.argv[1])
"""
"""AIPerf loads a tokenizer even if the server counts tokens; this one is made on the machine."""

Percentiles = Mapping[str, Sequence[float]]
"""p50 and p95 in seconds, of `ttft`, `itl` and `latency`."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool: how it is installed and called, and how its results are read."""

    package: str
    program: str
    arguments: Callable[[str, Path], list[str]]
    read: Callable[[Path], Percentiles]
    pools_gaps: bool
    """Whether its ITL is that of all gaps; otherwise the mean of each request."""


# --- calls and results of each tool ------------------------------------------------------


def auricle_arguments(url: str, folder: Path) -> list[str]:
    data = write_questions(folder, COUNT, WORDS)
    model = ["-m", "openai", "-M", f"base_url={url}", "-M", "model=fake", "--stream"]
    load = ["--load", f"constant:{RATE}", "--count", str(COUNT), "--window", "all"]
    return ["-m", "auricle", "perf", str(data), "--as", "qa", *model, *load, "-o", str(folder / "auricle")]


def read_auricle(folder: Path) -> Percentiles:
    measures = json.loads((folder / "auricle" / "summary.json").read_bytes())["points"][0]["measures"]
    names = {"ttft": "ttft_s", "itl": "chunk_gap_s", "latency": "latency_s"}
    return {name: [measures[measure][percentile] for percentile in ("p50", "p95")] for name, measure in names.items()}


def guidellm_arguments(url: str, folder: Path) -> list[str]:
    prompts = _write_prompts(folder, "prompts.jsonl", lambda text: json.dumps({"prompt": text}))
    target = url.removesuffix("/v1")
    backend = f"target={target},model=fake,request_format=/v1/chat/completions,validate_backend=false"
    return [
        *("run", "--backend", f"kind=openai_http,{backend}", "--profile", f"kind=constant,rate={RATE}"),
        *("--constraint", f"kind=max_requests,count={COUNT}", "--data", f"kind=json_file,path={prompts}"),
        *("--output", f"kind=json,path={folder / 'guidellm.json'}", "--disable-console"),
    ]


def read_guidellm(folder: Path) -> Percentiles:
    metrics = json.loads((folder / "guidellm.json").read_bytes())["benchmarks"][0]["metrics"]
    names = {"ttft": "time_to_first_token_ms", "itl": "inter_token_latency_ms", "latency": "request_latency"}
    percentiles = {name: metrics[metric]["successful"]["percentiles"] for name, metric in names.items()}
    units = {"ttft": 1e-3, "itl": 1e-3, "latency": 1.0}
    return {name: [units[name] * values[p] for p in ("p50", "p95")] for name, values in percentiles.items()}


def evalscope_arguments(url: str, folder: Path) -> list[str]:
    prompts = _write_prompts(folder, "prompts.txt", str)
    return [
        *("perf", "--model", "fake", "--api", "openai", "--url", f"{url}/chat/completions"),
        *("--dataset", "line_by_line", "--dataset-path", str(prompts), "--stream", "--max-tokens", "100"),
        *("--open-loop", "--rate", str(RATE), "-n", str(COUNT), "--no-test-connection"),
        *("--outputs-dir", str(folder / "evalscope"), "--no-timestamp", "--sleep-interval", "0"),
    ]


def read_evalscope(folder: Path) -> Percentiles:
    (path,) = (folder / "evalscope").rglob("benchmark_percentile.json")
    rows = {row["Percentiles"]: row for row in json.loads(path.read_bytes())}
    names = {"ttft": ("TTFT (ms)", 1e-3), "itl": ("ITL (ms)", 1e-3), "latency": ("Latency (s)", 1.0)}
    return {name: [unit * rows[p][title] for p in ("50%", "95%")] for name, (title, unit) in names.items()}


def aiperf_arguments(url: str, folder: Path) -> list[str]:
    prompts = _write_prompts(folder, "single_turn.jsonl", lambda text: json.dumps({"text": text}))
    return [
        *("profile", "-m", "fake", "--endpoint-type", "chat", "--streaming", "-u", url.removesuffix("/v1")),
        *("--input-file", str(prompts), "--custom-dataset-type", "single_turn", "--tokenizer", TOKENIZER),
        *("--request-rate", str(RATE), "--request-rate-mode", "constant", "--request-count", str(COUNT)),
        *("--use-server-token-count", "--output-artifact-dir", str(folder / "aiperf"), "--ui-type", "none"),
        *("--no-gpu-telemetry", "--no-server-metrics"),
    ]


def read_aiperf(folder: Path) -> Percentiles:
    document = json.loads((folder / "aiperf" / "profile_export_aiperf.json").read_bytes())
    names = {"ttft": "time_to_first_token", "itl": "inter_token_latency", "latency": "request_latency"}
    return {name: [1e-3 * document[metric][p] for p in ("p50", "p95")] for name, metric in names.items()}


PEERS = {
    "auricle": Peer("", "", auricle_arguments, read_auricle, pools_gaps=True),
    "guidellm": Peer("guidellm", "guidellm", guidellm_arguments, read_guidellm, pools_gaps=False),
    "evalscope": Peer("evalscope[perf]", "evalscope", evalscope_arguments, read_evalscope, pools_gaps=True),
    "aiperf": Peer("aiperf", "aiperf", aiperf_arguments, read_aiperf, pools_gaps=False),
}


def _write_prompts(folder: Path, name: str, to_line: Callable[[str], str]) -> Path:
    rows = (json.loads(line) for line in write_questions(folder, COUNT, WORDS).open())
    (folder / name).write_text("".join(f"{to_line(row['question'])}\n" for row in rows))
    return folder / name


# --- installation, truth and processor time ------------------------------------------------


def find_program(name: str, peer: Peer, venvs: Path) -> list[str]:
    """Return the words that call a tool; install it if it is not there."""
    if not peer.package:
        return [sys.executable]
    environment = venvs / name
    if not (environment / "bin" / peer.program).exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([environment / "bin" / "pip", "install", "-q", peer.package], check=True)
    return [str(environment / "bin" / peer.program)]


def write_tokenizer(venvs: Path, folder: Path) -> Path:
    """Write a tokenizer of words as the hub's cache has it, with AIPerf's own packages; return the cache."""
    revision = folder / "hub" / f"models--{TOKENIZER.replace('/', '--')}"
    snapshot = revision / "snapshots" / "0"
    snapshot.mkdir(parents=True)
    (revision / "refs").mkdir()
    (revision / "refs" / "main").write_text("0")
    (snapshot / "config.json").write_text("{}")
    subprocess.run([venvs / "aiperf" / "bin" / "python", "-c", WRITE_TOKENIZER, snapshot], check=True)
    return folder


def read_truth(server: ServerProcess, since: float, pools_gaps: bool) -> tuple[Percentiles, float]:
    """Return the server's own percentiles of the last `COUNT` requests since a time, and their rate of arrival."""
    attempts = [entry for entries in server.stats()["times"].values() for entry in entries]
    attempts = sorted((entry for entry in attempts if entry["arrival"] > since), key=lambda entry: entry["arrival"])
    attempts = [entry for entry in attempts if entry["last_content"]][-COUNT:]
    gaps = [entry["gaps"] if pools_gaps else [np.mean(entry["gaps"])] for entry in attempts]
    samples: dict[str, Any] = {
        "ttft": [entry["first_token"] - entry["arrival"] for entry in attempts],
        "itl": np.concatenate(gaps),
        "latency": [entry["last_content"] - entry["arrival"] for entry in attempts],
    }
    rate = (len(attempts) - 1) / (attempts[-1]["arrival"] - attempts[0]["arrival"])
    return {name: np.percentile(values, [50, 95]).tolist() for name, values in samples.items()}, rate


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


def measure_processor_time(command: list[str], server: ServerProcess, cache: Path) -> float:
    """Run a tool and return its processor seconds per request, without its start and its summary."""
    before = _count_requests(server)
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(cache)}
    readings: list[tuple[int, float]] = []
    seconds_by_process: dict[int, float] = {}
    with (
        tempfile.TemporaryFile("w+") as output,
        subprocess.Popen(command, stdout=output, stderr=output, env=environment, start_new_session=True) as process,
    ):
        while process.poll() is None:
            seconds_by_process |= session_processor_seconds(process.pid)
            received = _count_requests(server) - before
            if EXCLUDED <= received <= COUNT - EXCLUDED:
                readings.append((received, sum(seconds_by_process.values())))
            time.sleep(0.5)
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"{command[0]} failed with exit code {process.returncode}:\n{output.read()[-2000:]}")
    (first, start), (last, end) = readings[0], readings[-1]
    return (end - start) / (last - first)


def _count_requests(server: ServerProcess) -> int:
    """Return the answered requests, from a page that is cheap to make even if all times are recorded."""
    with urllib.request.urlopen(server.url.removesuffix("/v1") + "/metrics", timeout=60) as reply:
        counts = re.search(rb"^vllm:request_success_total\{.*\} (\S+)$", reply.read(), re.MULTILINE)
    assert counts
    return int(float(counts[1]))


def run_peer(name: str, server: ServerProcess, venvs: Path, folder: Path, cache: Path, sheet: Sheet) -> None:
    """Run a tool and print its errors in milliseconds, the rate that it achieved and its processor time."""
    peer = PEERS[name]
    since = time.monotonic()
    command = [*find_program(name, peer, venvs), *peer.arguments(server.url, folder)]
    cpu = measure_processor_time(command, server, cache)
    reported, (truth, rate) = peer.read(folder), read_truth(server, since, peer.pools_gaps)
    for measure in ("ttft", "itl", "latency"):
        for index, percentile in enumerate(("p50", "p95")):
            error = 1000 * (reported[measure][index] - truth[measure][index])
            sheet.line(f"{name}: error of {measure} {percentile}", error, "ms")
    sheet.line(f"{name}: rate that arrived, of {RATE}", rate, "/s")
    sheet.line(f"{name}: processor time per request", 1000 * cpu, "ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--venvs", type=Path, default=Path(tempfile.gettempdir()) / "auricle-peers")
    parser.add_argument("--only", choices=PEERS, nargs="*", default=[*PEERS], help="tools to run")
    options = parser.parse_args()
    sheet = Sheet(f"{COUNT} streams of {WORDS} words at {RATE}/s; TTFT {LATENCY} to {LATENCY + JITTER:g} s")
    times = ("--latency", str(LATENCY), "--jitter", str(JITTER), "--pace", str(PACE), "--record-times")
    with tempfile.TemporaryDirectory() as name, run_server(*times) as server:
        folder = Path(name)
        if "aiperf" in options.only:
            find_program("aiperf", PEERS["aiperf"], options.venvs)
            write_tokenizer(options.venvs, folder)
        for peer in options.only:
            run_peer(peer, server, options.venvs, folder, folder, sheet)
    return sheet.exit_code


if __name__ == "__main__":
    sys.exit(main())
