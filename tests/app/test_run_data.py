"""Tests of loading metrics and samples of a run, and of their cache."""

import ast
import json
import math
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import auricle.app
from auricle import Spec, evaluate
from auricle.app import run_data
from auricle.app.run_data import read_samples, sort_worst_first
from auricle.app.views import load_test as load_test_view
from auricle.core.errors import DataError
from auricle.core.serialization import digest
from auricle.runs.metrics import ScoringArguments, read_metrics, write_metrics
from auricle.runs.perf_files import write_perf_summary
from auricle.runs.run_spec import RunSpec, write_run_spec
from tests.support import app_runs
from tests.support.app_fixtures import DrawRun
from tests.support.app_pages import page_text
from tests.support.app_runs import make_number
from tests.support.journal_lines import change_line, encode_line


@pytest.fixture
def run(runs: Path, tmp_path: Path) -> Path:
    """Return a copy of a run that a test may change."""
    return Path(shutil.copytree(runs / "asr-small", tmp_path / "runs" / "run"))


def add_sample(run: Path, sample_id: str = "added") -> None:
    journal = run / "outputs.jsonl"
    first = journal.read_bytes().splitlines()[0]
    with journal.open("ab") as lines:
        lines.write(change_line(first, id=sample_id))


# --- cache -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_changed_metrics_are_loaded_again(run: Path) -> None:
    write_metrics(run, replace(run_data.load_metrics(run), notes=("scored again",)))
    assert run_data.load_metrics(run).notes == ("scored again",)


def test_unchanged_metrics_are_read_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_data.load_metrics(run)
    monkeypatch.setattr(run_data, "read_metrics", lambda path: pytest.fail("read again"))
    assert run_data.load_metrics(run)


def test_metrics_of_all_runs_of_a_leaderboard_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths_read: list[Path] = []
    monkeypatch.setattr(run_data, "read_metrics", paths_read.append)
    folders = [tmp_path / str(number) for number in range(run_data.MAX_CACHED_METRICS)]
    for path in (*folders, *folders):
        run_data.load_metrics(path)
    assert paths_read == folders


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
        if isinstance(node, ast.FunctionDef) and any("st.cache_" in ast.unparse(item) for item in node.decorator_list)
    ]
    parameters = [argument.arg for function in functions for argument in function.args.args]
    assert len(functions) >= 8
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


def test_metrics_of_other_outputs_are_stale_whatever_the_time_of_the_file(run: Path) -> None:
    journal = run / "outputs.jsonl"
    status = journal.stat()
    os.utime(journal, (status.st_atime + 10, status.st_mtime + 10))
    assert not run_data.is_stale(run)
    add_sample(run)
    os.utime(journal, (status.st_atime, status.st_mtime))
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


def test_custom_code_that_a_run_was_scored_with_is_detected(run: Path) -> None:
    metrics = replace(read_metrics(run), scoring=ScoringArguments(task_args={"metrics": "mine.py:f"}))
    write_metrics(run, metrics)
    assert run_data.find_foreign_code(run) == "mine.py:f"


def test_task_outside_the_catalogue_is_custom_code(hostile_runs: Path) -> None:
    assert run_data.find_foreign_code(hostile_runs / "custom-code") == "os:system"


def test_missing_spec_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"it has no spec\.json"):
        run_data.find_foreign_code(tmp_path)


# --- samples ---------------------------------------------------------------------------------


def test_record_is_read_from_its_offset(runs: Path) -> None:
    run = runs / "asr-small"
    row = run_data.read_samples(run).frame.iloc[3]
    assert run_data.load_record(run, int(row["offset"])).sample.id == row["id"]


def test_offset_into_a_changed_journal_is_reported(run: Path) -> None:
    with pytest.raises(DataError, match="The run changed while you were viewing it"):
        run_data.load_record(run, 5)


# --- the table of samples ------------------------------------------------------------


WER = make_number("wer", higher_is_better=False)


@pytest.fixture
def journal_lines(runs: Path) -> list[bytes]:
    return (runs / "asr-small" / "outputs.jsonl").read_bytes().splitlines(keepends=True)


def test_last_line_of_a_sample_counts(journal_lines: list[bytes], tmp_path: Path) -> None:
    newer = json.loads(journal_lines[0])
    newer["outputs"][0]["text"] = "a later answer"
    added = encode_line(newer)
    (tmp_path / "outputs.jsonl").write_bytes(b"".join(journal_lines) + added + b'{"id":"truncated"')
    frame = read_samples(tmp_path).frame
    assert len(frame) == 16
    assert list(frame.loc[frame["id"] == newer["id"], "answer"]) == ["a later answer"]


def test_sample_that_was_removed_from_the_data_is_left_out(journal_lines: list[bytes], tmp_path: Path) -> None:
    removed_id = json.loads(journal_lines[0])["id"]
    removal = encode_line({"gone": digest(removed_id)})
    (tmp_path / "outputs.jsonl").write_bytes(b"".join(journal_lines) + removal)
    assert removed_id not in set(read_samples(tmp_path).frame["id"])


def test_damaged_lines_are_counted(journal_lines: list[bytes], tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").write_bytes(b'{"id": 3}\n' + b"".join(journal_lines) + b"\xff\n")
    table = read_samples(tmp_path)
    assert (len(table.frame), table.damaged_lines) == (16, 2)


def test_table_is_truncated_at_the_maximum(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_data, "MAX_SAMPLES", 5)
    table = read_samples(runs / "asr-small")
    assert (len(table.frame), table.is_truncated) == (5, True)


def test_missing_journal_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the run has no completed samples yet"):
        read_samples(tmp_path)


def test_only_metadata_with_few_values_can_be_filtered_by(runs: Path) -> None:
    assert set(read_samples(runs / "asr-small").fields) == {"speaker", "accent"}


def test_classifier_has_true_and_predicted_labels(runs: Path) -> None:
    frame = read_samples(runs / "emotion-first").frame
    assert frame["true_label"].tolist() == frame["target"].tolist()
    assert set(frame["predicted_label"]) <= set(app_runs.LABELS)
    assert set(frame["stat.accuracy"]) == {0.0, 1.0}


def test_unparsed_answer_is_unreadable_with_a_reason(runs: Path) -> None:
    frame = read_samples(runs / "quiz-bad").frame
    unreadable = frame[frame["outcome"] == "unreadable"]
    assert len(unreadable)
    assert unreadable["reason"].str.len().gt(0).all()
    assert set(unreadable["reading"]) == {"unread"}


def test_refused_answer_has_its_own_outcome(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "quiz-bad", tmp_path / "run")
    scores = (tmp_path / "run/scores.jsonl").read_text()
    (tmp_path / "run/scores.jsonl").write_text(scores.replace('"reading":"unread"', '"reading":"refused"'))
    assert {"refused", "answered"} >= set(read_samples(tmp_path / "run").frame["outcome"]) > {"answered"}


def test_insertions_on_silence_have_a_column_of_their_own(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"question": "thank you", "answer": ""}, {"question": "one", "answer": "two"}])
    task_args = {"data": str(data), "metrics": "wer"}
    evaluate(Spec(task="qa", task_args=task_args, model="echo"), tmp_path / "run")
    frame = run_data.load_samples(tmp_path / "run").frame
    assert frame["silence.wer"].tolist() == [2.0, pytest.approx(float("nan"), nan_ok=True)]
    assert frame["stat.wer"].tolist() == [2.0, 1.0]


def test_worst_samples_come_first_and_unscored_ones_last() -> None:
    frame = pd.DataFrame({"id": ["a", "b", "c"], "stat.wer": [0.1, math.nan, 0.9]})
    assert list(sort_worst_first(frame, WER)["id"]) == ["c", "a"]
    assert list(sort_worst_first(frame, WER, drop_unscored=False)["id"]) == ["c", "a", "b"]


def test_groups_are_the_fields_with_several_values_that_a_run_is_broken_down_by(runs: Path) -> None:
    groups = run_data.list_groups(runs / "asr-small")
    assert groups == {"accent": ["north", "south"]}  # every sample has another speaker
