"""Caveats of a comparison."""

import json
from typing import Any

import pytest

from auricle import compare

pytestmark = pytest.mark.slow


def test_an_unfinished_run_is_noted(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data), run("b", data)
    document = json.loads((b / "metrics.json").read_text())
    (b / "metrics.json").write_text(json.dumps({**document, "complete": False}))
    assert "B is not finished: it has 40 samples so far." in compare(a, b).notes


def test_models_with_different_labels_are_noted(run: Any, moods: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, "fake-labels", "classify", labels="angry,happy,neutral")
    assert any("a label for sad:" in note for note in compare(a, b).notes)
