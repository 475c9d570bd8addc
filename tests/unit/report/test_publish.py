"""Writing everything that is derived from a run."""

import json
from pathlib import Path
from typing import Any

from auricle import Spec, evaluate, metric, score
from auricle.core.errors import Unsupported
from auricle.metrics.error_rates import wer
from auricle.report.publish import collect_refusals
from tests.support.report_pages import visible_text
from tests.support.scored_records import make_mixed_records, make_record, overall_results, score_and_summarise

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


def test_a_cluster_that_no_sample_has_is_reported(tmp_path: Path) -> None:
    board, results = score_and_summarise(make_mixed_records(), cluster="speeker")
    assert overall_results(results)["wer"].interval.startswith("bootstrap")
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


def test_an_aggregator_that_needs_two_samples_does_not_end_scoring() -> None:
    def spread(stats: Any) -> float:
        (first, _), (last, _), *_ = stats
        return float(last - first)

    @metric(spread)
    def pair(sample: Any, output: Any) -> Any:
        return float(len(output.text)), 1.0

    board, results = score_and_summarise([make_record(at) for at in range(3)], [pair])
    assert overall_results(results)["pair"].value == 0.0
    assert len(board.worst_ids()) == 3


def answer_length(sample: Any, output: Any) -> Any:
    return float(len(output.text))
