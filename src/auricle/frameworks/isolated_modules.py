"""Make a framework's modules importable while a user's class runs, and remove them afterwards."""

from __future__ import annotations

import logging
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

IMPORT_LOCK = RLock()
"""Protects `sys.modules` while it contains a framework's modules."""


class StubModule(ModuleType):
    """A module that Auricle provides under another package's name."""


def create_stub_module(
    name: str, content: Mapping[str, Any], search_path: Iterable[str | Path] | None = None
) -> ModuleType:
    """Return a module with these names in it; with a search path it is a package."""
    module = StubModule(name, "Stub provided by Auricle.")
    vars(module).update(content)
    if search_path is not None:
        module.__path__ = [str(folder) for folder in search_path]
    return module


class LoguruStub:
    """Stub of `loguru.logger` that logs to the logger of a package."""

    def __init__(self, package: str) -> None:
        self._package = package

    def __getattr__(self, name: str) -> Callable[..., LoguruStub]:
        if name.startswith("_"):
            raise AttributeError(name)
        level = logging.getLevelNamesMapping().get({"exception": "ERROR"}.get(name, name.upper()), logging.INFO)

        def log(message: object = "", *args: Any, **kwargs: Any) -> LoguruStub:
            text = str(message).format(*args, **kwargs) if args or kwargs else str(message)
            logging.getLogger(self._package).log(level, "%s", text)
            return self

        return log


def loaded_modules(package: str) -> dict[str, ModuleType]:
    """Return the modules of a top-level package that are loaded, by name."""
    return {name: module for name, module in list(sys.modules.items()) if name.partition(".")[0] == package}


def swap_modules(removed: Iterable[str], added: Mapping[str, ModuleType]) -> None:
    """Remove modules from `sys.modules` and add others."""
    for name in list(removed):
        sys.modules.pop(name, None)
    sys.modules.update(added)


@contextmanager
def modules_added(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """Make modules importable within the block."""
    with IMPORT_LOCK:
        sys.modules.update(modules)
        try:
            yield
        finally:
            swap_modules(modules, {})


def pythonpath_folders() -> list[str]:
    """Return the folders listed in the environment variable PYTHONPATH."""
    return [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]


class IsolatedModules(ABC):
    """A framework's modules as one user class sees them.

    Modules imported while `activate` is in effect are stored here and removed from `sys.modules` on exit,
    so that names such as `models` or `datasets` mean to the rest of the program what they meant before.
    """

    def __init__(self, file: Path | None, package: str) -> None:
        self.file, self.package = file, package  # the user's file, if there is one, and the package it belongs to
        self._saved_modules: dict[str, ModuleType] = {}

    @property
    def parent_package(self) -> str:
        """Package that the user's file is imported into, so that its relative imports work."""
        return self.package if self.file and self.file.stem != "base" else ""

    @contextmanager
    def activate(self) -> Iterator[None]:
        """Make the modules importable within the block."""
        with IMPORT_LOCK:
            modules_before = self._loaded_modules()
            swap_modules(modules_before, {})
            sys.modules.update(self._saved_modules or self._create_modules())
            try:
                yield
            finally:
                self._saved_modules = self._loaded_modules()
                swap_modules(self._saved_modules, modules_before)

    def _loaded_modules(self) -> dict[str, ModuleType]:
        return loaded_modules(self.package.partition(".")[0])

    @abstractmethod
    def _create_modules(self) -> dict[str, ModuleType]:
        """Create the modules for the first activation."""
