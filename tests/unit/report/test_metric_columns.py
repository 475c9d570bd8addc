"""The statistics of a metric in compact arrays."""

from typing import Any

import numpy as np

from auricle import metric
from auricle.metrics.error_rates import wer
from tests.support.scored_records import make_record, overall_results, score_and_summarise


def test_a_metric_that_raises_affects_only_its_sample() -> None:
    @metric()
    def fragile(sample: Any, output: Any) -> Any:
        return 1 / len(output.text.replace("boom", ""))

    board, results = score_and_summarise([make_record(0, answer="boom"), make_record(1, answer="ok")], [fragile, wer])
    assert overall_results(results)["fragile"].scored == 1
    assert overall_results(results)["wer"].scored == 2
    ((reason, count),) = board.columns[0].reasons.items()
    assert reason.startswith("ZeroDivisionError: division by zero (test_metric_columns.py:")
    assert count == 1


def test_statistics_of_another_shape_are_left_out_with_a_reason() -> None:
    @metric()
    def moody(sample: Any, output: Any) -> Any:
        return 1.0 if sample.id == "0" else (1.0, 2.0)

    board, results = score_and_summarise([make_record(0), make_record(1)], [moody])
    assert (overall_results(results)["moody"].value, overall_results(results)["moody"].scored) == (1.0, 1)
    assert "has another shape" in next(iter(board.columns[0].reasons))


def test_numpy_numbers_are_accepted() -> None:
    @metric()
    def counted(sample: Any, output: Any) -> Any:
        return np.int64(3)

    _, results = score_and_summarise([make_record(0)], [counted])
    assert overall_results(results)["counted"].value == 3.0
