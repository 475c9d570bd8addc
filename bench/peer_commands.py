"""Run every command of the table "Coming from another tool" in docs/perf.md, theirs and ours, on one server.

Each tool is called from its virtualenv under `--venvs DIR`: `guidellm`, `evalscope` and `aiperf`, which `perf_peers.py`
installs, `vllm`, and `ais` with the package `ais_bench_benchmark`. Commands are those of the table, completed with the
address of the server and its prompts. The server records when requests arrive, so that both commands of a row can be
compared: requests in flight, rate of arrival and number of requests. `--record` writes what was observed to
tests/golden/peer_commands.json, with which a test compares the page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from perf_client import ServerProcess, run_server, write_questions
from perf_peers import TOKENIZER, write_tokenizer

ROOT = Path(__file__).resolve().parents[1]
PAGE, RECORD = ROOT / "docs" / "perf.md", ROOT / "tests" / "golden" / "peer_commands.json"
ROW = re.compile(
    r"^\| (guidellm|evalscope|AIPerf|vLLM bench|AISBench) \| `(.+?)`(.*?) \| `(auricle perf .*)` \|$", re.MULTILINE
)
SERVER_OPTIONS = ("--latency", "0.05", "--jitter", "0.02", "--pace", "200", "--record-times")
PROMPTS, WORDS = 400, 16
TIMEOUT = 600
VLLM_PROGRAM = """
import argparse, sys
from vllm.benchmarks.serve import add_cli_args, main
parser = argparse.ArgumentParser()
add_cli_args(parser)
main(parser.parse_args(sys.argv[1:]))
"""
"""What `vllm bench serve` calls; importing the whole program needs a graphics card."""
AISBENCH_CONFIG = """
from ais_bench.benchmark.calculators import DefaultPerfMetricCalculator
from ais_bench.benchmark.datasets import SyntheticDataset
from ais_bench.benchmark.models import VLLMCustomAPIChat
from ais_bench.benchmark.openicl.icl_evaluator import AccEvaluator
from ais_bench.benchmark.openicl.icl_inferencer import GenInferencer
from ais_bench.benchmark.openicl.icl_prompt_template import PromptTemplate
from ais_bench.benchmark.openicl.icl_retriever import ZeroRetriever
from ais_bench.benchmark.summarizers import DefaultPerfSummarizer

summarizer = dict(attr="performance", type=DefaultPerfSummarizer,
                  calculator=dict(type=DefaultPerfMetricCalculator, stats_list=["Average", "Median", "P99"]))
lengths = dict(Method="uniform", Params=dict(MinValue=16, MaxValue=16))
models = [dict(attr="service", type=VLLMCustomAPIChat, abbr="fake", path={tokenizer!r}, model="fake", stream=True,
               retry=2, api_key="", host_ip={host!r}, host_port={port}, url="", max_out_len=16,
               trust_remote_code=False, generation_kwargs=dict(temperature=0.0), {settings})]
datasets = [dict(abbr="synthetic", type=SyntheticDataset,
                 config=dict(Type="string", RequestCount={count}, TrustRemoteCode=False,
                             StringConfig=dict(Input=lengths, Output=lengths)),
                 reader_cfg=dict(input_columns=["question", "max_out_len"], output_column="answer"),
                 infer_cfg=dict(prompt_template=dict(type=PromptTemplate, template="{{question}}"),
                                retriever=dict(type=ZeroRetriever), inferencer=dict(type=GenInferencer)),
                 eval_cfg=dict(evaluator=dict(type=AccEvaluator)))]
"""


@dataclass(frozen=True, slots=True)
class Context:
    """What commands are completed with."""

    url: str
    folder: Path
    venvs: Path

    @property
    def base(self) -> str:
        return self.url.removesuffix("/v1")

    @property
    def tokenizer(self) -> Path:
        """Folder of a tokenizer of words."""
        return self.folder / "hub" / f"models--{TOKENIZER.replace('/', '--')}" / "snapshots" / "0"

    def write_prompts(self, name: str, to_line: Callable[[str], str]) -> Path:
        rows = map(json.loads, write_questions(self.folder, PROMPTS, WORDS).read_text().splitlines())
        (self.folder / name).write_text("".join(f"{to_line(row['question'])}\n" for row in rows))
        return self.folder / name


@dataclass(frozen=True, slots=True)
class Observation:
    """What a server has seen of a command."""

    exit_code: int
    requests: int
    most_in_flight: int
    rate: float
    """Requests per second that arrived."""


# --- how each command is completed --------------------------------------------------------


def complete_guidellm(words: list[str], note: str, context: Context) -> list[str]:
    prompts = context.write_prompts("prompts.jsonl", lambda text: json.dumps({"prompt": text}))
    backend = f"target={context.base},model=fake,request_format=/v1/chat/completions,validate_backend=false"
    # The ellipsis of the table stands for settings that the reader chooses.
    words = [word.replace("kind=sweep,…", "kind=sweep,sweep_size=4") for word in words]
    if not any(word.startswith("kind=max_") for word in words):
        words += ["--constraint", "kind=max_requests,count=100"]
    return [
        *(str(context.venvs / "guidellm" / "bin" / "guidellm"), *words[1:]),
        *("--backend", f"kind=openai_http,{backend}", "--data", f"kind=json_file,path={prompts}"),
        *("--output", f"kind=json,path={context.folder / 'guidellm.json'}", "--disable-console"),
    ]


def complete_evalscope(words: list[str], note: str, context: Context) -> list[str]:
    prompts = context.write_prompts("prompts.txt", str)
    data = [] if "--dataset" in words else ["--dataset", "line_by_line"]
    return [
        *(str(context.venvs / "evalscope" / "bin" / "evalscope"), *words[1:], *data, "--dataset-path", str(prompts)),
        *("--model", "fake", "--api", "openai", "--url", f"{context.url}/chat/completions", "--stream"),
        *("--max-tokens", "100", "--no-test-connection", "--outputs-dir", str(context.folder / "evalscope")),
        *("--sleep-interval", "0"),
    ]


def complete_aiperf(words: list[str], note: str, context: Context) -> list[str]:
    prompts = context.write_prompts("single_turn.jsonl", lambda text: json.dumps({"text": text}))
    streaming = [] if "--streaming" in words else ["--streaming"]
    return [
        *(str(context.venvs / "aiperf" / "bin" / "aiperf"), *words[1:], *streaming, "-m", "fake"),
        *("--endpoint-type", "chat", "-u", context.base, "--input-file", str(prompts)),
        *("--custom-dataset-type", "single_turn", "--tokenizer", TOKENIZER, "--use-server-token-count"),
        *("--output-artifact-dir", str(context.folder / "aiperf"), "--ui-type", "none"),
        *("--no-gpu-telemetry", "--no-server-metrics"),
    ]


def complete_vllm(words: list[str], note: str, context: Context) -> list[str]:
    program = context.folder / "vllm_bench_serve.py"
    program.write_text(VLLM_PROGRAM)
    return [
        *(str(context.venvs / "vllm" / "bin" / "python"), str(program), *words[3:], "--backend", "openai-chat"),
        *("--base-url", context.base, "--endpoint", "/v1/chat/completions", "--model", "fake"),
        *("--tokenizer", str(context.tokenizer)),
    ]


def complete_aisbench(words: list[str], note: str, context: Context) -> list[str]:
    host, port = context.base.removeprefix("http://").split(":")
    settings = re.search("`(.+)`", note)
    config = context.folder / "aisbench.py"
    config.write_text(
        AISBENCH_CONFIG.format(
            host=host,
            port=int(port),
            tokenizer=str(context.tokenizer),
            settings=settings[1] if settings else "batch_size=8, request_rate=0",
            count=PROMPTS,
        )
    )
    program = str(context.venvs / "ais" / "bin" / "ais_bench")
    return [program, str(config), *words[1:], "--work-dir", str(context.folder / "aisbench")]


COMPLETE: Mapping[str, Callable[[list[str], str, Context], list[str]]] = {
    "guidellm": complete_guidellm,
    "evalscope": complete_evalscope,
    "AIPerf": complete_aiperf,
    "vLLM bench": complete_vllm,
    "AISBench": complete_aisbench,
}
PACKAGES = {
    "guidellm": ("guidellm", "guidellm"),
    "evalscope": ("evalscope", "evalscope"),
    "AIPerf": ("aiperf", "aiperf"),
    "vLLM bench": ("vllm", "vllm"),
    "AISBench": ("ais", "ais_bench_benchmark"),
}
"""The virtualenv and the package of each tool."""


def complete_ours(command: str, context: Context) -> list[str]:
    model = f"-m openai -M base_url={context.url} -M model=fake --stream"
    questions = write_questions(context.folder, PROMPTS, WORDS)
    words = shlex.split(command.replace("…", model).replace("prompts.jsonl", str(questions)))
    return [sys.executable, "-m", *words, "-o", str(context.folder / "auricle"), "--fresh"]


# --- running and observing ------------------------------------------------------------------


def observe(words: Sequence[str], server: ServerProcess, folder: Path) -> Observation:
    """Run a command and return what the server has seen of it."""
    since = time.monotonic()
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder), "OPENAI_API_KEY": "none"}
    try:
        done = subprocess.run(
            words, env=environment, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        code, output = done.returncode, done.stdout[-1500:] + done.stderr[-1500:]
    except subprocess.TimeoutExpired:
        code, output = -1, "no end"
    if code:
        print(f"    {shlex.join(words)}\n    exit code {code}: {output}")
    entries = [entry for entries in server.stats()["times"].values() for entry in entries]
    spans = sorted((entry["arrival"], entry["last_content"]) for entry in entries if entry["arrival"] > since)
    spans = [span for span in spans if span[1]]
    rate = (len(spans) - 1) / (spans[-1][0] - spans[0][0]) if len(spans) > 1 else 0.0
    return Observation(code, len(spans), count_in_flight(spans), round(rate, 2))


def count_in_flight(spans: Sequence[tuple[float, float]]) -> int:
    """Return the most requests that were in flight at a time."""
    changes = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    most = current = 0
    for _, change in changes:
        current += change
        most = max(most, current)
    return most


def read_version(tool: str, venvs: Path) -> str:
    venv, package = PACKAGES[tool]
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run(
        [venvs / venv / "bin" / "python", "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def run_row(row: tuple[str, str, str, str], server: ServerProcess, context: Context) -> dict[str, Any]:
    """Run both commands of a row of the table, and return what was observed."""
    tool, theirs, note, ours = row
    print(f"{tool}: {theirs}{note}")
    their_words = COMPLETE[tool](shlex.split(theirs), note, context)
    observations = [observe(words, server, context.folder) for words in (their_words, complete_ours(ours, context))]
    for name, observation in zip((tool, "auricle"), observations, strict=True):
        print(
            f"    {name:12} exit code {observation.exit_code}, {observation.requests} requests, at most "
            f"{observation.most_in_flight} in flight, {observation.rate}/s"
        )
    theirs_seen, ours_seen = map(asdict, observations)
    return {
        "tool": tool,
        "version": read_version(tool, context.venvs),
        "command": theirs + note,
        "ours": ours,
        "observed": theirs_seen,
        "observed_ours": ours_seen,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venvs", type=Path, default=Path(tempfile.gettempdir()) / "auricle-peers")
    parser.add_argument("--only", choices=COMPLETE, nargs="*", default=[*COMPLETE], help="tools to run")
    parser.add_argument("--rows", type=int, nargs="*", help="rows of the table to run, from 1 [default: all]")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.relative_to(ROOT)}")
    options = parser.parse_args()
    table = ROW.findall(PAGE.read_text(encoding="utf-8"))
    numbered = [row for number, row in enumerate(table, 1) if not options.rows or number in options.rows]
    rows = [row for row in numbered if row[0] in options.only]
    with tempfile.TemporaryDirectory() as name:
        context_folder = Path(name)
        write_tokenizer(options.venvs, context_folder)
        results = []
        for row in rows:
            with run_server(*SERVER_OPTIONS) as server:  # a new one, whose times are those of this row
                results.append(run_row(row, server, Context(server.url, context_folder, options.venvs)))
    if options.record:
        recorded = {entry["command"]: entry for entry in (json.loads(RECORD.read_text()) if RECORD.exists() else [])}
        recorded |= {entry["command"]: entry for entry in results}
        ordered = [recorded[theirs + note] for _, theirs, note, _ in table if theirs + note in recorded]
        RECORD.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(
        any(result[side]["exit_code"] not in (0, 3) for result in results for side in ("observed", "observed_ours"))
    )


if __name__ == "__main__":
    sys.exit(main())
