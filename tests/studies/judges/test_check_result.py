"""Findings about judges."""

import pytest

from auricle.studies.judges.document import CheckResult


@pytest.mark.parametrize(
    ("low", "high", "neutral", "finding"),
    [
        (0.1, 0.4, 0.0, "biased"),
        (-0.4, -0.1, 0.0, "biased"),
        (-0.1, 0.1, 0.0, "no bias shown"),
        (0.0, 0.1, 0.0, "no bias shown"),
        (0.1, 0.4, None, ""),
        (None, None, 0.0, ""),
    ],
)
def test_a_judge_is_biased_if_the_interval_excludes_the_neutral_value(
    low: float | None, high: float | None, neutral: float | None, finding: str
) -> None:
    result = CheckResult(check="position", measure="m", value=0.2, low=low, high=high, neutral=neutral)
    assert result.finding == finding
