"""Measure how many small faults the tests notice: change the code, run its tests, count what fails.

    python scripts/mutate.py --modules engine runs --count 150    a seeded sample
    python scripts/mutate.py --modules engine/retry --count 0     every mutation of a module
    python scripts/mutate.py --modules engine/retry --list        print mutations without running tests

A mutation is one change of `src/auricle/a/b.py` (see `mutation_operators.py`). It is run against
`tests/unit/a/test_b.py`, other unit and oracle tests that import the module, and FURTHER_TESTS; it is caught if a test
fails or hangs. Prints the rate of each module and room, and every survivor with its place and change. Works on a
temporary copy of the tree, on one core.

Mutations that cannot change behaviour are listed, with the reason, in `equivalent_mutations.yaml`; they do not count.

Tests start in milliseconds: each mutation is tested in a fork of a process that has imported everything the
module does not depend on, and runs first only the tests that execute the changed line.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import ctypes
import gc
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from mutation_operators import Mutation, list_mutations

ROOT = Path(__file__).resolve().parents[1]
FURTHER_TESTS = {
    "engine": ["tests/unit/engine/test_run_loop.py", "tests/unit/test_api.py"],
    "runs": ["tests/unit/test_api.py"],
    "metrics": ["tests/oracle"],
    "text": ["tests/oracle/test_text_profiles.py"],
}
"""Tests of a room that do not import its modules by name."""
MAX_SECONDS_ELSEWHERE = 3.0
"""Slower tests count only for the module they belong to."""
EQUIVALENT = "scripts/equivalent_mutations.yaml"
NOT_COPIED = (".git", ".venv", ".*_cache", "__pycache__", ".hypothesis", "node_modules")
TESTS_FOLDER = "tests-tmp"
PLUGINS = ("_hypothesis_pytestplugin", "pytest_timeout")
TIMEOUT_FACTOR = 8
"""A test hangs if it takes `--timeout` and this many times as long as without the mutation: the machine may be busy."""
STARTUP_SECONDS = 30.0
MAX_MEMORY = 8 * 1024**3
MAX_FILE_SIZE = 1024**3
CAUGHT, SURVIVED, EQUIVALENT_OUTCOME = "caught", "survived", "equivalent"
ORPHANS_TO_US = 36  # PR_SET_CHILD_SUBREAPER


@dataclass(frozen=True)
class Module:
    """A module of the package, with its mutations."""

    path: Path
    """Relative to `src/auricle`."""
    tree: ast.Module
    mutations: list[Mutation]

    @property
    def name(self) -> str:
        return ".".join(("auricle", *self.path.with_suffix("").parts))

    @property
    def room(self) -> str:
        return self.path.parts[0] if len(self.path.parts) > 1 else self.path.stem

    def own_tests(self) -> Path:
        return Path("tests/unit", self.path.parent, f"test_{self.path.stem}.py")

    def all_tests(self, root: Path) -> list[str]:
        """List the files that test this module, its own first."""
        further = [*FURTHER_TESTS.get(self.room, ())]
        package, _, stem = self.name.rpartition(".")
        by_name = re.compile(rf"{re.escape(self.name)}\b|from {re.escape(package)} import [^\n]*\b{stem}\b")
        for folder in ("tests/unit", "tests/oracle"):
            for path in sorted((root / folder).rglob("test_*.py")):
                if by_name.search(path.read_text(encoding="utf-8")):
                    further.append(path.relative_to(root).as_posix())
        return list(dict.fromkeys([str(self.own_tests()), *(path for path in further if (root / path).exists())]))


@dataclass
class Baseline:
    """What a run without mutation shows."""

    seconds: dict[str, float] = field(default_factory=dict)
    """Duration of each test that passes."""
    failed: list[str] = field(default_factory=list)
    tests_of_line: dict[int, list[str]] = field(default_factory=dict)
    independent: list[str] = field(default_factory=list)
    """Imported modules that do not import the mutated one."""


@dataclass
class Tally:
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys((CAUGHT, SURVIVED, EQUIVALENT_OUTCOME), 0))

    def add(self, outcome: str) -> None:
        self.counts[outcome] += 1

    @property
    def rate(self) -> float:
        relevant = self.counts[CAUGHT] + self.counts[SURVIVED]
        return self.counts[CAUGHT] / relevant if relevant else 1.0

    def __str__(self) -> str:
        numbers = "  ".join(f"{self.counts[name]:5d} {name}" for name in self.counts)
        return f"{numbers}  {self.rate:7.1%}"


# --- choosing mutations ---------------------------------------------------------------------


def load_modules(root: Path, patterns: Collection[str]) -> list[Module]:
    """Parse the modules whose path begins with one of the patterns, such as `engine` or `engine/retry.py`."""
    source = root / "src" / "auricle"
    prefixes = [pattern.removeprefix("src/auricle/").removesuffix(".py").strip("/") for pattern in patterns]
    modules = []
    for path in sorted(source.rglob("*.py")):
        relative = path.relative_to(source)
        stem = relative.with_suffix("").as_posix()
        if prefixes and not any(stem == prefix or stem.startswith(f"{prefix}/") for prefix in prefixes):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = Module(relative, tree, list_mutations(tree))
        if module.mutations and (root / module.own_tests()).is_file():
            modules.append(module)
    return modules


def choose(modules: list[Module], count: int, seed: int) -> list[tuple[Module, list[Mutation]]]:
    """Draw mutations at random, all with the same probability; 0 takes all."""
    pairs = [(module, mutation) for module in modules for mutation in module.mutations]
    if count:
        random.Random(seed).shuffle(pairs)
        pairs = pairs[:count]
    drawn = {id(mutation) for _, mutation in pairs}
    chosen = [(module, [item for item in module.mutations if id(item) in drawn]) for module in modules]
    return [(module, mutations) for module, mutations in chosen if mutations]


def load_equivalent(root: Path) -> dict[tuple[str, str, str], str]:
    """Read the mutations that cannot change behaviour: (module, scope, change) and the reason."""
    path = root / EQUIVALENT
    entries = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None
    return {(entry["module"], entry["scope"], entry["change"]): entry["reason"] for entry in entries or ()}


def keys_of(module: Module, mutation: Mutation) -> set[tuple[str, str, str]]:
    """Return the entries that can list a mutation: itself, or every change of the same expression."""
    changes = (mutation.change, f"{mutation.before} -> *")
    return {(module.path.as_posix(), mutation.scope, change) for change in changes}


# --- running tests in forks ------------------------------------------------------------------


class TestRecorder:
    """Plugin that selects tests and records which lines of the module each one executes."""

    def __init__(self, chosen: dict[str, float] | None, timeout: float = 0.0, coverage: Any = None) -> None:
        self._chosen, self._timeout, self._coverage = chosen, timeout, coverage
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    def pytest_configure(self, config: Any) -> None:
        config.addinivalue_line("markers", "flaky: retried elsewhere")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        import pytest

        if self._chosen is not None:
            items[:] = [item for item in items if item.nodeid in self._chosen]
            # Fast tests first: most mutations fail in any test.
            items.sort(key=lambda item: self._chosen[item.nodeid])
            for item in items:
                item.add_marker(pytest.mark.timeout(self._timeout + TIMEOUT_FACTOR * self._chosen[item.nodeid]))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self._coverage is not None:
            self._coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.outcome == "failed":
            self.failed.append(report.nodeid)


class ImportWatch:
    """Records what had been imported when a module began to be imported."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.before: list[str] = []

    def find_spec(self, name: str, *_: Any) -> None:
        if name == self._name and not self.before:
            unfinished = [loaded for loaded, module in [*sys.modules.items()] if _is_being_imported(module)]
            # Importing a module of an unfinished package would import the package, and this module with it.
            parts = tuple(f"{package}." for package in unfinished)
            self.before = [loaded for loaded in [*sys.modules] if not f"{loaded}.".startswith(parts)]


def _is_being_imported(module: Any) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def run_pytest(files: Iterable[str], recorder: TestRecorder, fail_fast: bool) -> int:
    import pytest

    plugins = [word for name in PLUGINS if importlib.util.find_spec(name) for word in ("-p", name)]
    options = ["-p", "no:cacheprovider", "--basetemp", f"../{TESTS_FOLDER}", "--hypothesis-seed", "0"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins were imported before the fork
    return int(pytest.main([*plugins, *options, *(["-x"] if fail_fast else []), *files], plugins=[recorder]))


def measure_baseline(module: Module, files: list[str]) -> Baseline:
    """Run all tests once, in this process, and record durations, lines and imports."""
    import coverage

    watch = ImportWatch(module.name)
    sys.meta_path.insert(0, watch)  # type: ignore[arg-type]
    source = str(Path("src/auricle", module.path).resolve())
    tracer = coverage.Coverage(data_file=None, include=[source], config_file=False, messages=False)
    recorder = TestRecorder(None, coverage=tracer)
    tracer.start()
    run_pytest(files, recorder, fail_fast=False)
    tracer.stop()
    failed = set(recorder.failed)
    baseline = Baseline(independent=watch.before, failed=sorted(failed))
    own = str(module.own_tests())
    baseline.seconds = {
        name: seconds
        for name, seconds in recorder.seconds.items()
        if name not in failed and (seconds <= MAX_SECONDS_ELSEWHERE or name.startswith(own))
    }
    lines = tracer.get_data().contexts_by_lineno(source)
    baseline.tests_of_line = {line: sorted(baseline.seconds.keys() & tests) for line, tests in lines.items()}
    return baseline


def in_fork(work: Callable[[], Any], timeout: float | None) -> int | None:
    """Do something in a fork, in its own process group and silently; return its exit code, or None after a timeout."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            _silence()
            code = int(work() or 0)
        except BaseException:  # noqa: BLE001 - a mutation may raise anything
            traceback.print_exc()
        finally:
            os._exit(code)
    deadline = None if timeout is None else time.monotonic() + timeout
    pause = 0.005
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if deadline is not None and time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            status = None
            break
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
    _end_descendants()
    return None if status is None else os.waitstatus_to_exitcode(status)


def _silence() -> None:
    if os.environ.get("MUTATE_VERBOSE"):
        return
    with Path(os.devnull).open("r+b") as nothing:
        for number in (0, 1, 2):
            os.dup2(nothing.fileno(), number)


def adopt_orphans() -> None:
    """Become the parent of processes that tests leave behind, so that they can be ended."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(ORPHANS_TO_US, 1, 0, 0, 0)


def _end_descendants() -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while children.exists() and (pids := children.read_text().split()):
        for pid in map(int, pids):
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


class MutationRunner:
    """Tests the mutations of one module in forks of this process."""

    def __init__(self, module: Module, folder: Path, timeout: float) -> None:
        self._module, self._folder, self._timeout = module, folder, timeout
        self._source = folder / "src" / "auricle" / module.path
        self._original = self._source.read_bytes()
        self._files = module.all_tests(folder)
        self._result = folder.parent / "baseline.json"
        self.baseline = Baseline()

    def prepare(self) -> str:
        """Measure the tests without mutation and import what they need; return what is wrong, if anything."""
        self._use_folder()
        self._result.unlink(missing_ok=True)
        in_fork(self._store_baseline, None)
        if not self._result.exists():
            return "its tests cannot be run"
        self.baseline = Baseline(**json.loads(self._result.read_text()))
        self.baseline.tests_of_line = {int(line): tests for line, tests in self.baseline.tests_of_line.items()}
        if not self.baseline.seconds:
            return "no test passes"
        for cached in self._source.parent.glob(f"__pycache__/{self._source.stem}.*"):
            cached.unlink()
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        for name in self.baseline.independent:
            if name.partition(".")[0] == "tests":
                continue
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        gc.freeze()
        if self.is_caught(ast.unparse(self._module.tree), self.baseline.seconds):
            return "its tests fail without comments, so that nothing can be measured"
        return ""

    def test(self, mutation: Mutation) -> str:
        """Run the tests of the changed line, then all of the module: one test may use what another one prepared."""
        source = mutation.source(self._module.tree)
        own = {name for name in self.baseline.seconds if name.startswith(f"{self._files[0]}::")}
        covering = {name for line in mutation.lines for name in self.baseline.tests_of_line.get(line, ())}
        order = (own, {*self.baseline.seconds} - own) if mutation.at_import else (covering, own - covering)
        return CAUGHT if any(self.is_caught(source, tests) for tests in order if tests) else SURVIVED

    def is_caught(self, source: str, tests: Collection[str]) -> bool:
        self._source.write_text(source, encoding="utf-8")
        # Otherwise the first test would do this in its time.
        shutil.rmtree(self._folder.parent / TESTS_FOLDER, ignore_errors=True)
        seconds = {name: self.baseline.seconds[name] for name in tests}
        files = sorted({name.partition("::")[0] for name in tests})

        def work() -> int:
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_SIZE, MAX_FILE_SIZE))
            return run_pytest(files, TestRecorder(seconds, self._timeout), fail_fast=True)

        return in_fork(work, STARTUP_SECONDS + TIMEOUT_FACTOR * sum(seconds.values())) != 0

    def restore(self) -> None:
        self._source.write_bytes(self._original)

    def _store_baseline(self) -> None:
        baseline = measure_baseline(self._module, self._files)
        self._result.write_text(json.dumps(vars(baseline)), encoding="utf-8")

    def _use_folder(self) -> None:
        """Import from the copy, here and in processes that tests start."""
        os.chdir(self._folder)
        copies = [str(self._folder / "src"), str(self._folder)]
        sys.path[:] = copies + [path for path in sys.path if not Path(path or ".").is_relative_to(ROOT / "src")]
        os.environ["PYTHONPATH"] = os.pathsep.join(copies)
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ[name] = "1"


def copy_tree(root: Path, folder: Path) -> Path:
    copy = folder / "tree"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
    if (root.parent / "shared").is_dir():
        (folder / "shared").symlink_to(root.parent / "shared")
    return copy


# --- reporting -------------------------------------------------------------------------------


@dataclass
class Report:
    """Counts and survivors of all modules so far."""

    equivalent: dict[tuple[str, str, str], str]
    timeout: float
    rooms: dict[str, Tally] = field(default_factory=dict)
    total: Tally = field(default_factory=Tally)
    survivors: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add_module(self, module: Module, outcomes: Iterable[tuple[Mutation, str]]) -> None:
        tally = Tally()
        for mutation, outcome in outcomes:
            for counter in (tally, self.rooms.setdefault(module.room, Tally()), self.total):
                counter.add(outcome)
            if outcome == SURVIVED:
                self.survivors.append(describe(module, mutation))
                print(f"  survived: {self.survivors[-1]}", flush=True)
        print(f"{module.path.as_posix():44s} {tally}", flush=True)

    def print(self) -> None:
        print()
        for room, tally in self.rooms.items():
            print(f"{room:44s} {tally}")
        print(f"{'total':44s} {self.total}")
        for title, lines in (("Survivors", self.survivors), ("Problems", self.problems)):
            if lines:
                print(f"\n{title}:", *lines, sep="\n  ")


def describe(module: Module, mutation: Mutation) -> str:
    place = f"src/auricle/{module.path.as_posix()}:{mutation.line}"
    return f"{place} ({mutation.scope or 'module'}): {mutation.change}"


def test_module(module: Module, mutations: list[Mutation], folder: Path, report: Report) -> None:
    """Test one module in a fork, because what it imports must not be there for the next one."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            _test_module_here(
                module, mutations, MutationRunner(module, folder, report.timeout), report.equivalent, pipe
            )
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        problems = json.loads(pipe.readline() or '["it ended unexpectedly"]')
        report.problems += [f"{module.path}: {problem}" for problem in problems]
        report.add_module(module, zip(mutations, map(json.loads, pipe), strict=False))
    os.waitpid(child, 0)


def _test_module_here(
    module: Module, mutations: list[Mutation], runner: MutationRunner, equivalent: Collection[Any], pipe: Any
) -> None:
    adopt_orphans()
    problem = runner.prepare()
    failures = [f"{name} fails without mutation" for name in runner.baseline.failed]
    print(json.dumps([*failures, problem] if problem else failures), file=pipe, flush=True)
    for mutation in mutations if not problem else ():
        is_equivalent = not keys_of(module, mutation).isdisjoint(equivalent)
        outcome = EQUIVALENT_OUTCOME if is_equivalent else runner.test(mutation)
        print(json.dumps(outcome), file=pipe, flush=True)
    runner.restore()


def unused_entries(modules: list[Module], equivalent: Collection[tuple[str, str, str]]) -> Iterator[str]:
    """Yield listed equivalents that match no mutation of the chosen modules."""
    paths = {module.path.as_posix() for module in modules}
    keys = {key for module in modules for mutation in module.mutations for key in keys_of(module, mutation)}
    for key in equivalent:
        if key[0] in paths and key not in keys:
            yield f"{EQUIVALENT}: no such mutation: {' | '.join(key)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", nargs="*", default=[], metavar="PATH", help="rooms or modules [default: all]")
    parser.add_argument("--count", type=int, default=150, help="mutations to draw; 0 takes all [default: 150]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw [default: 0]")
    parser.add_argument("--list", action="store_true", help="print the mutations without running tests")
    parser.add_argument("--min-rate", type=float, default=0.0, metavar="PERCENT", help="exit with 1 below this rate")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds before a test hangs [default: 5]")
    parser.add_argument("--root", type=Path, default=ROOT, help="tree to test [default: this one]")
    options = parser.parse_args()
    modules = load_modules(options.root, options.modules)
    chosen = choose(modules, options.count, options.seed)
    if options.list:
        for module, mutations in chosen:
            for mutation in mutations:
                print(describe(module, mutation))
        return 0
    equivalent = load_equivalent(options.root)
    report = Report(equivalent, options.timeout, problems=list(unused_entries(modules, equivalent)))
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        copy = copy_tree(options.root.resolve(), Path(folder))
        for module, mutations in chosen:
            test_module(module, mutations, copy, report)
    report.print()
    return int(not chosen or report.total.rate * 100 < options.min_rate)


if __name__ == "__main__":
    sys.exit(main())
