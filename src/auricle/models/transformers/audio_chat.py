"""Chat models that hear: Qwen2-Audio, Qwen2.5-Omni, Audio Flamingo 3, Phi-4-multimodal, Voxtral.

-m audio-chat -M model=Qwen/Qwen2-Audio-7B-Instruct

Anything whose processor has a chat template and takes sounds. What the template writes is checked:
a prompt that lost a word of the question is refused, not asked.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Generate, Generation, Likelihood, LogLikelihood, Part, Predict, Request, Turn
from auricle.models.token_boundary import (
    ContextWindow,
    ScoringInput,
    append_continuation,
    check_scorable,
    move_trailing_space,
    score_all_tokens,
)
from auricle.models.transformers.base import GenerativeModel
from auricle.models.transformers.generation import (
    StoppingCriterion,
    attach_first_tokens,
    build_generation,
    generate_rows,
    trim_tokens,
)
from auricle.models.transformers.likelihood import max_context_tokens, score_batch, score_windows

DEFAULT_SAMPLE_RATE = 16_000
PRINTED_LIST_MARK = "{'type': "  # how a list looks in a prompt whose template expected text
DURATION_TOLERANCE = 0.1  # seconds by which features may fall short of their sound


class AudioChat(GenerativeModel):
    """Turns of text and sound in, text out."""

    name = "audio-chat"
    batch_size = 4
    first_tokens = True

    def __init__(
        self, *, cut_long: bool = False, window: int | None = None, stride: int | None = None, **weights: Any
    ) -> None:
        """A sound longer than the model hears is refused; `cut_long` asks about its start.

        A text to be scored that is longer than `window` is read in several of them, `stride`
        tokens further each time.
        """
        self._cut_long = cut_long
        super().__init__(**weights)
        self._context_window = ContextWindow.from_options(self.name, max_context_tokens(self.model), window, stride)

    def load(self) -> None:
        self.processor = self.weights.load(self.library.AutoProcessor)
        self.tokenizer: Any = getattr(self.processor, "tokenizer", None)
        if self.tokenizer is None or self._feature_extractor is None:
            raise SpecError(
                f"{self.weights.model} has no processor for text and sound together; for "
                "text alone there is -m causal, for speech to text -m whisper or -m ctc."
            )
        self.sample_rate = self._rate = int(getattr(self._feature_extractor, "sampling_rate", DEFAULT_SAMPLE_RATE))
        self.tokenizer.padding_side = "left"
        model = self.weights.build(self._model_class(), self.device)
        self.model = getattr(model, "thinker", model)  # Omni models also have a mouth
        self._has_chat_template = bool(
            getattr(self.processor, "chat_template", None) or getattr(self.tokenizer, "chat_template", None)
        )

    @property
    def _feature_extractor(self) -> Any:
        extractor = getattr(self.processor, "feature_extractor", None)
        return extractor or getattr(self.processor, "audio_processor", None)

    def _model_class(self) -> Any:
        """The class for text, sound and more; where there is none, what the checkpoint names."""
        config = self.weights.load(self.library.AutoConfig)
        auto = self.library.AutoModelForMultimodalLM
        if type(config) in auto._model_mapping:  # noqa: SLF001 - there is no public question
            return auto
        named = (config.architectures or [""])[0]
        if kind := getattr(self.library, named, None):
            return kind
        raise SpecError(
            f"{self.weights.model} is a {named or config.model_type}, which this version of "
            "transformers does not know; update it, or serve the model and use -m openai."
        )

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        inputs = self._processor_inputs([request.turns for request in batch])
        start = inputs["input_ids"].shape[1]
        read = inputs["attention_mask"].sum(-1).tolist()
        self.refuse_too_long(max(read))
        settings = self.generation_config(
            batch[0].temperature, max_new_tokens=max(request.max_tokens for request in batch), tokenizer=self.tokenizer
        )
        until = StoppingCriterion(batch, start, self.tokenizer)
        wanted = any(request.first_tokens for request in batch)
        rows, logits = generate_rows(self.model, inputs, settings, until, wanted)
        said = [
            self._to_generation(trim_tokens(row[start:].tolist(), asked.max_tokens, settings), asked, length)
            for row, asked, length in zip(rows, batch, read, strict=True)
        ]
        return attach_first_tokens(batch, said, logits, self.tokenizer)

    def _to_generation(self, tokens: list[int], request: Generate, input_tokens: int) -> Generation:
        text = self.tokenizer.decode(tokens, skip_special_tokens=True)
        return replace(build_generation(text, request, len(tokens), request.max_tokens), input_tokens=input_tokens)

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Requests with sounds together; the others by themselves, as long as they may be."""
        for request in batch:
            check_scorable(request)
        asked = [_move_trailing_space(request) for request in batch]
        heard = [each for each in asked if _audio_parts(each.turns)]
        rest = [each for each in asked if not _audio_parts(each.turns)]
        with self.inference_mode():
            after_sounds = iter(self._score_with_audio(heard) if heard else [])
            rows = [self._text_input(each) for each in rest]
            after_text = iter(score_windows(self.model, rows, self._context_window, self.batch_size))
        return [next(after_sounds if _audio_parts(each.turns) else after_text) for each in asked]

    def _score_with_audio(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        inputs = dict(self._processor_inputs([request.turns for request in batch]))
        ids, mask = inputs.pop("input_ids"), inputs.pop("attention_mask").bool()
        rows = [
            self._scoring_input(tokens[kept].tolist(), asked)
            for tokens, kept, asked in zip(ids, mask, batch, strict=True)
        ]
        for row in rows:
            self.refuse_too_long(len(row.tokens) - 1)
        more = {name: each for name, each in inputs.items() if each.shape != ids.shape}
        return score_batch(self.model, rows, more)

    def _text_input(self, request: LogLikelihood) -> ScoringInput:
        """Without a sound; without a turn also without the template, after the start token."""
        if request.turns:
            row = self._scoring_input(self._processor_inputs([request.turns])["input_ids"][0].tolist(), request)
        else:
            known = (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id)
            start = [each for each in known if each is not None][:1]
            row = append_continuation(start, [], self._tokenize(request.continuation))
        return score_all_tokens(row.tokens) if request.include_context else row

    def _scoring_input(self, context: list[int], request: LogLikelihood) -> ScoringInput:
        """Tokenised as text, with and without the continuation, so that the seam is right."""
        text = self._render_prompt(request.turns) if self._has_chat_template else ""
        short = self._tokenize(text)
        return append_continuation(context, short, self._tokenize(text + request.continuation))

    def _tokenize(self, text: str) -> list[int]:
        tokens: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return tokens

    def preview_request(self, request: Request) -> str:
        """The prompt with a mark where each sound is; what tokenisers make of it, they know."""
        if isinstance(request, Predict) or not request.turns or not self._has_chat_template:
            return ""
        text = self._render_prompt(request.turns)
        return f"{text}⟦{request.continuation}⟧" if isinstance(request, LogLikelihood) else text

    # --- from turns to what a processor wants -------------------------------------

    def _processor_inputs(self, conversations: Sequence[Sequence[Turn]]) -> Any:
        if not self._has_chat_template:
            return self._tokenizer_inputs(conversations).to(self.device, self.model.dtype)
        prompts = [self._render_prompt(turns) for turns in conversations]
        sounds = [self._decode(part) for turns in conversations for part in _audio_parts(turns)]
        start = self.tokenizer.bos_token
        text: dict[str, Any] = {"padding": True}  # how sounds are padded, processors know best
        if start and all(prompt.startswith(start) for prompt in prompts):
            text["add_special_tokens"] = False  # else there would be two of them
        inputs = self.processor(
            text=prompts,
            audio=sounds or None,
            text_kwargs=text,
            audio_kwargs={"sampling_rate": self._rate} if sounds else {},
            return_tensors="pt",
        )
        if not self._cut_long:
            self._refuse_truncated(inputs, sounds)
        return inputs.to(self.device, self.model.dtype)

    def _decode(self, sound: Audio) -> Any:
        return sound.decode(self._rate)

    def _refuse_truncated(self, inputs: Any, sounds: Sequence[Any]) -> None:
        """Some extractors drop what is past their window and say nothing."""
        mask = inputs.get("feature_attention_mask")
        step = getattr(self._feature_extractor, "hop_length", None)
        if mask is None or step is None or len(mask) != len(sounds):
            return
        for frames, sound in zip(mask.sum(-1).tolist(), sounds, strict=True):
            heard, seconds = frames * step / self._rate, len(sound) / self._rate
            if heard + DURATION_TOLERANCE < seconds:
                raise SampleError(
                    f"the model hears {heard:.0f} s at once, and the sound has {seconds:.1f} s; "
                    "-M cut_long=true asks about its start"
                )

    def _render_prompt(self, turns: Sequence[Turn]) -> str:
        """What the chat template makes of the turns, with all their words in it."""
        for form in (_structured_message, self._inline_message):
            try:
                prompt = self._apply_template([form(turn) for turn in turns], turns[-1].role)
            except TypeError:  # a template that wants text and was given a list
                continue
            if PRINTED_LIST_MARK not in prompt and all(part.strip() in prompt for part in _text_parts(turns)):
                return prompt
        raise SpecError(
            f"The chat template of {self.weights.model} loses words of the question; serve the model and use -m openai."
        )

    def _apply_template(self, messages: list[dict[str, Any]], last_role: str) -> str:
        prefilled = last_role == "assistant"
        template = self.processor if self.processor.chat_template else self.tokenizer
        return str(
            template.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=not prefilled, continue_final_message=prefilled
            )
        )

    def _inline_message(self, turn: Turn) -> dict[str, Any]:
        """For templates that know only text: the mark of a sound stands where it is heard."""
        mark = str(getattr(self.processor, "audio_token", ""))
        parts = [part if isinstance(part, str) else mark for part in turn.parts]
        return {"role": turn.role, "content": "".join(parts)}

    def _tokenizer_inputs(self, conversations: Sequence[Sequence[Turn]]) -> Any:
        """Voxtral has no template: its tokeniser takes the sounds themselves, as files."""
        messages = [[_base64_message(turn, self._rate) for turn in turns] for turns in conversations]
        return self.processor.apply_chat_template(messages, tokenize=True, return_dict=True, return_tensors="pt")


def _move_trailing_space(request: LogLikelihood) -> LogLikelihood:
    turns, continuation = move_trailing_space(request.turns, request.continuation)
    return replace(request, turns=turns, continuation=continuation)


def _structured_message(turn: Turn) -> dict[str, Any]:
    return {"role": turn.role, "content": [_content_part(part) for part in turn.parts]}


def _content_part(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if isinstance(part, Audio):
        return {"type": "audio", "audio": part.uri or "sound"}
    raise SampleError(f"this model hears and reads, and is given {type(part).__name__}")


def _base64_message(turn: Turn, rate: int) -> dict[str, Any]:
    parts = [
        {"type": "audio", "base64": base64.b64encode(part.encode("wav", rate=rate)).decode()}
        if isinstance(part, Audio)
        else _content_part(part)
        for part in turn.parts
    ]
    return {"role": turn.role, "content": parts}


def _audio_parts(turns: Iterable[Turn]) -> list[Audio]:
    return [part for turn in turns for part in turn.parts if isinstance(part, Audio)]


def _text_parts(turns: Iterable[Turn]) -> list[str]:
    return [part for turn in turns for part in turn.parts if isinstance(part, str)]
