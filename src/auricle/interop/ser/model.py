"""A model's class, loaded once and asked in batches; what it returns is kept as it is."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Literal

from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, describe
from auricle.core.registry import import_object
from auricle.core.types import Predict, Prediction
from auricle.interop.audio_files import AudioFiles
from auricle.interop.ser.stubs import MODELS_PACKAGE, BaseModelWrapper, IsolatedModules, display_name, split_class_path
from auricle.interop.user_errors import annotate_errors
from auricle.models.audio_input import get_single_audio
from auricle.models.base import BatchModel

SCALES_BY_OUTPUT_TYPE: Mapping[str, Literal["probability", "logit", "continuous"]] = {
    "probabilities": "probability",
    "logits": "logit",
    "dimensional": "continuous",
}
"""What `output_type` may be, and what scale that is."""
PROBABILITY_TOLERANCE = 1e-3
"""How far from 0…1 a probability may be, as half precision leaves it."""


class SerModel(BatchModel):
    """A class from a file or a module, or an object of one; every `-M` argument is its own."""

    class_path = ""

    def __init__(self, **arguments: Any) -> None:
        self._name = display_name(self.class_path)
        self._modules = IsolatedModules(self.class_path, MODELS_PACKAGE)
        with self._modules.activate(), redirect_stdout(sys.stderr):
            self._wrapper = self._instantiate(arguments)
            self._call_user_code("load", getattr(self._wrapper, "load", lambda: None))
        self._output_scale = self._read_output_scale()
        self._supports_batches = self._has_own_predict_batch()

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        with self._modules.activate(), AudioFiles() as files:
            paths = [files.get_path(get_single_audio(request)) for request in batch]
            marks = [_file_stamp(path) for path in paths]
            with annotate_errors(self._name):
                returned = self._predict_paths(paths)
            if changed := [path for path, mark in zip(paths, marks, strict=True) if _file_stamp(path) != mark]:
                raise SampleError(f"{self._name} wrote to {Path(changed[0]).name}, its input")
        return returned

    def close(self) -> None:
        self._wrapper = None

    def _predict_paths(self, paths: Sequence[str]) -> list[Prediction]:
        """Each answer is read before the next is asked for: a class may reuse its dict."""
        if not self._supports_batches:
            return [self._to_prediction(self._wrapper.predict(path), "predict") for path in paths]
        given = list(paths)
        returned = self._wrapper.predict_batch(given)
        if given != list(paths):
            raise SampleError(f"predict_batch of {self._name} changed the list it was given")
        if not isinstance(returned, (list, tuple)):
            raise SampleError(f"predict_batch of {self._name} returned {_type_name(returned)}, no list")
        if len(returned) != len(paths):
            raise SampleError(f"predict_batch of {self._name} returned {len(returned)} answers for {len(paths)} sounds")
        return [self._to_prediction(each, "predict_batch") for each in returned]

    # --- what it returns ------------------------------------------------------------------

    def _to_prediction(self, returned: Any, method: str) -> Prediction:
        """Named numbers, in the class's own words."""
        if not isinstance(returned, Mapping):
            raise SampleError(f"{method} of {self._name} returned {_type_name(returned)}, {self._expected}")
        pairs = self._read_dimensions(returned, method) if self._is_dimensional else self._read_scores(returned, method)
        values: dict[str, float] = {}
        for name, number in pairs:
            if str(name) in values:
                raise SampleError(f"{method} of {self._name} tells {name!r} twice")
            values[str(name)] = self._to_float(name, number, method)
        return Prediction(values=values, scale=self._output_scale)

    @property
    def _is_dimensional(self) -> bool:
        return self._output_scale == "continuous"

    @property
    def _expected(self) -> str:
        wanted = '"dimensions": {…}' if self._is_dimensional else '"labels": […], "scores": […]'
        return f"not {{{wanted}}}"

    def _read_dimensions(self, returned: Mapping[str, Any], method: str) -> list[tuple[Any, Any]]:
        found = returned.get("dimensions")
        if not isinstance(found, Mapping) or not found:
            raise SampleError(f"{method} of {self._name} returned {_describe_keys(returned)}, {self._expected}")
        return list(found.items())

    def _read_scores(self, returned: Mapping[str, Any], method: str) -> list[tuple[Any, Any]]:
        labels = returned.get("labels", getattr(self._wrapper, "labels", None))
        scores = returned.get("scores")
        if labels is None or scores is None:
            raise SampleError(f"{method} of {self._name} returned {_describe_keys(returned)}, {self._expected}")
        if len(labels) != len(scores) or not len(labels):
            raise SampleError(f"{method} of {self._name} returned {len(labels)} labels and {len(scores)} scores")
        return list(zip(labels, scores, strict=True))

    def _to_float(self, name: Any, number: Any, method: str) -> float:
        try:
            value = float(number)
        except (TypeError, ValueError) as error:
            raise SampleError(f"{method} of {self._name} gave {_type_name(number)} for {name!r}, no number") from error
        outside = value < -PROBABILITY_TOLERANCE or value > 1 + PROBABILITY_TOLERANCE
        if self._output_scale == "probability" and outside:
            raise SampleError(
                f"{method} of {self._name} gave {value:g} for {name!r}, which is no probability; "
                'output_type = "logits" is for scores of any size'
            )
        return value

    # --- how it is made ---------------------------------------------------------------------

    def _instantiate(self, arguments: Mapping[str, Any]) -> Any:
        found = import_object(self.class_path, self._modules.parent_package)
        if not any(callable(getattr(found, each, None)) for each in ("predict", "predict_batch")):
            raise SpecError(
                f"{self._name} is no model: a class with output_type, labels, load() and predict(audio_path) is."
            )
        if not inspect.isclass(found):
            if arguments:
                raise SpecError(f"{self._name} is made already: it takes no arguments.")
            return found
        wanted = inspect.signature(found)
        try:
            wanted.bind(**arguments)
        except TypeError as error:
            takes = ", ".join(wanted.parameters) or "nothing"
            raise SpecError(f"{self._name}: {error}; it takes {takes}.") from error
        return self._call_user_code("", found, **arguments)

    def _call_user_code(self, method: str, call: Callable[..., Any], **arguments: Any) -> Any:
        try:
            return call(**arguments)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            where = f"{method} of {self._name}" if method else self._name
            raise SpecError(f"{where} raised {type(error).__name__}: {describe(error)}") from error

    def _read_output_scale(self) -> Literal["probability", "logit", "continuous"]:
        kind = getattr(self._wrapper, "output_type", None)
        if kind not in SCALES_BY_OUTPUT_TYPE:
            raise SpecError(f"{self._name}: output_type should be {' or '.join(SCALES_BY_OUTPUT_TYPE)}, not {kind!r}.")
        return SCALES_BY_OUTPUT_TYPE[str(kind)]

    def _has_own_predict_batch(self) -> bool:
        """Has it a `predict_batch` of its own? A suite's base class may have an empty one."""
        kind = type(self._wrapper)
        if not callable(getattr(kind, "predict_batch", None)):
            return False
        owner = next(each for each in kind.__mro__ if "predict_batch" in vars(each))
        inherited = owner.__name__ == BaseModelWrapper.__name__
        return not (inherited and callable(getattr(kind, "predict", None)))


def create_model_class(class_path: str) -> type[SerModel]:
    """The model of a class; its code runs when the model is made."""
    where, name = split_class_path(class_path)
    if where.endswith(".py") and not Path(where).is_file():
        raise UnknownName(f"There is no file {where}.")
    return type(name, (SerModel,), {"code": class_path, "__doc__": f"{name}, a wrapper for emotions."})


def _file_stamp(path: str) -> tuple[int, int] | None:
    """What changes when a file is written to."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _type_name(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def _describe_keys(returned: Mapping[str, Any]) -> str:
    return f"a dict with {', '.join(map(str, returned)) or 'nothing'}"
