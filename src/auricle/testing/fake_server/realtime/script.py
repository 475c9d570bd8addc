"""The behaviour of the fake realtime server: what it answers to each turn of a call, when, and what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias

from auricle.core.errors import SpecError
from auricle.core.yaml_files import read_yaml

DialectName: TypeAlias = Literal["auto", "openai", "openai-beta", "vllm"]
DIALECTS: tuple[DialectName, ...] = ("auto", "openai", "openai-beta", "vllm")

SESSION_FAULTS: Mapping[str, str] = {
    "close": "connection closed with code 1011",
    "reset": "connection reset",
    "eof": "connection closed without a close frame",
    "stall": "nothing is sent for `stall_seconds`",
    "late_audio": "audio of an interrupted answer continues to arrive",
    "out_of_order": "events that belong together arrive in another order",
    "unknown_event": "event of an unknown type",
    "missing_ids": "audio without the ids of its item and response",
    "unknown_response": "audio of a response that was never announced",
    "odd_bytes": "audio in pieces with an odd number of bytes",
    "invalid_json": "text that is not JSON",
    "binary": "binary frame that is not JSON",
    "huge": "event of more than 1 MB",
}
"""Description of every fault of a session; all but `late_audio` and `out_of_order` occur at `fault_at`."""
REFUSALS = ("401", "403", "404", "429", "500", "503", "error")
"""HTTP statuses of refused handshakes; `error` accepts the connection, sends an error and closes."""

SECONDS_PER_WORD = 0.35
"""Length of a spoken word, where no length is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedToolCall:
    """A tool that the server calls before it answers a turn."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    pieces: int = 3
    """Events over which the arguments are spread, in protocols that allow it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScript:
    """What the server does in one turn: how it listens to the caller, and how it answers.

    Positions and delays are seconds. Delays that start with the caller's speech count received audio.

    Args:
        transcript: Words of the caller in this turn. Default: `turn 1`, `turn 2`, …
        stop_after: Silence after which the turn is over. Default: what the client asks for, else 0.5.
        talk_at: Position in the caller's speech at which the server starts to answer anyway. Default: never.
        transcript_after: Delay between the end of the turn and the final transcript.
        word_delay: Delay between the end of a word and the partial transcript with it. Default: no partials.
        word_ends: Position of the end of each word in the caller's speech. Default: 0.35 seconds per word.
        revisions: Words that partial transcripts have first, by index; the next partial corrects them.
        answer: Text of the answer; None for no answer at all.
        answer_after: Delay between the end of the turn and the first audio.
        answer_seconds: Length of the spoken answer. Default: 0.35 seconds per word.
        answer_audio: Recording that is played as the answer. Default: a sound like speech.
        lead_silence: Silence at the start of the answer's audio.
        audio_pace: Seconds of audio sent per second; 0 sends everything at once.
        audio_chunk_seconds: Seconds of audio per event.
        audio_gaps: Delays of audio chunks, used in turn.
        tool: Tool that is called before the answer.
        yield_after: Time that the caller speaks over the answer before it stops; None for never.
        ignore_below: Sounds over the answer that are shorter than this are ignored, such as "mm-hm".
        resume_after: Delay after which an interrupted answer continues. Default: never.
        faults: Names of `SESSION_FAULTS`.
        fault_at: Seconds of the answer's audio that are sent before its faults.
        stall_seconds: Length of a stall.
    """

    transcript: str | None = None
    stop_after: float | None = None
    talk_at: float | None = None
    transcript_after: float = 0.0
    word_delay: float | None = None
    word_ends: tuple[float, ...] = ()
    revisions: Mapping[int, str] = field(default_factory=dict)
    answer: str | None = "This is the answer of the fake server."
    answer_after: float = 0.3
    answer_seconds: float | None = None
    answer_audio: str | None = None
    lead_silence: float = 0.0
    audio_pace: float = 1.0
    audio_chunk_seconds: float = 0.2
    audio_gaps: tuple[float, ...] = ()
    tool: ScriptedToolCall | None = None
    yield_after: float | None = 0.2
    ignore_below: float = 0.0
    resume_after: float | None = None
    faults: tuple[str, ...] = ()
    fault_at: float = 0.5
    stall_seconds: float = 1.0

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, (int, float)) and value < 0:
                raise SpecError(f"{item.name} must be 0 or more, not {value:g}.")
        for name in ("audio_chunk_seconds", "answer_seconds"):
            if getattr(self, name) == 0:
                raise SpecError(f"{name} must be more than 0.")
        for fault in self.faults:
            if fault not in SESSION_FAULTS:
                raise SpecError(f"Unknown session fault {fault!r}. Expected one of: {', '.join(SESSION_FAULTS)}.")

    @property
    def speech_seconds(self) -> float:
        """Length of the answer's speech, without its leading silence."""
        words = len((self.answer or "").split())
        return self.answer_seconds if self.answer_seconds is not None else max(1, words) * SECONDS_PER_WORD

    def word_end(self, index: int) -> float:
        """Return the position of the end of a word in the caller's speech."""
        return self.word_ends[index] if index < len(self.word_ends) else (index + 1) * SECONDS_PER_WORD


@dataclass(frozen=True, slots=True, kw_only=True)
class RealtimeScript:
    """The behaviour of a fake realtime server; the same for each of its sessions.

    Args:
        turns: What it does in each turn of a call; the last one is repeated.
        dialect: Protocol of `/v1/realtime`. `auto` chooses by what the client sends.
        binary_frames: Send Gemini's messages in binary frames, as its service does.
        push_to_talk: Ignore the silence of the caller; only the client ends turns, whatever it asks for.
        refuse: How every connection is refused; one of `REFUSALS`. Default: not at all.
        max_sessions: Most sessions at a time; further ones get an error. Default: no limit.
        session_seconds: Time after which sessions expire. Default: never.
        fault_sessions: Number of sessions, from the first, that have faults or are refused. Default: all.

    Raises:
        SpecError: A value is out of range, or a fault does not exist.

    Examples:
        >>> script = RealtimeScript(turns=(TurnScript(answer="Hello."), TurnScript(answer="Goodbye.")))
        >>> [script.turn(index).answer for index in range(3)]
        ['Hello.', 'Goodbye.', 'Goodbye.']
    """

    turns: tuple[TurnScript, ...] = (TurnScript(),)
    dialect: DialectName = "auto"
    binary_frames: bool = False
    push_to_talk: bool = False
    refuse: str | None = None
    max_sessions: int | None = None
    session_seconds: float | None = None
    fault_sessions: int | None = None

    def __post_init__(self) -> None:
        if not self.turns:
            raise SpecError("turns must not be empty.")
        if self.dialect not in DIALECTS:
            raise SpecError(f"Unknown dialect {self.dialect!r}. Expected one of: {', '.join(DIALECTS)}.")
        if self.refuse is not None and self.refuse not in REFUSALS:
            raise SpecError(f"Unknown refusal {self.refuse!r}. Expected one of: {', '.join(REFUSALS)}.")

    def turn(self, index: int) -> TurnScript:
        return self.turns[min(index, len(self.turns) - 1)]

    def has_faults(self, session_number: int) -> bool:
        """Return whether a session, counted from 0, has faults."""
        return self.fault_sessions is None or session_number < self.fault_sessions


def load_realtime_script(path: Path, overrides: Mapping[str, Any] | None = None) -> RealtimeScript:
    """Read a script from a YAML or JSON file.

    Fields of `TurnScript` at the top level apply to all turns; `turns` is a list of what differs from them.

    Args:
        path: The file.
        overrides: Fields that replace those at the top level of the file.

    Raises:
        SpecError: The file is not a mapping, or has an unknown field or value.
    """
    document = read_yaml(path)
    try:
        return build_realtime_script({**document, **(overrides or {})})
    except SpecError as error:
        raise SpecError(f"{path}: {error}") from error


def build_realtime_script(document: Mapping[str, Any]) -> RealtimeScript:
    """Build a script from fields of `RealtimeScript` and, for all turns, of `TurnScript`."""
    session_names = {item.name for item in fields(RealtimeScript)} - {"turns"}
    session = {name: value for name, value in document.items() if name in session_names}
    shared = {name: value for name, value in document.items() if name not in {*session_names, "turns"}}
    overrides = document.get("turns") or [{}]
    if not isinstance(overrides, list) or not all(isinstance(turn, dict) for turn in overrides):
        raise SpecError("turns must be a list of mappings.")
    if isinstance(session.get("refuse"), int):
        session["refuse"] = str(session["refuse"])
    return RealtimeScript(turns=tuple(_build_turn({**shared, **turn}) for turn in overrides), **session)


def _build_turn(document: Mapping[str, Any]) -> TurnScript:
    names = [item.name for item in fields(TurnScript)]
    for name in document:
        if name not in names:
            raise SpecError(f"Unknown field {name!r}. Expected one of: {', '.join(names)}.")
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in document.items()
    }
    if values.get("yield_after") == "never":
        values["yield_after"] = None
    try:
        if isinstance(values.get("tool"), dict):
            values["tool"] = ScriptedToolCall(**values["tool"])
        return TurnScript(**values)
    except TypeError as error:
        raise SpecError(f"Invalid turn: {error}") from error
