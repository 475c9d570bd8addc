"""Find model and dataset classes by name in a checkout of the evalkit, without running its code."""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auricle.core.errors import UnknownName
from auricle.frameworks.isolated_modules import pythonpath_folders
from auricle.frameworks.kimi.stubs import DATASETS_PACKAGE, MODELS_PACKAGE

NAME_ATTRIBUTES = {MODELS_PACKAGE: "NAME", DATASETS_PACKAGE: "DATASET_NAME"}
"""The attribute that names a class, by package."""


@dataclass(frozen=True, slots=True)
class SourceClass:
    """A class as its source defines it."""

    file: Path
    name: str
    """The class's own name for users, such as `Kimi-Audio`."""
    node: ast.ClassDef

    @property
    def class_path(self) -> str:
        return f"{self.file}:{self.node.name}"


def find_class(package: str, name: str) -> SourceClass | None:
    """Return the class of a checkout with this name, or whose class has this name; case is ignored."""
    classes = list(list_classes(package))
    by_name = {source.node.name.casefold(): source for source in reversed(classes)}
    by_name |= {source.name.casefold(): source for source in reversed(classes)}
    return by_name.get(name.casefold())


def find_model_path(name: str) -> str:
    """Return the class path of a model that a checkout names, as in `run_audio.sh --model Kimi-Audio`."""
    if source := find_class(MODELS_PACKAGE, name):
        return source.class_path
    names = [source.name for source in list_classes(MODELS_PACKAGE)]
    if not names:
        raise UnknownName(
            f"'kimi:{name}' is the name of a model in a checkout of the evalkit, but there is no folder almeval/models "
            "here or in PYTHONPATH. Run the command in a checkout, or pass kimi:file.py:Class."
        )
    close = difflib.get_close_matches(name, names, n=3) or names
    raise UnknownName(f"The checkout has no model {name!r}. Did you mean {', '.join(close)}?")


def list_classes(package: str) -> Iterator[SourceClass]:
    """Yield the classes that have a name, in the first checkout on the search path."""
    here = Path.cwd()
    folders = [here, *here.parents, *map(Path, pythonpath_folders()), *map(Path, sys.path)]
    packages = (folder.joinpath(*package.split(".")) for folder in folders)
    folder = next((folder.resolve() for folder in packages if folder.is_dir()), None)
    for file in sorted(folder.glob("*.py")) if folder else ():
        for node in parse_classes(file).values():
            if name := read_attributes(node).get(NAME_ATTRIBUTES[package]):
                yield SourceClass(file, str(name), node)


def read_name(class_path: str, package: str) -> str:
    """Return the name that a class in a file gives itself or inherits within the file, or an empty string."""
    file, _, class_name = class_path.rpartition(":")
    classes = parse_classes(Path(file)) if file.endswith(".py") else {}
    node = classes.pop(class_name, None)
    while node:
        if name := read_attributes(node).get(NAME_ATTRIBUTES[package]):
            return str(name)
        bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
        node = classes.pop(bases[0], None) if bases else None
    return ""


def parse_classes(file: Path) -> dict[str, ast.ClassDef]:
    """Return the classes that a file defines, by name; none if it cannot be parsed."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return {}
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def read_attributes(node: ast.ClassDef) -> Mapping[str, Any]:
    """Return the attributes of a class that are constants."""
    return {
        target.id: statement.value.value
        for statement in node.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
