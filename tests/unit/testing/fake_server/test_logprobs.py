"""What the fake server tells of how likely words are."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

pytest.importorskip("aiohttp")

from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.logprobs import compute_logprob

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@pytest.fixture
def ask(request: pytest.FixtureRequest) -> Any:
    """Ask a server of this script once; the status and the answer."""

    def one(path: Any, script: Any = None, **body: Any) -> Any:
        with FakeServer(Script(**(script or {}))) as server:
            content = json.dumps({"model": "fake", **body}).encode()
            try:
                with DIRECT.open(f"{server.url}{path}", content, timeout=20) as reply:
                    return reply.status, json.load(reply)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, json.load(error)

    return one


def complete(ask: Any, prompt: str = "one two three", **more: Any) -> Any:
    return ask("/completions", prompt=prompt, **more)[1]["choices"][0]


def test_a_bare_text_is_answered_with_its_last_line(ask: Any) -> None:
    choice = complete(ask, "some words\nhow are you", max_tokens=2)
    assert (choice["text"], choice["finish_reason"]) == ("how are", "length")


def test_each_token_of_a_prompt_is_told_after_those_before_it(ask: Any) -> None:
    first, *rest = complete(ask, prompt_logprobs=0)["prompt_logprobs"]
    assert first is None
    told = [next(iter(each.values())) for each in rest]
    assert [each["decoded_token"] for each in told] == [" two", " three"]
    wanted = [compute_logprob(" two", "one"), compute_logprob(" three", "one two")]
    assert [each["logprob"] for each in told] == pytest.approx(wanted)


def test_an_echo_tells_the_same(ask: Any) -> None:
    choice = complete(ask, echo=True, logprobs=1, max_tokens=0)
    assert choice["text"] == "one two three"
    told = choice["logprobs"]
    assert told["tokens"] == ["one", " two", " three"]
    assert told["text_offset"] == [0, 3, 7]
    wanted = [compute_logprob(" two", "one"), compute_logprob(" three", "one two")]
    assert told["token_logprobs"][1:] == pytest.approx(wanted)
    assert told["token_logprobs"][0] is None


def test_a_chat_left_open_ends_with_the_answer_begun(ask: Any) -> None:
    messages = [{"role": "user", "content": "is it"}, {"role": "assistant", "content": "a cat"}]
    _, answer = ask(
        "/chat/completions",
        messages=messages,
        prompt_logprobs=0,
        add_generation_prompt=False,
        continue_final_message=True,
    )
    told = [next(iter(each.values()))["decoded_token"] for each in answer["prompt_logprobs"][1:]]
    assert told == [" is", " it", "\nassistant:", " a", " cat"]


def test_the_likeliest_letters_come_first(ask: Any) -> None:
    messages = [{"role": "user", "content": "B"}]
    _, answer = ask("/chat/completions", messages=messages, logprobs=True, top_logprobs=20)
    top = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    told = [each["logprob"] for each in top]
    assert len(top) == 20
    assert told == sorted(told, reverse=True)


@pytest.mark.parametrize(
    ("more", "words"),
    [({"top_logprobs": 21, "logprobs": True}, "from 0 to 20"), ({"top_logprobs": 5}, "needs `logprobs`")],
)
def test_more_than_openai_tells_is_refused(ask: Any, more: Any, words: str) -> None:
    messages = [{"role": "user", "content": "B"}]
    status, answer = ask("/chat/completions", messages=messages, **more)
    assert status == 400
    assert words in answer["error"]["message"]


def test_a_prompt_must_be_a_text(ask: Any) -> None:
    status, answer = ask("/completions", prompt=["one", "two"])
    assert (status, answer["error"]["message"]) == (400, "`prompt` must be a text.")


def test_a_server_told_to_tells_no_logprobs(ask: Any) -> None:
    script = {"no_logprobs": True}
    choice = complete(ask, script=script, prompt_logprobs=0, echo=True, logprobs=1)
    assert choice["logprobs"] is None
    assert "prompt_logprobs" not in choice
    messages = [{"role": "user", "content": "B"}]
    _, answer = ask("/chat/completions", script, messages=messages, logprobs=True)
    assert answer["choices"][0]["logprobs"] is None
