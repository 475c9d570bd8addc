"""Adapter for emotion models: loads a wrapper class once and stores its predictions unchanged."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Literal

from auricle.core.errors import SampleError, SpecError
from auricle.core.registry import import_object
from auricle.core.types import Predict, Prediction
from auricle.interop.audio_files import AudioFiles
from auricle.interop.ser.stubs import MODELS_PACKAGE, BaseModelWrapper, SuiteModules
from auricle.interop.user_classes import UserModel, annotate_errors, describe_type, instantiate, wrap_errors
from auricle.models.request_input import get_single_audio

SCALES_BY_OUTPUT_TYPE: Mapping[str, Literal["probability", "logit", "continuous"]] = {
    "probabilities": "probability",
    "logits": "logit",
    "dimensional": "continuous",
}
"""Scale of each supported `output_type`."""
PROBABILITY_TOLERANCE = 1e-3
"""How far a probability may lie outside 0…1 because of half precision."""


class SerModel(UserModel):
    """A wrapper class from a file or module, or an instance of one; all `-M` arguments are passed to the class."""

    def __init__(self, **arguments: Any) -> None:
        self._modules = SuiteModules(self.class_path, MODELS_PACKAGE)
        with self._modules.activate(), redirect_stdout(sys.stderr):
            self._model = self._instantiate(arguments)
            if hasattr(self._model, "load"):
                with wrap_errors(f"load of {self._name}"):
                    self._model.load()
        self._output_scale = self._read_output_scale()
        self._supports_batches = self._has_own_predict_batch()

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        with self._modules.activate(), AudioFiles() as files:
            paths = [files.get_path(get_single_audio(request)) for request in batch]
            stamps = [_file_stamp(path) for path in paths]
            with annotate_errors(self._name):
                predictions = self._predict_paths(paths)
            if changed := [path for path, stamp in zip(paths, stamps, strict=True) if _file_stamp(path) != stamp]:
                raise SampleError(f"{self._name} modified its input file {Path(changed[0]).name}")
        return predictions

    def _predict_paths(self, paths: Sequence[str]) -> list[Prediction]:
        """Convert each result before requesting the next, because a class may reuse its dict."""
        if not self._supports_batches:
            return [self._to_prediction(self._model.predict(path), "predict") for path in paths]
        path_list = list(paths)
        returned = self._model.predict_batch(path_list)
        if path_list != list(paths):
            raise SampleError(f"predict_batch of {self._name} modified its list of paths")
        if not isinstance(returned, (list, tuple)):
            raise SampleError(f"predict_batch of {self._name} returned {describe_type(returned)}, expected a list")
        if len(returned) != len(paths):
            raise SampleError(
                f"predict_batch of {self._name} returned {len(returned)} results for {len(paths)} recordings"
            )
        return [self._to_prediction(result, "predict_batch") for result in returned]

    # --- results --------------------------------------------------------------------------

    def _to_prediction(self, returned: Any, method: str) -> Prediction:
        """Convert a result to a prediction under the names the class uses."""
        if not isinstance(returned, Mapping):
            raise SampleError(f"{method} of {self._name} returned {describe_type(returned)}, {self._expected}")
        pairs = self._read_dimensions(returned, method) if self._is_dimensional else self._read_scores(returned, method)
        values: dict[str, float] = {}
        for name, number in pairs:
            if str(name) in values:
                raise SampleError(f"{method} of {self._name} returned {name!r} twice")
            values[str(name)] = self._to_float(name, number, method)
        return Prediction(values=values, scale=self._output_scale)

    @property
    def _is_dimensional(self) -> bool:
        return self._output_scale == "continuous"

    @property
    def _expected(self) -> str:
        keys = '"dimensions": {…}' if self._is_dimensional else '"labels": […], "scores": […]'
        return f"expected {{{keys}}}"

    def _read_dimensions(self, returned: Mapping[str, Any], method: str) -> list[tuple[Any, Any]]:
        dimensions = returned.get("dimensions")
        if not isinstance(dimensions, Mapping) or not dimensions:
            raise SampleError(f"{method} of {self._name} returned {_describe_keys(returned)}, {self._expected}")
        return list(dimensions.items())

    def _read_scores(self, returned: Mapping[str, Any], method: str) -> list[tuple[Any, Any]]:
        labels = returned.get("labels", getattr(self._model, "labels", None))
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
            raise SampleError(
                f"{method} of {self._name} returned {describe_type(number)} for {name!r}, expected a number"
            ) from error
        outside = value < -PROBABILITY_TOLERANCE or value > 1 + PROBABILITY_TOLERANCE
        if self._output_scale == "probability" and outside:
            raise SampleError(
                f"{method} of {self._name} returned {value:g} for {name!r}, which is not a probability; "
                'use output_type = "logits" for unbounded scores'
            )
        return value

    # --- creation -----------------------------------------------------------------------------

    def _instantiate(self, arguments: Mapping[str, Any]) -> Any:
        wrapper = import_object(self.class_path, self._modules.parent_package)
        if not any(callable(getattr(wrapper, method, None)) for method in ("predict", "predict_batch")):
            raise SpecError(
                f"{self._name} is not a model. "
                "Expected a class with output_type, labels, load() and predict(audio_path)."
            )
        if not inspect.isclass(wrapper):
            if arguments:
                raise SpecError(f"{self._name} is an instance, not a class: it takes no arguments.")
            return wrapper
        return instantiate(self._name, wrapper, arguments)

    def _read_output_scale(self) -> Literal["probability", "logit", "continuous"]:
        output_type = getattr(self._model, "output_type", None)
        if output_type not in SCALES_BY_OUTPUT_TYPE:
            expected = " or ".join(SCALES_BY_OUTPUT_TYPE)
            raise SpecError(f"{self._name}: output_type should be {expected}, not {output_type!r}.")
        return SCALES_BY_OUTPUT_TYPE[str(output_type)]

    def _has_own_predict_batch(self) -> bool:
        """Return whether the class overrides `predict_batch`; a suite's base class may have an empty one."""
        wrapper_class = type(self._model)
        if not callable(getattr(wrapper_class, "predict_batch", None)):
            return False
        owner = next(base for base in wrapper_class.__mro__ if "predict_batch" in vars(base))
        inherited = owner.__name__ == BaseModelWrapper.__name__
        return not (inherited and callable(getattr(wrapper_class, "predict", None)))


def _file_stamp(path: str) -> tuple[int, int] | None:
    """Return size and modification time, which change when a file is written to."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _describe_keys(returned: Mapping[str, Any]) -> str:
    return f"a dict with {', '.join(map(str, returned)) or 'nothing'}"
