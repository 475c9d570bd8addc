"""Chat models with audio, through transformers."""

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Generate, LogLikelihood, Turn
from auricle.media import Audio, Image
from auricle.models.transformers.audio_chat import AudioChat
from tests.support import tiny_weights
from tests.support.model_requests import answer_one_by_one, generate, likelihood

pytestmark = pytest.mark.slow

FLAT = (  # as some checkpoints have it: content is text, and a list would be printed
    "{% for message in messages %}<s>{{ message['role'] }}: {{ message['content'] }}</s>"
    "{% endfor %}{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
DEAF = "{% for message in messages %}<s>{{ message['role'] }}</s>{% endfor %}"


def sound(seconds: Any, hertz: float = 440.0) -> Any:
    return Audio.of(tiny_weights.tone(seconds, hertz), rate=16_000)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return AudioChat(model=str(tiny_weights.qwen2_audio(tmp_path_factory.mktemp("qwen"))))


def questions() -> Any:
    return [
        (sound(0.5), "what is it?"),
        ("the cat", sound(0.9, 300.0), "and this", sound(0.3, 200.0)),
        ("no sound at all",),
    ]


def direct(model: Any, prompt: Any, sounds: Any) -> Any:
    """Return the processor's inputs for a prompt and its audio."""
    samples = [clip.decode(16_000) for clip in sounds]
    return model.processor(text=[prompt], audio=samples, sampling_rate=16_000, return_tensors="pt").to(
        model.model.device
    )


def test_batched_answers_equal_single_answers(model: Any) -> None:
    limits = (9, 4, 7)
    batch = [generate(*parts, max_tokens=limit) for parts, limit in zip(questions(), limits, strict=True)]
    assert model.generate(batch) == answer_one_by_one(model.generate, batch)


def test_answer_equals_that_of_transformers(model: Any) -> None:
    parts = (sound(0.5), "what is it?")
    prompt = "<s>user: <|audio_bos|><|AUDIO|><|audio_eos|>what is it?</s><s>assistant: "
    inputs = direct(model, prompt, parts[:1])
    with torch.inference_mode():
        row = model.model.generate(**inputs, max_new_tokens=9, do_sample=False)[0]
    read = inputs["input_ids"].shape[1]
    (answer,) = model.generate([generate(*parts, max_tokens=9)])
    assert answer.text == model.tokenizer.decode(row[read:], skip_special_tokens=True)
    assert answer.input_tokens == read


def test_answer_depends_on_the_audio(model: Any) -> None:
    batch = [likelihood(sound(0.5, hertz), "what?", " cat") for hertz in (440.0, 220.0)]
    first, second = model.loglikelihood(batch)
    assert first != second


def test_audio_keeps_its_position_in_the_prompt(model: Any) -> None:
    (prompt,) = [model._render_prompt(generate(*questions()[1]).turns)]
    mark = "<|audio_bos|><|AUDIO|><|audio_eos|>"
    assert f"the cat{mark}and this{mark}</s>" in prompt


def test_batched_likelihoods_equal_single_likelihoods(model: Any) -> None:
    continuations = (" sat", " on the mat with a user", "!")
    batch = [likelihood(*parts, continuation) for parts in questions() for continuation in continuations]
    pairs = zip(model.loglikelihood(batch), answer_one_by_one(model.loglikelihood, batch), strict=True)
    for together, single in pairs:
        assert together.logprobs == pytest.approx(single.logprobs, abs=1e-4)


def test_likelihood_equals_that_of_the_model(model: Any) -> None:
    received = sound(0.5)
    prompt = "<s>user: <|audio_bos|><|AUDIO|><|audio_eos|>what?</s><s>assistant: "
    with_answer = direct(model, prompt + "zebra!", [received])
    start = direct(model, prompt, [received])["input_ids"].shape[1]
    with torch.inference_mode():
        chances = torch.log_softmax(model.model(**with_answer).logits[0].float(), -1)
    tokens = with_answer["input_ids"][0].tolist()
    expected = [chances[at - 1, tokens[at]].item() for at in range(start, len(tokens))]
    (result,) = model.loglikelihood([likelihood(received, "what?", "zebra!")])
    assert result.logprobs == pytest.approx(expected, abs=1e-4)


def test_text_without_context_follows_the_start_token_without_template(model: Any) -> None:
    tokens = [1, *model.tokenizer("zebra!", add_special_tokens=False)["input_ids"]]
    with torch.inference_mode():
        chances = torch.log_softmax(model.model(torch.tensor([tokens])).logits[0].float(), -1)
    expected = [chances[at - 1, tokens[at]].item() for at in range(1, len(tokens))]
    with_sound = likelihood(sound(0.5), "what?", "zebra!")
    _, result = model.loglikelihood([with_sound, LogLikelihood(turns=(), continuation="zebra!")])
    assert result.logprobs == pytest.approx(expected, abs=1e-4)
    assert result.greedy is False


def test_include_context_scores_every_token_but_the_first_and_refuses_audio(model: Any) -> None:
    full = replace(likelihood("what?", "zebra!"), include_context=True)
    prompt = "<s>user: what?</s><s>assistant: zebra!"
    (result,) = model.loglikelihood([full])
    tokens = model.tokenizer(prompt, add_special_tokens=False)["input_ids"]
    assert len(result.logprobs) == len(tokens) - 1
    with pytest.raises(SampleError, match="audio has no token log-probabilities"):
        model.loglikelihood([replace(likelihood(sound(0.5), "zebra!"), include_context=True)])


def test_text_longer_than_the_window_is_read_in_windows(model: Any) -> None:
    text = "the cat sat on the mat " * 12
    tokens = model.tokenizer(text, add_special_tokens=False)["input_ids"]
    rolling = AudioChat(model=model.weights.model, window=16)
    long, short = (item.loglikelihood([LogLikelihood(turns=(), continuation=text)])[0] for item in (rolling, model))
    assert len(long.logprobs) == len(short.logprobs) == len(tokens)
    assert long.logprobs[:16] == pytest.approx(short.logprobs[:16], abs=1e-4)


def test_first_tokens_are_returned_for_audio(model: Any) -> None:
    requests = generate(sound(0.5), "what is it?", max_tokens=1, first_tokens=5)
    plain = generate("no sound", max_tokens=2)
    result, other = model.generate([requests, plain])
    assert len(result.first_token_logprobs) <= 5
    assert other.first_token_logprobs is None
    (matches,) = model.loglikelihood([likelihood(sound(0.5), "what is it?", "e")])
    (full,) = model.generate([replace(requests, first_tokens=400)])
    assert full.first_token_logprobs["e"] == pytest.approx(matches.logprobs[0], abs=1e-4)


def test_conversation_keeps_its_turns(model: Any) -> None:
    turns = (
        Turn("system", ("be brief",)),
        Turn("user", (sound(0.3), "what?")),
        Turn("assistant", ("a cat",)),
        Turn("user", ("sure?",)),
    )
    prompt = model._render_prompt(turns)
    assert prompt.index("be brief") < prompt.index("<|AUDIO|>") < prompt.index("a cat")
    assert model.generate([Generate(turns=turns, max_tokens=3)])[0].tokens is not None


def test_too_long_audio_is_refused(model: Any) -> None:
    with pytest.raises(SampleError, match=r"the clip has 1.7 s, but the model accepts at most 1 s"):
        model.generate([generate(sound(1.7), "what?")])


def test_cut_long_truncates_audio(tmp_path: Path) -> None:
    folder = tiny_weights.qwen2_audio(tmp_path)
    model = AudioChat(model=str(folder), cut_long=True)
    full, start = (generate(sound(1.7).segment(0, end), "what?", max_tokens=5) for end in (None, 1.0))
    assert model.generate([full]) == model.generate([start])


def test_text_only_template_gets_the_audio_token(tmp_path: Path) -> None:
    model = AudioChat(model=str(tiny_weights.qwen2_audio(tmp_path, FLAT)))
    request = generate(sound(0.3), "what?", max_tokens=3)
    assert model._render_prompt(request.turns) == "<s>user: <|AUDIO|>what?</s><s>assistant: "
    assert model.generate([request])[0].input_tokens


def test_template_that_drops_the_question_is_refused(tmp_path: Path) -> None:
    model = AudioChat(model=str(tiny_weights.qwen2_audio(tmp_path, DEAF)))
    with pytest.raises(SpecError, match="drops part of the question"):
        model.generate([generate(sound(0.3), "what?")])


def test_image_is_refused(model: Any) -> None:
    with pytest.raises(SampleError, match="accepts only text and audio, not Image"):
        model.generate([generate(Image(uri="cat.png"), "what?")])


def test_text_only_checkpoint_error_suggests_other_models(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Use -m causal for text-only models"):
        AudioChat(model=str(tiny_weights.llama(tmp_path)))


def test_audio_is_decoded_at_the_rate_of_the_processor(model: Any) -> None:
    assert model.sample_rate == 16_000


class WithoutTemplate:
    """A processor like Voxtral's, whose tokeniser takes conversations with encoded audio."""

    chat_template = None

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def apply_chat_template(self, conversations: Any, **options: Any) -> Any:
        assert options == {"tokenize": True, "return_dict": True, "return_tensors": "pt"}
        sounds = [
            Audio.of(base64.b64decode(part["base64"])).decode(16_000)
            for conversation in conversations
            for message in conversation
            for part in message["content"]
            if part["type"] == "audio"
        ]
        prompts = self._inner.apply_chat_template(conversations, add_generation_prompt=True)
        return self._inner(text=prompts, audio=sounds, sampling_rate=16_000, padding=True, return_tensors="pt")


def test_processor_without_a_template_gets_encoded_audio(tmp_path: Path) -> None:
    plain = AudioChat(model=str(tiny_weights.qwen2_audio(tmp_path)))
    other = AudioChat(model=str(tmp_path))
    other.processor, other._has_chat_template = WithoutTemplate(other.processor), False
    request = generate(sound(0.5), "what?", max_tokens=5)
    requests = likelihood(sound(0.5), "what?", "zebra!")
    assert other.generate([request])[0].input_tokens == plain.generate([request])[0].input_tokens
    # A file has 16 bits per sample, so the audio is not exactly the same.
    expected = plain.loglikelihood([requests])[0].logprobs
    assert other.loglikelihood([requests])[0].logprobs == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("family", [tiny_weights.audio_flamingo3, tiny_weights.omni_thinker])
def test_other_model_families_give_the_same_answers_in_a_batch(tmp_path: Path, family: Any) -> None:
    model = AudioChat(model=str(family(tmp_path)))
    requests = [(sound(0.5), "what is it?"), ("and this", sound(0.9, 300.0))]
    batch = [generate(*parts, max_tokens=5) for parts in requests]
    assert model.generate(batch) == answer_one_by_one(model.generate, batch)
    likely = [likelihood(*parts, word) for parts in requests for word in (" sat", "!")]
    pairs = zip(model.loglikelihood(likely), answer_one_by_one(model.loglikelihood, likely), strict=True)
    for together, single in pairs:
        assert together.logprobs == pytest.approx(single.logprobs, abs=1e-4)
