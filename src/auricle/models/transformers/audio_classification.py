"""Any classifier of sounds on the hub: emotions, languages, keywords, events.

-m audio-classification -M model=superb/wav2vec2-large-superb-er
"""

from __future__ import annotations

from typing import Any

from auricle.core.types import Prediction
from auricle.models.transformers.audio_predictor import AudioPredictor


class AudioClassification(AudioPredictor):
    """Probabilities by the checkpoint's labels; plain numbers where it was made for regression."""

    name = "audio-classification"

    def load(self) -> None:
        self.model = self.weights.build(self.library.AutoModelForAudioClassification, self.device)
        labels = self.model.config.id2label
        self.load_extractor([labels[at] for at in range(len(labels))])
        self._problem_type = _resolve_problem_type(self.model.config)

    def to_prediction(self, row: Any) -> Prediction:
        if self._problem_type == "regression":
            return Prediction(values=self.name_values(row), scale="continuous")
        many = self._problem_type == "multi_label_classification"
        shares = row.sigmoid() if many else row.softmax(dim=-1)
        return Prediction(values=self.name_values(shares), scale="probability")


def _resolve_problem_type(config: Any) -> str:
    """Where a checkpoint does not say, one label means regression, as when it was trained."""
    told = getattr(config, "problem_type", None)
    assumed = "regression" if len(config.id2label) == 1 else "single_label_classification"
    return str(told or assumed)
