"""Short forms of requests."""

from typing import Any

from auricle.core.types import Generate, LogLikelihood, Turn


def generate(*parts: Any, **limits: Any) -> Any:
    return Generate(turns=(Turn("user", parts),), **limits)


def likelihood(*parts: Any) -> Any:
    """Build a request whose last part is the continuation."""
    return LogLikelihood(turns=(Turn("user", parts[:-1]),), continuation=parts[-1])


def answer_one_by_one(ask: Any, batch: Any) -> Any:
    return [ask([request])[0] for request in batch]
