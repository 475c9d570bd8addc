"""The task kind `tag`."""

import json
from pathlib import Path
from typing import Any

import pytest

import auricle
from auricle.core.errors import DataError, SampleError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.tasks.sound_events.tag import parse_labels, tag
from auricle.testing.sound_scenes import write_scenes

ROWS: list[dict[str, Any]] = [
    {"audio": "a.wav", "labels": ["dog", "rain"]},
    {"audio": "b.wav", "labels": []},
    {"audio": "c.wav", "labels": "train; rain"},
]


def write_rows(folder: Path, rows: list[dict[str, Any]]) -> str:
    for row in rows:
        (folder / str(row.get("audio", "a.wav"))).touch()
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("cell", "labels"),
    [
        (["dog", " rain "], ["dog", "rain"]),
        ("dog;rain", ["dog", "rain"]),
        ("Child speech, kid | rain", ["Child speech, kid", "rain"]),
        ("dog,rain,dog", ["dog", "rain"]),
        ('["dog", "rain"]', ["dog", "rain"]),
        ("[]", []),
        ([], []),
        ("dog", ["dog"]),
    ],
)
def test_labels_are_lists_or_separated_cells(cell: Any, labels: list[str]) -> None:
    assert parse_labels(cell) == labels


@pytest.mark.parametrize("cell", [3, {"dog": 1}, [["dog"]], [None]])
def test_anything_else_is_no_list_of_labels(cell: Any) -> None:
    with pytest.raises(SampleError, match="labels must be a list"):
        parse_labels(cell)


def test_the_labels_of_the_task_are_those_of_all_rows(tmp_path: Path) -> None:
    samples = [row for row in tag(data=write_rows(tmp_path, ROWS)).samples if isinstance(row, Sample)]
    assert [sample.target for sample in samples] == [["dog", "rain"], [], ["train", "rain"]]
    assert all(sample.inputs["choices"] == ["dog", "rain", "train"] for sample in samples)
    assert "labels" not in samples[0].meta


def test_labels_may_be_stated_and_the_column_named(tmp_path: Path) -> None:
    rows = [{"audio": "a.wav", "sounds": "dog"}]
    task = tag(data=write_rows(tmp_path, rows), target="sounds", labels="dog,cat")
    (sample,) = task.samples
    assert isinstance(sample, Sample)
    assert (sample.target, sample.inputs["choices"]) == (["dog"], ["dog", "cat"])


def test_a_row_without_labels_is_rejected_with_what_to_write(tmp_path: Path) -> None:
    _, rejected = tag(data=write_rows(tmp_path, [ROWS[0], {"audio": "b.wav"}])).samples
    assert isinstance(rejected, RejectedRow)
    assert rejected.reason.startswith("no labels: expected one of the columns labels, tags")
    assert "[]" in rejected.reason


def test_rows_without_any_label_need_a_list_of_labels(tmp_path: Path) -> None:
    data = write_rows(tmp_path, [{"audio": "a.wav", "labels": []}])
    with pytest.raises(SpecError, match="No row has a label"):
        list(tag(data=data).samples)
    assert isinstance(next(iter(tag(data=data, labels="dog").samples)), Sample)


def test_a_column_that_no_row_has_is_named(tmp_path: Path) -> None:
    task = tag(data=write_rows(tmp_path, ROWS), target="sounds", labels="dog")
    with pytest.raises(DataError, match="the column sounds"):
        task.samples.validate()  # type: ignore[attr-defined]


def test_the_threshold_is_checked_and_reaches_the_metrics(tmp_path: Path) -> None:
    data = write_rows(tmp_path, ROWS)
    assert any("threshold-0.3" in metric.signature for metric in tag(data=data, threshold=0.3).metrics)
    for threshold in (0, 1.5, True, "high"):
        with pytest.raises(SpecError, match="between 0 and 1"):
            tag(data=data, threshold=threshold)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_function_with_scores_and_one_with_text_are_evaluated(tmp_path: Path) -> None:
    data = write_scenes(tmp_path, count=6) / "tags.jsonl"

    def score(audio: auricle.Audio) -> dict[str, float]:
        return {"alarm": 0.9, "beep": 0.8, "hum": 0.2, "whistle": 0.1}

    def write(audio: auricle.Audio) -> str:
        return "beep, hum"

    numbers: dict[str, dict[str, Any]] = {}
    models: list[Any] = [score, write]
    for model in models:
        result = auricle.evaluate(
            auricle.Spec(task="tag", task_args={"data": str(data)}, model=model), tmp_path / model.__name__
        )
        numbers[model.__name__] = {number.metric: number.value for number in result.numbers if not number.field}
    assert numbers["score"]["mean_ap"] == pytest.approx(numbers["score"]["base_rate"])
    assert 0 < numbers["score"]["tag_f1"] < 1
    assert "mean_ap" not in numbers["write"]
    assert 0 < numbers["write"]["tag_f1"] < 1


@pytest.mark.parametrize("options", [{}, {"target": "sounds"}])
def test_an_empty_cell_of_labels_is_no_label(tmp_path: Path, options: Any) -> None:
    column = options.get("target", "labels")
    (tmp_path / "a.csv").write_text(f"audio,{column}\na.wav,dog\nb.wav,\n")
    samples: list[Any] = list(tag(data=str(tmp_path / "a.csv"), **options).samples)
    assert [sample.target for sample in samples] == [["dog"], []]
