"""What CMI-RewardBench's `core` package offers to a model's class, without the checkout."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

CORE_PACKAGE = "core"
INTERFACE_MODULES = ("core.model_abc", "core.model_interface")


@dataclass
class BenchmarkBatchInput:
    """One candidate: paths of sounds, texts that are empty where there are none."""

    audio: Any
    text: str = ""
    lyrics: str = ""
    ref_audio: Any = None

    def to_dict(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


class BenchmarkModelABC(ABC):
    """What a class may inherit, so that Python tells what it lacks."""

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


@contextmanager
def stub_core_package(search_paths: Sequence[str]) -> Iterator[None]:
    """`core.model_abc` can be imported: from the user's places if they have it, else this one.

    `core` is a name that others use, too: afterwards it means what it meant before.
    """
    package = PathFinder.find_spec(CORE_PACKAGE, list(search_paths))
    before = _loaded_core_modules()
    other = bool(before) and not _is_same_package(before.get(CORE_PACKAGE), package)
    if other:
        _unload_modules(before)
    stood_in = {name: _create_stub_module(name) for name in _missing_modules(package)}
    sys.modules.update(stood_in)
    try:
        yield
    finally:
        _unload_modules(stood_in)
        if other:
            _unload_modules(_loaded_core_modules())
            sys.modules.update(before)


def input_class() -> type[Any]:
    """The class of inputs that the models imported in this block know."""
    known = getattr(sys.modules.get(INTERFACE_MODULES[0]), "BenchmarkBatchInput", BenchmarkBatchInput)
    assert isinstance(known, type)
    return known


def get_search_paths(class_path: str, checkout: str | None) -> list[str]:
    """Where a user's own `core` may be: the checkout, beside the class, here, on PYTHONPATH."""
    found = [checkout] if checkout else []
    file, _, _ = class_path.rpartition(":")
    if file.endswith(".py"):
        folder = Path(file).resolve().parent
        found += [str(folder), *([str(folder.parent)] if folder.name == "custom_models" else [])]
    told = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [*found, str(Path.cwd()), *(each for each in told if each)]


def _loaded_core_modules() -> dict[str, ModuleType]:
    held = list(sys.modules.items())
    return {name: module for name, module in held if name.partition(".")[0] == CORE_PACKAGE}


def _unload_modules(modules: Iterable[str]) -> None:
    for name in modules:
        sys.modules.pop(name, None)


def _is_same_package(module: ModuleType | None, package: ModuleSpec | None) -> bool:
    """Is a module that is loaded the one that would be found?"""
    inside = package and package.submodule_search_locations
    return bool(inside) and list(getattr(module, "__path__", ())) == list(inside or ())


def _missing_modules(package: ModuleSpec | None) -> list[str]:
    """What the user's places lack of the interface; a `core` that is something else stays."""
    if package is None:
        return [CORE_PACKAGE, *INTERFACE_MODULES]
    inside = list(package.submodule_search_locations or ())
    return [name for name in INTERFACE_MODULES if PathFinder.find_spec(name, inside) is None]


def _create_stub_module(name: str) -> ModuleType:
    module = ModuleType(name)
    if name == CORE_PACKAGE:
        module.__path__ = []
    else:
        vars(module).update(STUB_CLASSES)
    return module
