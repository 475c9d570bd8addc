"""Caveats of a comparison."""

import json
from pathlib import Path
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


def test_several_tests_are_explained_with_the_metric_that_comes_first(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b, c = (run(name, data, metrics="wer,cer", wrong=wrong) for name, wrong in (("a", 0.0), ("b", 0.4), ("c", 0.0)))
    (note,) = [note for note in compare(a, b).notes if "Holm" in note]
    assert note == (
        "wer is tested first and alone, at the level of 0.05. All other tests of the table share that level by Holm's "
        "method, and count only if the first is significant (serial gatekeeping)."
    )
    assert any(note.endswith("wer is not, so no other difference is.") for note in compare(a, c).notes)
    assert not any("Holm" in note for note in compare(a, b, metrics=["wer"]).notes)


def test_runs_that_are_clustered_differently_are_noted(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, cluster="voice"), run("b", data, cluster="none")
    note = "Samples are clustered by voice in A and by none in B: they are treated as independent here."
    assert any(each.startswith(note) for each in compare(a, b).notes)
    assert not any("clustered" in each for each in compare(a, b, cluster="voice").notes)


def test_models_with_different_labels_are_noted(run: Any, moods: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, "fake-labels", "classify", labels="angry,happy,neutral")
    assert any("a label for sad:" in note for note in compare(a, b).notes)


def test_unread_and_refused_answers_are_noted(run: Any, moods: Any, tmp_path: Path) -> None:
    (tmp_path / "mute.py").write_text("def reply(text):\n    return 'hm'\n")
    a, b = (run(name, moods, f"{tmp_path}/mute.py:reply", "classify") for name in "ab")
    lines = [json.loads(line) for line in (b / "scores.jsonl").read_text().splitlines()]
    unread = sum("unreadable" in line for line in lines)
    assert unread
    refused = [{**line, "reading": "refused"} for line in lines[:3] if "unreadable" in line]
    (b / "scores.jsonl").write_text("\n".join(map(json.dumps, [*refused, *lines[3:]])) + "\n")
    (note,) = [note for note in compare(a, b).notes if "could not be read" in note]
    assert note.startswith(f"{unread} answers in A and {unread} in B could not be read (0 and 3 of them refused): ")
