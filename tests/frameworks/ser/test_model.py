"""Wrapper classes of emotion suites run unchanged."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auricle import api
from auricle.cli import cli
from auricle.core.errors import SpecError, UnknownName
from auricle.core.types import Prediction, Record
from auricle.engine import factory
from auricle.engine.factory import construct_model, resolve_model
from auricle.engine.settings import Settings
from auricle.engine.spec import Spec
from auricle.frameworks.ser.model import MODELS_PACKAGE, SerModel, SuiteModules
from auricle.runs.run_directory import Run
from tests.frameworks.ser.conftest import SpecBuilder
from tests.frameworks.ser.emotion_classes import PEAKS


def read_records(run: Path) -> dict[str, Record]:
    return {record.sample.id: record for record in Run.load(run).records()}


def prediction(record: Record) -> Prediction:
    (output,) = record.outputs
    assert isinstance(output, Prediction)
    return output


def evaluate(spec: Spec, out: Path) -> dict[str, Record]:
    api.evaluate(spec, out, infer_only=True)
    return read_records(out)


def metric_values(spec: Spec, out: Path) -> dict[str, float | None]:
    return {number.metric: number.value for number in api.evaluate(spec, out)}


def test_predictions_are_stored_unchanged(suite: Path, clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suite)
    arguments = ["run", "ser:datasets/folders.py:Folders", "-T", f"root={clips}", "-o", "out"]
    result = CliRunner().invoke(cli, [*arguments, "-m", "ser:models/loudness_wrapper.py:Loudness"])
    assert result.exit_code == 0, result.output
    records = read_records(suite / "out")
    for name, peak in PEAKS.items():
        rest = (1 - peak) / 2
        assert prediction(records[name]).values == {"生气/angry": peak, "neutral": rest, "sad": rest}
        assert prediction(records[name]).scale == "probability"


def test_labels_are_matched_and_scored(build_spec: SpecBuilder, tmp_path: Path) -> None:
    values = metric_values(build_spec(), tmp_path / "out")
    assert (values["accuracy"], values["uar"]) == (0.75, 0.75)


def test_a_model_is_loaded_once_and_receives_batches(
    build_spec: SpecBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrappers: list[Any] = []
    model_class = resolve_model(build_spec())
    monkeypatch.setattr(model_class, "close", lambda self: wrappers.append(self._model))
    monkeypatch.setattr(factory, "resolve_model", lambda _: model_class)
    api.evaluate(build_spec(), tmp_path / "out", settings=Settings(batch_size=4), infer_only=True)
    assert wrappers[0].loads == 1
    assert wrappers[0].calls == [4]


def test_arguments_are_passed_to_the_class(build_spec: SpecBuilder, tmp_path: Path) -> None:
    records = evaluate(build_spec(model_args={"gain": 0.0}), tmp_path / "out")
    assert {prediction(record).values["生气/angry"] for record in records.values()} == {0}


def test_unknown_arguments_are_rejected_with_the_known_ones(build_spec: SpecBuilder, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"unexpected keyword argument 'loud'\. Accepted arguments: gain"):
        api.evaluate(build_spec(model_args={"loud": 1}), tmp_path / "out")


def test_dimensions_are_stored_as_continuous_values(build_spec: SpecBuilder, tmp_path: Path) -> None:
    values = metric_values(build_spec("plane_wrapper.py:Plane"), tmp_path / "out")
    assert "accuracy" not in values
    assert 0 < (values["eta2_arousal"] or 0) < 1
    assert prediction(read_records(tmp_path / "out")["angry/0.wav"]).scale == "continuous"


def test_output_of_a_class_goes_to_stderr(build_spec: SpecBuilder, capsys: pytest.CaptureFixture[str]) -> None:
    construct_model(resolve_model(build_spec()), "loud", {})
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "loading weights" in captured.err


def test_a_module_is_found_from_the_folder_of_the_suite(
    suite: Path, build_spec: SpecBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite)
    spec = build_spec().model_copy(update={"model": "ser:models.plane_wrapper:Plane"})
    assert not any(record.error for record in evaluate(spec, tmp_path / "out").values())


def test_an_instance_of_a_class_can_be_used(suite: Path, build_spec: SpecBuilder, tmp_path: Path) -> None:
    file = suite / "models" / "loudness_wrapper.py"
    file.write_text(file.read_text(encoding="utf-8") + "\nhalf = Loudness(gain=0.5)\n", encoding="utf-8")
    records = evaluate(build_spec("loudness_wrapper.py:half"), tmp_path / "out")
    assert prediction(records["angry/0.wav"]).values["生气/angry"] == 0.375


FAULTY_MODEL = """
from pathlib import Path


class Faulty:
    output_type, labels = "{output_type}", ["angry", "neutral"]

    def load(self): ...

    def predict_batch(self, audio_paths):
        good = {{"labels": self.labels, "scores": [0.25, 0.75]}}
        answers = [good for _ in audio_paths]
        for at, path in enumerate(list(audio_paths)):
            if path.endswith("1.wav"):
                {fault}
        return answers
"""


def write_faulty_model(suite: Path, fault: str, output_type: str = "probabilities") -> None:
    (suite / "models" / "faulty.py").write_text(FAULTY_MODEL.format(fault=fault, output_type=output_type))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("raise ValueError('too quiet')", "ValueError: too quiet (faulty.py:15)"),
        ("return None", "predict_batch of ser:faulty.py:Faulty returned None, expected a list"),
        ("answers.pop()", "predict_batch of ser:faulty.py:Faulty returned 0 results for 1 recordings"),
        ("audio_paths.reverse(); audio_paths.append('x')", "modified its list of paths"),
        ("Path(path).write_bytes(b'x')", "ser:faulty.py:Faulty modified its input file 1.wav"),
        ("answers[at] = None", 'returned None, expected {"labels": […], "scores": […]}'),
        ("answers[at] = {'label': 'angry'}", "returned a dict with label, expected"),
        ("answers[at] = {'scores': [1.0]}", "returned 2 labels and 1 scores"),
        ("answers[at] = {'scores': [7.5, 0]}", "returned 7.5 for 'angry', which is not a probability"),
        ("answers[at] = {'scores': ['x', 0]}", "returned str for 'angry', expected a number"),
        ("answers[at] = {'labels': ['a', 'a'], 'scores': [0, 1]}", "returned 'a' twice"),
        ("answers[at] = {'scores': [float('nan'), 1]}", "NotFinite: "),
    ],
)
def test_a_fault_fails_one_sample_and_is_reported(
    fault: str, message: str, suite: Path, build_spec: SpecBuilder, tmp_path: Path
) -> None:
    write_faulty_model(suite, fault)
    records = evaluate(build_spec("faulty.py:Faulty"), tmp_path / "out")
    errors = {name: f"{record.error.kind}: {record.error.message}" for name, record in records.items() if record.error}
    assert list(errors) == ["angry/1.wav"]
    assert message in errors["angry/1.wav"]


def test_logits_are_unbounded(suite: Path, build_spec: SpecBuilder, tmp_path: Path) -> None:
    write_faulty_model(suite, "answers[at] = {'scores': [7.5, -3]}", "logits")
    records = evaluate(build_spec("faulty.py:Faulty"), tmp_path / "out")
    assert prediction(records["angry/1.wav"]).scale == "logit"


def test_an_unknown_output_type_is_rejected(suite: Path, build_spec: SpecBuilder, tmp_path: Path) -> None:
    write_faulty_model(suite, "pass", "feelings")
    with pytest.raises(SpecError, match="output_type should be probabilities or logits or dim"):
        api.evaluate(build_spec("faulty.py:Faulty"), tmp_path / "out")


def test_an_error_while_loading_ends_the_run(suite: Path, build_spec: SpecBuilder, tmp_path: Path) -> None:
    (suite / "models" / "heavy.py").write_text(
        "from models.base import BaseModelWrapper\n"
        "class Heavy(BaseModelWrapper):\n"
        "    output_type = 'probabilities'\n"
        "    def load(self):\n"
        "        raise OSError('no weights')\n"
        "    def predict(self, audio_path): ...\n"
    )
    with pytest.raises(SpecError, match=r"load of ser:heavy.py:Heavy raised OSError: no weights"):
        api.evaluate(build_spec("heavy.py:Heavy"), tmp_path / "out")


@pytest.mark.parametrize(
    ("model", "message"),
    [("ser:nothing", "Expected ser:package.module:Class"), ("ser:no.py:X", "There is no file no.py")],
)
def test_an_invalid_class_path_is_rejected(model: str, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        resolve_model(Spec(task="demo", model=model))


@pytest.mark.slow
def test_a_single_recording_can_be_sent(suite: Path, clips: Path) -> None:
    arguments = ["ask", "-m", f"ser:{suite}/models/loudness_wrapper.py:Loudness", str(clips / "angry/0.wav")]
    assert '"生气/angry":0.75' in CliRunner().invoke(cli, arguments).output


def test_modules_of_the_suite_are_gone_after_the_run(build_spec: SpecBuilder, tmp_path: Path) -> None:
    names = ("models", "datasets", "datasets.base")
    before = {name: sys.modules.get(name) for name in names}
    api.evaluate(build_spec(), tmp_path / "out", infer_only=True)
    assert {name: sys.modules.get(name) for name in names} == before


def test_a_base_class_of_the_suite_replaces_the_stub(suite: Path, build_spec: SpecBuilder, tmp_path: Path) -> None:
    (suite / "models" / "base.py").write_text(
        "class BaseModelWrapper:\n"
        "    origin = 'suite'\n"
        "    def load(self): ...\n"
        "    def predict_batch(self, audio_paths): ...\n"
    )
    model = construct_model(resolve_model(build_spec("plane_wrapper.py:Plane")), "plane", {})
    assert isinstance(model, SerModel)
    assert model._model.origin == "suite"
    spec = build_spec("plane_wrapper.py:Plane", metrics="eta2_arousal")
    assert api.evaluate(spec, tmp_path / "out")  # the empty predict_batch of the base class is not called


def test_a_file_named_base_belongs_to_no_package(tmp_path: Path) -> None:
    assert SuiteModules(f"{tmp_path}/base.py:Base", MODELS_PACKAGE).parent_package == ""
    assert SuiteModules(f"{tmp_path}/mine.py:Mine", MODELS_PACKAGE).parent_package == "models"
