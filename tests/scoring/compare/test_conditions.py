"""Conditions on the differences of a comparison."""

import math
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.scoring.compare.conditions import Condition
from auricle.scoring.compare.metric_rows import ComparisonRow


def make_row(metric: str = "wer", a: float = 0.10, b: float = 0.12, field: str = "") -> ComparisonRow:
    values: dict[str, Any] = dict.fromkeys(("low", "high", "p", "adjusted", "detectable", "worst", "best"), 0.0)
    counts: dict[str, Any] = dict.fromkeys(("n", "better", "worse", "units"), 10)
    return ComparisonRow(
        value_a=a,
        value_b=b,
        difference=b - a,
        method="paired-t",
        metric=metric,
        title=metric,
        field=field,
        higher_is_better=False,
        unit="share",
        signature=metric,
        right_or_wrong=False,
        **values,
        **counts,
    )


@pytest.mark.parametrize(
    ("text", "violation"),
    [
        ("wer>+1pp", "wer changed by +2 pp, limit +1 pp"),
        ("wer > 1 pp", "wer changed by +2 pp, limit +1 pp"),
        ("wer>0.015", "wer changed by +0.02, limit +0.015"),
        ("wer>+10%", "wer changed by +20 %, limit +10 %"),
        ("wer>+3pp", ""),
        ("wer<-1pp", ""),
        ("wer<+3pp", "wer changed by +2 pp, limit +3 pp"),
    ],
)
def test_the_change_over_all_pairs_is_compared_with_the_limit(text: str, violation: str) -> None:
    rows = [make_row(field="speaker", b=0.5), make_row()]
    assert Condition.parse(text).find_violation(rows) == violation


@pytest.mark.parametrize("text", ["wer", "wer>", "wer>=1pp", ">1", "wer>1px", "wer>1pp,cer>1pp"])
def test_malformed_conditions_are_refused(text: str) -> None:
    with pytest.raises(SpecError, match="such as wer>"):
        Condition.parse(text)


def test_a_metric_that_was_not_compared_is_refused() -> None:
    with pytest.raises(SpecError, match=r"'cer' was not compared\. Compared: wer\."):
        Condition.parse("cer>1pp").find_violation([make_row()])


def test_an_undefined_change_fails() -> None:
    assert Condition.parse("wer>1pp").find_violation([make_row(b=math.nan)]) == "the change of wer is undefined"
    assert Condition.parse("wer>1%").find_violation([make_row(a=0.0)]) == "the change of wer is undefined"


@pytest.mark.parametrize("metric", ["wer@whisper-en", "option_accuracy.pass@2"])
def test_a_metric_may_be_named_with_its_profile_or_number_of_answers(metric: str) -> None:
    assert Condition.parse(f"{metric}<-1pp").metric == metric
