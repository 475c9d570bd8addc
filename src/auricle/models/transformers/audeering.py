"""Arousal, dominance and valence from audeering's wav2vec 2.0, or a checkpoint with the same head.

-m audeering
-m audeering -M model=./my-dimensional-wav2vec2
"""

from __future__ import annotations

from typing import Any

from auricle.core.types import Prediction
from auricle.models.transformers.audio_predictor import AudioPredictor


class Audeering(AudioPredictor):
    """A regressor whose raw outputs, roughly 0 to 1, are neither clipped nor squashed."""

    name = "audeering"
    default_model = "audeering/wav2vec2-large-robust-12-ft-emotion-msp-dim"

    def load(self) -> None:
        from auricle.models.transformers.pooled_regressor import PooledRegressor, dimension_names

        self.model = self.weights.build(PooledRegressor, self.device, strict=True)
        self.load_extractor(dimension_names(self.model.config))

    def to_prediction(self, row: Any) -> Prediction:
        return Prediction(values=self.name_values(row), scale="continuous")
