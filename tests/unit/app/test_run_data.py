"""Tests of loading metrics and samples of a run, and of their cache."""

import ast
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import auricle.app
from auricle.app import run_data, samples_table
from auricle.app.views import load_test as load_test_view
from auricle.core.errors import DataError
from auricle.runs.metrics import write_metrics
from auricle.runs.perf_files import write_perf_summary
from auricle.runs.run_spec import RunSpec, write_run_spec
from tests.support.app_pages import page_text
from tests.unit.app.conftest import DrawRun


@pytest.fixture
def run(runs: Path, tmp_path: Path) -> Path:
    """Return a copy of a run that a test may change."""
    return Path(shutil.copytree(runs / "asr-small", tmp_path / "runs" / "run"))


def add_sample(run: Path, sample_id: str = "added") -> None:
    journal = run / "outputs.jsonl"
    entry = json.loads(journal.read_bytes().splitlines()[0]) | {"id": sample_id}
    with journal.open("ab") as lines:
        lines.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")


# --- cache -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_changed_metrics_are_loaded_again(run: Path) -> None:
    write_metrics(run, replace(run_data.load_metrics(run), notes=("scored again",)))
    assert run_data.load_metrics(run).notes == ("scored again",)


def test_unchanged_metrics_are_read_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_data.load_metrics(run)
    monkeypatch.setattr(run_data, "read_metrics", lambda path: pytest.fail("read again"))
    assert run_data.load_metrics(run)


def test_added_samples_are_loaded(run: Path) -> None:
    assert len(run_data.load_samples(run).frame) == 16
    add_sample(run)
    assert len(run_data.load_samples(run).frame) == 17


def test_changed_load_test_is_loaded_again(load_test: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(load_test, tmp_path / "load"))
    summary = load_test_view.load_summary(folder)
    write_perf_summary(folder, replace(summary, points=()))
    assert load_test_view.load_summary(folder).points == ()


def test_open_page_shows_samples_that_were_added(run: Path, draw: DrawRun) -> None:
    app = draw("samples", run.parent, fresh=True, run="run")
    assert "16 of 16 samples." in page_text(app)
    add_sample(run)
    app.run()
    assert "17 of 17 samples." in page_text(app)


def test_no_cached_function_has_a_parameter_that_streamlit_ignores() -> None:
    folder = Path(auricle.app.__file__).parent
    functions = [
        node
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and any("cache_data" in ast.unparse(item) for item in node.decorator_list)
    ]
    parameters = [argument.arg for function in functions for argument in function.args.args]
    assert len(functions) == 6
    assert not [name for name in parameters if name.startswith("_")]


# --- metrics ---------------------------------------------------------------------------------


def test_run_without_metrics_has_not_been_scored(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"metrics\.json not found: the run has not been scored yet"):
        run_data.load_metrics(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"numbers": 3}'])
def test_damaged_metrics_are_reported_with_the_command_that_regenerates_them(tmp_path: Path, content: str) -> None:
    (tmp_path / "metrics.json").write_text(content)
    with pytest.raises(DataError, match=r"Run `auricle score .*` to write it again"):
        run_data.load_metrics(tmp_path)


def test_metrics_older_than_the_outputs_are_stale(run: Path) -> None:
    assert not run_data.is_stale(run)
    written = (run / "metrics.json").stat().st_mtime
    os.utime(run / "outputs.jsonl", (written + 10, written + 10))
    assert run_data.is_stale(run)


# --- custom code -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"metrics": "wer,my.package:metric"}, "my.package:metric"),
        ({"metrics": "/tmp/here.py:metric"}, "/tmp/here.py:metric"),
        ({"inferencer": {"use": "os:system"}}, "os:system"),
        ({"shots": {"encoder": "pickle:loads"}}, "pickle:loads"),
        ({"metrics": "wer"}, ""),
        (["wer"], ""),
        ({"inferencer": {"prompt": "Question: {question}"}}, ""),
    ],
)
def test_custom_code_in_arguments_is_detected(tmp_path: Path, arguments: Any, code: str) -> None:
    write_run_spec(tmp_path, RunSpec(identity={}, spec={"task": "asr", "task_args": arguments}))
    assert run_data.find_foreign_code(tmp_path) == code


def test_task_outside_the_catalogue_is_custom_code(hostile_runs: Path) -> None:
    assert run_data.find_foreign_code(hostile_runs / "custom-code") == "os:system"


def test_missing_spec_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"it has no spec\.json"):
        run_data.find_foreign_code(tmp_path)


# --- samples ---------------------------------------------------------------------------------


def test_record_is_read_from_its_offset(runs: Path) -> None:
    run = runs / "asr-small"
    row = samples_table.read_samples(run).frame.iloc[3]
    assert run_data.load_record(run, int(row["offset"])).sample.id == row["id"]


def test_offset_into_a_changed_journal_is_reported(run: Path) -> None:
    with pytest.raises(DataError, match="The run changed while you were viewing it"):
        run_data.load_record(run, 5)
