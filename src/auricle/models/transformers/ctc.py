"""CTC speech to text: wav2vec 2.0, HuBERT, WavLM and similar.

-m ctc -M model=facebook/wav2vec2-large-960h-lv60-self

Checkpoints whose feature extractor makes no attention mask (wav2vec2-base and others with group normalisation) were
trained on unmasked padding, so their output depends on the other clips in the batch. They get batches of one unless
batch_size is set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from auricle.core.types import Generate, Generation, Segment
from auricle.models.request_input import get_single_audio
from auricle.models.transformers.base import GenerativeModel, LocalModel
from auricle.models.transformers.inference import cut_at_stop_word


class Ctc(GenerativeModel):
    """A recogniser that takes the most likely token of each frame; token limits do not apply."""

    listing = replace(LocalModel.listing, group="Speech recognition", architectures=("ForCTC",))
    name = "ctc"

    def __init__(self, *, words: bool = False, **weights: Any) -> None:
        """Load the model.

        Args:
            words: Report the times of words, in steps of a frame.
            **weights: Options of every local model; see `Weights`.
        """
        self._reports_words = words
        super().__init__(**weights)

    def load(self) -> None:
        self.processor = self.weights.load(self.library.AutoProcessor)
        self.model = self.weights.build(self.library.AutoModelForCTC, self.device)
        extractor = self.processor.feature_extractor
        self.sample_rate = self._rate = int(extractor.sampling_rate)
        self._uses_attention_mask = bool(getattr(extractor, "return_attention_mask", True))
        if not self._uses_attention_mask and self.weights.batch_size is None:
            self.batch_size = 1

    def generate_batch(self, batch: Sequence[Generate]) -> list[Generation]:
        clips = [get_single_audio(request).decode(self._rate) for request in batch]
        features = self.processor.feature_extractor(
            clips,
            sampling_rate=self._rate,
            padding=True,
            return_attention_mask=True,  # so that each clip is normalised without its padding
            return_tensors="pt",
        )
        if not self._uses_attention_mask:
            del features["attention_mask"]
        features = features.to(self.model.device, self.model.dtype)
        token_ids = self.model(**features).logits.argmax(dim=-1)
        rows = zip(token_ids, clips, batch, strict=True)
        return [
            self._to_generation(row[: self._frame_count(len(clip), len(row))], request) for row, clip, request in rows
        ]

    def _frame_count(self, samples: int, default: int) -> int:
        """Return the number of frames of a clip, without padding."""
        count_frames = getattr(self.model, "_get_feat_extract_output_lengths", None)
        return int(count_frames(samples)) if count_frames else default

    def _to_generation(self, token_ids: Any, request: Generate) -> Generation:
        # Skipping special tokens would also skip the blank between two l's and write "helo".
        if not self._reports_words:
            text = self.processor.tokenizer.decode(token_ids.tolist())
            return Generation(text=cut_at_stop_word(text, request.stop), finish="stop")
        decoded = self.processor.tokenizer.decode(token_ids.tolist(), output_word_offsets=True)
        text = cut_at_stop_word(decoded.text, request.stop)
        return Generation(text=text, finish="stop", segments=self._list_words(decoded.word_offsets))

    def _list_words(self, offsets: Sequence[Mapping[str, Any]]) -> tuple[Segment, ...]:
        seconds = self.model.config.inputs_to_logits_ratio / self._rate
        return tuple(
            Segment(item["start_offset"] * seconds, item["end_offset"] * seconds, item["word"]) for item in offsets
        )
