"""`scripts/mutate.py` on a small tree: which mutations it makes, and which ones count as caught."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import paths

pytestmark = pytest.mark.slow

SOURCE = '''
"""A module."""

from dataclasses import dataclass

LIMIT = 3


@dataclass(frozen=True)
class Counter:
    count: int = 0


def is_small(number: int | None, limit: int = LIMIT) -> bool:
    """Whether a number is small."""
    if number is None:
        raise ValueError(f"missing: {1 + 1}")
    return number < limit


def wait(number: int) -> int:
    while number > 0:
        number -= 1
    return number


def double(number: int) -> int:
    return number + number if number else 0
'''

TESTS = """
import pytest

from auricle.room.calc import double, is_small, wait


def test_small_numbers_are_small():
    assert is_small(2)
    assert not is_small(3)


def test_a_missing_number_is_refused():
    with pytest.raises(ValueError):
        is_small(None)


def test_waiting_ends():
    wait(2)


def test_zero_stays_zero():
    assert double(0) == 0
"""


SOMETIMES_SLOW = """
import time
from pathlib import Path

from auricle.room.calc import double


def test_a_call_returns_in_time_every_other_time():
    marker = Path(__file__).with_name("marker.txt")
    is_slow = marker.exists()
    marker.unlink() if is_slow else marker.touch()
    double(3)
    if is_slow:
        time.sleep(60)
"""


DOUBLE = """
def double(number: int) -> int:
    return number + number
"""
"""Two mutations: `DOUBLE_TESTS` catch a missing return value and miss `SURVIVOR`."""

SURVIVOR = "number + number -> number - number"

DOUBLE_TESTS = """
from auricle.room.calc import double


def test_zero_stays_zero():
    assert double(0) == 0
"""


def write_tree(folder: Path, source: str = SOURCE, tests: str = TESTS) -> Path:
    """Write a package with one module and its tests."""
    files = {
        "src/auricle/__init__.py": "",
        "src/auricle/room/__init__.py": "",
        "src/auricle/room/calc.py": source,
        "tests/__init__.py": "",
        "tests/room/__init__.py": "",
        "tests/room/test_calc.py": tests,
        "pyproject.toml": "[tool.pytest.ini_options]\nfilterwarnings = ['error']\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree")


@pytest.fixture
def small_tree(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", DOUBLE, DOUBLE_TESTS)


def survivors_in(output: str) -> set[tuple[str, str]]:
    return set(re.findall(r"survived: src/auricle/room/calc\.py:\d+ \((\w+)\): (.+)", output))


def mutate(tree: Path, *words: Any) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        paths.ROOT / "scripts" / "mutate.py",
        "--root",
        tree,
        "--count",
        0,
        "--timeout",
        0.2,
        *words,
    ]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)


def listed(tree: Path, *words: Any) -> list[str]:
    return mutate(tree, "--list", *words).stdout.splitlines()


def test_mutations_change_code_but_no_annotation_text_or_dataclass_option(tree: Path) -> None:
    changes = {line.partition("): ")[2] for line in listed(tree)}
    assert {
        "LIMIT = 3 -> LIMIT = 4",
        "number < limit -> number <= limit",
        "number < limit -> number >= limit",
        "number is None -> number is not None",
        "raise ValueError(f'missing: {1 + 1}') -> pass",
        "return number < limit -> return None",
        "number -= 1 -> number += 1",
        "number -= 1 -> pass",
        "number + number -> number - number",
        "number -> not number",
    } <= changes
    assert not [change for change in changes if "1 + 2" in change or "frozen" in change or "int & None" in change]


def test_a_sample_depends_only_on_the_seed(tree: Path) -> None:
    samples = [listed(tree, "--count", 5, "--seed", seed) for seed in (1, 1, 2)]
    assert [len(sample) for sample in samples] == [5, 5, 5]
    assert samples[0] == samples[1] != samples[2]


def test_modules_are_chosen_by_room_or_path(tree: Path) -> None:
    every = listed(tree)
    for pattern in ("room", "room/calc", "src/auricle/room/calc.py"):
        assert listed(tree, "--modules", pattern) == every
    assert listed(tree, "--modules", "roo") == []


def test_survivors_are_named_and_hanging_mutations_are_caught(tree: Path) -> None:
    output = mutate(tree).stdout
    survivors = survivors_in(output)
    assert ("wait", "return number -> return None") in survivors
    assert ("double", "number + number -> number - number") in survivors
    assert "is_small" not in {scope for scope, _ in survivors}
    assert ("wait", "number -= 1 -> pass") not in survivors
    assert re.search(r"^room/calc\.py +\d+ caught +\d+ survived", output, re.MULTILINE)
    assert (tree / "src/auricle/room/calc.py").read_text(encoding="utf-8") == SOURCE
    assert not [*tree.rglob("__pycache__")]


def test_a_test_that_is_slow_only_once_catches_nothing(tmp_path: Path) -> None:
    output = mutate(write_tree(tmp_path / "tree", DOUBLE, SOMETIMES_SLOW)).stdout
    assert {change for _, change in survivors_in(output)} == {
        "number + number -> number - number",
        "return number + number -> return None",
    }


def test_a_sample_is_drawn_from_every_name_and_each_must_reach_the_rate(small_tree: Path) -> None:
    untested, tests = small_tree / "src/auricle/room/untested.py", small_tree / "tests/room/test_untested.py"
    untested.write_text("def one() -> int:\n    return 1\n", encoding="utf-8")
    tests.write_text("def test_nothing():\n    pass\n", encoding="utf-8")
    names = ("--modules", "room/calc", "room/untested", "--count", 2)
    assert [line.partition(":")[0] for line in listed(small_tree, *names)] == [
        *["src/auricle/room/calc.py"] * 2,
        *["src/auricle/room/untested.py"] * 2,
    ]
    process = mutate(small_tree, *names, "--min-rate", 30)
    assert re.search(r"^room/untested +0 caught +2 survived", process.stdout, re.MULTILINE)
    assert re.search(r"^room/calc +1 caught +1 survived", process.stdout, re.MULTILINE)
    assert process.returncode == 1


def test_outcomes_are_kept_until_a_file_changes(small_tree: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = mutate(small_tree, "--cache", cache).stdout
    stored = cache / "room" / "calc.own.jsonl"
    outcomes = stored.read_text(encoding="utf-8")
    stored.write_text(outcomes.replace("caught", "survived"), encoding="utf-8")
    assert "2 survived" in mutate(small_tree, "--cache", cache).stdout
    tests = small_tree / "tests/room/test_calc.py"
    tests.write_text(f"{DOUBLE_TESTS}\n# changed\n", encoding="utf-8")
    assert survivors_in(mutate(small_tree, "--cache", cache).stdout) == survivors_in(first)
    assert stored.read_text(encoding="utf-8") == outcomes


def test_equivalent_mutations_do_not_count_and_unused_entries_are_reported(small_tree: Path) -> None:
    (small_tree / "scripts").mkdir()
    entries = [
        f"- {{module: room/calc.py, scope: {scope}, change: {change!r}, reason: checked elsewhere}}\n"
        for scope, change in [("double", SURVIVOR), ("gone", "a -> b")]
    ]
    (small_tree / "scripts" / "equivalent_mutations.yaml").write_text("".join(entries), encoding="utf-8")
    process = mutate(small_tree, "--min-rate", 100)
    assert process.returncode == 0
    assert "1 caught" in process.stdout
    assert "1 equivalent" in process.stdout
    assert "no such mutation: room/calc.py | gone | a -> b" in process.stdout


def test_a_low_rate_fails_and_a_test_that_fails_anyway_is_reported_and_not_used(small_tree: Path) -> None:
    path = small_tree / "tests/room/test_calc.py"
    path.write_text(f"{DOUBLE_TESTS}\n\ndef test_broken():\n    assert False\n", encoding="utf-8")
    process = mutate(small_tree, "--min-rate", 100)
    assert "test_broken fails without mutation" in process.stdout
    assert survivors_in(process.stdout) == {("double", SURVIVOR)}
    assert process.returncode == 1


def test_modules_of_an_unfinished_package_are_not_imported_before_the_mutation(tmp_path: Path) -> None:
    package = tmp_path / "unfinished"
    package.mkdir()
    (package / "__init__.py").write_text("from unfinished import first\nfrom unfinished import second\n")
    (package / "first.py").write_text("")
    (package / "second.py").write_text("")
    code = (
        "import sys, mutation_runner\n"
        "watch = mutation_runner.ImportWatch('unfinished.second')\n"
        "sys.meta_path.insert(0, watch)\n"
        "import unfinished\n"
        "print('json' in watch.before, [name for name in watch.before if name.startswith('unfinished')])\n"
    )
    folders = f"{paths.ROOT / 'scripts'}:{tmp_path}"
    process = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": folders}, capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "True []"
