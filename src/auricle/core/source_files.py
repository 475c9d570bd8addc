"""List the classes and functions of a Python file, and describe their arguments, without executing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from auricle.core.arguments import Argument, ArgumentKind, read_args_section
from auricle.core.errors import SpecError

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
KINDS_BY_TYPE: dict[str, ArgumentKind] = {"bool": "switch", "int": "integer", "float": "number", "dict": "json"}
MAX_SOURCE_BYTES = 2_000_000


def list_definitions(path: Path) -> list[str]:
    """List the public classes, functions and objects that a file defines, in its order.

    Raises:
        SpecError: If the file cannot be read or is not valid Python.
    """
    names = filter(None, map(_defined_name, _parse(path).body))
    return [name for name in names if not name.startswith("_")]


def _defined_name(node: ast.stmt) -> str:
    if isinstance(node, (ast.ClassDef, FunctionNode)):
        return node.name
    is_object = isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
    target = node.targets[0] if is_object and isinstance(node, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def describe_definition(path: Path, name: str) -> list[Argument]:
    """Describe the arguments of a class or function, as far as its own source shows them.

    Raises:
        SpecError: If the file cannot be read or is not valid Python.
    """
    for node in _parse(path).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            functions = (item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__")
            constructor = next(functions, None)
            return _describe(constructor, ast.get_docstring(node)) if constructor else []
        if isinstance(node, FunctionNode) and node.name == name:
            return _describe(node, None)
    return []


def describe_class_path(class_path: str) -> list[Argument]:
    """Describe the arguments of `file.py:Class`; those of `module:Class` are unknown without importing it."""
    file, _, name = class_path.rpartition(":")
    return describe_definition(Path(file), name) if file.endswith(".py") else []


def _parse(path: Path) -> ast.Module:
    try:
        if path.stat().st_size > MAX_SOURCE_BYTES:
            raise SpecError(f"{path} is larger than {MAX_SOURCE_BYTES // 1_000_000} MB.")
        return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        raise SpecError(f"{path} cannot be read as Python: {error}.") from error


def _describe(function: FunctionNode, class_text: str | None) -> list[Argument]:
    texts = read_args_section(class_text) | read_args_section(ast.get_docstring(function))
    return [
        Argument(
            parameter.arg,
            *_classify(parameter.annotation, default),
            help=texts.get(parameter.arg, ""),
            is_required=not has_default,
        )
        for parameter, has_default, default in _list_parameters(function)
        if parameter.arg != "self"
    ]


def _list_parameters(function: FunctionNode) -> Iterator[tuple[ast.arg, bool, Any]]:
    """Yield parameters, whether they have a default, and the default if it is a literal."""
    positional = [*function.args.posonlyargs, *function.args.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(function.args.defaults))
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    for parameter, default in [*zip(positional, [*missing, *function.args.defaults], strict=True), *named]:
        yield parameter, default is not None, default.value if isinstance(default, ast.Constant) else None


def _classify(annotation: ast.expr | None, default: Any) -> tuple[ArgumentKind, Any, tuple[str, ...]]:
    """Return the kind, the default and the choices of a parameter."""
    if annotation is None and default is None:
        return "json", default, ()
    text = ast.unparse(annotation) if annotation else type(default).__name__
    text = text.strip("'\"").removeprefix("Optional[").partition(" | ")[0].rstrip("]")
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value).endswith("Literal"):
        items = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        return "choice", default, tuple(str(item.value) for item in items if isinstance(item, ast.Constant))
    return KINDS_BY_TYPE.get(text.partition("[")[0], "text"), default, ()
