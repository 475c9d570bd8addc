"""Language models through transformers."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Generate, LogLikelihood, Turn
from auricle.media import Audio
from auricle.models.transformers.causal import Causal
from tests.support import tiny_weights
from tests.support.model_requests import answer_one_by_one, generate, likelihood, token_logprobs, unprompted

pytestmark = pytest.mark.slow

PROMPTS = ["the cat", "a user and an assistant sat on the mat", "mat?"]


@pytest.fixture(scope="module")
def chatty(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return Causal(model=str(tiny_weights.llama(tmp_path_factory.mktemp("chat"), tiny_weights.CHAT)))


def direct(model: Any, tokens: Any, limit: Any) -> Any:
    """Generate after these tokens with transformers directly."""
    ids = torch.tensor([tokens])
    with torch.inference_mode():
        out = model.model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=limit)
    return model.tokenizer.decode(out[0, len(tokens) :], skip_special_tokens=True)


def test_batched_answers_equal_single_answers(bare: Any) -> None:
    batch = [generate(prompt, max_tokens=12) for prompt in PROMPTS]
    assert bare.generate(batch) == answer_one_by_one(bare.generate, batch)


def test_answer_equals_that_of_transformers(bare: Any) -> None:
    tokens = bare.tokenizer(PROMPTS[0])["input_ids"]
    (answer,) = bare.generate([generate(PROMPTS[0], max_tokens=12)])
    assert answer.text == direct(bare, tokens, 12)
    assert answer.input_tokens == len(tokens)


def test_each_request_keeps_its_own_limit(bare: Any) -> None:
    batch = [generate(PROMPTS[0], max_tokens=limit) for limit in (2, 9, 5)]
    answers = bare.generate(batch)
    assert [answer.tokens for answer in answers] == [2, 9, 5]
    assert {answer.finish for answer in answers} == {"length"}
    assert answers == answer_one_by_one(bare.generate, batch)


def test_stop_word_ends_only_its_own_answer(bare: Any) -> None:
    full = bare.generate([generate(PROMPTS[0], max_tokens=12)])[0].text
    stop = full[len(full) // 2 :][:2]
    batch = [generate(PROMPTS[0], max_tokens=12, stop=(stop,)), generate(PROMPTS[0], max_tokens=12)]
    stopped, other = bare.generate(batch)
    assert stopped.text == full[: full.index(stop)]
    assert stopped.finish == "stop"
    assert stopped.tokens < 12
    assert other.text == full


def test_sampled_answers_are_reproducible_and_differ_by_seed(llama_folder: Any) -> None:
    requests = [generate(PROMPTS[0], max_tokens=12, temperature=1.0, seed=seed) for seed in range(2)]
    first, second = Causal(model=str(llama_folder)), Causal(model=str(llama_folder))
    neighbour = generate(PROMPTS[1], max_tokens=3, temperature=1.0)
    result = [first.generate([request])[0].text for request in requests]
    again = [second.generate([neighbour, request])[1].text for request in reversed(requests)]
    assert result == again[::-1]
    assert result[0] != result[1]


def test_chat_uses_the_template(chatty: Any) -> None:
    (answer,) = chatty.generate([generate("the cat", max_tokens=6)])
    prompt = "<s>user: the cat</s><s>assistant: "
    tokens = chatty.tokenizer(prompt, add_special_tokens=False)["input_ids"]
    assert answer.text == direct(chatty, tokens, 6)


def test_prefilled_answer_is_continued(chatty: Any) -> None:
    turns = (Turn("user", ("the cat",)), Turn("assistant", ("sat on",)))
    (answer,) = chatty.generate([Generate(turns=turns, max_tokens=6)])
    prompt = "<s>user: the cat</s><s>assistant: sat on"
    tokens = chatty.tokenizer(prompt, add_special_tokens=False)["input_ids"]
    assert answer.text == direct(chatty, tokens, 6)


def test_batched_likelihoods_equal_single_likelihoods(bare: Any) -> None:
    batch = [
        likelihood(prompt, continuation)
        for prompt in PROMPTS
        for continuation in (" sat", " on the mat with a user and a cat", "!")
    ]
    for together, single in zip(bare.loglikelihood(batch), answer_one_by_one(bare.loglikelihood, batch), strict=True):
        assert together.logprobs == pytest.approx(single.logprobs, abs=1e-4)


def test_likelihood_equals_that_of_the_model(bare: Any) -> None:
    context = bare.tokenizer("zebra")["input_ids"]
    full = bare.tokenizer("zebra!?")["input_ids"]
    with torch.inference_mode():
        chances = torch.log_softmax(bare.model(torch.tensor([full])).logits[0], -1)
    places = range(len(context), len(full))
    expected = [chances[place - 1, full[place]].item() for place in places]
    (result,) = bare.loglikelihood([likelihood("zebra", "!?")])
    assert result.logprobs == pytest.approx(expected, abs=1e-5)


def test_tokens_across_the_boundary_are_scored_as_the_model_reads_them(bare: Any) -> None:
    joined = bare.tokenizer("x the cat")["input_ids"]
    apart = [*bare.tokenizer("x the")["input_ids"], *bare.tokenizer(" cat")["input_ids"]]
    assert joined != apart
    (result,) = bare.loglikelihood([likelihood("x the", " cat")])
    with torch.inference_mode():
        chances = torch.log_softmax(bare.model(torch.tensor([joined])).logits[0], -1)
    last = chances[len(joined) - 2, joined[-1]].item()
    assert result.logprobs[-1] == pytest.approx(last, abs=1e-5)


def test_continuation_without_context_is_scored(bare: Any) -> None:
    (result,) = bare.loglikelihood([likelihood("", "the cat")])
    assert result.total < 0


def test_empty_continuation_is_refused(bare: Any) -> None:
    with pytest.raises(SampleError, match="continuation is empty"):
        bare.loglikelihood([likelihood("the cat", "")])


def test_audio_is_refused_by_a_text_model(bare: Any) -> None:
    sound = Audio.of(tiny_weights.tone(0.1), rate=16_000)
    with pytest.raises(SampleError, match="accepts only text, not Audio"):
        bare.generate([generate(sound)])


def test_too_long_prompt_is_refused(bare: Any) -> None:
    with pytest.raises(SampleError, match="the model reads at most 256"):
        bare.generate([generate("?!" * 300)])


def test_text_without_context_follows_the_start_token_without_template(bare: Any, chatty: Any) -> None:
    for model in (bare, chatty):
        tokens = [1, *model.tokenizer("the cat", add_special_tokens=False)["input_ids"]]
        (result,) = model.loglikelihood([unprompted("the cat")])
        assert result.logprobs == pytest.approx(token_logprobs(model, tokens), abs=1e-5)


def test_include_context_scores_every_token_but_the_first(chatty: Any) -> None:
    prompt = "<s>user: the cat</s><s>assistant: sat"
    tokens = chatty.tokenizer(prompt, add_special_tokens=False)["input_ids"]
    request = replace(likelihood("the cat", "sat"), include_context=True)
    (result,) = chatty.loglikelihood([request])
    assert result.logprobs == pytest.approx(token_logprobs(chatty, tokens), abs=1e-5)


@pytest.mark.parametrize("space", [" ", "   ", "\n", "\n\n ", "\t"])
def test_trailing_white_space_of_the_prompt_belongs_to_the_continuation(bare: Any, space: str) -> None:
    apart = bare.loglikelihood([likelihood(f"the cat{space}", "mat")])
    assert apart == bare.loglikelihood([likelihood("the cat", f"{space}mat")])


def test_trailing_white_space_of_a_prefilled_answer_belongs_to_the_continuation(chatty: Any) -> None:
    requests = [
        LogLikelihood(turns=(Turn("user", ("the cat",)), Turn("assistant", (answer,))), continuation=rest)
        for answer, rest in (("zebra ", "!?"), ("zebra", " !?"))
    ]
    apart, joined = chatty.loglikelihood(requests)
    assert apart == joined
    tokens = chatty.tokenizer("<s>user: the cat</s><s>assistant: zebra !?", add_special_tokens=False)["input_ids"]
    expected = token_logprobs(chatty, tokens)[-len(apart.logprobs) :]
    assert len(expected) >= 2
    assert apart.logprobs == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"window": 257}, "window=257 exceeds the model's limit of 256 tokens"),
        ({"window": 8, "stride": 9}, "stride=9 exceeds the window of 8"),
        ({"stride": 0}, "stride must be a positive number of tokens"),
    ],
)
def test_invalid_windows_are_refused(llama_folder: Any, options: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Causal(model=str(llama_folder), **options)


def test_first_tokens_are_returned_only_if_requested(bare: Any) -> None:
    batch = [
        generate(PROMPTS[0], max_tokens=3, first_tokens=5),
        generate(PROMPTS[1], max_tokens=1),
        generate(PROMPTS[2], max_tokens=1, first_tokens=400),
    ]
    first, second, third = bare.generate(batch)
    assert second.first_token_logprobs is None
    assert list(first.first_token_logprobs.values()) == sorted(first.first_token_logprobs.values(), reverse=True)
    assert len(first.first_token_logprobs) <= 5
    with torch.inference_mode():
        ids = torch.tensor([bare.tokenizer(PROMPTS[0])["input_ids"]])
        result = torch.log_softmax(bare.model(ids).logits[0, -1], -1)
    assert max(first.first_token_logprobs.values()) == pytest.approx(result.max().item(), abs=1e-4)
    assert sum(torch.tensor(list(third.first_token_logprobs.values())).exp().tolist()) <= 1 + 1e-4
    assert first.text == bare.generate([generate(PROMPTS[0], max_tokens=3)])[0].text
