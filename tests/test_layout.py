"""The shape of the package: what is where, what imports what, and how cheaply."""

from __future__ import annotations

import ast
import pkgutil
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import auricle as package
from tests.support import paths

HEAVY = ["torch", "numpy", "pandas", "soundfile", "aiohttp", "pydantic", "rich", "datasets"]
SOURCE = Path(package.__file__).parent
MAX_ROOMS = 17
MAX_LINES = 600
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if not path.name.startswith("__"))


@dataclass(frozen=True)
class Source:
    """What the tests below look for in a module."""

    strings: frozenset[str]
    imports: frozenset[str]
    opened: frozenset[str]
    """Names of constants in paths that are opened."""


@cache
def read_source(path: Path) -> Source:
    nodes = [*ast.walk(ast.parse((SOURCE / path).read_text(encoding="utf-8")))]
    imports = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    imports += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    strings = (node.value for node in nodes if isinstance(node, ast.Constant))
    return Source(
        frozenset(value for value in strings if isinstance(value, str)),
        frozenset(imports),
        frozenset(name for node in nodes for name in _opened_constants(node)),
    )


def heavy_imports_after(code: str) -> str:
    script = f"import sys\n{code}\nprint([name for name in {HEAVY} if name in sys.modules])"
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return process.stdout.splitlines()[-1]


def test_importing_auricle_loads_nothing_heavy() -> None:
    assert heavy_imports_after("import auricle") == "[]"


def test_help_loads_nothing_heavy() -> None:
    code = "from auricle.cli import cli\ncli(['run', '--help'], standalone_mode=False)"
    assert heavy_imports_after(code) == "[]"


def test_declaring_a_metric_and_a_model_loads_nothing_heavy() -> None:
    code = "from auricle import BatchModel, metric, Generation, Audio, Sample"
    assert heavy_imports_after(code) == "[]"


@pytest.mark.slow
def test_looking_at_runs_and_names_loads_nothing_heavy(auricle: Any, manifest: Any) -> None:
    path = manifest([{"id": "1", "question": "x", "answer": "x"}])
    auricle("run", path, "--as", "qa", "-m", "echo", "-o", "run")
    run = str(path.parent / "run")
    for words in (["list", "models"], ["show", run], ["samples", run]):
        code = f"from auricle.cli import cli\ncli({words}, standalone_mode=False)"
        assert heavy_imports_after(code) == "[]"


def test_no_public_name_hides_a_module() -> None:
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


def test_every_public_name_exists_and_is_in_order() -> None:
    assert package.__all__ == sorted(package.__all__)
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert set(package.__all__) <= set(dir(package))


def test_the_top_level_has_at_most_seventeen_entries() -> None:
    rooms = [module.name for module in pkgutil.iter_modules(package.__path__) if module.name != "__main__"]
    assert len(rooms) <= MAX_ROOMS


def test_no_file_outgrows_one_subject() -> None:
    lengths = {path: (SOURCE / path).read_text(encoding="utf-8").count("\n") for path in MODULES}
    long = [f"src/auricle/{path} has {length} lines" for path, length in lengths.items() if length > MAX_LINES]
    assert not long, f"a module has at most {MAX_LINES} lines: move a subject of its own into a new module"


def test_no_module_is_called_utils() -> None:
    assert not {path.stem for path in MODULES} & {"utils", "util", "helpers", "common", "misc"}


def test_a_module_has_its_test_file() -> None:
    expected = {path: paths.ROOT / "tests" / "unit" / path.parent / f"test_{path.stem}.py" for path in MODULES}
    missing = [
        f"add {test.relative_to(paths.ROOT)} with the tests of src/auricle/{path}"
        for path, test in expected.items()
        if not test.is_file()
    ]
    assert not missing


def layer_order() -> list[str]:
    """Return the rooms from top to bottom, as import-linter has them."""
    settings = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = [name.strip().split(".")[1] for layer in layers for name in layer.split("|")]
    return list(dict.fromkeys(rooms))


def test_no_string_names_a_module_of_a_higher_room() -> None:
    order = layer_order()
    for path in MODULES:
        own = order.index(path.parts[0].removesuffix(".py"))
        for text in read_source(path).strings:
            named = re.fullmatch(r"auricle\.(\w+)[\w.]*(?::\w+)?", text)
            assert not (named and named[1] in order) or order.index(named[1]) >= own, (
                f"src/auricle/{path} names {text}, of a higher room: add an entry point to pyproject.toml, under "
                '[project.entry-points."auricle.…"]'
            )


def test_no_stored_file_is_loaded_as_code_or_objects() -> None:
    """Those who can write to a folder of caches or runs must not be able to execute anything."""
    loaders = {"marshal", "pickle", "shelve", "dill", "cloudpickle"}
    for path in MODULES:
        assert not {name.partition(".")[0] for name in read_source(path).imports} & loaders, path


def test_every_room_is_on_the_map() -> None:
    page = (paths.DOCS / "design" / "README.md").read_text(encoding="utf-8")
    rooms = {module.name for module in pkgutil.iter_modules(package.__path__)} - {"__main__"}
    missing = {name for name in rooms if f"| `{name}` | " not in page}
    assert not missing, "add a line for each to the table of rooms in docs/design/README.md"


@pytest.mark.parametrize(("page", "rows"), [("docs/design/README.md", 20), ("CONTRIBUTING.md", 15)])
def test_every_path_on_the_map_exists(page: str, rows: int) -> None:
    text = (paths.ROOT / page).read_text(encoding="utf-8")
    without_examples = re.sub(r"`[^`]*(?:a/b|a/test_b|tests/a|hesitations)[^`]*`", "", text)
    named = set(re.findall(r"(?<![\w/])(?:src|tests|docs|examples|scripts)/[\w./-]+\w/?", without_examples))
    assert len(re.findall(r"^\| .* \| .*`src/", text, re.MULTILINE)) >= rows
    gone = [name for name in sorted(named) if not (paths.ROOT / name).exists()]
    assert not gone, f"{page} names files that do not exist: write their new names there"


def test_contributors_are_shown_where_to_add_every_part() -> None:
    text = (paths.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Where do I add …")[2].partition("##")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| a")]
    parts = {cells[0].strip() for cells in rows}
    assert parts >= {
        "a metric",
        "a model family",
        "an API protocol",
        "a task kind",
        "a text profile",
        "a report section",
    }
    assert parts >= {"a CLI command", "a benchmark", "an importer or exporter", "a load pattern", "a page of the app"}
    for what, module, _, tests in rows:
        assert "tests/" in tests, what
        assert "src/auricle/" in module or what.strip() in ("an optional package", "a page of the documentation")


def test_every_make_command_of_the_guide_exists() -> None:
    text = (paths.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", (paths.ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"`make ([\w-]+)", text))
    assert named
    assert named <= targets


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs"])
def test_links_between_pages_lead_somewhere(page: str) -> None:
    root = paths.ROOT / page
    for file in root.rglob("*.md") if root.is_dir() else [root]:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", file.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (file.parent / target).exists(), f"{file.relative_to(paths.ROOT)}: {target}"


def test_tests_are_skipped_for_missing_packages_in_one_way_only() -> None:
    """`require_extra` names the extra, which `importorskip` does not; packages of `dev` are always there."""
    for path in sorted((paths.ROOT / "tests").rglob("*.py")):
        if path != Path(__file__):
            assert "importorskip" not in path.read_text(encoding="utf-8"), path.relative_to(paths.ROOT)


RUN_FILES = {
    *("spec.json", "progress.json", "metrics.json", "prices.json", "perf.json", "summary.json", "health.json"),
    *("labels.json", "judge_check.json"),
    *("outputs.jsonl", "verdicts.jsonl", "scores.jsonl", "requests.jsonl"),
}
OTHER_FILES_OF_THAT_NAME = {Path("tasks/benchmarks/cmi.py")}  # CMI-RewardBench's own metrics.json


def test_only_runs_reads_and_writes_the_files_of_a_run() -> None:
    """Other rooms go through the readers and writers of `runs`, which check formats and damage."""
    for module in MODULES:
        if module.parts[0] == "runs" or module in OTHER_FILES_OF_THAT_NAME:
            continue
        named = read_source(module).strings & RUN_FILES
        named |= {name for name in read_source(module).opened if name.endswith("_FILE")}
        assert not named, f"src/auricle/{module} uses {named}: add a reader or writer to src/auricle/runs/ and call it"


def _opened_constants(call: ast.AST) -> set[str]:
    """Return the names in the path that a call reads or writes, such as `(folder / NAME).open()`."""
    reading = {"open", "read_bytes", "read_text", "write_bytes", "write_text"}
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in reading):
        return set()
    return {name.id for name in ast.walk(call.func.value) if isinstance(name, ast.Name)}


def test_the_readme_is_in_the_order_of_a_newcomers_questions() -> None:
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        "Install",
        "Score your recordings",
        "Compare two models",
        "Find where it breaks",
        "Ask people",
        "Call a voice agent",
        "Choose a server",
        "Make a page to send",
        "Everything else",
    ]
