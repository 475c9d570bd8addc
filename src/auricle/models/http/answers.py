"""Read the answer to a request: from a complete response, or from the events of a stream.

Each protocol has one reader. Runs and load tests use the same one, so that performance is measured on the code that
evaluates a model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from auricle.core.errors import Rejected, Transient
from auricle.core.types import MAX_TEXT_LENGTH, Generate, Generation
from auricle.models.http.fields import InvalidField, as_count, describe_shape
from auricle.models.http.timing import ChunkKind, RequestTimer

MAX_CHARS_PER_TOKEN = 64  # a longer answer has ignored max_tokens
STREAM_END = object()
"""Stands for the end marker of a stream."""


class AnswerReader(ABC):
    """Collects the answer to one request, and records when its parts arrive."""

    kind: str
    """What a response contains, for messages: "a chat completion"."""
    limits_length: bool = True
    """Whether the server was given a maximum number of tokens, so that an answer cannot be arbitrarily long."""

    def __init__(self, request: Generate, timer: RequestTimer) -> None:
        self.timer = timer
        self.host = ""
        """The server that answers, for messages."""
        self.length = 0
        """Number of characters so far."""
        self.tokens: int | None = None
        self.input_tokens: int | None = None
        self.finish = ""
        self._text_parts: list[str] = []
        self._max_tokens = request.max_tokens
        self._has_ended = False

    @abstractmethod
    def _read_document(self, document: Any) -> str:
        """Read a complete response and return its text."""

    @abstractmethod
    def _read_event(self, event: Any) -> str:
        """Read an event of a stream and return its text."""

    def read_document(self, document: Any) -> str:
        """Read a complete response and return its text.

        Raises:
            Rejected: It is not an answer.
        """
        try:
            return self._read_document(document)
        except InvalidField as error:
            raise Rejected(f"{self.host} returned {describe_shape(document)} instead of {self.kind}") from error

    def read_event(self, event: Any) -> str:
        """Read an event of a stream and return its text.

        Raises:
            Transient: The event is not part of an answer.
            Rejected: The answer exceeds its token limit by far; the server would not stop.
        """
        if event is STREAM_END:
            self._has_ended = True
            return ""
        try:
            piece = self._read_event(event)
        except InvalidField as error:
            raise Transient(f"{self.host} streamed {describe_shape(event)} instead of {self.kind} chunk") from error
        if self.limits_length and self.length > MAX_CHARS_PER_TOKEN * self._max_tokens + 10_000:
            raise Rejected(
                f"{self.host} sent {self.length} characters for max_tokens={self._max_tokens} and did not stop"
            )
        return piece

    def check_end(self) -> None:
        """Raise `Transient` if a stream ended without an end marker or a finish reason."""
        if not self.finish and not self._has_ended:
            raise Transient(f"{self.host} ended its stream early, after {self.length} characters")

    def check_answer(self) -> None:
        """Raise an error if a complete answer lacks something that was requested."""
        return

    def to_generation(self) -> Generation:
        return self._build_generation()

    def _build_generation(self, **details: Any) -> Generation:
        return Generation(
            text="".join(self._text_parts),
            tokens=self.tokens,
            input_tokens=self.input_tokens,
            finish=self.finish,
            timing=self.timer.to_timing(),
            **details,
        )

    def _add_text(self, piece: str, kind: ChunkKind = "text") -> str:
        if piece:
            self.timer.record_chunk(kind)
            self._text_parts.append(piece)
            self.length += len(piece)
        if self.length > MAX_TEXT_LENGTH:
            raise Rejected(
                f"{self.host} sent more than {MAX_TEXT_LENGTH:,} characters of text; no answer may be longer"
            )
        return piece

    def _set_usage(self, usage: Any, input_name: str, output_name: str) -> bool:
        """Read the token counts of an answer, and return whether it has any; a wrong type costs only the counts."""
        if not isinstance(usage, dict) or not usage:
            return False
        self.input_tokens, self.tokens = as_count(usage.get(input_name)), as_count(usage.get(output_name))
        return self.tokens is not None
