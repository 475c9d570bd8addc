"""Stubs of lmms-eval's modules, importable where the package is not installed.

A stub is used only if Python finds no real module, and only within a block.
"""

from __future__ import annotations

import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.metadata import distributions
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

from auricle.frameworks.isolated_modules import LoguruStub, loaded_modules, pythonpath_folders, swap_modules

PACKAGE = "lmms_eval"
NameProvider = Callable[[], dict[str, Any]]


class CacheHook:
    """Stub that discards answers; the run stores them."""

    def __init__(self, cachinglm: Any = None) -> None: ...

    def add_partial(self, attr: str, req: Any, res: Any) -> None: ...


class lmms(ABC):  # noqa: N801 - lmms-eval's name
    """Base class of models."""

    is_simple: bool = True

    def __init__(self) -> None:
        self._rank, self._world_size = 0, 1
        self.cache_hook: Any = CacheHook()
        self.task_dict: dict[str, Any] = {}

    @abstractmethod
    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]: ...

    @abstractmethod
    def generate_until(self, requests: list[Instance]) -> list[Any]: ...

    @abstractmethod
    def generate_until_multi_round(self, requests: list[Instance]) -> list[Any]: ...

    @classmethod
    def create_from_arg_string(cls, arg_string: str, additional_config: Mapping[str, Any] | None = None) -> Self:
        """Create the model from `name=value,name=value` and further arguments, without those that are None."""
        extra_arguments = {k: v for k, v in (additional_config or {}).items() if v is not None}
        return cls(**simple_parse_args_string(arg_string), **extra_arguments)

    rank = property(lambda self: self._rank)
    world_size = property(lambda self: self._world_size)

    def set_cache_hook(self, cache_hook: Any) -> None:
        self.cache_hook = cache_hook

    def clean(self) -> None:  # noqa: B027 - memory is freed when the model is closed
        """Free memory for a local judge."""

    @staticmethod
    def _resolve_system_prompt(value: str) -> str:
        """Return the prompt, or the content of the file that it names."""
        if value and Path(value).is_file():
            return Path(value).read_text(encoding="utf-8").strip()
        return value

    def _apply_system_prompt(self, messages: list[Any], system_prompt: str) -> list[Any]:
        """Insert or replace the system message, in the form of the other messages."""
        if not system_prompt:
            return messages
        uses_plain_text = any(isinstance(message.get("content"), str) for message in messages)
        content = system_prompt if uses_plain_text else [{"type": "text", "text": system_prompt}]
        if not messages or messages[0].get("role") != "system":
            messages.insert(0, {"role": "system"})
        messages[0]["content"] = content
        return messages


@dataclass
class TokenCounts:
    """Token counts of an answer; None where unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None

    def to_dict(self) -> dict[str, int]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass
class GenerationResult:
    """An answer with its token counts."""

    text: str
    token_counts: TokenCounts | None = None


@dataclass
class Instance:
    """One request."""

    request_type: str
    arguments: Any
    idx: int
    metadata: dict[str, Any] = field(default_factory=dict)
    resps: list[Any] = field(default_factory=list)
    filtered_resps: dict[str, Any] = field(default_factory=dict)
    raw_filtered_resps: dict[str, Any] = field(default_factory=dict)
    token_counts: list[TokenCounts | None] = field(default_factory=list)
    task_name: Any = None
    doc_id: Any = None
    repeats: Any = None
    doc: Any = None

    def __post_init__(self) -> None:
        metadata = self.metadata
        self.task_name, self.doc_id, self.repeats = metadata["task"], metadata["doc_id"], metadata["repeats"]

    @property
    def args(self) -> tuple[Any, ...]:
        return self.arguments if isinstance(self.arguments, tuple) else (self.arguments,)


def register_model(*names: str) -> Callable[[type[Any]], type[Any]]:
    """Return the class unchanged; Auricle reads the names from the source."""
    return lambda cls: cls


@dataclass(frozen=True)
class ModelManifest:
    """The classes that a package registers under a name."""

    model_id: str
    simple_class_path: str | None = None
    chat_class_path: str | None = None
    aliases: tuple[str, ...] = ()


def simple_parse_args_string(arg_string: str) -> dict[str, Any]:
    """Parse `name=value,name=value`; commas within quotes or brackets do not separate."""
    items = [item.strip() for item in _split_arguments(arg_string)]
    pairs = [item.split("=", 1) for item in items if item]
    return {name: _parse_value(value) for name, value in pairs}


def _split_arguments(text: str) -> list[str]:
    pieces, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "," and not depth:
            pieces.append("")
            continue
        pieces[-1] += character
    return pieces


def _parse_value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class Collator:
    """Sorts requests, cuts them into batches and restores the original order of the answers."""

    def __init__(
        self,
        arr: Sequence[Any],
        sort_fn: Callable[[Any], Any],
        group_fn: Callable[[Any], Any] = lambda item: item[1],
        grouping: bool = False,
    ) -> None:
        self.size = len(arr)
        self._sort = sort_fn
        self._groups: dict[Any, list[tuple[int, Any]]] = {}
        self._order: list[int] = []
        for index, item in enumerate(arr):
            key = _hashable(group_fn(item)) if grouping else None
            self._groups.setdefault(key, []).append((index, item))

    def __len__(self) -> int:
        return self.size

    def get_batched(self, n: int = 1, batch_fn: Callable[..., int] | None = None) -> Iterator[list[Any]]:
        for group in self._groups.values():
            ordered = sorted(group, key=lambda indexed: self._sort(indexed[1]))
            self._order += [index for index, _ in ordered]
            yield from chunks([item for _, item in ordered], n, batch_fn)

    def get_original(self, newarr: Iterable[Any]) -> list[Any]:
        answers = dict(zip(self._order, newarr, strict=False))
        assert len(answers) == self.size, f"{len(answers)} answers to {self.size} requests"
        return [answers[index] for index in range(self.size)]


def _hashable(value: Any) -> Any:
    """Convert a grouping key, usually `gen_kwargs`, to a hashable value."""
    if isinstance(value, Mapping):
        return tuple(sorted((name, _hashable(item)) for name, item in value.items()))
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple, set)) else repr(value)


def chunks(iterable: Iterable[Any], n: int = 0, fn: Callable[[int, Any], int] | None = None) -> Iterator[list[Any]]:
    """Yield chunks of n items, or of the size that `fn` returns for an index."""
    items, chunk = tuple(iterable), []
    for index, item in enumerate(items):
        chunk.append(item)
        if len(chunk) == (fn(index, items) if fn else n):
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def optional_import(module: str, attribute: str | None = None) -> tuple[Any, bool]:
    """Return a module or an attribute of it, and whether it could be imported."""
    try:
        imported = import_module(module)
        return (getattr(imported, attribute) if attribute else imported), True
    except (ImportError, AttributeError):
        return None, False


def downsample_audio(audio_array: Any, original_sr: int, target_sr: int) -> Any:
    """Resample audio."""
    from auricle.media import Audio

    return Audio.of(audio_array, rate=int(original_sr)).decode(int(target_sr))


def split_audio(audio_arrays: Any, chunk_lim: int) -> list[Any]:
    """Split audio into chunks of at most `chunk_lim` samples."""
    return [audio_arrays[start : start + chunk_lim] for start in range(0, len(audio_arrays), chunk_lim)]


def _protocol_names() -> dict[str, Any]:
    from auricle.frameworks.lmms import chat_stubs  # needs pydantic

    return {name: value for name, value in vars(chat_stubs).items() if name.startswith("Chat")}


def _server_names() -> dict[str, Any]:
    from auricle.frameworks.lmms import server_stubs

    return {name: value for name, value in vars(server_stubs).items() if not name.startswith("_")}


def _stub_names(*stubs: Any) -> NameProvider:
    return lambda: {stub.__name__: stub for stub in stubs}


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
    def missing_name(name: str) -> Any:
        raise AttributeError(f"torch.{name} is not available: torch is not installed")

    cuda = SimpleNamespace(is_available=lambda: False, device_count=lambda: 0, empty_cache=lambda: None)
    names = {"no_grad": nullcontext, "inference_mode": nullcontext, "device": str, "Tensor": type("Tensor", (), {})}
    return {**names, "cuda": cuda, "__getattr__": missing_name}


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


MODEL_UTILS = f"{PACKAGE}.models.model_utils"
PROTOCOL = f"{PACKAGE}.protocol"
SERVER_MODULES = [f"{MODEL_UTILS}.{name}" for name in ("concurrency_control", "media_encoder", "usage_metrics")]
LMMS_STUBS: Mapping[str, NameProvider] = {
    PACKAGE: dict,
    f"{PACKAGE}.api": dict,
    f"{PACKAGE}.api.model": _stub_names(lmms, CacheHook),
    f"{PACKAGE}.api.instance": _stub_names(Instance, GenerationResult, TokenCounts),
    f"{PACKAGE}.api.registry": _stub_names(register_model),
    f"{PACKAGE}.imports": _stub_names(optional_import),
    f"{PACKAGE}.llm_judge": _unavailable_names(f"{PACKAGE}.llm_judge"),
    f"{PACKAGE}.models": dict,
    f"{PACKAGE}.models.registry_v2": _stub_names(ModelManifest),
    MODEL_UTILS: dict,
    f"{MODEL_UTILS}.audio_processing": _stub_names(downsample_audio, split_audio),
    f"{MODEL_UTILS}.gen_metrics": lambda: {"log_metrics": lambda *_, **__: None},
    **dict.fromkeys(SERVER_MODULES, _server_names),
    PROTOCOL: _protocol_names,
    f"{PACKAGE}.tasks": dict,
    f"{PACKAGE}.tasks._task_utils": dict,
    f"{PACKAGE}.tasks._task_utils.file_utils": _unavailable_names(f"{PACKAGE}.tasks._task_utils.file_utils"),
    f"{PACKAGE}.verifiers": _unavailable_names(f"{PACKAGE}.verifiers"),
    f"{PACKAGE}.verifiers.openai": _unavailable_names(f"{PACKAGE}.verifiers"),
    f"{PACKAGE}.utils": _stub_names(Collator, chunks, simple_parse_args_string),
}
CHECKOUT_FIRST = {PROTOCOL, *SERVER_MODULES}
"""Stubs that are used only outside a checkout; the others replace modules that import half of lmms-eval."""
THIRD_PARTY_STUBS: Mapping[str, NameProvider] = {
    "dotenv": lambda: {"load_dotenv": lambda *_, **__: False},
    "editdistance": lambda: {"eval": _edit_distance, "distance": _edit_distance},
    "loguru": lambda: {"logger": LoguruStub(PACKAGE)},
    "tqdm": lambda: {"tqdm": ProgressBar},
    "tqdm.auto": lambda: {"tqdm": ProgressBar},
    "torch": _torch_names,
    "torch.nn": lambda: {"Module": type("Module", (), {})},
}
"""Other packages that such code imports; used only where lmms-eval is missing, too."""


class ProtocolLoader(SourceFileLoader):
    """Loads the chat messages of a checkout, and completes what they leave open."""

    def exec_module(self, module: ModuleType) -> None:
        from auricle.frameworks.lmms.openai_media import complete_protocol

        super().exec_module(module)
        complete_protocol(module)


class StubFinder(MetaPathFinder, Loader):
    """Import hook for stubs. Real modules take precedence, except over stubs for a checkout that is not installed."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {}
        self._populated: set[str] = set()
        self._active_stubs: set[str] = set()
        self._lock, self._users = threading.Lock(), 0
        self._checkout = ""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if self._checkout and fullname in CHECKOUT_FIRST and (spec := self._find_in_checkout(fullname)):
            return spec
        if fullname in THIRD_PARTY_STUBS and PathFinder.find_spec(fullname, path):
            return None
        if fullname in LMMS_STUBS or (fullname in THIRD_PARTY_STUBS and not is_installed()):
            return ModuleSpec(fullname, self, is_package=True)
        if self._checkout and fullname.startswith(f"{PACKAGE}."):
            return self._find_in_checkout(fullname)
        return None

    def _find_in_checkout(self, name: str) -> ModuleSpec | None:
        """Find a module in the checkout that the user's file belongs to."""
        location = Path(self._checkout).joinpath(*name.split(".")[1:])
        if name in CHECKOUT_FIRST and find_spec("PIL") is None:
            return None  # the stubs need Pillow only for images
        if name == PROTOCOL and (protocol := location.with_suffix(".py")).is_file():
            return spec_from_file_location(name, protocol, loader=ProtocolLoader(name, str(protocol)))
        for file, search_path in ((location.with_suffix(".py"), None), (location / "__init__.py", [str(location)])):
            if file.is_file():
                return spec_from_file_location(name, file, submodule_search_locations=search_path)
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
                is_first = checkout and not is_installed()
                sys.meta_path.insert(0 if is_first else len(sys.meta_path), self)
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._deactivate()

    def _deactivate(self) -> None:
        """Remove the stubs from `sys.modules`, and modules of a checkout, which depend on the stub package."""
        sys.meta_path.remove(self)
        self._checkout = ""
        dependents = loaded_modules(PACKAGE) if PACKAGE in self._active_stubs else ()
        swap_modules({*self._active_stubs, *dependents}, {})
        self._active_stubs.clear()


def is_installed() -> bool:
    """Return whether lmms-eval is importable. In a checkout in the working folder, its dependencies may be missing."""
    spec = PathFinder.find_spec(PACKAGE)
    if spec is None or spec.origin is None:  # a folder without __init__.py has no origin
        return False
    parent = Path(spec.origin).resolve().parents[1]
    if parent != Path.cwd() or parent in (Path(folder).resolve() for folder in pythonpath_folders()):
        return True
    return any(True for _ in distributions(name=PACKAGE))


FINDER = StubFinder()


def stubs_importable(checkout: str = "") -> AbstractContextManager[None]:
    """Make lmms-eval's modules, real or stubs, importable within the block."""
    return FINDER.activate(checkout)


def find_checkout(file: Path) -> str:
    """Return the folder `lmms_eval` of the checkout that contains a file, or ""."""
    folders = (folder for folder in file.resolve().parents if folder.name == PACKAGE)
    return next((str(folder) for folder in folders if (folder / "tasks").is_dir() or (folder / "models").is_dir()), "")
