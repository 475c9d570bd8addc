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

from auricle.testing.fake_server import requests as reading
from auricle.testing.fake_server import responses
from auricle.testing.fake_server.requests import Body, Question, Refusal
from auricle.testing.fake_server.responses import Answer
from auricle.testing.fake_server.schedule import (
    SAID,
    Piece,
    Times,
    Timetable,
    half,
    moments,
    until,
    with_signs_of_life,
)
from auricle.testing.fake_server.script import Script
from auricle.testing.fake_server.streaming import pieces_of, signs_of_life

JSON, EVENTS = "application/json", "text/event-stream"
BREATH = 0.01
"""Seconds between the pieces of a reply that never ends, unless a pace is set."""
PAGE = "<!DOCTYPE html><html><body><h1>Sign in to continue</h1></body></html>"
REFUSALS = {
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
    read: Callable[[Body, str | None], Question]
    write: Callable[[Answer], bytes]


OPENAI = r"/v1|/openai/deployments/(?P<name>[^/]+)"
ROUTES = (
    Route(re.compile(rf"(?:{OPENAI})/chat/completions"), reading.read_chat, responses.chat),
    Route(re.compile(rf"(?:{OPENAI})/completions"), reading.read_completion, responses.completion),
    Route(
        re.compile(rf"(?:{OPENAI})/audio/transcriptions"),
        reading.read_upload("transcribe"),
        responses.transcript,
    ),
    Route(
        re.compile(rf"(?:{OPENAI})/audio/translations"),
        reading.read_upload("translate"),
        responses.transcript,
    ),
    Route(
        re.compile(r"/v1beta/models/(?P<name>[^/:]+):generateContent"),
        reading.read_gemini,
        responses.gemini,
    ),
)


@lru_cache(maxsize=1024)
def route_of(method: str, path: str) -> tuple[Route, str | None]:
    """The route of a path, and the model that the path names if it does."""
    if method == "POST":
        for route in ROUTES:
            if found := route.pattern.fullmatch(path):
                return route, found.groupdict().get("name")
    raise Refusal(404, "unknown_path", f"There is no {method} {path} here.")


@dataclass(slots=True)
class Counts:
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
    times: dict[str, list[Times]] | None = None
    """By digest: when each attempt came and its reply left, if the script wants that kept."""

    def note(self, digest: str, times: Times) -> None:
        if self.times is not None:
            self.times.setdefault(digest, []).append(times)

    def document(self) -> dict[str, Any]:
        """A copy, each part of it taken in one step: the server counts on in its own thread."""
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        kept = parts.pop("times")
        counts = {
            name: dict(part) if isinstance(part, dict) else part for name, part in parts.items()
        }
        if kept is None:
            return counts
        times = {
            digest: [each.document() for each in list(found)]
            for digest, found in dict(kept).items()
        }
        return {**counts, "times": times}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, and the answer it would get."""

    request: web.BaseRequest
    route: Route
    said: Answer
    fault: str | None
    times: Times
    due: float = 0.0
    """When the answer begins."""
    pieces: Sequence[Piece] = ()
    """The answer as it is streamed, at its times."""

    @property
    def streams(self) -> bool:
        return self.said.question.stream


class Service:
    """Answers requests; knows nothing of sockets."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.counts = Counts(times={} if script.record_times else None)
        self._timetable = Timetable(script)
        self._known: WeakSet[asyncio.BaseTransport] = WeakSet()

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/stats":
            return _json(self.counts.document())
        counts = self.counts
        counts.requests[request.path] += 1
        counts.at_once += 1
        counts.most_at_once = max(counts.most_at_once, counts.at_once)
        try:
            return await self._respond(request)
        except Refusal as refusal:
            counts.refused[refusal.code] += 1
            return self._refused(request, refusal)
        except asyncio.CancelledError:
            counts.abandoned += 1
            raise
        except ConnectionError:
            counts.abandoned += 1
            return web.Response()  # reaches nobody
        finally:
            counts.at_once -= 1

    async def _respond(self, request: web.BaseRequest) -> web.StreamResponse:
        arrival = await self._arrival(request)
        # Whoever is refused must be heard out first, or a client may choke on its own upload.
        content = await request.content.read()
        self._check(request)
        if (request.method, request.path) == ("GET", "/v1/models"):
            return _json(self._models())
        route, name = route_of(request.method, request.path)
        body = Body(content, request.headers.get("Content-Type", ""))
        question = route.read(body, name)
        if self.script.models and question.model not in self.script.models:
            known = ", ".join(self.script.models)
            message = f"There is no model {question.model!r} here, only {known}."
            raise Refusal(404, "model_not_found", message)
        return await self._attempt(request, route, question, body.digest, arrival)

    async def _arrival(self, request: web.BaseRequest) -> float:
        """When a request is heard, which on a new connection may be later than it came."""
        now = time.monotonic()
        self._timetable.open(now)
        if self.script.accept_delay and request.transport and request.transport not in self._known:
            self._known.add(request.transport)
            now += self.script.accept_delay
            await until(now)
        return now

    def _check(self, request: web.BaseRequest) -> None:
        script = self.script
        if script.key is not None and script.key not in _keys(request):
            raise Refusal(401, "invalid_api_key", "The key is wrong or missing.")
        if script.capacity is not None and self.counts.at_once > script.capacity:
            message = f"More than {script.capacity} requests at once."
            raise Refusal(429, "rate_limit_exceeded", message)

    async def _attempt(
        self,
        request: web.BaseRequest,
        route: Route,
        question: Question,
        digest: str,
        arrival: float,
    ) -> web.StreamResponse:
        self.counts.received[digest] += 1
        attempt = self.counts.received[digest]
        fault = self.script.fault(digest, attempt)
        if fault:
            self.counts.faults[fault] += 1
        said = responses.answer(question, digest, self.script, empty=fault == "empty")
        delay = self.script.delay(digest, attempt)
        exchange = self._planned(Exchange(request, route, said, fault, Times(arrival)), delay)
        self.counts.note(digest, exchange.times)
        return await self._reply(exchange)

    def _planned(self, exchange: Exchange, delay: float) -> Exchange:
        """Give it its turn, and every piece of its answer a time by the clock."""
        times, timetable = exchange.times, self._timetable
        pieces = pieces_of(exchange.said, self.script) if exchange.streams else []
        work = delay + (pieces[-1].at if pieces else 0.0)
        times.begun = begun = timetable.begin(times.arrival, work)
        due = timetable.after(begun, delay)
        planned = [piece._replace(at=timetable.after(begun, delay + piece.at)) for piece in pieces]
        if planned and self.script.role_first:
            planned[0] = planned[0]._replace(at=timetable.after(times.arrival, 0.0))
        return replace(exchange, due=due, pieces=self._lively(exchange, planned))

    def _lively(self, exchange: Exchange, pieces: Sequence[Piece]) -> Sequence[Piece]:
        every = self.script.keep_alive
        if every is None:
            return pieces
        signs = signs_of_life(exchange.said)
        filled = with_signs_of_life(pieces, exchange.times.arrival, every, signs)
        rests = self._timetable.rests
        return [piece for piece in filled if piece.kind != "alive" or not rests(piece.at)]

    async def _reply(self, exchange: Exchange) -> web.StreamResponse:
        fault = exchange.fault
        if fault and fault != "empty":
            await until(exchange.due)
            return await self._fail(exchange, fault)
        if exchange.streams:
            return await self._stream(exchange)
        await until(exchange.due)
        self._end(exchange)
        return _whole(exchange)

    async def _stream(self, exchange: Exchange) -> web.StreamResponse:
        response: web.StreamResponse | None = None
        last = exchange.pieces[-1]
        async for pieces in moments(exchange.pieces):
            response = response or await _opened(exchange.request, EVENTS)
            content = b"".join([piece.data for piece in pieces])
            if pieces[-1] is last:
                exchange.times.left(pieces, time.monotonic())
                self._end(exchange)
                await response.write_eof(content)
            else:
                await response.write(content)
                exchange.times.left(pieces, time.monotonic())  # the socket has them now
        assert response
        return response

    def _end(self, exchange: Exchange) -> None:
        """Called before the last byte leaves: whoever has an answer finds it counted."""
        now = time.monotonic()
        exchange.times.first_byte = exchange.times.first_byte or now
        exchange.times.done = now
        if not exchange.fault:
            self.counts.answered[exchange.said.digest] += 1

    # --- faults ------------------------------------------------------------------

    async def _fail(self, exchange: Exchange, fault: str) -> web.StreamResponse:
        if fault in REFUSALS:
            code, message = REFUSALS[fault]
            return self._refused(exchange.request, Refusal(int(fault), code, message))
        if fault == "html":
            return web.Response(text=PAGE, content_type="text/html")
        if fault == "garbage":
            return _garbled(exchange)
        if fault == "hang":
            await asyncio.get_running_loop().create_future()
        if fault == "endless":
            return await self._go_on(exchange)
        return await self._break_off(exchange, silent=fault == "drop")

    def _refused(self, request: web.BaseRequest, refusal: Refusal) -> web.Response:
        gemini = request.path.startswith("/v1beta/")
        refuse = responses.gemini_refusal if gemini else responses.openai_refusal
        response = _json(refuse(refusal), refusal.status)
        if refusal.status == 429:
            response.headers["Retry-After"] = f"{self.script.retry_after:g}"
        return response

    async def _break_off(self, exchange: Exchange, *, silent: bool) -> web.StreamResponse:
        """Hang up, after half of the reply or none of it."""
        response = web.StreamResponse()
        if not silent and exchange.streams:
            response = await _opened(exchange.request, EVENTS)
            async for pieces in moments(half(exchange.pieces)):
                exchange.times.left(pieces, time.monotonic())
                await response.write(b"".join([piece.data for piece in pieces]))
        elif not silent:
            content = exchange.route.write(exchange.said)
            response = await _opened(exchange.request, JSON, len(content))
            await response.write(content[: len(content) // 2])
        if exchange.request.transport:
            exchange.request.transport.close()
        return response

    async def _go_on(self, exchange: Exchange) -> web.StreamResponse:
        """More deltas, or more of the blanks that JSON may begin with, for ever."""
        response = await _opened(exchange.request, EVENTS if exchange.streams else JSON)
        deltas = [b" "]
        if exchange.streams:
            deltas = [piece.data for piece in exchange.pieces if piece.kind in SAID]
            await response.write(exchange.pieces[0].data)
        while True:
            for delta in deltas or [b": nothing\n\n"]:
                await response.write(delta)
                await asyncio.sleep(1 / self.script.pace if self.script.pace else BREATH)

    def _models(self) -> dict[str, Any]:
        names = self.script.models or ("fake",)
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "auricle"} for name in names
        ]
        return {"object": "list", "data": models}


def _keys(request: web.BaseRequest) -> set[str | None]:
    """Every key a request shows, wherever a protocol has it."""
    headers = request.headers
    bearer = headers.get("Authorization", "").removeprefix("Bearer ")
    return {bearer, headers.get("api-key"), headers.get("x-goog-api-key"), request.query.get("key")}


def _json(document: Any, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(document), status=status, content_type=JSON)


def _whole(exchange: Exchange) -> web.Response:
    plain = exchange.said.question.form == "text"
    content = exchange.route.write(exchange.said)
    return web.Response(body=content, content_type="text/plain" if plain else JSON)


def _garbled(exchange: Exchange) -> web.Response:
    if exchange.streams:
        return web.Response(body=b'data: {"choices": [{"delta\n\n', content_type=EVENTS)
    return web.Response(body=b'{"choices": [{"message', content_type=JSON)


async def _opened(
    request: web.BaseRequest, content_type: str, length: int | None = None
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": content_type})
    response.content_length = length
    await response.prepare(request)
    return response
