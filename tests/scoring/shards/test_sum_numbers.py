"""Numbers from sums equal those from all samples, and their intervals agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from auricle.core.types import Record
from auricle.metrics.base import Metric, metric
from auricle.metrics.multi_answer import aggregate_answers
from auricle.runs.metrics import Number
from auricle.scoring.shards import running_column, sums
from auricle.scoring.shards.sum_numbers import compute_numbers
from auricle.scoring.summary import summarise
from tests.support.sharded_runs import SIGNATURE, make_records, score_all, score_in_shards

INTERVAL_FIELDS = ("low", "high", "interval", "units")


def without_interval(number: Number) -> Number:
    """Leave out the interval, and the mean of rates, which is a sum of fractions."""
    details = {name: value for name, value in number.details.items() if name != "utterance_mean"}
    return replace(number, low=None, high=None, interval="", units=0, details=details)


def test_values_counts_bounds_and_details_equal_the_exact_ones(exact: list[Number], from_sums: list[Number]) -> None:
    assert len(exact) > 8
    assert list(map(without_interval, from_sums)) == list(map(without_interval, exact))


def test_samples_failed_and_were_unread_in_this_test(exact: list[Number]) -> None:
    overall = {number.metric: number for number in exact if not number.field}
    assert overall["wer"].failed > 50
    assert overall["accuracy"].unreadable > 50
    assert overall["accuracy"].unread_right != overall["accuracy"].unread_wrong
    assert overall["macro_f1"].worst != overall["macro_f1"].best
    assert overall["macro_f1"].details["matrix"]


def test_intervals_agree_with_the_exact_ones(exact: list[Number], from_sums: list[Number]) -> None:
    for number, expected in zip(from_sums, exact, strict=True):
        if number.field in ("", "subset"):
            assert number.high is not None
            assert number.low is not None
            width = (number.high - number.low) / ((expected.high or 0.0) - (expected.low or 0.0))
            assert 0.85 < width < 1.15
        assert "bucket" in number.interval


def test_intervals_of_independent_hits_are_exact(metrics: Sequence[Metric], records: list[Record]) -> None:
    chosen = [metric for metric in metrics if metric.name == "exact_match"]
    expected = summarise(score_all(chosen, records, "none"), SIGNATURE)[0]
    number = compute_numbers(score_in_shards(chosen, records, 900, "none"), SIGNATURE)[0]
    assert number == expected
    assert number.interval == "mid-p"


def test_shards_of_any_size_give_the_same_numbers(metrics: Sequence[Metric], records: list[Record]) -> None:
    few = records[:600]
    numbers = [compute_numbers(score_in_shards(metrics, few, size), SIGNATURE) for size in (7, 150, 600)]
    assert list(map(without_interval, numbers[0])) == list(map(without_interval, numbers[2]))
    for one, other in zip(numbers[0], numbers[1], strict=True):
        assert one.low == pytest.approx(other.low, rel=1e-9)


def test_samples_with_several_answers_are_added_up(metrics: Sequence[Metric]) -> None:
    records = [
        replace(record, outputs=(*record.outputs, *record.outputs[:1], *record.outputs[:1]) if record.outputs else ())
        for record in make_records(300, seed=3)
    ]
    chosen = [aggregate_answers(metrics[0], "mean"), aggregate_answers(metrics[1], "vote")]
    expected = summarise(score_all(chosen, records), SIGNATURE)
    numbers = compute_numbers(score_in_shards(chosen, records, 70), SIGNATURE)
    for number, other in zip(numbers, expected, strict=True):
        assert number.value == pytest.approx(other.value, rel=1e-12)
        assert {**number.details, "utterance_mean": 0} == {**other.details, "utterance_mean": 0}


def test_a_number_of_many_distinct_statistics_is_computed_from_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sums, running_column):
        monkeypatch.setattr(module, "MAX_DISTINCT", 5)
        monkeypatch.setattr(module, "SAMPLE_SIZE", 200)
    median = metric(lambda stats: float(np.median(stats)))(lambda sample, output: float(sample.meta["row"]))
    records = make_records(1000, seed=4)
    running = score_in_shards([median], records, 300)
    number = compute_numbers(running, SIGNATURE)[0]
    assert number.scored == sum(not record.error for record in records)
    assert number.value == pytest.approx(500, abs=100)
    assert number.details["notes"] == [
        f"<lambda> is computed from 200 of {number.scored} samples, chosen by digests of ids."
    ]
    again = compute_numbers(score_in_shards([median], records, 77), SIGNATURE)[0]
    assert (again.value, again.low, again.high) == (number.value, number.low, number.high)


def test_a_metric_that_raises_is_refused(records: list[Record]) -> None:
    def fail(stats: object) -> float:
        raise ValueError("no")

    broken = metric(fail, name="broken")(lambda sample, output: 1.0)
    running = score_in_shards([broken], records[:20], 10)
    assert not compute_numbers(running, SIGNATURE)
    assert running.columns["broken"].refusal_reason.startswith("its aggregation raised ValueError: no")
