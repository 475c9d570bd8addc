"""Labels of people: read from files, stored in runs, attached to samples."""

from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.types import Record, Sample
from auricle.runs.labels import HumanLabels


def write(tmp_path: Path, content: str, name: str = "labels.csv") -> Path:
    path = tmp_path / name
    path.write_text(content)
    return path


@pytest.mark.parametrize("column", ["label", "gold", "human", "human_label"])
def test_a_file_has_ids_and_labels_and_may_have_rows_without_one(tmp_path: Path, column: str) -> None:
    path = write(tmp_path, f"id,{column},remark\na,yes,\nb,,unclear\nc,no,\n")
    assert HumanLabels.read_file(path).labels == {"a": "yes", "c": "no"}


def test_rows_of_json_may_have_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, '{"id": 1, "label": 4}\n{"id": 2, "label": null}\n', "labels.jsonl")
    assert HumanLabels.read_file(path).labels == {"1": 4}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name,label\na,yes\n", "some rows should have an id and a label. Columns with values: name, label"),
        ("id,verdict\na,yes\n", "Columns with values: id, verdict"),
        ("id,label\na,\n", "Columns with values: id."),
    ],
)
def test_a_file_without_labels_is_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        HumanLabels.read_file(write(tmp_path, content))


def test_a_row_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"labels\.jsonl:1"):
        HumanLabels.read_file(write(tmp_path, "{", "labels.jsonl"))


def test_labels_are_stored_in_a_run(tmp_path: Path) -> None:
    assert HumanLabels.load(tmp_path) == HumanLabels()
    HumanLabels({"a": "yes"}).save(tmp_path)
    assert HumanLabels.load(tmp_path) == HumanLabels({"a": "yes"})


def test_only_samples_with_a_label_get_one_and_it_replaces_that_of_the_data() -> None:
    records = [Record(sample=Sample(id=name, inputs={}, meta={"gold": "no", "x": 1}), row=0) for name in "ab"]
    attached = list(HumanLabels({"a": "yes"}).attach(records))
    assert [record.sample.meta for record in attached] == [{"gold": "yes", "x": 1}, {"gold": "no", "x": 1}]
    assert records[0].sample.meta["gold"] == "no"
