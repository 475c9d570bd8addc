"""vLLM's offline engine, with a fake of its documented API in which a word is a token."""

import base64
import io
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import soundfile

from auricle import load_model
from auricle.core.errors import MissingExtra, SampleError, SpecError, Unsupported
from auricle.core.types import Generate, Generation, LogLikelihood, Turn
from auricle.media import Audio, Image
from auricle.models.vllm import VLLM

START = "<assistant>"


@dataclass(frozen=True, kw_only=True)
class SamplingParams:
    max_tokens: int = 16
    temperature: float = 1.0
    stop: list[str] = field(default_factory=list)
    prompt_logprobs: int | None = None
    logprobs: int | None = None
    seed: int | None = None


@dataclass
class Logprob:
    logprob: float
    rank: int | None = None
    decoded_token: str | None = None


@dataclass
class CompletionOutput:
    text: str
    token_ids: list[int]
    finish_reason: str | None
    logprobs: list[dict[int, Logprob]] | None = None


@dataclass
class RequestOutput:
    prompt_token_ids: list[int]
    outputs: list[CompletionOutput]
    prompt_logprobs: list[dict[int, Logprob] | None] | None


class LLM:
    """A fake engine that repeats its prompt and the number of audio samples; the logprob of a word is its length."""

    def __init__(self, *, model: Any, limit_mm_per_prompt: Any = None, **engine: Any) -> None:
        if model == "too/big":
            raise ValueError("not enough memory\nand a page of advice")
        self.model, self.limit, self.settings = model, limit_mm_per_prompt or {}, engine
        self.words, self.thinks = ["<s>"], False
        length = SimpleNamespace(max_model_len=engine.get("max_model_len", 1_000))
        self.llm_engine = SimpleNamespace(model_config=length)

    def get_tokenizer(self) -> Any:
        words = SimpleNamespace(bos_token_id=0, eos_token_id=None)
        words.encode = lambda text, add_special_tokens: self._tokens(text)
        return words

    def generate(self, prompts: Any, sampling_params: Any, *, use_tqdm: bool = True) -> Any:
        result = []
        for prompt in prompts:
            if tokens := prompt.get("prompt_token_ids"):
                assert len(tokens) < self.llm_engine.model_config.max_model_len
                result.append(" ".join(self.words[token] for token in tokens))
                continue
            ((samples, rate),) = prompt["multi_modal_data"]["audio"]
            result.append(f"{prompt['prompt']} {len(samples)}@{rate}")
        return self._answers(result, sampling_params, use_tqdm)

    def chat(
        self,
        messages: Any,
        sampling_params: Any,
        use_tqdm: bool = True,
        add_generation_prompt: bool = True,
        continue_final_message: bool = False,
    ) -> Any:
        assert add_generation_prompt != continue_final_message
        result = [self._rendered(talk, add_generation_prompt) for talk in messages]
        return self._answers(result, sampling_params, use_tqdm)

    def _rendered(self, talk: Any, prompted: Any) -> Any:
        words = [f"<{turn['role']}> {self._content(turn['content'])}" for turn in talk]
        thought = " <think>" if prompted and self.thinks else ""
        return " ".join(words) + (f" {START}{thought}" if prompted else "")

    def _content(self, content: Any) -> Any:
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        sounds = [part for part in parts if part["type"] == "audio_url"]
        if len(sounds) > self.limit.get("audio", 0):
            raise ValueError(f"At most {self.limit.get('audio', 0)} audio(s) may be provided")
        return " ".join(part["text"] if "text" in part else self._heard(part) for part in parts)

    def _heard(self, part: Any) -> Any:
        head, _, content = part["audio_url"]["url"].partition(",")
        assert head == "data:audio/wav;base64"
        samples, rate = soundfile.read(io.BytesIO(base64.b64decode(content)))
        return f"{len(samples)}@{rate}"

    def _answers(self, texts: Any, chosen: Any, use_tqdm: Any) -> Any:
        assert use_tqdm is False
        chosen = chosen if isinstance(chosen, list) else [chosen] * len(texts)
        assert len(chosen) == len(texts)
        assert all(isinstance(item, SamplingParams) for item in chosen)
        return [self._answer(*pair) for pair in zip(texts, chosen, strict=True)]

    def _answer(self, text: Any, chosen: Any) -> Any:
        prompt = self._tokens(text)
        if chosen.seed is not None:
            text = f"{text} {chosen.seed}"
        answer = text.split()[: chosen.max_tokens]
        for word in chosen.stop:
            answer = answer[: answer.index(word)] if word in answer else answer
        short = len(answer) == chosen.max_tokens
        output = CompletionOutput(" ".join(answer), self._tokens(" ".join(answer)), None)
        output.finish_reason = "length" if short else "stop"
        scores = [self._score(token) for token in prompt]
        if chosen.logprobs:
            output.logprobs = [{1: Logprob(-0.5, 1, "A"), 2: Logprob(-2.0, 2, " B"), 3: Logprob(-3.0, 3, "A")}]
        requests = chosen.prompt_logprobs is not None
        return RequestOutput(prompt, [output], [None, *scores[1:]] if requests else None)

    def _score(self, token: Any) -> Any:
        length = len(self.words[token])
        return {token: Logprob(-float(length), 1 if length < 4 else 2)}

    def _tokens(self, text: Any) -> Any:
        self.words += [word for word in text.split() if word not in self.words]
        return [self.words.index(word) for word in text.split()]


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("vllm")
    vars(module).update(LLM=LLM, SamplingParams=SamplingParams)
    monkeypatch.setitem(sys.modules, "vllm", module)


def user(*parts: Any) -> Any:
    return (Turn("user", parts),)


def test_missing_package_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(MissingExtra, match=r"pip install 'auricle\[vllm\]'"):
        load_model("vllm", model="any")


def test_engine_error_is_reported_in_one_line() -> None:
    with pytest.raises(SpecError, match=r"cannot load the model too/big: not enough memory$"):
        load_model("vllm", model="too/big")


def test_missing_folder_is_refused_with_advice() -> None:
    with pytest.raises(SpecError, match=r"no such folder: /no/weights. Set -M model=FOLDER"):
        load_model("vllm", model="/no/weights")


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"missing config\.json"):
        load_model("vllm", model=str(tmp_path))


def test_audio_and_question_are_sent_as_chat(tone: Any) -> None:
    with load_model("vllm", model="m") as model:
        answer = model.ask(tone("a.wav", seconds=0.5, rate=8_000), "What is it?")
    assert isinstance(answer, Generation)
    assert "8000@16000" in answer.text
    assert "What is it?" in answer.text


def test_requests_keep_their_order_and_limits() -> None:
    model = VLLM("m")
    batch = [Generate(turns=user("one two three"), max_tokens=3), Generate(turns=user("four five six"), stop=("five",))]
    first, second = model.generate(batch)
    assert (first.text, first.tokens, first.finish) == ("<user> one two", 3, "length")
    assert (second.text, second.tokens, second.finish) == ("<user> four", 2, "stop")
    assert first.input_tokens == 5


def test_each_of_several_answers_has_its_own_seed() -> None:
    requests = [Generate(turns=user("a"), temperature=t, seed=seed) for t, seed in ((0, 9), (1, 7), (1, 9))]
    answer = [item.text for item in VLLM("m").generate(requests)]
    assert [item.removeprefix(answer[0]).strip() for item in answer] == ["", "7", "9"]


def test_engine_receives_its_options_and_the_audio_limit() -> None:
    engine = VLLM("m", sounds=2, max_model_len=4_096)._engine
    assert (engine.limit, engine.settings) == ({"audio": 2}, {"max_model_len": 4_096})


def test_text_only_model_has_no_audio_limit() -> None:
    assert VLLM("m", sounds=0)._engine.limit == {}


def test_recogniser_uses_its_fixed_prompt() -> None:
    with load_model("vllm", model="whisper", prompt="<|start|>") as model:
        answer = model.ask(np.zeros(160, dtype=np.float32), rate=16_000)
    assert isinstance(answer, Generation)
    assert answer.text == "<|start|> 160@16000"


def test_a_continuation_is_scored_token_by_token() -> None:
    requests = [
        LogLikelihood(turns=user("is it"), continuation="a cat"),
        LogLikelihood(turns=user("or is it"), continuation="dogs"),
    ]
    scores = VLLM("m").loglikelihood(requests)
    assert [score.logprobs for score in scores] == [(-1.0, -3.0), (-4.0,)]
    assert [score.greedy for score in scores] == [True, False]


def test_prefilled_answer_is_scored_after_its_prefix() -> None:
    turns = (*user("is it"), Turn("assistant", ("I say ",)))
    requests = LogLikelihood(turns=turns, continuation="a cat")
    model = VLLM("m")
    (score, other) = model.loglikelihood([requests, LogLikelihood(turns=user("is it"), continuation="ox")])
    assert (score.logprobs, other.logprobs) == ((-1.0, -3.0), (-2.0,))
    (answer,) = model.generate([Generate(turns=turns)])
    assert answer.text.endswith("<assistant> I say")


def test_include_context_scores_every_token_but_the_first() -> None:
    requests = LogLikelihood(turns=user("is it"), continuation="a cat", include_context=True)
    (score,) = VLLM("m").loglikelihood([requests])
    assert score.logprobs == (-2.0, -2.0, -11.0, -1.0, -3.0)


def test_include_context_with_audio_is_refused(tone: Any) -> None:
    turns = user(Audio(str(tone("a.wav"))))
    with pytest.raises(SampleError, match="audio has no token log-probabilities"):
        VLLM("m").loglikelihood([LogLikelihood(turns=turns, continuation="a", include_context=True)])


def test_long_text_without_context_is_scored_in_windows() -> None:
    text = " ".join("a" * length for length in range(1, 12))
    for extra in ({}, {"max_model_len": 6}, {"max_model_len": 6, "stride": 4}):
        (score,) = VLLM("m", **cast(Any, extra)).loglikelihood([LogLikelihood(turns=(), continuation=text)])
        assert score.logprobs == tuple(-float(length) for length in range(1, 12))
        assert score.greedy is False


def test_first_tokens_are_returned_with_the_answer() -> None:
    plain, result = VLLM("m").generate([Generate(turns=user("A?")), Generate(turns=user("A?"), first_tokens=3)])
    assert plain.first_token_logprobs is None
    assert result.first_token_logprobs == {"A": -0.5, " B": -2.0}


def test_template_that_moves_the_continuation_is_refused() -> None:
    model = VLLM("m")
    model._engine.thinks = True
    with pytest.raises(SampleError, match="does not place the continuation directly after the prompt"):
        model.loglikelihood([LogLikelihood(turns=user("is it"), continuation="a cat")])


def test_empty_continuation_is_refused() -> None:
    with pytest.raises(SampleError, match="continuation is empty"):
        VLLM("m").loglikelihood([LogLikelihood(turns=user("is it"), continuation="")])


def test_fixed_prompt_refuses_likelihoods() -> None:
    with pytest.raises(Unsupported, match="remove -M prompt"):
        VLLM("m", prompt="<|start|>").loglikelihood([])


def test_image_is_refused() -> None:
    with pytest.raises(SampleError, match="accepts only text and audio, not Image"):
        VLLM("m").generate([Generate(turns=user(Image.of(b"png"), "what?"))])
