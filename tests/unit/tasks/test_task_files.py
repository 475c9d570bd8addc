"""Task files in packages, and paths in task files."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle import RunConfig, Spec, SpecError, evaluate, score, task_file
from auricle.core import registry
from auricle.engine.factory import build_task
from auricle.tasks.base import Task
from auricle.tasks.catalogue import TASKS
from auricle.tasks.inferencers import Respond
from auricle.tasks.task_files import resolve_paths

PACKAGE = "my_quiz_benchmark"
ROWS = [{"id": "a", "question": "Say yes.", "answer": "Say yes."}, {"id": "b", "question": "Say no.", "answer": "no"}]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package with a task file, its data and an entry point."""
    site, folder = tmp_path / "site", tmp_path / "site" / PACKAGE
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text(
        "import auricle\n\nquiz = auricle.task_file(__package__, 'quiz.yaml')\n", encoding="utf-8"
    )
    (folder / "quiz.yaml").write_text(
        "kind: qa\ndata: data/rows.jsonl\nprompt: '{question}'\nmax_tokens: 5\nmetrics: [exact_match]\n"
    )
    (folder / "data" / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    info = site / "my_quiz_benchmark-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-quiz-benchmark\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[auricle.tasks]\nmy-quiz = {PACKAGE}:quiz\n")
    monkeypatch.syspath_prepend(str(site))
    registry._entry_points.cache_clear()
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
    TASKS._registered.pop("my-quiz", None)
    registry._entry_points.cache_clear()


def build(**arguments: Any) -> Task:
    return build_task(Spec(task="my-quiz", model="echo", task_args=arguments).resolved())


@pytest.mark.usefixtures("package")
def test_packaged_task_file_runs_under_the_name_of_its_entry_point(tmp_path: Path) -> None:
    (evaluation,) = RunConfig.from_fields({"task": "my-quiz", "model": "echo"}, "test").prepare()
    result = evaluate(evaluation, tmp_path / "run")
    assert (evaluation.spec.task, evaluation.spec.task_args) == ("my-quiz", {})
    assert result["exact_match"].value == 0.5


@pytest.mark.usefixtures("package")
def test_options_of_the_command_line_override_a_packaged_task_file(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"id": "c", "question": "Why?", "answer": "So."}) + "\n")
    task = build(data=str(other), max_tokens=9, metrics=["rouge_l"], name="mine")
    assert isinstance(task.inferencer, Respond)
    assert [sample.id for sample in task.samples if hasattr(sample, "id")] == ["c"]
    assert (task.inferencer.max_tokens, [metric.name for metric in task.metrics], task.name) == (9, ["rouge_l"], "mine")
    assert build().name == "quiz"


@pytest.mark.usefixtures("package")
def test_run_of_a_packaged_task_is_scored_again(tmp_path: Path) -> None:
    evaluate(Spec(task="my-quiz", model="echo"), tmp_path / "run")
    result = score(tmp_path / "run", task_args={"metrics": "rouge_l"})
    assert result["rouge_l"].scored == 2


def test_error_in_a_packaged_task_file_names_its_line(package: Path) -> None:
    (package / "quiz.yaml").write_text("kind: qa\ndata: data/rows.jsonl\nprompt: '{questoin}'\n")
    with pytest.raises(SpecError, match=r"quiz\.yaml:3: .*\{questoin\}"):
        build()
    with pytest.raises(SpecError, match="Unknown option of qa: max_tokns"):
        build(max_tokns=3)


def test_task_file_must_be_yaml_in_a_package() -> None:
    with pytest.raises(SpecError, match=r"No package given for quiz\.yaml"):
        task_file("", "quiz.yaml")
    with pytest.raises(SpecError, match=r"Not a task file: 'quiz\.json'"):
        task_file(PACKAGE, "quiz.json")
    with pytest.raises(SpecError, match=r"There is no file .*absent\.yaml"):
        task_file("auricle", "absent.yaml")()


@pytest.mark.parametrize(
    "arguments",
    [
        {"data": "a\0b.jsonl"},
        {"data": "~no-such-user/a.jsonl"},
        {"shots": {"use": "random", "pool": "\0"}},
        {"inferencer": "a\0.py:Twice"},
        {"metrics": ["a\0.py:metric"]},
    ],
)
def test_impossible_paths_are_refused(arguments: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Invalid path '"):
        resolve_paths(arguments, tmp_path)
