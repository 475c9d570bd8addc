"""Results that consist of numbers, as tables."""

from dataclasses import replace

from auricle.core.signature import MetricSignature, Signature
from auricle.runs.metrics import Number
from auricle.runs.number_table import Numbers

SIGNATURE = Signature(metric=MetricSignature(name="wer", version=1), task="t:1", revision="", inferencer="", model="m")


NUMBER = Number(metric="wer", details={}, value=0.25, low=0.1, high=0.4, units=50, unit="share", signature=SIGNATURE)


def test_numbers_over_all_samples_are_shown_and_the_groups_counted() -> None:
    numbers = Numbers([NUMBER, replace(NUMBER, field="speaker", group="anna")])
    assert "25.00 %  10.00 %  40.00 %" in repr(numbers)
    assert "anna" not in repr(numbers)
    assert "1 more row" in repr(numbers)
    assert [row["group"] for row in numbers.list_rows()] == ["all", "anna"]


def test_an_interval_of_too_few_units_is_not_shown() -> None:
    assert "40.00 %" in repr(NUMBER)
    assert "40.00 %" not in repr(replace(NUMBER, units=2))
    assert "40.00 %" not in repr(Numbers([replace(NUMBER, units=2)]))
