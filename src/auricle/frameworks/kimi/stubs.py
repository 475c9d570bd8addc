"""Stubs of the evalkit's package `almeval`, for when the package itself cannot be imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from auricle.core.errors import SpecError
from auricle.frameworks.isolated_modules import (
    IMPORT_LOCK,
    IsolatedModules,
    LoguruStub,
    StubModule,
    create_stub_module,
    pythonpath_folders,
    swap_modules,
)

PREFIX = "kimi"
PACKAGE = "almeval"
MODELS_PACKAGE, DATASETS_PACKAGE, UTILS_PACKAGE = "almeval.models", "almeval.datasets", "almeval.utils"
MODEL_BASE_MODULE = f"{MODELS_PACKAGE}.base"
MIN_AUDIO_SECONDS, MAX_AUDIO_SECONDS = 0.1, 60.0
"""Limits of the evalkit for audio; a model class may override the check."""
DATASET_HOOKS = ("load_data", "post_build", "build_prompt")
"""Methods that a dataset class may override."""
LOGURU = "loguru"


def inference_mode() -> Any:
    """Disable gradients within the block if torch is installed, for classes that import it in their first call, too."""
    with suppress(ImportError, OSError):
        return import_module("torch").inference_mode()
    return nullcontext()


class BaseModel:
    """Base class of models."""

    __module__ = MODEL_BASE_MODULE
    NAME: ClassVar[str | None] = None

    def generate_inner(self, msg: dict[str, Any]) -> tuple[str, str]:
        raise NotImplementedError

    @staticmethod
    def check_audio_legal(audio_path: str | list[str], max_duration: float = MAX_AUDIO_SECONDS) -> bool:
        from auricle.media import Audio

        paths = [audio_path] if isinstance(audio_path, str) else audio_path
        try:
            return all(MIN_AUDIO_SECONDS <= Audio.of(path).seconds <= max_duration for path in paths)
        except ImportError as error:  # the interpreter of another environment
            raise SpecError(
                "Reading the duration of audio needs packages that the model's environment lacks: "
                f"{sys.executable} -m pip install numpy soundfile soxr."
            ) from error

    def __call__(self, msg: dict[str, Any]) -> tuple[str, str | None]:
        if not self.check_audio_legal(msg["audio"]):
            return msg["text"], None
        with inference_mode():
            return self.generate_inner(msg)


class AudioBaseDataset:
    """Base class of datasets: attributes of the data, and how a row becomes a message."""

    ALLOWED_INTERACTIVE: ClassVar[list[str]] = ["Audio-QA", "Audio-analysis"]
    ALLOWED_TASKS: ClassVar[list[str]] = ["ASR", "Open-Ended", "MQA", "Ref-QA"]
    ALLOWED_AUDIO_TYPES: ClassVar[list[str]] = ["Speech", "Music", "AudioEvent", "Any"]
    INTERACTIVE: ClassVar[str | None] = None
    TASK: ClassVar[str | None] = None
    AUDIO_TYPE: ClassVar[str | None] = None
    DATASET_SERIES: ClassVar[str | None] = None
    DATASET_NAME: ClassVar[str | None] = None
    LANG: ClassVar[str | None] = None
    EXCLUDE: ClassVar[bool] = False

    data: list[dict[str, Any]]
    meta: dict[str, Any]

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        return self.build_prompt(idx)

    def load_data(self, dataset: str) -> list[dict[str, Any]]:
        from auricle.engine.task import jsonl

        return list(jsonl(dataset))

    def post_build(self) -> None: ...

    def build_prompt(self, idx: int) -> dict[str, Any]:
        item = self.data[int(idx)]
        audio_path = item["audio_path"]
        subset = {"subset": item["subset"]} if "subset" in item else {}
        return {
            "index": item["index"],
            "audio": list(audio_path) if isinstance(audio_path, list) else [audio_path],
            "text": item["question"],
            "meta": {**self.meta, **subset, **item.get("meta", {})},
        }

    def evaluate(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("Auricle computes the scores; use `auricle score RUN`")


class ASRDataset(AudioBaseDataset):
    INTERACTIVE, AUDIO_TYPE, TASK = "Audio-analysis", "Speech", "ASR"


class AudioMQADataset(AudioBaseDataset):
    INTERACTIVE, TASK = "Audio-analysis", "MQA"


class AudioOpenQADataset(AudioBaseDataset):
    INTERACTIVE, TASK = "Audio-QA", "Open-Ended"


class AudioRefQADataset(AudioBaseDataset):
    INTERACTIVE, TASK = "Audio-analysis", "Ref-QA"


def print_once(msg: str, printed: set[str] = set()) -> None:  # noqa: B006 - shared between calls on purpose
    if msg not in printed:
        printed.add(msg)
        LoguruStub(PACKAGE).info(msg)


DATASET_BASE_CLASSES: Mapping[str, Any] = {
    base.__name__: base
    for base in (AudioBaseDataset, ASRDataset, AudioMQADataset, AudioOpenQADataset, AudioRefQADataset)
}
UTILS_CONTENT: Mapping[str, Any] = {"print_once": print_once}
STUB_CONTENT: Mapping[str, Mapping[str, Any]] = {
    PACKAGE: {},
    MODELS_PACKAGE: {"BaseModel": BaseModel},
    MODEL_BASE_MODULE: {"BaseModel": BaseModel},
    DATASETS_PACKAGE: DATASET_BASE_CLASSES,
    **{
        f"{DATASETS_PACKAGE}.{module}": DATASET_BASE_CLASSES
        for module in ("base", "ds_asr", "ds_mqa", "ds_openqa", "ds_refqa")
    },
    UTILS_PACKAGE: UTILS_CONTENT,
    f"{UTILS_PACKAGE}.misc": UTILS_CONTENT,
}
STUB_PACKAGES = (PACKAGE, MODELS_PACKAGE, DATASETS_PACKAGE, UTILS_PACKAGE)


class EvalkitModules(IsolatedModules):
    """The evalkit's modules as one user class sees them.

    They are the real modules if these can be imported. Otherwise they are stubs whose search path includes
    a checkout of the evalkit and the folder of the class.
    """

    def __init__(self, class_path: str, package: str) -> None:
        module, _, class_name = class_path.rpartition(":")
        super().__init__(_find_file(module), package)
        self.class_path = f"{self.file}:{class_name}" if self.file else class_path
        self._uses_real_package: bool | None = None

    @contextmanager
    def activate(self) -> Iterator[None]:
        with IMPORT_LOCK:
            if self._uses_real_package is None:
                self._uses_real_package = self._can_import_package()
            with nullcontext() if self._uses_real_package else super().activate():
                yield

    def _loaded_modules(self) -> dict[str, ModuleType]:
        modules = super()._loaded_modules()
        loguru = sys.modules.get(LOGURU)
        return {**modules, LOGURU: loguru} if isinstance(loguru, StubModule) else modules

    def _create_modules(self) -> dict[str, ModuleType]:
        modules = {name: create_stub_module(name, content) for name, content in STUB_CONTENT.items()}
        for name in STUB_PACKAGES:
            modules[name].__path__ = [str(Path(folder, *name.split("."))) for folder in self._search_paths()]
        if self.file:
            modules[self.package].__path__.append(str(self.file.parent))
        if LOGURU not in sys.modules and find_spec(LOGURU) is None:
            modules[LOGURU] = create_stub_module(LOGURU, {"logger": LoguruStub(PACKAGE)})
        return modules

    def _can_import_package(self) -> bool:
        """Return whether the evalkit can be imported; without torch or librosa it cannot."""
        if PathFinder.find_spec(PACKAGE, self._search_paths()) is None:
            return False
        sys.path += [folder for folder in self._search_paths() if folder not in sys.path]
        modules_before = set(sys.modules)
        try:
            with redirect_stdout(sys.stderr):
                import_module(f"{self.package}.base")
        except (ImportError, OSError, RuntimeError, AttributeError, TypeError, ValueError):
            swap_modules([name for name in self._loaded_modules() if name not in modules_before], {})
            return False
        return True

    def _search_paths(self) -> list[str]:
        """Return where a checkout may be: around the class's file, the working directory, PYTHONPATH, `sys.path`."""
        nearby = [str(self.file.parents[2])] if self.file and len(self.file.parents) > 2 else []
        return [*nearby, str(Path.cwd()), *pythonpath_folders(), *sys.path]


def _find_file(module: str) -> Path | None:
    """Return the file of a class given by file, or by the name of a module that has a stub."""
    if module.endswith(".py"):
        return Path(module).resolve()
    relative_path = Path(*module.split(".")).with_suffix(".py")
    candidates = (Path(folder or ".").resolve() / relative_path for folder in ("", *sys.path))
    return next((path for path in candidates if path.is_file()), None) if module in STUB_CONTENT else None
