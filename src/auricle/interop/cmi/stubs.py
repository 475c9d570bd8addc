"""Stubs of CMI-RewardBench's package `core`, for model classes used without a checkout."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from auricle.interop.isolated_modules import create_stub_module, loaded_modules, pythonpath_folders, swap_modules

CORE_PACKAGE = "core"
INTERFACE_MODULES = ("core.model_abc", "core.model_interface")


@dataclass
class BenchmarkBatchInput:
    """One candidate: audio paths, and texts that are empty where the data has none."""

    audio: Any
    text: str = ""
    lyrics: str = ""
    ref_audio: Any = None

    def to_dict(self) -> dict[str, Any]:
        return {column.name: getattr(self, column.name) for column in fields(self)}


class BenchmarkModelABC(ABC):
    """Base class that models may inherit from."""

    @property
    @abstractmethod
    def sr(self) -> int: ...

    @abstractmethod
    def score_batch(self, inputs: list[BenchmarkBatchInput], batch_size: int, max_dur: float, **kwargs: Any) -> Any: ...


STUB_CLASSES = {
    "BenchmarkBatchInput": BenchmarkBatchInput,
    "BenchmarkModelABC": BenchmarkModelABC,
    "BenchmarkModelInterface": BenchmarkModelABC,
}


STUB_CONTENT: Mapping[str, tuple[Mapping[str, Any], Sequence[str] | None]] = {
    CORE_PACKAGE: ({}, ()),
    **dict.fromkeys(INTERFACE_MODULES, (STUB_CLASSES, None)),
}
"""Names in each stub, and the search path of the package."""


@contextmanager
def stub_core_package(search_paths: Sequence[str]) -> Iterator[None]:
    """Make `core.model_abc` importable within the block: the user's module if there is one, else a stub.

    Other programs use the name `core`, too, so the modules loaded before are restored afterwards.
    """
    package = PathFinder.find_spec(CORE_PACKAGE, list(search_paths))
    modules_before = loaded_modules(CORE_PACKAGE)
    is_other_package = bool(modules_before) and not _is_same_package(modules_before.get(CORE_PACKAGE), package)
    stub_modules = {name: create_stub_module(name, *STUB_CONTENT[name]) for name in _missing_modules(package)}
    swap_modules(modules_before if is_other_package else (), stub_modules)
    try:
        yield
    finally:
        swap_modules(stub_modules, {})
        if is_other_package:
            swap_modules(loaded_modules(CORE_PACKAGE), modules_before)


def input_class() -> type[Any]:
    """Return the input class that models imported in this block use."""
    benchmark_class = getattr(sys.modules.get(INTERFACE_MODULES[0]), "BenchmarkBatchInput", BenchmarkBatchInput)
    assert isinstance(benchmark_class, type)
    return benchmark_class


def get_search_paths(class_path: str, checkout: str | None) -> list[str]:
    """Return where a user's `core` may be: checkout, folder of the class, working directory, PYTHONPATH."""
    folders = [checkout] if checkout else []
    file, _, _ = class_path.rpartition(":")
    if file.endswith(".py"):
        folder = Path(file).resolve().parent
        folders += [str(folder), *([str(folder.parent)] if folder.name == "custom_models" else [])]
    return [*folders, str(Path.cwd()), *pythonpath_folders()]


def _is_same_package(module: ModuleType | None, package: ModuleSpec | None) -> bool:
    """Return whether a loaded module is the package that an import would load."""
    locations = package and package.submodule_search_locations
    return bool(locations) and list(getattr(module, "__path__", ())) == list(locations or ())


def _missing_modules(package: ModuleSpec | None) -> list[str]:
    """Return the interface modules that the user's package lacks; other parts of it are left alone."""
    if package is None:
        return [CORE_PACKAGE, *INTERFACE_MODULES]
    locations = list(package.submodule_search_locations or ())
    return [name for name in INTERFACE_MODULES if PathFinder.find_spec(name, locations) is None]
