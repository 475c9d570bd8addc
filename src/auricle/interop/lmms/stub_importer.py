"""Make lmms-eval's modules importable where the package is not installed.

A stub is used only if Python finds no real module, and only within a block.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from auricle.interop.isolated_modules import LoguruStub

PACKAGE = "lmms_eval"


def _protocol_names() -> dict[str, Any]:
    from auricle.interop.lmms import chat_stubs

    return {name: value for name, value in vars(chat_stubs).items() if name.startswith("Chat")}


def _stub_names(*names: str) -> Callable[[], dict[str, Any]]:
    def provide_names() -> dict[str, Any]:
        from auricle.interop.lmms import stubs

        return {name: getattr(stubs, name) for name in names}

    return provide_names


class ProgressBar:
    """Stub of `tqdm.tqdm` without output; the run has its own progress bar."""

    def __init__(self, iterable: Any = (), *_: Any, **__: Any) -> None:
        self._iterable = iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterable)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None: ...

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


def _torch_names() -> dict[str, Any]:
    return {
        "no_grad": nullcontext,
        "inference_mode": nullcontext,
        "device": str,
        "Tensor": type("Tensor", (), {}),
        "cuda": SimpleNamespace(is_available=lambda: False, device_count=lambda: 0, empty_cache=lambda: None),
        "__getattr__": _missing_torch_name,
    }


def _missing_torch_name(name: str) -> Any:
    raise AttributeError(f"torch.{name} is not available: torch is not installed")


def _edit_distance(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Return the Levenshtein distance of two sequences."""
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(first, second))


class Unavailable:
    """A class of lmms-eval without a stub: it can be imported and instantiated, but not used."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError(
            f"{type(self).__name__} has no stub: install lmms_eval, or score with Auricle's metrics"
        )


def _unavailable_names(module: str) -> Callable[[], dict[str, Any]]:
    """Provide a module in which every name is an `Unavailable` class."""

    def create_class(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Unavailable,), {"__module__": module})

    return lambda: {"__getattr__": create_class}


NameProvider = Callable[[], dict[str, Any]]
MODEL_UTILS = f"{PACKAGE}.models.model_utils"
LMMS_STUBS: Mapping[str, NameProvider] = {
    PACKAGE: dict,
    f"{PACKAGE}.api": dict,
    f"{PACKAGE}.api.model": _stub_names("lmms", "CacheHook"),
    f"{PACKAGE}.api.instance": _stub_names("Instance", "GenerationResult", "TokenCounts"),
    f"{PACKAGE}.api.registry": _stub_names("register_model"),
    f"{PACKAGE}.imports": _stub_names("optional_import"),
    f"{PACKAGE}.llm_judge": _unavailable_names(f"{PACKAGE}.llm_judge"),
    f"{PACKAGE}.models": dict,
    MODEL_UTILS: dict,
    f"{MODEL_UTILS}.audio_processing": _stub_names("downsample_audio", "split_audio"),
    f"{MODEL_UTILS}.gen_metrics": lambda: {"log_metrics": lambda *_, **__: None},
    f"{PACKAGE}.protocol": _protocol_names,
    f"{PACKAGE}.tasks": dict,
    f"{PACKAGE}.tasks._task_utils": dict,
    f"{PACKAGE}.tasks._task_utils.file_utils": _unavailable_names(f"{PACKAGE}.tasks._task_utils.file_utils"),
    f"{PACKAGE}.verifiers": _unavailable_names(f"{PACKAGE}.verifiers"),
    f"{PACKAGE}.verifiers.openai": _unavailable_names(f"{PACKAGE}.verifiers"),
    f"{PACKAGE}.utils": _stub_names("Collator", "chunks", "simple_parse_args_string"),
}
THIRD_PARTY_STUBS: Mapping[str, NameProvider] = {
    "editdistance": lambda: {"eval": _edit_distance, "distance": _edit_distance},
    "loguru": lambda: {"logger": LoguruStub(PACKAGE, logging.WARNING)},
    "tqdm": lambda: {"tqdm": ProgressBar},
    "tqdm.auto": lambda: {"tqdm": ProgressBar},
    "torch": _torch_names,
    "torch.nn": lambda: {"Module": type("Module", (), {})},
}
"""Other packages that such code imports; used only where lmms-eval is missing, too."""


class StubFinder(MetaPathFinder, Loader):
    """Import hook that is appended to `sys.meta_path`, so that real modules take precedence."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {}
        self._populated: set[str] = set()
        self._active_stubs: set[str] = set()
        self._lock, self._users = threading.Lock(), 0
        self._checkout = ""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in LMMS_STUBS or (fullname in THIRD_PARTY_STUBS and not _is_installed()):
            return ModuleSpec(fullname, self, is_package=True)
        if self._checkout and fullname.startswith(f"{PACKAGE}."):
            return self._find_in_checkout(fullname)
        return None

    def _find_in_checkout(self, name: str) -> ModuleSpec | None:
        """Find a module without a stub in the checkout that the user's file belongs to."""
        location = Path(self._checkout).joinpath(*name.split(".")[1:])
        for file, package_folder in ((location.with_suffix(".py"), None), (location / "__init__.py", location)):
            if file.is_file():
                search_locations = [str(package_folder)] if package_folder else None
                return spec_from_file_location(name, file, submodule_search_locations=search_locations)
        return ModuleSpec(name, self, is_package=True) if location.is_dir() else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        self._active_stubs.add(spec.name)
        return self._modules.setdefault(spec.name, ModuleType(spec.name, "Stub provided by Auricle."))

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        if name not in self._populated:  # names that a class has imported keep their identity
            vars(module).update((LMMS_STUBS.get(name) or THIRD_PARTY_STUBS.get(name) or dict)())
            self._populated.add(name)

    @contextmanager
    def activate(self, checkout: str = "") -> Iterator[None]:
        """Make stubs, and modules of a checkout, importable within the block."""
        with self._lock:
            self._users += 1
            self._checkout = checkout or self._checkout
            if self._users == 1:
                sys.meta_path.append(self)
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._deactivate()

    def _deactivate(self) -> None:
        """Remove the stubs from `sys.modules`."""
        sys.meta_path.remove(self)
        self._checkout = ""
        if not self._active_stubs:
            return
        for name in self._active_stubs:
            sys.modules.pop(name, None)
        if PACKAGE in self._active_stubs:  # modules of a checkout depend on the stub package
            for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
                del sys.modules[name]
        self._active_stubs.clear()


def _is_installed() -> bool:
    spec = PathFinder.find_spec(PACKAGE)
    return spec is not None and spec.origin is not None  # a folder without __init__.py has no origin


FINDER = StubFinder()


def stubs_importable(checkout: str = "") -> AbstractContextManager[None]:
    """Make lmms-eval's modules, real or stubs, importable within the block."""
    return FINDER.activate(checkout)


def find_checkout(file: Path) -> str:
    """Return the folder `lmms_eval` of the checkout that contains a file, or ""."""
    folders = (folder for folder in file.resolve().parents if folder.name == PACKAGE)
    return next((str(folder) for folder in folders if (folder / "tasks").is_dir()), "")
