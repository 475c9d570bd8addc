"""The Responses API; answers and timing are tested with those of all protocols in `http/test_answers.py`."""

from typing import Any

import pytest

from auricle import Audio
from auricle.core.errors import Rejected
from auricle.core.types import Generate, Turn
from auricle.models.responses_api import Responses
from tests.support.http_servers import question, run_model

REPLY = {"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "hi"}]}]}


def model_at(server: Any, **options: Any) -> Any:
    return Responses(**{"base_url": server.url, "model": "fake", **options})


def test_body_has_the_fields_of_the_api(canned: Any) -> None:
    server = canned(REPLY)
    turns = (Turn("user", ("one",)), Turn("assistant", ("two",)), Turn("user", ("three",)))
    assert run_model(model_at(server, extra={"store": False}), Generate(turns=turns, max_tokens=9)).text == "hi"
    body = server.last.json()
    assert server.last.path == "/v1/responses"
    assert (body["model"], body["max_output_tokens"], body["store"]) == ("fake", 9, False)
    assert [part["type"] for message in body["input"] for part in message["content"]] == [
        "input_text",
        "output_text",
        "input_text",
    ]
    assert "stream" not in body


def test_sound_is_sent_and_answered(serve: Any, tone: Any) -> None:
    answer = run_model(model_at(serve()), question(Audio(str(tone("a.wav", 0.2))), "What is this?"))
    assert answer.text.startswith("heard ")
    assert answer.input_tokens > 3


def test_truncated_answer_has_its_finish_reason(serve: Any) -> None:
    server = serve(reply="one two three four")
    for stream in (False, True):
        answer = run_model(model_at(server, stream=stream), question("count", max_tokens=2))
        assert (answer.text, answer.finish) == ("one two", "length")


def test_reasoning_is_timed_before_the_answer(serve: Any) -> None:
    server = serve(reply="one two", reasoning=5, pace=100)
    timing = run_model(model_at(server, stream=True), question("think")).timing
    assert timing.last_token - timing.first_token > 0.05


@pytest.mark.parametrize(("reason", "finish"), [("max_output_tokens", "length"), ("content_filter", "content_filter")])
def test_an_incomplete_response_states_why(canned: Any, reason: str, finish: str) -> None:
    server = canned({**REPLY, "status": "incomplete", "incomplete_details": {"reason": reason}})
    assert run_model(model_at(server), question("What is this?")).finish == finish


@pytest.mark.parametrize("reply", [{"status": "completed"}, {"output": [1]}, {"output": "hi"}])
def test_other_documents_are_rejected(canned: Any, reply: Any) -> None:
    with pytest.raises(Rejected, match="instead of a response"):
        run_model(model_at(canned(reply)), question("hi"))
