"""Whisper checkpoints: transcription, or translation into English.

-m whisper -M model=openai/whisper-large-v3 -M language=de

Clips of up to 30 seconds are transcribed at once, without timestamps. Longer ones use the sequential algorithm of
transformers: one window after another, each starting where the last complete sentence ended, without conditioning on
previous text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

from auricle.core.errors import SpecError
from auricle.core.types import Generate, Generation
from auricle.models.base import answer_in_groups
from auricle.models.request_input import get_single_audio
from auricle.models.transformers.base import GenerativeModel, LocalModel
from auricle.models.transformers.inference import build_generation, trim_tokens

WhisperTask: TypeAlias = Literal["transcribe", "translate"]
TASKS = get_args(WhisperTask)
ENGLISH = ("en", "english", "<|en|>")
SINGLE_WINDOW = 0  # group key of short clips, which need no limit per window
PROMPT_TOKENS = 4  # at most: start, language, task, no timestamps


class Whisper(GenerativeModel):
    """A Whisper model that transcribes, or translates into English."""

    listing = replace(
        LocalModel.listing, group="Speech recognition", architectures=("WhisperForConditionalGeneration",)
    )
    name = "whisper"
    sample_rate = 16_000

    def __init__(self, *, language: str | None = None, task: WhisperTask = "transcribe", **weights: Any) -> None:
        """Load the model.

        Args:
            language: Language code or name; detected per clip by multilingual checkpoints if not set.
            task: Transcribe, or translate into English.
            **weights: Options of every local model; see `Weights`.
        """
        if task not in TASKS:
            raise SpecError(f"{self.name}: task must be {' or '.join(TASKS)}, not {task!r}.")
        self._language, self._task = language, task
        super().__init__(**weights)

    def load(self) -> None:
        self.processor = self.weights.load(self.library.WhisperProcessor)
        model_class = self.library.WhisperForConditionalGeneration
        self.model = self.weights.build(model_class, self.device)
        self._rate = self.processor.feature_extractor.sampling_rate
        self._window_samples = self.processor.feature_extractor.n_samples
        self._language_options = self._resolve_language_options()

    def _resolve_language_options(self) -> dict[str, str]:
        """Return the language and task options; English-only checkpoints accept none."""
        config = self.model.generation_config
        if getattr(config, "is_multilingual", self.model.config.vocab_size >= 51_865):
            language_option = {} if self._language is None else {"language": self._language}
            self._refuse_unknown_language(config)
            return {"task": self._task, **language_option}
        if self._task != "transcribe" or (self._language or "en").lower() not in ENGLISH:
            raise SpecError(
                f"{self.weights.model} supports only English: set no language but en, and do not translate."
            )
        return {}

    def _refuse_unknown_language(self, config: Any) -> None:
        """Raise for an unsupported language when the model loads, not for every sample."""
        from transformers.models.whisper.tokenization_whisper import TO_LANGUAGE_CODE

        if self._language is None:
            return
        name = self._language.lower()
        code = TO_LANGUAGE_CODE.get(name, name.strip("<|>"))
        supported = [token.strip("<|>") for token in getattr(config, "lang_to_id", None) or {}]
        if code not in supported:
            raise SpecError(
                f"{self.weights.model} does not support the language {self._language!r}. Supported: "
                f"{', '.join(sorted(supported)) or 'none listed'}."
            )

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        """Transcribe short clips together, and long ones grouped by limit, because they use different algorithms."""
        clips = [get_single_audio(request).decode(self._rate) for request in batch]
        limits = [
            min(request.max_tokens, self._max_window_tokens) if len(clip) > self._window_samples else SINGLE_WINDOW
            for clip, request in zip(clips, batch, strict=True)
        ]
        return answer_in_groups(list(zip(clips, batch, strict=True)), limits, self._transcribe)

    def _transcribe(self, limit: int, pairs: Sequence[tuple[Any, Generate]]) -> list[Generation]:
        """Transcribe clips of one window, or longer ones; then the limit applies to each window, not to all of it."""
        clips, requests = [clip for clip, _ in pairs], [request for _, request in pairs]
        if limit == SINGLE_WINDOW:
            features = self._extract_features(clips)
            max_tokens = max(request.max_tokens for request in requests)
            rows = self._generate(features, requests[0], max_tokens, return_timestamps=False)
            limits = [request.max_tokens for request in requests]
        else:
            features = self._extract_features(clips, truncation=False, padding="longest")
            options = {"return_timestamps": True, "condition_on_prev_tokens": False}
            rows = self._generate(features, requests[0], requests[0].max_tokens, **options)
            limits = [len(row) + 1 for row in rows]
        return list(map(self._to_generation, rows, requests, limits))

    def _extract_features(self, clips: list[Any], **options: Any) -> Any:
        features = self.processor.feature_extractor(
            clips, sampling_rate=self._rate, return_tensors="pt", return_attention_mask=True, **options
        )
        return features.to(self.model.device, self.model.dtype)

    def _generate(self, features: Any, request: Generate, max_tokens: int, **options: Any) -> list[list[int]]:
        temperature = request.temperature
        sampling: dict[str, Any] = {"temperature": temperature} if temperature else {"num_beams": 1}
        if max_tokens < self._max_window_tokens:
            sampling["max_new_tokens"] = max_tokens
        rows: list[list[int]] = self.model.generate(
            features["input_features"],
            attention_mask=features["attention_mask"],
            **self._language_options,
            **sampling,
            **options,
        ).tolist()
        return rows

    @property
    def _max_window_tokens(self) -> int:
        """Return the number of tokens the decoder can generate per window."""
        return int(self.model.config.max_target_positions) - PROMPT_TOKENS

    def _to_generation(self, row: list[int], request: Generate, limit: int) -> Generation:
        tokens = trim_tokens(row, limit, self.model.generation_config)
        text = self.processor.tokenizer.decode(tokens, skip_special_tokens=True)
        return build_generation(text, request, len(tokens), limit)
