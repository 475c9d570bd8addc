"""Task files in packages, and paths in task files."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from auricle import RunConfig, Spec, SpecError, evaluate, evaluate_suite, score, task_file
from auricle.api import load_metrics
from auricle.cli import cli
from auricle.core.entry_points import forget_installed_packages
from auricle.core.errors import RunMismatch
from auricle.engine.catalogue import TASKS
from auricle.engine.factory import build_task
from auricle.engine.inferencers import Respond
from auricle.engine.task import Task
from auricle.engine.task_files import TaskFile, resolve_paths
from auricle.engine.task_options import Provenance

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
    forget_installed_packages()
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
    forget_installed_packages()


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


FACTS = (
    "description: Quiz about capitals\nversion: '1.10'\nsource: example.org/quiz\ncitation: Doe et al., 2026\n"
    "licence: CC BY 4.0\nlanguages: [en, de-DE]\n"
)


def test_task_file_states_where_its_data_comes_from(package: Path) -> None:
    with (package / "quiz.yaml").open("a") as file:
        file.write(FACTS)
    task = build()
    assert (task.version, task.source, task.citation) == ("1.10", "example.org/quiz", "Doe et al., 2026")
    assert (task.licence, task.languages) == ("CC BY 4.0", ("en", "de"))
    entry = TASKS.get("my-quiz")
    assert isinstance(entry, TaskFile)
    assert entry.provenance == Provenance(
        description="Quiz about capitals",
        version="1.10",
        source="example.org/quiz",
        citation="Doe et al., 2026",
        licence="CC BY 4.0",
        languages=("en", "de"),
    )
    assert (entry.summary, entry.kind) == ("Quiz about capitals", "qa")


@pytest.mark.usefixtures("package")
def test_only_the_version_of_a_task_changes_the_identity_of_a_run(tmp_path: Path) -> None:
    facts = {"source": "a", "citation": "b", "licence": "c", "languages": ["en"], "description": "d"}
    evaluate(Spec(task="my-quiz", model="echo"), tmp_path / "run")
    result = evaluate(Spec(task="my-quiz", model="echo", task_args=facts), tmp_path / "run")
    assert result.metrics is not None
    assert (result.metrics.task.citation, result.metrics.task.languages) == ("b", ("en",))
    stored = json.loads((tmp_path / "run" / "spec.json").read_text())
    expected = {name: value for name, value in facts.items() if name != "description"}
    assert stored["provenance"] == {"version": 1, **expected}
    with pytest.raises(RunMismatch, match="version"):
        evaluate(Spec(task="my-quiz", model="echo", task_args={"version": 2}), tmp_path / "run")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("version: 1.1", r"quiz\.yaml:6: Invalid version 1\.1: expected a positive integer, or text in quotes"),
        ("version: 0", "Invalid version 0"),
        ("languages: [en, english]", r"quiz\.yaml:6: Invalid language 'english'"),
        ("languages: 3", "Invalid languages 3: expected a list of language codes"),
        ("citation: [a]", r"Invalid citation \['a'\]: expected text"),
    ],
)
def test_invalid_fact_is_refused_with_its_line(package: Path, line: str, message: str) -> None:
    with (package / "quiz.yaml").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(SpecError, match=message):
        build()


def test_packaged_task_is_listed_with_its_facts(package: Path) -> None:
    with (package / "quiz.yaml").open("a") as file:
        file.write(FACTS)
    listed = CliRunner().invoke(cli, ["list", "tasks"]).output
    assert "Quiz about capitals (en, de; CC BY 4.0; version 1.10; from my-quiz-benchmark 1.0)" in listed
    rows = CliRunner().invoke(cli, ["data", "list"]).output.splitlines()
    (row,) = [row for row in rows if row.startswith("my-quiz ")]
    assert row.split()[1:4] == ["qa", "en,", "de"]
    details = CliRunner().invoke(cli, ["data", "list", "my-quiz"]).output
    assert "citation  Doe et al., 2026" in details
    (document,) = json.loads(CliRunner().invoke(cli, ["data", "list", "my-quiz", "--json"]).output)
    assert (document["version"], document["languages"]) == ("1.10", ["en", "de"])


def test_report_shows_what_a_task_states_about_its_data(package: Path, tmp_path: Path) -> None:
    with (package / "quiz.yaml").open("a") as file:
        file.write(FACTS)
    evaluate(Spec(task="my-quiz", model="echo"), tmp_path / "run")
    page = (tmp_path / "run" / "report.html").read_text()
    for text in ("Doe et al., 2026", "example.org/quiz", "CC BY 4.0", "en, de", "quiz, version 1.10"):
        assert text in page
    assert load_metrics(tmp_path / "run").task.version == "1.10"


def test_metrics_in_files_are_made_absolute(tmp_path: Path) -> None:
    for metrics in ("wer, mine.py:f", ["wer", "mine.py:f"]):
        resolved = resolve_paths({"metrics": metrics}, tmp_path)["metrics"]
        assert (resolved if isinstance(resolved, list) else resolved.split(",")) == ["wer", f"{tmp_path}/mine.py:f"]


def test_packaged_suite_is_run_and_listed_under_the_name_of_its_entry_point(package: Path, tmp_path: Path) -> None:
    (package / "part.yaml").write_text((package / "quiz.yaml").read_text())
    (package / "quiz.yaml").write_text(
        f"suite:\n  - part.yaml\n  - {{task: part.yaml, name: again, weight: 3}}\n{FACTS}"
    )
    metrics = evaluate_suite("my-quiz", "echo", tmp_path / "run")
    assert metrics["exact_match"].value == 0.5
    assert [part.name for part in metrics.parts] == ["part", "again"]
    assert (metrics.task.version, metrics.task.licence, metrics.task.languages) == ("1.10", "CC BY 4.0", ("en", "de"))
    (document,) = json.loads(CliRunner().invoke(cli, ["data", "list", "my-quiz", "--json"]).output)
    assert (document["kind"], document["citation"]) == ("suite", "Doe et al., 2026")
    with pytest.raises(SpecError, match=r"quiz\.yaml is a suite of several tasks"):
        build()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("noise:snr=5", "noise:snr=5"),
        (["noise:5,0"], ["noise:5,0"]),
        ("noise:snr=5,folder=n", "noise:snr=5,kind=files,folder=/data/n"),
        (
            ["noise:snr=5,0,folder=n"],
            ["noise:snr=5,kind=files,folder=/data/n", "noise:snr=0,kind=files,folder=/data/n"],
        ),
        ("nonsense", "nonsense"),
    ],
)
def test_folders_of_noises_become_absolute(given: object, expected: object) -> None:
    assert resolve_paths({"perturb": given}, Path("/data")) == {"perturb": expected}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("s3://bucket/a.jsonl", "s3://bucket/a.jsonl"),
        ("https://host/a-{00..09}.tar", "https://host/a-{00..09}.tar"),
        ("speech/", "{base}/speech/"),
        ("a.jsonl", "{base}/a.jsonl"),
    ],
)
def test_urls_stay_as_they_are_and_folders_stay_folders(value: str, expected: str, tmp_path: Path) -> None:
    base = tmp_path.resolve()
    assert resolve_paths({"data": value}, base) == {"data": expected.replace("{base}", str(base))}
