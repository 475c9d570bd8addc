"""Record what the command line prints and writes for many commands, and compare two recordings.

    python scripts/golden.py record OUT     run every case and store its results in OUT
    python scripts/golden.py compare A B    print every difference; exit code 1 if there are any
    python scripts/golden.py fixtures       write tests/fixtures/runs again

Use it for changes that must not alter a number, a page or a stored byte: record before, record after, compare.
PYTHONPATH selects the source tree, so the same script works for both versions. A recording has a folder for each case,
with all that is printed and written as text. What differs from run to run (times, versions, checksums of lines with
times) is replaced: see `normalise` in golden/cases.yaml, which also lists the commands.

Every group of cases runs in a folder of its own under the temporary folder, with a copy of golden/files and the sounds
of golden/sounds.csv. Their paths and the ports of the fake servers are fixed, because fake models hash paths. So only
one recording runs at a time.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import fcntl
import hashlib
import json
import math
import os
import platform
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import wave
import zlib
from array import array
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).with_suffix("")
FIXTURES = DATA.resolve().parents[1] / "tests" / "fixtures" / "runs"
FIXTURE_ROOT = "/golden"
"""The folder of all fixtures, as far as their files state it; it need not exist."""
WORK = Path(tempfile.gettempdir()) / "auricle-golden"
PYTHON = [sys.executable, "-W", "ignore"]
RATE = 16_000
MAX_LINES, MAX_LINE = 20, 400  # that `compare` prints of each file, and characters of each line


@dataclass(frozen=True)
class Case:
    """A command, the exit code it should end with, and how its output is compared."""

    name: str
    command: str
    exit: int = 0
    form: str = "text"
    """text: all of it. timeless: without numbers. names: only which files there are. none: only the exit code."""

    @property
    def words(self) -> list[str]:
        words = [word.replace("@name", self.name) for word in shlex.split(self.command)]
        ports = {"closed": 9, **{name: server["port"] for name, server in SUITE.servers.items()}}
        for name, port in ports.items():
            words = [word.replace(f"@{name}", f"http://127.0.0.1:{port}/v1") for word in words]
        return [*PYTHON, *words[1:]] if words[0] == "python" else [*PYTHON, "-m", "auricle", *words]


@dataclass(frozen=True)
class Group:
    """Cases that run one after the other in a folder; a case may use what earlier ones wrote."""

    name: str
    cases: tuple[Case, ...]
    after: tuple[str, ...] = ()
    """Groups whose runs the cases read."""

    @property
    def folder(self) -> Path:
        return WORK / self.name


class Suite:
    """The content of golden/cases.yaml."""

    def __init__(self, path: Path) -> None:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.servers: dict[str, dict[str, Any]] = document["servers"]
        self.groups = [_read_group(name, group) for name, group in document["groups"].items()]
        self.fixtures: list[str] = document["fixtures"]
        self.unordered: list[str] = document["unordered"]
        self.ignored = re.compile("|".join(document["ignored"]))
        self.rules = [(re.compile(pattern, re.MULTILINE), new) for pattern, new in document["normalise"]]
        self.decimals = re.compile(document["decimals"])


def _read_group(name: str, group: dict[str, Any]) -> Group:
    cases = []
    for case_name, case in group["cases"].items():
        fields = case if isinstance(case, dict) else {"command": case}
        cases.append(Case(**{"name": case_name, "form": group.get("form", "text"), **fields}))
    return Group(name, tuple(cases), tuple(group.get("after", ())))


SUITE = Suite(DATA / "cases.yaml")


def make_sound(path: Path, name: str, seconds: float, loudness: float) -> None:
    """Write a tone in some noise, both decided by its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = random.Random(name)
    pitch, noise = drawn.uniform(150, 900), drawn.uniform(0.0, 0.2)
    samples = (
        math.sin(math.tau * pitch * index / RATE) * loudness + drawn.uniform(-noise, noise)
        for index in range(int(seconds * RATE))
    )
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", "not compressed"))
        file.writeframes(array("h", (round(sample * 32_000) for sample in samples)).tobytes())


@contextmanager
def working_folder() -> Iterator[None]:
    """Create the folder of each group with all files, and lock them."""
    WORK.mkdir(exist_ok=True)
    with (WORK / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for entry in WORK.iterdir():
            if entry.is_dir():
                shutil.rmtree(entry)
        files = WORK / "files"
        shutil.copytree(DATA / "files", files, ignore=shutil.ignore_patterns("__pycache__"))
        with (DATA / "sounds.csv").open(encoding="utf-8") as table:
            for row in csv.DictReader(table):
                make_sound(files / row["name"], row["name"], float(row["seconds"]), float(row["loudness"]))
        if FIXTURES.exists():
            shutil.copytree(FIXTURES, files / "stored")
        for group in SUITE.groups:
            shutil.copytree(files, group.folder)
        yield


def environment(group: Group) -> dict[str, str]:
    """Return the environment of commands: no settings of the user, one thread per network, a wide terminal."""
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    kept = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        **{name: str(WORK / "caches" / group.name / name) for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME")},
        "PYTHONPATH": os.pathsep.join(str(Path(path).resolve()) for path in paths),
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "120",
    }


@contextmanager
def serving(name: str) -> Iterator[None]:
    """Run a fake server for as long as it is needed."""
    server = SUITE.servers[name]
    command = Case(name, f"fake-server --port {server['port']} {server.get('options', '')}")
    group = SUITE.groups[0]
    with subprocess.Popen(command.words, cwd=group.folder, env=environment(group), stdout=subprocess.PIPE) as process:
        assert process.stdout
        try:
            if not process.stdout.readline():
                raise SystemExit(f"golden: no fake server on port {server['port']}; is it in use?")
            yield
        finally:
            process.terminate()


@cache
def list_names() -> dict[str, str]:
    """Return the names and paths of this machine and of this version of the package, and what is recorded for them."""
    code = "import auricle, importlib.metadata as m; print(auricle.__path__[0], m.version('auricle'))"
    command = [*PYTHON, "-c", code]
    source, version = subprocess.check_output(command, env=environment(SUITE.groups[0]), text=True).split()
    return {version: "VERSION", source: "SOURCE", f"{WORK}/": "", sys.prefix: "VENV", str(WORK): "WORK"}


def read_text(content: bytes) -> str:
    """Return printed or written bytes as text without the names of this machine; of a sound, its digest."""
    text = hashlib.sha256(content).hexdigest() if b"\0" in content else content.decode(errors="replace")
    for name, new in list_names().items():
        text = text.replace(name, new)
    return text


def tidy(name: str, text: str, form: str) -> str:
    """Replace what differs from run to run in a file of this name; doing so twice changes nothing more."""
    for pattern, new in SUITE.rules:
        text = pattern.sub(new, text)
    if form == "timeless":
        text = SUITE.decimals.sub("~", text)
    if name.rpartition("/")[2] in SUITE.unordered:
        text = "".join(sorted(text.splitlines(keepends=True)))
    return text


def take_stamps(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return time and size of every file of a folder, to find what a command writes."""
    stats = ((path, path.stat()) for path in sorted(folder.rglob("*")) if path.is_file())
    return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in stats}


def record(out: Path, jobs: int, only: list[str]) -> int:
    """Run every case and store its results; return how many had another exit code than they should."""
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise SystemExit(f"golden: {out} is not empty.")
    groups = [group for group in SUITE.groups if not only or group.name in only]
    begun, stopping = time.monotonic(), threading.Event()
    with working_folder(), ExitStack() as stack:
        for name in SUITE.servers:
            stack.enter_context(serving(name))
        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        stack.callback(stopping.set)  # after a signal, no further case is begun
        futures: dict[str, Future[int]] = {}
        for group in groups:  # a group is submitted after those it waits for, so some group always runs
            awaited = [futures[name] for name in group.after if name in futures]
            futures[group.name] = pool.submit(record_group, group, out, awaited, stopping)
        wrong = sum(future.result() for future in futures.values())
    count = f"{sum(len(group.cases) for group in groups)} cases"
    print(f"{count} in {time.monotonic() - begun:.0f} s, {wrong} with an unexpected exit code")
    return wrong


def record_group(group: Group, out: Path, awaited: list[Future[int]], stopping: threading.Event) -> int:
    for future in awaited:
        future.result()
    return sum(not record_case(case, group, out) for case in group.cases if not stopping.is_set())


def record_case(case: Case, group: Group, out: Path) -> bool:
    """Run a case, store its results, and return whether it exits as it should."""
    begun, before = time.monotonic(), take_stamps(group.folder)
    options: dict[str, Any] = {"cwd": group.folder, "env": environment(group), "stdin": subprocess.DEVNULL}
    done = subprocess.run(case.words, capture_output=True, **options)
    results = {"exit": f"{done.returncode}\n"}
    if case.form in ("text", "timeless"):
        results |= {"stdout": read_text(done.stdout), "stderr": read_text(done.stderr)}
    if case.form != "none":
        for path, stamp in take_stamps(group.folder).items():
            name = f"files/{path.relative_to(group.folder)}"
            if before.get(path) != stamp and not SUITE.ignored.search(name):
                results[tidy("", name, "")] = "" if case.form == "names" else read_text(path.read_bytes())
    for name, text in results.items():
        path = out / f"{group.name}.{case.name}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tidy(name, text, case.form).encode())
    last_words = done.stderr.decode()[-600:].strip()
    wrong = f"  exit code {done.returncode}, not {case.exit}: {last_words}" if done.returncode != case.exit else ""
    print(f"{group.name}.{case.name}: {time.monotonic() - begun:.1f} s{wrong}", flush=True)
    return not wrong


def list_files(recording: Path) -> dict[str, Path]:
    paths = (path for path in recording.rglob("*") if path.is_file())
    return {tidy("", path.relative_to(recording).as_posix(), ""): path for path in paths}


def compare(a: Path, b: Path) -> int:
    """Print the differences of two recordings; return how many files differ."""
    forms = {f"{group.name}.{case.name}": case.form for group in SUITE.groups for case in group.cases}
    a_files, b_files = map(list_files, (a, b))
    names = [name for name in sorted({*a_files, *b_files}) if not SUITE.ignored.search(name)]
    if not names:
        raise SystemExit(f"golden: neither {a} nor {b} contains a recording.")
    count = 0
    for name in names:
        form = forms.get(name.partition("/")[0], "text")
        paths = [files.get(name) for files in (a_files, b_files)]
        texts = [tidy(name, path.read_bytes().decode(), form) if path else "(absent)" for path in paths]
        if texts[0] == texts[1]:
            continue
        count += 1
        diff = difflib.unified_diff(*(text.splitlines() for text in texts), n=0, lineterm="")
        changes = [line for line in list(diff)[2:] if not line.startswith("@@")]
        print(f"{name}: {len(changes)} lines differ")
        for line in changes[:MAX_LINES]:
            print(f"  {line[:MAX_LINE]}")
    print(f"{count} of {len(names)} files differ")
    return count


def write_fixtures(names: list[str]) -> int:
    """Run the cases that are fixtures, and store their runs and the data they need."""
    group = next(group for group in SUITE.groups if group.name == "kinds")
    cases, env = [case for case in group.cases if case.name in SUITE.fixtures], environment(group)
    with working_folder():
        for case in (case for case in cases if case.name in (names or SUITE.fixtures)):
            if subprocess.run(case.words, cwd=group.folder, env=env, stdout=subprocess.DEVNULL).returncode != case.exit:
                raise SystemExit(f"golden: {case.name} did not exit with {case.exit}.")
            run = group.folder / "runs" / case.name
            move_run(run, str(group.folder), FIXTURE_ROOT)
            shutil.rmtree(FIXTURES / case.name, ignore_errors=True)
            shutil.copytree(run, FIXTURES / case.name, ignore=shutil.ignore_patterns("report.html", ".lock"))
        shutil.rmtree(FIXTURES / "data", ignore_errors=True)
        shutil.copytree(WORK / "files" / "kinds", FIXTURES / "data" / "kinds")
    commands = {case.name: case.words[len(PYTHON) + 2 :] for case in cases}
    (FIXTURES / "commands.json").write_text(json.dumps(commands, indent=1) + "\n", encoding="utf-8")
    return 0


def move_run(run: Path, old: str, new: str) -> None:
    """Replace the folder in the paths that the files of a run state, and renew the checksums of what is changed."""
    for path in (*run.rglob("*.json"), *run.rglob("*.jsonl")):
        text = path.read_text(encoding="utf-8").replace(old, new).replace(platform.platform(), "Linux")
        path.write_text("".join(map(renew_checksum, text.splitlines(keepends=True))), encoding="utf-8")
    text = (run / "metrics.json").read_text(encoding="utf-8")
    for name, source in json.loads(text)["sources"].items():
        content = (run / name).read_bytes()
        text = text.replace(source["digest"], hashlib.sha256(content).hexdigest())
        text = text.replace(f'"size": {source["size"]}', f'"size": {len(content)}')
        text = text.replace(f'"changed_ns": {source["changed_ns"]}', '"changed_ns": 0')
    (run / "metrics.json").write_text(text, encoding="utf-8")


def renew_checksum(line: str) -> str:
    body, field, _ = line.rpartition(',"crc":"')
    return f'{body}{field}{zlib.crc32(body.encode()):08x}"}}\n' if field else line


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run every case and store its results")
    recording.add_argument("out", type=Path)
    recording.add_argument("--jobs", type=int, default=2, help="groups of cases that run at the same time [default: 2]")
    recording.add_argument("--only", action="append", default=[], help="name of a group; repeat for several")
    comparing = commands.add_parser("compare", help="print every difference of two recordings")
    comparing.add_argument("a", type=Path)
    comparing.add_argument("b", type=Path)
    fixtures = commands.add_parser("fixtures", help="write tests/fixtures/runs again")
    fixtures.add_argument("names", nargs="*", help="runs to write [default: all]")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers end, too
    if given.command == "compare":
        return int(compare(given.a, given.b) > 0)
    if given.command == "fixtures":
        return write_fixtures(given.names)
    return int(record(given.out, given.jobs, given.only) > 0)


if __name__ == "__main__":
    sys.exit(main())
