"""What a suite's packages `models` and `datasets` offer to a class, without their `__init__`.

Others use these names, too (`datasets` is Hugging Face's): they mean the suite's only while its
code runs.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

from auricle.core.errors import UnknownName

MODELS_PACKAGE, DATASETS_PACKAGE = "models", "datasets"
IMPORT_LOCK = RLock()


class BaseModelWrapper(ABC):
    """Base of every model: what it tells, and of which emotions or dimensions."""

    name: str = ""
    output_type: str = ""
    labels: list[str]

    def load(self) -> None:  # noqa: B027 - what has no weights need not load any
        """Load the weights; called once."""

    @abstractmethod
    def predict(self, audio_path: str) -> dict[str, Any]: ...

    def predict_batch(self, audio_paths: list[str]) -> list[dict[str, Any]]:
        return [self.predict(each) for each in audio_paths]


class BaseDataset(ABC):
    """Base of every dataset: paths, each with its emotion."""

    name: str = ""
    emotion_labels: list[str]

    @abstractmethod
    def load(self, data_dir: str) -> None: ...

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[str, str]]: ...

    @abstractmethod
    def __len__(self) -> int: ...


STUB_BASE_CLASSES: Mapping[str, type[Any]] = {MODELS_PACKAGE: BaseModelWrapper, DATASETS_PACKAGE: BaseDataset}


class IsolatedModules:
    """One of the two packages as a class sees it: there while its code runs, and only then."""

    def __init__(self, class_path: str, package: str) -> None:
        where = class_path.rpartition(":")[0]
        self.file = Path(where).resolve() if where.endswith(".py") else None
        self.package = package
        self._saved_modules: dict[str, ModuleType] = {}

    @property
    def parent_package(self) -> str:
        """The package that the class's file is a part of, as its relative imports want."""
        return self.package if self.file and self.file.stem != "base" else ""

    @contextmanager
    def activate(self) -> Iterator[None]:
        """What is imported within is kept here; afterwards the names mean what they meant."""
        with IMPORT_LOCK:
            before = self._loaded_modules()
            self._swap_modules(before, self._saved_modules or self._create_stub_modules())
            try:
                yield
            finally:
                self._saved_modules = self._loaded_modules()
                self._swap_modules(self._saved_modules, before)

    def _swap_modules(self, removed: Mapping[str, ModuleType], added: Mapping[str, ModuleType]) -> None:
        for name in removed:
            sys.modules.pop(name, None)
        sys.modules.update(added)

    def _loaded_modules(self) -> dict[str, ModuleType]:
        held = list(sys.modules.items())
        return {name: each for name, each in held if name.partition(".")[0] == self.package}

    def _create_stub_modules(self) -> dict[str, ModuleType]:
        """The package without its `__init__`, and its own `base` or a stand-in for that."""
        base = STUB_BASE_CLASSES[self.package]
        folders = [each for each in self._search_folders() if each.is_dir()]
        found = ModuleType(self.package)
        found.__path__ = [str(each) for each in folders]
        vars(found)[base.__name__] = base
        modules = {self.package: found}
        if not any((each / "base.py").is_file() for each in folders):
            modules[f"{self.package}.base"] = ModuleType(f"{self.package}.base")
            vars(modules[f"{self.package}.base"])[base.__name__] = base
        return modules

    def _search_folders(self) -> list[Path]:
        """Where the suite's package may be: around the file, here, or on PYTHONPATH."""
        around = [self.file.parent, self.file.parent / self.package] if self.file else []
        told = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
        return [*around, *(Path(each).resolve() / self.package for each in (".", *told))]


def split_class_path(class_path: str) -> tuple[str, str]:
    """Where a class is and what it is called, or how that should be said."""
    where, _, name = class_path.rpartition(":")
    if not where or not name:
        raise UnknownName(f"'ser:{class_path}' should be ser:package.module:Class or ser:file.py:Class.")
    return where, name


def display_name(class_path: str) -> str:
    """A class's name as it is told, without the folders of its file."""
    return f"ser:{Path(class_path).name if '.py:' in class_path else class_path}"
