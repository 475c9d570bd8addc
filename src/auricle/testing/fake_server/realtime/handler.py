"""Accept or refuse the WebSockets of the fake realtime server, and report on its sessions."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from auricle.testing.fake_server.realtime.connection import (
    CLOSE_GRACE_SECONDS,
    MAX_MESSAGE_BYTES,
    Connection,
    SessionLog,
)
from auricle.testing.fake_server.realtime.dialect import OUTPUT_RATE, Dialect, ProtocolError
from auricle.testing.fake_server.realtime.gemini import GeminiDialect
from auricle.testing.fake_server.realtime.openai import OpenAIDialect
from auricle.testing.fake_server.realtime.script import DialectName, RealtimeScript
from auricle.testing.fake_server.realtime.speaker import prepare_answer
from auricle.testing.fake_server.realtime.vllm import VllmDialect

OPENAI_PATH = re.compile(r"/v1/realtime|/openai/v1/realtime")
GEMINI_PATH = re.compile(r".*/ws/google\.ai\.generativelanguage\.v\w+\.GenerativeService\.BidiGenerateContent")
KEY_PROTOCOL = "openai-insecure-api-key."
"""Prefix of the sub-protocol in which browsers send their key."""
MAX_LOGS = 2_000
"""Sessions that are reported; older ones are forgotten."""


class RealtimeHandler:
    """Serves realtime sessions according to a script.

    Args:
        script: Behaviour of all sessions.
    """

    def __init__(self, script: RealtimeScript) -> None:
        self.script = script
        self.logs: deque[SessionLog] = deque(maxlen=MAX_LOGS)
        self._session_count = 0
        self._open_count = 0
        for turn in script.turns:  # computed while nothing is timed
            prepare_answer(turn, OUTPUT_RATE)

    def accepts(self, path: str) -> bool:
        """Return whether a path is one of realtime sessions."""
        return any(pattern.fullmatch(path) for pattern in (OPENAI_PATH, GEMINI_PATH))

    def find_refusal(self) -> int | None:
        """Return the status with which the next handshake is refused."""
        refuse = self.script.refuse
        if refuse is None or refuse == "error" or not self.script.has_faults(self._session_count):
            return None
        self._session_count += 1
        return int(refuse)

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """Hold one session."""
        dialect = choose_dialect(request.path, request.query, request.headers, self.script)
        websocket = web.WebSocketResponse(
            protocols=("realtime",), compress=False, max_msg_size=MAX_MESSAGE_BYTES, timeout=CLOSE_GRACE_SECONDS
        )
        await websocket.prepare(request)
        log = SessionLog(dialect.name, request.path, opened=time.monotonic())
        self.logs.append(log)
        has_faults = self.script.has_faults(self._session_count)
        self._session_count += 1
        connection = Connection(websocket, request, dialect, self.script, log, has_faults=has_faults)
        self._open_count += 1
        try:
            error = self._find_error(has_faults=has_faults)
            await (connection.refuse(error) if error else connection.serve())
        finally:
            self._open_count -= 1
        return websocket

    def _find_error(self, *, has_faults: bool) -> ProtocolError | None:
        """Return why a session is refused after the handshake."""
        limit = self.script.max_sessions
        if limit is not None and self._open_count > limit:
            return ProtocolError("session_limit_reached", f"More than {limit} concurrent sessions.")
        if self.script.refuse == "error" and has_faults:
            return ProtocolError("insufficient_quota", "You exceeded your current quota.")
        return None

    def describe(self) -> list[dict[str, Any]]:
        """Return what happened in each session, as in `GET /stats`."""
        return [log.to_dict() for log in list(self.logs)]


def choose_dialect(path: str, query: Mapping[str, str], headers: Mapping[str, str], script: RealtimeScript) -> Dialect:
    """Return the protocol of a new session, by the script or by what the client sends."""
    if GEMINI_PATH.fullmatch(path):
        return GeminiDialect(binary=script.binary_frames)
    is_transcription = query.get("intent") == "transcription"
    model = query.get("model", "fake")
    match script.dialect if script.dialect != "auto" else detect_dialect(query, headers):
        case "vllm":
            return VllmDialect()
        case name:
            return OpenAIDialect(model, transcription=is_transcription, beta=name == "openai-beta")


def detect_dialect(query: Mapping[str, str], headers: Mapping[str, str]) -> DialectName:
    """Return the dialect of `/v1/realtime` that a client speaks; only clients of vLLM have no query."""
    if "realtime=v1" in headers.get("OpenAI-Beta", ""):
        return "openai-beta"
    return "openai" if query or "realtime" in headers.get("Sec-WebSocket-Protocol", "") else "vllm"


def get_protocol_key(headers: Mapping[str, str]) -> str | None:
    """Return the API key among the sub-protocols of a handshake."""
    names = [name.strip() for name in headers.get("Sec-WebSocket-Protocol", "").split(",")]
    keys = [name.removeprefix(KEY_PROTOCOL) for name in names if name.startswith(KEY_PROTOCOL)]
    return keys[0] if keys else None
