"""What is done with a request: read, count, wait, and answer or fail as the script has it."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any
from weakref import WeakSet

import orjson
from aiohttp import web

from auricle.testing.fake_server import request_parsing as reading
from auricle.testing.fake_server import response_rendering
from auricle.testing.fake_server.request_parsing import ParsedRequest, Refusal, RequestBody
from auricle.testing.fake_server.response_rendering import Answer
from auricle.testing.fake_server.schedule import (
    CONTENT_KINDS,
    ResponseTimes,
    ServerSchedule,
    StreamChunk,
    first_half,
    insert_keep_alives,
    iterate_when_due,
    sleep_until,
)
from auricle.testing.fake_server.script import Script
from auricle.testing.fake_server.streaming import build_chunks, keep_alive_events

JSON_TYPE, EVENT_STREAM_TYPE = "application/json", "text/event-stream"
ENDLESS_INTERVAL = 0.01
"""Seconds between the pieces of a reply that never ends, unless a pace is set."""
HTML_PAGE = "<!DOCTYPE html><html><body><h1>Sign in to continue</h1></body></html>"
FAULT_ERRORS = {
    "400": ("invalid_request", "The script refuses this request."),
    "401": ("invalid_api_key", "The script refuses this key."),
    "404": ("model_not_found", "The script has no such model."),
    "408": ("timeout", "The script lets this request time out."),
    "429": ("rate_limit_exceeded", "The script counts too many requests."),
    "500": ("server_error", "The script has the server fail."),
    "503": ("overloaded", "The script has the server overloaded."),
}


@dataclass(frozen=True, slots=True)
class Route:
    """A path of one protocol: how its requests are read and its replies written."""

    pattern: re.Pattern[str]
    read: Callable[[RequestBody, str | None], ParsedRequest]
    write: Callable[[Answer], bytes]


OPENAI_PREFIX = r"/v1|/openai/deployments/(?P<name>[^/]+)"
ROUTES = (
    Route(re.compile(rf"(?:{OPENAI_PREFIX})/chat/completions"), reading.read_chat, response_rendering.render_chat),
    Route(
        re.compile(rf"(?:{OPENAI_PREFIX})/completions"), reading.read_completion, response_rendering.render_completion
    ),
    Route(
        re.compile(rf"(?:{OPENAI_PREFIX})/audio/transcriptions"),
        reading.upload_reader("transcribe"),
        response_rendering.render_transcription,
    ),
    Route(
        re.compile(rf"(?:{OPENAI_PREFIX})/audio/translations"),
        reading.upload_reader("translate"),
        response_rendering.render_transcription,
    ),
    Route(
        re.compile(r"/v1beta/models/(?P<name>[^/:]+):generateContent"),
        reading.read_gemini,
        response_rendering.render_gemini,
    ),
)


@lru_cache(maxsize=1024)
def find_route(method: str, path: str) -> tuple[Route, str | None]:
    """The route of a path, and the model that the path names if it does."""
    if method == "POST":
        for route in ROUTES:
            if found := route.pattern.fullmatch(path):
                return route, found.groupdict().get("name")
    raise Refusal(404, "unknown_path", f"There is no {method} {path} here.")


@dataclass(slots=True)
class ServerCounts:
    """What came in and what became of it. A digest stands for a body; see `digest_of`."""

    requests: Counter[str] = field(default_factory=Counter)
    """By path, whatever became of them."""
    received: Counter[str] = field(default_factory=Counter)
    """By digest: attempts that were let in."""
    answered: Counter[str] = field(default_factory=Counter)
    """By digest: attempts that were answered in full and without a fault."""
    faults: Counter[str] = field(default_factory=Counter)
    """By kind: what the dice dealt."""
    refused: Counter[str] = field(default_factory=Counter)
    """By code: what was not let in, for its key, its model, its form or the capacity."""
    abandoned: int = 0
    """Requests whose client left before the end."""
    at_once: int = 0
    most_at_once: int = 0
    times: dict[str, list[ResponseTimes]] | None = None
    """By digest: when each attempt came and its reply left, if the script wants that kept."""

    def add_times(self, digest: str, times: ResponseTimes) -> None:
        if self.times is not None:
            self.times.setdefault(digest, []).append(times)

    def to_dict(self) -> dict[str, Any]:
        """A copy, each part of it taken in one step: the server counts on in its own thread."""
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        kept = parts.pop("times")
        counts = {name: dict(part) if isinstance(part, dict) else part for name, part in parts.items()}
        if kept is None:
            return counts
        times = {digest: [each.document() for each in list(found)] for digest, found in dict(kept).items()}
        return {**counts, "times": times}


@dataclass(frozen=True, slots=True)
class PlannedResponse:
    """One request, and the answer it would get."""

    request: web.BaseRequest
    route: Route
    answer: Answer
    fault: str | None
    times: ResponseTimes
    due_time: float = 0.0
    """When the answer begins."""
    chunks: Sequence[StreamChunk] = ()
    """The answer as it is streamed, at its times."""

    @property
    def is_streamed(self) -> bool:
        return self.answer.request.stream


class RequestHandler:
    """Answers requests; knows nothing of sockets."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.counts = ServerCounts(times={} if script.record_times else None)
        self._schedule = ServerSchedule(script)
        self._seen_connections: WeakSet[asyncio.BaseTransport] = WeakSet()

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/stats":
            return _json_response(self.counts.to_dict())
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
            return web.Response()  # reaches nobody
        finally:
            counts.at_once -= 1

    async def _handle_request(self, request: web.BaseRequest) -> web.StreamResponse:
        arrival = await self._wait_for_arrival(request)
        # Whoever is refused must be heard out first, or a client may choke on its own upload.
        content = await request.content.read()
        self._check_access(request)
        if (request.method, request.path) == ("GET", "/v1/models"):
            return _json_response(self._list_models())
        route, name = find_route(request.method, request.path)
        body = RequestBody(content, request.headers.get("Content-Type", ""))
        question = route.read(body, name)
        if self.script.models and question.model not in self.script.models:
            known = ", ".join(self.script.models)
            message = f"There is no model {question.model!r} here, only {known}."
            raise Refusal(404, "model_not_found", message)
        return await self._handle_attempt(request, route, question, body.digest, arrival)

    async def _wait_for_arrival(self, request: web.BaseRequest) -> float:
        """When a request is heard, which on a new connection may be later than it came."""
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
            raise Refusal(401, "invalid_api_key", "The key is wrong or missing.")
        if script.capacity is not None and self.counts.at_once > script.capacity:
            message = f"More than {script.capacity} requests at once."
            raise Refusal(429, "rate_limit_exceeded", message)

    async def _handle_attempt(
        self, request: web.BaseRequest, route: Route, parsed_request: ParsedRequest, digest: str, arrival: float
    ) -> web.StreamResponse:
        self.counts.received[digest] += 1
        attempt = self.counts.received[digest]
        fault = self.script.draw_fault(digest, attempt)
        if fault:
            self.counts.faults[fault] += 1
        said = response_rendering.build_answer(parsed_request, digest, self.script, empty=fault == "empty")
        delay = self.script.draw_delay(digest, attempt)
        exchange = self._plan_response(PlannedResponse(request, route, said, fault, ResponseTimes(arrival)), delay)
        self.counts.add_times(digest, exchange.times)
        return await self._send_response(exchange)

    def _plan_response(self, response_plan: PlannedResponse, delay: float) -> PlannedResponse:
        """Give it its turn, and every piece of its answer a time by the clock."""
        times, timetable = response_plan.times, self._schedule
        pieces = build_chunks(response_plan.answer, self.script) if response_plan.is_streamed else []
        work = delay + (pieces[-1].due if pieces else 0.0)
        times.begun = begun = timetable.assign_slot(times.arrival, work)
        due = timetable.finish_time(begun, delay)
        planned = [piece._replace(due=timetable.finish_time(begun, delay + piece.due)) for piece in pieces]
        if planned and self.script.role_first:
            planned[0] = planned[0]._replace(due=timetable.finish_time(times.arrival, 0.0))
        return replace(response_plan, due_time=due, chunks=self._add_keep_alives(response_plan, planned))

    def _add_keep_alives(self, response_plan: PlannedResponse, chunks: Sequence[StreamChunk]) -> Sequence[StreamChunk]:
        every = self.script.keep_alive
        if every is None:
            return chunks
        signs = keep_alive_events(response_plan.answer)
        filled = insert_keep_alives(chunks, response_plan.times.arrival, every, signs)
        rests = self._schedule.is_stalled
        return [piece for piece in filled if piece.kind != "alive" or not rests(piece.due)]

    async def _send_response(self, response_plan: PlannedResponse) -> web.StreamResponse:
        fault = response_plan.fault
        if fault and fault != "empty":
            await sleep_until(response_plan.due_time)
            return await self._send_fault(response_plan, fault)
        if response_plan.is_streamed:
            return await self._send_stream(response_plan)
        await sleep_until(response_plan.due_time)
        self._finish_response(response_plan)
        return _full_response(response_plan)

    async def _send_stream(self, response_plan: PlannedResponse) -> web.StreamResponse:
        response: web.StreamResponse | None = None
        last = response_plan.chunks[-1]
        async for pieces in iterate_when_due(response_plan.chunks):
            response = response or await _open_response(response_plan.request, EVENT_STREAM_TYPE)
            content = b"".join([piece.data for piece in pieces])
            if pieces[-1] is last:
                response_plan.times.record_sent(pieces, time.monotonic())
                self._finish_response(response_plan)
                await response.write_eof(content)
            else:
                await response.write(content)
                response_plan.times.record_sent(pieces, time.monotonic())  # the socket has them now
        assert response
        return response

    def _finish_response(self, response_plan: PlannedResponse) -> None:
        """Called before the last byte leaves: whoever has an answer finds it counted."""
        now = time.monotonic()
        response_plan.times.first_byte = response_plan.times.first_byte or now
        response_plan.times.done = now
        if not response_plan.fault:
            self.counts.answered[response_plan.answer.digest] += 1

    # --- faults ------------------------------------------------------------------

    async def _send_fault(self, response_plan: PlannedResponse, fault: str) -> web.StreamResponse:
        if fault in FAULT_ERRORS:
            code, message = FAULT_ERRORS[fault]
            return self._error_response(response_plan.request, Refusal(int(fault), code, message))
        if fault == "html":
            return web.Response(text=HTML_PAGE, content_type="text/html")
        if fault == "garbage":
            return _garbage_response(response_plan)
        if fault == "hang":
            await asyncio.get_running_loop().create_future()
        if fault == "endless":
            return await self._stream_endlessly(response_plan)
        return await self._disconnect(response_plan, before_reply=fault == "drop")

    def _error_response(self, request: web.BaseRequest, refusal: Refusal) -> web.Response:
        gemini = request.path.startswith("/v1beta/")
        refuse = response_rendering.build_gemini_error if gemini else response_rendering.build_openai_error
        response = _json_response(refuse(refusal), refusal.status)
        if refusal.status == 429:
            response.headers["Retry-After"] = f"{self.script.retry_after:g}"
        return response

    async def _disconnect(self, response_plan: PlannedResponse, *, before_reply: bool) -> web.StreamResponse:
        """Hang up, after half of the reply or none of it."""
        response = web.StreamResponse()
        if not before_reply and response_plan.is_streamed:
            response = await _open_response(response_plan.request, EVENT_STREAM_TYPE)
            async for pieces in iterate_when_due(first_half(response_plan.chunks)):
                response_plan.times.record_sent(pieces, time.monotonic())
                await response.write(b"".join([piece.data for piece in pieces]))
        elif not before_reply:
            content = response_plan.route.write(response_plan.answer)
            response = await _open_response(response_plan.request, JSON_TYPE, len(content))
            await response.write(content[: len(content) // 2])
        if response_plan.request.transport:
            response_plan.request.transport.close()
        return response

    async def _stream_endlessly(self, response_plan: PlannedResponse) -> web.StreamResponse:
        """More deltas, or more of the blanks that JSON may begin with, for ever."""
        response = await _open_response(
            response_plan.request, EVENT_STREAM_TYPE if response_plan.is_streamed else JSON_TYPE
        )
        deltas = [b" "]
        if response_plan.is_streamed:
            deltas = [piece.data for piece in response_plan.chunks if piece.kind in CONTENT_KINDS]
            await response.write(response_plan.chunks[0].data)
        while True:
            for delta in deltas or [b": nothing\n\n"]:
                await response.write(delta)
                await asyncio.sleep(1 / self.script.pace if self.script.pace else ENDLESS_INTERVAL)

    def _list_models(self) -> dict[str, Any]:
        names = self.script.models or ("fake",)
        models = [{"id": name, "object": "model", "created": 0, "owned_by": "auricle"} for name in names]
        return {"object": "list", "data": models}


def _get_api_keys(request: web.BaseRequest) -> set[str | None]:
    """Every key a request shows, wherever a protocol has it."""
    headers = request.headers
    bearer = headers.get("Authorization", "").removeprefix("Bearer ")
    return {bearer, headers.get("api-key"), headers.get("x-goog-api-key"), request.query.get("key")}


def _json_response(document: Any, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(document), status=status, content_type=JSON_TYPE)


def _full_response(response_plan: PlannedResponse) -> web.Response:
    plain = response_plan.answer.request.response_format == "text"
    content = response_plan.route.write(response_plan.answer)
    return web.Response(body=content, content_type="text/plain" if plain else JSON_TYPE)


def _garbage_response(response_plan: PlannedResponse) -> web.Response:
    if response_plan.is_streamed:
        return web.Response(body=b'data: {"choices": [{"delta\n\n', content_type=EVENT_STREAM_TYPE)
    return web.Response(body=b'{"choices": [{"message', content_type=JSON_TYPE)


async def _open_response(request: web.BaseRequest, content_type: str, length: int | None = None) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": content_type})
    response.content_length = length
    await response.prepare(request)
    return response
