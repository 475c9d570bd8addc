"""Read a dataset class from its source without running it; most only set a few attributes."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from auricle.interop.kimi.stubs import DATASET_BASE_CLASSES, DATASET_HOOKS


def parse_class(file: Path, name: str) -> type[Any] | None:
    """Return a class with the constant attributes that a file assigns, or None if it overrides how data is read."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    return _parse_class(name, classes)


def _parse_class(name: str, classes: dict[str, ast.ClassDef]) -> type[Any] | None:
    """Build the class, and its base classes from the same file."""
    if name in DATASET_BASE_CLASSES:
        return DATASET_BASE_CLASSES[name]  # type: ignore[no-any-return]
    class_def = classes.get(name)
    bases = [node.id for node in class_def.bases if isinstance(node, ast.Name)] if class_def else []
    base = _parse_class(bases[0], classes) if len(bases) == 1 else None
    if class_def is None or base is None:
        return None
    if any(isinstance(node, ast.FunctionDef) and node.name in DATASET_HOOKS for node in class_def.body):
        return None
    return type(name, (base,), _constant_attributes(class_def))


def _constant_attributes(class_def: ast.ClassDef) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for statement in class_def.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            attributes |= {
                target.id: statement.value.value for target in statement.targets if isinstance(target, ast.Name)
            }
    return attributes
