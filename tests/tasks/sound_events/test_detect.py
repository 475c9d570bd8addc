"""The task kind `detect`."""

import json
from pathlib import Path
from typing import Any

import pytest

import auricle
from auricle.core.errors import SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.tasks.sound_events.detect import detect
from auricle.testing.sound_scenes import write_scenes

DOG = {"onset": 0.5, "offset": 1.2, "label": "dog"}


def write_rows(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps({"audio": "a.wav", **row}) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def read_one(data: str, **options: Any) -> Sample | RejectedRow:
    return next(iter(detect(data=data, **options).samples))


@pytest.mark.parametrize(
    "events",
    [
        [DOG],
        [{"start": 0.5, "end": 1.2, "text": "dog"}],
        [{"start_time": "0.5", "duration": "0.7", "event_label": "dog"}],
        json.dumps([DOG]),
    ],
)
def test_events_may_have_the_usual_names(tmp_path: Path, events: Any) -> None:
    sample = read_one(write_rows(tmp_path, {"events": events}))
    assert isinstance(sample, Sample)
    assert sample.target == [DOG]
    assert sample.inputs["choices"] == ["dog"]


def test_events_may_be_in_a_table_beside_the_data(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("0.5\t1.2\tdog\n", encoding="utf-8")
    sample = read_one(write_rows(tmp_path, {"events": "a.txt"}))
    assert isinstance(sample, Sample)
    assert sample.target == [DOG]


def test_the_whole_data_may_be_a_table_of_events(tmp_path: Path) -> None:
    (tmp_path / "all.tsv").write_text("filename\tonset\toffset\tevent_label\na.wav\t0.5\t1.2\tdog\n", encoding="utf-8")
    sample = read_one(str(tmp_path / "all.tsv"))
    assert isinstance(sample, Sample)
    assert (sample.id, sample.target) == ("a.wav", [DOG])


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([{"onset": 1, "offset": 0.5, "label": "dog"}], "event 1 ends at 0.5 s, not after its start at 1 s"),
        ([{"onset": -1, "offset": 0.5, "label": "dog"}], "event 1 starts before the recording, at -1 s"),
        ([DOG, {"onset": 1, "offset": 2}], "event 2 has no label"),
        ([{"onset": "soon", "offset": 2, "label": "dog"}], "start is 'soon'"),
        ({"onset": 1}, "expected a list of segments"),
        (3, "expected a list of segments"),
        ("missing.tsv", "missing.tsv cannot be read"),
        (None, "no events: expected one of the columns events, segments, annotations"),
    ],
)
def test_rubbish_costs_its_row_and_states_why(tmp_path: Path, events: Any, reason: str) -> None:
    row = read_one(write_rows(tmp_path, {"events": events}), labels="dog")
    assert isinstance(row, RejectedRow)
    assert reason in row.reason


def test_with_a_single_class_events_need_no_label(tmp_path: Path) -> None:
    rows = {"events": [{"start": 0, "end": 1, "speaker": "anna"}, {"start": 2, "end": 3, "text": "good morning"}]}
    sample = read_one(write_rows(tmp_path, rows), single_class="speech")
    assert isinstance(sample, Sample)
    assert [event["label"] for event in sample.target] == ["speech", "speech"]  # type: ignore[union-attr,index,call-overload]
    assert sample.inputs["choices"] == ["speech"]


@pytest.mark.parametrize(
    ("name", "value"), [("resolution", 0), ("collar", -1), ("offset_share", 2), ("threshold", "high"), ("collar", True)]
)
def test_settings_are_checked(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(SpecError, match=f"Invalid {name}"):
        detect(data=write_rows(tmp_path, {"events": [DOG]}), **{name: value})


def test_settings_reach_the_metrics(tmp_path: Path) -> None:
    task = detect(data=write_rows(tmp_path, {"events": [DOG]}), resolution=0.1, collar=0.5)
    signatures = " ".join(metric.signature for metric in task.metrics)
    assert "resolution-0.1" in signatures
    assert "collar-0.5" in signatures


@pytest.mark.slow
def test_a_detector_that_returns_the_truth_is_perfect(tmp_path: Path) -> None:
    data = write_scenes(tmp_path, count=6) / "events.jsonl"
    truth = {row["audio"]: row["events"] for row in map(json.loads, data.read_text(encoding="utf-8").splitlines())}

    def cheat(audio: auricle.Audio) -> list[Any]:
        return [{**event, "score": 0.9} for event in truth[audio.path.name]]  # type: ignore[union-attr]

    model: Any = cheat
    result = auricle.evaluate(auricle.Spec(task="detect", task_args={"data": str(data)}, model=model), tmp_path / "run")
    values = {number.metric: number.value for number in result.numbers if not number.field}
    assert len(values) == 9
    rates = {name: value for name, value in values.items() if name.endswith("_rate")}
    assert set(rates.values()) == {0.0}
    assert {value for name, value in values.items() if name not in rates} == {1.0}
