"""What the evalkit's package `almeval` offers to a class, where it cannot be imported itself."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, ClassVar

from auricle.core.errors import SpecError

PACKAGE = "almeval"
MODELS_PACKAGE, DATASETS_PACKAGE, UTILS_PACKAGE = ("almeval.models", "almeval.datasets", "almeval.utils")
MODEL_BASE_MODULE = f"{MODELS_PACKAGE}.base"
MIN_AUDIO_SECONDS, MAX_AUDIO_SECONDS = 0.1, 60.0
"""Seconds of a sound that the evalkit asks a model about, unless its class says otherwise."""
DATASET_HOOKS = ("load_data", "post_build", "build_prompt")
"""What a dataset's class may do its own way."""
IMPORT_LOCK = RLock()
LOGURU = "loguru"


def inference_mode() -> Any:
    """No gradients within, where there is a torch that could make some."""
    torch = sys.modules.get("torch")  # a model that computes with it has imported it
    return torch.inference_mode() if torch else nullcontext()


class BaseModel:
    """Base of every model."""

    __module__ = MODEL_BASE_MODULE
    NAME: ClassVar[str | None] = None

    def generate_inner(self, msg: dict[str, Any]) -> tuple[str, str]:
        raise NotImplementedError

    @staticmethod
    def check_audio_legal(audio_path: str | list[str], max_duration: float = MAX_AUDIO_SECONDS) -> bool:
        from auricle.audio import Audio

        paths = [audio_path] if isinstance(audio_path, str) else audio_path
        try:
            return all(MIN_AUDIO_SECONDS <= Audio.of(path).seconds <= max_duration for path in paths)
        except ImportError as error:  # another Python than Auricle's own
            raise SpecError(
                "How long a sound is tells soundfile, which is missing where the model runs: "
                f"{sys.executable} -m pip install numpy soundfile soxr."
            ) from error

    def __call__(self, msg: dict[str, Any]) -> tuple[str, str | None]:
        if not self.check_audio_legal(msg["audio"]):
            return msg["text"], None
        with inference_mode():
            return self.generate_inner(msg)


class AudioBaseDataset:
    """Base of every dataset: what its class says of it, and how a row becomes a message."""

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
        from auricle.tasks.base import jsonl

        return list(jsonl(dataset))

    def post_build(self) -> None: ...

    def build_prompt(self, idx: int) -> dict[str, Any]:
        item = self.data[int(idx)]
        given = item["audio_path"]
        own = {"subset": item["subset"]} if "subset" in item else {}
        return {
            "index": item["index"],
            "audio": list(given) if isinstance(given, list) else [given],
            "text": item["question"],
            "meta": {**self.meta, **own, **item.get("meta", {})},
        }

    def evaluate(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("Auricle scores; `auricle score RUN` does so again")


class ASRDataset(AudioBaseDataset):
    INTERACTIVE, AUDIO_TYPE, TASK = "Audio-analysis", "Speech", "ASR"


class AudioMQADataset(AudioBaseDataset):
    INTERACTIVE, TASK = "Audio-analysis", "MQA"


class AudioOpenQADataset(AudioBaseDataset):
    INTERACTIVE, TASK = "Audio-QA", "Open-Ended"


class AudioRefQADataset(AudioBaseDataset):
    INTERACTIVE, TASK = "Audio-analysis", "Ref-QA"


class Logger:
    """`loguru.logger`, for classes that say something now and then."""

    def __getattr__(self, level: str) -> Callable[..., None]:
        if level.startswith("_"):
            raise AttributeError(level)
        number = getattr(logging, level.upper(), logging.INFO)

        def say(message: object, *given: Any, **named: Any) -> None:
            text = str(message)
            logging.getLogger(PACKAGE).log(number, "%s", text.format(*given, **named) if given or named else text)

        return say


def print_once(msg: str, printed: set[str] = set()) -> None:  # noqa: B006 - remembered on purpose
    if msg not in printed:
        printed.add(msg)
        Logger().info(msg)


DATASET_BASE_CLASSES: Mapping[str, Any] = {
    each.__name__: each
    for each in (*(AudioBaseDataset, ASRDataset, AudioMQADataset), *(AudioOpenQADataset, AudioRefQADataset))
}
UTILS_CONTENT: Mapping[str, Any] = {"print_once": print_once}
STUB_CONTENT: Mapping[str, Mapping[str, Any]] = {
    PACKAGE: {},
    MODELS_PACKAGE: {"BaseModel": BaseModel},
    MODEL_BASE_MODULE: {"BaseModel": BaseModel},
    DATASETS_PACKAGE: DATASET_BASE_CLASSES,
    **{f"{DATASETS_PACKAGE}.{each}": DATASET_BASE_CLASSES for each in ("base", "ds_asr", "ds_mqa")},
    **{f"{DATASETS_PACKAGE}.{each}": DATASET_BASE_CLASSES for each in ("ds_openqa", "ds_refqa")},
    UTILS_PACKAGE: UTILS_CONTENT,
    f"{UTILS_PACKAGE}.misc": UTILS_CONTENT,
}
STUB_PACKAGES = (PACKAGE, MODELS_PACKAGE, DATASETS_PACKAGE, UTILS_PACKAGE)


class IsolatedModules:
    """The evalkit's modules as one class sees them: there while its code runs, and only then.

    They are the real ones if these can be imported, and else stand-ins, beside which the other
    files of a checkout, and those beside the class, are found.
    """

    def __init__(self, class_path: str, package: str) -> None:
        where, _, name = class_path.rpartition(":")
        self.file = _find_file(where)
        self.class_path = f"{self.file}:{name}" if self.file else class_path
        self._package = package
        self._saved_modules: dict[str, ModuleType] = {}
        self._uses_real_package: bool | None = None

    @property
    def parent_package(self) -> str:
        """The package that the class's file is read as a part of, as its relative imports want."""
        return self._package if self.file and self.file.stem != "base" else ""

    @contextmanager
    def activate(self) -> Iterator[None]:
        """What is imported within sees the evalkit; what it imports of it stays here."""
        with IMPORT_LOCK:
            if self._uses_real_package is None:
                self._uses_real_package = self._can_import_package()
            if self._uses_real_package:
                yield
                return
            before = _loaded_modules()
            _unload_modules(before)
            sys.modules.update(self._saved_modules or self._create_stub_modules())
            try:
                yield
            finally:
                self._saved_modules = _loaded_modules()
                _unload_modules(self._saved_modules)
                sys.modules.update(before)

    def _create_stub_modules(self) -> dict[str, ModuleType]:
        found = {name: _create_stub_module(name, content) for name, content in STUB_CONTENT.items()}
        for name in STUB_PACKAGES:
            inside = Path(*name.split("."))
            found[name].__path__ = [str(Path(each) / inside) for each in self._search_paths()]
        if self.file:
            found[self._package].__path__.append(str(self.file.parent))
        if LOGURU not in sys.modules and find_spec(LOGURU) is None:
            found[LOGURU] = _create_stub_module(LOGURU, {"logger": Logger()})
        return found

    def _can_import_package(self) -> bool:
        """Can the evalkit itself be imported? One that lacks torch or librosa cannot."""
        if PathFinder.find_spec(PACKAGE, self._search_paths()) is None:
            return False
        sys.path += [each for each in self._search_paths() if each not in sys.path]
        before = set(sys.modules)
        try:
            with redirect_stdout(sys.stderr):
                import_module(f"{self._package}.base")
        except (ImportError, OSError, RuntimeError, AttributeError, TypeError, ValueError):
            _unload_modules(each for each in _loaded_modules() if each not in before)
            return False
        return True

    def _search_paths(self) -> list[str]:
        """Where a checkout may be: around the class's file, here, or where Python looks."""
        around = [str(self.file.parents[2])] if self.file and len(self.file.parents) > 2 else []
        told = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return [*around, str(Path.cwd()), *(each for each in told if each), *sys.path]


def _find_file(module: str) -> Path | None:
    """The file that a class is in, if one is named; also behind the name of a stand-in."""
    if module.endswith(".py"):
        return Path(module).resolve()
    inside = Path(*module.split(".")).with_suffix(".py")
    places = (Path(each or ".").resolve() / inside for each in ("", *sys.path))
    return next((each for each in places if each.is_file()), None) if module in STUB_CONTENT else None


class StubModule(ModuleType):
    """A module of ours under the name of one that is not there."""


def _create_stub_module(name: str, content: Mapping[str, Any]) -> ModuleType:
    made = StubModule(name)
    vars(made).update(content)
    return made


def _loaded_modules() -> dict[str, ModuleType]:
    """What of the evalkit is loaded, and what stands in for others."""
    held = {name: each for name, each in sys.modules.items() if name.partition(".")[0] == PACKAGE}
    other = sys.modules.get(LOGURU)
    return {**held, LOGURU: other} if type(other) is StubModule else held


def _unload_modules(modules: Iterable[str]) -> None:
    for name in list(modules):
        sys.modules.pop(name, None)
