"""What classifiers and regressors of transformers share: sounds in, a row of numbers each out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Predict, Prediction
from auricle.models.audio_input import get_single_audio
from auricle.models.transformers.base import LocalModel


class AudioPredictor(LocalModel):
    """Hears each sound as if alone. Subclasses load, and `answer` from what the network gave."""

    output_names: Sequence[str]
    """What the numbers are, in the network's order."""

    @abstractmethod
    def to_prediction(self, row: Any) -> Prediction:
        """What a row of the network's last layer says, in double precision."""

    def load_extractor(self, output_names: Sequence[str]) -> None:
        """To be called once the model is loaded: its ears, and what its numbers are called."""
        self.extractor = self.weights.load(self.library.AutoFeatureExtractor)
        self.sample_rate = self._rate = int(self.extractor.sampling_rate)
        if twice := sorted({each for each in output_names if list(output_names).count(each) > 1}):
            raise SpecError(f"{self.weights.model} calls several of its numbers {twice[0]!r}.")
        self.output_names = output_names
        # Without a mask, or with group normalisation, a network hears its neighbours' length.
        grouped = getattr(self.model.config, "feat_extract_norm", "layer") == "group"
        masks = bool(getattr(self.extractor, "return_attention_mask", False))
        self._can_batch = masks and not grouped

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        sounds = [self._decode_samples(request) for request in batch]
        groups = [sounds] if self._can_batch else [[each] for each in sounds]
        with self.inference_mode():
            return [self.to_prediction(row) for group in groups for row in self._forward(group)]

    def _forward(self, sounds: Sequence[Any]) -> Any:
        """A sound alone is taken in the checkpoint's own way; several are padded and masked."""
        padded = {"padding": True, "return_attention_mask": True} if len(sounds) > 1 else {}
        heard = self.extractor(list(sounds), sampling_rate=self._rate, return_tensors="pt", **padded)
        logits = self.model(**heard.to(self.model.device, self.model.dtype)).logits
        return logits.cpu().double()

    def _decode_samples(self, request: Predict) -> Any:
        samples = get_single_audio(request).decode(self._rate)
        frames = getattr(self.model, "_get_feat_extract_output_lengths", None)
        if frames and int(frames(len(samples))) < 1:
            seconds = len(samples) / self._rate
            raise SampleError(f"{seconds:.3f} s of sound are less than one frame of this model")
        return samples

    def name_values(self, values: Any) -> dict[str, float]:
        return dict(zip(self.output_names, values.tolist(), strict=True))
