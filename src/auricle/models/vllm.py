"""vLLM's offline engine: weights on this machine's accelerators, scheduled by vLLM itself.

-m vllm -M model=Qwen/Qwen2-Audio-7B-Instruct -M max_model_len=8192
-m vllm -M model=openai/whisper-large-v3 -M 'prompt=<|startoftranscript|>'
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.errors import MissingExtra, SampleError, SpecError, Unsupported
from auricle.models.base import BatchModel
from auricle.models.sounds import the_sound
from auricle.types import Generate, Generation, Likelihood, LogLikelihood, Part, Turn

Message = dict[str, Any]


class VLLM(BatchModel):
    """Audio language models by their chat template, or recognisers by a fixed prompt."""

    batch_size = 256  # the engine packs its own batches; give it enough to choose from

    def __init__(
        self,
        model: str,
        *,
        sounds: int = 1,
        rate: int = 16_000,
        prompt: str = "",
        **engine: Any,
    ) -> None:
        """`sounds` a request at most; `prompt` for models without chat; `engine` is vLLM's own."""
        self.sample_rate = self._rate = rate
        self._prompt = prompt
        if sounds:
            engine.setdefault("limit_mm_per_prompt", {"audio": sounds})
        self._engine, self._sampling = _started(model, engine)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        chosen = [
            self._sampling(
                max_tokens=request.max_tokens,
                temperature=request.temperature,
                stop=list(request.stop),
            )
            for request in batch
        ]
        if self._prompt:
            prompts = [self._bare(request) for request in batch]
            answers = self._engine.generate(prompts, chosen, use_tqdm=False)
        else:
            talks = [self._messages(request.turns) for request in batch]
            answers = self._engine.chat(talks, chosen, use_tqdm=False)
        return [_generation(answer) for answer in answers]

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Reads every prompt without and with its continuation: what is longer is scored."""
        if self._prompt:
            raise Unsupported("vllm scores likelihoods by chat; leave out -M prompt=….")
        talks = [self._messages(request.turns) for request in batch]
        whole = [
            [*talk, {"role": "assistant", "content": request.continuation}]
            for talk, request in zip(talks, batch, strict=True)
        ]
        brief = {"max_tokens": 1, "temperature": 0.0}
        asked = self._engine.chat(talks, self._sampling(**brief), use_tqdm=False)
        scored = self._engine.chat(
            whole,
            self._sampling(**brief, prompt_logprobs=1),
            use_tqdm=False,
            add_generation_prompt=False,
            continue_final_message=True,
        )
        return [_likelihood(before, after) for before, after in zip(asked, scored, strict=True)]

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


def _generation(answer: Any) -> Generation:
    said = answer.outputs[0]
    return Generation(
        text=said.text,
        tokens=len(said.token_ids),
        input_tokens=len(answer.prompt_token_ids or ()) or None,
        finish=said.finish_reason or "",
    )


def _likelihood(before: Any, after: Any) -> Likelihood:
    """Of the tokens the longer prompt has more; it must begin with the shorter, token by token."""
    asked, whole = list(before.prompt_token_ids), list(after.prompt_token_ids)
    if whole[: len(asked)] != asked or len(whole) == len(asked):
        raise SampleError(
            "the model's chat template does not put the continuation right after its prompt, so "
            "its likelihood cannot be told; ask by generation instead"
        )
    told = after.prompt_logprobs
    return Likelihood(
        logprobs=tuple(told[at][whole[at]].logprob for at in range(len(asked), len(whole)))
    )
