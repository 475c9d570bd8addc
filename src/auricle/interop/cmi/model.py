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
from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, told
from auricle.core.registry import import_object
from auricle.core.types import Predict, Prediction
from auricle.interop.audio_files import Files
from auricle.interop.blame import raised_by
from auricle.interop.cmi.stubs import input_class, interface, places_of
from auricle.models.audio_input import crop_of, the_candidate
from auricle.models.base import BatchModel

NAMES = ("alignment", "musicality")
"""What the two columns of scores are."""
SPOKEN = ("inputs", "batch_size", "max_dur")
MODES = ("final", "standard")
NEEDS_MORE = ("core", "baselines")


@dataclass(frozen=True, slots=True)
class Way:
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
    def of(cls, name: str, given: Mapping[str, Any]) -> tuple[Way, dict[str, Any]]:
        """The way, and what is left for the class."""
        known = [each.name for each in fields(cls)]
        way = cls(**{key: value for key, value in given.items() if key in known})
        way._check(name)
        return way, {key: value for key, value in given.items() if key not in known}

    def _check(self, name: str) -> None:
        crop_of(name, self.crop)
        for about in ("init", "score"):
            if not isinstance(value := getattr(self, about), Mapping):
                raise SpecError(f"{name}: {about} should be names and values, not {value!r}.")
        for about in ("max_dur", "batch_size"):
            if not isinstance(value := getattr(self, about), (int, float)) or not value > 0:
                raise SpecError(f"{name}: {about} should be a number above 0, not {value!r}.")
        if taken := [each for each in SPOKEN if each in self.score]:
            raise SpecError(f"{name}: {taken[0]} is told to score_batch anyway; leave it out.")

    def arguments(self) -> dict[str, Any]:
        """What every class is given."""
        device = best_device() if self.device == "auto" else self.device
        return {"checkpoint": self.checkpoint, "device": device}


class Scorer(BatchModel):
    """An object with `sr` and `score_batch`; subclasses make it."""

    batch_size = 12

    def __init__(self, name: str, way: Way) -> None:
        self._name, self._way = name, way
        self.batch_size = int(way.batch_size)
        self._input: type[Any] = object
        self._model = self._made()
        if not hasattr(self._model, "sr"):
            raise SpecError(f"{name} has no `sr`: the rate of its sounds, a property or attribute.")
        self._understood = False

    @abstractmethod
    def make(self) -> Any:
        """The object, and nothing of it asked."""

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        with Files(self._way.crop) as files:
            inputs = [self._input(**_told(request, files)) for request in batch]
            with raised_by(self._name):
                scores = self._model.score_batch(
                    inputs=inputs,
                    batch_size=len(inputs),
                    max_dur=self._way.max_dur,
                    **self._way.score,
                )
        return [
            Prediction(values=dict(zip(NAMES, row, strict=False)), scale="continuous")
            for row in self._rows(scores, len(batch))
        ]

    def close(self) -> None:
        self._model = None

    def _rows(self, scores: Any, count: int) -> list[list[float]]:
        """Rows of numbers; until some were, others are the class's fault, and the user's move."""
        if scores is None or (isinstance(scores, (list, tuple)) and not scores):
            raise SampleError(self._due(count, "None" if scores is None else "0 rows"))
        wrong = SampleError if self._understood else SpecError
        try:
            table = _table(scores)
        except (TypeError, ValueError, RuntimeError) as error:
            raise wrong(self._due(count, f"{type(scores).__name__} ({error})")) from error
        if table.ndim != 2 or table.shape[1] < len(NAMES):
            raise wrong(self._due(count, f"{type(scores).__name__} of shape {table.shape}"))
        if len(table) != count:
            raise SampleError(self._due(count, f"{len(table)} rows"))
        self._understood = True
        return [[float(number) for number in row] for row in table]

    def _due(self, count: int, found: str) -> str:
        return (
            f"{self._name}: score_batch should return numbers of shape [{count}, 2] for {count} "
            f"inputs (alignment, musicality), not {found}"
        )

    def _made(self) -> Any:
        """The object, or one line on why there is none."""
        try:
            return self.make()
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            words = f"{self._name} raised {type(error).__name__}: {told(error)}"
            raise SpecError(f"{words}{self._hint(error)}") from error

    def _hint(self, error: BaseException) -> str:
        """What is missing may be in a checkout that was not named."""
        missing = error if isinstance(error, ImportError) else error.__cause__
        name = (isinstance(missing, ImportError) and missing.name) or ""
        if self._way.cmi_root or name.partition(".")[0] not in NEEDS_MORE:
            return ""
        return " If it needs more than CMI-RewardBench's interface, name a checkout: -M cmi_root=…"


class Cmi(Scorer):
    """A class from a file or a module."""

    code = ""

    def __init__(self, **arguments: Any) -> None:
        name = f"cmi:{Path(self.code).name if '.py:' in self.code else self.code}"
        way, self._own = Way.of(name, arguments)
        super().__init__(name, way)

    def make(self) -> Any:
        root = checkout(self._name, self._way.cmi_root) if self._way.cmi_root else None
        with interface(places_of(self.code, root)):
            found = self._class()
            wanted = {**self._way.arguments(), **self._own, **self._way.init}
            self._refuse_arguments(found, wanted)
            made = found(**wanted)
            self._input = input_class()
        return made

    def _class(self) -> Any:
        try:
            found = import_object(self.code)
        except SpecError as error:
            if hint := self._hint(error):
                raise SpecError(f"{error}{hint}") from error
            raise
        if not inspect.isclass(found) or not callable(getattr(found, "score_batch", None)):
            raise SpecError(
                f"{self._name} is no reward model: a class with `sr` and "
                "score_batch(inputs, batch_size, max_dur, **kwargs) is."
            )
        return found

    def _refuse_arguments(self, found: type[Any], wanted: Mapping[str, Any]) -> None:
        """The benchmark gives every class its checkpoint and device."""
        try:
            inspect.signature(found).bind(**wanted)
        except TypeError as error:
            raise SpecError(f"{self._name} cannot take {', '.join(wanted)}: {error}.") from error


class CmiRewardModel(Scorer):
    """CMI-RM itself, by the code of the user's own checkout: `mode` is final or standard."""

    def __init__(
        self,
        *,
        root: str,
        checkpoint: str,
        mode: str = "final",
        config: str | None = None,
        **way: Any,
    ) -> None:
        name = "cmi-rm"
        if mode not in MODES:
            raise SpecError(f"{name}: mode should be {' or '.join(MODES)}, not {mode!r}.")
        self._root = checkout(name, root)
        self._mode, self._config = mode, config
        known, own = Way.of(name, {**way, "checkpoint": checkpoint})
        if unknown := ", ".join(own):
            raise SpecError(f"{name} takes no {unknown}; what the model takes goes into init.")
        if not Path(checkpoint).expanduser().is_file():
            raise SpecError(
                f"{name}: there is no checkpoint {checkpoint}: a .safetensors file is due."
            )
        super().__init__(name, known)

    def make(self) -> Any:
        with interface([self._root]):
            adapter, config = (
                import_object(f"core.model_interface:{each}")
                for each in ("RewardModelAdapter", "RewardModelAdapterConfig")
            )
            made = adapter(
                config(
                    **self._way.arguments(),
                    config=self._config,
                    mode=self._mode,
                    init_kwargs=dict(self._way.init),
                )
            )
            self._input = input_class()
        return made


def model_of(code: str) -> type[Cmi]:
    """The model that `cmi:` and this code name; the code itself runs when the model is made."""
    where, _, name = code.rpartition(":")
    if not where or not name:
        raise UnknownName(f"'cmi:{code}' should be cmi:package.module:Class or cmi:file.py:Class.")
    if where.endswith(".py") and not Path(where).is_file():
        raise UnknownName(f"There is no file {where}.")
    return type(name, (Cmi,), {"code": code, "__doc__": f"{name}, written for CMI-RewardBench."})


def checkout(name: str, root: str) -> str:
    """The checkout's folder, first among the places where Python looks."""
    folder = Path(root).expanduser().resolve()
    if not (folder / "core" / "model_abc.py").is_file():
        raise SpecError(f"{name}: {root} is no checkout of CMI-RewardBench: no core/model_abc.py.")
    if str(folder) not in sys.path[:1]:
        sys.path.insert(0, str(folder))
    return str(folder)


def best_device() -> str:
    """The first GPU, if torch is there and sees one."""
    if find_spec("torch") is None:
        return "cpu"
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"


def _told(request: Predict, files: Files) -> dict[str, Any]:
    """One candidate as the benchmark tells it: paths, empty texts, no reference."""
    given = request.inputs
    reference = given.get("ref_audio")
    return {
        "audio": files.path(the_candidate(request)),
        "text": str(given.get("text") or ""),
        "lyrics": str(given.get("lyrics") or ""),
        "ref_audio": files.path(Audio.of(reference)) if reference else None,
    }


def _table(scores: Any) -> Any:
    """Scores in double precision, from numpy, torch or lists."""
    import numpy as np

    if hasattr(scores, "detach"):  # numpy knows no bfloat16, and nothing on a GPU
        scores = scores.detach().cpu().double().numpy()
    return np.asarray(scores, dtype=np.float64)
