"""Audio classifiers and regressors in batches."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")


from auricle.core.errors import SpecError
from auricle.models.transformers.audio_classification import AudioClassification
from tests.support import tiny_emotions
from tests.support.emotional_speech import numbers, three_requests

# torch warns about the mask type in transformers' WavLM; the mask is right.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Support for mismatched key_padding_mask")]


@pytest.mark.parametrize("family", ["Wav2Vec2", "Hubert", "WavLM"])
def test_batched_predictions_equal_single_predictions(tmp_path: Path, family: str) -> None:
    model = AudioClassification(model=str(tiny_emotions.classifier(tmp_path, family)))
    for together, request in zip(model.predict(three_requests()), three_requests(), strict=True):
        assert numbers(together) == pytest.approx(numbers(model.predict([request])[0]), abs=1e-5)


def test_network_affected_by_padding_gets_one_clip_at_a_time(tmp_path: Path) -> None:
    shape: dict[str, Any] = {"feat_extract_norm": "group", "do_stable_layer_norm": False}
    model = AudioClassification(model=str(tiny_emotions.classifier(tmp_path, **shape)))
    assert model.predict(three_requests()) == [model.predict([item])[0] for item in three_requests()]


def test_duplicate_labels_are_refused(tmp_path: Path) -> None:
    folder = tiny_emotions.classifier(tmp_path, labels=("angry", "sad", "sad"))
    with pytest.raises(SpecError, match="has several outputs named 'sad'"):
        AudioClassification(model=str(folder))
