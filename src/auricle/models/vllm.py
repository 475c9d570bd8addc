"""vLLM's offline engine, with local weights and vLLM's own scheduling.

-m vllm -M model=Qwen/Qwen2-Audio-7B-Instruct -M max_model_len=8192
-m vllm -M model=openai/whisper-large-v3 -M 'prompt=<|startoftranscript|>'
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from auricle.core.arguments import Hint
from auricle.core.errors import MissingExtra, SampleError, SpecError, Unsupported
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Part, Turn
from auricle.media import Audio
from auricle.models.base import BatchModel, answer_in_groups
from auricle.models.listing import ModelListing
from auricle.models.request_input import get_single_audio
from auricle.models.token_boundary import (
    ContextWindow,
    ScoringInput,
    append_continuation,
    check_scorable,
    merge_spellings,
    score_all_tokens,
    score_in_windows,
    split_chat_request,
    start_tokens,
)

Message = dict[str, Any]


class VLLM(BatchModel):
    """A local model in vLLM: a chat model with its chat template, or a recogniser with a fixed prompt."""

    listing = ModelListing(group="Chat and language", extra="vllm", packages=("vllm",), weights="checkpoint")
    batch_size = 256  # the engine forms its own batches from these
    first_tokens = True

    def __init__(
        self,
        model: Annotated[str, Hint("weights")],
        *,
        sounds: int = 1,
        rate: int = 16_000,
        prompt: str = "",
        stride: int | None = None,
        **engine: Any,
    ) -> None:
        """Start the engine.

        Args:
            model: A folder or a hub name.
            sounds: Maximum number of audio clips per request.
            rate: Sample rate of the audio.
            prompt: Fixed prompt, for models without a chat template.
            stride: Tokens scored in each further window, when a text to score is longer than the context.
            **engine: Options of vLLM's `LLM`.
        """
        self.sample_rate = self._rate = rate
        self._prompt = prompt
        if sounds:
            engine.setdefault("limit_mm_per_prompt", {"audio": sounds})
        self._engine, self._sampling_class = _start_engine(model, engine)
        self._context_window = ContextWindow.from_options("vllm", _max_context_tokens(self._engine), None, stride)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        sampling = [
            self._sampling_class(
                max_tokens=request.max_tokens,
                temperature=request.temperature,
                stop=list(request.stop),
                logprobs=request.first_tokens or None,
                seed=request.seed if request.temperature else None,
            )
            for request in batch
        ]
        if self._prompt:
            clips = [get_single_audio(request).decode(self._rate) for request in batch]
            prompts = [{"prompt": self._prompt, "multi_modal_data": {"audio": [(clip, self._rate)]}} for clip in clips]
            answers = self._engine.generate(prompts, sampling, use_tqdm=False)
        else:
            conversations = [self._messages(request.turns) for request in batch]
            answers = self._generate_chats(conversations, sampling)
        pairs = zip(batch, answers, strict=True)
        return [_parse_generation(answer, request.first_tokens) for request, answer in pairs]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Read every prompt without and with its continuation, and score the difference."""
        if self._prompt:
            raise Unsupported("vllm: log-likelihoods need the chat template; remove -M prompt=….")
        for request in batch:
            check_scorable(request)
        return answer_in_groups(batch, [bool(request.turns) for request in batch], self._score_group)

    def _score_group(self, has_turns: bool, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        if has_turns:
            return self._score_chats(batch)
        text_inputs = [self._text_input(request.continuation) for request in batch]
        return score_in_windows(text_inputs, self._context_window, self._score_windows)

    def _score_chats(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Score continuations of conversations, which may contain audio."""
        split_requests = [split_chat_request(request) for request in batch]
        conversations = [self._messages(turns) for turns, _ in split_requests]
        full_conversations = [
            _with_continuation(conversation, continuation)
            for conversation, (_, continuation) in zip(conversations, split_requests, strict=True)
        ]
        sampling = {"max_tokens": 1, "temperature": 0.0}
        prompt_answers = self._generate_chats(conversations, [self._sampling_class(**sampling)] * len(conversations))
        full_answers = self._engine.chat(
            full_conversations,
            self._sampling_class(**sampling, prompt_logprobs=0),
            use_tqdm=False,
            add_generation_prompt=False,
            continue_final_message=True,
        )
        return [_continuation_likelihood(*triple) for triple in zip(prompt_answers, full_answers, batch, strict=True)]

    def _text_input(self, text: str) -> ScoringInput:
        """Build the input for a text after the start token, without a chat template."""
        tokenizer = self._engine.get_tokenizer()
        return append_continuation(start_tokens(tokenizer), [], tokenizer.encode(text, add_special_tokens=False))

    def _score_windows(self, windows: Sequence[ScoringInput]) -> list[Likelihood]:
        prompts = [{"prompt_token_ids": list(window.tokens)} for window in windows]
        sampling = self._sampling_class(max_tokens=1, temperature=0.0, prompt_logprobs=0)
        answers = self._engine.generate(prompts, sampling, use_tqdm=False)
        return [_parse_likelihood(answer, window) for answer, window in zip(answers, windows, strict=True)]

    def _generate_chats(self, conversations: Sequence[list[Message]], sampling: Sequence[Any]) -> list[Any]:
        """Return answers in order; prefilled answers are continued in a separate call."""

        def chat(prefilled: bool, pairs: list[tuple[list[Message], Any]]) -> list[Any]:
            return list(
                self._engine.chat(
                    [conversation for conversation, _ in pairs],
                    [parameters for _, parameters in pairs],
                    use_tqdm=False,
                    add_generation_prompt=not prefilled,
                    continue_final_message=prefilled,
                )
            )

        prefilled = [bool(turns and turns[-1]["role"] == "assistant") for turns in conversations]
        return answer_in_groups(list(zip(conversations, sampling, strict=True)), prefilled, chat)

    def close(self) -> None:
        del self._engine  # the engine stops its workers when it is collected

    def _messages(self, turns: Sequence[Turn]) -> list[Message]:
        return [{"role": turn.role, "content": [self._encode_part(part) for part in turn.parts]} for turn in turns]

    def _encode_part(self, part: Part) -> Message:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        if not isinstance(part, Audio):
            raise SampleError(f"vllm accepts only text and audio, not {type(part).__name__}")
        content = b64encode(part.encode("wav", rate=self._rate)).decode()
        return {"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{content}"}}


def _start_engine(model: str, engine_options: dict[str, Any]) -> tuple[Any, Any]:
    """Return the engine and its class of sampling parameters."""
    try:
        from vllm import LLM, SamplingParams
    except ImportError as error:
        raise MissingExtra("The model vllm", "vllm") from error
    folder = Path(model).expanduser()
    if not folder.is_dir() and model.startswith((".", "/", "~")):
        raise SpecError(f"vllm: no such folder: {model}. Set -M model=FOLDER or a hub name.")
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise SpecError(f"vllm: {folder} is not a Hugging Face model: missing config.json.")
    try:
        engine = LLM(model=str(folder) if folder.is_dir() else model, **engine_options)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise SpecError(f"vllm: cannot load the model {model}: {reason}") from error
    return engine, SamplingParams


def _max_context_tokens(engine: Any) -> int | None:
    """Return the context length minus two: one token is predicted and one is generated."""
    config = getattr(getattr(engine, "llm_engine", None), "model_config", None)
    limit = getattr(config, "max_model_len", None)
    return limit - 2 if isinstance(limit, int) else None


def _parse_generation(answer: Any, first_tokens: int) -> Generation:
    completion = answer.outputs[0]
    return Generation(
        text=completion.text,
        tokens=len(completion.token_ids),
        input_tokens=len(answer.prompt_token_ids or ()) or None,
        finish=completion.finish_reason or "",
        first_token_logprobs=_top_tokens(completion.logprobs[0]) if first_tokens and completion.logprobs else None,
    )


def _top_tokens(candidates: Mapping[int, Any]) -> dict[str, float]:
    """Return candidate tokens and their log-probabilities; of equal spellings the more likely one counts."""
    ranked = sorted(candidates.values(), key=lambda candidate: -candidate.logprob)
    return merge_spellings((candidate.decoded_token or "", candidate.logprob) for candidate in ranked)


def _with_continuation(conversation: list[Message], continuation: str) -> list[Message]:
    """Append the continuation to a prefilled answer, or as a new assistant message."""
    if conversation[-1]["role"] != "assistant":
        return [*conversation, {"role": "assistant", "content": continuation}]
    prefix = "".join(part["text"] for part in conversation[-1]["content"])
    return [*conversation[:-1], {"role": "assistant", "content": prefix + continuation}]


def _continuation_likelihood(prompt_answer: Any, full_answer: Any, request: LogLikelihood) -> Likelihood:
    """Score the tokens by which the full prompt is longer than the prompt without continuation."""
    prompt_tokens, full_tokens = list(prompt_answer.prompt_token_ids), list(full_answer.prompt_token_ids)
    if request.include_context:
        return _parse_likelihood(full_answer, score_all_tokens(full_tokens))
    if full_tokens[: len(prompt_tokens)] != prompt_tokens or len(full_tokens) == len(prompt_tokens):
        raise SampleError(
            "the chat template does not place the continuation directly after the prompt, so its "
            "likelihood cannot be computed; use generation instead"
        )
    return _parse_likelihood(full_answer, ScoringInput(full_tokens, len(prompt_tokens)))


def _parse_likelihood(answer: Any, scoring_input: ScoringInput) -> Likelihood:
    positions = range(scoring_input.score_from, len(scoring_input.tokens))
    scores = [answer.prompt_logprobs[position][scoring_input.tokens[position]] for position in positions]
    ranks = [score.rank for score in scores]
    return Likelihood(
        logprobs=tuple(score.logprob for score in scores),
        greedy=None if None in ranks else all(rank == 1 for rank in ranks),
    )
