"""Audio classifiers on the hub (emotions, languages, keywords, events), and regressors of emotional dimensions.

-m audio-classification -M model=superb/wav2vec2-large-superb-er
-m audeering
-m audeering -M model=./my-dimensional-wav2vec2
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Predict, Prediction
from auricle.models.listing import WITHOUT_WEIGHTS
from auricle.models.request_input import get_single_audio
from auricle.models.transformers.base import LocalModel
from auricle.models.transformers.weights import MissingWeights


class AudioPredictor(LocalModel):
    """A model with one row of outputs per clip, independent of the batch. Subclasses load and convert rows."""

    output_names: Sequence[str]
    """Names of the outputs, in the order of the network."""

    def __init__(self, **weights: Any) -> None:
        try:
            super().__init__(**weights)
        except MissingWeights as error:
            raise MissingWeights(f"{error} {WITHOUT_WEIGHTS}") from error

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


class AudioClassification(AudioPredictor):
    """A classifier that returns probabilities by label, or raw values if it was trained for regression."""

    listing = replace(
        LocalModel.listing,
        group="Emotion and sounds",
        architectures=("ForSequenceClassification", "ForAudioClassification"),
    )
    name = "audio-classification"

    def load(self) -> None:
        self.model = self.weights.build(self.library.AutoModelForAudioClassification, self.device)
        labels = self.model.config.id2label
        self.load_extractor([labels[index] for index in range(len(labels))])
        # By default a single label means regression, as in training.
        default = "regression" if len(labels) == 1 else "single_label_classification"
        self._problem_type = str(getattr(self.model.config, "problem_type", None) or default)

    def to_prediction(self, row: Any) -> Prediction:
        if self._problem_type == "regression":
            return Prediction(values=self.name_values(row), scale="continuous")
        multi_label = self._problem_type == "multi_label_classification"
        probabilities = row.sigmoid() if multi_label else row.softmax(dim=-1)
        return Prediction(values=self.name_values(probabilities), scale="probability")


class Audeering(AudioPredictor):
    """audeering's wav2vec 2.0: arousal, dominance and valence, roughly 0 to 1, neither clipped nor squashed."""

    listing = replace(LocalModel.listing, group="Emotion and sounds", architectures=("ForSpeechClassification",))
    name = "audeering"
    default_model = "audeering/wav2vec2-large-robust-12-ft-emotion-msp-dim"

    def load(self) -> None:
        from auricle.models.transformers.pooled_regressor import PooledRegressor, dimension_names

        self.model = self.weights.build(PooledRegressor, self.device, strict=True)
        self.load_extractor(dimension_names(self.model.config))

    def to_prediction(self, row: Any) -> Prediction:
        return Prediction(values=self.name_values(row), scale="continuous")
