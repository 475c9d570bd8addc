"""A model's class, loaded once and asked in batches; what it returns is kept as it is."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Literal

from auricle.core.errors import AuricleError, SampleError, SpecError, UnknownName, told
from auricle.core.registry import import_object
from auricle.core.types import Predict, Prediction
from auricle.interop.audio_files import Files
from auricle.interop.blame import raised_by
from auricle.interop.ser.stubs import MODELS, BaseModelWrapper, Shelf, called, parts_of
from auricle.models.audio_input import the_sound
from auricle.models.base import BatchModel

TYPES: Mapping[str, Literal["probability", "logit", "continuous"]] = {
    "probabilities": "probability",
    "logits": "logit",
    "dimensional": "continuous",
}
"""What `output_type` may be, and what scale that is."""
ROUNDING = 1e-3
"""How far from 0…1 a probability may be, as half precision leaves it."""


class Ser(BatchModel):
    """A class from a file or a module, or an object of one; every `-M` argument is its own."""

    code = ""

    def __init__(self, **arguments: Any) -> None:
        self._name = called(self.code)
        self._shelf = Shelf(self.code, MODELS)
        with self._shelf.open(), redirect_stdout(sys.stderr):
            self._made = self._make(arguments)
            self._run("load", getattr(self._made, "load", lambda: None))
        self._scale = self._told_scale()
        self._batches = self._has_batches()

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        with self._shelf.open(), Files() as files:
            paths = [files.path(the_sound(request)) for request in batch]
            marks = [_mark(path) for path in paths]
            with raised_by(self._name):
                returned = self._asked(paths)
            if changed := [
                path for path, mark in zip(paths, marks, strict=True) if _mark(path) != mark
            ]:
                raise SampleError(f"{self._name} wrote to {Path(changed[0]).name}, its input")
        return returned

    def close(self) -> None:
        self._made = None

    def _asked(self, paths: Sequence[str]) -> list[Prediction]:
        """Each answer is read before the next is asked for: a class may reuse its dict."""
        if not self._batches:
            return [self._read(self._made.predict(path), "predict") for path in paths]
        given = list(paths)
        returned = self._made.predict_batch(given)
        if given != list(paths):
            raise SampleError(f"predict_batch of {self._name} changed the list it was given")
        if not isinstance(returned, (list, tuple)):
            raise SampleError(f"predict_batch of {self._name} returned {_kind(returned)}, no list")
        if len(returned) != len(paths):
            raise SampleError(
                f"predict_batch of {self._name} returned {len(returned)} answers for "
                f"{len(paths)} sounds"
            )
        return [self._read(each, "predict_batch") for each in returned]

    # --- what it returns ------------------------------------------------------------------

    def _read(self, returned: Any, by: str) -> Prediction:
        """Named numbers, in the class's own words."""
        if not isinstance(returned, Mapping):
            raise SampleError(f"{by} of {self._name} returned {_kind(returned)}, {self._due}")
        pairs = (
            self._dimensions(returned, by) if self._is_dimensional else self._scores(returned, by)
        )
        values: dict[str, float] = {}
        for name, number in pairs:
            if str(name) in values:
                raise SampleError(f"{by} of {self._name} tells {name!r} twice")
            values[str(name)] = self._number(name, number, by)
        return Prediction(values=values, scale=self._scale)

    @property
    def _is_dimensional(self) -> bool:
        return self._scale == "continuous"

    @property
    def _due(self) -> str:
        wanted = '"dimensions": {…}' if self._is_dimensional else '"labels": […], "scores": […]'
        return f"not {{{wanted}}}"

    def _dimensions(self, returned: Mapping[str, Any], by: str) -> list[tuple[Any, Any]]:
        found = returned.get("dimensions")
        if not isinstance(found, Mapping) or not found:
            raise SampleError(f"{by} of {self._name} returned {_keys(returned)}, {self._due}")
        return list(found.items())

    def _scores(self, returned: Mapping[str, Any], by: str) -> list[tuple[Any, Any]]:
        labels = returned.get("labels", getattr(self._made, "labels", None))
        scores = returned.get("scores")
        if labels is None or scores is None:
            raise SampleError(f"{by} of {self._name} returned {_keys(returned)}, {self._due}")
        if len(labels) != len(scores) or not len(labels):
            raise SampleError(
                f"{by} of {self._name} returned {len(labels)} labels and {len(scores)} scores"
            )
        return list(zip(labels, scores, strict=True))

    def _number(self, name: Any, number: Any, by: str) -> float:
        try:
            value = float(number)
        except (TypeError, ValueError) as error:
            raise SampleError(
                f"{by} of {self._name} gave {_kind(number)} for {name!r}, no number"
            ) from error
        outside = value < -ROUNDING or value > 1 + ROUNDING
        if self._scale == "probability" and outside:
            raise SampleError(
                f"{by} of {self._name} gave {value:g} for {name!r}, which is no probability; "
                'output_type = "logits" is for scores of any size'
            )
        return value

    # --- how it is made ---------------------------------------------------------------------

    def _make(self, arguments: Mapping[str, Any]) -> Any:
        found = import_object(self.code, self._shelf.reads_as)
        if not any(callable(getattr(found, each, None)) for each in ("predict", "predict_batch")):
            raise SpecError(
                f"{self._name} is no model: a class with output_type, labels, load() and "
                "predict(audio_path) is."
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
        return self._run("", found, **arguments)

    def _run(self, what: str, call: Callable[..., Any], **arguments: Any) -> Any:
        try:
            return call(**arguments)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            where = f"{what} of {self._name}" if what else self._name
            raise SpecError(f"{where} raised {type(error).__name__}: {told(error)}") from error

    def _told_scale(self) -> Literal["probability", "logit", "continuous"]:
        kind = getattr(self._made, "output_type", None)
        if kind not in TYPES:
            raise SpecError(
                f"{self._name}: output_type should be {' or '.join(TYPES)}, not {kind!r}."
            )
        return TYPES[str(kind)]

    def _has_batches(self) -> bool:
        """Has it a `predict_batch` of its own? A suite's base class may have an empty one."""
        kind = type(self._made)
        if not callable(getattr(kind, "predict_batch", None)):
            return False
        owner = next(each for each in kind.__mro__ if "predict_batch" in vars(each))
        inherited = owner.__name__ == BaseModelWrapper.__name__
        return not (inherited and callable(getattr(kind, "predict", None)))


def ported(code: str) -> type[Ser]:
    """The model of a class; its code runs when the model is made."""
    where, name = parts_of(code)
    if where.endswith(".py") and not Path(where).is_file():
        raise UnknownName(f"There is no file {where}.")
    return type(name, (Ser,), {"code": code, "__doc__": f"{name}, a wrapper for emotions."})


def _mark(path: str) -> tuple[int, int] | None:
    """What changes when a file is written to."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _kind(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def _keys(returned: Mapping[str, Any]) -> str:
    return f"a dict with {', '.join(map(str, returned)) or 'nothing'}"
