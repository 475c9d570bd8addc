"""A dataset class read and not run: most only say in what their data differs from others."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from auricle.interop.kimi.stubs import DATASET_BASE_CLASSES, DATASET_HOOKS


def parse_class(file: Path, name: str) -> type[Any] | None:
    """What a file says of a class in plain values; None if it does more, or less."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
    classes = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
    return _parse_class(name, classes)


def _parse_class(name: str, classes: dict[str, ast.ClassDef]) -> type[Any] | None:
    """A class of the same name, with a base that is known or is read the same way."""
    if name in DATASET_BASE_CLASSES:
        return DATASET_BASE_CLASSES[name]  # type: ignore[no-any-return]
    found = classes.get(name)
    bases = [each.id for each in found.bases if isinstance(each, ast.Name)] if found else []
    base = _parse_class(bases[0], classes) if len(bases) == 1 else None
    if found is None or base is None:
        return None
    if any(isinstance(each, ast.FunctionDef) and each.name in DATASET_HOOKS for each in found.body):
        return None
    return type(name, (base,), _constant_attributes(found))


def _constant_attributes(class_def: ast.ClassDef) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for each in class_def.body:
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant):
            said |= {at.id: each.value.value for at in each.targets if isinstance(at, ast.Name)}
    return said
