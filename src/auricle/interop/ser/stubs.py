"""Stubs of the packages `models` and `datasets` that emotion suites import their base classes from.

Other libraries use these names, too (`datasets` is Hugging Face's), so they are importable only while
the suite's code runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from auricle.interop.isolated_modules import IsolatedModules, create_stub_module, pythonpath_folders

PREFIX = "ser"
MODELS_PACKAGE, DATASETS_PACKAGE = "models", "datasets"


class BaseModelWrapper(ABC):
    """Base class of models: predicts emotion labels with scores, or dimensions."""

    name: str = ""
    output_type: str = ""
    labels: list[str]

    def load(self) -> None:  # noqa: B027 - models without weights need not override it
        """Load the weights; called once."""

    @abstractmethod
    def predict(self, audio_path: str) -> dict[str, Any]: ...

    def predict_batch(self, audio_paths: list[str]) -> list[dict[str, Any]]:
        return [self.predict(path) for path in audio_paths]


class BaseDataset(ABC):
    """Base class of datasets: yields pairs of audio path and emotion."""

    name: str = ""
    emotion_labels: list[str]

    @abstractmethod
    def load(self, data_dir: str) -> None: ...

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[str, str]]: ...

    @abstractmethod
    def __len__(self) -> int: ...


STUB_BASE_CLASSES: Mapping[str, type[Any]] = {MODELS_PACKAGE: BaseModelWrapper, DATASETS_PACKAGE: BaseDataset}


class SuiteModules(IsolatedModules):
    """Package `models` or `datasets` of a suite as a user's class sees it."""

    def __init__(self, class_path: str, package: str) -> None:
        module = class_path.rpartition(":")[0]
        super().__init__(Path(module).resolve() if module.endswith(".py") else None, package)

    def _create_modules(self) -> dict[str, ModuleType]:
        """Create the package without running its `__init__`, and a stub of its `base` where it has none."""
        base_class = STUB_BASE_CLASSES[self.package]
        content = {base_class.__name__: base_class}
        folders = [folder for folder in self._search_folders() if folder.is_dir()]
        modules = {self.package: create_stub_module(self.package, content, folders)}
        if not any((folder / "base.py").is_file() for folder in folders):
            base_name = f"{self.package}.base"
            modules[base_name] = create_stub_module(base_name, content)
        return modules

    def _search_folders(self) -> list[Path]:
        """Return where the suite's package may be: next to the file, in the working directory, or on PYTHONPATH."""
        nearby = [self.file.parent, self.file.parent / self.package] if self.file else []
        return [*nearby, *(Path(folder).resolve() / self.package for folder in (".", *pythonpath_folders()))]
