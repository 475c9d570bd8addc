"""Word lists as options of recognition tasks."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle import Spec, SpecError, evaluate, score
from auricle.engine.dry_run import check_task_data
from auricle.engine.factory import build_task


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name in ("anna calls hanna", "meet me at noon"):  # what the model echo answers
        soundfile.write(tmp_path / f"{name}.wav", np.zeros(800), 8000)
    rows = [
        {"id": "1", "audio": "anna calls hanna.wav", "text": "Anna calls Anna", "entities": ["Anna"]},
        {"id": "2", "audio": "meet me at noon.wav", "text": "meet me at 12 noon"},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "names.txt").write_text("Anna\tperson\nHanna\n")
    return tmp_path / "rows.jsonl"


def make_spec(data: Path, task: str = "asr", **arguments: Any) -> Spec:
    task_args = {"data": str(data), "language": "en", **arguments}
    return Spec(task=task, task_args=task_args, model="echo").resolved()


def list_names(spec: Spec) -> list[str]:
    return [metric.name for metric in build_task(spec).metrics]


def test_a_list_adds_its_metrics_under_the_profile_of_the_task(data: Path) -> None:
    spec = make_spec(data, words=str(data.parent / "names.txt"), profile="none")
    metrics = {metric.name: metric.signature for metric in build_task(spec).metrics}
    assert list(metrics) == ["wer", "cer", "b_wer", "u_wer", "over_biasing"]
    assert ".list-" in metrics["b_wer"]
    assert metrics["b_wer"].endswith(".none:1")
    entities = make_spec(data, entities=str(data.parent / "names.txt"))
    assert list_names(entities)[-4:] == ["entity_f1", "entity_recall", "entity_precision", "entity_cer"]


def test_chosen_metrics_use_the_list_and_no_others_are_added(data: Path) -> None:
    spec = make_spec(data, words=str(data.parent / "names.txt"), metrics="wer,b_wer")
    metrics = build_task(spec).metrics
    assert [metric.name for metric in metrics] == ["wer", "b_wer"]
    assert ".list-" in metrics[1].signature
    assert list_names(make_spec(data, words=str(data.parent / "names.txt"), metrics="wer"))[1:] == [
        "b_wer", "u_wer", "over_biasing",
    ]  # fmt: skip


def test_a_run_is_scored_with_a_list_and_again_with_another_without_a_model(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    evaluate(make_spec(data, add_metrics="entities"), out, infer_only=True)
    path = str(data.parent / "names.txt")
    result = score(out, task_args={"words": path})
    assert result.metrics
    numbers = {number.metric: number for number in result.metrics.overall}
    assert numbers["b_wer"].value == pytest.approx(1 / 2)
    assert numbers["u_wer"].value == pytest.approx(1 / 6)
    assert numbers["over_biasing"].value == pytest.approx(1 / 8 * 1000)
    assert numbers["entity_recall"].value == pytest.approx(1 / 2)
    assert numbers["entity_recall"].scored == 1
    assert numbers["b_wer"].interval
    again = score(out, task_args={"words": path, "metrics": "b_wer"}).metrics
    assert again
    assert [number.metric for number in again.overall] == ["b_wer"]


def test_a_missing_list_is_reported_before_a_run(data: Path) -> None:
    spec = make_spec(data, words="missing.txt")
    with pytest.raises(SpecError, match=r"There is no file .*missing\.txt.*one word or phrase per line"):
        build_task(spec)
    assert any(not line.passed and "missing.txt" in line.text for line in check_task_data(spec, 5))


def test_a_list_of_which_no_word_occurs_is_noted(data: Path) -> None:
    (data.parent / "other.txt").write_text("Berta\nCarla\n")
    task = build_task(make_spec(data, words=str(data.parent / "other.txt")))
    (note,) = task.notes("echo", {})
    assert note.startswith("No entry of other.txt (2 in all) occurs in a reference")
    assert build_task(make_spec(data, words=str(data.parent / "names.txt"))).notes("echo", {}) == []


def test_tasks_without_transcripts_take_no_list(data: Path) -> None:
    with pytest.raises(SpecError, match="words is an option of asr, timestamps"):
        build_task(make_spec(data, "qa", words=str(data.parent / "names.txt")))


def test_a_column_that_a_metric_cannot_read_is_reported_before_a_run(data: Path) -> None:
    rows = [json.loads(line) | {"entities": 5} for line in data.read_text().splitlines()]
    data.write_text("\n".join(map(json.dumps, rows)))
    lines = list(check_task_data(make_spec(data, add_metrics="entities"), 5))
    (problem,) = [line.text for line in lines if line.passed is False]
    assert problem == "rows.jsonl:1 and 1 more row: expected a list of texts in the column 'entities', not 5"
    assert all(line.passed is not False for line in check_task_data(make_spec(data), 5))
