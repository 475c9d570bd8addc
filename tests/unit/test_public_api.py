"""What `docs/api.md` promises: every name exists and is documented, and every example runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

from tests.support import paths

PAGE = (paths.DOCS / "api.md").read_text(encoding="utf-8")
PUBLIC = ("auricle", "auricle.metrics", "auricle.models", "auricle.tasks", "auricle.testing")
NAMES = [(module, name) for module in PUBLIC for name in importlib.import_module(module).__all__]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_public_name_is_on_the_page_and_documented(module: str, name: str) -> None:
    value = getattr(importlib.import_module(module), name)
    assert f"`{name}`" in PAGE
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_the_parameters_of_a_public_function_are_documented(module: str, name: str) -> None:
    value = getattr(importlib.import_module(module), name)
    if not inspect.isfunction(value):
        return
    documentation = inspect.getdoc(value) or ""
    missing = [each for each in inspect.signature(value).parameters if not re.search(rf"\b{each}:", documentation)]
    assert not missing


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_examples_in_docstrings_run(module: str, name: str) -> None:
    value = getattr(importlib.import_module(module), name)
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for example in finder.find(value, name, globs=dict(vars(sys.modules[value.__module__]))):
        assert runner.run(example).failed == 0


@pytest.mark.parametrize("page", ["api.md", "configs.md", "plan.md", "publish-a-package.md", "requests.md"])
def test_examples_on_the_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (paths.DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, page, "exec"), scope)
