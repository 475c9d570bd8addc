"""Turn a plain function, or a class that does not inherit from `AsyncModel` or `BatchModel`, into a model class.

A function declares its inputs by parameter name: `audio`, `audios`, `text`, `image`, `video`, `request`, or a
named input of the sample. It returns a string, a dict of numbers, or an `Output`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from auricle.audio import Audio, Image, Video
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import (
    ABILITY_BY_REQUEST,
    Ability,
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Output,
    Predict,
    Prediction,
    Request,
    list_media,
)
from auricle.models.base import AsyncModel, BatchModel, Model

PREDICT_ANNOTATIONS = ("dict", "Dict", "Mapping", "Prediction")  # return annotations that mean `predict`


def adapt(thing: Any) -> type[Model]:
    """Return a model class for `thing`.

    Args:
        thing: A model class, any other class with `generate`, `loglikelihood`, `predict` or `__call__`, or a function.

    Returns:
        `thing` itself if it already is a model class, otherwise a new class that wraps it.

    Raises:
        SpecError: if `thing` cannot be used as a model.

    Example:
        >>> from auricle.models import abilities
        >>> def transcribe(audio):
        ...     return "hello"
        >>> adapt(transcribe).__name__
        'transcribe'
        >>> abilities(adapt(transcribe))
        ['generate']
    """
    if inspect.isclass(thing) and issubclass(thing, (AsyncModel, BatchModel)):
        return thing
    if inspect.isclass(thing):
        return _wrap_class(thing)
    if callable(thing):
        return _wrap_function(thing)
    raise SpecError(f"Not a model: {thing!r} is neither a class nor a function.")


def _wrap_class(cls: type[Any]) -> type[Model]:
    """Wrap a class with `generate`, `loglikelihood` or `predict`, or whose instances are callable."""
    method_names = [name for name in ABILITY_BY_REQUEST.values() if callable(getattr(cls, name, None))]
    if method_names:
        return _wrap_methods(cls, method_names)
    if "__call__" in vars(cls) or any("__call__" in vars(base) for base in cls.__mro__[:-1]):
        return _wrap_function(cls.__call__, factory=cls)
    raise SpecError(f"Not a model: {cls.__name__}. Define generate(batch), predict(batch) or __call__(audio).")


def _wrap_methods(cls: type[Any], method_names: Sequence[Ability]) -> type[Model]:
    asynchronous = inspect.iscoroutinefunction(getattr(cls, method_names[0]))

    def start(self: Any, **arguments: Any) -> None:
        self.inner = cls(**arguments)
        for name in ("batch_size", "batch_seconds", "sample_rate"):
            if hasattr(self.inner, name):
                setattr(self, name, getattr(self.inner, name))

    def forward(name: str) -> Callable[..., Any]:
        def call(self: Any, argument: Any) -> Any:
            return getattr(self.inner, name)(argument)

        return call

    body: dict[str, Any] = {name: forward(name) for name in method_names}
    if callable(getattr(cls, "close", None)):
        body["close"] = lambda self: self.inner.close()
    base: type[Model] = AsyncModel if asynchronous else BatchModel
    return type(cls.__name__, (base,), {**body, "__init__": start, "__doc__": cls.__doc__})


def _wrap_function(function: Callable[..., Any], factory: type[Any] | None = None) -> type[Model]:
    """Wrap a function that takes one request per call, so that an error fails only its own sample."""
    ability = _infer_ability(function)
    parameter_names = [name for name in inspect.signature(function).parameters if name != "self"]

    def start(self: Any, **arguments: Any) -> None:
        self.call = factory(**arguments) if factory else function
        self.extra = {} if factory else arguments
        if unknown := [name for name in self.extra if name not in parameter_names]:
            raise SpecError(
                f"{function.__name__}: unknown argument {', '.join(unknown)}. "
                f"Accepted: {', '.join(parameter_names) or 'none'}."
            )

    def call_function(self: Any, request: Request) -> Any:
        values = _collect_arguments(request)
        return self.call(**{name: values[name] for name in parameter_names if name in values}, **self.extra)

    async def answer(self: Any, request: Request) -> Output:
        return _to_output(await call_function(self, request))

    def answer_all(self: Any, batch: Sequence[Request]) -> list[Output]:
        return [_to_output(call_function(self, request)) for request in batch]

    asynchronous = inspect.iscoroutinefunction(function)
    name = (factory or function).__name__
    body = {"__init__": start, ability: answer if asynchronous else answer_all, "batch_size": 1}
    base: type[Model] = AsyncModel if asynchronous else BatchModel
    return type(name, (base,), body)


def _infer_ability(function: Callable[..., Any]) -> Ability:
    returns = inspect.signature(function).return_annotation
    name = returns if isinstance(returns, str) else getattr(returns, "__name__", str(returns))
    return "predict" if name.startswith(PREDICT_ANNOTATIONS) else "generate"


def _collect_arguments(request: Request) -> dict[str, Any]:
    """Return the values that a function can take, by parameter name."""
    media = list_media(request)
    audios = [part for part in media if isinstance(part, Audio)]
    arguments: dict[str, Any] = {
        "request": request,
        "audio": audios[0] if audios else None,
        "audios": audios,
        "image": next((part for part in media if isinstance(part, Image)), None),
        "video": next((part for part in media if isinstance(part, Video)), None),
        "text": extract_request_text(request),
    }
    return {**arguments, **request.inputs} if isinstance(request, Predict) else arguments


def extract_request_text(request: Request) -> str:
    """Return the text of a request without the assistant's earlier answers."""
    if isinstance(request, Predict):
        return str(request.inputs.get("text", ""))
    turns = request.turns if isinstance(request, (Generate, LogLikelihood)) else ()
    parts = [part for turn in turns if turn.role != "assistant" for part in turn.parts]
    return "\n".join(part for part in parts if isinstance(part, str))


def _to_output(value: Any) -> Output:
    """Convert a string to a generation and a dict of numbers to a continuous prediction."""
    if isinstance(value, (Generation, Likelihood, Prediction)):
        return value
    if isinstance(value, str):
        return Generation(text=value)
    if isinstance(value, Mapping):
        numbers = cast(Mapping[str, Any], value)
        return Prediction(values={str(name): float(number) for name, number in numbers.items()}, scale="continuous")
    raise SampleError(
        f"the model returned {type(value).__name__}; expected text, a dict of numbers, "
        "or a Generation, Likelihood or Prediction"
    )
