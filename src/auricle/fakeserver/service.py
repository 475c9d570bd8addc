"""What is done with a request: read, count, wait, and answer or fail as the script has it."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

import orjson
from aiohttp import web

from auricle.fakeserver import reading, writing
from auricle.fakeserver.reading import Body, Question, Refusal
from auricle.fakeserver.script import Script
from auricle.fakeserver.writing import Answer

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
    Route(re.compile(rf"(?:{OPENAI})/chat/completions"), reading.read_chat, writing.chat),
    Route(re.compile(rf"(?:{OPENAI})/completions"), reading.read_completion, writing.completion),
    Route(
        re.compile(rf"(?:{OPENAI})/audio/transcriptions"),
        reading.read_upload("transcribe"),
        writing.transcript,
    ),
    Route(
        re.compile(rf"(?:{OPENAI})/audio/translations"),
        reading.read_upload("translate"),
        writing.transcript,
    ),
    Route(
        re.compile(r"/v1beta/models/(?P<name>[^/:]+):generateContent"),
        reading.read_gemini,
        writing.gemini,
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

    def document(self) -> dict[str, Any]:
        """A copy, each part of it taken in one step: the server counts on in its own thread."""
        parts = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: dict(part) if isinstance(part, dict) else part for name, part in parts}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, and the answer it would get."""

    request: web.BaseRequest
    route: Route
    said: Answer
    fault: str | None

    @property
    def streams(self) -> bool:
        return self.said.question.stream


class Service:
    """Answers requests; knows nothing of sockets."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.counts = Counts()

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
        return await self._attempt(request, route, question, body.digest)

    def _check(self, request: web.BaseRequest) -> None:
        script = self.script
        if script.key is not None and script.key not in _keys(request):
            raise Refusal(401, "invalid_api_key", "The key is wrong or missing.")
        if script.capacity is not None and self.counts.at_once > script.capacity:
            message = f"More than {script.capacity} requests at once."
            raise Refusal(429, "rate_limit_exceeded", message)

    async def _attempt(
        self, request: web.BaseRequest, route: Route, question: Question, digest: str
    ) -> web.StreamResponse:
        self.counts.received[digest] += 1
        attempt = self.counts.received[digest]
        fault = self.script.fault(digest, attempt)
        if fault:
            self.counts.faults[fault] += 1
        if delay := self.script.delay(digest, attempt):
            await asyncio.sleep(delay)
        said = writing.answer(question, digest, self.script, empty=fault == "empty")
        exchange = Exchange(request, route, said, fault)
        if fault and fault != "empty":
            return await self._fail(exchange, fault)
        if exchange.streams:
            return await self._stream(exchange)
        self._count(exchange)
        return _whole(exchange)

    async def _stream(self, exchange: Exchange) -> web.StreamResponse:
        stream = writing.chat_stream(exchange.said)
        response = await _opened(exchange.request, EVENTS)
        rest = await self._paced(response, stream)
        self._count(exchange)
        await response.write_eof(rest + stream.closing)
        return response

    def _count(self, exchange: Exchange) -> None:
        """Called before the last byte leaves: whoever has an answer finds it counted."""
        if not exchange.fault:
            self.counts.answered[exchange.said.digest] += 1

    async def _paced(
        self, response: web.StreamResponse, stream: writing.Stream, share: float = 1.0
    ) -> bytes:
        """Write a share of the deltas at the script's pace; what need not wait is handed back."""
        deltas = stream.deltas[: round(len(stream.deltas) * share)]
        if self.script.pace is None:
            return b"".join([stream.opening, *deltas])
        await response.write(stream.opening)
        loop = asyncio.get_running_loop()
        began = loop.time()
        for at, delta in enumerate(deltas):
            # By the clock, so that late wake-ups do not add up.
            await asyncio.sleep(began + at / self.script.pace - loop.time())
            await response.write(delta)
        return b""

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
        refuse = writing.gemini_refusal if gemini else writing.openai_refusal
        response = _json(refuse(refusal), refusal.status)
        if refusal.status == 429:
            response.headers["Retry-After"] = f"{self.script.retry_after:g}"
        return response

    async def _break_off(self, exchange: Exchange, *, silent: bool) -> web.StreamResponse:
        """Hang up, after half of the reply or none of it."""
        response = web.StreamResponse()
        if not silent and exchange.streams:
            response = await _opened(exchange.request, EVENTS)
            await response.write(
                await self._paced(response, writing.chat_stream(exchange.said), 0.5)
            )
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
            opening, deltas, _ = writing.chat_stream(exchange.said)
            await response.write(opening)
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
