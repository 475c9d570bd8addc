"""What import-linter does not see: names in strings, heavy imports, and who may touch the files of a run."""

from __future__ import annotations

import ast
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import auricle as package
from auricle.core.features import find_features

HEAVY = ["torch", "numpy", "pandas", "soundfile", "aiohttp", "pydantic", "rich", "datasets"]
SOURCE = Path(package.__file__).parent
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))


@cache
def parse(path: Path) -> list[ast.AST]:
    return [*ast.walk(ast.parse((SOURCE / path).read_text(encoding="utf-8")))]


def list_strings(path: Path) -> Iterator[str]:
    """Yield the strings of a module, its docstrings included."""
    for node in parse(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


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


def test_the_list_of_features_imports_none_of_their_modules() -> None:
    code = """
import sys
from auricle.core.features import find_features
packages = {feature.package for feature in find_features()}
print([name for name in sys.modules if name.rpartition(".")[0] in packages and name not in packages])
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


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


def test_no_string_of_the_engine_names_a_module_of_a_feature() -> None:
    """Otherwise the engine would know a feature that can be deleted; what it needs is a part that features declare."""
    folders = {feature.package.split(".")[1] for feature in find_features()}
    named = re.compile(rf"\bauricle[./]({'|'.join(sorted(folders))})[./:][\w./:]+")
    for path in MODULES:
        if path.parts[0] not in folders and path.name != "__main__.py":
            found = [match.group() for text in list_strings(path) for match in named.finditer(text)]
            assert not found, f"src/auricle/{path} names {found[0]}"


def test_no_stored_file_is_loaded_as_code_or_objects() -> None:
    """Those who can write to a folder of caches or runs must not be able to execute anything."""
    loaders = {"marshal", "pickle", "shelve", "dill", "cloudpickle"}
    for path in MODULES:
        imported = {alias.name for node in parse(path) if isinstance(node, ast.Import) for alias in node.names}
        imported |= {str(node.module) for node in parse(path) if isinstance(node, ast.ImportFrom)}
        assert not {name.partition(".")[0] for name in imported} & loaders, path


RUN_FILES = {
    *("spec.json", "progress.json", "metrics.json", "prices.json", "perf.json", "summary.json", "health.json"),
    *("labels.json", "judge_check.json"),
    *("outputs.jsonl", "verdicts.jsonl", "scores.jsonl", "requests.jsonl"),
}


def test_other_rooms_of_the_engine_leave_the_files_of_a_run_to_its_readers_and_writers() -> None:
    """These check formats and damage."""
    folders = {"runs", *(feature.package.split(".")[1] for feature in find_features())}
    for path in MODULES:
        if path.parts[0] not in folders:
            named = {*list_strings(path)} & RUN_FILES
            assert not named, f"src/auricle/{path} uses {named}: call a reader or writer of src/auricle/runs/"
