"""Models behind a fake server that scores text."""

import asyncio
from typing import Any

import pytest

from auricle.core.types import LogLikelihood, Turn
from auricle.testing.fake_server.response_rendering import compute_logprob


def connect(kind: Any, server: Any, **options: Any) -> Any:
    return kind(**{"base_url": server.url, "model": "fake", **options})


def ask_all(model: Any, *requests: Any) -> Any:
    """Score all requests concurrently with one model."""

    async def ask() -> Any:
        try:
            calls = (
                model.loglikelihood(request) if isinstance(request, LogLikelihood) else model.generate(request)
                for request in requests
            )
            return await asyncio.gather(*calls)
        finally:
            await model.close()

    return asyncio.run(ask())


def score(context: Any, continuation: Any, **more: Any) -> Any:
    turns = (Turn("user", (context,)),) if context else ()
    return LogLikelihood(turns=turns, continuation=continuation, **more)


def fake_logprobs(before: Any, *tokens: Any) -> Any:
    """Return the log-probabilities that the fake server assigns to these tokens after that text."""
    result = []
    for token in tokens:
        result.append(compute_logprob(token, before))
        before += token
    return pytest.approx(result)
