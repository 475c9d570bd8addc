"""Prepare requests before the clock starts, and send and time them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from hashlib import blake2b
from typing import cast

import orjson

from auricle.core.calls import CallRecording, EventKind
from auricle.core.errors import SampleError, Transient
from auricle.core.serialization import dumps
from auricle.core.types import Call, Generate, Output, Request
from auricle.engine.batching import decode_request_audio
from auricle.engine.retry import Slot
from auricle.engine.settings import Settings
from auricle.engine.slots import open_slots, release_model
from auricle.models.base import BatchModel, Model, SessionModel
from auricle.models.http.base import JSON, HttpModel
from auricle.models.http.timing import TIMER_FACTORY, RequestTimer
from auricle.models.http.timing import PreparedRequest as EncodedRequest
from auricle.perf.calls import prepare_call

MAX_STORED_BYTES = 4 << 30
"""Bytes of request bodies after which no further samples are prepared."""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """Position of a request body in the store, and how to send it."""

    url_path: str
    content_type: str
    offset: int
    size: int


class BodyStore:
    """Encoded request bodies in an anonymous temporary file, so that memory does not grow with their number."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="auricle-perf-")  # noqa: SIM115 - closed by close()
        self.size = 0

    def put(self, encoded: EncodedRequest) -> StoredBody:
        self._file.seek(self.size)
        self._file.write(encoded.body)
        stored_body = StoredBody(encoded.path, encoded.content_type, self.size, len(encoded.body))
        self.size += stored_body.size
        return stored_body

    def get(self, stored_body: StoredBody) -> EncodedRequest:
        """Read a stored body. The file is in the page cache, so this takes microseconds."""
        self._file.seek(stored_body.offset)
        return EncodedRequest(stored_body.url_path, self._file.read(stored_body.size), stored_body.content_type)

    def close(self) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request that needs no further work before it is sent."""

    request: Request
    digest: str
    stored_body: StoredBody | None = None
    audio_seconds: float | None = None
    """Length of its audio; None if it has none, or if a length is unknown."""
    model: str = ""
    """The model that answers it, if requests are divided among several."""

    @property
    def size(self) -> int | None:
        return self.stored_body.size if self.stored_body else None


class Driver:
    """Prepares requests for a model, and sends them as a run does.

    Bodies of HTTP requests are encoded, and the audio of batches is decoded, before the clock starts.
    """

    def __init__(self, model: Model, batch_size: int | None = None, *, forces_length: bool = False) -> None:
        self._model = model
        self.forces_length = forces_length and isinstance(model, HttpModel)
        """Whether requests ask the server for exactly `max_tokens` tokens."""
        self._body_store = BodyStore()
        if prepare := getattr(model, "prepare_for_load_test", None):
            prepare()
        self.slots = open_slots(model, Settings(batch_size=batch_size), windows=False)

    @property
    def is_full(self) -> bool:
        """Whether no further requests should be prepared."""
        return self._body_store.size >= MAX_STORED_BYTES

    @property
    def size(self) -> int:
        """Bytes of all prepared request bodies."""
        return self._body_store.size

    def prepare(self, request: Request) -> PreparedRequest:
        seconds = measure_audio_seconds(request)
        if isinstance(self._model, HttpModel) and isinstance(request, Generate):
            encoded = self._model.prepare(request)
            if self.forces_length:
                encoded = force_output_length(encoded, request.max_tokens)
            model = self._model.choose_model(request) if self._model.service.models else ""
            return PreparedRequest(request, digest_body(encoded.body), self._body_store.put(encoded), seconds, model)
        if isinstance(request, Call) and isinstance(self._model, SessionModel):
            request = prepare_call(request, self._model.input_rate)
        rate = self._model.sample_rate if isinstance(self._model, BatchModel) else None
        decoded = decode_request_audio(request, rate) if rate else request
        digest = digest_body(dumps([part if isinstance(part, str) else str(part) for part in request.parts]))
        return PreparedRequest(decoded, digest, audio_seconds=seconds)

    async def send(self, prepared: PreparedRequest, timer: RequestTimer, slot: Slot | None = None) -> Output:
        """Send a request once; without a slot, outside of the measured load."""
        if prepared.stored_body:
            body = self._body_store.get(prepared.stored_body)
            return await cast(HttpModel, self._model).send(cast(Generate, prepared.request), body, timer)
        timer.start()
        token = TIMER_FACTORY.set(lambda: timer)  # a model that sends requests itself records more exact times
        try:
            output = await (slot or self.slots.acquire_slot()).send(prepared.request)
        finally:
            TIMER_FACTORY.reset(token)
        if timer.done is None:
            timer.stop()
        if isinstance(output, CallRecording) and output.is_dropped:
            raise Transient(output.select(EventKind.DROPPED)[-1].text)
        return output

    async def close(self) -> None:
        self._body_store.close()
        await self.slots.close()
        await release_model(self._model)


def force_output_length(encoded: EncodedRequest, tokens: int) -> EncodedRequest:
    """Add the fields that make vLLM, SGLang and others generate exactly this number of tokens; only to JSON."""
    if encoded.content_type != JSON:
        return encoded
    body = {"ignore_eos": True, "min_tokens": tokens, **orjson.loads(encoded.body)}
    return encoded._replace(body=orjson.dumps(body))


def measure_audio_seconds(request: Request) -> float | None:
    """Return the length of a request's audio; None if it has none, or if a length is unknown."""
    clips = request.audios
    try:
        return sum(clip.seconds for clip in clips) if clips else None
    except SampleError:
        return None


def digest_body(body: bytes) -> str:
    """Return a digest that identifies a request body; the fake server computes the same one."""
    return blake2b(body, digest_size=16).hexdigest()
