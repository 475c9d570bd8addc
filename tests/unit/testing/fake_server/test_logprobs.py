import json
from typing import Any

import pytest

from auricle.testing.fake_server import FakeServer
from auricle.testing.fake_server.logprobs import compute_logprob, compute_text_logprobs
from tests.unit.testing.fake_server.conftest import CHAT_PATH, Reply, StartServer, chat, send

PROMPT_LOGPROBS = [compute_logprob(" two", "one"), compute_logprob(" three", "one two")]


def send_completion(server: FakeServer, prompt: Any = "one two three", **fields: Any) -> Reply:
    return send(server, "/v1/completions", json.dumps({"model": "fake", "prompt": prompt, **fields}))


def complete(server: FakeServer, prompt: str = "one two three", **fields: Any) -> Any:
    return send_completion(server, prompt, **fields).json()["choices"][0]


def prompt_entries(prompt_logprobs: list[dict[str, Any] | None]) -> list[dict[str, Any]]:
    """Return the entries of all tokens but the first, which has none."""
    first, *rest = prompt_logprobs
    assert first is None
    return [next(iter(entry.values())) for entry in rest if entry is not None]


def test_logprob_of_a_token_depends_on_its_context() -> None:
    assert compute_logprob("a", "b") == compute_logprob("a", "b")
    assert compute_logprob("a", "b") != compute_logprob("a", "c")
    assert -4 <= compute_logprob("a") <= 0
    assert compute_text_logprobs("one two three") == [
        ("one", None), (" two", PROMPT_LOGPROBS[0]), (" three", PROMPT_LOGPROBS[1]),
    ]  # fmt: skip


def test_completion_answers_with_the_last_line_of_the_prompt(start_server: StartServer) -> None:
    choice = complete(start_server(), "some words\nhow are you", max_tokens=2)
    assert (choice["text"], choice["finish_reason"]) == ("how are", "length")


def test_prompt_logprobs_have_one_entry_per_token(start_server: StartServer) -> None:
    entries = prompt_entries(complete(start_server(), prompt_logprobs=0)["prompt_logprobs"])
    assert [entry["decoded_token"] for entry in entries] == [" two", " three"]
    assert [entry["logprob"] for entry in entries] == pytest.approx(PROMPT_LOGPROBS)


def test_echo_has_the_same_logprobs(start_server: StartServer) -> None:
    choice = complete(start_server(), echo=True, logprobs=1, max_tokens=0)
    assert choice["text"] == "one two three"
    logprobs = choice["logprobs"]
    assert logprobs["tokens"] == ["one", " two", " three"]
    assert logprobs["text_offset"] == [0, 3, 7]
    assert logprobs["token_logprobs"][1:] == pytest.approx(PROMPT_LOGPROBS)
    assert logprobs["token_logprobs"][0] is None


def test_continued_chat_ends_with_the_begun_answer(start_server: StartServer) -> None:
    messages = [{"role": "user", "content": "is it"}, {"role": "assistant", "content": "a cat"}]
    options = {"prompt_logprobs": 0, "add_generation_prompt": False, "continue_final_message": True}
    reply = send(start_server(), CHAT_PATH, json.dumps({"model": "fake", "messages": messages, **options}))
    tokens = [entry["decoded_token"] for entry in prompt_entries(reply.json()["prompt_logprobs"])]
    assert tokens == [" is", " it", "\nassistant:", " a", " cat"]


def test_top_logprobs_are_in_descending_order(start_server: StartServer) -> None:
    reply = chat(start_server(), "B", logprobs=True, top_logprobs=20)
    top = reply.json()["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    logprobs = [entry["logprob"] for entry in top]
    assert len(top) == 20
    assert logprobs == sorted(logprobs, reverse=True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"top_logprobs": 21, "logprobs": True}, "from 0 to 20"), ({"top_logprobs": 5}, "requires `logprobs`")],
)
def test_invalid_top_logprobs_are_rejected(start_server: StartServer, fields: dict[str, Any], message: str) -> None:
    reply = chat(start_server(), "B", **fields)
    assert reply.status == 400
    assert message in reply.json()["error"]["message"]


def test_prompt_must_be_a_string(start_server: StartServer) -> None:
    reply = send_completion(start_server(), ["one", "two"])
    assert (reply.status, reply.json()["error"]["message"]) == (400, "`prompt` must be a non-empty string.")


def test_logprobs_can_be_omitted(start_server: StartServer) -> None:
    server = start_server(no_logprobs=True)
    choice = complete(server, prompt_logprobs=0, echo=True, logprobs=1)
    assert choice["logprobs"] is None
    assert "prompt_logprobs" not in choice
    assert chat(server, "B", logprobs=True).json()["choices"][0]["logprobs"] is None
