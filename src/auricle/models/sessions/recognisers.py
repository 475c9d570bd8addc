"""Streaming recognisers on this machine: text while the caller speaks.

-m moonshine-stream
-m vosk-stream -M model=./vosk-model-small-en-us-0.15
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from auricle.core.arguments import Hint
from auricle.core.calls import AudioFrame, CallerInput, CallRecording, EndOfAudio, EventKind, SessionEvent
from auricle.core.errors import SpecError, Unsupported
from auricle.core.types import Call
from auricle.models.base import SessionModel
from auricle.models.call_timer import hold
from auricle.models.listing import ModelListing
from auricle.models.recognisers import load_moonshine, load_vosk
from auricle.models.request_input import SPEECH_RATE

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

CHUNK_SECONDS = 0.1
MOONSHINE_TAIL_SECONDS = 0.5
"""Silence after the end of the audio, without which Moonshine gets the last word wrong if the audio ends with it."""


class RecogniserStream(Protocol):
    """The recognition of one stream of audio. Its methods may take their time: they are called in a thread."""

    def accept(self, samples: NDArray[int16]) -> list[SessionEvent]:
        """Recognise further audio; return what is new."""

    def finish(self) -> list[SessionEvent]:
        """Return what is final now that no audio follows."""


class StreamingRecogniser(SessionModel, ABC):
    """Transcribes calls while they are spoken.

    The recogniser runs in a thread of its own, so that audio is sent in time even if it is behind. Audio that arrives
    meanwhile is recognised at once afterwards.
    """

    input_rate = SPEECH_RATE

    def __init__(self, *, calls: int = 1, chunk_seconds: float = CHUNK_SECONDS) -> None:
        """Set how calls are transcribed.

        Args:
            calls: Calls at the same time; others wait. More than the machine can transcribe in real time makes all of
                them late.
            chunk_seconds: Seconds of audio that are recognised together.
        """
        if calls < 1 or not 0 < chunk_seconds <= 10:
            raise SpecError("A streaming recogniser needs calls >= 1 and chunk_seconds above 0 and at most 10.")
        self._slots = asyncio.Semaphore(calls)
        self._chunk_size = round(chunk_seconds * self.input_rate)
        self._executor = ThreadPoolExecutor(calls, thread_name_prefix="recogniser")

    @abstractmethod
    def open_stream(self) -> RecogniserStream:
        """Begin the recognition of a stream."""

    async def call(self, request: Call) -> CallRecording:
        async with hold(self._slots):
            return await super().call(request)

    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        if call.mode != "transcribe":
            raise Unsupported(f"{type(self).__name__} transcribes, but does not speak.")
        loop = asyncio.get_running_loop()
        stream = await loop.run_in_executor(self._executor, self.open_stream)
        yield SessionEvent(kind=EventKind.READY)
        buffer = _AudioBuffer(inputs)
        reader = asyncio.create_task(buffer.fill())
        try:
            while len(samples := await buffer.take(self._chunk_size)):
                for event in await loop.run_in_executor(self._executor, stream.accept, samples):
                    yield event
            for event in await loop.run_in_executor(self._executor, stream.finish):
                yield event
        finally:
            reader.cancel()

    async def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)


class _AudioBuffer:
    """Collects the caller's audio while a recogniser is busy."""

    def __init__(self, inputs: AsyncIterator[CallerInput]) -> None:
        self._inputs = inputs
        self._frames: list[NDArray[int16]] = []
        self._size = 0
        self._has_ended = False
        self._changed = asyncio.Event()

    async def fill(self) -> None:
        async for item in self._inputs:
            if isinstance(item, AudioFrame):
                self._frames.append(item.samples)
                self._size += len(item.samples)
            self._has_ended = isinstance(item, EndOfAudio)
            self._changed.set()
            if self._has_ended:
                return
        self._has_ended = True
        self._changed.set()

    async def take(self, size: int) -> NDArray[int16]:
        """Return all audio, as soon as there are so many samples; empty after the end."""
        import numpy as np

        while self._size < size and not self._has_ended:
            self._changed.clear()
            await self._changed.wait()
        frames, self._frames, self._size = self._frames, [], 0
        return np.concatenate(frames) if frames else np.zeros(0, np.int16)


class MoonshineStream(StreamingRecogniser):
    """Moonshine tiny-en, which revises the text of a line several times until the speaker pauses."""

    listing = ModelListing(group="Speech recognition", extra="demo", packages=("moonshine_voice",), weights="package")

    def __init__(self, *, update_seconds: float = 0.5, **options: Any) -> None:
        """Load the model.

        Args:
            update_seconds: Seconds of audio between two partial texts.
            **options: As for all streaming recognisers.
        """
        super().__init__(**options)
        self._update_seconds = update_seconds
        self._transcriber = load_moonshine("moonshine-stream", {})

    def open_stream(self) -> RecogniserStream:
        return MoonshineLines(self._transcriber.create_stream(update_interval=self._update_seconds))

    async def close(self) -> None:
        await super().close()
        self._transcriber.close()


class MoonshineLines:
    """The lines of one stream; each is a segment.

    Args:
        stream: A stream of Moonshine.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._open_lines: dict[int, Any] = {}
        self._changed: set[int] = set()
        stream.add_listener(self._keep)
        stream.start()

    def accept(self, samples: NDArray[int16]) -> list[SessionEvent]:
        self._changed.clear()
        self._stream.add_audio((samples / 32_768).tolist(), SPEECH_RATE)
        lines = [line for number, line in self._open_lines.items() if number in self._changed]
        return [self._make_event(line, is_final=line.is_complete) for line in lines]

    def finish(self) -> list[SessionEvent]:
        silence = [0.0] * round(MOONSHINE_TAIL_SECONDS * SPEECH_RATE)
        self._stream.add_audio(silence, SPEECH_RATE)
        self._stream.stop()
        self._stream.close()
        return [self._make_event(line, is_final=True) for line in list(self._open_lines.values())]

    def _keep(self, event: Any) -> None:
        if event.line is not None:
            self._open_lines[event.line.line_id] = event.line
            self._changed.add(event.line.line_id)

    def _make_event(self, line: Any, *, is_final: bool) -> SessionEvent:
        if is_final:
            del self._open_lines[line.line_id]
        kind = EventKind.FINAL if is_final else EventKind.PARTIAL
        words = tuple((word.word, word.start, word.end) for word in line.words) if line.words else None
        return SessionEvent(kind=kind, item=str(line.line_id), text=line.text.strip(), words=words)


class VoskStream(StreamingRecogniser):
    """A Kaldi recogniser that returns words with their times."""

    listing = ModelListing(
        group="Speech recognition",
        extra="vosk",
        packages=("vosk",),
        weights="checkpoint",
        weight_files=("am/final.mdl",),
    )

    def __init__(self, model: Annotated[str, Hint("weights")], **options: Any) -> None:
        """Load the model.

        Args:
            model: A folder, or the name of a model in one of Vosk's model directories.
            **options: As for all streaming recognisers.
        """
        super().__init__(**options)
        self._model, self._new_recogniser = load_vosk(model, "vosk-stream")

    def open_stream(self) -> RecogniserStream:
        recogniser = self._new_recogniser(self._model, SPEECH_RATE)
        recogniser.SetWords(True)
        recogniser.SetPartialWords(True)
        return VoskSegments(recogniser)


class VoskSegments:
    """The segments of one stream, which pauses separate.

    Args:
        recogniser: A recogniser of Vosk, with words.
    """

    def __init__(self, recogniser: Any) -> None:
        self._recogniser = recogniser
        self._segment = 1
        self._partial = ""

    def accept(self, samples: NDArray[int16]) -> list[SessionEvent]:
        if self._recogniser.AcceptWaveform(samples.tobytes()):
            return self._read_final(self._recogniser.Result())
        result = json.loads(self._recogniser.PartialResult())
        text = result.get("partial", "")
        if text == self._partial:
            return []
        self._partial = text
        return [self._make_event(EventKind.PARTIAL, text, result.get("partial_result"))]

    def finish(self) -> list[SessionEvent]:
        return self._read_final(self._recogniser.FinalResult())

    def _read_final(self, content: str) -> list[SessionEvent]:
        result = json.loads(content)
        text = result.get("text", "")
        if not text and not self._partial:
            return []
        event = self._make_event(EventKind.FINAL, text, result.get("result"))
        self._segment += 1
        self._partial = ""
        return [event]

    def _make_event(self, kind: EventKind, text: str, words: list[dict[str, Any]] | None) -> SessionEvent:
        times = tuple((word["word"], word["start"], word["end"]) for word in words) if words else None
        return SessionEvent(kind=kind, item=str(self._segment), text=text, words=times)
