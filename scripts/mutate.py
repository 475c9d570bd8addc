"""Measure how many small faults the tests notice: change the code, run its tests, count what fails.

    python scripts/mutate.py --modules engine statistics --count 100    a seeded sample of each
    python scripts/mutate.py --modules engine/retry --count 0           every mutation of a module
    python scripts/mutate.py --modules engine/retry --list              print mutations without running tests
    python scripts/mutate.py --cache FOLDER                             continue where the same command stopped

A mutation is one change of `src/auricle/a/b.py` (see `mutation_operators.py`). It is run against
`tests/a/test_b.py`, if there is one, other tests of the room or feature that import the module and are not slow, and
FURTHER_TESTS; it is caught if a test fails or hangs. Prints the rate of each module and group, and every survivor with
its place and change. Works on a temporary copy of the tree, on one core.

Mutations that cannot change behaviour are listed, with the reason, in `equivalent_mutations.yaml`; they do not count.

Tests start in milliseconds: each mutation is tested in a fork of a process that has imported everything the
module does not depend on, and runs first only the tests that execute the changed line. A slow test that fails, and
every test that hangs, is run again, three times as patiently: a busy machine catches no mutation.

With `--cache`, outcomes are kept while the module and all files of the tree that its tests import stay the same.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from mutation_operators import Mutation, list_mutations
from mutation_runner import CAUGHT, SURVIVED, Module, MutationRunner, adopt_orphans

ROOT = Path(__file__).resolve().parents[1]
GROUPS = {
    "metrics": ["metrics", "tasks"],
    "statistics": [
        "metrics/intervals",
        "metrics/unpaired",
        "metrics/correlation",
        "metrics/matrix_difference",
        "perf/percentiles",
        "scoring/compare/metric_rows",
    ],
}
"""Modules with one subject in several rooms; the names can be used in `--modules`."""
EQUIVALENT = "scripts/equivalent_mutations.yaml"
NOT_COPIED = (".git", ".venv", ".mutants", ".*_cache", "__pycache__", ".hypothesis", "node_modules")
EQUIVALENT_OUTCOME = "equivalent"


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
    patterns = [path for pattern in patterns for path in GROUPS.get(pattern, [pattern])]
    prefixes = [pattern.removeprefix("src/auricle/").removesuffix(".py").strip("/") for pattern in patterns]
    modules = []
    for path in sorted(source.rglob("*.py")):
        relative = path.relative_to(source)
        stem = relative.with_suffix("").as_posix()
        if prefixes and not any(stem == prefix or stem.startswith(f"{prefix}/") for prefix in prefixes):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = Module(relative, tree, list_mutations(tree))
        if module.mutations and module.all_tests(root):
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


def copy_tree(root: Path, folder: Path) -> Path:
    copy = folder / "tree"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
    if (root.parent / "shared").is_dir():
        (folder / "shared").symlink_to(root.parent / "shared")
    return copy


# --- reporting -------------------------------------------------------------------------------


@dataclass
class Report:
    """Counts and survivors of all groups so far."""

    groups: dict[str, Tally] = field(default_factory=dict)
    survivors: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add_module(self, group: str, module: Module, outcomes: Iterable[tuple[Mutation, str]]) -> None:
        started, tally = time.monotonic(), Tally()
        for mutation, outcome in outcomes:
            for counter in (tally, self.groups.setdefault(group, Tally())):
                counter.add(outcome)
            if outcome == SURVIVED:
                self.survivors.append(describe(module, mutation))
                print(f"  survived: {self.survivors[-1]}", flush=True)
        print(f"{module.path.as_posix():44s} {tally} {time.monotonic() - started:6.0f} s", flush=True)

    def print(self) -> None:
        print()
        for group, tally in self.groups.items():
            print(f"{group:44s} {tally}")
        for title, lines in (("Survivors", self.survivors), ("Problems", self.problems)):
            if lines:
                print(f"\n{title}:", *dict.fromkeys(lines), sep="\n  ")

    @property
    def lowest_rate(self) -> float:
        return min((tally.rate for tally in self.groups.values()), default=0.0)


def describe(module: Module, mutation: Mutation) -> str:
    place = f"src/auricle/{module.path.as_posix()}:{mutation.line}"
    return f"{place} ({mutation.scope or 'module'}): {mutation.change}"


def test_module(
    runner: MutationRunner, mutations: list[Mutation], equivalent: Collection[Any], report: Report, group: str
) -> None:
    """Test one module in a fork, because what it imports must not be there for the next one."""
    module = runner.module
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            _test_module_here(runner, mutations, equivalent, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        problems = json.loads(pipe.readline() or '["it ended unexpectedly"]')
        report.problems += [f"{module.path}: {problem}" for problem in problems]
        report.add_module(group, module, zip(mutations, map(json.loads, pipe), strict=False))
        failing = json.loads(pipe.readline() or "[]")
        report.problems += [f"{module.path}: {name} fails without mutation" for name in failing]
    os.waitpid(child, 0)


def _test_module_here(
    runner: MutationRunner, mutations: list[Mutation], equivalent: Collection[Any], pipe: Any
) -> None:
    adopt_orphans()
    problem = runner.prepare()
    print(json.dumps([problem, *runner.failing_tests] if problem else []), file=pipe, flush=True)
    if problem:
        return
    for mutation in mutations:
        is_equivalent = not keys_of(runner.module, mutation).isdisjoint(equivalent)
        outcome = EQUIVALENT_OUTCOME if is_equivalent else runner.test(mutation)
        print(json.dumps(outcome), file=pipe, flush=True)
    print(json.dumps(runner.failing_tests), file=pipe, flush=True)
    runner.restore()


def unused_entries(modules: list[Module], equivalent: Collection[tuple[str, str, str]]) -> Iterator[str]:
    """Yield listed equivalents that match no mutation of the chosen modules."""
    paths = {module.path.as_posix() for module in modules}
    keys = {key for module in modules for mutation in module.mutations for key in keys_of(module, mutation)}
    for key in equivalent:
        if key[0] in paths and key not in keys:
            yield f"{EQUIVALENT}: no such mutation: {' | '.join(key)}"


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--modules", nargs="*", default=[], metavar="NAME", help="rooms, modules or 'statistics' [default: all]"
    )
    parser.add_argument("--count", type=int, default=150, help="mutations to draw of each; 0 takes all [default: 150]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw [default: 0]")
    parser.add_argument("--list", action="store_true", help="print the mutations without running tests")
    parser.add_argument("--min-rate", type=float, default=0.0, metavar="PERCENT", help="exit with 1 below this rate")
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds before a test hangs [default: 2]")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where outcomes are kept for the next call")
    parser.add_argument("--root", type=Path, default=ROOT, help="tree to test [default: this one]")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    groups = {name: load_modules(options.root, [name]) for name in options.modules}
    groups = groups or {"all": load_modules(options.root, [])}
    chosen = {name: choose(modules, options.count, options.seed) for name, modules in groups.items()}
    if options.list:
        for module, mutations in (pair for pairs in chosen.values() for pair in pairs):
            print(*(describe(module, mutation) for mutation in mutations), sep="\n")
        return 0
    equivalent = load_equivalent(options.root)
    report = Report(problems=[line for modules in groups.values() for line in unused_entries(modules, equivalent)])
    with tempfile.TemporaryDirectory(prefix="mutate-") as name:
        copy, cache = copy_tree(options.root.resolve(), Path(name)), options.cache or Path(name, "cache")
        for group, pairs in chosen.items():
            for position, (module, mutations) in enumerate(pairs, 1):
                print(f"{group}, module {position} of {len(pairs)}: {len(mutations)} mutations", flush=True)
                runner = MutationRunner(module, copy, options.timeout, cache.resolve())
                test_module(runner, mutations, equivalent, report, group)
    report.print()
    return int(report.lowest_rate * 100 < options.min_rate or not report.groups)


if __name__ == "__main__":
    sys.exit(main())
