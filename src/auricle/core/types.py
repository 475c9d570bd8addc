"""The data types of Auricle: samples, requests, outputs and records.

A `Sample` becomes one or more `Request`s, each of which gets an `Output`. The result of a sample
is stored as a `Record`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from auricle.core.calls import Caller, CallRecording, Step, Tool
from auricle.core.fast_dataclass import make_fast_constructor
from auricle.core.truncation import was_cut_off
from auricle.media import Audio, Image, Video

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Part: TypeAlias = str | Audio | Image | Video


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation: text and media, in order.

    Examples:
        >>> Turn("user", (Audio("clip.wav"), "What is the speaker's mood?")).role
        'user'
    """

    role: Literal["system", "user", "assistant"]
    """Who speaks."""
    parts: tuple[Part, ...]
    """Texts, sounds, images and videos, in order."""


Input: TypeAlias = Part | Sequence[Part] | Sequence[Turn]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One row of a dataset: named inputs and the expected answer.

    Args:
        id: Unique name of the sample.
        inputs: Texts, media or turns by name.
        target: The expected answer, such as a transcript or a label.
        meta: Other fields of the row, to filter and group results by.
        origin: Location of the row for messages, such as `mine.jsonl:17`.

    Examples:
        >>> Sample(id="1", inputs={"audio": Audio("clip.wav")}, target="hello").target
        'hello'
    """

    id: str
    inputs: Mapping[str, Input]
    target: Json = None
    meta: Mapping[str, Json] = field(default_factory=dict)
    origin: str = ""


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that is not a valid sample. It counts as failed and is never dropped."""

    origin: str
    reason: str
    target: Json = None
    """The correct answer, if the row has one that could be read."""
    id: str = ""
    """The id that the row states; empty if it states none or the id is not valid."""
    meta: Mapping[str, Json] = field(default_factory=dict)


# --- requests -------------------------------------------------------------------


class RequestContent:
    """The texts and media of a request, whatever its kind."""

    __slots__ = ()

    @property
    def parts(self) -> list[Part]:
        """Texts and media, in order."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The text of the prompt; in a conversation without the assistant's earlier answers."""
        raise NotImplementedError

    @property
    def media(self) -> list[Audio | Image | Video]:
        """Audio, images and videos, in order."""
        return [part for part in self.parts if not isinstance(part, str)]

    @property
    def audios(self) -> list[Audio]:
        return [part for part in self.parts if isinstance(part, Audio)]

    @property
    def audio(self) -> Audio | None:
        """The first audio clip, if there is one."""
        return next(iter(self.audios), None)

    @property
    def images(self) -> list[Image]:
        return [part for part in self.parts if isinstance(part, Image)]

    @property
    def videos(self) -> list[Video]:
        return [part for part in self.parts if isinstance(part, Video)]


class Conversation(RequestContent):
    """A request with turns."""

    __slots__ = ()
    turns: tuple[Turn, ...]

    @property
    def parts(self) -> list[Part]:
        return [part for turn in self.turns for part in turn.parts]

    @property
    def text(self) -> str:
        texts = (part for turn in self.turns if turn.role != "assistant" for part in turn.parts)
        return "\n".join(part for part in texts if isinstance(part, str))


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate(Conversation):
    """A request to continue a conversation.

    Examples:
        >>> request = Generate(turns=(Turn("user", (Audio("clip.wav"), "What do you hear?")),))
        >>> request.audio.path.name, request.text
        ('clip.wav', 'What do you hear?')
    """

    turns: tuple[Turn, ...]
    """The conversation so far."""
    max_tokens: int = 512
    """Longest answer, in tokens."""
    temperature: float = 0.0
    """Randomness of the answer; 0 always takes the most likely token."""
    stop: tuple[str, ...] = ()
    """Texts that end the answer."""
    first_tokens: int = 0
    """Number of most likely first tokens to return with their log-probabilities."""
    answer_index: int = 0
    """Index among several requested answers to the same prompt."""
    seed: int = 0
    """Seed of this answer, for models that draw it at random: that of the run, plus the index of the answer."""
    context: Mapping[str, Json] = field(default_factory=dict, hash=False)
    """Facts about the task and the sample, for models with `wants_context` or `wants_inputs`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLikelihood(Conversation):
    """A request for the probability of `continuation` after these turns.

    Examples:
        >>> request = LogLikelihood(turns=(Turn("user", (Audio("clip.wav"), "Is it a dog?")),), continuation="Yes")
        >>> request.continuation
        'Yes'
    """

    turns: tuple[Turn, ...]
    """What precedes the text."""
    continuation: str
    """The text."""
    include_context: bool = False
    """Include the tokens of the context, as older perplexity benchmarks do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predict(RequestContent):
    """A request for named numbers, from a classifier, a regressor or a reward model.

    Examples:
        >>> Predict(inputs={"audio": Audio("clip.wav")}, labels=("happy", "sad")).audio.path.name
        'clip.wav'
    """

    inputs: Mapping[str, Part]
    """Texts and media by their names, such as `audio`."""
    labels: tuple[str, ...] = ()
    """The labels to choose from, if the task has any."""
    seed: int = 0
    """As in `Generate`."""
    context: Mapping[str, Json] = field(default_factory=dict, hash=False)
    """As in `Generate`."""

    @property
    def parts(self) -> list[Part]:
        return list(self.inputs.values())

    @property
    def text(self) -> str:
        return str(self.inputs.get("text", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(RequestContent):
    """A request to hold a live conversation with a scripted caller, or to transcribe audio while it is sent.

    Examples:
        >>> call = Call(steps=(Step(kind="say", audio=(Audio("hello.wav"), 0.5, Audio("there.wav"))),))
        >>> [audio.path.name for audio in call.audios]
        ['hello.wav', 'there.wav']
    """

    steps: tuple[Step, ...]
    mode: Literal["converse", "transcribe"] = "converse"
    """Whether the model responds, or only returns what it understands."""
    instructions: str = ""
    """System prompt of the agent."""
    tools: tuple[Tool, ...] = ()
    language: str = ""
    """Language of the caller, such as `en`."""
    turn_detection: Literal["model", "caller"] = "model"
    """Whether the model detects the end of turns, or the caller states it after each utterance."""
    max_seconds: float = 120.0
    """The caller hangs up after this time."""
    response_timeout: float = 10.0
    """Longest silence of the agent after the last turn before the caller hangs up."""
    caller: Caller | None = field(default=None, repr=False, compare=False)
    """Asked for a further step, after those of the script, whenever the agent has finished speaking or stays silent for
    `response_timeout`."""
    first_speaker: Literal["caller", "agent"] = "caller"
    """Whether a `caller` is asked for its first step at once, or when the agent has greeted it."""
    flush: Literal["on_signal", "never"] = "on_signal"
    """Whether the caller's player drops what it has not played when the model signals that the caller speaks."""
    prebuffer: float = 0.0
    """Seconds between the arrival of the first audio of a response and its playback."""
    keep_audio: bool = True
    """Whether the recording contains the audio of both sides."""
    seed: int = 0
    """As in `Generate`."""
    context: Mapping[str, Json] = field(default_factory=dict, hash=False)
    """As in `Generate`."""

    @property
    def parts(self) -> list[Part]:
        return [part for step in self.steps for part in step.audio if isinstance(part, Audio)]

    @property
    def text(self) -> str:
        return "\n".join(step.text for step in self.steps if step.text)


Request: TypeAlias = Generate | LogLikelihood | Predict | Call
Ability: TypeAlias = Literal["generate", "loglikelihood", "predict", "call", "first_tokens"]
ABILITY_BY_REQUEST: Mapping[type, Ability] = {
    Generate: "generate",
    LogLikelihood: "loglikelihood",
    Predict: "predict",
    Call: "call",
}


# --- outputs --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Timing:
    """When the parts of an answer arrived, in seconds since its request was sent; None for what did not happen.

    Only the parts of a streamed answer have times of their own.
    """

    first_byte: float | None = None
    first_token: float | None = None
    """The first part with content: text, reasoning, a tool call or audio."""
    first_audio: float | None = None
    last_token: float | None = None
    done: float | None = None
    """When the response was complete, including token counts and the end of the stream."""


MAX_TEXT_LENGTH = 1_000_000
"""Longest answer that is accepted and scored: one that a model repeated endlessly must not hold up all others."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a recording with what happens in it: a word, an utterance, a speaker's turn or a sound event.

    Args:
        start: Start in seconds from the start of the recording.
        end: End in seconds.
        text: The words that are spoken, or the label of a sound event.
        speaker: Who speaks; any name that is the same for all segments of a speaker.
        score: How certain the model is; any number that is higher for more certain segments.

    Examples:
        >>> Segment(0.5, 1.25, "good morning", speaker="anna").end
        1.25
    """

    start: float
    end: float
    text: str = ""
    speaker: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Generated text, unchanged, with what the model reports about it. Unknown values are None.

    Examples:
        >>> Generation(text="hello", tokens=1).text
        'hello'
    """

    text: str
    """The answer."""
    tokens: int | None = None
    """Number of generated tokens."""
    input_tokens: int | None = None
    """Number of input tokens, including audio."""
    finish: str = ""
    """Finish reason as the model reports it, such as `stop` or `length`."""
    audio: Audio | None = None
    """Spoken answer; `text` is then its transcript."""
    logprobs: tuple[float, ...] | None = None
    """Natural-log probability of each generated token, if requested and available."""
    first_token_logprobs: Mapping[str, float] | None = None
    """Natural-log probability of the most likely first tokens, if requested and available."""
    prompt: str = ""
    """The prompt that was used, from models that build prompts themselves and report them."""
    timing: Timing | None = field(default=None, compare=False)
    """When the parts of the answer arrived, if that was measured; equal answers may differ in it."""
    call: CallRecording | None = None
    """The live call in which the model returned the text, if it received the audio while it was spoken."""
    segments: tuple[Segment, ...] | None = None
    """The answer in time: words, utterances, speakers' turns or sound events. None if the model reports none; an empty
    tuple if it states that there are none."""

    @property
    def is_cut_off(self) -> bool:
        """Whether the text ends at a token limit or in the middle of reasoning; where first tokens matter, it may."""
        return self.first_token_logprobs is None and was_cut_off(self.text, self.finish)


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """Natural-log probability of each requested token.

    Examples:
        >>> Likelihood(logprobs=(-0.5, -1.5)).total
        -2.0
    """

    logprobs: tuple[float, ...]
    """Of each token, or their sum alone if `is_sum`."""
    greedy: bool | None = None
    """Whether each token is the most likely one at its position; None if unknown."""
    text: str = ""
    """The scored text."""
    conditioned_on: Literal["context", "nothing", "itself"] = "context"
    """What preceded the scored text: the prompt, nothing, or the prompt as part of the text."""
    is_sum: bool = False
    """Whether `logprobs` contains only the sum over all tokens, whose number is unknown."""

    @property
    def token_count(self) -> int | None:
        """Number of scored tokens; None if unknown."""
        return None if self.is_sum else len(self.logprobs)

    @property
    def total(self) -> float:
        return sum(self.logprobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Numbers exactly as the model returned them; Auricle never rescales them.

    Examples:
        >>> Prediction(values={"happy": 0.9, "sad": 0.1}, scale="probability").scale
        'probability'
    """

    values: Mapping[str, float]
    """A number for each label or dimension."""
    scale: Literal["probability", "logit", "continuous"]
    """What the numbers are."""


Output: TypeAlias = Generation | Likelihood | Prediction | CallRecording


def get_call(output: Output) -> CallRecording | None:
    """Return the recording of the live call that an output is or comes from, if any."""
    if isinstance(output, Generation):
        return output.call
    return output if isinstance(output, CallRecording) else None


Ask: TypeAlias = Callable[[Request], Awaitable[Output]]


# --- results --------------------------------------------------------------------

Stat: TypeAlias = "float | Sequence[Json]"
"""Statistic of one sample, from which a metric is aggregated."""


class Outcome(StrEnum):
    """What became of a sample."""

    ANSWERED = "answered"
    TRUNCATED = "truncated"
    """Answered with a reply that was cut off, at a token limit or in the middle of its reasoning."""
    EMPTY = "empty"
    """Answered without text, audio and segments; in a call, the agent neither spoke nor called a tool."""
    REFUSED = "refused"
    """Answered with a reply that declines to answer, or states that there is no audio or that it cannot be heard."""
    DROPPED = "dropped"
    """A call whose session the agent lost after it had begun: answered, and no success."""
    UNREADABLE = "unreadable"
    """Answered, but a metric finds no answer in the text."""
    FAILED = "failed"
    SKIPPED = "skipped"
    """Excluded by a rule of the model, such as a maximum duration."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a sample has no outputs: the name of the error class and its message."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The result of one sample: its outputs, or why there are none."""

    sample: Sample
    row: int
    """Position in the data; results are reported in this order."""
    key: str = ""
    """Digest of the inputs, media included; a row with another digest is sent again."""
    outputs: tuple[Output, ...] = ()
    error: Failure | None = None
    seconds: float | None = 0.0
    """Time that the model took: of a batch, this sample's share. None if it was not measured."""
    attempts: int = 1
    audio_seconds: float | None = None
    """Duration of the audio inputs; None if there are none or it is unknown."""
    cached: int = 0
    """Number of outputs taken from the response cache."""
    audio_not_sent: bool = False
    """Whether the sample has audio, but none of its requests contained audio or video."""
    wait_seconds: float | None = None
    """Time that its requests waited for a batch, a worker, a rate limit or a retry; None if it was not measured."""

    @property
    def is_cached(self) -> bool:
        """Whether all outputs are from the response cache, so that nothing was sent."""
        return self.cached > 0 and self.cached >= len(self.outputs)

    @property
    def call(self) -> CallRecording | None:
        """The recording of the last output that is a live call, or comes from one."""
        return next(filter(None, map(get_call, reversed(self.outputs))), None)

    @property
    def outcome(self) -> Outcome:
        """What became of the sample; whether an answer is refused or unreadable is known when it is scored."""
        return determine_outcome(self.outputs, self.error)


def determine_outcome(outputs: Sequence[Output], error: Failure | None) -> Outcome:
    """Return what became of a sample with these outputs, before it is scored; see `Record.outcome`."""
    if error:
        return Outcome.SKIPPED if error.kind == "Skipped" else Outcome.FAILED
    if any(isinstance(output, Generation) and output.is_cut_off for output in outputs):
        return Outcome.TRUNCATED
    last = outputs[-1] if outputs else None
    if isinstance(last, CallRecording) and last.is_dropped:
        return Outcome.DROPPED
    if isinstance(last, Generation) and (not last.text or last.text.isspace()):
        return Outcome.EMPTY if last.audio is None and last.segments is None else Outcome.ANSWERED
    if isinstance(last, CallRecording) and not (last.agent or last.text or last.tool_calls):
        return Outcome.EMPTY
    return Outcome.ANSWERED


# For what is created for every row; elsewhere the classes themselves are clearer.
create_sample, create_record = make_fast_constructor(Sample), make_fast_constructor(Record)
create_generation = make_fast_constructor(Generation)


MAX_TOKENS_FIELDS = ("max_tokens", "max_out_len")
"""Metadata fields that limit the length of a sample's answer; they override the task's limit."""


def get_max_tokens(sample: Sample) -> Json:
    """Return the maximum number of tokens that a sample's metadata sets, if any."""
    for name in MAX_TOKENS_FIELDS:
        if name in sample.meta:
            return sample.meta[name]
    return None


def has_media(sample: Sample) -> bool:
    """Return whether a sample has audio, images or videos."""
    for value in sample.inputs.values():  # a generator is slower, and this runs for every row
        if type(value) is not str and not all(isinstance(part, str) for part in list_parts(value)):
            return True
    return False


REFERENCE_INPUT = "reference"
"""Input with the recording that a spoken answer is compared with; it is never sent to a model."""

OTHER_VOICE_INPUT = "other_voice"
"""Input with a recording of another speaker, which gives the similarity of voices a meaning; it is not sent either."""
UNSENT_INPUTS = (REFERENCE_INPUT, OTHER_VOICE_INPUT)


def list_audio(sample: Sample) -> list[Audio]:
    """Return the audio of a sample that a model may listen to, in order."""
    values = (value for name, value in sample.inputs.items() if name not in UNSENT_INPUTS)
    return [part for value in values for part in list_parts(value) if isinstance(part, Audio)]


def has_audio(sample: Sample) -> bool:
    """Return whether a sample has audio that a model may listen to."""
    return bool(list_audio(sample))


def list_parts(value: Input) -> list[Part]:
    """Return the texts and media of an input, in order."""
    items = value if isinstance(value, (list, tuple)) else (value,)
    if not any(isinstance(item, Turn) for item in items):
        return list(items)
    return [part for item in items for part in (item.parts if isinstance(item, Turn) else (item,))]
