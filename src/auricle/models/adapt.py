"""Turn a plain function, or a class that does not inherit from `AsyncModel` or `BatchModel`, into a model class.

A function declares its inputs by parameter name: `audio`, `audios`, `text`, `image`, `images`, `video`, `videos`,
`request`, `seed`, or the name of an input or of a metadata field of the sample. It returns text, a number, a
dict of numbers, a list of segments (see `auricle.core.segments`), a sound (see `auricle.models.spoken_output`), or an
`Output`; NumPy's types are converted. A function that imitates a voice takes `prompt_audio` and `prompt_text`, too.
A function of one `audio` that returns a vector is asked for both recordings of a trial, and their cosine is the score.
A function of `a` and `b`, of `audio_a` and `audio_b` or of `audios` compares two recordings.
"""

from __future__ import annotations

import inspect
import logging
import math
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import partial
from numbers import Real
from typing import Any, Literal, TypeAlias

from auricle.core.calls import CallerInput, EventKind, SessionEvent
from auricle.core.errors import InvalidEvent, SampleError, SpecError
from auricle.core.segments import join_texts, parse_segments
from auricle.core.types import (
    ABILITY_BY_REQUEST,
    Ability,
    Call,
    Generation,
    Likelihood,
    Output,
    Predict,
    Prediction,
    Request,
)
from auricle.models.base import AsyncModel, BatchModel, Model, ModelAttributes, SessionModel
from auricle.models.embeddings import SCORE, EmbeddingModel, TrialScorer, is_trial
from auricle.models.request_input import get_voice_prompt
from auricle.models.spoken_output import to_spoken_output

ABILITIES_BY_ANNOTATION: Mapping[str, Ability] = {
    **dict.fromkeys(("str", "Generation", "list", "tuple", "Audio", "bytes"), "generate"),
    **dict.fromkeys(("dict", "Dict", "Mapping", "Prediction", "float", "int"), "predict"),
}
"""What a function with this return annotation is used for; its module and what is in brackets do not matter."""
VECTOR_ANNOTATIONS = ("list[float]", "tuple[float, ...]")
"""Annotations of functions that return embeddings; other lists are segments."""
PROMPT_PARAMETERS = ("text", "request")
"""Parameters of functions that read the prompt, which only requests for text have."""
REQUEST_PARAMETERS = (*PROMPT_PARAMETERS, *("audio", "audios", "image", "images", "video", "videos", "seed"))
"""Parameters of functions that every request can fill."""
PAIR_PARAMETERS = (("a", "b"), ("audio_a", "audio_b"), ("audios",))
"""Parameters of functions that receive both recordings of a pair."""
OTHER_RECORDINGS = {"a", "b", "audio_a", "audio_b", "audios", "request"}
"""Parameters of functions that receive both recordings of a trial at once."""
SUM_TOLERANCE = 1e-3
NO_DEFAULT = inspect.Parameter.empty

CallPlan: TypeAlias = tuple[Sequence[Request], Callable[[list[Any]], Output]]
"""The calls of a function that a request needs, and what turns the returned values into an output."""

logger = logging.getLogger(__name__)


def adapt(thing: Any) -> type[Model]:
    """Return a model class for `thing`.

    Args:
        thing: A model class, any other class with `generate`, `loglikelihood`, `predict`, `session` or `__call__`, an
            instance of either, or a function.

    Returns:
        `thing` itself if it already is a model class, otherwise a new class that wraps it.

    Raises:
        SpecError: if `thing` cannot be used as a model.

    Examples:
        >>> from auricle.models import abilities
        >>> def transcribe(audio) -> str:
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
    if isinstance(thing, (AsyncModel, BatchModel)):
        # `__new__` returns the instance itself, which is then not initialised again.
        return type(type(thing).__name__, (type(thing),), {"__new__": lambda _: thing, "__init__": lambda _: None})
    if _has_sessions(thing):
        return _wrap_sessions(type(thing), lambda: thing)
    if method_names := _list_methods(thing):
        return _wrap_methods(type(thing), method_names, lambda: thing)
    if callable(thing):
        return _wrap_function(thing)
    raise SpecError(f"Not a model: {thing!r} is neither a class nor a function.")


def _wrap_class(cls: type[Any]) -> type[Model]:
    """Wrap a class with `session`, `generate`, `loglikelihood` or `predict`, or whose instances are callable."""
    if _has_sessions(cls):
        return _wrap_sessions(cls, cls)
    if callable(getattr(cls, "embed", None)) and not callable(getattr(cls, "predict", None)):
        return _wrap_embedder(cls)
    if method_names := _list_methods(cls):
        return _wrap_methods(cls, method_names, cls)
    if "__call__" in vars(cls) or any("__call__" in vars(base) for base in cls.__mro__[:-1]):
        return _wrap_function(cls.__call__, factory=cls)
    raise SpecError(
        f"Not a model: {cls.__name__}. "
        "Define generate(batch), predict(batch), embed(audios), session(call, inputs) or __call__(audio)."
    )


def _wrap_embedder(cls: type[Any]) -> type[Model]:
    """Wrap a class whose method `embed` returns one vector per recording."""

    def start(self: Any, **arguments: Any) -> None:
        self.inner = cls(**arguments)
        vars(self).update(_list_declared(self.inner))

    body: dict[str, Any] = {**_list_declared(cls), "embed": lambda self, audios: self.inner.embed(audios)}
    if callable(getattr(cls, "close", None)):
        body["close"] = lambda self: self.inner.close()
    return type(cls.__name__, (EmbeddingModel,), {**body, "__init__": start, "__doc__": cls.__doc__})


def _list_methods(thing: Any) -> list[Ability]:
    return [name for name in ABILITY_BY_REQUEST.values() if callable(getattr(thing, name, None))]


def _wrap_methods(cls: type[Any], method_names: Sequence[Ability], factory: Callable[..., Any]) -> type[Model]:
    asynchronous = inspect.iscoroutinefunction(getattr(cls, method_names[0]))

    def start(self: Any, **arguments: Any) -> None:
        self.inner = factory(**arguments)
        self.to_output = OutputConverter(cls.__name__)
        vars(self).update(_list_declared(self.inner))

    def forward(name: str) -> Callable[..., Any]:
        async def answer(self: Any, request: Request) -> Any:
            return self.to_output(await getattr(self.inner, name)(request), request)

        def answer_all(self: Any, batch: Sequence[Request]) -> Any:
            outputs = list(getattr(self.inner, name)(batch))
            if len(outputs) != len(batch):  # the number is checked, and named, where the batch was sent
                return outputs
            return [self.to_output(output, request) for output, request in zip(outputs, batch, strict=True)]

        return answer if asynchronous else answer_all

    body: dict[str, Any] = {**_list_declared(cls), **{name: forward(name) for name in method_names}}
    if callable(getattr(cls, "close", None)):
        body["close"] = lambda self: self.inner.close()
    base: type[Model] = AsyncModel if asynchronous else BatchModel
    with suppress(ValueError):  # a class that is not written in Python may have none
        body["__signature__"] = inspect.signature(factory)
    return type(cls.__name__, (base,), {**body, "__init__": start, "__doc__": cls.__doc__})


def _has_sessions(thing: Any) -> bool:
    return callable(getattr(thing, "session", None))


def _wrap_sessions(cls: type[Any], factory: Callable[..., Any]) -> type[Model]:
    """Wrap a class whose sessions yield events, or just audio (arrays of int16) and text (what the agent speaks)."""
    if not inspect.isasyncgenfunction(cls.session):
        raise SpecError(f"{cls.__name__}.session must be an async generator: `async def session(…)` with `yield`.")

    def start(self: Any, **arguments: Any) -> None:
        self.inner = factory(**arguments)
        vars(self).update(_list_declared(self.inner))

    async def session(self: Any, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        async with aclosing(self.inner.session(call, inputs)) as events:
            async for event in events:
                yield _to_session_event(event)

    async def close(self: Any) -> None:
        closed = getattr(self.inner, "close", lambda: None)()
        if inspect.isawaitable(closed):
            await closed

    body = {"__init__": start, "session": session, "close": close, "__doc__": cls.__doc__}
    return type(cls.__name__, (SessionModel,), {**_list_declared(cls), **body})


def _to_session_event(value: Any) -> SessionEvent:
    if isinstance(value, SessionEvent):
        return value
    if isinstance(value, str):
        return SessionEvent(kind=EventKind.TRANSCRIPT, text=value)
    if hasattr(value, "dtype"):
        return SessionEvent(kind=EventKind.AUDIO, audio=value)
    kind = type(value).__name__
    raise InvalidEvent(f"the session yielded {kind}; expected a SessionEvent, an array of int16 or text")


def _list_declared(thing: Any) -> dict[str, Any]:
    """Return the attributes of a class or object that declare something about a model, such as `max_seconds`."""
    names = (*ModelAttributes.__annotations__, *BatchModel.__annotations__, *SessionModel.__annotations__)
    return {name: getattr(thing, name) for name in names if hasattr(thing, name)}


def _wrap_function(function: Callable[..., Any], factory: type[Any] | None = None) -> type[Model]:
    """Wrap a function that takes one request per call, so that an error fails only its own sample."""
    parameters = _list_parameters(function)
    name = getattr(factory or function, "__name__", type(function).__name__)

    def start(self: Any, **arguments: Any) -> None:
        self.call = factory(**arguments) if factory else function
        self.to_output = OutputConverter(name)
        self.trials = TrialScorer()
        self.extra = {} if factory else arguments
        if unknown := [name for name in self.extra if name not in parameters]:
            raise SpecError(
                f"{name}: unknown argument {', '.join(unknown)}. Accepted: {', '.join(parameters) or 'none'}."
            )

    def call_function(self: Any, request: Request) -> Any:
        values = {**_collect_arguments(request), **self.extra}
        if missing := [name for name, default in parameters.items() if default is NO_DEFAULT and name not in values]:
            raise SampleError(f"{name} takes {missing[0]!r}, which the sample does not have")
        return self.call(**{name: values[name] for name in parameters if name in values})

    embeds = "audio" in parameters and not OTHER_RECORDINGS & {*parameters}

    async def answer(self: Any, request: Request) -> Output:
        calls, finish = _plan_calls(self, request, embeds=embeds)
        return finish([await call_function(self, call) for call in calls])

    def answer_all(self: Any, batch: Sequence[Request]) -> list[Output]:
        plans = (_plan_calls(self, request, embeds=embeds) for request in batch)
        return [finish([call_function(self, call) for call in calls]) for calls, finish in plans]

    asynchronous = inspect.iscoroutinefunction(function)
    abilities = _infer_abilities(function, list(parameters))
    methods: dict[str, Any] = dict.fromkeys(abilities, answer if asynchronous else answer_all)
    from_sample = [name for name in parameters if name not in (*REQUEST_PARAMETERS, "audio_a", "audio_b")]
    body = {
        "__init__": start,
        **methods,
        **(_list_declared(factory) if factory else {}),
        "batch_size": 1,
        "takes_pairs": any(parameters.keys() >= {*pair} for pair in PAIR_PARAMETERS),
        "wants_inputs": tuple(from_sample),
        "required_inputs": tuple(name for name in from_sample if parameters[name] is NO_DEFAULT),
    }
    base: type[Model] = AsyncModel if asynchronous else BatchModel
    return type(name, (base,), body)


def _plan_calls(model: Any, request: Request, *, embeds: bool) -> CallPlan:
    """Return the calls of a wrapped function that a request needs: one, or one per recording of a trial."""
    if embeds and is_trial(request):
        trial = model.trials.open(request)
        return trial.questions, partial(model.trials.score, trial)
    return (request,), lambda values: model.to_output(values[0], request)


def _list_parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the defaults of a function's named parameters."""
    parameters = inspect.signature(function).parameters.values()
    named = [item for item in parameters if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)]
    return {item.name: item.default for item in named if item.name != "self"}


def _infer_abilities(function: Callable[..., Any], parameter_names: Sequence[str]) -> list[Ability]:
    """Return what a function can be asked for: both text and numbers, unless its annotation or parameters decide."""
    returns = inspect.signature(function).return_annotation
    if str(returns) in VECTOR_ANNOTATIONS:
        return ["predict"]
    annotation = returns if isinstance(returns, str) else getattr(returns, "__name__", str(returns))
    if ability := ABILITIES_BY_ANNOTATION.get(annotation.partition("[")[0].rpartition(".")[2]):
        return [ability]
    return ["generate"] if set(PROMPT_PARAMETERS) & set(parameter_names) else ["generate", "predict"]


def _collect_arguments(request: Request) -> dict[str, Any]:
    """Return the values that a function can take, by parameter name."""
    arguments: dict[str, Any] = {
        "request": request,
        "audio": request.audio,
        "audios": request.audios,
        "image": next(iter(request.images), None),
        "images": request.images,
        "video": next(iter(request.videos), None),
        "videos": request.videos,
        "text": request.text,
        "seed": getattr(request, "seed", 0),
    }
    if len(request.audios) == 2:
        a, b = request.audios
        arguments |= {"a": a, "b": b, "audio_a": a, "audio_b": b}
    if voice := get_voice_prompt(request):
        arguments |= {"prompt_audio": voice.audio, "prompt_text": voice.text}
    context = getattr(request, "context", {})
    return {**context, **arguments, **(request.inputs if isinstance(request, Predict) else {})}


class OutputConverter:
    """Converts what a function returns to an output.

    Args:
        name: Name of the function, for messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._scale: Literal["probability", "continuous"] | None = None

    def __call__(self, value: Any, request: Request) -> Output:
        value = _to_plain(value)
        if isinstance(value, (Generation, Likelihood, Prediction)):
            return value
        if spoken := to_spoken_output(value):
            return spoken
        if isinstance(value, str):
            return Generation(text=str(value))
        if isinstance(value, Real):
            if isinstance(request, Predict):
                name = SCORE if is_trial(request) else "value"
                return Prediction(values={name: float(value)}, scale="continuous")
            return Generation(text=str(value))
        if isinstance(value, Mapping):
            return _to_transcript(value) or self._to_prediction(value, request)
        if isinstance(value, (list, tuple)):
            segments = parse_segments(value)
            return Generation(text=join_texts(segments), segments=segments)
        raise SampleError(
            f"the model returned {type(value).__name__}; expected text, a number, a dict of numbers, "
            "a list of segments, audio as (samples, rate), or a Generation, Likelihood or Prediction"
        )

    def _to_prediction(self, value: Mapping[Any, Any], request: Request) -> Prediction:
        if not isinstance(request, Predict):
            raise SampleError(
                "the model returned a dict, but the task asks for text. If the task accepts class scores or "
                f"dimensions, annotate the function: `def {self._name}(…) -> dict`"
            )
        values = {str(name): _to_plain(number) for name, number in value.items()}
        if wrong := [name for name, number in values.items() if not isinstance(number, Real)]:
            kind = type(values[wrong[0]]).__name__
            raise SampleError(f"the model returned {kind} for {wrong[0]!r}; expected a dict of numbers, or text")
        numbers = {name: float(number) for name, number in values.items()}
        if self._scale is None:
            self._scale = self._choose_scale(numbers, request.labels)
        return Prediction(values=numbers, scale=self._scale)

    def _choose_scale(
        self, numbers: Mapping[str, float], labels: Sequence[str]
    ) -> Literal["probability", "continuous"]:
        """Decide from the first dict whether all are probabilities of labels or dimensions, and log it."""
        has_labels = bool({label.casefold() for label in labels} & {name.casefold() for name in numbers})
        sums_to_1 = math.isclose(sum(numbers.values()), 1.0, abs_tol=SUM_TOLERANCE)
        if has_labels and sums_to_1 and min(numbers.values()) >= 0:
            logger.warning("%s returns labels with values that sum to 1: they are taken as probabilities.", self._name)
            return "probability"
        if has_labels:
            logger.warning("%s returns labels with values that do not sum to 1: they are used unchanged.", self._name)
        else:
            logger.warning(
                "%s returns names that are not labels of the task: they are taken as dimensions.", self._name
            )
        return "continuous"


def _to_transcript(value: Mapping[Any, Any]) -> Generation | None:
    """Return the text, maybe with segments, that pipelines of transformers return; None if there is no text."""
    if not isinstance(value.get("text"), str):
        return None
    segments = value.get("segments") or value.get("chunks")
    return Generation(text=value["text"], segments=parse_segments(segments) if segments else None)


def _to_plain(value: Any) -> Any:
    """Convert a NumPy scalar, or an array or tensor with one element, to a Python value."""
    if isinstance(value, (str, Mapping)) or not hasattr(value, "item"):
        return value
    try:
        return value.item()
    except (RuntimeError, ValueError):  # more than one element
        return value
