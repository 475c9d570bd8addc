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
from auricle.models.audio_input import the_sound
from auricle.models.base import BatchModel
from auricle.models.token_boundary import (
    Reach,
    Row,
    all_of,
    begun,
    extended,
    joined,
    refuse_nothing,
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
        self._engine, self._sampling = _started(model, engine)
        self._reach = Reach.of("vllm", _window(self._engine), None, stride)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        chosen = [
            self._sampling(
                max_tokens=request.max_tokens,
                temperature=request.temperature,
                stop=list(request.stop),
                logprobs=request.first_tokens or None,
                seed=self._seed + request.nth if request.temperature else None,
            )
            for request in batch
        ]
        if self._prompt:
            prompts = [self._bare(request) for request in batch]
            answers = self._engine.generate(prompts, chosen, use_tqdm=False)
        else:
            talks = [self._messages(request.turns) for request in batch]
            answers = self._chat(talks, chosen)
        pairs = zip(batch, answers, strict=True)
        return [_generation(answer, asked.first_tokens) for asked, answer in pairs]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Reads every prompt without and with its continuation: what is longer is scored."""
        if self._prompt:
            raise Unsupported("vllm scores likelihoods by chat; leave out -M prompt=….")
        for request in batch:
            refuse_nothing(request)
        talks = iter(self._in_chat([each for each in batch if each.turns]))
        rows = [self._alone(each.continuation) for each in batch if not each.turns]
        texts = iter(self._scored(rows))
        return [next(talks if each.turns else texts) for each in batch]

    def _in_chat(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Answers in their chat, which may hold sounds."""
        if not batch:
            return []
        opened = [begun(request.turns, request.continuation) for request in batch]
        talks = [self._messages(turns) for turns, _ in opened]
        whole = [
            _continued(talk, continuation)
            for talk, (_, continuation) in zip(talks, opened, strict=True)
        ]
        brief = {"max_tokens": 1, "temperature": 0.0}
        before = self._chat(talks, [self._sampling(**brief)] * len(talks))
        after = self._engine.chat(
            whole,
            self._sampling(**brief, prompt_logprobs=0),
            use_tqdm=False,
            add_generation_prompt=False,
            continue_final_message=True,
        )
        return [_after(*each) for each in zip(before, after, batch, strict=True)]

    def _alone(self, text: str) -> Row:
        """A text after the start token, without a chat."""
        tokenizer = self._engine.get_tokenizer()
        known = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        start = [each for each in known if each is not None][:1]
        return extended(start, [], tokenizer.encode(text, add_special_tokens=False))

    def _scored(self, rows: Sequence[Row]) -> list[Likelihood]:
        windows = [self._reach.windows(row) for row in rows]
        pieces = [piece for held in windows for piece in held]
        prompts = [{"prompt_token_ids": list(piece.tokens)} for piece in pieces]
        brief = self._sampling(max_tokens=1, temperature=0.0, prompt_logprobs=0)
        answers = self._engine.generate(prompts, brief, use_tqdm=False) if pieces else []
        told = iter(zip(answers, pieces, strict=True))
        return [
            joined([_likelihood(answer, piece) for answer, piece in islice(told, len(held))])
            for held in windows
        ]

    def _chat(self, talks: Sequence[list[Message]], chosen: Sequence[Any]) -> list[Any]:
        """Answers in order; an answer that has been begun is gone on with, in a call of its own."""
        answers: dict[int, Any] = {}
        for goes_on in (False, True):
            places = [
                at
                for at, talk in enumerate(talks)
                if bool(talk and talk[-1]["role"] == "assistant") is goes_on
            ]
            if places:
                found = self._engine.chat(
                    [talks[at] for at in places],
                    [chosen[at] for at in places],
                    use_tqdm=False,
                    add_generation_prompt=not goes_on,
                    continue_final_message=goes_on,
                )
                answers.update(zip(places, found, strict=True))
        return [answers[at] for at in range(len(talks))]

    def close(self) -> None:
        del self._engine  # it stops its workers when nobody holds it

    def _messages(self, turns: Sequence[Turn]) -> list[Message]:
        return [
            {"role": turn.role, "content": [self._part(part) for part in turn.parts]}
            for turn in turns
        ]

    def _part(self, part: Part) -> Message:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        if not isinstance(part, Audio):
            raise SampleError(f"vllm is given text and sound here, no {type(part).__name__}")
        content = b64encode(part.encode("wav", rate=self._rate)).decode()
        return {"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{content}"}}

    def _bare(self, request: Generate) -> Message:
        heard = (the_sound(request).decode(self._rate), self._rate)
        return {"prompt": self._prompt, "multi_modal_data": {"audio": [heard]}}


def _started(model: str, engine: dict[str, Any]) -> tuple[Any, Any]:
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
        started = LLM(model=str(folder) if folder.is_dir() else model, **engine)
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        why = str(error).strip().partition("\n")[0]
        raise SpecError(f"vllm cannot start with the model {model}: {why}") from error
    return started, SamplingParams


def _window(engine: Any) -> int | None:
    """How many tokens can be read before the one that is predicted and the one that is written."""
    config = getattr(getattr(engine, "llm_engine", None), "model_config", None)
    most = getattr(config, "max_model_len", None)
    return most - 2 if isinstance(most, int) else None


def _generation(answer: Any, first: int) -> Generation:
    said = answer.outputs[0]
    return Generation(
        text=said.text,
        tokens=len(said.token_ids),
        input_tokens=len(answer.prompt_token_ids or ()) or None,
        finish=said.finish_reason or "",
        first=_likeliest(said.logprobs[0]) if first and said.logprobs else None,
    )


def _likeliest(place: Mapping[int, Any]) -> dict[str, float]:
    """Tokens of one place and their log-probabilities; of two spelled alike, the likelier."""
    found: dict[str, float] = {}
    for one in sorted(place.values(), key=lambda each: -each.logprob):
        found.setdefault(one.decoded_token or "", one.logprob)
    return found


def _continued(talk: list[Message], continuation: str) -> list[Message]:
    """A talk whose last word is the continuation, of an answer already begun or of a new one."""
    if talk[-1]["role"] != "assistant":
        return [*talk, {"role": "assistant", "content": continuation}]
    begun_with = "".join(part["text"] for part in talk[-1]["content"])
    return [*talk[:-1], {"role": "assistant", "content": begun_with + continuation}]


def _after(before: Any, after: Any, request: LogLikelihood) -> Likelihood:
    """Of the tokens the longer prompt has more; it must begin with the shorter, token by token."""
    asked, whole = list(before.prompt_token_ids), list(after.prompt_token_ids)
    if request.whole:
        return _likelihood(after, all_of(whole))
    if whole[: len(asked)] != asked or len(whole) == len(asked):
        raise SampleError(
            "the model's chat template does not put the continuation right after its prompt, so "
            "its likelihood cannot be told; ask by generation instead"
        )
    return _likelihood(after, Row(whole, len(asked)))


def _likelihood(answer: Any, row: Row) -> Likelihood:
    places = range(row.start, len(row.tokens))
    told = [answer.prompt_logprobs[at][row.tokens[at]] for at in places]
    ranks = [each.rank for each in told]
    return Likelihood(
        logprobs=tuple(each.logprob for each in told),
        greedy=None if None in ranks else all(rank == 1 for rank in ranks),
    )
