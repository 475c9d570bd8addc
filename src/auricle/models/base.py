"""Base classes of models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Sequence
from typing import TypeAlias, TypeVar, cast

from auricle.core.calls import CallerInput, CallRecording, SessionEvent
from auricle.core.errors import Unsupported
from auricle.core.features import find_parts
from auricle.core.types import (
    ABILITY_BY_REQUEST,
    Ability,
    Call,
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Predict,
    Prediction,
    Request,
)
from auricle.models.listing import ModelListing

T = TypeVar("T")
Result = TypeVar("Result")
Key = TypeVar("Key", bound=Hashable)


class ModelAttributes:
    """What a model class declares about itself."""

    first_tokens: bool = False
    """Whether the model returns the most likely first tokens of an answer when a request asks for them."""
    wants_context: bool = False
    """Whether `request.context` should contain the task and the sample that a request belongs to."""
    wants_inputs: tuple[str, ...] = ()
    """Inputs or metadata fields of a sample, by name, that `request.context` should contain instead."""
    required_inputs: tuple[str, ...] = ()
    """Those of them without which the model cannot answer; a task whose samples all lack one is refused."""
    takes_pairs: bool = False
    """Whether one call compares two recordings, the inputs `a` and `b`, instead of rating one."""
    max_seconds: float | None = None
    """Longest clip that the model accepts. Samples beyond a limit are skipped, with the limit as their reason."""
    sample_rates: tuple[int, ...] | None = None
    """Sample rates of files that the model accepts."""
    languages: tuple[str, ...] | None = None
    """Languages that the model accepts, such as `en`; compared with the sample's field `language` or the task's."""
    modalities: tuple[str, ...] | None = None
    """What requests may contain: `text`, `audio`, `image`, `video`."""
    listing: ModelListing = ModelListing()
    """Group, packages and weights, for menus and lists."""


class AsyncModel(ModelAttributes):
    """A model that answers one request per call, with many calls in flight, such as an API.

    Override only the methods that the model supports. A task that needs another one is refused before anything is
    loaded.

    Examples:
        >>> class Parrot(AsyncModel):
        ...     async def generate(self, request):
        ...         return Generation(text="hello")
        >>> abilities(Parrot)
        ['generate']
    """

    limits_time: bool = False
    """Whether the model limits the time of its requests itself, as API models do (`-M timeout=SECONDS`)."""

    async def generate(self, request: Generate) -> Generation:
        """Write an answer.

        Args:
            request: The conversation, with its token limit, temperature and stop words.

        Returns:
            The answer as text, optionally with audio, token counts and log-probabilities.
        """
        raise Unsupported(f"{type(self).__name__} does not support text generation.")

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        """Score a continuation.

        Args:
            request: The conversation and the continuation to score.

        Returns:
            The log-probability of each token of the continuation.
        """
        raise Unsupported(f"{type(self).__name__} does not support log-likelihoods.")

    async def predict(self, request: Predict) -> Prediction:
        """Compute numbers, such as class probabilities or a quality score.

        Args:
            request: The named inputs of a sample.

        Returns:
            The values by name, and their scale.
        """
        raise Unsupported(f"{type(self).__name__} does not support predictions.")

    async def call(self, request: Call) -> CallRecording:
        """Hold a live conversation; see `SessionModel`.

        Args:
            request: What the caller does, with instructions and tools for the agent.

        Returns:
            Everything that happened.
        """
        raise Unsupported(f"{type(self).__name__} does not support live calls.")

    def stream(self, request: Generate) -> AsyncIterator[str]:
        """Yield text as it is produced; needed to measure the time to first token."""
        raise Unsupported(f"{type(self).__name__} does not support streaming.")

    def preview_request(self, request: Request) -> str:
        """Return the request exactly as it would be sent, or an empty string if there is no preview."""
        return ""

    async def close(self) -> None:
        """Release the resources of the model."""


class SessionModel(AsyncModel):
    """A model that listens and speaks at the same time: audio frames in, audio and events out.

    Override `session`. Pacing, playback, barge-in, recording and logs are the same for all session models.

    Examples:
        >>> from auricle.core.calls import AudioFrame, EventKind
        >>> class Echo(SessionModel):
        ...     async def session(self, call, inputs):
        ...         async for item in inputs:
        ...             if isinstance(item, AudioFrame):
        ...                 yield SessionEvent(kind=EventKind.AUDIO, item="echo", audio=item.samples)
        >>> abilities(Echo)
        ['call']
    """

    limits_time = True  # a call has its own limits
    input_rate: int = 24_000
    """Sample rate of the frames that the model takes."""
    output_rate: int = 24_000
    """Sample rate of the audio that it returns."""

    def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        """Hold one session.

        Args:
            call: Instructions, tools, language and mode. The steps of the caller are not for the model.
            inputs: What the caller sends, each at its time. It ends when the caller hangs up. The clock of the call
                starts when `READY` is yielded or the first input is taken.

        Yields:
            What the model does, as soon as it happens. An exception before the session is ready fails the sample:
            `Transient` for what may pass, `Rejected` for final refusals. Later, it drops the call. With
            `call.mode == "transcribe"` the session ends by itself after `EndOfAudio`, once all texts are final.
        """
        raise NotImplementedError

    async def call(self, request: Call) -> CallRecording:
        hold_call = find_parts("session_drivers")["call"].load()  # of the feature that knows what a caller does
        return cast(CallRecording, await hold_call(self, request))


class BatchModel(ModelAttributes):
    """A model that answers a list of requests of one kind, in order, such as local weights.

    Override only the methods that the model supports. A task that needs another one is refused before anything is
    loaded.

    Examples:
        >>> class Silence(BatchModel):
        ...     batch_size = 4
        ...     def generate(self, batch):
        ...         return [Generation(text="") for _ in batch]
        >>> abilities(Silence)
        ['generate']
    """

    batch_size: int = 8
    """Maximum number of requests per call."""
    batch_seconds: float | None = None
    """Maximum seconds of audio per call, padding included: number of requests × longest clip."""
    sample_rate: int | None = None
    """If set, audio is decoded to this rate in background threads before the call."""
    keeps_order: bool = False
    """Whether batches follow the order of the data, separately for each `subset`, instead of the lengths of clips."""

    def generate(self, batch: Sequence[Generate]) -> Sequence[Generation]:
        """Write one answer per request.

        Args:
            batch: Conversations, each with its own token limit, temperature and stop words.

        Returns:
            The answers, in the order of the requests.
        """
        raise Unsupported(f"{type(self).__name__} does not support text generation.")

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> Sequence[Likelihood]:
        """Score one continuation per request.

        Args:
            batch: Conversations and the continuations to score.

        Returns:
            The log-probabilities of each continuation, in the order of the requests.
        """
        raise Unsupported(f"{type(self).__name__} does not support log-likelihoods.")

    def predict(self, batch: Sequence[Predict]) -> Sequence[Prediction]:
        """Compute numbers for each request, such as class probabilities or a quality score.

        Args:
            batch: The named inputs of each sample.

        Returns:
            The values by name and their scale, in the order of the requests.
        """
        raise Unsupported(f"{type(self).__name__} does not support predictions.")

    def preview_request(self, request: Request) -> str:
        """Return the prompt exactly as the model reads it, or an empty string if there is no preview."""
        return ""

    def close(self) -> None:
        """Release the resources of the model."""


Model: TypeAlias = AsyncModel | BatchModel
"""A model of either kind."""


def abilities(cls: type[Model]) -> list[Ability]:
    """Return the kinds of request that a model class answers.

    Args:
        cls: A subclass of `AsyncModel` or `BatchModel`.

    Returns:
        The names of the overridden methods, plus `first_tokens` if the class sets that attribute.

    Examples:
        >>> class Scorer(BatchModel):
        ...     def predict(self, batch):
        ...         return [Prediction(values={"mos": 3.0}, scale="continuous") for _ in batch]
        >>> abilities(Scorer)
        ['predict']
    """
    base = AsyncModel if issubclass(cls, AsyncModel) else BatchModel
    names = [name for name in ABILITY_BY_REQUEST.values() if hasattr(base, name)]
    supported = [name for name in names if getattr(cls, name) is not getattr(base, name)]
    return [*supported, "first_tokens"] if getattr(cls, "first_tokens", False) else supported


def answer_in_groups(
    items: Sequence[T], keys: Sequence[Key], answer: Callable[[Key, list[T]], Iterable[Result]]
) -> list[Result]:
    """Answer items with one call per key, and return the results in the order of the items."""
    results: dict[int, Result] = {}
    for group_key in dict.fromkeys(keys):
        indices = [index for index, key in enumerate(keys) if key == group_key]
        results |= zip(indices, answer(group_key, [items[index] for index in indices]), strict=True)
    return [results[index] for index in range(len(items))]
