"""Requests in a word, and answers one by one."""

from auricle.core.types import Generate, LogLikelihood, Turn


def generate(*parts, **limits):
    return Generate(turns=(Turn("user", parts),), **limits)


def likelihood(*parts):
    """All but the last stand before; the last is asked about."""
    return LogLikelihood(turns=(Turn("user", parts[:-1]),), continuation=parts[-1])


def alone(ask, batch):
    return [ask([request])[0] for request in batch]
