"""Classes written for CMI-RewardBench in whole runs: here, in processes, under another Python."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import auricle
from auricle import Spec, evaluate
from auricle.api import display_name
from auricle.engine.settings import Settings
from auricle.engine.spec import JudgeSpec
from auricle.runs.response_cache import _resolve_source
from auricle.runs.run_directory import Run
from tests.unit.interop.cmi.reward_classes import calls, duck, inheriting

TASK = '''
from pathlib import Path

from auricle import Audio, Sample
from auricle.tasks.inferencers import Measure
from auricle.tasks.base import Task


def candidates(folder, count=5):
    """Sounds of a folder, each with a text as long as its number."""
    samples = [
        Sample(id=str(n), inputs={"audio": Audio.of(Path(folder) / f"{n}.wav"), "text": "x" * n})
        for n in range(count)
    ]
    return Task(samples=samples, inferencer=Measure(), metrics=[])
'''


@pytest.fixture
def work(tmp_path: Path, tone: Any) -> Any:
    """A task, its sounds, and a class to rate them."""
    for number in range(5):
        tone(f"{number}.wav", seconds=0.1 + number / 100)
    (tmp_path / "task.py").write_text(TASK)
    inheriting(tmp_path / "my_model.py")
    return tmp_path


def spec(work: Any, model: str = "my_model.py:MyBaseline", **arguments: Any) -> Any:
    return Spec(
        task=f"{work / 'task.py'}:candidates",
        task_args={"folder": str(work)},
        model=f"cmi:{work / model}",
        model_args={"device": "cpu", **arguments},
    )


def answers(run: Any) -> Any:
    return {record.sample.id: record for record in Run.load(run).records()}


def alignments(run: Any) -> Any:
    return {name: each.outputs[0].values["alignment"] for name, each in answers(run).items()}


WHERE = {
    "here": ({}, Settings()),
    "replicas": ({}, Settings(replicas=2)),
    "elsewhere": ({"python": sys.executable}, Settings()),
}


@pytest.mark.parametrize("where", WHERE)
def test_a_class_answers_alike_wherever_it_runs(work: Any, where: Any) -> None:
    arguments, settings = WHERE[where]
    evaluate(spec(work, **arguments), work / "run", settings=settings)
    assert alignments(work / "run") == {str(n): float(n) for n in range(5)}


def test_a_batch_has_twelve_at_most(work: Any) -> None:
    log = str(work / "log")
    one = spec(work, log=log)
    evaluate(one, work / "run")
    assert [call["batch_size"] for call in calls(log)] == [5]
    evaluate(one, work / "two", settings=Settings(batch_size=2))
    assert sorted(call["batch_size"] for call in calls(log)[1:]) == [1, 2, 2]


@pytest.mark.parametrize("where", ["here", "replicas"])
def test_a_score_that_is_no_number_costs_its_own_sample_only(work: Any, where: str) -> None:
    made = "[[float('nan') if x.text == 'xx' else len(x.text), 1] for x in inputs]"
    duck(work / "duck.py", made)
    evaluate(spec(work, "duck.py:Duck"), work / "run", settings=WHERE[where][1])
    found = answers(work / "run")
    failed = [name for name, each in found.items() if each.error]
    assert failed == ["2"]
    assert found["2"].error.kind == "NotFinite"
    assert found["2"].error.message.startswith("the model gave nan as alignment")
    assert found["2"].attempts == 1


def test_a_sound_that_makes_a_class_stumble_costs_its_own_sample_only(work: Any) -> None:
    made = "[[1 / (len(x.text) - 2), 1] for x in inputs]"
    duck(work / "duck.py", made)
    evaluate(spec(work, "duck.py:Duck"), work / "run")
    found = answers(work / "run")
    assert [name for name, each in found.items() if each.error] == ["2"]
    assert found["2"].error.kind == "ZeroDivisionError"


def test_a_class_that_answers_in_another_shape_stops_the_run(work: Any) -> None:
    duck(work / "duck.py", "[1, 2]")
    with pytest.raises(auricle.SpecError, match=r"not list of shape \(2,\)"):
        evaluate(spec(work, "duck.py:Duck"), work / "run")


def test_a_crop_is_part_of_what_a_run_is(work: Any) -> None:
    evaluate(spec(work, crop=0.05), work / "run")
    kept = json.loads((work / "run" / "spec.json").read_text())
    assert kept["identity"]["model_args"]["crop"] == 0.05
    with pytest.raises(auricle.SpecError, match="crop"):
        evaluate(spec(work), work / "run")


def test_a_relative_path_is_made_whole_and_shown_short(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    named = Spec(task="demo", model="cmi:my_model.py:MyBaseline").resolved().model
    assert named == f"cmi:{work / 'my_model.py'}:MyBaseline"
    assert display_name(named) == "cmi:my_model.py:MyBaseline"
    assert JudgeSpec(model="cmi:my_model.py:MyBaseline").resolved().model == named
    assert Spec(task="demo", model="cmi:pkg.mod:My").resolved().model == "cmi:pkg.mod:My"


def test_a_class_that_changed_is_another_model_to_the_cache(work: Any) -> None:
    model = f"cmi:{work / 'my_model.py'}:MyBaseline"
    name, before = _resolve_source(model)
    inheriting(work / "my_model.py").write_text("changed")
    assert name == "cmi:MyBaseline"
    assert _resolve_source(model)[1] != before


def test_the_command_line_asks_and_examines_a_class(auricle: Any, work: Any) -> None:
    more = ["-m", "cmi:my_model.py:MyBaseline", "-M", "device=cpu"]
    told = ["--model-init-json", '{"log": "log"}', "--score-json", "score.json", "--crop", "0.05"]
    (work / "score.json").write_text('{"steps": 3}')
    asked = auricle("ask", *more, *told, "0.wav", "--text", "hello")
    assert '"alignment":5.0' in asked.stdout, asked.stderr
    (call,) = calls(work / "log")
    assert call["kwargs"] == {"steps": 3}
    assert call["seconds"] == [0.05]
    examined = auricle("doctor", *more)
    assert "ok  cmi:my_model.py:MyBaseline loads" in examined.stdout


@pytest.mark.parametrize("given", ["[1]", "nowhere.json", "{broken"])
def test_json_that_is_none_is_refused_in_a_line(auricle: Any, work: Any, given: str) -> None:
    done = auricle("ask", "-m", "cmi:my_model.py:MyBaseline", "--score-json", given, "0.wav")
    assert done.returncode == 2
    assert done.stderr.startswith("auricle: ")
    assert "Traceback" not in done.stderr
