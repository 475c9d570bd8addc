"""Retrieval by embeddings."""

import sys
from typing import Any

import numpy as np
import pytest

from auricle.audio import Audio
from auricle.core.errors import SpecError
from auricle.core.types import Sample
from tests.support.few_shot import make_sample, make_samples, make_selector, noise, select_ids


def sounding(name: Any, hertz: Any, seconds: float = 0.5) -> Any:
    time = np.arange(round(seconds * 16_000)) / 16_000
    tone = 0.3 * np.sin(2 * np.pi * hertz * time) + 0.1 * noise(len(time), seed=hertz)
    inputs = {"audio": [Audio.of(tone.astype(np.float32), rate=16_000)]}
    return Sample(id=name, inputs=inputs, target=f"{hertz} Hz")


def test_dense_finds_the_most_similar_recording() -> None:
    pool = [sounding("low", 200), sounding("high", 3000), sounding("middle", 900)]
    options = {"use": "dense", "encoder": "logmel", "k": 1}
    assert select_ids(options, pool, sounding("x", 3100, 0.8)) == ["high"]
    assert select_ids(options, pool, sounding("y", 210)) == ["low"]


def test_pool_is_encoded_once_in_batches(encoder: Any) -> None:
    pool = [make_sample(str(n), f"{n} 1") for n in range(70)]
    chosen = make_selector({"use": "dense", "encoder": encoder, "k": 2}, pool)
    assert len(list(chosen.attach_to([*pool, make_sample("x", "5 5")]))) == 71
    assert sys.modules["auricle_file_own_encoder"].asked == [32, 32, 6, 1]


def test_encoder_without_vectors_is_refused(encoder: Any) -> None:
    flat = encoder.replace(":numbers", ":flat")
    with pytest.raises(SpecError, match=r"array of shape \(3,\)") as refused:
        make_selector({"use": "dense", "encoder": flat, "k": 2}, make_samples(3)).validate()
    assert refused.value.location == ("shots", "encoder")


def test_diverse_returns_near_but_different_rows(encoder: Any) -> None:
    pool = [make_sample("a", "10 1"), make_sample("a again", "10 1.1"), make_sample("b", "1 10")]
    requests = make_sample("x", "10 3")
    nearest = {"use": "dense", "encoder": encoder, "k": 2, "order": "nearest-first"}
    assert select_ids(nearest, pool, requests) == ["a again", "a"]
    diverse = {**nearest, "use": "diverse"}
    assert select_ids(diverse, pool, requests) == ["a again", "b"]
    assert select_ids({**diverse, "weight": 1}, pool, requests) == ["a again", "a"]


def test_diverse_uses_bm25_by_default() -> None:
    pool = [
        make_sample("one", "red apples taste sweet"),
        make_sample("double", "red apples taste sweet !"),
        make_sample("two", "apples in a pie of mine"),
        make_sample("none", "rain"),
    ]
    result = select_ids({"use": "diverse", "k": 2, "weight": 0.4}, pool, make_sample("x", "sweet red apples pie"))
    assert result == ["two", "one"]


def test_diverse_ranks_every_row_once() -> None:
    pool = [make_sample(str(n), f"word{n % 3} word{n % 4}") for n in range(12)]
    result = select_ids("diverse:99", pool, make_sample("x", "word1"))
    assert sorted(result) == sorted(str(n) for n in range(12))
