"""Arousal, dominance and valence, with tiny random networks of audeering's architecture."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SampleError, SpecError
from auricle.models import abilities
from auricle.models.transformers.audio_classification import Audeering
from tests.support import tiny_emotions
from tests.support.emotional_speech import (
    about,
    numbers,
    other_file_formats,
    predict_mono_and_copy,
    spoken,
    three_requests,
    written,
)

pytestmark = pytest.mark.slow


def test_model_supports_only_predict() -> None:
    assert abilities(Audeering) == ["predict"]


def test_values_follow_the_order_of_the_checkpoint(audeering: Any) -> None:
    (felt,) = audeering.predict(three_requests()[:1])
    assert list(felt.values) == ["arousal", "dominance", "valence"]
    assert felt.scale == "continuous"


def test_values_are_neither_clipped_nor_squashed(tmp_path: Path) -> None:
    model = Audeering(model=str(tiny_emotions.audeering(tmp_path)))
    model.model.classifier.out_proj.bias.data += 5
    assert numbers(model.predict(three_requests()[:1])[0]).min() > 1


def test_batched_predictions_equal_single_predictions(audeering: Any) -> None:
    assert len({len(spoken(number)) for number in (1, 2, 3)}) == 3
    for together, request in zip(audeering.predict(three_requests()), three_requests(), strict=True):
        assert numbers(together) == pytest.approx(numbers(audeering.predict([request])[0]), abs=1e-5)


def test_extractor_without_a_mask_gets_one_clip_at_a_time(tmp_path: Path) -> None:
    folder = tiny_emotions.audeering(tmp_path, return_attention_mask=False)
    model = Audeering(model=str(folder))
    assert model.predict(three_requests()) == [model.predict([item])[0] for item in three_requests()]


@pytest.mark.parametrize(("normal", "same"), [(True, True), (False, False)])
def test_loudness_matters_only_without_normalisation(tmp_path: Path, normal: bool, same: bool) -> None:
    model = Audeering(model=str(tiny_emotions.audeering(tmp_path, do_normalize=normal)))
    loud, quiet = model.predict([about(spoken()), about(spoken() * 0.1)])
    assert np.allclose(numbers(loud), numbers(quiet), atol=1e-3) is same


@other_file_formats
def test_sample_rate_and_channels_do_not_change_results(
    audeering: Any, tmp_path: Path, rate: int, channels: int
) -> None:
    first, second = predict_mono_and_copy(audeering, tmp_path, rate, channels)
    assert second == pytest.approx(first, abs=1e-3)


def test_output_names_of_the_checkpoint_are_used(tmp_path: Path) -> None:
    folder = tiny_emotions.audeering(tmp_path, labels=("valence", "arousal"))
    (felt,) = Audeering(model=str(folder)).predict(three_requests()[:1])
    assert list(felt.values) == ["valence", "arousal"]


def spoilt(folder: Any, change: Any) -> Any:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return str(folder)


def test_missing_weight_is_named(tmp_path: Path) -> None:
    folder = tiny_emotions.audeering(tmp_path)
    with pytest.raises(SpecError, match=r"lacks 1 weights .* \(first: classifier.dense.bias"):
        Audeering(model=spoilt(folder, lambda weights: weights.pop("classifier.dense.bias")))


def test_unexpected_weight_is_named(tmp_path: Path) -> None:
    folder = tiny_emotions.audeering(tmp_path)
    with pytest.raises(SpecError, match=r"has 1 weights .* does not use \(first: age.dense.weight"):
        Audeering(model=spoilt(folder, lambda weights: weights.update({"age.dense.weight": torch.ones(1)})))


def test_weight_with_another_shape_is_named(tmp_path: Path) -> None:
    folder = tiny_emotions.audeering(tmp_path)
    other = {"classifier.out_proj.weight": torch.ones(7, 32)}
    words = r"classifier.out_proj.weight has the shape \(7, 32\), but .* requires \(3, 32\)"
    with pytest.raises(SpecError, match=words):
        Audeering(model=spoilt(folder, lambda weights: weights.update(other)))


def test_clip_shorter_than_a_frame_fails(audeering: Any) -> None:
    with pytest.raises(SampleError, match=r"the clip has 0\.005 s, less than one frame"):
        audeering.predict([about(np.zeros(80, dtype=np.float32))])


def test_model_runs_from_the_command_line(auricle: Any, audeering_folder: Any, audeering: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", spoken(), 48_000, 2)
    done = auricle("ask", "-m", "audeering", "-M", f"model={audeering_folder}", path)
    result = json.loads(done.stdout)
    assert result["values"] == pytest.approx(audeering.predict([about(str(path))])[0].values, abs=1e-5)
    assert result["scale"] == "continuous"


def test_missing_weights_give_a_one_line_error(auricle: Any, tone: Any, tmp_path: Path) -> None:
    done = auricle("ask", "-m", "audeering", "-M", f"model={tmp_path}", tone("a.wav"))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
