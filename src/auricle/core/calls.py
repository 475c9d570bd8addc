"""The data types of live calls: what a caller does, what happens during a call, and its recording.

All times of a call are seconds on one monotonic clock that starts when the session is ready. A frame of the caller's
audio is due when it is complete, as from a microphone: the first one 20 ms after the start. Unknown values are None,
never zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from auricle.media import Audio

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

FRAME_SECONDS = 0.02
"""Duration of the frames in which a caller's audio is sent."""


# --- what the caller does -------------------------------------------------------

StepKind: TypeAlias = Literal["say", "interrupt", "backchannel", "vocalise", "aside", "noise", "wait"]
StartPoint: TypeAlias = Literal["previous", "agent_start", "agent_end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that the caller does, and when.

    >>> Step(kind="interrupt", audio=(Audio("wait.wav"),), start="agent_start", delay=1.0).expects_response
    True
    """

    kind: StepKind
    """`say` and `interrupt` ask for a response. A backchannel ("mm-hm"), a vocalisation (cough, hum), an aside to
    another person and noise do not. `wait` is silence."""
    audio: tuple[Audio | float, ...] = ()
    """Clips, and pauses between them in seconds."""
    trim: bool = True
    """Whether silence at the start and the end of clips is left out; otherwise they are sent unchanged, even if nothing
    in them is audible."""
    text: str = ""
    """What is spoken."""
    start: StartPoint = "previous"
    """What the step waits for: the end of the previous step, or the start or end of the agent's speech as played.
    Speech that ended before the previous step did does not count."""
    delay: float = 0.0
    """Seconds between that and the step."""
    limit: float = 10.0
    """Longest silence of the agent to wait through; the caller then goes on."""

    @property
    def expects_response(self) -> bool:
        return self.kind in ("say", "interrupt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function that the agent may call, and what it returns."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """JSON schema of the arguments."""
    result: str = "{}"
    """What every call of it returns, as JSON."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one side spoke, in the dialogue of a call so far."""

    speaker: Literal["caller", "agent"]
    text: str


class Caller(Protocol):
    """A caller that decides during the call what to do next, such as one driven by a language model."""

    async def next_step(self, dialogue: Sequence[Utterance]) -> Step | None:
        """Return the next step of the caller, or None to hang up.

        Args:
            dialogue: What was spoken so far: the texts of the caller's steps, and the agent's transcript as far as it
                was played. It ends with a caller's utterance if the agent did not respond in time.
        """


# --- what a caller sends to a model ---------------------------------------------


@dataclass(frozen=True, slots=True)
class AudioFrame:
    """The next frame of the caller's audio, 16-bit mono at the model's `input_rate`; silence between utterances."""

    samples: NDArray[int16] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class StartOfTurn:
    """The caller begins a turn, and an answer that is not complete is not wanted any more; see `EndOfTurn`."""


@dataclass(frozen=True, slots=True)
class EndOfTurn:
    """The caller's turn is over, and a response is due; for models that do not detect turns themselves."""


@dataclass(frozen=True, slots=True)
class EndOfAudio:
    """No audio follows; a streaming recogniser returns what it has not returned yet."""


@dataclass(frozen=True, slots=True)
class Truncate:
    """Only the first `seconds` of an item were played to the caller."""

    item: str
    seconds: float


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call, after which the agent goes on."""

    call_id: str
    name: str
    result: str


CallerInput: TypeAlias = AudioFrame | StartOfTurn | EndOfTurn | EndOfAudio | Truncate | ToolResult


# --- what happens ---------------------------------------------------------------


class EventKind(StrEnum):
    """What an event means, whatever its name in the protocol."""

    READY = "ready"
    """The session is configured, and audio may be sent."""
    SPEECH_STARTED = "speech_started"
    """The model detected the start of the caller's speech, at `position` of the audio sent."""
    SPEECH_STOPPED = "speech_stopped"
    COMMITTED = "committed"
    """The model took the caller's turn as complete."""
    PARTIAL = "partial"
    """What the model has understood so far in segment `item`; `text` replaces what the segment had before."""
    FINAL = "final"
    """What the model has understood in segment `item`; it will not change any more."""
    RESPONSE_STARTED = "response_started"
    AUDIO = "audio"
    """Speech of the agent for `item`, `seconds` long."""
    TRANSCRIPT = "transcript"
    """A further part of the text that the agent speaks in `item`."""
    TOOL_CALL = "tool_call"
    """A complete tool call: `data` has `call_id`, `name` and `arguments` (an object)."""
    INTERRUPTED = "interrupted"
    """The model stopped its response because the caller spoke."""
    RESPONSE_DONE = "response_done"
    """The response has been sent completely or was given up; `data["status"]` is `completed`, `cancelled`, `failed` or
    `incomplete`."""
    TRUNCATED = "truncated"
    """The model acknowledged that only the first `seconds` of `item` were played."""
    USAGE = "usage"
    """Token counts in `data`, to be added up."""
    ERROR = "error"
    """The model reported a problem, and the session continues."""
    OTHER = "other"
    """Anything else, such as an unknown event."""
    # Only in logs, from the caller's side:
    STEP_STARTED = "step_started"
    """The first audible sample of step `data["step"]` was due, before which the first clip has `data["lead"]`
    seconds of silence. `data["timed_out"]` is true if the caller went on after the step's `limit`."""
    STEP_ENDED = "step_ended"
    """The last audible sample of step `data["step"]` was due."""
    START_OF_TURN = "start_of_turn"
    END_OF_TURN = "end_of_turn"
    END_OF_AUDIO = "end_of_audio"
    TRUNCATE = "truncate"
    TOOL_RESULT = "tool_result"
    PLAYBACK_STARTED = "playback_started"
    """The player began to play `item`."""
    PLAYBACK_FLUSHED = "playback_flushed"
    """The player dropped what it had not played of `item`; `seconds` of it were played."""
    PLAYBACK_ENDED = "playback_ended"
    UNDERRUN = "underrun"
    """The player had nothing to play for `seconds` though the response was not complete. Only for models that yield
    RESPONSE_STARTED and RESPONSE_DONE; without them it is not known."""
    DROPPED = "dropped"
    """The session was lost after it was ready; `text` states why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvent:
    """An event as a session model yields it."""

    kind: EventKind
    type: str = ""
    """Its name in the protocol."""
    item: str = ""
    """Id of the item, response or segment that it belongs to."""
    text: str = ""
    position: float | None = None
    """Seconds of the caller's audio, counted from its first frame."""
    seconds: float | None = None
    audio: NDArray[int16] | None = field(default=None, repr=False, compare=False)
    """16-bit mono at the model's `output_rate`."""
    words: tuple[tuple[str, float, float], ...] | None = None
    """Words with start and end in seconds of the caller's audio, from recognisers that return them."""
    data: Mapping[str, Any] = field(default_factory=dict)
    received_at: float | None = None
    """`time.monotonic()` when it arrived, before it was parsed. [default: when it is yielded]"""


EventSide: TypeAlias = Literal["received", "sent", "played", "script"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event in the log of a call."""

    at: float
    """Seconds on the clock of the call."""
    side: EventSide
    kind: EventKind
    type: str = ""
    item: str = ""
    text: str = ""
    position: float | None = None
    seconds: float | None = None
    words: tuple[tuple[str, float, float], ...] | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


# --- what is recorded -----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """An interval of speech or other sound on one track of a call."""

    start: float
    end: float
    kind: StepKind | Literal["agent"]
    step: int | None = None
    """Index of the caller's step."""
    text: str = ""

    @property
    def seconds(self) -> float:
        return self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How late the frames of the caller's audio were sent."""

    frames: int
    p50: float
    p99: float
    max: float
    bursts: int = 0
    """How often more than five frames were late at the same time, and sent at once to catch up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecording:
    """Everything that happened in a call, from which all its metrics are computed.

    Examples:
        >>> recording = CallRecording(events=(), caller=(), agent=(), seconds=4.2)
        >>> recording.finish
        'completed'
    """

    events: tuple[Event, ...]
    """In the order of their times."""
    caller: tuple[Span, ...]
    """What the caller did, by its script: exact to a sample. A step has one span per clip, so that its pauses lie
    between spans of the same `step`; the text of the step is in the first. Steps of silence have none."""
    agent: tuple[Span, ...]
    """Audible speech of the agent **as played**, by energy; see `merge_seconds`."""
    seconds: float
    finish: Literal["completed", "limit", "agent", "dropped"] = "completed"
    """Whether the script came to its end, the call to its time limit, the agent ended the call before that, or its
    session was lost: the connection broke, the server closed it, or the agent failed."""
    unreached: tuple[StepKind, ...] = ()
    """Steps that the caller had not begun when the call was dropped."""
    earlier_drops: int = 0
    """How often the agent had dropped the call before, if dropped calls are called again."""
    audio: Audio | None = None
    """Two channels: the caller as sent, the agent as played."""
    agent_pauses: tuple[tuple[float, float], ...] = ()
    """Silences inside `agent` spans, which were joined because they are shorter than `merge_seconds`."""
    merge_seconds: float = 0.3
    pacing: Pacing | None = None
    usage: Mapping[str, float] = field(default_factory=dict)
    """Token counts as the model reports them, summed over the call."""

    def select(self, *kinds: EventKind) -> list[Event]:
        """Return the events of these kinds."""
        return [event for event in self.events if event.kind in kinds]

    @property
    def text(self) -> str:
        """What the agent spoke, by its own transcript."""
        return join_transcripts(self.select(EventKind.TRANSCRIPT))

    @property
    def understood(self) -> str:
        """What the model understood of the caller: the final text of each segment, in the order of the segments."""
        latest: dict[str, str] = {}
        for event in self.select(EventKind.PARTIAL, EventKind.FINAL):
            latest[event.item] = event.text
        return " ".join(text.strip() for text in latest.values() if text.strip())

    @property
    def is_dropped(self) -> bool:
        """Whether the session was lost, which is an outcome of the agent rather than a failure to measure it."""
        return self.finish == "dropped"

    @property
    def tool_calls(self) -> list[Mapping[str, Any]]:
        return [event.data for event in self.select(EventKind.TOOL_CALL)]


def join_transcripts(events: Sequence[Event]) -> str:
    """Join the parts of transcripts: those of one item as they are, items with a blank between."""
    texts: dict[str, str] = {}
    for event in events:
        texts[event.item] = texts.get(event.item, "") + event.text
    return " ".join(text.strip() for text in texts.values() if text.strip())


_RECORDING_ATTRIBUTE = "recording"


def attach_recording(error: Exception, recording: CallRecording) -> None:
    """Let the error that ends a call carry what was recorded until then."""
    setattr(error, _RECORDING_ATTRIBUTE, recording)


def get_recording(error: BaseException) -> CallRecording | None:
    """Return what was recorded of the call that an error ended, if anything was."""
    recording = getattr(error, _RECORDING_ATTRIBUTE, None)
    return recording if isinstance(recording, CallRecording) else None
