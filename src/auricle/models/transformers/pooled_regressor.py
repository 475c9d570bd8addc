"""wav2vec 2.0 with a regression head over the mean frame, which transformers does not provide.

The submodules are named as in audeering's checkpoints.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import nn
from transformers import Wav2Vec2Model, Wav2Vec2PreTrainedModel

DIMENSIONS = ("arousal", "dominance", "valence")


def dimension_names(config: Any) -> list[str]:
    """Return the output names of the checkpoint, or audeering's order if they are unnamed."""
    names = [config.id2label[index] for index in range(len(config.id2label))]
    unnamed = all(name == f"LABEL_{index}" for index, name in enumerate(names))
    return list(DIMENSIONS) if unnamed else names


class RegressionHead(nn.Module):  # type: ignore[misc]
    """A head that maps the mean frame to one number per dimension."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.final_dropout)
        self.out_proj = nn.Linear(config.hidden_size, len(dimension_names(config)))

    def forward(self, pooled: Any) -> Any:
        hidden = torch.tanh(self.dense(self.dropout(pooled)))
        return self.out_proj(self.dropout(hidden))


class PooledRegressor(Wav2Vec2PreTrainedModel):  # type: ignore[misc]
    """A wav2vec 2.0 regressor. Padding is excluded from the mean, so the batch does not change results."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.wav2vec2 = Wav2Vec2Model(config)
        self.classifier = RegressionHead(config)
        self.post_init()

    def forward(self, input_values: Any, attention_mask: Any = None) -> Any:
        frames = self.wav2vec2(input_values, attention_mask=attention_mask).last_hidden_state
        return SimpleNamespace(logits=self.classifier(self._mean_pool(frames, attention_mask)))

    def _mean_pool(self, frames: Any, attention_mask: Any) -> Any:
        if attention_mask is None:
            return frames.mean(dim=1)
        frame_mask = self._get_feature_vector_attention_mask(frames.shape[1], attention_mask)
        return (frames * frame_mask.unsqueeze(-1)).sum(dim=1) / frame_mask.sum(dim=1, keepdim=True)
