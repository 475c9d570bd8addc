"""Answers read from complete responses and from streams, in every protocol."""

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("aiohttp")

from auricle import Audio
from auricle.core.errors import Refused, Transient
from auricle.models.gemini import Gemini
from auricle.models.http.answers import describe_shape, parse_count
from auricle.models.http.timing import RequestTimer
from auricle.models.openai import ChatReader, Completions, OpenAI
from auricle.models.transcription import Transcription
from tests.support.http_servers import question, run_model, stream_model, stream_reply

MODELS = {"chat": OpenAI, "completions": Completions, "gemini": Gemini, "transcription": Transcription}


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
    with pytest.raises(Refused, match="12000 characters for max_tokens=5 and did not stop"):
        run_model(connect(protocol, server, stream=True), question("hello", max_tokens=5))


def test_long_transcript_is_not_refused(serve: Any, ask: Any) -> None:
    text = "word " * 20_000
    model = connect("transcription", serve(reply=text, tokens_per_event=1000), stream=True)
    assert run_model(model, ask("transcription")).text == text


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
    with pytest.raises(Refused, match="refused to answer: SAFETY"):
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


def test_shape_of_a_document_is_described_without_its_content() -> None:
    assert describe_shape({"id": "secret", "a b": 1}) == "an object with id, …"
    assert describe_shape({}) == "an object with no fields"
    assert describe_shape([1]) == "a non-object"


def test_count_that_is_not_a_number_is_unknown() -> None:
    assert [parse_count(value) for value in (3, 2.0, "3", None)] == [3, 2, None, None]


def test_timing_is_stored_only_for_streamed_answers(serve: Any) -> None:
    from auricle.core.serialization import decode_output, dumps

    whole, streamed = (run_model(connect("chat", serve(), stream=stream)) for stream in (False, True))
    assert "timing" not in json.loads(dumps(whole))
    line = json.loads(dumps(streamed))
    assert set(line["timing"]) == {"first_byte", "first_token", "last_token", "done"}
    assert decode_output(line).timing == streamed.timing  # type: ignore[union-attr]
