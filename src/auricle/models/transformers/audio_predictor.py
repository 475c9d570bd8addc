"""Base class of audio classifiers and regressors in transformers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Predict, Prediction
from auricle.models.request_input import get_single_audio
from auricle.models.transformers.base import LocalModel


class AudioPredictor(LocalModel):
    """A model with one row of outputs per clip, independent of the batch. Subclasses load and convert rows."""

    output_names: Sequence[str]
    """Names of the outputs, in the order of the network."""

    @abstractmethod
    def to_prediction(self, row: Any) -> Prediction:
        """Convert a row of logits in double precision."""

    def load_extractor(self, output_names: Sequence[str]) -> None:
        """Load the feature extractor and set the output names; call it once the model is loaded."""
        self.extractor = self.weights.load(self.library.AutoFeatureExtractor)
        self.sample_rate = self._rate = int(self.extractor.sampling_rate)
        if duplicates := sorted({name for name in output_names if list(output_names).count(name) > 1}):
            raise SpecError(f"{self.weights.model} has several outputs named {duplicates[0]!r}.")
        self.output_names = output_names
        # Without a mask, or with group normalisation, padding changes the result.
        grouped = getattr(self.model.config, "feat_extract_norm", "layer") == "group"
        uses_mask = bool(getattr(self.extractor, "return_attention_mask", False))
        self._can_batch = uses_mask and not grouped

    def predict(self, batch: Sequence[Predict]) -> list[Prediction]:
        clips = [self._decode_samples(request) for request in batch]
        groups = [clips] if self._can_batch else [[clip] for clip in clips]
        with self.inference_mode():
            return [self.to_prediction(row) for group in groups for row in self._forward(group)]

    def _forward(self, clips: Sequence[Any]) -> Any:
        """Compute logits. A single clip is processed as the checkpoint defines; several are padded and masked."""
        padding = {"padding": True, "return_attention_mask": True} if len(clips) > 1 else {}
        features = self.extractor(list(clips), sampling_rate=self._rate, return_tensors="pt", **padding)
        logits = self.model(**features.to(self.model.device, self.model.dtype)).logits
        return logits.cpu().double()

    def _decode_samples(self, request: Predict) -> Any:
        samples = get_single_audio(request).decode(self._rate)
        frame_count = getattr(self.model, "_get_feat_extract_output_lengths", None)
        if frame_count and int(frame_count(len(samples))) < 1:
            seconds = len(samples) / self._rate
            raise SampleError(f"the clip has {seconds:.3f} s, less than one frame of this model")
        return samples

    def name_values(self, values: Any) -> dict[str, float]:
        return dict(zip(self.output_names, values.tolist(), strict=True))
