"""Writing everything that is derived from a run."""

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec, compare, evaluate, metric, score
from auricle.core.errors import ExitStatus, Unsupported
from auricle.report.terminal import format_metrics
from auricle.runs.metrics import read_metrics
from auricle.scoring.run_scores import collect_refusals, list_left_out
from auricle.studies.leaderboards.table import build_leaderboard
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.calls.metrics.success import call_completion
from auricle.tasks.calls.metrics.turn_taking import barge_in_success, barge_in_yield
from tests.support.report_pages import visible_text
from tests.support.scored_records import make_mixed_records, make_record, overall_results, score_and_summarise
from tests.tasks.calls.metrics.recordings import caller, record

DERIVED = ("scores.jsonl", "metrics.json", "metrics_summary.csv", "metrics_detail.csv", "report.html")


def test_scoring_again_writes_the_same_files(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"id": "1", "question": "x", "answer": "x"}, {"id": "2", "question": "y", "answer": "z"}])
    evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), tmp_path / "run")
    before = json.loads((tmp_path / "run" / "metrics.json").read_text())
    for name in DERIVED:
        (tmp_path / "run" / name).unlink()
    score(tmp_path / "run")
    assert all((tmp_path / "run" / name).is_file() for name in DERIVED)
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["numbers"] == before["numbers"]


def test_a_metric_that_does_not_apply_is_reported_once() -> None:
    @metric()
    def picky(sample: Any, output: Any) -> float:
        raise Unsupported("needs class scores")

    board, results = score_and_summarise(make_mixed_records(), [picky, wer])
    assert set(overall_results(results)) == {"wer"}
    assert board.columns[0].refusal_reason == "needs class scores"


def test_what_metrics_left_out_is_stated_with_the_reason_also_without_a_value() -> None:
    silent = record(caller(1, 2, "interrupt", step=0), seconds=5)
    records = [replace(make_record(row), outputs=(silent,)) for row in range(2)]
    board, results = score_and_summarise(records, [barge_in_yield, barge_in_success, call_completion])
    assert set(overall_results(results)) == {"call_completion"}
    (note,) = list_left_out(board)
    assert note == (
        "barge_in_yield, barge_in_success: left out: 2, because the agent was silent when the caller began."
    )


def test_a_cluster_that_no_sample_has_is_reported(tmp_path: Path) -> None:
    board, results = score_and_summarise(make_mixed_records(), cluster="speeker")
    assert overall_results(results)["wer"].interval == "gamma"
    assert "no sample has the metadata field 'speeker'" in collect_refusals(board)["cluster"]


def test_a_metric_that_never_scores_is_reported() -> None:
    @metric()
    def wordy(sample: Any, output: Any) -> Any:
        return "good"

    def fail_to_aggregate(stats: Any) -> float:
        raise ZeroDivisionError("no")

    board, results = score_and_summarise(
        [make_record(0)], [wordy, metric(fail_to_aggregate, name="broken")(answer_length)]
    )
    assert results == []
    assert "a metric must return a number or a tuple, not str" in collect_refusals(board)["wordy"]
    assert "its aggregation raised ZeroDivisionError" in collect_refusals(board)["broken"]


def test_an_unreadable_answer_is_shown_with_its_reason(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"id": "1", "question": "no idea", "answer": "cat", "choices": ["cat", "dog"]}])
    evaluate(Spec(task="mcq", task_args={"data": str(data), "prompt": "{question}"}, model="echo"), tmp_path / "run")
    page = visible_text((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
    assert "Unreadable: names no option" in page
    assert "Repeat this run auricle run mcq -m echo -T data=" in page


def test_an_aggregator_that_needs_two_samples_does_not_end_scoring() -> None:
    def spread(stats: Any) -> float:
        (first, _), (last, _), *_ = stats
        return float(last - first)

    @metric(spread)
    def pair(sample: Any, output: Any) -> Any:
        return float(len(output.text)), 1.0

    board, results = score_and_summarise([make_record(at) for at in range(3)], [pair])
    assert overall_results(results)["pair"].value == 0.0
    assert len(board.worst_records()) == 3


@pytest.fixture
def damaged_run(manifest: Any, tmp_path: Path) -> Path:
    """A completed run of ten rows with two damaged lines, and one line that was deleted."""
    data = manifest([{"id": str(at), "question": f"say {at}", "answer": f"say {at}"} for at in range(10)])
    run = tmp_path / "damaged"
    evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), run)
    shutil.copytree(run, tmp_path / "intact")
    lines = (run / "outputs.jsonl").read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"say", b"sag")
    lines[5] = b"\0" * 20 + b"\n"
    (run / "outputs.jsonl").write_bytes(b"".join(lines[:9]))
    return run


def test_coverage_is_relative_to_the_rows_of_the_data(damaged_run: Path) -> None:
    result = score(damaged_run)
    number = result["exact_match"]
    assert (number.scored, number.total, number.coverage) == (7, 10, 0.7)
    assert result.exit_status == ExitStatus.FAILURES
    for name in ("metrics_summary.csv", "metrics_detail.csv"):
        with (damaged_run / name).open(newline="") as file:
            row = next(csv.DictReader(file))
        assert (row["scored"], row["total"], row["coverage"]) == ("7", "10", "0.7")
    page = visible_text((damaged_run / "report.html").read_text(encoding="utf-8"))
    assert "Samples 7 of 10" in page
    assert "2 lines (3, 6) of outputs.jsonl are damaged" in page


def test_tables_of_several_runs_use_the_same_coverage(damaged_run: Path) -> None:
    score(damaged_run)
    metrics = read_metrics(damaged_run)
    assert "70.0 %" in "\n".join(format_metrics([metrics]))
    (row,) = build_leaderboard([("damaged", metrics)]).rows
    assert [cell.coverage for cell in row.cells.values()] == ["70.0 %"]


def test_a_comparison_names_damaged_lines_and_counts_missing_rows(damaged_run: Path, tmp_path: Path) -> None:
    shutil.copytree(damaged_run, tmp_path / "same")
    comparison = compare(damaged_run, tmp_path / "same")
    assert (comparison.pairs.count, comparison.pairs.coverage) == (7, 0.7)
    assert any(note.startswith("A: 2 lines (3, 6) of outputs.jsonl are damaged") for note in comparison.notes)
    assert compare(tmp_path / "intact", tmp_path / "intact").pairs.coverage == 1.0
    assert compare(damaged_run, tmp_path / "intact").pairs.coverage == 0.7


def answer_length(sample: Any, output: Any) -> Any:
    return float(len(output.text))


def test_empty_answers_and_audio_that_was_not_sent_are_in_every_form_of_the_results(
    manifest: Any, tone: Any, tmp_path: Path, auricle: Any
) -> None:
    tone("a.wav")
    (tmp_path / "mute.py").write_text("def answer(text) -> str:\n    return 'yes' if 'Q1' in text else ''\n")
    data = manifest([{"audio": "a.wav", "question": f"Q{number}", "answer": "yes"} for number in range(3)])
    arguments = ("run", data, "--as", "qa", "-T", "prompt={question}", "-m", "mute.py:answer", "-o", "run")
    printed = auricle(*arguments).stdout
    assert "2 empty, 3 without audio" in printed
    notes = ["3 of 3 samples have audio that was not sent", "2 of 3 answers are empty (67%)"]
    assert all(f"Note: {note}" in printed for note in notes)
    assert all(note in (tmp_path / "run" / "report.html").read_text() for note in notes)
    (metrics,) = json.loads(auricle("show", "run", "--json").stdout)
    assert (metrics["outcomes"]["empty"], metrics["outcomes"]["audio_not_sent"]) == (2, 3)
    assert [any(note in line for line in metrics["notes"]) for note in notes] == [True, True]
    unscored = auricle(*arguments[:-1], "unscored", "--infer-only").stderr
    assert all(f"Note: {note}" in unscored for note in notes)


def test_a_metric_that_returns_none_for_every_sample_is_reported() -> None:
    def nothing(sample: Any, output: Any) -> None:
        return None

    board, results = score_and_summarise([make_record(0)], [metric()(nothing), wer])
    assert [number.metric for number in results] == ["wer"]
    assert collect_refusals(board) == {"nothing": "it applies to none of the samples: it returned None for each"}
