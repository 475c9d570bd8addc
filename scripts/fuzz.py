"""Run hostile inputs through the commands and count tracebacks, hangs and memory.

    python scripts/fuzz.py --count 2000 --seed 0     sounds, manifests, YAML files, responses of a server and bombs
    python scripts/fuzz.py --kind yaml --only 17     one input, with the output of its command

Inputs are damaged sounds, manifests with impossible rows, task files and configs that are bombs, whole or streamed
responses of a server that violates HTTP and its protocol, and files, pipes and addresses without end. An input passes
if the command ends in time with a documented exit code, prints and logs no traceback and stays below 1 GB. Exits with
1 if any input fails; each is named with its kind and number, which together with the seed rebuild it.

Each command is a fork of a process that has imported the command line, so that 2,000 inputs take minutes. The network
is not used, except for the loopback interface.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson
from fuzz_bombs import build_bomb, limits_of
from fuzz_inputs import build_manifest, build_sound, build_yaml, write_common_files
from fuzz_server import FuzzServer

SHARES = {"sounds": 0.3, "manifests": 0.2, "yaml": 0.15, "responses": 0.25, "bombs": 0.1}
"""Share of each kind of input."""
BATCH = {"sounds": 12, "responses": 10}
"""Inputs per command. Fewer than the identical failures that stop a run, so that each input is used."""
TIMEOUT_SECONDS = 60.0
MAX_RSS_BYTES = 10**9
MAX_MEMORY = 6 * 1024**3
"""Limit of the address space, which protects the machine."""
EXIT_CODES = (0, 2, 3)
PRELOADED = (
    "numpy",
    "orjson",
    "soundfile",
    "soxr",
    "av",
    "aiohttp",
    "yaml",
    "rapidfuzz",
    "auricle.api",
    "auricle.cli.run",
)
PROTOCOLS = (
    ("openai", "qa", "question"),
    ("completions", "qa", "question"),
    ("transcription", "asr", "audio"),
    ("gemini", "qa", "question"),
)


@dataclass(frozen=True)
class Case:
    """One command with one or more inputs."""

    kind: str
    numbers: tuple[int, ...]
    group: int
    """Decides what the inputs of a command have in common, such as the protocol."""


@dataclass
class Result:
    """What a command did."""

    problems: list[str]
    output: str
    code: int
    rss: int
    seconds: float


@dataclass
class Totals:
    inputs: Counter[str] = field(default_factory=Counter)
    exits: Counter[str] = field(default_factory=Counter)
    commands: int = 0
    largest_rss: int = 0
    longest: float = 0.0
    problems: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


class Fuzzer:
    """Builds inputs in a folder and runs commands on them."""

    def __init__(self, seed: int, folder: Path, port: int) -> None:
        self._seed, self._folder, self._port = seed, folder, port
        self._calls = 0

    def run(self, case: Case) -> Result:
        self._calls += 1
        place = self._folder / f"{case.kind}-{self._calls}"
        place.mkdir()
        write_common_files(place)
        words = ["run", *self._arguments(case, place), "-o", "run", "--max-attempts", "1", "--json"]
        result = run_command(words, place, limits_of(case.numbers[0]) if case.kind == "bombs" else {})
        shutil.rmtree(place, ignore_errors=True)
        return result

    def _arguments(self, case: Case, place: Path) -> list[str]:
        if case.kind == "sounds":
            return self._sounds(case, place)
        if case.kind == "responses":
            return self._responses(case, place)
        if case.kind == "bombs":
            return build_bomb(case.numbers[0], place, f"http://127.0.0.1:{self._port}/endless")
        build = build_manifest if case.kind == "manifests" else build_yaml
        return build(self._generator(case.kind, case.numbers[0]), place)

    def _generator(self, kind: str, number: int) -> random.Random:
        return random.Random(f"{self._seed}:{kind}:{number}")

    def _sounds(self, case: Case, place: Path) -> list[str]:
        rows = [{"id": "good", "audio": "tone.wav", "text": "yes"}]
        for number in case.numbers:
            suffix, data = build_sound(self._generator("sounds", number))
            name = f"{number}.{suffix}" if suffix else f"{number}"
            (place / name).write_bytes(data)
            rows.append({"id": str(number), "audio": name, "text": "yes"})
        return [*_manifest(place, rows), "--as", "asr", "-m", "listens.py:Listens"]

    def _responses(self, case: Case, place: Path) -> list[str]:
        model, task, column = PROTOCOLS[case.group % len(PROTOCOLS)]
        streamed = case.group // len(PROTOCOLS) % 2
        rows: list[dict[str, Any]] = []
        for number in case.numbers:
            # Different recordings, so that the server can distinguish the requests.
            (place / f"{number}.wav").write_bytes((place / "tone.wav").read_bytes()[:-2] + bytes([len(rows), 0]))
            media = f"{number}.wav" if column == "audio" else f"question {number}?"
            rows.append({"id": str(number), column: media, "text" if task == "asr" else "answer": "yes"})
        url = f"http://127.0.0.1:{self._port}/{self._seed}/{case.numbers[0]}/{len(rows)}/{self._calls}/v1"
        options = {"model": "m", "base_url": url, "api_key": "k", "timeout": 3, "read_timeout": 2}
        words = [word for name, value in options.items() for word in ("-M", f"{name}={value}")]
        stream = ["--stream"] if streamed else []
        return [*_manifest(place, rows), "--as", task, "-m", model, *words, *stream, "-j", "1"]


def _manifest(place: Path, rows: list[dict[str, Any]]) -> list[str]:
    (place / "data.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return ["data.jsonl"]


def run_command(words: list[str], place: Path, environment: dict[str, str]) -> Result:
    """Run a command in a fork and say what is wrong with how it ended."""
    begin = time.monotonic()
    output = place / "output.txt"
    child = os.fork()
    if child == 0:
        os.environ.update(environment)
        _become_command(words, place, output)
    killed = threading.Event()

    def kill() -> None:
        killed.set()
        os.killpg(child, signal.SIGKILL)

    timer = threading.Timer(TIMEOUT_SECONDS, kill)
    timer.start()
    _, status, usage = os.wait4(child, 0)
    timer.cancel()
    text = output.read_text(encoding="utf-8", errors="replace")
    logs = "".join(path.read_text(encoding="utf-8", errors="replace") for path in place.rglob("*.log"))
    rss = usage.ru_maxrss * 1024
    code = os.waitstatus_to_exitcode(status)
    problems = list(_problems(text + logs, code, rss, killed.is_set()))
    command = " ".join([*(f"{name}={value}" for name, value in environment.items()), "auricle", *words])
    return Result(problems, f"$ {command}\n{text}{logs}", code, rss, time.monotonic() - begin)


def _problems(text: str, code: int, rss: int, is_hanging: bool) -> Iterator[str]:
    if "Traceback (most recent call last)" in text:
        yield "traceback"
    if is_hanging:
        yield "hang"
    elif code not in EXIT_CODES:
        yield f"exit code {code}"
    if rss > MAX_RSS_BYTES:
        yield "memory"


def _become_command(words: list[str], place: Path, output: Path) -> None:
    """Do what `python -m auricle` does, in this process, to the end."""
    code = 70
    try:
        os.setsid()
        os.chdir(place)
        with output.open("wb") as file, Path(os.devnull).open("rb") as nothing:
            for stream, number in ((nothing, 0), (file, 1), (file, 2)):
                os.dup2(stream.fileno(), number)
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        os.environ["XDG_STATE_HOME"] = str(place)  # for logs of unexpected errors
        sys.path[0] = str(place)
        sys.argv = ["auricle", *words]
        import_module("auricle.cli").main()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 - printed as the interpreter would
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def list_cases(count: int, kinds: list[str]) -> list[Case]:
    """Divide the inputs among kinds and commands; kinds alternate, so that an interrupted run has seen all."""
    total = sum(SHARES[kind] for kind in kinds)
    cases = []
    for kind in kinds:
        numbers = range(round(count * SHARES[kind] / total))
        size = BATCH.get(kind, 1)
        batches = [tuple(numbers[first : first + size]) for first in range(0, len(numbers), size)]
        cases += [(index / len(batches), Case(kind, batch, index)) for index, batch in enumerate(batches)]
    return [case for _, case in sorted(cases, key=lambda item: item[0])]


def run_cases(fuzzer: Fuzzer, cases: list[Case]) -> Totals:
    totals = Totals()
    for case in cases:
        result = fuzzer.run(case)
        totals.commands += 1
        totals.inputs[case.kind] += len(case.numbers)
        totals.exits[f"{case.kind} {result.code}"] += 1
        totals.largest_rss = max(totals.largest_rss, result.rss)
        totals.longest = max(totals.longest, result.seconds)
        if result.problems:
            _name_failures(fuzzer, case, result, totals)
    return totals


def _name_failures(fuzzer: Fuzzer, case: Case, result: Result, totals: Totals) -> None:
    """Run the inputs of a failed command one by one to name those that fail."""
    culprits = []
    if len(case.numbers) > 1:
        for number in case.numbers:
            single = fuzzer.run(Case(case.kind, (number,), case.group))
            if single.problems:
                culprits.append((number, single))
    for number, single in culprits or [(case.numbers[0], result)]:
        totals.problems.update(single.problems)
        last = single.output.strip().splitlines()[-1][:160]
        place = f"--kind {case.kind} --only {number} --group {case.group}"
        totals.failures.append(f"{place}: {', '.join(single.problems)}: {last}")
        print(totals.failures[-1], flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="number of inputs [default: 2000]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=[*SHARES], help="repeat for several [default: all]")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run one input of --kind and print the output")
    parser.add_argument("--group", type=int, default=0, help="with --only: the group that a failure names")
    options = parser.parse_args()
    begin = time.monotonic()
    server = FuzzServer()
    server_process = os.fork()
    if server_process == 0:
        server.serve_forever()
    os.environ.update(COLUMNS="120", NO_COLOR="1")
    for name in PRELOADED:
        import_module(name)
    try:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            os.environ.update(HOME=folder, XDG_CACHE_HOME=f"{folder}/cache", XDG_DATA_HOME=f"{folder}/data")
            fuzzer = Fuzzer(options.seed, Path(folder), server.port)
            if options.only is not None:
                result = fuzzer.run(Case(options.kind[0], (options.only,), options.group))
                print(result.output, *result.problems, sep="\n")
                return int(bool(result.problems))
            totals = run_cases(fuzzer, list_cases(options.count, options.kind or [*SHARES]))
    finally:
        os.kill(server_process, signal.SIGKILL)
        os.waitpid(server_process, 0)
    print_totals(totals, time.monotonic() - begin)
    return int(bool(totals.failures))


def print_totals(totals: Totals, seconds: float) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in totals.inputs.items())
    print(f"{totals.inputs.total()} inputs ({kinds}) in {totals.commands} commands, {seconds:.0f} s")
    print("exit codes:", ", ".join(f"{name} ({count})" for name, count in sorted(totals.exits.items())))
    print(f"{totals.problems['traceback']} tracebacks, {totals.problems['hang']} hangs")
    others = {name: count for name, count in totals.problems.items() if name.startswith("exit")}
    print(f"{sum(others.values())} undocumented exit codes {others or ''}".rstrip())
    print(f"largest memory {totals.largest_rss / 1e6:.0f} MB, longest command {totals.longest:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
