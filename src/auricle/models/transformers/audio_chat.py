"""Chat models with audio input: Qwen2-Audio, Qwen2.5-Omni, Audio Flamingo 3, Phi-4-multimodal, Voxtral.

-m audio-chat -M model=Qwen/Qwen2-Audio-7B-Instruct

Works with any model whose processor has a chat template and takes audio. The rendered prompt is checked: if the
template loses part of the question, the request is refused.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Conversation, Generate, Generation, Likelihood, LogLikelihood, Part, Request, Turn
from auricle.media import Audio
from auricle.models.base import answer_in_groups
from auricle.models.token_boundary import (
    ScoringInput,
    append_continuation,
    check_scorable,
    score_all_tokens,
    split_chat_request,
    start_tokens,
)
from auricle.models.transformers.base import LocalModel, TokenizedModel, render_chat
from auricle.models.transformers.inference import score_batch

DEFAULT_SAMPLE_RATE = 16_000
PRINTED_LIST_MARK = "{'type': "  # appears in the prompt if a template expected text but got a list
DURATION_TOLERANCE = 0.1  # seconds by which features may be shorter than their clip


class AudioChat(TokenizedModel):
    """A chat model with text and audio input and text output."""

    listing = replace(
        LocalModel.listing,
        group="Chat and language",
        architectures=("AudioForConditionalGeneration", "OmniForConditionalGeneration"),
    )
    name = "audio-chat"
    batch_size = 4

    def __init__(self, *, cut_long: bool = False, **options: Any) -> None:
        """Load the model.

        Args:
            cut_long: Truncate audio longer than the model's limit instead of failing the sample.
            **options: `window`, `stride` and the options of every local model; see `Weights`.
        """
        self._cut_long = cut_long
        super().__init__(**options)

    def load(self) -> None:
        self.processor = self.weights.load(self.library.AutoProcessor)
        self.tokenizer = getattr(self.processor, "tokenizer", None)
        self._check_processor()
        self.sample_rate = self._rate = int(getattr(self._feature_extractor, "sampling_rate", DEFAULT_SAMPLE_RATE))
        self.tokenizer.padding_side = "left"
        model = self.weights.build(self._model_class(), self.device)
        self.model = getattr(model, "thinker", model)  # Omni models also contain a speech decoder
        self._has_chat_template = bool(
            getattr(self.processor, "chat_template", None) or getattr(self.tokenizer, "chat_template", None)
        )

    def _check_processor(self) -> None:
        if self.tokenizer is None or self._feature_extractor is None:
            raise SpecError(
                f"{self.weights.model} has no processor for both text and audio. Use -m causal for "
                "text-only models, -m vision-chat for images, and -m whisper or -m ctc for speech to text."
            )

    @property
    def _feature_extractor(self) -> Any:
        extractor = getattr(self.processor, "feature_extractor", None)
        return extractor or getattr(self.processor, "audio_processor", None)

    def _model_class(self) -> Any:
        """Return the multimodal auto class, or the class named in the checkpoint if it is not registered."""
        config = self.weights.load(self.library.AutoConfig)
        auto_class = self.library.AutoModelForMultimodalLM
        if type(config) in auto_class._model_mapping:  # noqa: SLF001 - there is no public API
            return auto_class
        architecture = (config.architectures or [""])[0]
        if model_class := getattr(self.library, architecture, None):
            return model_class
        raise SpecError(
            f"{self.weights.model} is a {architecture or config.model_type}, which this version of transformers "
            "does not support. Update transformers, or serve the model and use -m openai."
        )

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        inputs = self._processor_inputs([request.turns for request in batch])
        input_lengths = inputs["attention_mask"].sum(-1).tolist()
        self.refuse_too_long(max(input_lengths))
        return self.answer_prompts(batch, inputs, input_lengths)

    def loglikelihood(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        """Score requests with media as one batch, and text-only requests in windows of any number."""
        requests = []
        for request in batch:
            check_scorable(request)
            turns, continuation = split_chat_request(request)
            requests.append(replace(request, turns=turns, continuation=continuation))
        with self.inference_mode():
            return answer_in_groups(requests, [bool(request.media) for request in requests], self._score_group)

    def _score_group(self, has_media: bool, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        if has_media:
            return self._score_with_media(batch)
        return self.score_texts([self._text_input(request) for request in batch])

    def _score_with_media(self, batch: Sequence[LogLikelihood]) -> list[Likelihood]:
        inputs = dict(self._processor_inputs([request.turns for request in batch]))
        ids, mask = inputs.pop("input_ids"), inputs.pop("attention_mask").bool()
        rows = [
            self._scoring_input(tokens[row_mask].tolist(), request)
            for tokens, row_mask, request in zip(ids, mask, batch, strict=True)
        ]
        for row in rows:
            self.refuse_too_long(len(row.tokens) - 1)
        extended_inputs = {
            name: _extend_rows(tensor, mask, rows) if getattr(tensor, "shape", None) == ids.shape else tensor
            for name, tensor in inputs.items()
        }
        return score_batch(self.model, rows, extended_inputs)

    def _text_input(self, request: LogLikelihood) -> ScoringInput:
        """Build the input of a text-only request; without turns, after the start token and without the template."""
        if request.turns:
            row = self._scoring_input(self._processor_inputs([request.turns])["input_ids"][0].tolist(), request)
        else:
            row = append_continuation(start_tokens(self.tokenizer), [], self._tokenize(request.continuation))
        return score_all_tokens(row.tokens) if request.include_context else row

    def _scoring_input(self, context: list[int], request: LogLikelihood) -> ScoringInput:
        """Tokenise the text with and without the continuation, so that the token boundary is right."""
        text = self._render_prompt(request.turns) if self._has_chat_template else ""
        text_tokens = self._tokenize(text)
        return append_continuation(context, text_tokens, self._tokenize(text + request.continuation))

    def _tokenize(self, text: str) -> list[int]:
        tokens: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return tokens

    def preview_request(self, request: Request) -> str:
        """The prompt with a mark where each sound is; what tokenisers make of it, they know."""
        if not isinstance(request, Conversation) or not request.turns or not self._has_chat_template:
            return ""
        text = self._render_prompt(request.turns)
        return f"{text}⟦{request.continuation}⟧" if isinstance(request, LogLikelihood) else text

    # --- from turns to processor inputs -------------------------------------------

    def _processor_inputs(self, conversations: Sequence[Sequence[Turn]]) -> Any:
        if not self._has_chat_template:  # Voxtral's tokeniser takes audio as encoded files
            messages = [[self._base64_message(turn) for turn in turns] for turns in conversations]
            options = {"tokenize": True, "return_dict": True, "return_tensors": "pt"}
            inputs = self.processor.apply_chat_template(messages, **options)
            return inputs.to(self.device, self.model.dtype)
        prompts = [self._render_prompt(turns) for turns in conversations]
        start = self.tokenizer.bos_token
        text_options: dict[str, Any] = {"padding": True}  # audio padding is left to the processor's defaults
        if start and all(prompt.startswith(start) for prompt in prompts):
            text_options["add_special_tokens"] = False  # otherwise there would be two start tokens
        media = self._media_inputs(conversations)
        inputs = self.processor(text=prompts, text_kwargs=text_options, **media, return_tensors="pt")
        if not self._cut_long:
            self._refuse_truncated(inputs, media.get("audio", ()))
        return inputs.to(self.device, self.model.dtype)

    def _media_inputs(self, conversations: Sequence[Sequence[Turn]]) -> dict[str, Any]:
        """Return the media of conversations as arguments of the processor."""
        parts = [part for turns in conversations for turn in turns for part in turn.parts]
        clips = [part.decode(self._rate) for part in parts if isinstance(part, Audio)]
        return {"audio": clips, "audio_kwargs": {"sampling_rate": self._rate}} if clips else {}

    def _refuse_truncated(self, inputs: Any, clips: Sequence[Any]) -> None:
        """Raise if the extractor dropped audio past its window, which some do silently."""
        mask = inputs.get("feature_attention_mask")
        hop_length = getattr(self._feature_extractor, "hop_length", None)
        if mask is None or hop_length is None or len(mask) != len(clips):
            return
        for frames, clip in zip(mask.sum(-1).tolist(), clips, strict=True):
            kept_seconds, seconds = frames * hop_length / self._rate, len(clip) / self._rate
            if kept_seconds + DURATION_TOLERANCE < seconds:
                raise SampleError(
                    f"the clip has {seconds:.1f} s, but the model accepts at most {kept_seconds:.0f} s; "
                    "use -M cut_long=true to truncate it"
                )

    def _render_prompt(self, turns: Sequence[Turn]) -> str:
        """Render the chat template, and check that the prompt contains all text of the turns."""
        texts = [part.strip() for turn in turns for part in turn.parts if isinstance(part, str)]
        template = self.processor if self.processor.chat_template else self.tokenizer
        for format_message in (self._structured_message, self._inline_message):
            try:
                messages = [format_message(turn) for turn in turns]
                prompt = render_chat(template, messages, prefilled=turns[-1].role == "assistant")
            except TypeError:  # the template expects text instead of a list
                continue
            if PRINTED_LIST_MARK not in prompt and all(text in prompt for text in texts):
                return prompt
        raise SpecError(
            f"The chat template of {self.weights.model} drops part of the question. Serve the model and use -m openai."
        )

    def _structured_message(self, turn: Turn) -> dict[str, Any]:
        return {"role": turn.role, "content": [self._content_part(part) for part in turn.parts]}

    def _inline_message(self, turn: Turn) -> dict[str, Any]:
        """Format a turn for templates that accept only text, with a token of the processor in place of media."""
        contents = [self._content_part(part) for part in turn.parts]
        texts = [part["text"] if part["type"] == "text" else self._media_token(part["type"]) for part in contents]
        return {"role": turn.role, "content": "".join(texts)}

    def _media_token(self, kind: str) -> str:
        return str(getattr(self.processor, f"{kind}_token", ""))

    def _content_part(self, part: Part) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        if isinstance(part, Audio):
            return {"type": "audio", "audio": part.uri or "sound"}
        raise SampleError(f"this model accepts only text and audio, not {type(part).__name__}")

    def _base64_message(self, turn: Turn) -> dict[str, Any]:
        parts = [
            {"type": "audio", "base64": base64.b64encode(part.encode("wav", rate=self._rate)).decode()}
            if isinstance(part, Audio)
            else self._content_part(part)
            for part in turn.parts
        ]
        return {"role": turn.role, "content": parts}


def _extend_rows(values: Any, mask: Any, rows: Sequence[ScoringInput]) -> Any:
    """Pad values of the prompt's tokens, such as their types, on the right: a continuation has the value 0."""
    import torch

    longest = max(len(row.tokens) for row in rows) - 1  # the last token is predicted, not read
    extended = torch.zeros((len(rows), longest), dtype=values.dtype, device=values.device)
    for index, (row_values, row_mask, row) in enumerate(zip(values, mask, rows, strict=True)):
        kept = row_values[row_mask][: len(row.tokens) - 1]
        extended[index, : len(kept)] = kept
    return extended
