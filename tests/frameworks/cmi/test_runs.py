"""Runs with CMI-RewardBench classes: in this process, in replicas, in another interpreter."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import auricle
from auricle import Spec, evaluate
from auricle.api import display_name, summary
from auricle.engine.settings import Settings
from auricle.engine.spec import JudgeSpec
from auricle.runs.response_cache import _resolve_source
from auricle.runs.run_directory import Run
from tests.frameworks.cmi.reward_classes import calls, duck, inheriting
from tests.support.cmi_rows import ARENA

TASK = '''
from pathlib import Path

from auricle import Audio, Sample
from auricle.engine.inferencers import Measure
from auricle.engine.task import Task


def candidates(folder, count=5):
    """Recordings of a folder, each with a text as long as its number."""
    samples = [
        Sample(id=str(n), inputs={"audio": Audio.of(Path(folder) / f"{n}.wav"), "text": "x" * n})
        for n in range(count)
    ]
    return Task(samples=samples, inferencer=Measure(), metrics=[])
'''


@pytest.fixture
def folder(tmp_path: Path, tone: Any) -> Path:
    """A folder with a task, its recordings, and a class that rates them."""
    for number in range(5):
        tone(f"{number}.wav", seconds=0.1 + number / 100)
    (tmp_path / "task.py").write_text(TASK)
    inheriting(tmp_path / "my_model.py")
    return tmp_path


def build_spec(folder: Path, model: str = "my_model.py:MyBaseline", **arguments: Any) -> Spec:
    return Spec(
        task=f"{folder / 'task.py'}:candidates",
        task_args={"folder": str(folder)},
        model=f"cmi:{folder / model}",
        model_args={"device": "cpu", **arguments},
    )


def read_records(run: Any) -> Any:
    return {record.sample.id: record for record in Run.load(run).records()}


def read_alignments(run: Any) -> Any:
    return {name: record.outputs[0].values["alignment"] for name, record in read_records(run).items()}


PLACES = {
    "this process": ({}, Settings()),
    "replicas": ({}, Settings(replicas=2)),
    "another interpreter": ({"python": sys.executable}, Settings()),
}


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_class_gives_the_same_scores_everywhere(folder: Any, place: Any) -> None:
    arguments, settings = PLACES[place]
    evaluate(build_spec(folder, **arguments), folder / "run", settings=settings)
    assert read_alignments(folder / "run") == {str(n): float(n) for n in range(5)}


@pytest.mark.slow
def test_batches_follow_the_setting(folder: Any) -> None:
    log = str(folder / "log")
    spec = build_spec(folder, log=log)
    evaluate(spec, folder / "run")
    assert [call["batch_size"] for call in calls(log)] == [5]
    evaluate(spec, folder / "two", settings=Settings(batch_size=2))
    assert sorted(call["batch_size"] for call in calls(log)[1:]) == [1, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["this process", "replicas"])
def test_a_nan_score_fails_its_own_sample_only(folder: Any, place: str) -> None:
    scores = "[[float('nan') if x.text == 'xx' else len(x.text), 1] for x in inputs]"
    duck(folder / "duck.py", scores)
    evaluate(build_spec(folder, "duck.py:Duck"), folder / "run", settings=PLACES[place][1])
    records = read_records(folder / "run")
    failed = [name for name, record in records.items() if record.error]
    assert failed == ["2"]
    assert records["2"].error.kind == "NotFinite"
    assert "alignment" in records["2"].error.message
    assert records["2"].attempts == 1


def test_an_exception_fails_its_own_sample_only(folder: Any) -> None:
    scores = "[[1 / (len(x.text) - 2), 1] for x in inputs]"
    duck(folder / "duck.py", scores)
    evaluate(build_spec(folder, "duck.py:Duck"), folder / "run")
    records = read_records(folder / "run")
    assert [name for name, record in records.items() if record.error] == ["2"]
    assert records["2"].error.kind == "ZeroDivisionError"


def test_a_wrong_shape_ends_the_run(folder: Any) -> None:
    duck(folder / "duck.py", "[1, 2]")
    with pytest.raises(auricle.SpecError, match=r"not list of shape \(2,\)"):
        evaluate(build_spec(folder, "duck.py:Duck"), folder / "run")


def test_a_finished_run_is_scored_again_without_a_model(auricle: Any, folder: Path) -> None:
    """Only the settings of the evaluation change, so there is nothing to send."""
    rows = [{**ARENA, "audio-path": f"{n}.wav", "audio2": f"{n + 1}.wav"} for n in range(2)]
    (folder / "all_test.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "eval.yaml").write_text("groups: {musicarena_by_month: false}\n")
    duck(folder / "duck.py", before="print('loaded')\n")
    command = ["run", "cmi-rewardbench", "-m", "cmi:duck.py:Duck", "-M", "device=cpu", "-o", "run"]
    first = auricle(*command)
    assert "loaded" in first.stdout + first.stderr, first.stderr
    again = auricle(*command, "-T", "eval_yaml=eval.yaml")
    assert again.returncode == 0, again.stderr
    assert "loaded" not in again.stdout + again.stderr
    assert "2 samples, 2 answered before" in again.stderr
    assert "/s" not in again.stderr
    assert not [number for number in summary("run") if number.field == "month"]


def test_a_crop_is_part_of_the_identity_of_a_run(folder: Any) -> None:
    evaluate(build_spec(folder, crop=0.05), folder / "run")
    document = json.loads((folder / "run" / "spec.json").read_text())
    assert document["identity"]["model_args"]["crop"] == 0.05
    with pytest.raises(auricle.SpecError, match="crop"):
        evaluate(build_spec(folder), folder / "run")


def test_a_relative_path_is_resolved_and_displayed_short(folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    resolved = Spec(task="demo", model="cmi:my_model.py:MyBaseline").resolved().model
    assert resolved == f"cmi:{folder / 'my_model.py'}:MyBaseline"
    assert display_name(resolved) == "cmi:my_model.py:MyBaseline"
    assert JudgeSpec(model="cmi:my_model.py:MyBaseline").resolved().model == resolved
    assert Spec(task="demo", model="cmi:pkg.mod:My").resolved().model == "cmi:pkg.mod:My"


def test_a_changed_class_is_another_model_to_the_cache(folder: Any) -> None:
    model = f"cmi:{folder / 'my_model.py'}:MyBaseline"
    name, before = _resolve_source(model)
    inheriting(folder / "my_model.py").write_text("changed")
    assert name == "cmi:MyBaseline"
    assert _resolve_source(model)[1] != before


@pytest.mark.slow
def test_ask_and_doctor_load_a_class(auricle: Any, folder: Any) -> None:
    model_arguments = ["-m", "cmi:my_model.py:MyBaseline", "-M", "device=cpu"]
    options = ["--model-init-json", '{"log": "log"}', "--score-json", "score.json", "--crop", "0.05"]
    (folder / "score.json").write_text('{"steps": 3}')
    answer = auricle("ask", *model_arguments, *options, "0.wav", "--text", "hello")
    assert '"alignment":5.0' in answer.stdout, answer.stderr
    (call,) = calls(folder / "log")
    assert call["kwargs"] == {"steps": 3}
    assert call["seconds"] == [0.05]
    diagnosis = auricle("doctor", *model_arguments)
    assert "ok  cmi:my_model.py:MyBaseline loads" in diagnosis.stdout


@pytest.mark.parametrize("argument", ["[1]", "nowhere.json", "{broken"])
def test_invalid_json_is_rejected_in_one_line(auricle: Any, folder: Any, argument: str) -> None:
    result = auricle("ask", "-m", "cmi:my_model.py:MyBaseline", "--score-json", argument, "0.wav")
    assert result.returncode == 2
    assert result.stderr.startswith("auricle: ")
    assert "Traceback" not in result.stderr
