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

CORE = "core"
PARTS = ("core.model_abc", "core.model_interface")


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
    def score_batch(
        self, inputs: list[BenchmarkBatchInput], batch_size: int, max_dur: float, **kwargs: Any
    ) -> Any: ...


OFFERED = {
    "BenchmarkBatchInput": BenchmarkBatchInput,
    "BenchmarkModelABC": BenchmarkModelABC,
    "BenchmarkModelInterface": BenchmarkModelABC,
}


@contextmanager
def interface(places: Sequence[str]) -> Iterator[None]:
    """`core.model_abc` can be imported: from the user's places if they have it, else this one.

    `core` is a name that others use, too: afterwards it means what it meant before.
    """
    package = PathFinder.find_spec(CORE, list(places))
    before = _loaded()
    other = bool(before) and not _same(before.get(CORE), package)
    if other:
        _forget(before)
    stood_in = {name: _offering(name) for name in _absent(package)}
    sys.modules.update(stood_in)
    try:
        yield
    finally:
        _forget(stood_in)
        if other:
            _forget(_loaded())
            sys.modules.update(before)


def input_class() -> type[Any]:
    """The class of inputs that the models imported in this block know."""
    known = getattr(sys.modules.get(PARTS[0]), "BenchmarkBatchInput", BenchmarkBatchInput)
    assert isinstance(known, type)
    return known


def places_of(code: str, root: str | None) -> list[str]:
    """Where a user's own `core` may be: the checkout, beside the class, here, on PYTHONPATH."""
    found = [root] if root else []
    file, _, _ = code.rpartition(":")
    if file.endswith(".py"):
        folder = Path(file).resolve().parent
        found += [str(folder), *([str(folder.parent)] if folder.name == "custom_models" else [])]
    told = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [*found, str(Path.cwd()), *(each for each in told if each)]


def _loaded() -> dict[str, ModuleType]:
    held = list(sys.modules.items())
    return {name: module for name, module in held if name.partition(".")[0] == CORE}


def _forget(modules: Iterable[str]) -> None:
    for name in modules:
        sys.modules.pop(name, None)


def _same(module: ModuleType | None, package: ModuleSpec | None) -> bool:
    """Is a module that is loaded the one that would be found?"""
    inside = package and package.submodule_search_locations
    return bool(inside) and list(getattr(module, "__path__", ())) == list(inside or ())


def _absent(package: ModuleSpec | None) -> list[str]:
    """What the user's places lack of the interface; a `core` that is something else stays."""
    if package is None:
        return [CORE, *PARTS]
    inside = list(package.submodule_search_locations or ())
    return [name for name in PARTS if PathFinder.find_spec(name, inside) is None]


def _offering(name: str) -> ModuleType:
    module = ModuleType(name)
    if name == CORE:
        module.__path__ = []
    else:
        vars(module).update(OFFERED)
    return module
