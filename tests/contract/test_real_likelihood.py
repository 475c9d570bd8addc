"""Log-likelihoods of a real language model equal those of a forward pass written out here."""

import math
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("serve-test")

from auricle.core.types import Generate, LogLikelihood, Turn
from auricle.models.transformers.causal import Causal
from tests.support.real_server import model_folder

TEXT = (
    "The lighthouse keeper counted the ships every evening. When the fog came in from the sea, "
    "he lit the lamp early and wrote the hour into a small green book. 灯台は静かだった。 "
    "No one read the book until, years later, a child found it 🙂 under the stairs."
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def bare() -> Any:
    return Causal(model=str(model_folder()), chat=False)


@pytest.fixture(scope="module")
def chatty() -> Any:
    return Causal(model=str(model_folder()))


def direct(model: Any, tokens: Any) -> Any:
    """Return the log-probability of each token but the first, from one forward pass."""
    import torch

    with torch.inference_mode():
        logits = model.model(torch.tensor([tokens])).logits[0].float()
    chances = torch.log_softmax(logits, -1)
    return [chances[at - 1, tokens[at]].item() for at in range(1, len(tokens))]


def encode(model: Any, text: Any) -> Any:
    return model.tokenizer(text, add_special_tokens=False)["input_ids"]


def asked(model: Any, context: Any, continuation: Any, **more: Any) -> Any:
    turns = (Turn("user", (context,)),) if context else ()
    (result,) = model.loglikelihood([LogLikelihood(turns=turns, continuation=continuation, **more)])
    return result


def close(wanted: Any) -> Any:
    return pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize(
    ("context", "continuation"),
    [
        ("The capital of France is", " Paris"),
        ("The capital of France is ", "Paris"),
        ("The capital of France is   ", "Paris"),
        ("Question: What is 2 + 2?\n", "Four"),
        ("Question: What is 2 + 2?\n\n", "Four"),
        ("Question: What is 2 + 2?\nAnswer: \n ", " 4"),
        ("日本の首都は", "東京です"),
        ("日本の首都は ", "東京"),
        ("She smiled ", "🙂👍"),
        ("She smiled🙂", "🙂"),
        ("un", "believable"),
    ],
)
def test_continuation_is_scored_from_its_first_character(bare: Any, context: str, continuation: str) -> None:
    """White space belongs to the continuation; merged tokens are scored as the model reads them."""
    remaining = context.rstrip()
    before, both = encode(bare, remaining), encode(bare, context + continuation)
    pairs = enumerate(zip(before, both, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), len(before))
    start = bare.tokenizer.bos_token_id
    expected = direct(bare, both)[same - 1 :] if same else direct(bare, [start, *both])
    result = asked(bare, context, continuation)
    assert result.logprobs == close(expected)


def test_only_the_answer_of_a_chat_is_scored(chatty: Any) -> None:
    prompt = chatty.tokenizer.apply_chat_template(
        [{"role": "user", "content": "Name a city."}], tokenize=False, add_generation_prompt=True
    )
    before, both = encode(chatty, prompt), encode(chatty, prompt + "Paris is one.")
    assert both[: len(before)] == before
    result = asked(chatty, "Name a city.", "Paris is one.")
    assert result.logprobs == close(direct(chatty, both)[len(before) - 1 :])


@pytest.mark.parametrize("text", ["Paris", " Paris", "東京です", "🙂", TEXT])
def test_text_without_context_follows_the_start_token_without_a_chat(chatty: Any, bare: Any, text: Any) -> None:
    expected = direct(bare, [bare.tokenizer.bos_token_id, *encode(bare, text)])
    for model in (chatty, bare):
        assert asked(model, "", text).logprobs == close(expected)


def test_include_context_scores_every_token_but_the_first(bare: Any) -> None:
    result = asked(bare, "The capital of France is", " Paris", include_context=True)
    assert result.logprobs == close(direct(bare, encode(bare, "The capital of France is Paris")))


@pytest.mark.parametrize("stride", [5, 16])
def test_text_longer_than_the_window_is_scored_in_windows(bare: Any, stride: int) -> None:
    """Each token is scored once, with as much context as fits in its window."""
    window = 16
    tokens = [bare.tokenizer.bos_token_id, *encode(bare, TEXT)]
    expected = direct(bare, tokens[: window + 1])
    done = window + 1
    while done < len(tokens):
        end = min(done + stride, len(tokens))
        piece = tokens[end - window - 1 : end]
        expected += direct(bare, piece)[-(end - done) :]
        done = end
    rolling = Causal(model=str(model_folder()), chat=False, window=window, stride=stride)
    result = asked(rolling, "", TEXT)
    assert len(result.logprobs) == len(tokens) - 1
    assert result.logprobs == close(expected)


def test_context_stays_in_front_of_a_text_that_is_too_long(bare: Any) -> None:
    rolling = Causal(model=str(model_folder()), chat=False, window=24)
    prompt = encode(bare, "A story:")
    tokens = encode(bare, f"A story: {TEXT}")
    result = asked(rolling, "A story:", f" {TEXT}")
    assert len(result.logprobs) == len(tokens) - len(prompt)
    inside = 25 - len(prompt)
    assert result.logprobs[:inside] == close(direct(bare, tokens[:25])[len(prompt) - 1 :])


def test_greedy_flag_matches_greedy_generation(bare: Any) -> None:
    turns = (Turn("user", ("The capital of France is",)),)
    (answer,) = bare.generate([Generate(turns=turns, max_tokens=3)])
    assert asked(bare, "The capital of France is", answer.text).greedy is True
    assert asked(bare, "The capital of France is", " bananas").greedy is False


def test_first_tokens_are_the_most_likely_ones(chatty: Any) -> None:
    import torch

    question = "What is the capital of France? A. Berlin B. Paris. Answer with a letter."
    prompt = chatty.tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], tokenize=False, add_generation_prompt=True
    )
    with torch.inference_mode():
        logits = chatty.model(torch.tensor([encode(chatty, prompt)])).logits[0, -1].float()
    values, tokens = torch.log_softmax(logits, -1).topk(20)
    names = [chatty.tokenizer.decode([item]) for item in tokens.tolist()]
    requests = [
        Generate(turns=(Turn("user", (text,)),), max_tokens=1, first_tokens=20)
        for text in ("A much shorter one?", question)
    ]
    _, answer = chatty.generate(requests)
    assert answer.first_token_logprobs == close(dict(zip(names, values.tolist(), strict=True)))
    assert sum(map(math.exp, answer.first_token_logprobs.values())) <= 1 + 1e-4
