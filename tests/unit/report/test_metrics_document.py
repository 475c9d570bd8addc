"""What metrics.json reports."""

from pathlib import Path
from typing import Any

from auricle import metric
from auricle.core.errors import Unsupported
from auricle.metrics.error_rates import wer
from auricle.report.metrics_document import collect_refusals
from tests.support.scored_records import make_mixed_records, make_record, overall_results, score_and_summarise


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


def answer_length(sample: Any, output: Any) -> Any:
    return float(len(output.text))
