"""What the protocols of the fake realtime server have in common: what clients ask for, and what they are sent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import orjson

from auricle.testing.fake_server.realtime.script import ScriptedToolCall, TurnScript
from auricle.testing.fake_server.realtime.voice import AudioChunk

Document: TypeAlias = dict[str, Any]

INPUT_TOKENS_PER_SECOND = 10
OUTPUT_TOKENS_PER_SECOND = 20
OUTPUT_RATE = 24_000
HUGE_CHARACTERS = 1_100_000


class ProtocolError(Exception):
    """The client sent something that the protocol does not allow."""

    def __init__(self, code: str, message: str, event_id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.event_id = event_id


# --- what a client sends --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Configure:
    """Change the settings of the session; the dialect has stored them."""


@dataclass(frozen=True, slots=True)
class AppendAudio:
    pcm: bytes = field(repr=False)
    rate: int


@dataclass(frozen=True, slots=True)
class StartActivity:
    """The caller's turn begins, by the client's account."""


@dataclass(frozen=True, slots=True)
class Commit:
    """The caller's turn is over, by the client's account."""

    respond: bool = False
    """Whether an answer is due without a further request."""
    if_empty: Literal["refuse", "skip", "accept"] = "refuse"
    """What to do if no audio was received since the last turn."""


@dataclass(frozen=True, slots=True)
class ClearAudio:
    """Forget the audio of the current turn."""


@dataclass(frozen=True, slots=True)
class CreateResponse:
    """Answer now."""


@dataclass(frozen=True, slots=True)
class CancelResponse:
    response_id: str | None = None


@dataclass(frozen=True, slots=True)
class AddItem:
    """Add a message to the conversation."""

    item: Document
    respond: bool = False


@dataclass(frozen=True, slots=True)
class ReturnToolResult:
    call_id: str
    item: Document
    respond: bool = False


@dataclass(frozen=True, slots=True)
class TruncateItem:
    item_id: str
    seconds: float


ClientAction: TypeAlias = (
    Configure
    | AppendAudio
    | StartActivity
    | Commit
    | ClearAudio
    | CreateResponse
    | CancelResponse
    | AddItem
    | ReturnToolResult
    | TruncateItem
)


@dataclass(slots=True)
class SessionSettings:
    """What the client asked for."""

    detects_turns: bool = True
    silence_seconds: float | None = None
    creates_response: bool = True
    interrupts_response: bool = True
    transcribes: bool = False
    only_transcribes: bool = False
    speaks: bool = True
    """Whether answers are spoken; otherwise they are text."""
    required_tool: ScriptedToolCall | None = None
    """Tool that has to be called before an answer where the script has none."""


# --- what a server sends --------------------------------------------------------


class Message(NamedTuple):
    """A frame to send."""

    type: str
    content: str | bytes
    """Text or binary frame."""
    seconds: float = 0.0
    """Length of its audio."""


@dataclass(slots=True)
class Turn:
    """A turn of the caller."""

    index: int
    script: TurnScript
    item_id: str
    start: float = 0.0
    """Position of its first audible sample, in seconds of received audio."""
    end: float = 0.0
    """Position after its last audible sample."""
    words_sent: int = 0
    """Words of partial transcripts that were sent."""
    is_silent: bool = False
    """Whether the client ended it without anything audible."""
    has_final_transcript: bool = False
    has_called_tool: bool = False
    is_answered: bool = True
    """Whether an answer follows; not if the server resumes what the turn interrupted."""
    times: dict[str, float] = field(default_factory=dict)
    """When it was heard and answered, on the monotonic clock."""

    @property
    def transcript(self) -> str:
        if self.is_silent:
            return ""
        text = self.script.transcript
        return f"turn {self.index + 1}" if text is None else text


@dataclass(slots=True)
class Response:
    """An answer of the server."""

    id: str
    item_id: str
    turn: Turn
    text: str
    chunks: Sequence[AudioChunk] = ()
    sent: int = 0
    """Chunks that were sent."""
    sent_text: str = ""
    sent_seconds: float = 0.0
    status: str = "in_progress"
    started_at: float = 0.0
    """When its audio starts."""
    call_id: str = ""
    """Of a tool call; empty for spoken answers."""

    @property
    def usage(self) -> Mapping[str, int]:
        heard = round((self.turn.end - self.turn.start) * INPUT_TOKENS_PER_SECOND)
        return {"input": heard, "output": round(self.sent_seconds * OUTPUT_TOKENS_PER_SECOND)}


class Dialect(ABC):
    """A protocol: reads what a client sends, and renders events. One object per session."""

    name: str
    output_rate: int = OUTPUT_RATE
    error_close_code: int | None = None
    """Code with which the connection is closed after an error; None if it stays open."""

    def __init__(self) -> None:
        self.settings = SessionSettings()

    @abstractmethod
    def read(self, content: str | bytes) -> list[ClientAction]:
        """Return what a client asks for with a frame.

        Raises:
            ProtocolError: The frame is not valid.
        """

    @abstractmethod
    def opened(self) -> list[Message]:
        """Render what follows the handshake."""

    @abstractmethod
    def configured(self) -> list[Message]: ...

    @abstractmethod
    def error(self, error: ProtocolError) -> list[Message]: ...

    def speech_started(self, turn: Turn) -> list[Message]:
        return []

    def speech_stopped(self, turn: Turn) -> list[Message]:
        return []

    def committed(self, turn: Turn) -> list[Message]:
        return []

    def cleared(self) -> list[Message]:
        return []

    def item_added(self, item: Document) -> list[Message]:
        return []

    def truncated(self, item_id: str, seconds: float) -> list[Message]:
        return []

    @abstractmethod
    def partial_transcript(self, turn: Turn, words: Sequence[str]) -> list[Message]:
        """Render a partial transcript; `words` are all words so far, of which `turn.words_sent` were sent before."""

    @abstractmethod
    def final_transcript(self, turn: Turn) -> list[Message]: ...

    def response_created(self, response: Response) -> list[Message]:
        return []

    def answer_started(self, response: Response) -> list[Message]:
        return []

    def answer_text(self, response: Response, text: str) -> list[Message]:
        return []

    def answer_audio(self, response: Response, chunk: AudioChunk) -> list[Message]:
        return []

    def unknown_audio(self, chunk: AudioChunk) -> list[Message]:
        """Render audio of a response that does not exist."""
        return []

    def answer_audio_without_ids(self, response: Response, chunk: AudioChunk) -> list[Message]:
        return self.answer_audio(response, chunk)

    def tool_call(self, response: Response, name: str, arguments: Document, pieces: int) -> list[Message]:
        return []

    def response_done(self, response: Response, reason: str = "") -> list[Message]:
        """Render the end of a response, with the reason why it was cancelled."""
        return []

    def interrupted(self, response: Response, reason: str, *, was_active: bool) -> list[Message]:
        """Render that a response was stopped; by default only if it was not complete."""
        return self.response_done(response, reason) if was_active else []

    def playback_done(self, response: Response) -> list[Message]:
        """Render what follows when the whole answer has been played in real time."""
        return []

    def expiring(self, seconds_left: float) -> list[Message]:
        """Render a warning that the session will be closed."""
        return []


def render_wrong_event(fault: str) -> list[Message]:
    """Render what no client expects."""
    match fault:
        case "unknown_event":
            return [Message("fake.unknown", render({"type": "fake.unknown", "event_id": "event_unknown"}))]
        case "huge":
            return [Message("fake.huge", render({"type": "fake.huge", "text": "x" * HUGE_CHARACTERS}))]
        case "invalid_json":
            return [Message("invalid", '{"type": "response.')]
        case "binary":
            return [Message("binary", b"\x00\xff\xfe")]
    return []


def parse_json(content: str | bytes) -> Document:
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ProtocolError("invalid_json", f"The frame is not valid JSON: {error}.") from error
    if not isinstance(document, dict):
        raise ProtocolError("invalid_json", "The frame is not a JSON object.")
    return document


def decode_audio(value: Any) -> bytes:
    """Decode 16-bit audio in base64."""
    from pybase64 import b64decode

    try:
        pcm = b64decode(value, validate=True)
    except (TypeError, ValueError) as error:
        raise ProtocolError("invalid_audio", "The audio is not valid base64.") from error
    if len(pcm) % 2:
        raise ProtocolError("invalid_audio", "The audio has an odd number of bytes.")
    return pcm


def render(document: Mapping[str, Any]) -> str:
    return orjson.dumps(document).decode()


def split_text(text: str, pieces: int) -> list[str]:
    """Split text into at most so many parts of about the same length.

    >>> split_text("abcdefg", 3)
    ['abc', 'def', 'g']
    """
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[start : start + size] for start in range(0, len(text), size)]
