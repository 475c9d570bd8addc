"""Audio classifiers, with tiny random networks of several families."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SpecError
from auricle.models import abilities
from auricle.models.transformers.audio_classification import AudioClassification
from tests.support import tiny_emotions
from tests.support.emotional_speech import numbers, spoken, three_requests, written
from tests.support.tiny_weights import seeded

# torch warns about the mask type in transformers' WavLM; the mask is right.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Support for mismatched key_padding_mask")]


def logits(model: Any, samples: Any) -> Any:
    received = model.extractor(samples, sampling_rate=16_000, return_tensors="pt")
    with torch.inference_mode():
        return model.model(**received).logits[0].double()


def test_model_supports_only_predict() -> None:
    assert abilities(AudioClassification) == ["predict"]


def test_probabilities_equal_those_of_transformers(tmp_path: Path) -> None:
    model = AudioClassification(model=str(tiny_emotions.classifier(tmp_path)))
    (felt,) = model.predict(three_requests()[:1])
    assert list(felt.values) == ["angry", "happy", "sad"]
    assert felt.scale == "probability"
    expected = logits(model, spoken()).softmax(-1).numpy()
    assert numbers(felt) == pytest.approx(expected, abs=1e-9)
    assert sum(felt.values.values()) == pytest.approx(1, abs=1e-12)


def test_multi_label_probabilities_need_not_sum_to_one(tmp_path: Path) -> None:
    folder = tiny_emotions.classifier(tmp_path, problem_type="multi_label_classification")
    model = AudioClassification(model=str(folder))
    (received,) = model.predict(three_requests()[:1])
    assert received.scale == "probability"
    assert numbers(received) == pytest.approx(logits(model, spoken()).sigmoid().numpy(), abs=1e-9)


@pytest.mark.parametrize(("labels", "options"), [(("mos", "noise"), {"problem_type": "regression"}), (("mos",), {})])
def test_regressor_returns_raw_values(tmp_path: Path, labels: Any, options: Any) -> None:
    folder = tiny_emotions.classifier(tmp_path, labels=labels, **options)
    model = AudioClassification(model=str(folder))
    (received,) = model.predict(three_requests()[:1])
    assert received.scale == "continuous"
    assert list(received.values) == list(labels)
    assert numbers(received) == pytest.approx(logits(model, spoken()).numpy(), abs=1e-9)


def test_spectrogram_network_processes_clips_separately(tmp_path: Path) -> None:
    import transformers

    seeded()
    config = transformers.ASTConfig(
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_length=128,
        num_mel_bins=32,
        id2label={0: "speech", 1: "music"},
    )
    transformers.ASTForAudioClassification(config).save_pretrained(tmp_path)
    transformers.ASTFeatureExtractor(max_length=128, num_mel_bins=32).save_pretrained(tmp_path)
    model = AudioClassification(model=str(tmp_path))
    received = model.predict(three_requests())
    assert received == [model.predict([item])[0] for item in three_requests()]
    assert list(received[0].values) == ["speech", "music"]


def test_checkpoint_without_a_head_is_refused(tmp_path: Path) -> None:
    from transformers import Wav2Vec2ForSequenceClassification

    folder = tiny_emotions.classifier(tmp_path)
    Wav2Vec2ForSequenceClassification.from_pretrained(folder).wav2vec2.save_pretrained(folder)
    with pytest.raises(SpecError, match=r"lacks 4 weights .*\(first: classifier.bias\)"):
        AudioClassification(model=str(folder))


def test_missing_model_option_is_refused() -> None:
    with pytest.raises(SpecError, match="audio-classification: missing model"):
        AudioClassification()


def test_corpus_runs_from_the_command_line(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    folder = tiny_emotions.classifier(tmp_path / "model")
    rows = [{"id": str(n), "audio": f"{n}.wav", "label": "happy"} for n in (1, 2, 3)]
    for row in rows:
        written(tmp_path / row["audio"], spoken(int(row["id"])), 44_100, 2)
    words = ("-m", "audio-classification", "-M", f"model={folder}", "--infer-only", "-o", "run")
    done = auricle("run", manifest(rows), "--as", "classify", *words)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    lines = (tmp_path / "run" / "outputs.jsonl").read_text().splitlines()
    remaining = [json.loads(line)["outputs"][0]["values"] for line in lines]
    assert len(remaining) == 3
    assert all(np.isclose(sum(item.values()), 1) for item in remaining)


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
