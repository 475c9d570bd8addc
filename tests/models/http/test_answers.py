"""Answers read from complete responses and from streams, in every protocol."""

import asyncio
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from auricle import Audio
from auricle.core.errors import Rejected, SampleError, Transient
from auricle.core.serialization import decode_output, dumps
from auricle.models.gemini import Gemini
from auricle.models.http.timing import RequestTimer
from auricle.models.openai import ChatReader, Completions, OpenAI
from auricle.models.responses_api import Responses
from auricle.models.retrieval import Embeddings, Rerank
from auricle.models.transcription import Transcription
from tests.support.http_servers import question, run_model, stream_model, stream_reply

MODELS: dict[str, Any] = {
    "chat": OpenAI,
    "completions": Completions,
    "gemini": Gemini,
    "transcription": Transcription,
    "responses": Responses,
}


def connect(protocol: str, server: Any, **options: Any) -> Any:
    url = server.url.replace("/v1", "/v1beta") if protocol == "gemini" else server.url
    return MODELS[protocol](**{"base_url": url, "model": "fake", **options})


@pytest.fixture
def ask(tone: Any) -> Any:
    """Build a request that the fake server answers with several words, in any protocol."""
    recording = Audio(str(tone("a.wav", 0.2)))
    return lambda protocol: question(recording if protocol == "transcription" else "one two three four")


@pytest.mark.parametrize("protocol", MODELS)
def test_streamed_answer_equals_complete_answer(serve: Any, ask: Any, protocol: str) -> None:
    server = serve(reply="good morning to you")
    whole, streamed = (run_model(connect(protocol, server, stream=stream), ask(protocol)) for stream in (False, True))
    assert whole == streamed
    assert whole.text == "good morning to you"
    assert whole.tokens == 4


@pytest.mark.parametrize("protocol", MODELS)
def test_text_is_yielded_as_it_arrives(serve: Any, ask: Any, protocol: str) -> None:
    model = connect(protocol, serve(reply="good morning to you"))
    assert stream_model(model, ask(protocol)) == ["good", " morning", " to", " you"]


@pytest.mark.parametrize("protocol", MODELS)
def test_streamed_answer_is_timed_from_its_first_token(serve: Any, ask: Any, protocol: str) -> None:
    server = serve(reply="good morning to you", latency=0.05, pace=100, usage_delay=0.02)
    timing = run_model(connect(protocol, server, stream=True), ask(protocol)).timing
    assert timing.first_byte <= timing.first_token
    assert timing.first_token >= 0.05
    assert timing.first_token < timing.last_token < timing.done
    assert timing.first_audio is None


@pytest.mark.parametrize("protocol", MODELS)
def test_complete_answer_has_no_first_token(serve: Any, ask: Any, protocol: str) -> None:
    timing = run_model(connect(protocol, serve(latency=0.05)), ask(protocol)).timing
    assert timing.first_token is None
    assert timing.done >= timing.first_byte >= 0.05


@pytest.mark.parametrize("protocol", MODELS)
def test_stream_that_ends_early_is_transient(serve: Any, ask: Any, protocol: str) -> None:
    server = serve(reply="a b c d e f", faults={"cut": 1.0})
    with pytest.raises(Transient, match=r"ended its stream early|lost: "):
        run_model(connect(protocol, server, stream=True), ask(protocol))


@pytest.mark.parametrize("protocol", MODELS)
def test_event_of_another_protocol_is_transient(canned: Any, ask: Any, protocol: str) -> None:
    server = canned(stream_reply(b"data: [1]"))
    with pytest.raises(Transient, match="streamed a non-object instead of a"):
        run_model(connect(protocol, server, stream=True), ask(protocol))


@pytest.mark.parametrize("protocol", ["chat", "completions", "gemini"])
def test_stream_beyond_its_token_limit_is_refused(serve: Any, protocol: str) -> None:
    server = serve(reply="x" * 6000, faults={"endless": 1.0}, pace=500)
    with pytest.raises(Rejected, match="12000 characters for max_tokens=5 and did not stop"):
        run_model(connect(protocol, server, stream=True), question("hello", max_tokens=5))


def test_long_transcript_is_not_refused(serve: Any, ask: Any) -> None:
    text = "word " * 20_000
    model = connect("transcription", serve(reply=text, tokens_per_event=1000), stream=True)
    assert run_model(model, ask("transcription")).text == text


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.thorough
def test_answer_of_more_than_a_million_characters_is_refused(
    serve: Any, ask: Any, protocol: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auricle.models.http.answers.MAX_TEXT_LENGTH", 1000)
    model = connect(protocol, serve(reply="word " * 201, tokens_per_event=50), stream=stream)
    with pytest.raises(Rejected, match="sent more than 1,000 characters of text"):
        run_model(model, ask(protocol))
    model = connect(protocol, serve(reply="word " * 199 + "word?", tokens_per_event=50), stream=stream)
    assert len(run_model(model, ask(protocol)).text) == 1000


def test_transcript_streamed_by_vllm_is_read(canned: Any, ask: Any) -> None:
    chunk = {"object": "transcription.chunk", "id": "1"}
    server = canned(
        stream_reply(
            *({**chunk, "choices": [{"delta": {"content": text}, "finish_reason": None}]} for text in ("so", " it is")),
            {**chunk, "choices": [{"delta": {"content": ""}, "finish_reason": "stop"}]},
            {**chunk, "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3}},
            b"data: [DONE]",
        )
    )
    answer = run_model(connect("transcription", server, stream=True), ask("transcription"))
    assert (answer.text, answer.finish, answer.tokens, answer.input_tokens) == ("so it is", "stop", 3, 9)


def test_thoughts_of_gemini_are_timed_but_not_part_of_the_answer(canned: Any) -> None:
    def response(text: str, **part: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"parts": [{"text": text, **part}]}}]}

    last = {"candidates": [{"content": {"parts": [{"text": "four"}]}, "finishReason": "STOP"}]}
    server = canned(stream_reply(response("two and two", thought=True), last))
    model, timer = connect("gemini", server, stream=True), RequestTimer()

    async def send() -> Any:
        request = question("2 + 2?")
        try:
            return await model.send(request, model.prepare(request), timer)
        finally:
            await model.close()

    answer = asyncio.run(send())
    assert (answer.text, answer.finish) == ("four", "stop")
    assert timer.first_token is not None
    assert timer.first_content is not None
    assert timer.first_token < timer.first_content


def test_gemini_that_blocks_a_streamed_prompt_is_refused(canned: Any) -> None:
    server = canned(stream_reply({"promptFeedback": {"blockReason": "SAFETY"}}))
    with pytest.raises(Rejected, match="refused to answer: SAFETY"):
        run_model(connect("gemini", server, stream=True))


def test_parts_of_a_chat_event_are_timed_by_kind() -> None:
    timer = RequestTimer(streamed=True)
    reader = ChatReader(question(), timer)
    message = {"reasoning": "hm", "content": "hi", "audio": {"data": "AAAA"}}
    reader.read_event({"choices": [{"delta": {"role": "assistant", "content": ""}}]})
    assert timer.first_token is None
    reader.read_event({"choices": [{"delta": message}]})
    assert None not in (timer.first_token, timer.first_content, timer.first_audio)
    assert len(timer.gaps) == 2
    reader.read_event({"choices": [], "usage": {"completion_tokens": 3}})
    assert len(timer.gaps) == 2


def test_token_counts_are_timed_only_with_content() -> None:
    timer = RequestTimer(streamed=True)
    reader = ChatReader(question(), timer)
    for count in (1, 3):
        reader.read_event({"choices": [{"delta": {"content": "a"}}], "usage": {"completion_tokens": count}})
    reader.read_event({"choices": [], "usage": {"completion_tokens": 9}})
    assert len(timer.token_gaps) == 1
    assert reader.tokens == 9


def test_timing_is_stored_only_for_streamed_answers(serve: Any) -> None:
    whole, streamed = (run_model(connect("chat", serve(), stream=stream)) for stream in (False, True))
    assert "timing" not in json.loads(dumps(whole))
    line = json.loads(dumps(streamed))
    assert set(line["timing"]) == {"first_byte", "first_token", "last_token", "done"}
    assert decode_output(line).timing == streamed.timing  # type: ignore[union-attr]


DOCUMENTS: dict[str, Any] = {
    "chat": {
        "choices": [
            {
                "finish_reason": "stop",
                "message": {"content": "hi", "audio": {"data": "AAAA", "transcript": "hi"}, "reasoning": "hm"},
                "logprobs": {"content": [{"logprob": -1.0, "top_logprobs": [{"token": "a", "logprob": -1.0}]}]},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    },
    "completions": {"choices": [{"text": "hi", "finish_reason": "stop"}], "usage": {"completion_tokens": 2}},
    "gemini": {
        "candidates": [{"content": {"parts": [{"text": "hi", "thought": False}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2},
        "promptFeedback": {"blockReason": "SAFETY"},
    },
    "transcription": {"type": "transcript.text.delta", "text": "hi", "delta": "hi", "usage": {"input_tokens": 1}},
    "responses": {
        "type": "response.output_text.delta",
        "delta": "hi",
        "response": {"status": "completed", "usage": {"input_tokens": 1}},
        "status": "completed",
        "output": [{"content": [{"type": "output_text", "text": "hi"}]}],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    },
    "embeddings": {"data": [{"embedding": [0.5, 1.0]}], "usage": {"prompt_tokens": 3}},
    "rerank": {"results": [{"index": 0, "relevance_score": 0.5}], "usage": {"total_tokens": 3}},
}
READERS = {name: model.reader for name, model in (MODELS | {"embeddings": Embeddings, "rerank": Rerank}).items()}
WRONG_VALUES: list[Any] = [None, True, 0, -1, 2**70, 1e30, "", "x", [], ["a"], [None], [[]], {}, {"a": 1}, [{"a": []}]]


def replacements(document: Any) -> Iterator[Any]:
    """Yield a document with each of its values, at every depth, replaced by each wrong value."""
    yield from WRONG_VALUES
    items = (
        document.items() if isinstance(document, dict) else enumerate(document if isinstance(document, list) else ())
    )
    for key, value in items:
        for wrong in replacements(value):
            changed = copy.copy(document)
            changed[key] = wrong
            yield changed


@pytest.mark.parametrize("protocol", DOCUMENTS)
@pytest.mark.parametrize("streamed", [False, True])
def test_no_value_in_a_response_raises_anything_but_a_sample_error(protocol: str, streamed: bool) -> None:
    request = question(first_tokens=1) if protocol == "chat" else question()
    answered = 0
    for document in replacements(DOCUMENTS[protocol]):
        reader = READERS[protocol](request, RequestTimer(streamed=streamed))
        try:
            (reader.read_event if streamed else reader.read_document)(document)
            generation = reader.to_generation()
        except SampleError:
            continue
        answered += 1
        assert isinstance(generation.text, str)
        assert isinstance(generation.finish, str)
        assert b"\n" not in dumps(generation).strip()  # it can be stored
    assert answered > 0 or (streamed and protocol in ("embeddings", "rerank"))


@pytest.mark.parametrize("usage", [{"completion_tokens": 1e30, "prompt_tokens": -1}, ["a"], "many", {"total": None}])
@pytest.mark.parametrize("stream", [False, True])
def test_impossible_usage_costs_only_the_token_counts(canned: Any, usage: Any, stream: bool) -> None:
    message = {"content": "well"}
    document = {"choices": [{"message": message, "delta": message, "finish_reason": "stop"}], "usage": usage}
    answer = run_model(connect("chat", canned(stream_reply(document) if stream else document), stream=stream))
    assert (answer.text, answer.tokens, answer.input_tokens) == ("well", None, None)
