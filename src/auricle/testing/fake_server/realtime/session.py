"""One session of the fake realtime server: it listens to the caller by the clock of received audio, and answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from auricle.testing.fake_server.realtime.dialect import (
    AddItem,
    AppendAudio,
    CancelResponse,
    ClearAudio,
    ClientAction,
    Commit,
    Configure,
    CreateResponse,
    Dialect,
    ProtocolError,
    Response,
    ReturnToolResult,
    StartActivity,
    TruncateItem,
    Turn,
)
from auricle.testing.fake_server.realtime.script import RealtimeScript, TurnScript
from auricle.testing.fake_server.realtime.speaker import Outbox, Scheduler, Speaker
from auricle.testing.fake_server.realtime.speech_detection import (
    MAX_LAG_SECONDS,
    SoundClock,
    SpeechDetector,
    SpeechEdge,
)

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

DEFAULT_STOP_AFTER = 0.5
MIN_COMMIT_SECONDS = 0.1
"""Shorter audio cannot be committed."""
RECHECK_SECONDS = 0.005
"""Interval at which sound over an answer is checked for its length."""


@dataclass(slots=True)
class SpeechRun:
    """Sound of the caller without a silence that would end a turn."""

    start: SpeechEdge
    started_at: float
    stop: SpeechEdge | None = None


class Session:
    """Listens and answers according to a script.

    Args:
        dialect: Protocol of the client.
        script: What happens in each turn.
        scheduler: The clock.
        outbox: Takes what is sent.
        has_faults: Whether the faults of the script occur.
    """

    def __init__(
        self, dialect: Dialect, script: RealtimeScript, scheduler: Scheduler, outbox: Outbox, *, has_faults: bool = True
    ) -> None:
        self._dialect = dialect
        self._script = script
        self._scheduler = scheduler
        self._outbox = outbox
        self._speaker = Speaker(dialect, scheduler, outbox, has_faults=has_faults)
        self._detector = SpeechDetector(dialect.output_rate)
        self._clock = SoundClock()
        self._buffered_seconds = 0.0
        self._run: SpeechRun | None = None
        self._turn: Turn | None = None
        self._unanswered: Turn | None = None
        self._item_numbers = count(1)
        self.turns: list[Turn] = []
        """Turns that are over, in order."""
        self.ignored: list[float] = []
        """When sounds began that the server ignored."""
        self.truncations: list[tuple[str, float]] = []
        """Items that the client truncated, and the seconds that it played."""

    @property
    def detects_turns(self) -> bool:
        return self._dialect.settings.detects_turns and not self._script.push_to_talk

    @property
    def turn_script(self) -> TurnScript:
        """Script of the current turn, or of the next; a silent turn has that of the next."""
        return self._script.turn(self._count_spoken())

    @property
    def stop_after(self) -> float:
        if self.turn_script.stop_after is not None:
            return self.turn_script.stop_after
        asked = self._dialect.settings.silence_seconds
        return DEFAULT_STOP_AFTER if asked is None else asked

    def _count_spoken(self) -> int:
        return sum(not turn.is_silent for turn in self.turns)

    def open(self) -> None:
        self._outbox.send(self._dialect.opened())

    def receive(self, content: str | bytes, arrival: float) -> list[ClientAction]:
        """Handle a frame of the client, and return what it asked for."""
        try:
            actions = self._dialect.read(content)
            for action in actions:
                if isinstance(action, AppendAudio):
                    self._hear(action.pcm, action.rate, arrival)
                else:
                    self._handle(action, arrival)
        except ProtocolError as error:
            self._outbox.send(self._dialect.error(error))
            if self._dialect.error_close_code is not None:
                self._outbox.disconnect("close", self._dialect.error_close_code, error.message)
            return []
        return actions

    def _handle(self, action: ClientAction, arrival: float) -> None:
        handlers: dict[type, Callable[[Any, float], None]] = {
            Configure: self._configure,
            StartActivity: self._start_activity,
            Commit: self._commit,
            ClearAudio: self._clear,
            CreateResponse: self._create_response,
            CancelResponse: self._cancel_response,
            AddItem: self._add_item,
            ReturnToolResult: self._return_tool_result,
            TruncateItem: self._truncate,
        }
        handlers[type(action)](action, arrival)

    # --- listening -----------------------------------------------------------------

    def _hear(self, pcm: bytes, rate: int, arrival: float) -> None:
        import numpy as np

        samples: NDArray[int16] = np.frombuffer(pcm, np.int16)
        if rate != self._detector.rate:
            self._detector = SpeechDetector(rate)
            self._clock = SoundClock()
        seconds = len(samples) / rate
        self._buffered_seconds += seconds
        self._clock.record_arrival(self._detector.seconds + seconds, arrival)
        for edge in self._detector.feed(samples, self.stop_after):
            detected_at = max(arrival - MAX_LAG_SECONDS, self._clock.time_of(edge.detected))
            happened_at = detected_at - (edge.detected - edge.position)
            handle = self._on_speech_start if edge.kind == "start" else self._on_speech_stop
            handle(edge, happened_at, detected_at)

    def _on_speech_start(self, edge: SpeechEdge, started_at: float, detected_at: float) -> None:
        self._run = run = SpeechRun(edge, started_at)
        response = self._speaker.find_sounding(detected_at)
        if not self.detects_turns:
            if self._turn is None:
                self._turn = self._new_turn(run)
            return
        if response is None or not self._dialect.settings.interrupts_response:
            self._begin_turn(run)
            return
        script = response.turn.script
        if script.yield_after is None:
            self.ignored.append(started_at)
            return
        yield_at = started_at + max(script.yield_after, script.ignore_below)
        self._scheduler.call_at(yield_at, self._yield_if_sustained, run, response, yield_at)

    def _on_speech_stop(self, edge: SpeechEdge, ended_at: float, detected_at: float) -> None:
        if self._run:
            self._run.stop = edge
        turn = self._turn
        if turn is None:
            return
        turn.times["speech_end"] = ended_at
        turn.end = edge.position
        if self.detects_turns:
            self._end_turn(turn, detected_at)

    def _yield_if_sustained(self, run: SpeechRun, response: Response, due: float) -> None:
        """Stop the answer if the sound over it is long enough to be an interruption."""
        length = self._detector.speech_seconds if run.stop is None else run.stop.position - run.start.position
        if length < response.turn.script.ignore_below:
            if run.stop is None:
                due += RECHECK_SECONDS
                self._scheduler.call_at(due, self._yield_if_sustained, run, response, due)
            else:
                self.ignored.append(run.started_at)
            return
        self._yield(run, response, due)
        if run.stop and self._turn:
            self._turn.end = run.stop.position
            self._end_turn(self._turn, due)

    def _yield(self, run: SpeechRun, response: Response, at: float) -> None:
        script = response.turn.script
        heard_seconds = min(response.sent_seconds, max(0.0, at - response.started_at))
        response.turn.times["yielded"] = at
        is_reversed = self._speaker.has_fault(response.turn, "out_of_order")
        endings = self._speaker.interrupt("turn_detected")
        if is_reversed:
            self._outbox.send(endings)
        turn = self._begin_turn(run)
        if not is_reversed:
            self._outbox.send(endings)
        if script.resume_after is not None:
            turn.is_answered = False
            due = at + script.resume_after
            self._scheduler.call_at(due, self._speaker.resume, response, heard_seconds, due)

    def _new_turn(self, run: SpeechRun, *, is_silent: bool = False) -> Turn:
        item_id = f"item_turn_{next(self._item_numbers)}"
        turn = Turn(self._count_spoken(), self.turn_script, item_id, run.start.position, run.start.position)
        turn.is_silent = is_silent
        turn.times["speech_start"] = run.started_at
        self._schedule_partials(turn)
        return turn

    def _begin_turn(self, run: SpeechRun) -> Turn:
        self._turn = turn = self._new_turn(run)
        self._outbox.send(self._dialect.speech_started(turn))
        if turn.script.talk_at is not None:
            due = run.started_at + turn.script.talk_at
            self._scheduler.call_at(due, self._talk_over, turn, due)
        return turn

    def _talk_over(self, turn: Turn, due: float) -> None:
        """End a turn though the caller speaks; the rest of the speech is ignored."""
        if self._turn is turn:
            assert turn.script.talk_at is not None
            turn.end = turn.start + turn.script.talk_at
            self._end_turn(turn, due)

    def _end_turn(self, turn: Turn, at: float, *, by_client: bool = False, respond: bool | None = None) -> None:
        self._turn = None
        self._buffered_seconds = 0.0
        turn.times["stopped"] = at
        if not by_client:
            self._outbox.send(self._dialect.speech_stopped(turn))
        self._outbox.send(self._dialect.committed(turn))
        self.turns.append(turn)
        self._unanswered = turn
        settings = self._dialect.settings
        if settings.transcribes and not self._speaker.has_fault(turn, "out_of_order"):
            self._scheduler.call_at(at + turn.script.transcript_after, self._send_final_transcript, turn)
        if respond is None:
            respond = settings.creates_response and not by_client
        if respond and turn.is_answered and not settings.only_transcribes and not self._speaker.active:
            self._answer(turn, at)

    # --- transcripts ---------------------------------------------------------------

    def _schedule_partials(self, turn: Turn) -> None:
        script = turn.script
        if script.word_delay is None or not self._dialect.settings.transcribes:
            return
        for index in range(len(turn.transcript.split())):
            due = turn.times["speech_start"] + script.word_end(index) + script.word_delay
            self._scheduler.call_at(due, self._send_partial_transcript, turn, index)

    def _send_partial_transcript(self, turn: Turn, index: int) -> None:
        if turn.has_final_transcript:
            return
        words = turn.transcript.split()[: index + 1]
        words[index] = turn.script.revisions.get(index, words[index])
        self._outbox.send(self._dialect.partial_transcript(turn, words))
        turn.words_sent = index + 1

    def _send_final_transcript(self, turn: Turn) -> None:
        turn.has_final_transcript = True
        self._outbox.send(self._dialect.final_transcript(turn))

    # --- requests of the client ----------------------------------------------------

    def _configure(self, action: Configure, arrival: float) -> None:
        self._outbox.send(self._dialect.configured())

    def _start_activity(self, action: StartActivity, arrival: float) -> None:
        """Let the client begin a turn, which interrupts an answer."""
        response = self._speaker.find_sounding(arrival)
        if response and self._dialect.settings.interrupts_response and response.turn.script.yield_after is not None:
            response.turn.times["yielded"] = arrival
            self._outbox.send(self._speaker.interrupt("turn_detected"))

    def _commit(self, action: Commit, arrival: float) -> None:
        if action.if_empty == "skip" and self._turn is None:
            return
        if action.if_empty == "refuse" and self._buffered_seconds < MIN_COMMIT_SECONDS:
            raise ProtocolError("input_audio_buffer_commit_empty", "The buffer has less than 100 ms of audio.")
        turn = self._turn
        if turn is None:
            position = self._detector.seconds
            silence = SpeechRun(SpeechEdge("start", position, position), arrival)
            turn = self._new_turn(silence, is_silent=True)
        turn.end = max(turn.start, self._detector.speech_end)
        turn.times.setdefault("speech_end", arrival)
        self._detector.reset()
        self._end_turn(turn, arrival, by_client=True, respond=action.respond)

    def _clear(self, action: ClearAudio, arrival: float) -> None:
        self._turn = None
        self._buffered_seconds = 0.0
        self._detector.reset()
        self._outbox.send(self._dialect.cleared())

    def _create_response(self, action: CreateResponse | None, arrival: float) -> None:
        if self._speaker.active:
            message = f"Conversation already has an active response: {self._speaker.active.id}."
            raise ProtocolError("conversation_already_has_active_response", message)
        turn = self._unanswered
        if turn is None:
            position = self._detector.seconds
            turn = Turn(
                self._count_spoken(), self.turn_script, f"item_turn_{next(self._item_numbers)}", position, position
            )
            turn.times["stopped"] = arrival
            self.turns.append(turn)
        self._answer(turn, arrival)

    def _answer(self, turn: Turn, at: float) -> None:
        self._unanswered = None
        tool = turn.script.tool or self._dialect.settings.required_tool
        if tool and not turn.has_called_tool:
            self._speaker.call_tool(turn, tool, at)
        elif turn.script.answer is not None:
            self._speaker.answer(turn, at)

    def _cancel_response(self, action: CancelResponse, arrival: float) -> None:
        if not self._speaker.active:
            raise ProtocolError("response_cancel_not_active", "Cancellation failed: no active response.")
        self._outbox.send(self._speaker.interrupt("client_cancelled"))

    def _add_item(self, action: AddItem, arrival: float) -> None:
        self._outbox.send(self._dialect.item_added(action.item))
        if action.respond:
            if self._speaker.find_sounding(arrival):
                self._outbox.send(self._speaker.interrupt("turn_detected"))
            self._create_response(None, arrival)

    def _return_tool_result(self, action: ReturnToolResult, arrival: float) -> None:
        self._outbox.send(self._dialect.item_added(action.item))
        if self.turns:
            self._unanswered = self.turns[-1]
            self._unanswered.times["tool_result"] = arrival
        if action.respond:
            self._create_response(None, arrival)

    def _truncate(self, action: TruncateItem, arrival: float) -> None:
        item_id, seconds = action.item_id, action.seconds
        sent = self._speaker.audio_seconds.get(item_id)
        if sent is None:
            raise ProtocolError("item_truncate_invalid_item_id", f"Unknown item {item_id!r}.")
        if seconds > sent + 1e-3:
            message = f"Audio content of {round(sent * 1000)}ms is already shorter than {round(seconds * 1000)}ms."
            raise ProtocolError("invalid_value", message)
        self.truncations.append((item_id, seconds))
        self._outbox.send(self._dialect.truncated(item_id, seconds))

    def describe_turns(self) -> list[dict[str, Any]]:
        """Return positions and times of all turns, for statistics."""
        turns = [*self.turns, *([self._turn] if self._turn else [])]
        return [{"item_id": turn.item_id, "start": turn.start, "end": turn.end, **turn.times} for turn in turns]
