"""Whisper, any checkpoint: speech to text in its own language, or translated to English.

-m whisper -M model=openai/whisper-large-v3 -M language=de

Sounds of up to 30 seconds are heard at once, without timestamps. Longer ones are heard by
transformers' sequential algorithm: window after window, each beginning where the last whole
sentence ended, none conditioned on the words before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Generate, Generation
from auricle.models.audio_input import get_single_audio
from auricle.models.transformers.base import GenerativeModel
from auricle.models.transformers.generation import build_generation, trim_tokens

TASKS = ("transcribe", "translate")
ENGLISH = ("en", "english", "<|en|>")
SINGLE_WINDOW = 0  # no limit a window: a short sound has one window
PROMPT_TOKENS = 4  # tokens before the first word, at most: start, language, task, no timestamps


class Whisper(GenerativeModel):
    """Speech to text, and from any language to English."""

    name = "whisper"
    sample_rate = 16_000

    def __init__(self, *, language: str | None = None, task: str = "transcribe", **weights: Any) -> None:
        """Without a language a multilingual checkpoint finds out, sound by sound."""
        if task not in TASKS:
            raise SpecError(f"{self.name}: task should be {' or '.join(TASKS)}, not {task!r}.")
        self._language, self._task = language, task
        super().__init__(**weights)

    def load(self) -> None:
        self.processor = self.weights.load(self.library.WhisperProcessor)
        kind = self.library.WhisperForConditionalGeneration
        self.model = self.weights.build(kind, self.device)
        self._rate = self.processor.feature_extractor.sampling_rate
        self._window_samples = self.processor.feature_extractor.n_samples
        self._language_options = self._resolve_language_options()

    def _resolve_language_options(self) -> dict[str, str]:
        """What is said to the model about language and task; nothing to an English-only one."""
        config = self.model.generation_config
        if getattr(config, "is_multilingual", self.model.config.vocab_size >= 51_865):
            known = {} if self._language is None else {"language": self._language}
            self._refuse_unknown_language(config)
            return {"task": self._task, **known}
        if self._task != "transcribe" or (self._language or "en").lower() not in ENGLISH:
            raise SpecError(
                f"{self.weights.model} hears English only: it takes no language but en, and cannot translate."
            )
        return {}

    def _refuse_unknown_language(self, config: Any) -> None:
        """A language the checkpoint does not have is refused now, not sample by sample."""
        from transformers.models.whisper.tokenization_whisper import TO_LANGUAGE_CODE

        if self._language is None:
            return
        word = self._language.lower()
        code = TO_LANGUAGE_CODE.get(word, word.strip("<|>"))
        known = [each.strip("<|>") for each in getattr(config, "lang_to_id", None) or {}]
        if code not in known:
            raise SpecError(
                f"{self.weights.model} knows no language {self._language!r}; it knows "
                f"{', '.join(sorted(known)) or 'none by name'}."
            )

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        """Short sounds together, and long ones of one limit: they are heard in different ways."""
        sounds = [get_single_audio(request).decode(self._rate) for request in batch]
        groups: dict[int, list[int]] = {}
        for place, (sound, asked) in enumerate(zip(sounds, batch, strict=True)):
            window_limit = min(asked.max_tokens, self._max_window_tokens) if self._is_long(sound) else SINGLE_WINDOW
            groups.setdefault(window_limit, []).append(place)
        answers: dict[int, Generation] = {}
        for limit, places in groups.items():
            hear = self._transcribe_short if limit == SINGLE_WINDOW else self._transcribe_long
            heard = hear([sounds[place] for place in places], [batch[place] for place in places])
            answers |= zip(places, heard, strict=True)
        return [answers[place] for place in range(len(batch))]

    def _is_long(self, sound: Any) -> bool:
        return bool(len(sound) > self._window_samples)

    def _transcribe_short(self, sounds: list[Any], requests: Sequence[Generate]) -> list[Generation]:
        most = max(request.max_tokens for request in requests)
        rows = self._generate(self._extract_features(sounds), requests[0], most, return_timestamps=False)
        return [self._to_generation(row, each, each.max_tokens) for row, each in zip(rows, requests, strict=True)]

    def _transcribe_long(self, sounds: list[Any], requests: Sequence[Generate]) -> list[Generation]:
        """Each window has the limit, as each has the decoder's own; an hour must not end at it."""
        heard = self._extract_features(sounds, truncation=False, padding="longest")
        how = {"return_timestamps": True, "condition_on_prev_tokens": False}
        rows = self._generate(heard, requests[0], requests[0].max_tokens, **how)
        return [self._to_generation(row, each, len(row) + 1) for row, each in zip(rows, requests, strict=True)]

    def _extract_features(self, sounds: list[Any], **options: Any) -> Any:
        heard = self.processor.feature_extractor(
            sounds, sampling_rate=self._rate, return_tensors="pt", return_attention_mask=True, **options
        )
        return heard.to(self.model.device, self.model.dtype)

    def _generate(self, features: Any, request: Generate, max_tokens: int, **options: Any) -> list[list[int]]:
        warmth = request.temperature
        more: dict[str, Any] = {"temperature": warmth} if warmth else {"num_beams": 1}
        if max_tokens < self._max_window_tokens:
            more["max_new_tokens"] = max_tokens
        rows: list[list[int]] = self.model.generate(
            features["input_features"],
            attention_mask=features["attention_mask"],
            **self._language_options,
            **more,
            **options,
        ).tolist()
        return rows

    @property
    def _max_window_tokens(self) -> int:
        """Tokens the decoder has places for in one window."""
        return int(self.model.config.max_target_positions) - PROMPT_TOKENS

    def _to_generation(self, row: list[int], request: Generate, limit: int) -> Generation:
        tokens = trim_tokens(row, limit, self.model.generation_config)
        text = self.processor.tokenizer.decode(tokens, skip_special_tokens=True)
        return build_generation(text, request, len(tokens), limit)
