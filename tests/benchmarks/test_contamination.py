"""Tests of notes about models trained on a corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.benchmarks.contamination import find_contamination


@pytest.fixture
def speech(corpus: Any) -> Any:
    return corpus(
        f"Actor_{actor:02}/03-01-{emotion:02}-01-01-01-{actor:02}.wav" for actor in (1, 2, 3) for emotion in range(1, 9)
    )


def test_a_model_trained_on_a_corpus_is_noted() -> None:
    (seed,) = find_contamination("ravdess", "emotion2vec", {"model": "seed"})
    (large,) = find_contamination("esd", "emotion2vec", {})
    assert "seed was fine-tuned" in seed
    assert "base and large" in large
    assert find_contamination("msp-podcast", "audeering", {})


def test_a_model_is_recognised_by_the_path_of_its_weights() -> None:
    assert find_contamination("iemocap", "mine.py:Wrapper", {"weights": "./emotion2vec_plus_large"})


def test_other_models_are_not_noted() -> None:
    assert find_contamination("ravdess", "fake-labels", {"labels": "a,b"}) == []
    assert find_contamination("ravdess", "audeering", {}) == []


def test_the_note_is_stored_and_shown_with_the_numbers(auricle: Any, speech: Any, tmp_path: Path) -> None:
    (tmp_path / "emotion2vec.py").write_text("def rate(audio):\n    return {'sad': 1.0}\n")
    auricle("run", "ravdess", "-T", f"root={speech}", "-m", "emotion2vec.py:rate", "-o", "run")
    document = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert any("Possibly seen in training" in note for note in document["notes"])
    assert "Possibly seen in training" in auricle("show", "run").stdout
