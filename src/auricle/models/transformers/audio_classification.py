"""Audio classifiers on the hub: emotions, languages, keywords, events.

-m audio-classification -M model=superb/wav2vec2-large-superb-er
"""

from __future__ import annotations

from typing import Any

from auricle.core.types import Prediction
from auricle.models.transformers.audio_predictor import AudioPredictor


class AudioClassification(AudioPredictor):
    """A classifier that returns probabilities by label, or raw values if it was trained for regression."""

    name = "audio-classification"

    def load(self) -> None:
        self.model = self.weights.build(self.library.AutoModelForAudioClassification, self.device)
        labels = self.model.config.id2label
        self.load_extractor([labels[index] for index in range(len(labels))])
        self._problem_type = _resolve_problem_type(self.model.config)

    def to_prediction(self, row: Any) -> Prediction:
        if self._problem_type == "regression":
            return Prediction(values=self.name_values(row), scale="continuous")
        multi_label = self._problem_type == "multi_label_classification"
        probabilities = row.sigmoid() if multi_label else row.softmax(dim=-1)
        return Prediction(values=self.name_values(probabilities), scale="probability")


def _resolve_problem_type(config: Any) -> str:
    """Return the declared problem type; by default a single label means regression, as in training."""
    declared = getattr(config, "problem_type", None)
    default = "regression" if len(config.id2label) == 1 else "single_label_classification"
    return str(declared or default)
