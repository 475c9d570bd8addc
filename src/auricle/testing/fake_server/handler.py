"""Handle requests: parse and count them, then answer or fail at the time set by the script."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple
from weakref import WeakSet

import orjson
from aiohttp import web

from auricle.testing.fake_server.answers import AnswerIndex
from auricle.testing.fake_server.metrics_page import ServedTokens, render_metrics
from auricle.testing.fake_server.more_endpoints import (
    read_embedding,
    read_rerank,
    read_response,
    read_speech,
    render_embedding,
    render_rerank,
    render_response,
    render_speech,
)
from auricle.testing.fake_server.realtime.handler import RealtimeHandler, get_protocol_key
from auricle.testing.fake_server.request_parsing import (
    ParsedRequest,
    Refusal,
    RequestBody,
    read_chat,
    read_completion,
    read_gemini,
    read_gemini_stream,
    read_upload,
)
from auricle.testing.fake_server.response_rendering import (
    Answer,
    build_answer,
    build_chunks,
    build_gemini_error,
    build_openai_error,
    keep_alive_events,
    render_chat,
    render_completion,
    render_gemini,
    render_transcription,
)
from auricle.testing.fake_server.schedule import (
    CONTENT_KINDS,
    ResponseTimes,
    ServerSchedule,
    StreamChunk,
    first_half,
    iterate_when_due,
    sleep_until,
)
from auricle.testing.fake_server.script import Script
from auricle.testing.models import corrupt_words

JSON_TYPE, EVENT_STREAM_TYPE = "application/json", "text/event-stream"
AUDIO_TYPES = {"wav": "audio/wav", "pcm16": "audio/pcm"}
ENDLESS_INTERVAL = 0.01
"""Seconds between the chunks of an endless reply, unless a pace is set."""
HTML_PAGE = "<!DOCTYPE html><html><body><h1>Sign in to continue</h1></body></html>"
FAULT_ERRORS = {
    "400": ("invalid_request", "Scripted fault: invalid request."),
    "401": ("invalid_api_key", "Scripted fault: invalid API key."),
    "404": ("model_not_found", "Scripted fault: model not found."),
    "408": ("timeout", "Scripted fault: request timed out."),
    "429": ("rate_limit_exceeded", "Scripted fault: too many requests."),
    "500": ("server_error", "Scripted fault: server error."),
    "503": ("overloaded", "Scripted fault: server overloaded."),
}


class Route(NamedTuple):
    """A path of a protocol, with its request reader and response writer."""

    pattern: str
    read: Callable[[RequestBody, str | None], ParsedRequest]
    write: Callable[[Answer], bytes]


OPENAI = r"(?:/v1|/openai/deployments/(?P<name>[^/]+))"
GEMINI = r"/v1beta/models/(?P<name>[^/:]+)"
ROUTES = (
    Route(rf"{OPENAI}/chat/completions", read_chat, render_chat),
    Route(rf"{OPENAI}/completions", read_completion, render_completion),
    Route(rf"{OPENAI}/audio/transcriptions", partial(read_upload, "transcribe"), render_transcription),
    Route(rf"{OPENAI}/audio/translations", partial(read_upload, "translate"), render_transcription),
    Route(rf"{OPENAI}/responses", read_response, render_response),
    Route(rf"{OPENAI}/audio/speech", read_speech, render_speech),
    Route(rf"{OPENAI}/embeddings", read_embedding, render_embedding),
    Route(r"(?:/v1|/v2)?/rerank", read_rerank, render_rerank),
    Route(rf"{GEMINI}:generateContent", read_gemini, render_gemini),
    Route(rf"{GEMINI}:streamGenerateContent", read_gemini_stream, render_gemini),
)


@lru_cache(maxsize=1024)
def find_route(method: str, path: str) -> tuple[Route, str | None]:
    """Return the route of a path, and the model that the path names, if any."""
    if method == "POST":
        for route in ROUTES:
            if match := re.fullmatch(route.pattern, path):
                return route, match.groupdict().get("name")
    raise Refusal(404, "unknown_path", f"Unknown path: {method} {path}")


@dataclass(slots=True)
class ServerCounts:
    """Counts of requests and their outcomes, as in `GET /stats`; `compute_digest` gives the digest of a body."""

    requests: Counter[str] = field(default_factory=Counter)
    """All requests, by path."""
    received: Counter[str] = field(default_factory=Counter)
    """Accepted attempts, by digest."""
    answered: Counter[str] = field(default_factory=Counter)
    """Attempts that were answered completely and without a fault, by digest."""
    faults: Counter[str] = field(default_factory=Counter)
    """Faults, by kind."""
    refused: Counter[str] = field(default_factory=Counter)
    """Requests rejected because of their key, model or format or the capacity, by code."""
    abandoned: int = 0
    """Requests whose client disconnected before the end."""
    at_once: int = 0
    most_at_once: int = 0
    times: dict[str, list[ResponseTimes]] | None = None
    """Times of each attempt by digest, if the script records them."""

    def add_times(self, digest: str, times: ResponseTimes) -> None:
        if self.times is not None:
            self.times.setdefault(digest, []).append(times)

    def to_dict(self) -> dict[str, Any]:
        """Return a copy; each counter is copied in one step, because the server's thread keeps counting."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        recorded = values.pop("times")
        counts = {name: dict(value) if isinstance(value, dict) else value for name, value in values.items()}
        if recorded is None:
            return counts
        times = {digest: [asdict(entry) for entry in list(entries)] for digest, entries in dict(recorded).items()}
        return {**counts, "times": times}


@dataclass(frozen=True, slots=True)
class PlannedResponse:
    """A request, its answer or fault, and when to send it."""

    request: web.BaseRequest
    route: Route
    answer: Answer
    fault: str | None
    times: ResponseTimes
    due_time: float = 0.0
    """When the reply begins."""
    chunks: Sequence[StreamChunk] = ()
    """The chunks of a streamed answer, with their times."""

    @property
    def is_streamed(self) -> bool:
        return self.answer.request.stream

    @property
    def stream_type(self) -> str:
        """Content type of a streamed answer: events, or the bytes of speech."""
        request = self.answer.request
        return AUDIO_TYPES[request.audio_format] if request.chunk_format == "speech" else EVENT_STREAM_TYPE


class RequestHandler:
    """Handles requests according to a script, and counts them."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.counts = ServerCounts(times={} if script.record_times else None)
        self._realtime = RealtimeHandler(script.realtime) if script.realtime else None
        self._served_tokens = ServedTokens()
        self._schedule = ServerSchedule(script)
        self._answers = AnswerIndex(script.answers)
        self._seen_connections: WeakSet[asyncio.BaseTransport] = WeakSet()

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/stats":
            return _json_response(self.describe())
        if request.path == "/metrics":
            page = render_metrics(self._served_tokens, self.counts.at_once, self.script.slots)
            return web.Response(text=page, content_type="text/plain")
        counts = self.counts
        counts.requests[request.path] += 1
        counts.at_once += 1
        counts.most_at_once = max(counts.most_at_once, counts.at_once)
        try:
            return await self._handle_request(request)
        except Refusal as refusal:
            counts.refused[refusal.code] += 1
            return self._error_response(request, refusal)
        except asyncio.CancelledError:
            counts.abandoned += 1
            raise
        except ConnectionError:
            counts.abandoned += 1
            return web.Response()  # the client is gone
        finally:
            counts.at_once -= 1

    def describe(self) -> dict[str, Any]:
        """Return all counts, and what happened in realtime sessions."""
        return self.counts.to_dict() | ({"realtime": self._realtime.describe()} if self._realtime else {})

    async def _handle_request(self, request: web.BaseRequest) -> web.StreamResponse:
        if self._realtime and self._realtime.accepts(request.path):
            return await self._serve_session(request, self._realtime)
        arrival = await self._wait_for_arrival(request)
        # The body is read before a refusal; otherwise a client that is still uploading sees a broken connection.
        content = await request.content.read()
        self._check_access(request)
        if (request.method, request.path) == ("GET", "/v1/models"):
            names = self.script.models or ("fake",)
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "auricle"} for name in names]
            return _json_response({"object": "list", "data": models})
        route, name = find_route(request.method, request.path)
        body = RequestBody(content, request.headers.get("Content-Type", ""))
        parsed_request = route.read(body, name)
        if self.script.models and parsed_request.model not in self.script.models:
            message = f"Unknown model {parsed_request.model!r}. Expected one of: {', '.join(self.script.models)}."
            raise Refusal(404, "model_not_found", message)
        parsed_request = await self._answer_sounds(parsed_request)
        return await self._handle_attempt(request, route, parsed_request, body.digest, arrival)

    async def _serve_session(self, request: web.BaseRequest, realtime: RealtimeHandler) -> web.StreamResponse:
        self._check_access(request)
        if status := realtime.find_refusal():
            code, message = FAULT_ERRORS.get(str(status), ("refused", f"Refused with status {status}."))
            raise Refusal(status, code, message)
        return await realtime.serve(request)

    async def _answer_sounds(self, request: ParsedRequest) -> ParsedRequest:
        """Replace the answer to a recording that the server knows; new sounds are decoded in a thread."""
        if not request.sounds or self.script.reply is not None:
            return request
        find_answer = partial(self._answers.find_answer, request.sounds, request.question)
        is_fast = self._answers.knows(request.sounds)
        text = find_answer() if is_fast else await asyncio.to_thread(find_answer)
        return request if text is None else replace(request, reply_text=corrupt_words(text, self.script.wrong))

    async def _wait_for_arrival(self, request: web.BaseRequest) -> float:
        """Return when a request arrives, after `accept_delay` if its connection is new."""
        now = time.monotonic()
        self._schedule.start_clock(now)
        if self.script.accept_delay and request.transport and request.transport not in self._seen_connections:
            self._seen_connections.add(request.transport)
            now += self.script.accept_delay
            await sleep_until(now)
        return now

    def _check_access(self, request: web.BaseRequest) -> None:
        script = self.script
        if script.key is not None and script.key not in _get_api_keys(request):
            raise Refusal(401, "invalid_api_key", "The API key is wrong or missing.")
        if script.capacity is not None and self.counts.at_once > script.capacity:
            raise Refusal(429, "rate_limit_exceeded", f"More than {script.capacity} concurrent requests.")

    async def _handle_attempt(
        self, request: web.BaseRequest, route: Route, parsed_request: ParsedRequest, digest: str, arrival: float
    ) -> web.StreamResponse:
        self.counts.received[digest] += 1
        attempt = self.counts.received[digest]
        fault = self.script.draw_fault(digest, attempt)
        if fault:
            self.counts.faults[fault] += 1
        answer = build_answer(parsed_request, digest, self.script, empty=fault == "empty")
        delay = self.script.draw_delay(digest, attempt)
        response = self._plan_response(PlannedResponse(request, route, answer, fault, ResponseTimes(arrival)), delay)
        self.counts.add_times(digest, response.times)
        return await self._send_response(response)

    def _plan_response(self, plan: PlannedResponse, delay: float) -> PlannedResponse:
        """Assign a slot to a response, and a time to each of its chunks."""
        times, schedule = plan.times, self._schedule
        chunks = build_chunks(plan.answer, self.script) if plan.is_streamed else []
        work_seconds = delay + (chunks[-1].due if chunks else 0.0)
        times.begun = begun = schedule.assign_slot(times.arrival, work_seconds)
        due = schedule.finish_time(begun, delay)
        planned = [chunk._replace(due=schedule.finish_time(begun, delay + chunk.due)) for chunk in chunks]
        if plan.stream_type != EVENT_STREAM_TYPE:
            return replace(plan, due_time=due, chunks=planned)
        if planned and self.script.role_first:
            planned[0] = planned[0]._replace(due=schedule.finish_time(times.arrival, 0.0))
        if self.script.keep_alive is not None:
            events = keep_alive_events(plan.answer)
            planned = list(schedule.insert_keep_alives(planned, times.arrival, self.script.keep_alive, events))
        return replace(plan, due_time=due, chunks=planned)

    async def _send_response(self, plan: PlannedResponse) -> web.StreamResponse:
        fault = plan.fault
        if fault and fault != "empty":
            await sleep_until(plan.due_time)
            return await self._send_fault(plan, fault)
        if plan.is_streamed:
            return await self._send_stream(plan)
        await sleep_until(plan.due_time)
        self._finish_response(plan)
        is_text = plan.answer.request.response_format == "text"
        content = plan.route.write(plan.answer)
        return web.Response(body=content, content_type="text/plain" if is_text else JSON_TYPE)

    async def _send_stream(self, plan: PlannedResponse) -> web.StreamResponse:
        response: web.StreamResponse | None = None
        last = plan.chunks[-1]
        async for chunks in iterate_when_due(plan.chunks):
            response = response or await _open_response(plan.request, plan.stream_type)
            content = b"".join([chunk.data for chunk in chunks])
            if chunks[-1] is last:
                plan.times.record_sent(chunks, time.monotonic())
                self._finish_response(plan)
                await response.write_eof(content)
            else:
                await response.write(content)
                plan.times.record_sent(chunks, time.monotonic())  # the socket has them now
        assert response
        return response

    def _finish_response(self, plan: PlannedResponse) -> None:
        """Count an answer; called before its last byte is sent, so that a client that has it finds it counted."""
        now = time.monotonic()
        plan.times.first_byte = plan.times.first_byte or now
        plan.times.done = now
        if not plan.fault:
            self.counts.answered[plan.answer.digest] += 1
            answer = plan.answer
            generated = len(answer.reasoning_tokens) + len(answer.tokens)
            self._served_tokens.add(answer.digest, answer.request.input_tokens, generated)

    # --- faults ------------------------------------------------------------------

    async def _send_fault(self, plan: PlannedResponse, fault: str) -> web.StreamResponse:
        if fault in FAULT_ERRORS:
            code, message = FAULT_ERRORS[fault]
            return self._error_response(plan.request, Refusal(int(fault), code, message))
        if fault == "html":
            return web.Response(text=HTML_PAGE, content_type="text/html")
        if fault == "garbage":
            if plan.is_streamed:
                return web.Response(body=b'data: {"choices": [{"delta\n\n', content_type=EVENT_STREAM_TYPE)
            return web.Response(body=b'{"choices": [{"message', content_type=JSON_TYPE)
        if fault == "hang":
            await asyncio.get_running_loop().create_future()
        if fault == "endless":
            return await self._stream_endlessly(plan)
        return await self._disconnect(plan, before_reply=fault == "drop")

    def _error_response(self, request: web.BaseRequest, refusal: Refusal) -> web.Response:
        gemini = request.path.startswith("/v1beta/")
        build_error = build_gemini_error if gemini else build_openai_error
        response = _json_response(build_error(refusal), refusal.status)
        if refusal.status == 429:
            response.headers["Retry-After"] = f"{self.script.retry_after:g}"
        return response

    async def _disconnect(self, plan: PlannedResponse, *, before_reply: bool) -> web.StreamResponse:
        """Close the connection, after half of the reply or before it."""
        response = web.StreamResponse()
        if not before_reply and plan.is_streamed:
            response = await _open_response(plan.request, plan.stream_type)
            async for chunks in iterate_when_due(first_half(plan.chunks)):
                plan.times.record_sent(chunks, time.monotonic())
                await response.write(b"".join([chunk.data for chunk in chunks]))
        elif not before_reply:
            content = plan.route.write(plan.answer)
            response = await _open_response(plan.request, JSON_TYPE, len(content))
            await response.write(content[: len(content) // 2])
        if plan.request.transport:
            plan.request.transport.close()
        return response

    async def _stream_endlessly(self, plan: PlannedResponse) -> web.StreamResponse:
        """Send deltas, or spaces before a JSON document, until the client disconnects."""
        response = await _open_response(plan.request, EVENT_STREAM_TYPE if plan.is_streamed else JSON_TYPE)
        deltas = [b" "]
        if plan.is_streamed:
            deltas = [chunk.data for chunk in plan.chunks if chunk.kind in CONTENT_KINDS]
            await response.write(plan.chunks[0].data)
        while True:
            for delta in deltas or [b": nothing\n\n"]:
                await response.write(delta)
                await asyncio.sleep(1 / self.script.pace if self.script.pace else ENDLESS_INTERVAL)


def _get_api_keys(request: web.BaseRequest) -> set[str | None]:
    """Return the API keys of a request, wherever a protocol puts them."""
    headers = request.headers
    bearer = headers.get("Authorization", "").removeprefix("Bearer ")
    return {
        *(bearer, headers.get("api-key"), headers.get("x-goog-api-key"), request.query.get("key")),
        get_protocol_key(headers),
    }


def _json_response(document: Any, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(document), status=status, content_type=JSON_TYPE)


async def _open_response(request: web.BaseRequest, content_type: str, length: int | None = None) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": content_type})
    response.content_length = length
    await response.prepare(request)
    return response
