"""The end of generated answers, and log-likelihoods."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SampleError
from auricle.core.types import Generate, Turn
from auricle.models.transformers.causal import Causal
from auricle.models.transformers.inference import build_generation, cut_at_stop_word, top_tokens, trim_tokens
from tests.support.model_requests import answer_one_by_one, likelihood, token_logprobs, unprompted

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
    import torch

    tokenizer = SimpleNamespace(decode=lambda tokens: "ab"[tokens[0] % 2])
    logprobs = top_tokens(torch.tensor([1.0, 3.0, 2.0, 0.0]), 9, tokenizer)
    assert list(logprobs) == ["b", "a"]
    assert logprobs["b"] > logprobs["a"]


def test_likelihoods_of_all_next_tokens_sum_to_one(bare: Any) -> None:
    batch = [likelihood("zebra", letter) for letter in map(chr, range(33, 127))]
    singles = [item for item in bare.loglikelihood(batch) if len(item.logprobs) == 1]
    total = sum(torch.tensor([item.total for item in singles]).exp().tolist())
    assert 0 < total <= 1 + 1e-5


def test_long_text_is_read_in_equal_windows(llama_folder: Any) -> None:
    """Disjoint windows follow each other, each after the last token of the previous one."""
    model = Causal(model=str(llama_folder), window=10, stride=10, batch_size=2)
    text = "the mat and a user " * 9
    tokens = [1, *model.tokenizer(text, add_special_tokens=False)["input_ids"]]
    last = len(tokens) - 1
    ends = [*range(10, last, 10), last]
    expected: list[Any] = []
    for end in ends:
        new = end - len(expected)
        expected += token_logprobs(model, tokens[max(0, end - 10) : end + 1])[-new:]
    (result,) = model.loglikelihood([unprompted(text)])
    assert result.logprobs == pytest.approx(expected, abs=1e-4)


def test_long_and_short_texts_share_a_batch(llama_folder: Any) -> None:
    model = Causal(model=str(llama_folder), window=12)
    batch = [unprompted("the cat" * n) for n in (1, 30, 2, 11)]
    for together, single in zip(model.loglikelihood(batch), answer_one_by_one(model.loglikelihood, batch), strict=True):
        assert together.logprobs == pytest.approx(single.logprobs, abs=1e-4)


def test_context_beyond_the_window_is_refused(llama_folder: Any) -> None:
    model = Causal(model=str(llama_folder), window=4)
    with pytest.raises(SampleError, match="tokens, but the model reads at most"):
        model.loglikelihood([likelihood("zebra zebra", "!")])


def test_greedy_flag_matches_greedy_generation(bare: Any) -> None:
    prompt = torch.tensor([bare.tokenizer("the cat")["input_ids"]])
    with torch.inference_mode():
        token = bare.model(prompt).logits[0, -1].argmax().item()
    (best,) = bare.loglikelihood([likelihood("the cat", bare.tokenizer.decode([token]))])
    (other,) = bare.loglikelihood([likelihood("the cat", "zebra")])
    assert (best.greedy, other.greedy) == (True, False)
