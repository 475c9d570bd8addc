"""Adapters for reward models written for CMI-RewardBench, and stubs of its package `core`.

-m cmi:my_model.py:MyBaseline -M checkpoint=model.safetensors
-m cmi:custom_models.my_model:MyBaseline -M cmi_root=./CMI-RewardBench
-m cmi-rm -M root=./CMI-RewardBench -M checkpoint=model.safetensors
"""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, TypeAlias, get_args

from auricle.core.arguments import Hint
from auricle.core.errors import SampleError, SpecError
from auricle.core.registry import import_object
from auricle.core.types import Predict, Prediction
from auricle.core.user_code import annotate_errors, wrap_errors
from auricle.frameworks.isolated_modules import create_stub_module, loaded_modules, pythonpath_folders, swap_modules
from auricle.frameworks.user_classes import AudioFiles, UserModel, check_arguments, create_adapter_class, split_options
from auricle.media import Audio
from auricle.models.listing import ModelListing
from auricle.models.request_input import get_candidate_audio, parse_crop

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
        return dict(vars(self))


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


@contextmanager
def stub_core_package(search_paths: Sequence[str]) -> Iterator[None]:
    """Make `core.model_abc` importable within the block: the user's module if there is one, else a stub.

    Other programs use the name `core`, too, so the modules loaded before are restored afterwards.
    """
    package = PathFinder.find_spec(CORE_PACKAGE, list(search_paths))
    modules_before = loaded_modules(CORE_PACKAGE)
    is_other_package = bool(modules_before) and not _is_same_package(modules_before.get(CORE_PACKAGE), package)
    stub_modules = {
        name: create_stub_module(name, STUB_CLASSES) if name in INTERFACE_MODULES else create_stub_module(name, {}, ())
        for name in _missing_modules(package)
    }
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


SCORE_NAMES = ("alignment", "musicality")
"""Names of the two columns that `score_batch` returns."""
RESERVED_ARGUMENTS = ("inputs", "batch_size", "max_dur")
Mode: TypeAlias = Literal["final", "standard"]
MODES = get_args(Mode)
CHECKOUT_PACKAGES = ("core", "baselines")


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """Options of the adapter, given as `-M name=value`; all other arguments are passed to the class."""

    checkpoint: str = ""
    device: str = "auto"
    init: Mapping[str, Any] = field(default_factory=dict)
    """Additional arguments of the class; they override all others."""
    score: Mapping[str, Any] = field(default_factory=dict)
    """Additional arguments of every call of `score_batch`."""
    crop: float | None = None
    """Maximum seconds of each recording; by default all of it."""
    max_dur: float = 120.0
    """Passed to `score_batch`, which decides what to do with it."""
    batch_size: int = 12
    cmi_root: str | None = None

    def validate(self, name: str) -> None:
        parse_crop(name, self.crop)
        for option in ("init", "score"):
            if not isinstance(value := getattr(self, option), Mapping):
                raise SpecError(f"{name}: {option} should be a mapping of names to values, not {value!r}.")
        for option in ("max_dur", "batch_size"):
            if not isinstance(value := getattr(self, option), (int, float)) or not value > 0:
                raise SpecError(f"{name}: {option} should be a number above 0, not {value!r}.")
        if reserved := [argument for argument in RESERVED_ARGUMENTS if argument in self.score]:
            raise SpecError(f"{name}: {reserved[0]} is always passed to score_batch. Remove it from `score`.")

    def init_arguments(self) -> dict[str, Any]:
        """Return the arguments that every class gets."""
        device = select_device() if self.device == "auto" else self.device
        return {"checkpoint": self.checkpoint, "device": device}


class RewardModelAdapter(UserModel):
    """Adapter for an object with `sr` and `score_batch`; subclasses create the object."""

    batch_size = 12
    keeps_order = True  # a class may score a recording by the others of its batch

    def __init__(self, name: str, options: AdapterOptions) -> None:
        options.validate(name)
        self._name, self._options = name, options
        self.batch_size = int(options.batch_size)
        self._input_class: type[Any] = object
        with wrap_errors(name, hint=self._checkout_hint):
            self._model = self.build_model()
        if not hasattr(self._model, "sr"):
            raise SpecError(f"{name} has no `sr`. Add a property or attribute with its sample rate.")
        self._has_succeeded = False

    @abstractmethod
    def build_model(self) -> Any:
        """Create the object that scores."""

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        with AudioFiles(self._options.crop) as files:
            inputs = [self._input_class(**_input_arguments(request, files)) for request in batch]
            with annotate_errors(self._name):
                scores = self._model.score_batch(
                    inputs=inputs, batch_size=len(inputs), max_dur=self._options.max_dur, **self._options.score
                )
        return [
            Prediction(values=dict(zip(SCORE_NAMES, row, strict=False)), scale="continuous")
            for row in self._parse_scores(scores, len(batch))
        ]

    def _parse_scores(self, scores: Any, count: int) -> list[list[float]]:
        """Convert scores to rows of numbers.

        A wrong shape ends the run until one batch has succeeded; afterwards it fails its batch only.
        """
        if scores is None or (isinstance(scores, (list, tuple)) and not scores):
            raise SampleError(self._shape_error(count, "None" if scores is None else "0 rows"))
        error_class = SampleError if self._has_succeeded else SpecError
        try:
            table = _to_array(scores)
        except (TypeError, ValueError, RuntimeError) as error:
            raise error_class(self._shape_error(count, f"{type(scores).__name__} ({error})")) from error
        if table.ndim != 2 or table.shape[1] < len(SCORE_NAMES):
            raise error_class(self._shape_error(count, f"{type(scores).__name__} of shape {table.shape}"))
        if len(table) != count:
            raise SampleError(self._shape_error(count, f"{len(table)} rows"))
        self._has_succeeded = True
        return [[float(number) for number in row] for row in table]

    def _shape_error(self, count: int, actual: str) -> str:
        return (
            f"{self._name}: score_batch should return numbers of shape [{count}, 2] for {count} "
            f"inputs (alignment, musicality), not {actual}"
        )

    def _checkout_hint(self, error: BaseException) -> str:
        """Return a hint if an import failed that a checkout of CMI-RewardBench would provide."""
        import_error = error if isinstance(error, ImportError) else error.__cause__
        module = (isinstance(import_error, ImportError) and import_error.name) or ""
        if self._options.cmi_root or module.partition(".")[0] not in CHECKOUT_PACKAGES:
            return ""
        return " If the class needs more than CMI-RewardBench's interface, pass a checkout with -M cmi_root=DIR."


class CmiModel(RewardModelAdapter):
    """A reward model class from a file or module."""

    def __init__(self, **arguments: Any) -> None:
        options, self._init_arguments = split_options(AdapterOptions, arguments)
        super().__init__(self._name, options)

    def build_model(self) -> Any:
        root = resolve_checkout(self._name, self._options.cmi_root) if self._options.cmi_root else None
        with stub_core_package(get_search_paths(self.class_path, root)):
            model_class = self._load_class()
            arguments = {**self._options.init_arguments(), **self._init_arguments, **self._options.init}
            check_arguments(self._name, model_class, arguments)
            model = model_class(**arguments)
            self._input_class = input_class()
        return model

    def _load_class(self) -> Any:
        try:
            model_class = import_object(self.class_path)
        except SpecError as error:
            if hint := self._checkout_hint(error):
                raise SpecError(f"{error}{hint}") from error
            raise
        if not inspect.isclass(model_class) or not callable(getattr(model_class, "score_batch", None)):
            raise SpecError(
                f"{self._name} is not a reward model. Expected a class with `sr` and "
                "score_batch(inputs, batch_size, max_dur, **kwargs)."
            )
        return model_class


class CmiRewardModel(RewardModelAdapter):
    """CMI-RM, loaded with the code of a CMI-RewardBench checkout; `mode` is final or standard."""

    listing = ModelListing(group="Quality and reward", extra="transformers", packages=("torch", "transformers"))

    def __init__(
        self,
        *,
        root: Annotated[str, Hint("folder")],
        checkpoint: Annotated[str, Hint("file")],
        mode: Mode = "final",
        config: Annotated[str | None, Hint("file")] = None,
        **options: Any,
    ) -> None:
        name = "cmi-rm"
        if mode not in MODES:
            raise SpecError(f"{name}: mode should be {' or '.join(MODES)}, not {mode!r}.")
        self._root = resolve_checkout(name, root)
        self._settings = {"mode": mode, "config": config}
        adapter_options, unknown = split_options(AdapterOptions, {**options, "checkpoint": checkpoint})
        if unknown:
            raise SpecError(
                f"{name}: unknown arguments: {', '.join(unknown)}. Pass arguments of the model itself in `init`."
            )
        if not Path(checkpoint).expanduser().is_file():
            raise SpecError(f"{name}: there is no checkpoint {checkpoint}. Expected a .safetensors file.")
        super().__init__(name, adapter_options)

    def build_model(self) -> Any:
        with stub_core_package([self._root]):
            adapter_class, config_class = (
                import_object(f"core.model_interface:{name}")
                for name in ("RewardModelAdapter", "RewardModelAdapterConfig")
            )
            arguments = {**self._options.init_arguments(), **self._settings, "init_kwargs": dict(self._options.init)}
            model = adapter_class(config_class(**arguments))
            self._input_class = input_class()
        return model


def resolve_model_class(class_path: str) -> type[CmiModel]:
    """Return the model for `cmi:` and this class path; the class is imported when the model is created."""
    return create_adapter_class("cmi", class_path, CmiModel, "written for CMI-RewardBench")


def resolve_checkout(name: str, root: str) -> str:
    """Return the checkout's absolute path and put it first on `sys.path`."""
    folder = Path(root).expanduser().resolve()
    if not (folder / "core" / "model_abc.py").is_file():
        raise SpecError(f"{name}: {root} is not a checkout of CMI-RewardBench: core/model_abc.py is missing.")
    if str(folder) not in sys.path[:1]:
        sys.path.insert(0, str(folder))
    return str(folder)


def select_device() -> str:
    """Return the first GPU if torch is installed and finds one, else the CPU."""
    if find_spec("torch") is None:
        return "cpu"
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"


def _input_arguments(request: Predict, audio_files: AudioFiles) -> dict[str, Any]:
    """Return the fields of one candidate in the benchmark's form: audio paths, and "" for missing texts."""
    inputs = request.inputs
    reference = inputs.get("ref_audio")
    return {
        "audio": audio_files.get_path(get_candidate_audio(request)),
        "text": str(inputs.get("text") or ""),
        "lyrics": str(inputs.get("lyrics") or ""),
        "ref_audio": audio_files.get_path(Audio.of(reference)) if reference else None,
    }


def _to_array(scores: Any) -> Any:
    """Convert scores from numpy, torch or lists to double precision."""
    import numpy as np

    if hasattr(scores, "detach"):  # numpy supports neither bfloat16 nor GPU tensors
        scores = scores.detach().cpu().double().numpy()
    return np.asarray(scores, dtype=np.float64)
