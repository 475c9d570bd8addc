"""Reward models written for CMI-RewardBench, made and asked as it does, without a change to them.

-m cmi:my_model.py:MyBaseline -M checkpoint=model.safetensors
-m cmi:custom_models.my_model:MyBaseline -M cmi_root=./CMI-RewardBench
-m cmi-rm -M root=./CMI-RewardBench -M checkpoint=model.safetensors
"""

from __future__ import annotations

import inspect
import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, describe
from auricle.core.registry import import_object
from auricle.core.types import Predict, Prediction
from auricle.interop.audio_files import AudioFiles
from auricle.interop.cmi.stubs import get_search_paths, input_class, stub_core_package
from auricle.interop.user_errors import annotate_errors
from auricle.models.audio_input import get_candidate_audio, parse_crop
from auricle.models.base import BatchModel

SCORE_NAMES = ("alignment", "musicality")
"""What the two columns of scores are."""
RESERVED_ARGUMENTS = ("inputs", "batch_size", "max_dur")
MODES = ("final", "standard")
CHECKOUT_PACKAGES = ("core", "baselines")


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """How a class is made and asked: `-M name=value`. Every other argument is the class's own."""

    checkpoint: str = ""
    device: str = "auto"
    init: Mapping[str, Any] = field(default_factory=dict)
    """More arguments of the class; they have the last word."""
    score: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of every call of `score_batch`."""
    crop: float | None = None
    """Seconds that are kept of each sound; by default all of it."""
    max_dur: float = 120.0
    """Told to the class, which does with it what it likes."""
    batch_size: int = 12
    cmi_root: str | None = None

    @classmethod
    def split_arguments(cls, name: str, arguments: Mapping[str, Any]) -> tuple[AdapterOptions, dict[str, Any]]:
        """The way, and what is left for the class."""
        known = [each.name for each in fields(cls)]
        way = cls(**{key: value for key, value in arguments.items() if key in known})
        way._validate(name)
        return way, {key: value for key, value in arguments.items() if key not in known}

    def _validate(self, name: str) -> None:
        parse_crop(name, self.crop)
        for about in ("init", "score"):
            if not isinstance(value := getattr(self, about), Mapping):
                raise SpecError(f"{name}: {about} should be names and values, not {value!r}.")
        for about in ("max_dur", "batch_size"):
            if not isinstance(value := getattr(self, about), (int, float)) or not value > 0:
                raise SpecError(f"{name}: {about} should be a number above 0, not {value!r}.")
        if taken := [each for each in RESERVED_ARGUMENTS if each in self.score]:
            raise SpecError(f"{name}: {taken[0]} is told to score_batch anyway; leave it out.")

    def init_arguments(self) -> dict[str, Any]:
        """What every class is given."""
        device = select_device() if self.device == "auto" else self.device
        return {"checkpoint": self.checkpoint, "device": device}


class RewardModelAdapter(BatchModel):
    """An object with `sr` and `score_batch`; subclasses make it."""

    batch_size = 12

    def __init__(self, name: str, options: AdapterOptions) -> None:
        self._name, self._options = name, options
        self.batch_size = int(options.batch_size)
        self._input_class: type[Any] = object
        self._model = self._build_or_raise()
        if not hasattr(self._model, "sr"):
            raise SpecError(f"{name} has no `sr`: the rate of its sounds, a property or attribute.")
        self._has_succeeded = False

    @abstractmethod
    def build_model(self) -> Any:
        """The object, and nothing of it asked."""

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

    def close(self) -> None:
        self._model = None

    def _parse_scores(self, scores: Any, count: int) -> list[list[float]]:
        """Rows of numbers; until some were, others are the class's fault, and the user's move."""
        if scores is None or (isinstance(scores, (list, tuple)) and not scores):
            raise SampleError(self._shape_error(count, "None" if scores is None else "0 rows"))
        wrong = SampleError if self._has_succeeded else SpecError
        try:
            table = _to_array(scores)
        except (TypeError, ValueError, RuntimeError) as error:
            raise wrong(self._shape_error(count, f"{type(scores).__name__} ({error})")) from error
        if table.ndim != 2 or table.shape[1] < len(SCORE_NAMES):
            raise wrong(self._shape_error(count, f"{type(scores).__name__} of shape {table.shape}"))
        if len(table) != count:
            raise SampleError(self._shape_error(count, f"{len(table)} rows"))
        self._has_succeeded = True
        return [[float(number) for number in row] for row in table]

    def _shape_error(self, count: int, actual: str) -> str:
        return (
            f"{self._name}: score_batch should return numbers of shape [{count}, 2] for {count} "
            f"inputs (alignment, musicality), not {actual}"
        )

    def _build_or_raise(self) -> Any:
        """The object, or one line on why there is none."""
        try:
            return self.build_model()
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            words = f"{self._name} raised {type(error).__name__}: {describe(error)}"
            raise SpecError(f"{words}{self._checkout_hint(error)}") from error

    def _checkout_hint(self, error: BaseException) -> str:
        """What is missing may be in a checkout that was not named."""
        missing = error if isinstance(error, ImportError) else error.__cause__
        name = (isinstance(missing, ImportError) and missing.name) or ""
        if self._options.cmi_root or name.partition(".")[0] not in CHECKOUT_PACKAGES:
            return ""
        return " If it needs more than CMI-RewardBench's interface, name a checkout: -M cmi_root=…"


class CmiModel(RewardModelAdapter):
    """A class from a file or a module."""

    class_path = ""

    def __init__(self, **arguments: Any) -> None:
        name = f"cmi:{Path(self.class_path).name if '.py:' in self.class_path else self.class_path}"
        way, self._init_arguments = AdapterOptions.split_arguments(name, arguments)
        super().__init__(name, way)

    def build_model(self) -> Any:
        root = resolve_checkout(self._name, self._options.cmi_root) if self._options.cmi_root else None
        with stub_core_package(get_search_paths(self.class_path, root)):
            found = self._load_class()
            wanted = {**self._options.init_arguments(), **self._init_arguments, **self._options.init}
            self._validate_arguments(found, wanted)
            made = found(**wanted)
            self._input_class = input_class()
        return made

    def _load_class(self) -> Any:
        try:
            found = import_object(self.class_path)
        except SpecError as error:
            if hint := self._checkout_hint(error):
                raise SpecError(f"{error}{hint}") from error
            raise
        if not inspect.isclass(found) or not callable(getattr(found, "score_batch", None)):
            raise SpecError(
                f"{self._name} is no reward model: a class with `sr` and "
                "score_batch(inputs, batch_size, max_dur, **kwargs) is."
            )
        return found

    def _validate_arguments(self, model_class: type[Any], arguments: Mapping[str, Any]) -> None:
        """The benchmark gives every class its checkpoint and device."""
        try:
            inspect.signature(model_class).bind(**arguments)
        except TypeError as error:
            raise SpecError(f"{self._name} cannot take {', '.join(arguments)}: {error}.") from error


class CmiRewardModel(RewardModelAdapter):
    """CMI-RM itself, by the code of the user's own checkout: `mode` is final or standard."""

    def __init__(
        self, *, root: str, checkpoint: str, mode: str = "final", config: str | None = None, **options: Any
    ) -> None:
        name = "cmi-rm"
        if mode not in MODES:
            raise SpecError(f"{name}: mode should be {' or '.join(MODES)}, not {mode!r}.")
        self._root = resolve_checkout(name, root)
        self._mode, self._config = mode, config
        known, own = AdapterOptions.split_arguments(name, {**options, "checkpoint": checkpoint})
        if unknown := ", ".join(own):
            raise SpecError(f"{name} takes no {unknown}; what the model takes goes into init.")
        if not Path(checkpoint).expanduser().is_file():
            raise SpecError(f"{name}: there is no checkpoint {checkpoint}: a .safetensors file is due.")
        super().__init__(name, known)

    def build_model(self) -> Any:
        with stub_core_package([self._root]):
            adapter, config = (
                import_object(f"core.model_interface:{each}")
                for each in ("RewardModelAdapter", "RewardModelAdapterConfig")
            )
            made = adapter(
                config(
                    **self._options.init_arguments(),
                    config=self._config,
                    mode=self._mode,
                    init_kwargs=dict(self._options.init),
                )
            )
            self._input_class = input_class()
        return made


def resolve_model_class(class_path: str) -> type[CmiModel]:
    """The model that `cmi:` and this code name; the code itself runs when the model is made."""
    where, _, name = class_path.rpartition(":")
    if not where or not name:
        raise UnknownName(f"'cmi:{class_path}' should be cmi:package.module:Class or cmi:file.py:Class.")
    if where.endswith(".py") and not Path(where).is_file():
        raise UnknownName(f"There is no file {where}.")
    return type(name, (CmiModel,), {"code": class_path, "__doc__": f"{name}, written for CMI-RewardBench."})


def resolve_checkout(name: str, root: str) -> str:
    """The checkout's folder, first among the places where Python looks."""
    folder = Path(root).expanduser().resolve()
    if not (folder / "core" / "model_abc.py").is_file():
        raise SpecError(f"{name}: {root} is no checkout of CMI-RewardBench: no core/model_abc.py.")
    if str(folder) not in sys.path[:1]:
        sys.path.insert(0, str(folder))
    return str(folder)


def select_device() -> str:
    """The first GPU, if torch is there and sees one."""
    if find_spec("torch") is None:
        return "cpu"
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"


def _input_arguments(request: Predict, audio_files: AudioFiles) -> dict[str, Any]:
    """One candidate as the benchmark tells it: paths, empty texts, no reference."""
    given = request.inputs
    reference = given.get("ref_audio")
    return {
        "audio": audio_files.get_path(get_candidate_audio(request)),
        "text": str(given.get("text") or ""),
        "lyrics": str(given.get("lyrics") or ""),
        "ref_audio": audio_files.get_path(Audio.of(reference)) if reference else None,
    }


def _to_array(scores: Any) -> Any:
    """Scores in double precision, from numpy, torch or lists."""
    import numpy as np

    if hasattr(scores, "detach"):  # numpy knows no bfloat16, and nothing on a GPU
        scores = scores.detach().cpu().double().numpy()
    return np.asarray(scores, dtype=np.float64)
