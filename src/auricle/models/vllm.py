"""vLLM's offline engine: weights on this machine's accelerators, scheduled by vLLM itself.

-m vllm -M model=Qwen/Qwen2-Audio-7B-Instruct -M max_model_len=8192
-m vllm -M model=openai/whisper-large-v3 -M 'prompt=<|startoftranscript|>'
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import MissingExtra, SampleError, SpecError, Unsupported
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Part, Turn
from auricle.models.audio_input import get_single_audio
from auricle.models.base import BatchModel
from auricle.models.token_boundary import (
    ContextWindow,
    ScoringInput,
    append_continuation,
    check_scorable,
    join_likelihoods,
    move_trailing_space,
    score_all_tokens,
)

Message = dict[str, Any]


class VLLM(BatchModel):
    """Audio language models by their chat template, or recognisers by a fixed prompt."""

    batch_size = 256  # the engine packs its own batches; give it enough to choose from
    first_tokens = True

    def __init__(
        self,
        model: str,
        *,
        sounds: int = 1,
        rate: int = 16_000,
        prompt: str = "",
        stride: int | None = None,
        **engine: Any,
    ) -> None:
        """`sounds` a request at most; `prompt` for models without chat; `engine` is vLLM's own.

        A text to be scored that is longer than the engine reads is read in windows, `stride`
        tokens further each time.
        """
        self.sample_rate = self._rate = rate
        self._prompt = prompt
        self._seed = int(engine.get("seed") or 0)
        if sounds:
            engine.setdefault("limit_mm_per_prompt", {"audio": sounds})
        self._engine, self._sampling_class = _start_engine(model, engine)
        self._context_window = ContextWindow.from_options("vllm", _max_context_tokens(self._engine), None, stride)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        chosen = [
            self._sampling_class(
                max_tokens=request.max_tokens,
                temperature=request.temperature,
                stop=list(request.stop),
                logprobs=request.first_tokens or None,
                seed=self._seed + request.answer_index if request.temperature else None,
            )
            for request in batch
        ]
        if self._prompt:
            prompts = [self._raw_prompt(request) for request in batch]
            answers = self._engine.generate(prompts, chosen, use_tqdm=False)
        else:
            talks = [self._messages(request.turns) for request in batch]
            answers = self._generate_chats(talks, chosen)
        pairs = zip(batch, answers, strict=True)
        return [_parse_generation(answer, asked.first_tokens) for asked, answer in pairs]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Reads every prompt without and with its continuation: what is longer is scored."""
        if self._prompt:
            raise Unsupported("vllm scores likelihoods by chat; leave out -M prompt=….")
        for request in batch:
            check_scorable(request)
        talks = iter(self._score_chats([each for each in batch if each.turns]))
        rows = [self._text_input(each.continuation) for each in batch if not each.turns]
        texts = iter(self._score_inputs(rows))
        return [next(talks if each.turns else texts) for each in batch]

    def _score_chats(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Answers in their chat, which may hold sounds."""
        if not batch:
            return []
        opened = [move_trailing_space(request.turns, request.continuation) for request in batch]
        talks = [self._messages(turns) for turns, _ in opened]
        whole = [_with_continuation(talk, continuation) for talk, (_, continuation) in zip(talks, opened, strict=True)]
        brief = {"max_tokens": 1, "temperature": 0.0}
        before = self._generate_chats(talks, [self._sampling_class(**brief)] * len(talks))
        after = self._engine.chat(
            whole,
            self._sampling_class(**brief, prompt_logprobs=0),
            use_tqdm=False,
            add_generation_prompt=False,
            continue_final_message=True,
        )
        return [_continuation_likelihood(*each) for each in zip(before, after, batch, strict=True)]

    def _text_input(self, text: str) -> ScoringInput:
        """A text after the start token, without a chat."""
        tokenizer = self._engine.get_tokenizer()
        known = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        start = [each for each in known if each is not None][:1]
        return append_continuation(start, [], tokenizer.encode(text, add_special_tokens=False))

    def _score_inputs(self, inputs: Sequence[ScoringInput]) -> list[Likelihood]:
        windows = [self._context_window.split(row) for row in inputs]
        pieces = [piece for held in windows for piece in held]
        prompts = [{"prompt_token_ids": list(piece.tokens)} for piece in pieces]
        brief = self._sampling_class(max_tokens=1, temperature=0.0, prompt_logprobs=0)
        answers = self._engine.generate(prompts, brief, use_tqdm=False) if pieces else []
        told = iter(zip(answers, pieces, strict=True))
        return [
            join_likelihoods([_parse_likelihood(answer, piece) for answer, piece in islice(told, len(held))])
            for held in windows
        ]

    def _generate_chats(self, conversations: Sequence[list[Message]], sampling: Sequence[Any]) -> list[Any]:
        """Answers in order; an answer that has been begun is gone on with, in a call of its own."""
        answers: dict[int, Any] = {}
        for goes_on in (False, True):
            places = [
                at for at, talk in enumerate(conversations) if bool(talk and talk[-1]["role"] == "assistant") is goes_on
            ]
            if places:
                found = self._engine.chat(
                    [conversations[at] for at in places],
                    [sampling[at] for at in places],
                    use_tqdm=False,
                    add_generation_prompt=not goes_on,
                    continue_final_message=goes_on,
                )
                answers.update(zip(places, found, strict=True))
        return [answers[at] for at in range(len(conversations))]

    def close(self) -> None:
        del self._engine  # it stops its workers when nobody holds it

    def _messages(self, turns: Sequence[Turn]) -> list[Message]:
        return [{"role": turn.role, "content": [self._encode_part(part) for part in turn.parts]} for turn in turns]

    def _encode_part(self, part: Part) -> Message:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        if not isinstance(part, Audio):
            raise SampleError(f"vllm is given text and sound here, no {type(part).__name__}")
        content = b64encode(part.encode("wav", rate=self._rate)).decode()
        return {"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{content}"}}

    def _raw_prompt(self, request: Generate) -> Message:
        heard = (get_single_audio(request).decode(self._rate), self._rate)
        return {"prompt": self._prompt, "multi_modal_data": {"audio": [heard]}}


def _start_engine(model: str, engine_options: dict[str, Any]) -> tuple[Any, Any]:
    """The engine and its class of sampling parameters."""
    try:
        from vllm import LLM, SamplingParams
    except ImportError as error:
        raise MissingExtra("The model vllm", "vllm") from error
    folder = Path(model).expanduser()
    if not folder.is_dir() and model.startswith((".", "/", "~")):
        raise SpecError(f"vllm: there is no folder {model}: give -M model=FOLDER, or a hub name.")
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise SpecError(f"vllm: {folder} is no Hugging Face model: it has no config.json.")
    try:
        started = LLM(model=str(folder) if folder.is_dir() else model, **engine_options)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        why = str(error).strip().partition("\n")[0]
        raise SpecError(f"vllm cannot start with the model {model}: {why}") from error
    return started, SamplingParams


def _max_context_tokens(engine: Any) -> int | None:
    """How many tokens can be read before the one that is predicted and the one that is written."""
    config = getattr(getattr(engine, "llm_engine", None), "model_config", None)
    most = getattr(config, "max_model_len", None)
    return most - 2 if isinstance(most, int) else None


def _parse_generation(answer: Any, first_tokens: int) -> Generation:
    said = answer.outputs[0]
    return Generation(
        text=said.text,
        tokens=len(said.token_ids),
        input_tokens=len(answer.prompt_token_ids or ()) or None,
        finish=said.finish_reason or "",
        first_token_logprobs=_top_tokens(said.logprobs[0]) if first_tokens and said.logprobs else None,
    )


def _top_tokens(candidates: Mapping[int, Any]) -> dict[str, float]:
    """Tokens of one place and their log-probabilities; of two spelled alike, the likelier."""
    found: dict[str, float] = {}
    for one in sorted(candidates.values(), key=lambda each: -each.logprob):
        found.setdefault(one.decoded_token or "", one.logprob)
    return found


def _with_continuation(conversation: list[Message], continuation: str) -> list[Message]:
    """A talk whose last word is the continuation, of an answer already begun or of a new one."""
    if conversation[-1]["role"] != "assistant":
        return [*conversation, {"role": "assistant", "content": continuation}]
    begun_with = "".join(part["text"] for part in conversation[-1]["content"])
    return [*conversation[:-1], {"role": "assistant", "content": begun_with + continuation}]


def _continuation_likelihood(prompt_answer: Any, full_answer: Any, request: LogLikelihood) -> Likelihood:
    """Of the tokens the longer prompt has more; it must begin with the shorter, token by token."""
    asked, whole = list(prompt_answer.prompt_token_ids), list(full_answer.prompt_token_ids)
    if request.include_context:
        return _parse_likelihood(full_answer, score_all_tokens(whole))
    if whole[: len(asked)] != asked or len(whole) == len(asked):
        raise SampleError(
            "the model's chat template does not put the continuation right after its prompt, so "
            "its likelihood cannot be told; ask by generation instead"
        )
    return _parse_likelihood(full_answer, ScoringInput(whole, len(asked)))


def _parse_likelihood(answer: Any, scoring_input: ScoringInput) -> Likelihood:
    places = range(scoring_input.score_from, len(scoring_input.tokens))
    told = [answer.prompt_logprobs[at][scoring_input.tokens[at]] for at in places]
    ranks = [each.rank for each in told]
    return Likelihood(
        logprobs=tuple(each.logprob for each in told),
        greedy=None if None in ranks else all(rank == 1 for rank in ranks),
    )
