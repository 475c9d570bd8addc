"""Find the file of a class that a config of AISBench imports."""

from __future__ import annotations

import re
from pathlib import Path


def find_class_file(config: Path, module: str, class_name: str) -> Path | None:
    """Return the file that defines a class: in the checkout that contains the config, or beside the config.

    Args:
        config: The config that imports the class.
        module: Module that the class is imported from.
        class_name: Name of the class.
    """
    module_path = Path(*module.lstrip(".").split("."))
    parents = config.resolve().parents
    modules = [file for folder in parents if (file := (folder / module_path).with_suffix(".py")).is_file()]
    packages = [folder / module_path for folder in parents if (folder / module_path / "__init__.py").is_file()]
    candidates = [*modules, *(file for package in packages for file in sorted(package.rglob("*.py")))]
    return next((file for file in (*candidates, *sorted(parents[0].glob("*.py"))) if _defines(file, class_name)), None)


def _defines(file: Path, class_name: str) -> bool:
    pattern = re.compile(rf"^class {re.escape(class_name)}\b", re.M)
    return pattern.search(file.read_text(encoding="utf-8", errors="replace")) is not None
