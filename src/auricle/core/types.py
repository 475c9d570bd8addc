"""The nouns. Frozen and plain; below them lie only `audio` and `errors`.

A `Sample` is asked of a model as one or more `Request`s; each is answered with
an `Output`; what became of the sample is a `Record`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from auricle.audio import Audio, Image, Video

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Part: TypeAlias = str | Audio | Image | Video


@dataclass(frozen=True, slots=True)
class Turn:
    """One speaker's contribution: text and media, in order."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


Input: TypeAlias = Part | Sequence[Part] | Sequence[Turn]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One row of a dataset: named inputs and what a good answer would be."""

    id: str
    inputs: Mapping[str, Input]
    target: Json = None
    meta: Mapping[str, Json] = field(default_factory=dict)
    origin: str = ""
    """Where the row stands, such as `mine.jsonl:17`, for messages."""


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that could not become a sample: counted as failed, never dropped."""

    origin: str
    reason: str


# --- what a model can be asked -------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """Continue this conversation."""

    turns: tuple[Turn, ...]
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    first_tokens: int = 0
    """How many of the likeliest first tokens to tell beside the answer, with their chances."""
    answer_index: int = 0
    """Which of several answers to the same question this is to be."""
    context: Mapping[str, Json] = field(default_factory=dict, hash=False)
    """What is known of the task and the sample, for models that say they are to be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLikelihood:
    """How likely is `continuation` after these turns?"""

    turns: tuple[Turn, ...]
    continuation: str
    include_context: bool = False
    """Ask about every token, the context's too: the rule of older perplexity benchmarks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predict:
    """Map named inputs to named numbers: a classifier, a regressor, a reward model."""

    inputs: Mapping[str, Part]


Request: TypeAlias = Generate | LogLikelihood | Predict
Ability: TypeAlias = Literal["generate", "loglikelihood", "predict", "first_tokens"]
ABILITY_BY_REQUEST: Mapping[type, Ability] = {Generate: "generate", LogLikelihood: "loglikelihood", Predict: "predict"}


# --- what a model can answer ---------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Text, as the model wrote it, and what is known of its making; unknown is None."""

    text: str
    tokens: int | None = None
    """How many the model wrote."""
    input_tokens: int | None = None
    """How many it read, sounds included."""
    finish: str = ""
    """Why it stopped, in its own word: `stop`, `length`."""
    audio: Audio | None = None
    """What it said aloud; `text` is then the transcript."""
    logprobs: tuple[float, ...] | None = None
    """Natural-log probability of each token it wrote, where it was asked for and told."""
    first_token_logprobs: Mapping[str, float] | None = None
    """Natural-log probability of the likeliest first tokens, where it was asked for and told."""
    prompt: str = ""
    """What the model was really told, where it makes its prompts itself and says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """Natural-log probability of each token that was asked about."""

    logprobs: tuple[float, ...]
    greedy: bool | None = None
    """Is each of them the likeliest in its place? None where that is not told."""
    text: str = ""
    """What was asked about."""
    conditioned_on: Literal["context", "nothing", "itself"] = "context"
    """What stood before it: the prompt, nothing, or the prompt as part of what is asked about."""

    @property
    def total(self) -> float:
        return sum(self.logprobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Numbers, as the model emits them. Nothing in this package rescales them."""

    values: Mapping[str, float]
    scale: Literal["probability", "logit", "continuous"]


Output: TypeAlias = Generation | Likelihood | Prediction
Ask: TypeAlias = Callable[[Request], Awaitable[Output]]


# --- what is kept ---------------------------------------------------------------

Stat: TypeAlias = "float | Sequence[Json]"
"""What one sample adds to a metric: enough to aggregate, and no more."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a sample has no outputs: the error's name and its words."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What became of one sample: its outputs, or why there are none."""

    sample: Sample
    row: int
    """Position in the data; results are told in this order, whatever finished first."""
    key: str = ""
    """Digest of what was asked about, sounds included; a changed row is asked again."""
    outputs: tuple[Output, ...] = ()
    error: Failure | None = None
    seconds: float | None = 0.0
    """How long it took; None where nobody measured it."""
    attempts: int = 1
    audio_seconds: float | None = None
    """How long the sounds asked about are; None where there are none, or it is not known."""
    cached: int = 0
    """How many of the outputs were known from an earlier run, and so not paid for."""


MAX_TOKENS_FIELDS = ("max_tokens", "max_out_len")
"""Meta fields that say how long a sample's answer may be; they have the last word."""


def get_max_tokens(sample: Sample) -> Json:
    """How many tokens a sample's answer may have, or those of its turns; None if it is not said."""
    return next((sample.meta[name] for name in MAX_TOKENS_FIELDS if name in sample.meta), None)


def has_media(sample: Sample) -> bool:
    """Does knowing a sample's content mean reading files?"""
    return not all(
        isinstance(value, str) or all(type(part) is str for part in list_parts(value))
        for value in sample.inputs.values()
    )


def list_parts(value: Input) -> list[Part]:
    """The texts and media of an input, in order: one, several, or those of a conversation."""
    held = value if isinstance(value, (list, tuple)) else (value,)
    if not any(isinstance(each, Turn) for each in held):
        return list(held)
    return [part for each in held for part in (each.parts if isinstance(each, Turn) else (each,))]


def list_media(request: Request) -> list[Audio | Image | Video]:
    """Every sound and picture in a request, in order."""
    if isinstance(request, Predict):
        parts: Sequence[Part] = tuple(request.inputs.values())
    else:
        parts = [part for turn in request.turns for part in turn.parts]
    return [part for part in parts if not isinstance(part, str)]
