"""Send the answers of the fake realtime server at their pace, with the faults of their script."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate, count
from typing import Any, Literal, Protocol

from auricle.testing.fake_server.realtime.dialect import Dialect, Message, Response, Turn, render_wrong_event
from auricle.testing.fake_server.realtime.script import ScriptedToolCall, TurnScript
from auricle.testing.fake_server.realtime.voice import AudioChunk, cut_answer, make_chunk

LATE_CHUNKS = 2
"""Chunks that follow an interrupted answer with the fault `late_audio`."""
STRAY_SECONDS = 0.02
Disconnection = Literal["close", "reset", "eof"]
DISCONNECTIONS: tuple[Disconnection, ...] = ("close", "reset", "eof")


class Timer(Protocol):
    def cancel(self) -> None: ...


class Scheduler(Protocol):
    """Calls functions at times of the monotonic clock; an event loop is one."""

    def time(self) -> float: ...

    def call_at(self, when: float, callback: Callable[..., object], *args: Any) -> Timer: ...


class Outbox(Protocol):
    """Takes what is to be sent to a client, in order."""

    def send(self, messages: Iterable[Message]) -> None: ...

    def pause(self, seconds: float) -> None:
        """Send nothing for this time; what is due in it follows then."""

    def disconnect(self, how: Disconnection, code: int = 1011, reason: str = "") -> None:
        """End the connection; code and reason are those of a close frame."""


class Speaker:
    """Speaks the answers of one session, one at a time.

    Args:
        dialect: Protocol of the session.
        scheduler: Its clock.
        outbox: Takes the messages.
        has_faults: Whether the faults of the script occur.
    """

    def __init__(self, dialect: Dialect, scheduler: Scheduler, outbox: Outbox, *, has_faults: bool = True) -> None:
        self._dialect = dialect
        self._scheduler = scheduler
        self._outbox = outbox
        self._has_faults = has_faults
        self._numbers = count(1)
        self._timer: Timer | None = None
        self._latest: Response | None = None
        self._playing_until = 0.0
        self._faults_done: set[int] = set()
        self.audio_seconds: dict[str, float] = {}
        """Seconds of audio sent, by item."""

    @property
    def active(self) -> Response | None:
        """The answer that is not complete yet."""
        return self._latest if self._latest and self._latest.status == "in_progress" else None

    def find_sounding(self, at: float) -> Response | None:
        """Return the answer that is being sent, or that a client still plays if it plays in real time."""
        return self.active or (self._latest if at < self._playing_until else None)

    def has_fault(self, turn: Turn, fault: str) -> bool:
        return self._has_faults and fault in turn.script.faults

    def answer(self, turn: Turn, at: float) -> None:
        """Answer a turn that was over at a time."""
        script = turn.script
        response = self._create_response(turn, script.answer or "")
        if self._dialect.settings.speaks:
            response.chunks = prepare_answer(script, self._dialect.output_rate)
        self._begin(response, at + script.answer_after)

    def call_tool(self, turn: Turn, tool: ScriptedToolCall, at: float) -> None:
        """Call a tool in a turn that was over at a time."""
        turn.has_called_tool = True
        response = self._create_response(turn, "")
        response.call_id = f"call_{next(self._numbers)}"
        due = at + turn.script.answer_after
        self._timer = self._scheduler.call_at(due, self._send_tool_call, response, tool)

    def interrupt(self, reason: str) -> list[Message]:
        """Stop the answer, and return how its end is reported."""
        response = self._latest
        self._playing_until = 0.0
        if response is None:
            return []
        was_active = response.status == "in_progress"
        if self._timer:
            self._timer.cancel()
        if was_active:
            response.status = "cancelled"
        messages = self._dialect.interrupted(response, reason, was_active=was_active)
        if was_active and self.has_fault(response.turn, "late_audio"):
            for chunk in response.chunks[response.sent : response.sent + LATE_CHUNKS]:
                messages += self._dialect.answer_audio(response, chunk)
        return [*messages, *self._render_late_transcript(response.turn)]

    def resume(self, interrupted: Response, heard_seconds: float, at: float) -> None:
        """Continue an interrupted answer where the caller stopped to hear it."""
        response = self._create_response(interrupted.turn, interrupted.text)
        skipped = 0.0
        for index, chunk in enumerate(interrupted.chunks):
            if skipped >= heard_seconds:
                response.chunks = interrupted.chunks[index:]
                break
            skipped += chunk.seconds
        interrupted.turn.times["resumed"] = at
        self._begin(response, at)

    def _create_response(self, turn: Turn, text: str) -> Response:
        number = next(self._numbers)
        response = Response(id=f"resp_{number}", item_id=f"item_answer_{number}", turn=turn, text=text)
        self._latest = response
        self._outbox.send(self._dialect.response_created(response))
        return response

    def _begin(self, response: Response, due: float) -> None:
        response.started_at = due
        self._timer = self._scheduler.call_at(due, self._start, response)

    def _start(self, response: Response) -> None:
        messages = self._dialect.answer_started(response)
        if self.has_fault(response.turn, "out_of_order"):
            messages.reverse()
        self._outbox.send(messages)
        response.turn.times.setdefault("first_audio", response.started_at)
        self._playing_until = response.started_at
        if not self._dialect.settings.speaks:
            self._send_text(response, response.text)
            self._finish(response)
            return
        self._send_due_chunks(response)

    def _send_due_chunks(self, response: Response) -> None:
        script = response.turn.script
        interval = script.audio_chunk_seconds / script.audio_pace if script.audio_pace else 0.0
        gaps = script.audio_gaps or (0.0,)
        delays = (index * interval + gaps[index % len(gaps)] for index in range(len(response.chunks)))
        dues = [response.started_at + delay for delay in accumulate(delays, max)]
        while response.sent < len(response.chunks):
            due = dues[response.sent]
            if due > self._scheduler.time():
                self._timer = self._scheduler.call_at(due, self._send_due_chunks, response)
                return
            if not self._send_chunk(response, due):
                return
        self._finish(response)

    def _send_chunk(self, response: Response, due: float) -> bool:
        """Send the next chunk with its words; return whether the answer goes on."""
        chunk = response.chunks[response.sent]
        faults = self._take_faults(response)
        for fault in faults:
            if fault in DISCONNECTIONS:
                response.status = "failed"
                self._outbox.disconnect(fault)
                return False
            if fault == "stall":
                self._outbox.pause(response.turn.script.stall_seconds)
            self._outbox.send(self._render_stray(fault))
        self._send_text(response, find_words(response.text, response.sent, len(response.chunks)))
        self._outbox.send(self._render_chunk(response, chunk, faults))
        response.sent += 1
        response.sent_seconds += chunk.seconds
        self.audio_seconds[response.item_id] = response.sent_seconds
        self._playing_until = max(self._playing_until, due) + chunk.seconds
        response.turn.times["last_audio"] = due
        return True

    def _take_faults(self, response: Response) -> list[Any]:
        """Return the faults that occur before the next chunk; each occurs once per turn."""
        turn = response.turn
        if not self._has_faults or turn.index in self._faults_done:
            return []
        is_last = response.sent == len(response.chunks) - 1
        if response.sent_seconds < turn.script.fault_at and not is_last:
            return []
        self._faults_done.add(turn.index)
        return list(turn.script.faults)

    def _render_stray(self, fault: str) -> list[Message]:
        if fault == "unknown_response":
            rate = self._dialect.output_rate
            return self._dialect.unknown_audio(make_chunk(bytes(2 * round(STRAY_SECONDS * rate)), rate))
        return render_wrong_event(fault)

    def _render_chunk(self, response: Response, chunk: AudioChunk, faults: list[str]) -> list[Message]:
        if "odd_bytes" in faults:
            rate = self._dialect.output_rate
            middle = len(chunk.pcm) // 4 * 2 + 1
            halves = (make_chunk(chunk.pcm[:middle], rate), make_chunk(chunk.pcm[middle:], rate))
            return [message for half in halves for message in self._dialect.answer_audio(response, half)]
        if "missing_ids" in faults:
            return self._dialect.answer_audio_without_ids(response, chunk)
        return self._dialect.answer_audio(response, chunk)

    def _send_text(self, response: Response, text: str) -> None:
        if text:
            response.sent_text += text
            self._outbox.send(self._dialect.answer_text(response, text))

    def _send_tool_call(self, response: Response, tool: ScriptedToolCall) -> None:
        response.turn.times["tool_call"] = self._scheduler.time()
        messages = self._dialect.tool_call(response, tool.name, dict(tool.arguments), tool.pieces)
        self._outbox.send(messages)
        self._finish(response)

    def _finish(self, response: Response) -> None:
        response.status = "completed"
        self._outbox.send(self._dialect.response_done(response))
        turn = response.turn
        turn.times["answered"] = self._scheduler.time()
        self._outbox.send(self._render_late_transcript(turn))
        if not response.call_id:
            until = max(self._playing_until, self._scheduler.time())
            self._timer = self._scheduler.call_at(until, self._finish_playback, response)

    def _render_late_transcript(self, turn: Turn) -> list[Message]:
        """Render the transcript of a turn after its answer, with the fault `out_of_order`."""
        if turn.has_final_transcript or not self.has_fault(turn, "out_of_order"):
            return []
        if not self._dialect.settings.transcribes:
            return []
        turn.has_final_transcript = True
        return self._dialect.final_transcript(turn)

    def _finish_playback(self, response: Response) -> None:
        self._outbox.send(self._dialect.playback_done(response))


def prepare_answer(script: TurnScript, rate: int) -> tuple[AudioChunk, ...]:
    """Return the audio of the answer to a turn; it is computed once."""
    if script.answer is None:
        return ()
    length, chunk_length = script.speech_seconds, script.audio_chunk_seconds
    return cut_answer(script.answer_audio, length, script.lead_silence, chunk_length, rate)


def find_words(text: str, index: int, chunk_count: int) -> str:
    """Return the words that belong to a chunk of an answer.

    >>> [find_words("one two three", index, 2) for index in range(2)]
    ['one two', ' three']
    """
    words = text.split()
    start, end = (-(-len(words) * position // chunk_count) for position in (index, index + 1))
    part = " ".join(words[start:end])
    return f" {part}" if part and start else part
