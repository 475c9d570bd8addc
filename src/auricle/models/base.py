"""What a model is: something that answers up to three kinds of request.

Subclass `AsyncModel` for whatever takes one request and many at once (an API, a
server); subclass `BatchModel` for whatever takes a list (weights on this machine).
Override only what the model can do; the rest is reported as unsupported before
anything is loaded.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TypeAlias

from auricle.core.errors import Unsupported
from auricle.core.types import (
    ABILITY_BY_REQUEST,
    Ability,
    Generate,
    Generation,
    Likelihood,
    LogLikelihood,
    Predict,
    Prediction,
    Request,
)


class AsyncModel:
    """Answers one request at a time, many at once."""

    first_tokens: bool = False
    """Does it tell the likeliest first tokens of an answer, where a request asks for them?"""
    wants_context: bool = False
    """Is it to be told, in `Generate.about`, what task and what sample a request belongs to?"""

    async def generate(self, request: Generate) -> Generation:
        raise Unsupported(f"{type(self).__name__} cannot generate.")

    async def loglikelihood(self, request: LogLikelihood) -> Likelihood:
        raise Unsupported(f"{type(self).__name__} cannot score likelihoods.")

    async def predict(self, request: Predict) -> Prediction:
        raise Unsupported(f"{type(self).__name__} cannot predict.")

    def stream(self, request: Generate) -> AsyncIterator[str]:
        """Yield text as it is produced; needed for time-to-first-token."""
        raise Unsupported(f"{type(self).__name__} cannot stream.")

    def preview_request(self, request: Request) -> str:
        """What exactly is sent for a request, for a preview; empty where that is not told."""
        return ""

    async def close(self) -> None:
        """Release what the constructor took."""


class BatchModel:
    """Answers a list of requests of one kind, in order."""

    batch_size: int = 8
    """The most requests in one call."""
    batch_seconds: float | None = None
    """The most audio in one call, padding counted: requests × the longest of them."""
    sample_rate: int | None = None
    """Where given, audio arrives decoded at this rate: other threads decode while it works."""

    first_tokens: bool = False
    """Does it tell the likeliest first tokens of an answer, where a request asks for them?"""
    wants_context: bool = False
    """Is it to be told, in `Generate.about`, what task and what sample a request belongs to?"""

    def generate(self, batch: Sequence[Generate]) -> Sequence[Generation]:
        raise Unsupported(f"{type(self).__name__} cannot generate.")

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> Sequence[Likelihood]:
        raise Unsupported(f"{type(self).__name__} cannot score likelihoods.")

    def predict(self, batch: Sequence[Predict]) -> Sequence[Prediction]:
        raise Unsupported(f"{type(self).__name__} cannot predict.")

    def preview_request(self, request: Request) -> str:
        """What exactly a model reads for a request, for a preview; empty where it is not told."""
        return ""

    def close(self) -> None:
        """Release what the constructor took."""


Model: TypeAlias = AsyncModel | BatchModel


def abilities(cls: type[Model]) -> list[Ability]:
    """The kinds of request `cls` answers, told from the methods it overrides."""
    base = AsyncModel if issubclass(cls, AsyncModel) else BatchModel
    can = [name for name in ABILITY_BY_REQUEST.values() if getattr(cls, name) is not getattr(base, name)]
    return [*can, "first_tokens"] if getattr(cls, "first_tokens", False) else can
