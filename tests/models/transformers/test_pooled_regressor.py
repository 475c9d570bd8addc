"""The wav2vec 2.0 regressor."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.models.transformers.audio_classification import Audeering
from tests.support import tiny_emotions
from tests.support.emotional_speech import numbers, spoken, three_requests

pytestmark = pytest.mark.slow


def test_values_equal_those_of_the_model_card_code(audeering: Any) -> None:
    """Normalise the clip, average its frames, dense, tanh, out_proj."""
    samples = spoken()
    normal = (samples - samples.mean()) / np.sqrt(samples.var() + 1e-7)
    network = audeering.model
    with torch.inference_mode():
        frames = network.wav2vec2(torch.tensor(normal)[None])[0]
        head = network.classifier
        expected = head.out_proj(torch.tanh(head.dense(frames.mean(dim=1))))[0]
    assert numbers(audeering.predict(three_requests()[:1])[0]) == pytest.approx(expected.numpy(), abs=1e-5)


def test_checkpoint_with_old_weight_names_gives_the_same_values(audeering: Any, tmp_path: Path) -> None:
    old = Audeering(model=str(tiny_emotions.old_style(tiny_emotions.audeering(tmp_path))))
    assert old.predict(three_requests()[:1]) == audeering.predict(three_requests()[:1])


def test_unnamed_outputs_get_default_names(audeering: Any, tmp_path: Path) -> None:
    config = tiny_emotions.audeering(tmp_path) / "config.json"
    result = json.loads(config.read_text())
    config.write_text(json.dumps({k: result[k] for k in result if k not in ("id2label", "label2id")}))
    assert Audeering(model=str(tmp_path)).predict(three_requests()[:1]) == audeering.predict(three_requests()[:1])
