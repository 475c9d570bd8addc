"""Recognisers that write a letter a frame: wav2vec 2.0, HuBERT, WavLM and their kin.

-m ctc -M model=facebook/wav2vec2-large-960h-lv60-self

Checkpoints whose feature extractor makes no attention mask (wav2vec2-base and others with group
normalisation) were trained on sounds padded with silence, which they hear: what such a model
writes depends on its neighbours in the batch. They get batches of one unless batch_size is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auricle.core.types import Generate, Generation
from auricle.models.audio_input import get_single_audio
from auricle.models.transformers.base import GenerativeModel


class Ctc(GenerativeModel):
    """Speech to text by the likeliest letter of each frame; it has no token limit to keep."""

    name = "ctc"

    def load(self) -> None:
        self.processor = self.weights.load(self.library.AutoProcessor)
        self.model = self.weights.build(self.library.AutoModelForCTC, self.device)
        extractor = self.processor.feature_extractor
        self.sample_rate = self._rate = int(extractor.sampling_rate)
        self._uses_attention_mask = bool(getattr(extractor, "return_attention_mask", True))
        if not self._uses_attention_mask and self.weights.batch_size is None:
            self.batch_size = 1

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        sounds = [get_single_audio(request).decode(self._rate) for request in batch]
        heard = self.processor.feature_extractor(
            sounds,
            sampling_rate=self._rate,
            padding=True,
            return_attention_mask=True,  # so that each is normalised without its padding
            return_tensors="pt",
        )
        if not self._uses_attention_mask:
            del heard["attention_mask"]
        heard = heard.to(self.model.device, self.model.dtype)
        letters = self.model(**heard).logits.argmax(dim=-1)
        rows = zip(letters, sounds, batch, strict=True)
        return [
            self._to_generation(row[: self._frame_count(len(sound), len(row))], asked) for row, sound, asked in rows
        ]

    def _frame_count(self, samples: int, default: int) -> int:
        """How many frames a sound has of its own; behind them stands its padding."""
        counted = getattr(self.model, "_get_feat_extract_output_lengths", None)
        return int(counted(samples)) if counted else default

    def _to_generation(self, token_ids: Any, request: Generate) -> Generation:
        # Skipping special tokens would skip the blank between two l's, too, and write "helo".
        text = self.processor.tokenizer.decode(token_ids.tolist())
        places = [place for word in request.stop if word and (place := text.find(word)) >= 0]
        return Generation(text=text[: min(places)] if places else text, finish="stop")
