"""What `docs/api.md` promises: every name exists and is documented; `test_code_blocks.py` runs its examples."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import paths
from tests.support.public_names import PUBLIC_NAMES

PAGE = (paths.DOCS / "api.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("module", "name"), PUBLIC_NAMES)
def test_a_public_name_is_on_the_page_and_documented(module: str, name: str) -> None:
    value = getattr(importlib.import_module(module), name)
    assert f"`{name}`" in PAGE
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)


@pytest.mark.parametrize(("module", "name"), PUBLIC_NAMES)
def test_every_parameter_of_a_public_name_is_documented(module: str, name: str) -> None:
    value = getattr(importlib.import_module(module), name)
    documented = "\n".join([read_documentation(module, name), *list_documented_fields(value)])
    missing = [
        parameter
        for parameter in list_parameters(value)
        if not parameter.startswith("_") and not re.search(rf"\b{parameter}: ", documented)
    ]
    assert not missing


@pytest.mark.parametrize(("module", "name"), PUBLIC_NAMES)
def test_a_public_name_that_takes_arguments_has_an_example(module: str, name: str) -> None:
    value = getattr(importlib.import_module(module), name)
    documentation = read_documentation(module, name)
    if list_parameters(value):
        assert ">>> " in documentation
    if ">>> " in documentation:  # an example outside of its section is not shown as code
        assert documentation.index("Examples:") < documentation.index(">>> ")


@pytest.mark.parametrize(("module", "name"), PUBLIC_NAMES)
def test_examples_in_docstrings_run(module: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    value = getattr(importlib.import_module(module), name)
    scope = dict(vars(sys.modules[value.__module__ if is_documented_itself(value) else find_definition(module, name)]))
    example = doctest.DocTestParser().get_doctest(read_documentation(module, name), scope, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example).failed == 0


def is_documented_itself(value: Any) -> bool:
    """Return whether a value has a docstring of its own; objects have one after their definition."""
    return inspect.isclass(value) or inspect.isfunction(value)


def list_parameters(value: Any) -> list[str]:
    """Return the names of the arguments of a function or a class; none of an object or a type alias."""
    if not is_documented_itself(value) or getattr(value, "__init__", None) in (object.__init__, Exception.__init__):
        return []
    variadic = inspect.Parameter.VAR_KEYWORD
    parameters = inspect.signature(value).parameters.items()
    return [name for name, parameter in parameters if parameter.kind is not variadic or inspect.isfunction(value)]


def list_documented_fields(value: Any) -> Iterator[str]:
    """Yield `name: ` for each field of a class, and of its bases, that a string follows."""
    for cls in getattr(value, "__mro__", ()):
        if cls.__module__.startswith("auricle"):
            (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
            assert isinstance(node, ast.ClassDef)
            for field, following in itertools.pairwise(node.body):
                if isinstance(field, ast.AnnAssign) and isinstance(following, ast.Expr):
                    yield f"{ast.unparse(field.target)}: "


def read_documentation(module: str, name: str) -> str:
    """Return the docstring of a public name: of an object, the string after its definition."""
    value = getattr(importlib.import_module(module), name)
    if is_documented_itself(value):
        return inspect.getdoc(value) or ""
    tree = ast.parse(inspect.getsource(sys.modules[find_definition(module, name)]))
    for node, following in itertools.pairwise(tree.body):
        defined = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in defined):
            assert isinstance(following, ast.Expr)
            return str(ast.literal_eval(following.value))
    raise AssertionError(f"{name} has no docstring")


def find_definition(module: str, name: str) -> str:
    """Return the module that defines an object, which other modules import."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and name in [alias.name for alias in node.names]:
            return find_definition(str(node.module), name)
    return module
