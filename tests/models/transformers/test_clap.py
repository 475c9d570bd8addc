"""Similarity of audio and text, with a tiny random CLAP."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("transformers")

import torch

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Predict
from auricle.media import Audio
from auricle.models import abilities
from auricle.models.transformers.clap import Clap
from tests.support import tiny_clap, tiny_weights

pytestmark = pytest.mark.slow

RATE = 8_000


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "fused"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return str(tiny_clap.clap(tmp_path_factory.mktemp("clap"), request.param))


@pytest.fixture(scope="module")
def model(folder: Any) -> Any:
    return Clap(model=folder, device="cpu")


def noise(seconds: Any, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(0, 0.2, round(seconds * RATE)).astype(np.float32)


def about(samples: Any, text: Any) -> Any:
    return Predict(inputs={"audio": Audio.of(samples, rate=RATE), "text": text})


def alignment(model: Any, samples: Any, text: str = "the cat sat") -> Any:
    (answer,) = model.predict([about(samples, text)])
    assert list(answer.values) == ["alignment"]
    return answer.values["alignment"]


def test_model_supports_only_predict() -> None:
    assert abilities(Clap) == ["predict"]


def test_alignment_equals_the_cosine_of_transformers(model: Any, folder: Any) -> None:
    from transformers import AutoTokenizer, ClapFeatureExtractor, ClapModel

    clap = ClapModel.from_pretrained(folder).eval()
    received = ClapFeatureExtractor.from_pretrained(folder)(noise(0.7), sampling_rate=RATE, return_tensors="pt")
    words = AutoTokenizer.from_pretrained(folder)("the cat sat", return_tensors="pt")
    read = {name: words[name] for name in ("input_ids", "attention_mask")}
    with torch.inference_mode():
        answer = clap(**received, **read)
    cosine = torch.nn.functional.cosine_similarity(answer.audio_embeds, answer.text_embeds).item()
    assert alignment(model, noise(0.7)) == pytest.approx(cosine, abs=1e-6)


def test_batch_does_not_change_results(model: Any) -> None:
    requests = [about(noise(s, at), "the cat" * s) for at, s in enumerate((1, 3, 2))]
    together = [item.values["alignment"] for item in model.predict(requests)]
    alone = [model.predict([item])[0].values["alignment"] for item in requests]
    assert together == pytest.approx(alone, abs=1e-6)


def test_long_clip_is_used_completely_and_reproducibly(model: Any) -> None:
    long = noise(3.5)
    first = alignment(model, long)
    assert alignment(model, long) == first
    assert alignment(model, long[: 3 * RATE]) != pytest.approx(first, abs=1e-6)


def test_windows_are_weighted_by_length(model: Any) -> None:
    """Repeating one second does not change its embedding."""
    once = noise(1.0)
    assert alignment(model, np.tile(once, 3)) == pytest.approx(alignment(model, once), abs=1e-6)


def test_only_the_crop_is_used(folder: Any, model: Any) -> None:
    cropped = Clap(model=folder, device="cpu", crop=0.5)
    assert alignment(cropped, noise(2.0)) == alignment(model, noise(2.0)[: RATE // 2])


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"audio": Audio.of(noise(0.5), rate=RATE)}, "needs the input `text`"),
        ({"audio": Audio.of(noise(0.5), rate=RATE), "text": " "}, "needs the input `text`"),
        ({"text": "a cat"}, "no audio under the input `audio`"),
        ({"audio": Audio.of(noise(0.5), rate=RATE), "text": "zq " * 90}, "reads at most 65"),
    ],
)
def test_incomplete_request_fails_one_sample(model: Any, inputs: Any, words: str) -> None:
    with pytest.raises(SampleError, match=words):
        model.predict([Predict(inputs=inputs)])


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"Cannot load a model|lacks \d+ weights|shape"):
        Clap(model=str(tiny_weights.llama(tmp_path)), device="cpu")
