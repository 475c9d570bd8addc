"""Dataset classes of emotion suites are used unchanged."""

from pathlib import Path
from typing import cast

import pytest

from auricle import api
from auricle.core.errors import DataError
from auricle.engine.spec import Spec
from auricle.frameworks.ser.data import DatasetTaskFactory, LabelledRecordings
from auricle.runs.run_directory import Run
from tests.frameworks.ser.conftest import SpecBuilder


def build_recordings(class_path: str, **arguments: str) -> LabelledRecordings:
    return cast(LabelledRecordings, DatasetTaskFactory(class_path)(**arguments).samples)


def write_dataset(suite: Path, body: str) -> str:
    """Write a dataset class with this body of `__iter__` and return its class path."""
    path = suite / "datasets" / "custom.py"
    path.write_text(
        "class Custom:\n"
        "    name, emotion_labels = 'custom', ['angry', 'neutral']\n"
        "    def load(self, data_dir): self.folder = data_dir\n"
        f"    def __iter__(self):\n        {body}\n"
        "    def __len__(self): return 3\n"
    )
    return f"{path}:Custom"


def test_a_class_gets_its_folder_and_its_arguments(build_spec: SpecBuilder, tmp_path: Path) -> None:
    api.evaluate(build_spec(only="angry"), tmp_path / "out", infer_only=True)
    ids = [record.sample.id for record in Run.load(tmp_path / "out").records()]
    assert sorted(ids) == ["angry/0.wav", "angry/1.wav"]


def test_data_dir_is_another_name_for_root(suite: Path, clips: Path) -> None:
    assert len(build_recordings(f"{suite}/datasets/folders.py:Folders", data_dir=str(clips))) == 4


def test_a_run_is_scored_again_without_the_suite(suite: Path, build_spec: SpecBuilder, tmp_path: Path) -> None:
    numbers = api.evaluate(build_spec(metrics="uar"), tmp_path / "out")
    suite.rename(tmp_path / "moved")
    assert [number.value for number in api.score(tmp_path / "out")] == [number.value for number in numbers]


def test_a_dataset_can_be_used_with_any_model(suite: Path, clips: Path, tmp_path: Path) -> None:
    spec = Spec(
        task=f"ser:{suite}/datasets/folders.py:Folders",
        task_args={"root": str(clips), "metrics": "accuracy"},
        model="echo",
        model_args={"reply": "angry"},
    )
    values = {number.metric: number.value for number in api.evaluate(spec, tmp_path / "out")}
    assert values["accuracy"] == 0.5


def test_invalid_pairs_are_rejected_one_by_one(suite: Path, clips: Path) -> None:
    class_path = write_dataset(suite, "return iter([('angry/0.wav', 'angry'), 7, ('angry/1.wav', 'joy')])")
    rows = build_recordings(class_path, root=str(clips))
    assert [getattr(row, "reason", "") for row in rows] == [
        "",
        "expected (audio_path, emotion_label), got 7",
        "unknown emotion 'joy'; expected one of angry, neutral",
    ]


def test_a_wrong_reported_size_is_noted(suite: Path, clips: Path) -> None:
    class_path = write_dataset(suite, "return iter([('angry/0.wav', 'angry')])")
    notes = build_recordings(class_path, root=str(clips)).notes()
    assert notes == ["ser:custom.py:Custom reports 3 recordings but yields 1."]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise OSError('no disk')", "__iter__ of ser:custom.py:Custom raised OSError: no disk"),
        ("raise SystemExit(1)", "__iter__ of ser:custom.py:Custom raised SystemExit: 1"),
        ("return iter([])", "ser:custom.py:Custom yields no usable recordings"),
        ("return iter([('x.wav', 'angry')])", "None of the first 1 recordings of ser:custom.py:Custom exist"),
    ],
)
def test_a_dataset_without_recordings_is_rejected(body: str, message: str, suite: Path, clips: Path) -> None:
    recordings = build_recordings(write_dataset(suite, body), root=str(clips))
    with pytest.raises(DataError, match=message):
        recordings.validate()


def test_a_missing_folder_is_reported_with_the_option_to_pass(suite: Path) -> None:
    recordings = build_recordings(f"{suite}/datasets/folders.py:Folders")
    with pytest.raises(DataError, match=r"load of ser:folders.py:Folders raised .* -T root=DIR"):
        recordings.validate()


def test_arguments_are_described_without_importing_the_class(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("raise SystemExit\nclass Mine:\n    def __init__(self, only: str = '', strict: bool = True): ...\n")
    arguments = {argument.name: argument for argument in DatasetTaskFactory(f"{path}:Mine").describe_arguments()}
    assert list(arguments)[:3] == ["root", "only", "strict"]
    assert [arguments[name].kind for name in ("root", "strict")] == ["folder", "switch"]
    assert not arguments["metrics"].is_common
