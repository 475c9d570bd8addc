"""Chat models behind a vLLM server."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("aiohttp")


from auricle import Audio
from auricle.core.errors import SampleError
from auricle.core.types import LogLikelihood, Turn
from auricle.models.vllm_chat import VLLMChat
from auricle.testing.fake_server.logprobs import compute_logprob


def at(kind: Any, server: Any, **options: Any) -> Any:
    return kind(**{"base_url": server.url, "model": "fake", **options})


def asked(model: Any, *requests: Any) -> Any:
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


def likely(context: Any, continuation: Any, **more: Any) -> Any:
    turns = (Turn("user", (context,)),) if context else ()
    return LogLikelihood(turns=turns, continuation=continuation, **more)


def known(before: Any, *tokens: Any) -> Any:
    """Return the log-probabilities that the fake server assigns to these tokens after that text."""
    result = []
    for token in tokens:
        result.append(compute_logprob(token, before))
        before += token
    return pytest.approx(result)


def test_answer_is_scored_within_the_chat(serve: Any) -> None:
    (result,) = asked(at(VLLMChat, serve()), likely("is it", "a cat"))
    assert result.logprobs == known("user: is it\nassistant:", " a", " cat")


def test_prefilled_answer_is_continued(serve: Any) -> None:
    turns = (Turn("user", ("is it",)), Turn("assistant", ("I say ",)))
    (result,) = asked(at(VLLMChat, serve()), LogLikelihood(turns=turns, continuation="a cat"))
    assert result.logprobs == known("user: is it\nassistant: I say", " a", " cat")


def test_audio_precedes_the_answer(serve: Any, tone: Any) -> None:
    requests = [
        LogLikelihood(turns=(Turn("user", (Audio(str(path)), "what?")),), continuation="a cat")
        for path in (tone("a.wav", 0.1), tone("b.wav", 0.2))
    ]
    first, second = asked(at(VLLMChat, serve()), *requests)
    assert len(first.logprobs) == len(second.logprobs) == 2
    assert first != second


def test_include_context_with_audio_is_refused(serve: Any, tone: Any) -> None:
    turns = (Turn("user", (Audio(str(tone("a.wav"))),)),)
    with pytest.raises(SampleError, match="audio has no token log-probabilities"):
        asked(at(VLLMChat, serve()), LogLikelihood(turns=turns, continuation="x", include_context=True))


def test_text_without_context_is_scored_without_a_chat(serve: Any) -> None:
    server = serve()
    (result,) = asked(at(VLLMChat, server, start="<s> "), likely("", "a cat"))
    assert result.logprobs == known("<s>", " a", " cat")
    assert set(server.stats()["requests"]) == {"/v1/completions"}
