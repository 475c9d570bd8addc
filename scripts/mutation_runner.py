"""Run the tests of a module against its mutations, each in a fork of a process that has imported almost everything."""

from __future__ import annotations

import ast
import contextlib
import ctypes
import gc
import hashlib
import importlib
import json
import os
import re
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutation_operators import Mutation

ROOT = Path(__file__).resolve().parents[1]
FURTHER_TESTS = {
    "engine": ["tests/engine/test_run_loop.py", "tests/test_api.py"],
    "runs": ["tests/engine/test_run_loop.py", "tests/test_api.py"],
    "metrics": ["tests/metrics/test_catalogue.py"],
    "tasks": ["tests/metrics/test_catalogue.py"],
    "metrics/confusion": ["tests/tasks/labels/test_metrics.py", "tests/oracle/test_label_metrics.py"],
    "text": ["tests/oracle/test_text_profiles.py"],
    "frameworks/aisbench/model_stubs": ["tests/frameworks/aisbench/test_model.py"],
    "frameworks/aisbench/inferencer_stubs": ["tests/frameworks/aisbench/test_inferencer.py"],
    "frameworks/aisbench/adapters": [
        "tests/frameworks/aisbench/test_inferencer.py",
        "tests/frameworks/aisbench/test_inferencer_stubs.py",
    ],
    "frameworks/aisbench/session": ["tests/frameworks/aisbench/test_model.py"],
}
"""Tests of a room or module that do not import it by name."""
SHELVES = ("frameworks", "studies", "tasks")
"""Folders of features."""
TESTS_FOLDER = "tests-tmp"
PLUGINS = ("_hypothesis_pytestplugin", "pytest_timeout")
TIMEOUT_FACTOR = 8
"""A test hangs if it takes `--timeout` and this many times as long as without the mutation: the machine may be busy."""
SLOW_SECONDS = 0.5
"""Tests that take longer wait for processes or clocks; they catch a mutation only if they fail twice."""
PATIENCE = 3
"""How many times longer a test may take when it is run again."""
STARTUP_SECONDS = 10.0
MAX_MEMORY = 8 * 1024**3
MAX_FILE_SIZE = 1024**3
CAUGHT, SURVIVED = "caught", "survived"
TIMED_OUT = 99
"""Exit code of a process in which a test took too long."""
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

    @property
    def tests_folder(self) -> Path:
        """The tests of its room or feature."""
        return Path("tests", *self.path.parts[: 2 if self.room in SHELVES else 1])

    def own_tests(self) -> Path:
        return Path("tests", self.path.parent, f"test_{self.path.stem}.py")

    def room_tests(self) -> list[str]:
        """List the files whose slow tests count, too: its own, and the further tests of its room."""
        names = (self.path.with_suffix("").as_posix(), self.room)
        return [str(self.own_tests()), *(path for name in names for path in FURTHER_TESTS.get(name, ()))]

    def all_tests(self, root: Path) -> list[str]:
        """List the files that test this module, its own first."""
        further = self.room_tests()
        package, _, stem = self.name.rpartition(".")
        by_name = re.compile(rf"{re.escape(self.name)}\b|from {re.escape(package)} import [^\n]*\b{stem}\b")
        for folder in (self.tests_folder, Path("tests/oracle")):
            for path in sorted((root / folder).rglob("test_*.py")):
                if by_name.search(path.read_text(encoding="utf-8")):
                    further.append(path.relative_to(root).as_posix())
        return [path for path in dict.fromkeys(further) if (root / path).exists()]


@dataclass
class Baseline:
    """What a run without mutation shows."""

    seconds: dict[str, float] = field(default_factory=dict)
    """Duration of each test that passes."""
    failed: list[str] = field(default_factory=list)
    tests_of_line: dict[int, list[str]] = field(default_factory=dict)
    independent: list[str] = field(default_factory=list)
    """Imported modules that do not import the mutated one."""
    files: list[str] = field(default_factory=list)
    """Files of the tree that were imported, relative to it."""

    def tests_covering(self, mutation: Mutation) -> set[str]:
        return {name for line in mutation.lines for name in self.tests_of_line.get(line, ())}


class TestRecorder:
    """Plugin that selects tests and records which lines of the module each one executes."""

    def __init__(
        self,
        limits: dict[str, float] | None = None,
        running: Path | None = None,
        coverage: Any = None,
        slow_files: Collection[str] = (),
    ) -> None:
        self._limits, self._running, self._coverage = limits, running, coverage
        self._slow_files = tuple(slow_files)
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self.has_timed_out = False

    def pytest_configure(self, config: Any) -> None:
        config.addinivalue_line("markers", "flaky: retried elsewhere")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        import pytest

        limits = self._limits
        if limits is None:
            items[:] = [item for item in items if not item.get_closest_marker("slow") or self._is_slow_allowed(item)]
            return
        items[:] = [item for item in items if item.nodeid in limits]
        # Fast tests first: most mutations fail in any test.
        items.sort(key=lambda item: limits[item.nodeid])
        for item in items:
            item.add_marker(pytest.mark.timeout(limits[item.nodeid]))

    def _is_slow_allowed(self, item: Any) -> bool:
        return bool(item.nodeid.startswith(self._slow_files))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self._running is not None:
            self._running.write_text(nodeid, encoding="utf-8")
        if self._coverage is not None:
            self._coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.outcome == "failed":
            self.failed.append(report.nodeid)

    def pytest_exception_interact(self, call: Any) -> None:
        self.has_timed_out |= str(call.excinfo.value).startswith("Timeout (>")


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
    options = ["-p", "no:cacheprovider", "--basetemp", f"../{TESTS_FOLDER}", "--hypothesis-seed", "0", "--tb", "no"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins were imported before the fork
    return int(pytest.main([*plugins, *options, *(["-x"] if fail_fast else []), *files], plugins=[recorder]))


def measure_baseline(module: Module, files: list[str]) -> Baseline:
    """Run all tests once, in this process, and record durations, lines and imports."""
    import coverage

    watch = ImportWatch(module.name)
    sys.meta_path.insert(0, watch)  # type: ignore[arg-type]
    source = str(Path("src/auricle", module.path).resolve())
    tracer = coverage.Coverage(data_file=None, include=[source], config_file=False, messages=False)
    recorder = TestRecorder(coverage=tracer, slow_files=module.room_tests())
    tracer.start()
    run_pytest(files, recorder, fail_fast=False)
    tracer.stop()
    failed = set(recorder.failed)
    baseline = Baseline(independent=watch.before, failed=sorted(failed))
    baseline.seconds = {name: seconds for name, seconds in recorder.seconds.items() if name not in failed}
    lines = tracer.get_data().contexts_by_lineno(source)
    # Every test depends on a line that was executed outside of any, when the module was imported.
    baseline.tests_of_line = {
        line: sorted(baseline.seconds if "" in tests else baseline.seconds.keys() & tests)
        for line, tests in lines.items()
    }
    root = Path.cwd()
    paths = {Path(getattr(loaded, "__file__", None) or "/").resolve() for loaded in [*sys.modules.values()]}
    baseline.files = sorted(path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root))
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


class ModuleCache:
    """Baseline and outcomes of one module, valid while the files that its tests import stay the same."""

    def __init__(self, folder: Path, module: Module, tree: Path, name: str = "own") -> None:
        self._tree, self._module = tree, module
        self._baseline = folder / module.path.with_suffix(f".{name}.json")
        self._outcomes = folder / module.path.with_suffix(f".{name}.jsonl")
        self._baseline.parent.mkdir(parents=True, exist_ok=True)

    def load_baseline(self) -> Baseline | None:
        """Return the stored baseline, or None if there is none or a file has changed since."""
        if not self._baseline.exists():
            return None
        stored = json.loads(self._baseline.read_text(encoding="utf-8"))
        baseline = Baseline(**stored["baseline"])
        if stored["digests"] != self._digest_files(baseline.files):
            return None
        baseline.tests_of_line = {int(line): tests for line, tests in baseline.tests_of_line.items()}
        return baseline

    def is_current(self) -> bool:
        """Whether nothing is stored that a changed file has made invalid."""
        return not self._baseline.exists() or self.load_baseline() is not None

    def store_baseline(self, baseline: Baseline) -> None:
        """Replace the stored baseline; outcomes of the previous one are removed."""
        self._outcomes.unlink(missing_ok=True)
        document = {"digests": self._digest_files(baseline.files), "baseline": vars(baseline)}
        self._baseline.write_text(json.dumps(document), encoding="utf-8")

    def load_outcomes(self) -> dict[int, str]:
        """Return the outcomes by the position of the mutation in the module."""
        lines = self._outcomes.read_text(encoding="utf-8").splitlines() if self._outcomes.exists() else ()
        return dict(map(json.loads, lines))

    def add_outcome(self, position: int, outcome: str) -> None:
        with self._outcomes.open("a", encoding="utf-8") as file:
            print(json.dumps([position, outcome]), file=file)

    def _digest_files(self, imported: Collection[str]) -> dict[str, str]:
        """Hash the imported files, the tests, the data of all tests, and this script."""
        scripts = [Path(__file__), Path(__file__).with_name("mutation_operators.py")]
        files = [self._tree / name for name in {*imported, *self._module.all_tests(self._tree)}]
        files = [path for path in files if path.is_file()]
        data = [path for folder in ("src", "tests") for path in (self._tree / folder).rglob("*") if _is_data(path)]
        named = {path.relative_to(self._tree).as_posix(): path for path in (*files, *data)}
        named |= {path.name: path for path in scripts}
        return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in sorted(named.items())}


def _is_data(path: Path) -> bool:
    return path.is_file() and path.suffix not in {".py", ".pyc"}


class MutationRunner:
    """Tests the mutations of one module in forks of this process."""

    def __init__(self, module: Module, folder: Path, timeout: float, cache: Path) -> None:
        self.module, self._folder, self._timeout = module, folder, timeout
        self._source = folder / "src" / "auricle" / module.path
        self._original = self._source.read_bytes()
        self._files = module.all_tests(folder)
        self._running = folder.parent / "running.txt"
        self._cache = ModuleCache(cache, module, folder)
        self._others_cache = ModuleCache(cache, module, folder, "others")
        self._outcomes: dict[int, str] = {}
        self._others: Baseline | None = None
        self.baseline = Baseline()
        """Of the module's own tests; the others are measured when a mutation survives these."""

    def prepare(self) -> str:
        """Measure the tests without mutation and import what they need; return what is wrong, if anything."""
        self._use_folder()
        own_files = self._files[:1]
        stored = self._cache.load_baseline()
        if stored:
            in_fork(lambda: run_pytest(own_files, TestRecorder({}), fail_fast=False), None)  # compiles the tests
        else:
            in_fork(lambda: self._cache.store_baseline(measure_baseline(self.module, own_files)), None)
        baseline = stored or self._cache.load_baseline()
        if baseline is None:
            return "its tests cannot be run"
        self.baseline = baseline
        if not baseline.seconds:
            return "no test passes"
        self._remove_bytecode()
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        for name in baseline.independent:
            if name.partition(".")[0] == "tests":
                continue
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        gc.freeze()
        if self._others_cache.is_current():
            self._outcomes = self._cache.load_outcomes()
        if not self._outcomes and self.is_caught(ast.unparse(self.module.tree), baseline.seconds):
            return "its tests fail without comments, so that nothing can be measured"
        return ""

    def test(self, mutation: Mutation) -> str:
        """Return the outcome of a mutation, from the cache if it is known."""
        position = self.module.mutations.index(mutation)
        if position not in self._outcomes:
            self._outcomes[position] = self._run_tests(mutation)
            self._cache.add_outcome(position, self._outcomes[position])
        return self._outcomes[position]

    def _run_tests(self, mutation: Mutation) -> str:
        """Run the own tests of the changed line, then all own tests, then those of other files."""
        source = mutation.source(self.module.tree)
        covering = self.baseline.tests_covering(mutation)
        for tests in (covering, self.baseline.seconds.keys() - covering):  # one may use what another one prepared
            if self.is_caught(source, tests):
                return CAUGHT
        others = self.measure_others()
        tests = others.seconds.keys() if mutation.at_import else others.tests_covering(mutation)
        return CAUGHT if self.is_caught(source, tests) else SURVIVED

    def measure_others(self) -> Baseline:
        """Measure the tests of other files without mutation, once."""
        if self._others is None:
            self.restore()
            if self._files[1:] and self._others_cache.load_baseline() is None:
                in_fork(self._store_others, None)
                self._remove_bytecode()
            self._others = self._others_cache.load_baseline() or Baseline()
        return self._others

    def _store_others(self) -> None:
        sys.dont_write_bytecode = False
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        self._others_cache.store_baseline(measure_baseline(self.module, self._files[1:]))

    def _remove_bytecode(self) -> None:
        for cached in self._source.parent.glob(f"__pycache__/{self._source.stem}.*"):
            cached.unlink()

    @property
    def failing_tests(self) -> list[str]:
        """Tests that fail without mutation; they are not used."""
        return [*self.baseline.failed, *(self._others.failed if self._others else ())]

    def _expected_seconds(self, test: str) -> float:
        others = self._others.seconds if self._others else {}
        return self.baseline.seconds.get(test, others.get(test, 0.0))

    def is_caught(self, source: str, tests: Collection[str]) -> bool:
        """Whether a test fails, or hangs even if it may take longer."""
        self._source.write_text(source, encoding="utf-8")
        remaining = {*tests}
        while remaining:
            code = self._run(remaining)
            if code == 0:
                return False
            failing = self._running.read_text(encoding="utf-8") if self._running.exists() else ""
            hangs = code in (None, TIMED_OUT)
            is_certain = not hangs and self._expected_seconds(failing) < SLOW_SECONDS
            if is_certain or self._run({failing} if failing else remaining, PATIENCE) != 0:
                return True
            remaining.discard(failing)
            if not failing:
                break
        return False

    def _run(self, tests: Collection[str], patience: int = 1) -> int | None:
        """Run tests until one fails; return the exit code of pytest, or None if the process does not end."""
        # Otherwise the first test would do this in its time.
        shutil.rmtree(self._folder.parent / TESTS_FOLDER, ignore_errors=True)
        self._running.unlink(missing_ok=True)
        files = sorted({name.partition("::")[0] for name in tests})
        seconds = {name: self._expected_seconds(name) for name in tests}
        limits = {name: patience * (self._timeout + TIMEOUT_FACTOR * seconds[name]) for name in tests}

        def work() -> int:
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_SIZE, MAX_FILE_SIZE))
            recorder = TestRecorder(limits, self._running)
            code = run_pytest(files, recorder, fail_fast=True)
            return TIMED_OUT if recorder.has_timed_out else code

        return in_fork(work, patience * (STARTUP_SECONDS + TIMEOUT_FACTOR * sum(seconds.values())))

    def restore(self) -> None:
        self._source.write_bytes(self._original)

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
