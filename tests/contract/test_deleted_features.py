"""A feature is deleted by deleting its folder: the engine and all features that do not import it still work."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import auricle
from auricle.core.features import find_features
from tests.support import paths

pytestmark = pytest.mark.thorough
SOURCE = Path(auricle.__file__).parent
USE_WHAT_IS_LEFT = """
from dataclasses import fields
from importlib import import_module
from pathlib import Path

from click import Context
from click.testing import CliRunner

from auricle.cli import cli
from auricle.cli.list_ import REGISTRIES
from auricle.core.features import find_features
from auricle.engine.catalogue import TASK_KINDS

def run(*words):
    result = CliRunner().invoke(cli, words, standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output

other_fields = {"package", "summary", "headlines", "more"}
for feature in find_features():
    for group in {field.name for field in fields(feature)} - other_fields | {*feature.more}:
        for _, part in feature.parts(group):
            try:
                import_module(part.path.partition(":")[0])
            except ModuleNotFoundError as error:
                if error.name.startswith("auricle"):  # others are in extras
                    raise

for name in cli.list_commands(Context(cli)):
    cli.get_command(Context(cli), name)
for kind in REGISTRIES:
    run("list", kind)

Path("model.py").write_text('''
from auricle import BatchModel, Generation

class Repeat(BatchModel):
    def generate(self, batch):
        return [Generation(text="yes") for request in batch]
''')
Path("rows.jsonl").write_text('{"question": "Yes?", "answer": "yes", "id": "1", "text": "yes"}')
name = next((name for name in ("classify", "qa") if name in TASK_KINDS), "")
run("run", "rows.jsonl", "--as", name, "-m", "model.py:Repeat", "-o", "run")
assert "<h2>Metrics</h2>" in Path("run/report.html").read_text()
run("show", "run")
run("compare", "run", "run")
"""


@cache
def list_edges() -> list[tuple[str, str]]:
    """Return the imports among features that the contract of import-linter allows."""
    settings = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (each for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "independence")
    edges = [edge.partition(" -> ") for edge in contract["ignore_imports"]]
    return [(importer.removesuffix(".**"), imported.removesuffix(".**")) for importer, _, imported in edges]


def list_dependents(feature: str) -> set[str]:
    """Return a feature with those that the contract allows to import it, directly or not."""
    found, left = {feature}, [feature]
    while left:
        name = left.pop()
        new = {importer for importer, imported in list_edges() if imported == name} - found
        found |= new
        left += new
    return found


@pytest.mark.parametrize("feature", [feature.package for feature in find_features()])
def test_without_a_feature_the_others_work(feature: str, tmp_path: Path) -> None:
    copy = tmp_path / "src" / "auricle"
    shutil.copytree(SOURCE, copy, copy_function=os.symlink)  # with its bytecode, so that nothing is compiled
    for name in list_dependents(feature):
        shutil.rmtree(copy.joinpath(*name.split(".")[1:]))
    environment = {**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", USE_WHAT_IS_LEFT]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
