"""Adapter for emotion models, and stubs of the packages that emotion suites import their base classes from.

Other libraries use the names `models` and `datasets`, too, so they are importable only while the suite's code runs.
"""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from auricle.core.errors import SampleError, SpecError
from auricle.core.registry import import_object
from auricle.core.types import Predict, Prediction
from auricle.core.user_code import annotate_errors, wrap_errors
from auricle.frameworks.isolated_modules import IsolatedModules, create_stub_module, pythonpath_folders
from auricle.frameworks.user_classes import AudioFiles, UserModel, describe_type, find_owner, instantiate
from auricle.models.request_input import get_single_audio

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
        output_type = getattr(self._model, "output_type", None)
        if output_type not in SCALES_BY_OUTPUT_TYPE:
            expected = " or ".join(SCALES_BY_OUTPUT_TYPE)
            raise SpecError(f"{self._name}: output_type should be {expected}, not {output_type!r}.")
        self._output_scale = SCALES_BY_OUTPUT_TYPE[str(output_type)]
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
            source = f"predict of {self._name}"
            return [self._to_prediction(self._model.predict(path), source) for path in paths]
        path_list = list(paths)
        returned = self._model.predict_batch(path_list)
        source = f"predict_batch of {self._name}"
        if path_list != list(paths):
            raise SampleError(f"{source} modified its list of paths")
        if not isinstance(returned, (list, tuple)):
            raise SampleError(f"{source} returned {describe_type(returned)}, expected a list")
        if len(returned) != len(paths):
            raise SampleError(f"{source} returned {len(returned)} results for {len(paths)} recordings")
        return [self._to_prediction(result, source) for result in returned]

    def _to_prediction(self, returned: Any, source: str) -> Prediction:
        """Convert a result to a prediction under the names the class uses; messages name its source."""
        values: dict[str, float] = {}
        for name, number in self._read_pairs(returned, source):
            if str(name) in values:
                raise SampleError(f"{source} returned {name!r} twice")
            values[str(name)] = self._to_float(name, number, source)
        return Prediction(values=values, scale=self._output_scale)

    def _read_pairs(self, returned: Any, source: str) -> list[tuple[Any, Any]]:
        """Return the dimensions, or the labels and their scores."""
        result = returned if isinstance(returned, Mapping) else {}
        if self._output_scale == "continuous":
            dimensions = result.get("dimensions")
            if isinstance(dimensions, Mapping) and dimensions:
                return list(dimensions.items())
            expected = '{"dimensions": {…}}'
        else:
            labels, scores = result.get("labels", getattr(self._model, "labels", None)), result.get("scores")
            if labels is not None and scores is not None:
                if len(labels) != len(scores) or not len(labels):
                    raise SampleError(f"{source} returned {len(labels)} labels and {len(scores)} scores")
                return list(zip(labels, scores, strict=True))
            expected = '{"labels": […], "scores": […]}'
        keys = f"a dict with {', '.join(map(str, result)) or 'nothing'}"
        actual = keys if isinstance(returned, Mapping) else describe_type(returned)
        raise SampleError(f"{source} returned {actual}, expected {expected}")

    def _to_float(self, name: Any, number: Any, source: str) -> float:
        try:
            value = float(number)
        except (TypeError, ValueError) as error:
            raise SampleError(f"{source} returned {describe_type(number)} for {name!r}, expected a number") from error
        is_outside = value < -PROBABILITY_TOLERANCE or value > 1 + PROBABILITY_TOLERANCE
        if self._output_scale == "probability" and is_outside:
            raise SampleError(
                f"{source} returned {value:g} for {name!r}, which is not a probability; "
                'use output_type = "logits" for unbounded scores'
            )
        return value

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

    def _has_own_predict_batch(self) -> bool:
        """Return whether the class overrides `predict_batch`; a suite's base class may have an empty one."""
        wrapper_class = type(self._model)
        owner = find_owner(wrapper_class, "predict_batch")
        if owner is None or not callable(getattr(wrapper_class, "predict_batch", None)):
            return False
        return owner.__name__ != BaseModelWrapper.__name__ or not callable(getattr(wrapper_class, "predict", None))


def _file_stamp(path: str) -> tuple[int, int] | None:
    """Return size and modification time, which change when a file is written to."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
