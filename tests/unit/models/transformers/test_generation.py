"""The end of generated answers."""

from types import SimpleNamespace

import pytest

from auricle.core.types import Generate, Turn
from auricle.models.transformers.generation import build_generation, cut_at_stop_word, top_tokens, trim_tokens

pytestmark = pytest.mark.slow


def request(*stop: str) -> Generate:
    return Generate(turns=(Turn("user", ("hello",)),), stop=stop)


def test_tokens_end_at_the_limit_or_the_end_token() -> None:
    config = SimpleNamespace(eos_token_id=[2, 3], pad_token_id=0)
    assert trim_tokens([5, 6, 3, 7], 10, config) == [5, 6]
    assert trim_tokens([5, 6, 7, 0, 0], 2, config) == [5, 6]
    assert trim_tokens([5, 0, 0], 10, config) == [5]


def test_text_is_cut_at_the_first_stop_word() -> None:
    assert cut_at_stop_word("one. two! three.", ["!", "."]) == "one"
    assert cut_at_stop_word("one", ["!", ""]) == "one"


@pytest.mark.parametrize(("text", "tokens", "finish"), [("a stop", 9, "stop"), ("a", 3, "stop"), ("a", 9, "length")])
def test_finish_reason(text: str, tokens: int, finish: str) -> None:
    generation = build_generation(text, request(" stop"), tokens, 9)
    assert (generation.text, generation.finish) == ("a", finish)


def test_equal_spellings_keep_the_more_likely_token() -> None:
    torch = pytest.importorskip("torch")
    tokenizer = SimpleNamespace(decode=lambda tokens: "ab"[tokens[0] % 2])
    logprobs = top_tokens(torch.tensor([1.0, 3.0, 2.0, 0.0]), 9, tokenizer)
    assert list(logprobs) == ["b", "a"]
    assert logprobs["b"] > logprobs["a"]
