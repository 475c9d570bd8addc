"""Chat models behind a vLLM server."""

from typing import Any

import pytest

from auricle import Audio
from auricle.core.errors import SampleError
from auricle.core.types import LogLikelihood, Turn
from auricle.models.openai import VLLMChat
from tests.support.scoring_servers import ask_all, connect, fake_logprobs, score


def test_answer_is_scored_within_the_chat(serve: Any) -> None:
    (result,) = ask_all(connect(VLLMChat, serve()), score("is it", "a cat"))
    assert result.logprobs == fake_logprobs("user: is it\nassistant:", " a", " cat")


def test_prefilled_answer_is_continued(serve: Any) -> None:
    turns = (Turn("user", ("is it",)), Turn("assistant", ("I say ",)))
    (result,) = ask_all(connect(VLLMChat, serve()), LogLikelihood(turns=turns, continuation="a cat"))
    assert result.logprobs == fake_logprobs("user: is it\nassistant: I say", " a", " cat")


def test_audio_precedes_the_answer(serve: Any, tone: Any) -> None:
    requests = [
        LogLikelihood(turns=(Turn("user", (Audio(str(path)), "what?")),), continuation="a cat")
        for path in (tone("a.wav", 0.1), tone("b.wav", 0.2))
    ]
    first, second = ask_all(connect(VLLMChat, serve()), *requests)
    assert len(first.logprobs) == len(second.logprobs) == 2
    assert first != second


def test_include_context_with_audio_is_refused(serve: Any, tone: Any) -> None:
    turns = (Turn("user", (Audio(str(tone("a.wav"))),)),)
    with pytest.raises(SampleError, match="audio has no token log-probabilities"):
        ask_all(connect(VLLMChat, serve()), LogLikelihood(turns=turns, continuation="x", include_context=True))


def test_text_without_context_is_scored_without_a_chat(serve: Any) -> None:
    server = serve()
    (result,) = ask_all(connect(VLLMChat, server, start="<s> "), score("", "a cat"))
    assert result.logprobs == fake_logprobs("<s>", " a", " cat")
    assert set(server.stats()["requests"]) == {"/v1/completions"}


def test_whole_conversation_is_scored_as_a_chat_api_reads_it(serve: Any) -> None:
    request = LogLikelihood(turns=(Turn("user", ("is it",)),), continuation="a cat", include_context=True)
    (result,) = ask_all(connect(VLLMChat, serve()), request)
    tokens = (" is", " it", "\nassistant:", " a", " cat", "\nassistant:", " ")
    assert result.logprobs == fake_logprobs("user:", *tokens)


def test_whole_text_without_turns_is_one_user_message(serve: Any) -> None:
    server = serve()
    (result,) = ask_all(connect(VLLMChat, server), LogLikelihood(turns=(), continuation="a cat", include_context=True))
    assert result.logprobs == fake_logprobs("user:", " a", " cat", "\nassistant:", " ")
    assert set(server.stats()["requests"]) == {"/v1/chat/completions"}
